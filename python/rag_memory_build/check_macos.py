"""Checks the macOS build without a Mac, by reading its libraries.

`python3 build.py python -m rag_memory_build.check_macos` reads the result of `setup --platform
macos_universal`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from . import macho
from .macho import Image
from .target_linux import LINUX_X86_64
from .target_macos import MACOS_UNIVERSAL, OLDEST_SYSTEM

_SYSTEM_LIBRARIES = re.compile(
    r"/usr/lib/(libSystem\.B|libc\+\+\.1|libiconv\.2|libobjc\.A|libz\.1|libbz2\.1\.0|libffi)\.dylib$"
    r"|/System/Library/Frameworks/(Accelerate|CoreFoundation|CoreML|Foundation|SystemConfiguration)\.framework/"
)
"""Libraries that every macOS has, from OLDEST_SYSTEM on."""
_BUILD_PATH = re.compile(rb"/(?:work|root|home|tmp)/[\w./-]*(?:rag_memory|\.build|\.cache)[\w./-]*")
_OWN_CODE = re.compile(r"(librag_memory\.macos|hnswlib|variant_encoding|vector_scan)\b")
_OF_THE_LINKER = {"__mh_dylib_header", "___dso_handle"}
_ALLOCATION = re.compile(r"__Zn[wa]m|__Zd[la]Pv")
"""C++'s new and delete: dyld uses one definition for the whole process, whichever library has it."""
_OF_EVERY_GAME = {"_objc_msgSend", "_CFBundleGetVersionNumber"}
"""Symbols of libraries that are always loaded, by libpython or by a process with a window."""
_OF_PYTHON = re.compile(r"__?Py")
_ENTRY = "_rag_memory_init"


def faults(runtime: Path, library: Path) -> list[str]:
    """Describe every problem of a staged runtime and the host's library."""
    libpython = runtime / MACOS_UNIVERSAL.libpython
    images = {file: macho.images(file.read_bytes()) for file in [*_files(runtime), library]}
    code = {file: parts for file, parts in images.items() if parts}
    if libpython not in code or library not in code:
        return [f"there is no code in {libpython} or {library}"]
    python = {part.processor: part.exports for part in code[libpython]}
    problems = [f"{file} is hidden: an export leaves it out" for file in _hidden(runtime)]
    for file, parts in code.items():
        if sorted(part.processor for part in parts) != sorted(macho.PROCESSORS.values()):
            problems.append(f"{file} is for {[part.processor for part in parts]}")
        for image in parts:
            image_faults = _faults_of_image(file, image, {*code}, python[image.processor])
            problems += [f"{file} ({image.processor}) {fault}" for fault in image_faults]
        if _OWN_CODE.match(file.name) and (path := _BUILD_PATH.search(file.read_bytes())):
            problems.append(f"{file} names a path of the build: {path[0].decode()}")
    names = [file.name for file in _files(runtime) if file not in code and file.suffix in (".so", ".dylib")]
    problems += [f"{name} is no library of macOS" for name in names]
    for image in code[library]:
        own = {name for name in image.exports - _OF_THE_LINKER if not _ALLOCATION.match(name)}
        if own != {_ENTRY}:
            problems.append(f"{library} ({image.processor}) exports {sorted(own)}")
    return [*problems, *_missing_modules(runtime, code[libpython])]


def _files(folder: Path) -> list[Path]:
    return [file for file in sorted(folder.rglob("*")) if file.is_file()]


def _hidden(runtime: Path) -> Iterator[Path]:
    for file in _files(runtime):
        if any(part.startswith(".") for part in file.relative_to(runtime).parts) and file.name != ".gdignore":
            yield file


def _faults_of_image(file: Path, image: Image, shipped: set[Path], python: set[str]) -> Iterator[str]:
    if image.processor == "arm64" and not image.is_signed:
        yield "is not signed: the system would not load it"
    if not (0, 0) < image.oldest_system <= OLDEST_SYSTEM:
        yield f"is made for macOS {image.oldest_system}"
    for rpath in image.rpaths:
        if not rpath.startswith("@loader_path"):
            yield f"looks for libraries in {rpath}"
    for name in image.libraries:
        if not _SYSTEM_LIBRARIES.match(name) and not shipped.intersection(_places(name, file, image)):
            yield f"needs {name}, which is neither shipped nor the system's"
    for name, ordinal in image.imports.items():
        if ordinal == macho.FLAT and name not in python | _OF_EVERY_GAME:
            yield f"needs {name}, and libpython has no such symbol"
        elif ordinal > len(image.libraries) or (ordinal != macho.FLAT and _OF_PYTHON.match(name)):
            yield f"takes {name} from library number {ordinal}"


def _places(name: str, file: Path, image: Image) -> Iterator[Path]:
    for begin in image.rpaths if name.startswith("@rpath") else [""]:
        path = name.replace("@rpath", begin, 1)
        yield Path(path.replace("@loader_path", str(file.parent), 1)).resolve()


def _missing_modules(runtime: Path, libpython: list[Image]) -> list[str]:
    """List the standard library's extension modules that the Linux runtime has and this one lacks."""
    folder = Path("stdlib", "lib-dynload")
    here = {file.name.split(".")[0] for file in (runtime / folder).glob("*.so")}
    wanted = {file.name.split(".")[0] for file in (LINUX_X86_64.runtime / folder).glob("*.so")}
    return [
        f"the standard library has no {name} for {image.processor}"
        for image in libpython
        for name in sorted(wanted - here)
        if f"_PyInit_{name}" not in image.exports
    ]


def main() -> int:
    """Check the built files; return the exit code."""
    if not MACOS_UNIVERSAL.library.is_file():
        print(f"There is no {MACOS_UNIVERSAL.library}: run build.py setup --platform macos_universal")
        return 1
    problems = faults(MACOS_UNIVERSAL.runtime, MACOS_UNIVERSAL.library)
    print(
        "\n".join(problems)
        or "Every library of the macOS build is correct, as far as can be read. Untested on a Mac."
    )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
