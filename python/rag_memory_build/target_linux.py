"""The targets for Linux: compiler flags, and the library paths of the runtime's ELF files."""

from __future__ import annotations

import platform
import re
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import compiler, cpython, elf_symbols, patchelf, wheels, zig
from .console import Progress, SetupError
from .paths import ROOT
from .target import Target

_LIBPYTHON_NAME = "librag_memory_python.so"
_LIBRARY_PREFIX = "rag_memory_"
_COMMON = ("-std=c++17", "-Wall", "-Wextra", "-Werror", "-fvisibility=hidden", "-fPIC")
_EXPORTED = ROOT / "native" / "exported.map"
_LINK = ("-shared", f"-Wl,--gc-sections,--version-script={_EXPORTED}")
_STATIC = ("-static-libstdc++", "-static-libgcc")
"""Not for Zig, which links its C++ library statically by default."""
SANITIZERS = {
    "address": ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer"),
    "thread": ("-fsanitize=thread", "-fno-omit-frame-pointer"),
}

OLDEST_GLIBC = (2, 36)
"""The oldest glibc on which runtime and host work. Only Debian's libexpat, which libpython is linked to,
needs it; everything else works with 2.35."""

# The C library and the compiler's run-time libraries come from the player's system, because other libraries
# of the process share them. All other libraries are shipped.
SYSTEM_LIBRARIES = re.compile(
    r"(ld-linux-x86-64|ld-linux-aarch64|libc|libm|libdl|librt|libpthread|libutil|libresolv|libgcc_s|libstdc\+\+)\.so"
)


def is_this_machine() -> bool:
    return sys.platform == "linux" and platform.machine() == "x86_64"


@dataclass(frozen=True)
class _Linux(Target):
    """Linux with CPython from Debian's packages."""

    python: cpython.LinuxPython = cpython.HERE
    zig_target: str = ""
    """Zig's name of the target with its C library; "" for the system's compiler."""
    vector_functions: tuple[str, ...] = ()

    @property
    def host_flags(self) -> tuple[str, ...]:
        return (*_COMMON, "-ffunction-sections", "-pthread")

    @property
    def host_link_flags(self) -> tuple[str, ...]:
        return (*_LINK, "-pthread", "-Wl,-Bsymbolic", *self._static, "-ldl")

    @property
    def module_flags(self) -> tuple[str, ...]:
        return (*_COMMON, *_LINK, *self._static, "-Wl,-s")

    @property
    def _static(self) -> tuple[str, ...]:
        return () if self.zig_target else _STATIC

    @property
    def vector_flags(self) -> tuple[str, ...]:
        return self.vector_functions

    def compiler(self, progress: Progress) -> list[str]:
        return zig.compiler(self.zig_target, progress) if self.zig_target else compiler.find()

    def include_folders(self, progress: Progress) -> tuple[Path, ...]:
        cpython.prepare(self.python)
        return self.python.include_folders

    def sources(self) -> tuple[Path, ...]:
        modules = (__file__, cpython.__file__, elf_symbols.__file__, zig.__file__)
        return (*map(Path, modules), _EXPORTED)

    def stage_python(self, runtime: Path, progress: Progress) -> None:
        cpython.prepare(self.python)
        cpython.copy_standard_library(runtime / "stdlib", self.python)
        modules = runtime / "stdlib" / "lib-dynload"
        modules.mkdir()
        for file in sorted((self.python.standard_library / "lib-dynload").glob("*.so")):
            if not cpython.DROPPED_EXTENSIONS.match(file.name):
                shutil.copy(file, modules)
        (runtime / "lib").mkdir()
        shutil.copyfile(self.python.libpython, runtime / self.libpython)

    def relink(self, files: Sequence[Path], names: Mapping[str, str], progress: Progress) -> None:
        words = [word for pair in names.items() for word in ("--replace-needed", *pair)]
        patchelf.modify([(file, words) for file in files], patchelf.patchelf(progress))

    def finish(self, runtime: Path, progress: Progress) -> None:
        for file in sorted((runtime / "site-packages").rglob("*.so*")):
            if patchelf.is_elf(file):
                elf_symbols.remove(file)
        libraries = ship_libraries(runtime, self.python, progress)
        cpython.write_licenses(runtime / "licenses", libraries, self.python)
        if self.zig_target:
            zig.write_licenses(self.zig_target, runtime / "licenses", progress)

    def finish_part(self, folder: Path, progress: Progress) -> None:
        program = patchelf.patchelf(progress)
        shipped = {
            file.name.removeprefix(_LIBRARY_PREFIX): file.name
            for file in (self.runtime / "lib").glob(f"{_LIBRARY_PREFIX}*")
        }
        files = [file for file in sorted(folder.rglob("*.so*")) if patchelf.is_elf(file)]
        needed_by = {file: _needed(file, program) for file in files}
        jobs: list[tuple[Path, list[str]]] = []
        for file, needed in needed_by.items():
            up = "/".join([".."] * len(file.parent.relative_to(folder).parts))
            lib = f"$ORIGIN/{up}/../../runtime/{self.name}/lib"
            options = [*_shipped_instead(needed, shipped), *_libpython(file)]
            own = [path for path in _rpath(file, program).split(":") if path.startswith("$ORIGIN")]
            if options:
                jobs.append((file, [*options, "--force-rpath", "--set-rpath", ":".join([*own, lib])]))
        patchelf.modify(jobs, program)
        _check_complete(needed_by, shipped, {file.name for file in files})

    def python_version(self) -> str:
        return cpython.ask("import platform; print(platform.python_version())")

    def sqlite_version(self) -> str:
        return cpython.ask("import sqlite3; print(sqlite3.sqlite_version)")


LINUX_X86_64 = _Linux(
    name="linux_x86_64",
    tags="linux.x86_64",
    library_name="librag_memory.linux.x86_64.so",
    libpython=f"lib/{_LIBPYTHON_NAME}",
    module_suffix=".cpython-311-x86_64-linux-gnu.so",
    wheel_platforms=wheels.LINUX_X86_64,
    vector_functions=("-DUSE_AVX", "-DUSE_AVX512"),
)
LINUX_ARM64 = _Linux(
    name="linux_arm64",
    tags="linux.arm64",
    library_name="librag_memory.linux.arm64.so",
    libpython=f"lib/{_LIBPYTHON_NAME}",
    module_suffix=".cpython-311-aarch64-linux-gnu.so",
    wheel_platforms=wheels.LINUX_ARM64,
    python=cpython.ARM64,
    zig_target="aarch64-linux-gnu.2.28",
)


def ship_libraries(fresh: Path, python: cpython.LinuxPython, progress: Progress) -> list[str]:
    """Copy all libraries that the runtime needs, under names that no other copy in the process has.

    Returns their original names. Extension modules are also linked to libpython: they need its symbols, and
    the host opens it without making them global.
    """
    program = patchelf.patchelf(progress)
    folder = fresh / "lib"
    modules = [
        file for file in sorted(fresh.rglob("*.so*")) if patchelf.is_elf(file) and file.parent != folder
    ]
    shipped: dict[str, str] = {}
    needed_by: dict[Path, list[str]] = {}
    waiting = [*modules, folder / _LIBPYTHON_NAME]
    while waiting:
        file = waiting.pop()
        needed_by[file] = _needed(file, program)
        for name in needed_by[file]:
            if name not in shipped and (python.libraries / name).is_file():
                shipped[name] = _LIBRARY_PREFIX + name
                shutil.copyfile(python.libraries / name, folder / shipped[name])
                waiting.append(folder / shipped[name])
    jobs: list[tuple[Path, list[str]]] = []
    for file, needed in needed_by.items():
        options = _shipped_instead(needed, shipped)
        if file.parent == folder:
            options += ["--set-soname", file.name, "--force-rpath", "--set-rpath", "$ORIGIN"]
        elif options := [*options, *_libpython(file)]:
            up = "/".join([".."] * len(file.parent.relative_to(fresh).parts))
            # Libraries of the wheel are searched first.
            own = [path for path in _rpath(file, program).split(":") if path.startswith("$ORIGIN")]
            own = [path for path in own if f"/../../{python.triplet}" not in path]
            options += ["--force-rpath", "--set-rpath", ":".join([*own, f"$ORIGIN/{up}/lib"])]
        if options:
            jobs.append((file, options))
    patchelf.modify(jobs, program)
    _check_complete(needed_by, shipped, {file.name for file in modules})
    return sorted(shipped)


def _shipped_instead(needed: Iterable[str], shipped: Mapping[str, str]) -> list[str]:
    """patchelf options that link a file to the shipped libraries."""
    return [word for name in needed if name in shipped for word in ("--replace-needed", name, shipped[name])]


def _libpython(file: Path) -> list[str]:
    """patchelf options that link an extension module to libpython."""
    return ["--add-needed", _LIBPYTHON_NAME] if b"PyInit_" in file.read_bytes() else []


def _check_complete(needed_by: dict[Path, list[str]], shipped: Iterable[str], own: set[str]) -> None:
    available = {*shipped, *own}
    for file, needed in needed_by.items():
        for name in needed:
            if name not in available and not SYSTEM_LIBRARIES.match(name):
                raise SetupError(
                    f"The runtime would not run everywhere: {file.name} needs {name}",
                    "that library is neither shipped nor part of every system",
                    "add its package to cpython.py or drop the module in runtime.py",
                )


def _needed(file: Path, program: Path) -> list[str]:
    return patchelf.ask(program, "--print-needed", file).splitlines()


def _rpath(file: Path, program: Path) -> str:
    return patchelf.ask(program, "--print-rpath", file)
