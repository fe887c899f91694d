"""Games made for one measurement: a project folder, user data of its own, and the engine run on it."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rag_memory_build.console import Progress, SetupError, run
from rag_memory_build.paths import ADDON, ROOT
from rag_memory_build.project_cache import announce_classes, announce_extension

_PROJECT = """config_version=5

[application]

config/name="{name}"
run/main_scene="{scene}"
config/features=PackedStringArray("4.4")
"""
_EMPTY_SCENE = "res://bench/measurement/empty.tscn"
_PART_SCENE = "res://bench/measurement/part_runner.tscn"


class Game:
    """A project that has the addon, as a game has it, or has it not. The addon is linked, not copied."""

    def __init__(
        self,
        engine: Path,
        folder: Path,
        *,
        with_addon: bool,
        with_demo: bool = False,
        scene: str = _PART_SCENE,
        addon: Path = ADDON,
        settings: Mapping[str, str] | None = None,
        release_template: Path | None = None,
    ) -> None:
        """Make the project.

        Args:
            addon: the addon's folder, which may be another checkout's.
            settings: lines of further sections of project.godot, by section.
            release_template: runs the game instead of the engine.
        """
        self._engine = [os.fspath(engine), "--path", os.fspath(folder)]
        self._folder = folder
        self._data = folder / "user_data"
        self._runs = 0
        self._data.mkdir(parents=True)
        project = _PROJECT.format(name=folder.name, scene=scene)
        project += "".join(f"\n[{section}]\n\n{lines}\n" for section, lines in (settings or {}).items())
        (folder / "project.godot").write_text(project, encoding="utf-8")
        (folder / "bench").symlink_to(ROOT / "bench", target_is_directory=True)
        (folder / ".godot").mkdir()
        if release_template is not None:
            # It takes no path: it runs the project that it lies in.
            program = folder / "game.x86_64"
            shutil.copy2(release_template, program)
            self._engine = [os.fspath(program)]
        if with_demo:
            (folder / "demo").symlink_to(ROOT / "demo", target_is_directory=True)
        if with_addon:
            (folder / "addons").mkdir()
            (folder / "addons" / "rag_memory").symlink_to(addon, target_is_directory=True)
            announce_extension(folder)
            announce_classes(folder)

    @classmethod
    def empty(
        cls,
        engine: Path,
        folder: Path,
        *,
        with_addon: bool,
        addon: Path = ADDON,
        release_template: Path | None = None,
    ) -> Game:
        """A game whose only scene is an empty node."""
        return cls(
            engine,
            folder,
            with_addon=with_addon,
            scene=_EMPTY_SCENE,
            addon=addon,
            release_template=release_template,
        )

    def measure(
        self,
        part: str,
        values: dict[str, Any],
        progress: Progress,
        *,
        display: Mapping[str, str] | None = None,
        tracer: Sequence[str] = (),
    ) -> dict[str, Any]:
        """The samples that `bench/measurement/<part>.gd` takes in a new process of this game.

        Args:
            display: the variables of the screen to open a window on; None to run without one.
            tracer: a command that the engine is started with.

        Raises:
            SetupError: the engine could not be started, or the measurement failed.
        """
        self._runs += 1
        given = self._folder / f"{self._runs}_{part}_input.json"
        taken = self._folder / f"{self._runs}_{part}_samples.json"
        given.write_text(json.dumps(values), encoding="utf-8")
        how = (
            ["--headless"]
            if display is None
            else ["--rendering-driver", "opengl3", "--audio-driver", "Dummy"]
        )
        run(
            [*tracer, *self._engine, *how, "--", part, given, taken],
            what=f"The measurement {part}",
            remedy="see the message above; `python3 build.py demo` shows whether the addon works",
            log=f"bench-{part}",
            environment={**self._variables(), **(display or {})},
            progress=progress,
        )
        samples: dict[str, Any] = json.loads(taken.read_text(encoding="utf-8"))
        return samples

    def save_path(self, save_id: str) -> Path:
        """The database of one of this game's saves."""
        user_folder = self._data / "godot" / "app_userdata" / self._folder.name
        return user_folder / "rag_memory" / f"{save_id}.sqlite3"

    def start_and_quit(self) -> float:
        """Seconds from starting the engine to its end, when it quits after the first frame."""
        words = [*self._engine, "--headless", "--quit"]
        started = time.perf_counter()
        done = subprocess.run(
            words,
            env=self._variables(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = time.perf_counter() - started
        if done.returncode != 0:
            raise SetupError(
                "The engine did not start and quit properly",
                f"exit code {done.returncode}; it said: {(done.stderr or done.stdout).strip()[-500:]}",
                f"run it by hand: {' '.join(words)}",
            )
        return seconds

    def processor_seconds_of_a_start(self) -> float:
        """Processor time of start_and_quit()."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.start_and_quit()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def _variables(self) -> dict[str, str]:
        # The game gets folders of its own: the user's saves are not touched.
        return {**os.environ, "XDG_DATA_HOME": str(self._data)}
