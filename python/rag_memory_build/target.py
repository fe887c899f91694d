"""What a system the addon runs on asks of the build: one Target each, listed in targets.py."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

from .console import Progress, SetupError
from .paths import ADDON, BINARIES


@dataclass(frozen=True)
class Target(ABC):
    """A system and processor. Every step of the build asks it for what differs."""

    name: str
    """Of its runtime's folder, and after --platform: `windows_x86_64`."""
    tags: str
    """What rag_memory.gdextension calls it: `windows.x86_64`."""
    library_name: str
    """The native host's file."""
    libpython: str
    """Where the runtime has libpython, as native/src/platform/ expects it."""
    module_suffix: str
    """How the file of an extension module of Python ends there."""
    wheel_platforms: tuple[str, ...]
    """The platform tags of wheels that run there, the best first."""
    parts: tuple[Target, ...] = ()
    """One for each processor, when files serve several: each is built for itself, then they are fused."""

    @property
    def runtime(self) -> Path:
        return ADDON / "runtime" / self.name

    @property
    def library(self) -> Path:
        return BINARIES / self.library_name

    @property
    def pinned_otherwise(self) -> tuple[Path, ...]:
        """Files with pins that stand above those of runtime.txt there."""
        return ()

    @property
    @abstractmethod
    def host_flags(self) -> tuple[str, ...]:
        """For compiling the native host."""

    @property
    @abstractmethod
    def host_link_flags(self) -> tuple[str, ...]: ...

    @property
    @abstractmethod
    def module_flags(self) -> tuple[str, ...]:
        """For compiling and linking an extension module of Python, but what optimises it."""

    @abstractmethod
    def compiler(self, progress: Progress) -> list[str]:
        """The C++ compiler's command, as words."""

    @abstractmethod
    def include_folders(self, progress: Progress) -> tuple[Path, ...]:
        """Those of CPython's headers."""

    def module_libraries(self, progress: Progress) -> tuple[Path, ...]:
        """What an extension module is linked to."""
        return ()

    @abstractmethod
    def sources(self) -> tuple[Path, ...]:
        """The files of the build that the staged runtime depends on."""

    @abstractmethod
    def stage_python(self, runtime: Path, progress: Progress) -> None:
        """Put libpython and what it needs into `lib/`, the standard library into `stdlib/`, its extension
        modules into `stdlib/lib-dynload/`."""

    @abstractmethod
    def finish(self, runtime: Path, progress: Progress) -> None:
        """Let everything in a runtime that has its packages find each other, anywhere; write the licences of
        libraries into `licenses/`."""

    def finish_server_part(self, folder: Path, progress: Progress) -> None:
        """Let everything in a server part find the runtime, which lies in `../../runtime/<name>/` of it.
        Raises SetupError where there is none."""
        raise SetupError(
            f"There is no server part for {self.name}",
            "psycopg brings no client of PostgreSQL for it that could be used",
            "export the dedicated server for Linux or Windows",
        )

    @abstractmethod
    def python_version(self) -> str: ...

    @abstractmethod
    def sqlite_version(self) -> str: ...
