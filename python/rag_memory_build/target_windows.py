"""The target for Windows on x86-64, built on Linux with Zig."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import cpython, cpython_windows, windows_libraries, zig
from .console import Progress
from .target import Target

_COMMON = ("-std=c++17", "-Wall", "-Wextra", "-Werror", "-fvisibility=hidden", "-DMS_WIN64")
_LINK = ("-shared", "-Wl,--gc-sections", "-s")

_LIBPYTHON = Path(cpython_windows.PRIVATE_NAMES[cpython_windows.DLL])


@dataclass(frozen=True)
class _Windows(Target):
    @property
    def host_flags(self) -> tuple[str, ...]:
        return (*_COMMON, "-ffunction-sections")

    @property
    def host_link_flags(self) -> tuple[str, ...]:
        return _LINK

    @property
    def module_flags(self) -> tuple[str, ...]:
        return (*_COMMON, *_LINK)

    @property
    def vector_flags(self) -> tuple[str, ...]:
        return ("-DUSE_AVX", "-DUSE_AVX512")

    def compiler(self, progress: Progress) -> list[str]:
        return zig.compiler(zig.WINDOWS, progress)

    def include_folders(self, progress: Progress) -> tuple[Path, ...]:
        return (cpython_windows.prepare(progress).headers,)

    def module_libraries(self, progress: Progress) -> tuple[Path, ...]:
        return (cpython_windows.prepare(progress).import_library,)

    def sources(self) -> tuple[Path, ...]:
        modules = (cpython_windows, windows_libraries, zig)
        return (Path(__file__), *(Path(str(module.__file__)) for module in modules), *cpython_windows.PINS)

    def stage_python(self, runtime: Path, progress: Progress) -> None:
        python = cpython_windows.prepare(progress)
        shutil.copytree(python.libraries, runtime / "lib")
        cpython.copy_standard_library(runtime / "stdlib")
        shutil.copytree(python.modules, runtime / "stdlib" / "lib-dynload")

    def relink(self, files: Sequence[Path], names: Mapping[str, str], progress: Progress) -> None:
        for file in files:
            windows_libraries.rename_needed(file, {old.lower(): new for old, new in names.items()})

    def finish(self, runtime: Path, progress: Progress) -> None:
        """Rename DLLs: Windows treats DLLs of the same name as the same, wherever they are."""
        names = cpython_windows.PRIVATE_NAMES
        # Before a module, Python loads this DLL from its folder or from the game's.
        windows_libraries.replace_text(runtime / "lib" / cpython_windows.DLL, "python3", _LIBPYTHON.stem)
        # Microsoft's DLLs are not changed. A driver's old msvcp140.dll breaks onnxruntime, which gets a copy.
        untouched: tuple[str, ...] = cpython_windows.MICROSOFT_LIBRARIES
        for file in sorted((runtime / "lib").iterdir()):
            place = file.with_name(names.get(file.name, file.name))
            if file.name not in untouched:
                file.rename(place)
            elif place != file:
                shutil.copyfile(file, place)
        untouched = (*untouched, *(names[name] for name in untouched if name in names))
        # Windows searches beside the game before numpy.libs, but first beside the loading module, here the
        # one that numpy loads first.
        packages = runtime / "site-packages"
        for file in sorted((packages / "numpy.libs").iterdir()):
            file.rename(packages / "numpy" / "_core" / file.name)
        (packages / "numpy.libs").rmdir()
        for file in sorted(runtime.rglob("*")):
            if file.suffix in (".dll", ".pyd") and file.name not in untouched:
                windows_libraries.rename_needed(file, names)
        shutil.copytree(cpython_windows.prepare(progress).licenses, runtime / "licenses", dirs_exist_ok=True)
        zig.write_licenses(zig.WINDOWS, runtime / "licenses", progress)

    def finish_part(self, folder: Path, progress: Progress) -> None:
        for file in sorted(folder.rglob("*")):
            if file.suffix in (".dll", ".pyd"):
                windows_libraries.rename_needed(file, cpython_windows.PRIVATE_NAMES)

    def python_version(self) -> str:
        return cpython_windows.VERSION

    def sqlite_version(self) -> str:
        return cpython_windows.SQLITE_VERSION


WINDOWS_X86_64 = _Windows(
    name="windows_x86_64",
    tags="windows.x86_64",
    library_name="librag_memory.windows.x86_64.dll",
    libpython=f"lib/{_LIBPYTHON}",
    module_suffix=".cp311-win_amd64.pyd",
    wheel_platforms=("win_amd64",),
)
