"""An exported game whose files did not arrive whole."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.engine.game import PLATFORM, Home
from tests.export.exported import Exported, play

from rag_memory_build import export

pytestmark = pytest.mark.slow


def test_a_truncated_module_of_an_exported_game_is_said(
    exported: Exported, tmp_path: Path, home: Home
) -> None:
    game = tmp_path / "game"
    shutil.copytree(exported.folder, game)
    runtime = game / "rag_memory" / "runtime" / PLATFORM
    module = next(runtime.glob("site-packages/numpy/_core/_multiarray_umath.*.so"))
    module.write_bytes(module.read_bytes()[:100_000])
    run = play(game / export.PROGRAM, "check", environment=home.environment(), cwd=tmp_path)
    assert run.code == 0, run.text()
    told = [line for line in run.errors() if "The Python runtime is damaged" in line]
    assert len(told) == 1, run.text()
    assert module.name in told[0] and "Install the game again" in told[0]
