"""hnswlib's extension module, compiled from its pinned source for every processor of a target."""

from __future__ import annotations

import re
import tarfile
import tempfile
import zipfile
from pathlib import Path

from . import compiler, stamp, targets, wheels
from .console import Progress, run
from .paths import CACHE, REQUIREMENTS
from .target import Target

VERSION = "0.8.0"
_FLAGS = ("-O3", "-DNDEBUG", "-w", f'-DVERSION_INFO="{VERSION}"')
# No -march=native: the module is shipped. The functions for newer processors are compiled all the same, each
# for its own (for_several_processors), and hnswlib asks the processor which one it may call.
_FOR_A_PROCESSOR = re.compile(r"^static float\n(?=\w*AVX(512)?\()", re.MULTILINE)
"""The beginning of a function that only some processors can run: hnswlib's names tell which."""

_OPENED = re.compile(r"(std::[io]fstream (?:in|out)put\()location(?=, std::ios::binary\))")


def build(progress: Progress, target: Target = targets.HERE) -> Path:
    """The compiled module; kept in the cache, since compiling it takes most of a minute."""
    sources = wheels.fetch(REQUIREMENTS / "runtime.txt", progress, ["hnswlib"])
    headers = wheels.fetch(REQUIREMENTS / "build.txt", progress)
    flags = (*target.module_flags, *target.vector_flags, *_FLAGS)
    command = target.compiler(progress)
    pins = (str(sources["hnswlib"].name), str(headers["pybind11"].name))
    key = stamp.key_of("hnswlib", target.name, *pins, *flags, Path(__file__), *command)
    folder = CACHE / "built" / key[:12]
    module = folder / f"hnswlib{target.module_suffix}"
    if not module.is_file():
        progress.update("compiling hnswlib (most of a minute, once)")
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as work:
            _unpack(sources["hnswlib"], headers["pybind11"], Path(work))
            includes = [Path(work), Path(work, "pybind11", "include"), *target.include_folders(progress)]
            built = Path(work, module.name)
            words = [
                *command,
                *flags,
                *(f"-I{folder}" for folder in includes),
                str(Path(work, "bindings.cpp")),
            ]
            words += [*map(str, target.module_libraries(progress)), "-o", str(built)]
            run(words, what="Compiling hnswlib", remedy=compiler.REMEDY, log=f"hnswlib-{target.name}")
            built.replace(module)
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
        lambda match: f'__attribute__((target("{"avx512f" if match[1] else "avx"}")))\n{match[0]}', source
    )


def with_any_letters(source: str) -> str:
    """The source with files opened by their name in UTF-8, which Windows would take for another encoding."""
    opened = _OPENED.sub(r"\1std::filesystem::u8path(location)", source)
    return opened if opened == source else f"#include <filesystem>\n{opened}"


def _unpack(source: Path, headers: Path, work: Path) -> None:
    with tarfile.open(source) as archive:
        for member in archive.getmembers():
            if member.isfile() and member.name.endswith((".h", ".cpp")):
                content = archive.extractfile(member)
                assert content is not None, "a regular file has content"
                with content:
                    text = content.read().decode()
                (work / Path(member.name).name).write_text(for_several_processors(with_any_letters(text)))
    with zipfile.ZipFile(headers) as wheel:
        wheel.extractall(work, [name for name in wheel.namelist() if name.startswith("pybind11/include/")])
