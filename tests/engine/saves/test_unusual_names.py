"""Names that are not plain ASCII: of folders, of the game, of saves and NPCs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.game import Home, Project, run

FOLDERS = [
    "with  blanks and 'quotes'",
    "Grüße aus Österreich",
    "游戏 ゲーム",
    "emoji 🔥",
    "100% {braces} [x] #1;&$HOME",
]


@pytest.mark.parametrize("name", FOLDERS)
def test_project_and_user_folder_may_have_any_name(name: str, tmp_path: Path) -> None:
    project = Project(tmp_path / name / "project", name=name.replace('"', ""), staged_core=True)
    home = Home(tmp_path / name / "home")
    game = run(project, home, "store_and_count", name.replace("'", ""))
    assert game.value("open") == 0
    assert game.value("id") != ""
    assert game.value("recalled") == 2
    assert game.value("health")["model_is_fallback"] is False
    assert Path(game.value("health")["save"]["path"]).is_file()
    assert str(home.folder) in game.value("user_folder")


def test_the_locale_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("LANG", "LC_ALL", "LC_CTYPE"):
        monkeypatch.setenv(variable, "C")
    test_project_and_user_folder_may_have_any_name("Grüße 游戏", tmp_path)
