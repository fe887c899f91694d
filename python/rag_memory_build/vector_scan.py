"""The extension module that compares one question with many vectors, compiled from native/vector_scan."""

from __future__ import annotations

from pathlib import Path

from . import compiler, cpython, stamp
from .console import run
from .paths import CACHE, ROOT

SOURCE = ROOT / "native" / "vector_scan" / "vector_scan.cpp"
MODULE_NAME = "vector_scan.cpython-311-x86_64-linux-gnu.so"
_FLAGS = (
    *("-std=c++17", "-O3", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror"),
    # Sums may be added in any order, or the compiler could not add several numbers at once.
    *("-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math", "-ffinite-math-only"),
    "-fno-math-errno",
    *("-static-libstdc++", "-static-libgcc", "-Wl,--exclude-libs,ALL,--gc-sections,-s"),
)


def build() -> Path:
    """The compiled module, in the cache."""
    command = compiler.find()
    folder = CACHE / "built" / stamp.key_of("vector_scan", SOURCE, *_FLAGS, *command)[:12]
    module = folder / MODULE_NAME
    if not module.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = module.with_suffix(".new")
        includes = [word for place in cpython.INCLUDE_FOLDERS for word in ("-isystem", str(place))]
        run(
            [*command, *_FLAGS, *includes, SOURCE, "-o", unfinished],
            what="Compiling vector_scan",
            remedy=compiler.REMEDY,
            log="vector_scan",
        )
        unfinished.replace(module)
    return module
