"""Our own extension modules of Python, each compiled from native/<name>/<name>.cpp."""

from __future__ import annotations

from pathlib import Path

from . import compiler, cpython, stamp
from .console import run
from .paths import CACHE, ROOT

_FLAGS_OF = {
    "vector_scan": (
        "-O3",
        # Sums may be added in any order, or the compiler could not add several numbers at once.
        *("-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math", "-ffinite-math-only"),
        "-fno-math-errno",
    ),
    "variant_encoding": ("-O2",),
}
_FLAGS = (
    *("-std=c++17", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror"),
    *("-static-libstdc++", "-static-libgcc", "-Wl,--exclude-libs,ALL,--gc-sections,-s"),
)

SOURCES = [ROOT / "native" / name / f"{name}.cpp" for name in _FLAGS_OF]


def build() -> list[Path]:
    """The compiled modules, in the cache."""
    return [_build(source) for source in SOURCES]


def _build(source: Path) -> Path:
    name = source.stem
    flags = (*_FLAGS, *_FLAGS_OF[name])
    command = compiler.find()
    folder = CACHE / "built" / stamp.key_of(name, source, *flags, *command)[:12]
    module = folder / f"{name}.cpython-311-x86_64-linux-gnu.so"
    if not module.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = module.with_suffix(".new")
        includes = [word for place in cpython.INCLUDE_FOLDERS for word in ("-isystem", str(place))]
        run(
            [*command, *flags, *includes, source, "-o", unfinished],
            what=f"Compiling {name}",
            remedy=compiler.REMEDY,
            log=name,
        )
        unfinished.replace(module)
    return module
