"""hnswlib's extension module, compiled from its pinned source so that it runs on every x86-64 processor."""

from __future__ import annotations

import re
import tarfile
import tempfile
import zipfile
from pathlib import Path

from . import compiler, cpython, stamp, wheels
from .console import Progress, run
from .paths import CACHE, REQUIREMENTS

VERSION = "0.8.0"
MODULE_NAME = "hnswlib.cpython-311-x86_64-linux-gnu.so"
_FLAGS = (
    *(
        "-std=c++17",
        "-O3",
        "-fPIC",
        "-shared",
        "-fvisibility=hidden",
        "-ffunction-sections",
        "-fdata-sections",
        "-pthread",
    ),
    *("-DNDEBUG", "-w"),
    # No -march=native: the module is shipped. The functions for newer processors are compiled all the same,
    # each for its own (for_several_processors), and hnswlib asks the processor which one it may call.
    *("-DUSE_AVX", "-DUSE_AVX512"),
    # The C++ library is linked in, since a player's may be older; its unused parts go, since some ask for a
    # newer C library than the rest of the runtime does.
    *("-static-libstdc++", "-static-libgcc", "-Wl,--exclude-libs,ALL,--gc-sections,-s"),
    f'-DVERSION_INFO="{VERSION}"',
)
_FOR_A_PROCESSOR = re.compile(r"^static float\n(?=\w*AVX(512)?\()", re.MULTILINE)
"""The beginning of a function that only some processors can run: hnswlib's names tell which."""


def build(progress: Progress) -> Path:
    """The compiled module; kept in the cache, since compiling it takes most of a minute."""
    sources = wheels.fetch(REQUIREMENTS / "runtime.txt", progress, ["hnswlib"])
    headers = wheels.fetch(REQUIREMENTS / "build.txt", progress)
    command = compiler.find()
    pins = (str(sources["hnswlib"].name), str(headers["pybind11"].name))
    folder = (
        CACHE / "built" / stamp.key_of("hnswlib", *pins, *_FLAGS, _FOR_A_PROCESSOR.pattern, *command)[:12]
    )
    module = folder / MODULE_NAME
    if not module.is_file():
        progress.update("compiling hnswlib (most of a minute, once)")
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as work:
            _compile(sources["hnswlib"], headers["pybind11"], command, Path(work))
            Path(work, MODULE_NAME).replace(module)
    return module


def license_text() -> str:
    """hnswlib's licence, from its source archive."""
    source = wheels.fetch(REQUIREMENTS / "runtime.txt", Progress("hnswlib"), ["hnswlib"])["hnswlib"]
    with tarfile.open(source) as archive:
        member = archive.extractfile(f"hnswlib-{VERSION}/LICENSE")
        assert member is not None, "the pinned archive has a LICENSE"
        return member.read().decode()


def pybind11_license_text() -> str:
    """The licence of pybind11, which is compiled into the module, from its wheel."""
    wheel_file = wheels.fetch(REQUIREMENTS / "build.txt", Progress("pybind11"))["pybind11"]
    with zipfile.ZipFile(wheel_file) as wheel:
        name = next(name for name in wheel.namelist() if name.endswith(".dist-info/licenses/LICENSE"))
        return wheel.read(name).decode()


def for_several_processors(source: str) -> str:
    """The source with every function that needs AVX or AVX-512 marked as one for such processors."""
    return _FOR_A_PROCESSOR.sub(
        lambda found: f'__attribute__((target("{"avx512f" if found[1] else "avx"}")))\n{found[0]}', source
    )


def _compile(source: Path, headers: Path, command: list[str], work: Path) -> None:
    with tarfile.open(source) as archive:
        for member in archive.getmembers():
            if member.isfile() and member.name.endswith((".h", ".cpp")):
                content = archive.extractfile(member)
                assert content is not None, "a regular file has content"
                with content:
                    text = content.read().decode()
                (work / Path(member.name).name).write_text(for_several_processors(text))
    with zipfile.ZipFile(headers) as wheel:
        wheel.extractall(work, [name for name in wheel.namelist() if name.startswith("pybind11/include/")])
    includes = [f"-I{work}", f"-I{work / 'pybind11' / 'include'}"]
    includes += [f"-I{folder}" for folder in cpython.INCLUDE_FOLDERS]
    run(
        [*command, *_FLAGS, *includes, work / "bindings.cpp", "-o", work / MODULE_NAME],
        what="Compiling hnswlib",
        remedy=compiler.REMEDY,
        log="hnswlib",
    )
