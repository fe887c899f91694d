"""has_save(), list_saves() and close_save() of a title menu: no Python, and the same answers as with it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.engine.game import MACHINE, Home, Project, run
from tests.engine.saves.test_saves import make_save

ORDINARY = ["slot_1", "Spielstand 3", "存檔", "élan", "e\u0301lan", "a.b", "Slot", "slot", "x" * 60]
MISSING = ["slot_2", "SLOT_1", "ELAN", "slot_1.sqlite3"]


def add_files(folder: Path) -> None:
    """What lies beside saves: rests of other saves, folders, and links to files elsewhere."""
    for name in (
        *("gone.sqlite3-wal", "gone.sqlite3-journal", "slot_1.sqlite3.damaged-20261126-120000"),
        *("copy.sqlite3.new", "slot_1.sqlite3-wal.of-another-save-20261126-120000", "notes.txt", "sqlite3"),
        *("slot_1.sqlite3.lock", "LOUD.SQLITE3"),
    ):
        (folder / name).touch()
    for name in ("folder.sqlite3", "copy.copying", "slot_1.snapshots"):
        (folder / name).mkdir()
    (folder / "slot_1.snapshots" / "inner.sqlite3").touch()
    outside = folder.parent / "outside.sqlite3"
    outside.touch()
    (folder / "link.sqlite3").symlink_to(outside)
    (folder / "folder_link.sqlite3").symlink_to(folder.parent)
    (folder / "nowhere.sqlite3").symlink_to(folder / "absent")


def test_a_title_menu_needs_no_python(quick_project: Project, home: Home) -> None:
    folder = home.saves(quick_project)
    folder.mkdir(parents=True)
    for name in ORDINARY:
        (folder / f"{name}.sqlite3").touch()
    add_files(folder)
    ids = [*ORDINARY, *MISSING, "gone", "copy", "folder", "link", "folder_link", "nowhere", "LOUD"]
    game = run(quick_project, home, "title_menu", *ids)
    assert game.value("close") == 0
    assert game.value("list") == sorted(ORDINARY)
    assert game.values("has") == [name in ORDINARY for name in ids]
    assert game.value("state") == "idle", "Python was not started"
    assert game.value("list_again") == game.value("list")
    assert game.value("preloading") is True
    assert game.value("worker_list") == game.value("list")
    assert game.values("worker_has") == game.values("has")
    assert game.values("has_default") == [True, False]
    assert game.value("late") is True


def test_no_folder_yet_and_a_link_in_its_place(quick_project: Project, home: Home, tmp_path: Path) -> None:
    empty = run(quick_project, home, "title_menu", "slot_1")
    assert (empty.value("list"), empty.values("has"), empty.value("state")) == ([], [False], "idle")

    elsewhere = Home(tmp_path / "elsewhere")
    folder = elsewhere.saves(quick_project)
    folder.parent.mkdir(parents=True)
    moved = tmp_path / "another disk"
    moved.mkdir()
    folder.symlink_to(moved)
    make_save(elsewhere, quick_project, "slot_1")
    game = run(quick_project, elsewhere, "title_menu", "slot_1")
    assert (game.value("list"), game.values("has"), game.value("state")) == (["slot_1"], [True], "idle")


@pytest.mark.skipif(MACHINE.target.name.startswith("windows"), reason="Windows has no files of these names")
@pytest.mark.parametrize(
    "name",
    ["", ".hidden", " x", "x ", "x.", "a:b", "a\nb", "\u3000x", "x\u2003", "x\u200b", "C:\\x", "ä" * 110],
)
def test_names_that_are_no_ids_are_listed_by_nobody(name: str, quick_project: Project, home: Home) -> None:
    folder = home.saves(quick_project)
    folder.mkdir(parents=True)
    for file in (f"{name}.sqlite3", "slot_1.sqlite3"):
        (folder / file).touch()
    game = run(quick_project, home, "title_menu", name, allowed=["cannot be the id of a save"])
    accepted = [name, "slot_1"] if name == "x\u200b" else ["slot_1"]
    assert sorted(game.value("list")) == sorted(accepted)
    assert game.values("has") == [name in accepted]
    assert game.value("worker_list") == game.value("list")
    assert game.values("worker_has") == game.values("has")


@pytest.mark.skipif(MACHINE.target.name != "linux_x86_64", reason="other systems have no such names")
def test_a_file_whose_name_is_no_text_is_left_out(quick_project: Project, home: Home) -> None:
    folder = home.saves(quick_project)
    folder.mkdir(parents=True)
    (folder / "slot_1.sqlite3").touch()
    Path(os.fsdecode(os.fsencode(folder) + b"/sp\xe4t.sqlite3")).touch()
    game = run(quick_project, home, "title_menu")
    assert game.value("list") == game.value("worker_list") == ["slot_1"]
