"""A small Godot project in a temporary folder, and the real engine running a script in it."""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rag_memory_build import engine, machines, native, project_cache, server_part

ROOT = Path(__file__).resolve().parents[2]
ADDON = ROOT / "addons" / "rag_memory"
MACHINE = machines.under_test()
"""The machine that runs the engine under test."""

LIBRARY = MACHINE.target.library_name
_WANTED_SANITIZER = os.environ.get("RAG_MEMORY_TEST_SANITIZED", "0")
SANITIZED = {"0": "", "1": "address"}.get(_WANTED_SANITIZER, _WANTED_SANITIZER)
"""The sanitizer (address or thread) when the tests run against what `build.py native --sanitize=` built."""

PLATFORM = MACHINE.target.name
SCRIPTS = "res://tests/engine/scenarios"

SCRIPT_PARTS = ("prompt", "debug", "journal", "language", "languages")
"""The folders of the addon that a game has besides the library."""

SCREEN_OPTIONS = ["--rendering-driver", "opengl3", "--audio-driver", "Dummy"]

START_LIMIT_SECONDS = 900.0
"""Ends an engine that hangs. A busy machine makes a start slow, never as slow as this."""

_HOLD = """
import time
from pathlib import Path

def hold(number):
    (FOLDER / f"held_{number}").touch()
    end = time.monotonic() + 25.0
    while not (FOLDER / f"released_{number}").exists() and time.monotonic() < end:
        time.sleep(0.01)

FOLDER = Path(PATH)
"""
"""Stops the core until the scenario releases it; at last before the default time limit of a request."""

_ERROR_LINE = re.compile(r"^(?:USER )?(?:SCRIPT )?ERROR: ")
_WARNING_LINE = re.compile(r"^(?:USER )?(?:SCRIPT )?WARNING: ")
_VALUE_LINE = re.compile(r"^@(\w+) (.*)$")
_TERMINAL_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@functools.cache
def engine_path() -> Path:
    """This system's engine: the one that build.py uses."""
    return Path(engine.find().path)


def as_the_engine_says(path: Path) -> str:
    """The path of a file as messages of the engine have it. Under Wine it lies on drive C."""
    _, drive, below = str(path).partition("/drive_c/")
    return "C:\\" + below.replace("/", "\\") if drive else str(path)


def is_error(line: str) -> bool:
    return _ERROR_LINE.match(line) is not None


def parse_value(line: str) -> tuple[str, Any] | None:
    """The name and value of a line that a script has said; None for other lines."""
    found = _VALUE_LINE.match(line)
    return (found[1], json.loads(found[2])) if found else None


def is_warning(line: str) -> bool:
    return _WARNING_LINE.match(line) is not None


class Project:
    """A game with the addon installed. Big folders are links to the built ones, so that a test may break its
    own copy of the rest.
    """

    program: Path | None = None
    """The engine's release template in the project's folder, when that is what runs it."""

    def __init__(
        self,
        folder: Path,
        *,
        name: str = "Engine Tests",
        settings: Mapping[str, str] | None = None,
        staged_core: bool = False,
        model: bool = True,
    ) -> None:
        """`staged_core`: Python loads the core from the runtime folder, as in a user's project, and not
        from the sources. `settings`: lines of project.godot by section/key.
        """
        self.folder = folder
        self.name = name
        self.addon = folder / "addons" / "rag_memory"
        self.runtime = self.addon / "runtime" / PLATFORM
        self.models = self.addon / "models" / "default"
        (self.addon / "bin").mkdir(parents=True)
        self.runtime.parent.mkdir()
        self.models.parent.mkdir()
        for source in (self.runtime.parent, self.models.parent):
            (source / ".gdignore").touch()
        shutil.copy(ADDON / "rag_memory.gdextension", self.addon)
        (self.addon / "icons").symlink_to(ADDON / "icons")
        built = LIBRARY.replace(".so", f".{SANITIZED}.sanitize.so") if SANITIZED else LIBRARY
        library = ADDON / "bin" / built
        if not library.exists():
            # The editor would wait for classes that never come.
            raise FileNotFoundError(f"{library} is not built. Run `python3 build.py setup` first.")
        (self.addon / "bin" / LIBRARY).symlink_to(library)
        self.runtime.symlink_to(ADDON / "runtime" / PLATFORM)
        if model:
            self.models.symlink_to(ADDON / "models" / "default")
        (folder / "tests").symlink_to(ROOT / "tests")
        if not staged_core:
            (folder / "python").symlink_to(ROOT / "python")
        for part in (*SCRIPT_PARTS, "wording.pot"):
            (self.addon / part).symlink_to(ADDON / part)
        (folder / "demo").mkdir()
        (folder / "demo" / "villagers").symlink_to(ROOT / "demo" / "villagers")
        project_cache.announce_extension(folder)
        project_cache.announce_classes(folder)
        self.write_settings(settings or {})

    def write_settings(self, settings: Mapping[str, str]) -> None:
        """Write project.godot anew; values as it writes them, by section/key."""
        name = json.dumps(self.name, ensure_ascii=False)
        lines = ["config_version=5"]
        values = {"application/config/name": name, **MACHINE.settings, **settings}
        for setting, value in values.items():
            section, _, key = setting.partition("/")
            lines += ["", f"[{section}]", "", f"{key}={value}"]
        (self.folder / "project.godot").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def own_runtime(self) -> Path:
        """Make the runtime the project's own: real folders with hard links to the built files. A file must
        be removed before it is written anew.
        """
        self.runtime.unlink()
        shutil.copytree(ADDON / "runtime" / PLATFORM, self.runtime, copy_function=_hard_link, symlinks=True)
        return self.runtime

    def copy_core(self) -> Path:
        """Make the core the project's own copy, to put faults into; its folder."""
        python = self.folder / "python"
        if python.is_symlink():
            python.unlink()
        copied = python / "rag_memory"
        shutil.copytree(ROOT / "python" / "rag_memory", copied, ignore=shutil.ignore_patterns("__pycache__"))
        return copied

    def inject_hold(self, home: Home, code: str) -> None:
        """inject() code that calls hold(number): it waits there until the scenario calls release(number)."""
        folder = str(home.user_data(self))
        self.inject(_HOLD.replace("PATH", repr(folder)) + code)

    def release(self, script: str, template: Path) -> None:
        """Have the engine's release template run `script`, which extends SceneTree, as a finished game does.

        It takes no path from its command line: it runs the project that it lies in.
        """
        self.program = self.folder / "game.x86_64"
        _hard_link(str(template), str(self.program))
        (self.folder / "game.tscn").write_text('[gd_scene format=3]\n\n[node name="Game" type="Node"]\n')
        self.write_settings(
            {
                "application/run/main_loop_type": '"ReleasedGame"',
                "application/run/main_scene": '"res://game.tscn"',
                "application/run/flush_stdout_on_print": "true",
            }
        )
        project_cache.announce_class(self.folder, "ReleasedGame", "SceneTree", script)

    def inject(self, code: str) -> None:
        """Run `code` at the end of the bridge's module: for faults that no input can cause."""
        bridge = self.copy_core() / "godot" / "bridge.py"
        bridge.write_text(bridge.read_text(encoding="utf-8") + "\n\n" + code, encoding="utf-8")


def _hard_link(source: str, target: str) -> str:
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)
    return target


def for_servers(project: Project) -> Project:
    """The project with the server part in it, as a dedicated server has it."""
    part = project.addon / server_part.FOLDER / PLATFORM
    part.parent.mkdir()
    part.symlink_to(server_part.prepare(MACHINE.target))
    return project


def copy_server_part(project: Project) -> Path:
    """Put a copy of the server part into the project, to put faults into; its folder."""
    part = project.addon / server_part.FOLDER / PLATFORM
    shutil.copytree(server_part.prepare(MACHINE.target), part, copy_function=_hard_link)
    return part


class Home:
    """The folder that takes the place of the user's home, so that user:// is the test's own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.keeps_python_variables = False
        folder.mkdir(parents=True, exist_ok=True)

    def environment(self) -> dict[str, str]:
        variables = dict(os.environ)
        if not self.keeps_python_variables:
            variables = {name: value for name, value in variables.items() if not name.startswith("PYTHON")}
        if SANITIZED:
            variables |= native.sanitizer_environment(engine.find(), SANITIZED)
        return MACHINE.environment(self.folder, variables)

    def user_data(self, project: Project) -> Path:
        """The folder of user://."""
        return MACHINE.user_data(self.folder) / project.name

    def saves(self, project: Project) -> Path:
        return self.user_data(project) / "rag_memory"

    def close(self) -> None:
        """End what an engine has left running, before the folder goes."""
        MACHINE.close(self.folder)


class Game:
    """One running engine. Its output, standard error included, is read as it comes."""

    def __init__(
        self,
        project: Project,
        home: Home,
        script: str,
        *arguments: str,
        options: Sequence[str] = (),
        wrapper: Sequence[str] = (),
        screen: Mapping[str, str] | None = None,
    ) -> None:
        """`script`: the name of a file in scenarios/ without .gd, a res:// path, or "" for none. `screen`:
        the variables of a screen to draw on (screen.py); without one the engine runs headless.
        """
        self.lines: list[str] = []
        self._news = threading.Condition()
        self._ended = False
        display = ["--headless"] if screen is None else SCREEN_OPTIONS
        started = [str(project.program)] if project.program else MACHINE.engine()
        words = [*wrapper, *started, *display, *options]
        if project.program is None:
            words += ["--path", MACHINE.path(project.folder)]
        if script and project.program is None:
            words += ["-s", script if "://" in script else f"{SCRIPTS}/{script}.gd"]
        if arguments:
            words += ["--", *arguments]
        self.process = subprocess.Popen(
            words,
            env=home.environment() | dict(screen or {}),
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._news:
                self.lines.append(_TERMINAL_COLOURS.sub("", line.rstrip("\r\n")))
                self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()

    def wait_until(self, condition: Callable[[], bool], seconds: float = START_LIMIT_SECONDS) -> bool:
        """Wait for output that makes the condition true; False when the engine ended or time is up."""
        with self._news:
            self._news.wait_for(lambda: self._ended or condition(), timeout=seconds)
            return condition()

    def wait_for(self, name: str, count: int = 1, seconds: float = START_LIMIT_SECONDS) -> list[Any]:
        """Wait until the script has said `name` that often; what it said."""
        arrived = self.wait_until(lambda: len(self.values(name)) >= count, seconds)
        assert arrived, f"the script did not say {name!r} {count} times\n{self.tail()}"
        return self.values(name)

    def values(self, name: str) -> list[Any]:
        """The values that the script has said under this name so far (say() in scenario.gd)."""
        said = map(parse_value, list(self.lines))
        return [value for each in said if each for said_name, value in [each] if said_name == name]

    def value(self, name: str) -> Any:
        """The only thing the script has said under this name."""
        values = self.values(name)
        assert len(values) == 1, f"{name!r} was said {len(values)} times: {values}\n{self.tail()}"
        return values[0]

    def errors(self) -> list[str]:
        return [line for line in self.lines if is_error(line)]

    def warnings(self) -> list[str]:
        return [line for line in self.lines if is_warning(line)]

    def text(self) -> str:
        return "\n".join(self.lines)

    def tail(self, count: int = 60) -> str:
        return "output of the engine:\n" + "\n".join(self.lines[-count:])

    @property
    def has_ended(self) -> bool:
        return self._ended

    def kill(self) -> None:
        """kill -9, in whatever the engine is doing."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self._close()

    def end(self, seconds: float = START_LIMIT_SECONDS) -> int:
        """Wait for the engine to end; its exit code, negative for a signal."""
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGABRT)
            time.sleep(0.5)
            self.kill()
            raise AssertionError(f"the engine did not end within {seconds:.0f} s\n{self.tail()}") from None
        self._close()
        return code

    def _close(self) -> None:
        self._reader.join(timeout=START_LIMIT_SECONDS)
        if self.process.stdout is not None:
            self.process.stdout.close()


def run(
    project: Project,
    home: Home,
    script: str,
    *arguments: str,
    options: Sequence[str] = (),
    wrapper: Sequence[str] = (),
    seconds: float = START_LIMIT_SECONDS,
    errors: Sequence[str] = (),
    allowed: Sequence[str] = (),
    exit_code: int = 0,
) -> Game:
    """Run a script to its end. The exit code must be as given, and the errors printed must be those
    announced: each of `errors` a part of at least one error, each error containing one of them, or one of
    `allowed`.
    """
    game = Game(project, home, script, *arguments, options=options, wrapper=wrapper)
    code = game.end(seconds)
    assert code == exit_code, f"the engine ended with exit code {code}\n{game.tail()}"
    check_errors(game.lines, errors, allowed)
    return game


def check_errors(lines: Sequence[str], announced: Sequence[str], allowed: Sequence[str] = ()) -> None:
    """Every error in `lines` was announced or allowed, and every announced one came."""
    found = [line for line in lines if is_error(line)]
    surprising = [line for line in found if not any(part in line for part in (*announced, *allowed))]
    missing = [part for part in announced if not any(part in line for line in found)]
    tail = "\n".join(lines[-60:])
    assert not surprising, "errors nobody announced:\n" + "\n".join(surprising[:20]) + f"\noutput:\n{tail}"
    assert not missing, f"announced errors that did not come: {missing}\noutput:\n{tail}"
