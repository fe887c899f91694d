"""The interface of a target: how the addon is built for a system and processor. targets.py lists them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .console import Progress, SetupError
from .paths import ADDON, BINARIES


@dataclass(frozen=True)
class Target(ABC):
    """A system and processor that the addon is built for."""

    name: str
    """The name of its runtime's folder and for --platform, such as `windows_x86_64`."""
    tags: str
    """Its name in rag_memory.gdextension, such as `windows.x86_64`."""
    library_name: str
    """The file name of the native host."""
    libpython: str
    """The path of libpython in the runtime, as native/src/platform/ expects it."""
    module_suffix: str
    """The suffix of Python extension modules."""
    wheel_platforms: tuple[str, ...]
    """Platform tags of usable wheels, best first."""
    parts: tuple[Target, ...] = ()
    """Targets for single processors, if this one has several: they are built separately and then joined."""

    @property
    def runtime(self) -> Path:
        return ADDON / "runtime" / self.name

    @property
    def library(self) -> Path:
        return BINARIES / self.library_name

    @property
    def pinned_otherwise(self) -> tuple[Path, ...]:
        """Files with pins that replace those of runtime.txt."""
        return ()

    @property
    @abstractmethod
    def host_flags(self) -> tuple[str, ...]:
        """Compiler flags for the native host."""

    @property
    @abstractmethod
    def host_link_flags(self) -> tuple[str, ...]: ...

    @property
    @abstractmethod
    def module_flags(self) -> tuple[str, ...]:
        """Flags for compiling and linking a Python extension module, without optimisation."""

    @property
    def vector_flags(self) -> tuple[str, ...]:
        """Which functions for newer processors hnswlib shall have."""
        return ()

    @abstractmethod
    def compiler(self, progress: Progress) -> list[str]:
        """The command of the C++ compiler, as words."""

    @abstractmethod
    def include_folders(self, progress: Progress) -> tuple[Path, ...]:
        """Folders with CPython's headers."""

    def module_libraries(self, progress: Progress) -> tuple[Path, ...]:
        """Libraries to link an extension module to."""
        return ()

    @abstractmethod
    def sources(self) -> tuple[Path, ...]:
        """Files of the build that the runtime depends on."""

    @abstractmethod
    def stage_python(self, runtime: Path, progress: Progress) -> None:
        """Copy Python into a runtime.

        libpython and its libraries go to `lib/`, the standard library to `stdlib/`, extension modules to
        `stdlib/lib-dynload/`.
        """

    def relink(self, files: Sequence[Path], names: Mapping[str, str], progress: Progress) -> None:
        """Link libraries to others, by the new names of their files."""
        raise SetupError(
            f"Libraries for {self.name} are not linked anew",
            "their signatures would break",
            "leave them as they are",
        )

    @abstractmethod
    def finish(self, runtime: Path, progress: Progress) -> None:
        """Set library paths so that the runtime works in any folder; write licences into `licenses/`."""

    @abstractmethod
    def finish_part(self, folder: Path, progress: Progress) -> None:
        """Set library paths of a part of the addon to the runtime in `../../runtime/<name>/`."""

    @abstractmethod
    def python_version(self) -> str: ...

    @abstractmethod
    def sqlite_version(self) -> str: ...
