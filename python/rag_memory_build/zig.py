"""Zig, the compiler for other systems, which includes their headers and run-time libraries."""

from __future__ import annotations

import os
import shutil
import zipfile
from pathlib import Path

from . import disk, wheels
from .console import Progress, SetupError, run
from .lock import exclusive
from .paths import CACHE, REQUIREMENTS

_PINS = REQUIREMENTS / "zig.txt"
_NEEDED_MEGABYTES = 600

WINDOWS = "x86_64-windows-gnu"
"""Zig's name of the target."""
MACOS_ARM64 = "aarch64-macos.14.0"
MACOS_X86_64 = "x86_64-macos.14.0"


def compiler(target: str, progress: Progress) -> list[str]:
    """The command of the C++ compiler for a target of Zig, such as `x86_64-windows-gnu`."""
    return [str(program(progress)), "c++", "-target", target]


def program(progress: Progress) -> Path:
    """Unpack Zig from its wheel into the cache if it is missing; return the program."""
    os.environ.setdefault("ZIG_GLOBAL_CACHE_DIR", str(CACHE / "zig" / "cache"))
    version = wheels.read_requirements(_PINS)[0].version
    folder = CACHE / "zig" / version
    path = folder / "ziglang" / "zig"
    with exclusive(CACHE / "zig.lock", "the compiler for other systems"):
        if not path.is_file():
            progress.update("fetching Zig, the compiler for other systems (101 MB, once)")
            wheel = wheels.fetch(_PINS, progress)["ziglang"]
            disk.require_free(CACHE, _NEEDED_MEGABYTES, "the compiler for other systems")
            progress.update("unpacking Zig")
            with disk.replacing(folder) as fresh, zipfile.ZipFile(wheel) as archive:
                archive.extractall(fresh)
                (fresh / "ziglang" / "zig").chmod(0o755)
    return path


def write_licenses(target: str, folder: Path, progress: Progress) -> None:
    """Write the licences of the code that Zig links into libraries for a target."""
    library = program(progress).parent / "lib"
    texts = {
        "zig-compiler_rt.txt": library.parent / "LICENSE",
        "llvm-libcxx.txt": library / "libcxx" / "LICENSE.TXT",
        "llvm-libcxxabi.txt": library / "libcxxabi" / "LICENSE.TXT",
        "llvm-libunwind.txt": library / "libunwind" / "LICENSE.TXT",
    }
    if target == WINDOWS:
        texts["mingw-w64.txt"] = library / "libc" / "mingw" / "COPYING"
    for name, text in texts.items():
        shutil.copyfile(text, folder / name)


def import_library(name: str, exports: str, library: Path, progress: Progress) -> None:
    """Write an import library for the DLL `name` with these lines of exports."""
    definition = library.with_suffix(".def")
    definition.write_text(f"LIBRARY {name}\nEXPORTS\n{exports}", encoding="ascii")
    run(
        [program(progress), "dlltool", "-m", "i386:x86-64", "-D", name, "-d", definition, "-l", library],
        what=f"Making the import library of {name}",
        remedy="remove the folder zig of the cache, then run this again",
        log="dlltool",
    )
    if not library.is_file():
        raise SetupError(
            f"The import library of {name} was not made", f"there is no {library}", "run this again"
        )
