"""The systems that can run the addon: this one, and emulators of others, with their engines."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path

from . import debian, engine, qemu, targets, windows_tests, wine
from .console import Progress, SetupError, say, step
from .paths import ROOT
from .target import Target
from .target_linux import LINUX_ARM64
from .target_windows import WINDOWS_X86_64

VARIABLE = "RAG_MEMORY_TEST_PLATFORM"
"""Environment variable with the platform that tests run on; by default this system."""


_PATIENT = {"rag_memory/request_timeout_seconds": "300.0"}
"""A longer time limit, because an emulator on a busy machine may take long to start."""


_WITHOUT_MODULES = {
    "have bodies meet areas: the Windows engine was built without physics": (
        "tests/engine/mind/test_proximity.gd",
    ),
    "look at the lines on the screen: the Windows engine was built without a text server": (
        "tests/engine/console/test_debug_console.gd::test_the_best_hit_is_on_the_screen_after_a_long_answer",
    ),
    "use HTTPS: the Windows engine was built without TLS": (
        "tests/engine/language/test_hostile_servers.gd::test_no_tls",
        "tests/engine/language/test_language_models.gd::test_listed_hosts_are_reached",
    ),
}


class Machine(ABC):
    """A system with an engine."""

    has_only_release_template = False
    """True if the only engine is a release template (one that accepts --path and -s)."""

    in_every_run = False
    """True if a complete run of the tests repeats the most important ones there."""
    settings: Mapping[str, str] = {}
    """Lines of project.godot, by section/key, for the projects of tests."""

    excluded: Mapping[str, tuple[str, ...]] = {}
    """GDScript tests that can't run there, by the reason: files, or tests as pytest names them."""

    def __init__(self, target: Target) -> None:
        self.target = target

    @abstractmethod
    def why_unavailable(self) -> str:
        """The reason why this machine can't be used, or "".

        Only missing parts are reasons. A part that is present but broken must make the tests fail.
        """

    @abstractmethod
    def prepare(self) -> None:
        """Fetch and build missing parts."""

    @abstractmethod
    def engine(self) -> list[str]:
        """The command that starts the engine. Its output has to be a pipe."""

    @abstractmethod
    def path(self, path: Path) -> str:
        """Convert an absolute path of this system to one for the engine."""

    @abstractmethod
    def environment(self, home: Path | None, variables: Mapping[str, str]) -> dict[str, str]:
        """Environment variables that make `home` the user's home folder; None for one shared by all runs."""

    @abstractmethod
    def user_data(self, home: Path) -> Path:
        """The folder with the user:// folders of all projects, by their names."""

    def core_tests(self, arguments: Sequence[str] = ()) -> int:
        """Run the core's tests there, or those chosen by pytest arguments; return the exit code."""
        if arguments:
            raise SetupError(
                f"The core's tests do not run on {self.target.name}",
                "there is no Python for tests there",
                "name tests of tests/engine or tests/platforms, or leave --platform out",
            )
        say(f"Not on {self.target.name}: the core's tests (tests/unit)")
        return 0

    @abstractmethod
    def close(self, home: Path) -> None:
        """End processes that may still write into `home`."""

    def play(self, arguments: Sequence[str]) -> int:
        """Run the engine in this project with its output shown; return the exit code."""
        words = [*self.engine(), "--headless", "--path", self.path(ROOT), *arguments]
        variables = self.environment(None, os.environ)
        with subprocess.Popen(
            words, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                sys.stdout.buffer.write(line.replace(b"\r\n", b"\n"))
                sys.stdout.flush()
        return process.returncode


class _Here(Machine):
    def why_unavailable(self) -> str:
        return ""

    def prepare(self) -> None:
        engine.find()

    def engine(self) -> list[str]:
        return [str(engine.find().path)]

    def path(self, path: Path) -> str:
        return str(path)

    def environment(self, home: Path | None, variables: Mapping[str, str]) -> dict[str, str]:
        if home is None:
            return dict(variables)
        folders = {
            f"XDG_{name}_HOME": str(home / name.lower()) for name in ("DATA", "CONFIG", "CACHE", "STATE")
        }
        return {**variables, "HOME": str(home), **folders}

    def user_data(self, home: Path) -> Path:
        return home / "data" / "godot" / "app_userdata"

    def close(self, home: Path) -> None:
        """Nothing to end."""


class _Windows(Machine):
    """The Windows engine in the private Wine. Every home has its own prefix, so tests share no files or
    processes.
    """

    has_only_release_template = True
    in_every_run = True
    settings = _PATIENT
    excluded = _WITHOUT_MODULES

    @functools.cached_property
    def _wine(self) -> wine.Wine:
        return wine.prepare(Progress("Wine"))

    def why_unavailable(self) -> str:
        return wine.why_unavailable()

    def prepare(self) -> None:
        with step("Wine and the Windows engine") as progress:
            wine.prepare(progress)
            wine.windows_engine(progress)

    def engine(self) -> list[str]:
        return self._wine.command(wine.windows_engine(Progress("Windows engine")))

    def path(self, path: Path) -> str:
        return wine.windows_path(path)

    def environment(self, home: Path | None, variables: Mapping[str, str]) -> dict[str, str]:
        if home is None:
            return self._wine.environment(base=variables)
        return self._wine.environment(self._prefix(home), {**variables, "HOME": str(home)})

    def user_data(self, home: Path) -> Path:
        users = self._prefix(home) / "drive_c" / "users"
        (own,) = (folder for folder in users.iterdir() if folder.name != "Public")
        return own / "AppData" / "Roaming" / "Godot" / "app_userdata"

    def core_tests(self, arguments: Sequence[str] = ()) -> int:
        return windows_tests.unit_tests(arguments)

    def close(self, home: Path) -> None:
        self._wine.end(self._prefix(home))

    def _prefix(self, home: Path) -> Path:
        prefix = home / "prefix"
        return prefix if prefix.is_dir() else self._wine.new_prefix(prefix)


class _LinuxArm64(_Here):
    """The engine for arm64 in qemu, about ten times slower."""

    settings = _PATIENT

    def why_unavailable(self) -> str:
        try:
            debian.system_source()
        except debian.DebianUnavailable as error:
            return f"{error.what}: {error.why}"
        return ""

    def prepare(self) -> None:
        self.engine()

    def engine(self) -> list[str]:
        root = engine.arm64()
        return qemu.command(root, root / "usr" / "bin" / "godot")


HERE: Machine = _Here(targets.HERE)
_MACHINES: dict[str, Machine] = {
    machine.target.name: machine for machine in (HERE, _LinuxArm64(LINUX_ARM64), _Windows(WINDOWS_X86_64))
}


def others() -> list[Machine]:
    """All machines except this system."""
    return [machine for machine in _MACHINES.values() if machine is not HERE]


def of(target: Target) -> Machine:
    """The machine that runs a target. Raises SetupError if there is none or it is unavailable."""
    machine = _MACHINES.get(target.name)
    why = "this machine cannot run its programs" if machine is None else machine.why_unavailable()
    if machine is None or why:
        raise SetupError(
            f"{target.name} cannot be run here",
            why,
            f"then run this again, or name another platform: "
            f"{', '.join(name for name in _MACHINES if name != target.name)}",
        )
    return machine


def under_test() -> Machine:
    """The machine named by VARIABLE."""
    return of(targets.named(os.environ.get(VARIABLE, targets.HERE.name)))
