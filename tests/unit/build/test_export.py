"""An export replaces a game, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_memory_build import engine, export
from rag_memory_build.console import SetupError


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "diary.txt").write_text("Dear diary")
    with pytest.raises(SetupError, match="holds other files"):
        export.export_demo(engine.find(), tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["diary.txt"]
