"""The target for macOS, built on Linux with Zig: arm64 and x86-64 separately, then joined."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from . import cpython, cpython_macos, macho, universal, zig
from .console import Progress
from .paths import BUILD, REQUIREMENTS
from .target import Target

OLDEST_SYSTEM = (14, 0)
"""Required by numpy's smallest wheels. Wheels for older systems have libraries in a hidden folder, which the
engine does not export."""
_COMMON = ("-std=c++17", "-Wall", "-Wextra", "-Werror", "-fvisibility=hidden")
# Without -install_name, a library is named after the file it was first written to.
_LINK = ("-shared", "-Wl,-dead_strip", "-Wl,-s")
_PINS = REQUIREMENTS / "runtime_macos.txt"
_LIBRARY_NAME = "librag_memory.macos.universal.dylib"
_LINKED_IN = ("libsqlite3.so", "liblzma.so", "libexpat.so")
"""Libraries linked into CPython's extension modules, by Debian's names."""


@dataclass(frozen=True)
class _MacOS(Target):
    @property
    def library(self) -> Path:
        return super().library if self.parts else BUILD / "macos" / self.name / self.library_name

    @property
    def host_flags(self) -> tuple[str, ...]:
        return (*_COMMON, "-ffunction-sections")

    @property
    def host_link_flags(self) -> tuple[str, ...]:
        return (*_LINK, f"-Wl,-install_name,@rpath/{self.library_name}")

    @property
    def module_flags(self) -> tuple[str, ...]:
        # Python's symbols come from libpython, which the host opens globally.
        return (*_COMMON, *_LINK, "-Wl,-install_name,@rpath/module.so", "-Wl,-undefined,dynamic_lookup")

    @property
    def vector_flags(self) -> tuple[str, ...]:
        return () if self is _ARM64 else ("-DUSE_AVX", "-DUSE_AVX512")

    @property
    def pinned_otherwise(self) -> tuple[Path, ...]:
        return (_PINS,)

    def compiler(self, progress: Progress) -> list[str]:
        return zig.compiler(zig.MACOS_ARM64 if self is _ARM64 else zig.MACOS_X86_64, progress)

    def include_folders(self, progress: Progress) -> tuple[Path, ...]:
        return (cpython_macos.prepare(progress).headers,)

    def sources(self) -> tuple[Path, ...]:
        modules = (__file__, cpython_macos.__file__, zig.__file__, macho.__file__, universal.__file__)
        return (*map(Path, modules), cpython_macos.PINS, _PINS)

    def stage_python(self, runtime: Path, progress: Progress) -> None:
        python = cpython_macos.prepare(progress)
        (runtime / "lib").mkdir(parents=True)
        shutil.copyfile(python.libpython, runtime / self.libpython)
        cpython.copy_standard_library(runtime / "stdlib")
        shutil.copytree(python.modules, runtime / "stdlib" / "lib-dynload")

    def finish(self, runtime: Path, progress: Progress) -> None:
        """Write licences. Library paths can't be changed, because that would break the signatures, and don't
        have to be: libraries need only the system's and those beside them.
        """
        cpython.write_licenses(runtime / "licenses", _LINKED_IN)
        zig.write_licenses(self.compiler(progress)[-1], runtime / "licenses", progress)

    def finish_part(self, folder: Path, progress: Progress) -> None:
        """Do nothing: see finish()."""

    def python_version(self) -> str:
        return cpython_macos.VERSION

    def sqlite_version(self) -> str:
        return cpython_macos.SQLITE_VERSION


def _make(processor: str, parts: tuple[Target, ...] = ()) -> Target:
    return _MacOS(
        name=f"macos_{processor}",
        tags="macos",
        library_name=_LIBRARY_NAME,
        libpython="lib/librag_memory_python.dylib",
        module_suffix=".cpython-311-darwin.so",
        # In the order of pip's preference; the smallest number is that of Apple's first arm64 system.
        wheel_platforms=tuple(f"macosx_{system}_{processor}" for system in ("14_0", "13_0", "11_0", "10_12")),
        parts=parts,
    )


_ARM64 = _make("arm64")
_X86_64 = _make("x86_64")
MACOS_UNIVERSAL = _make("universal", (_ARM64, _X86_64))
