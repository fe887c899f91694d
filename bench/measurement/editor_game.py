"""A project opened in the real editor, headless, for one measurement."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from measurement.game import Game
from rag_memory_build.console import Progress, run
from rag_memory_build.paths import ROOT

_DRIVER = ROOT / "bench" / "measurement" / "browser_driver"
_PLUGINS = """
[editor_plugins]

enabled=PackedStringArray("res://addons/rag_memory/plugin.cfg", "res://addons/browser_driver/plugin.cfg")
"""


class EditorGame(Game):
    """A project with the addon's plugin enabled, and one that plays the measurement."""

    def __init__(self, engine: Path, folder: Path) -> None:
        super().__init__(engine, folder, with_addon=True, scene="")
        shutil.copytree(_DRIVER, folder / "addons" / "browser_driver")
        with (folder / "project.godot").open("a", encoding="utf-8") as settings:
            settings.write(_PLUGINS)

    def measure_in_editor(self, part: str, values: dict[str, Any], progress: Progress) -> dict[str, Any]:
        """The samples that the driver takes in the editor.

        Raises:
            SetupError: the editor could not be started, or the measurement failed.
        """
        given, taken = self._folder / "input.json", self._folder / "samples.json"
        given.write_text(json.dumps(values), encoding="utf-8")
        run(
            [*self._engine, "--headless", "--editor", "--", given, taken],
            what=f"The measurement {part}",
            remedy="see the message above; `python3 build.py editor` shows whether the plugin works",
            log=f"bench-{part}",
            environment={**self._variables(), "XDG_CONFIG_HOME": str(self._data / "config")},
            progress=progress,
        )
        samples: dict[str, Any] = json.loads(taken.read_text(encoding="utf-8"))
        return samples
