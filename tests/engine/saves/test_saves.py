"""Saves that cannot be opened, and derived files that cannot be used, as the game sees them."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.engine.game import ROOT, Game, Home, Project, as_the_engine_says, run
from tests.engine.read_only import read_only

import rag_memory
from rag_memory.embedding.hashing_embedder import HashingEmbedder

OK, FILE_NOT_FOUND, IN_USE, UNRECOGNIZED, CORRUPT = 0, 7, 11, 15, 16


def make_save(home: Home, project: Project, save_id: str = "default", memories: int = 3) -> Path:
    """A save with memories of elena, made by the core."""
    path = home.saves(project) / f"{save_id}.sqlite3"
    with rag_memory.open_save(path, HashingEmbedder()) as save:
        save.npc("elena").memories.store_batch(
            [{"text": f"Memory number {number}."} for number in range(memories)]
        )
    return path


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "garbage": lambda content: b"This was a save once." * 500,
    "truncated": lambda content: content[: len(content) // 2],
    "short": lambda content: content[:60],
    "no header": lambda content: b"\0" * 100 + content[100:],
    "broken pages": lambda content: content[:4096] + b"\xff" * (len(content) - 4096),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_save_is_kept_aside_and_said(damage: str, quick_project: Project, home: Home) -> None:
    path = make_save(home, quick_project, "slot")
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    damaged = digest(path)
    game = run(
        quick_project, home, "open_saves", "slot", "slot", errors=["The save", "MemoryServer.open_save"]
    )
    assert game.values("open") == [CORRUPT, OK], game.tail()
    assert game.values("current") == ["", "slot"]
    readable = {"truncated": 3, "no header": 3}.get(damage, 0)
    assert game.values("count") == [readable], "the second time there is what could be read"
    (aside,) = path.parent.glob("slot.sqlite3.damaged-*")
    assert digest(aside) == damaged, "kept exactly as it was found"
    said, said_aside = as_the_engine_says(path), as_the_engine_says(aside)
    assert any(said in line and said_aside in line for line in game.errors()), game.tail()
    assert said_aside in game.value("last_error")


def test_a_damaged_default_save_fails_the_call_that_wanted_it(quick_project: Project, home: Home) -> None:
    path = make_save(home, quick_project)
    path.write_bytes(b"x" * 5000)
    game = run(quick_project, home, "damaged_default", errors=["is damaged"])
    assert game.value("first") == ""
    (error,) = game.value("failed")
    assert "is damaged" in error and "kept as" in error, error
    assert game.value("second") != ""
    assert game.value("count") == 1


def test_a_backup_that_is_put_back_after_a_crash_is_opened_without_the_log(
    quick_project: Project, home: Home
) -> None:
    path = make_save(home, quick_project)
    backup = path.read_bytes()
    killed = Game(quick_project, home, "store_forever")
    killed.wait_for("stored", 30)
    killed.kill()
    log = path.with_name("default.sqlite3-wal").read_bytes()
    path.write_bytes(backup)
    game = run(quick_project, home, "open_saves", "default")
    assert (game.values("open"), game.values("count")) == ([OK], [3])
    (aside,) = path.parent.glob("default.sqlite3-wal.of-another-save-*")
    assert aside.read_bytes() == log
    said_aside = as_the_engine_says(aside)
    assert len([line for line in game.warnings() if "was opened without" in line and said_aside in line]) == 1
    assert game.value("last_error") == ""
    again = run(quick_project, home, "open_saves", "default")
    assert (again.values("open"), again.values("count")) == ([OK], [3])
    assert "was opened without" not in again.text(), "it is said once"


def test_another_save_stays_open_when_one_is_damaged(quick_project: Project, home: Home) -> None:
    make_save(home, quick_project, "good")
    make_save(home, quick_project, "bad").write_bytes(b"x" * 5000)
    game = run(quick_project, home, "open_saves", "good", "bad", errors=["is damaged"])
    assert game.values("open") == [OK, CORRUPT]
    assert game.values("current") == ["good", "good"]


def test_a_save_of_a_newer_version_is_left_untouched(quick_project: Project, home: Home) -> None:
    path = make_save(home, quick_project, "future")
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = digest(path)
    game = run(quick_project, home, "open_saves", "future", errors=["newer version of RAG Memory"])
    assert game.values("open") == [UNRECOGNIZED]
    assert digest(path) == before
    assert [file.name for file in path.parent.iterdir()] == ["future.sqlite3"], "and nothing was added"


def test_a_database_of_another_program_is_left_untouched(quick_project: Project, home: Home) -> None:
    path = home.saves(quick_project) / "foreign.sqlite3"
    path.parent.mkdir(parents=True)
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.close()
    before = digest(path)
    game = run(quick_project, home, "open_saves", "foreign", errors=["is no save of RAG Memory"])
    assert game.values("open") == [UNRECOGNIZED]
    assert digest(path) == before


def test_a_picture_with_the_name_of_a_save_is_left_untouched(quick_project: Project, home: Home) -> None:
    path = home.saves(quick_project) / "portrait.sqlite3"
    path.parent.mkdir(parents=True)
    shutil.copyfile(ROOT / "docs" / "images" / "help.png", path)
    before = digest(path)
    game = run(quick_project, home, "open_saves", "portrait", errors=["is a PNG picture"])
    assert game.values("open") == [UNRECOGNIZED]
    assert digest(path) == before
    assert [file.name for file in path.parent.iterdir()] == ["portrait.sqlite3"], "and nothing was added"


def test_a_save_open_in_another_process_is_refused_until_it_is_closed(
    quick_project: Project, home: Home
) -> None:
    path = make_save(home, quick_project, "shared")
    with rag_memory.open_save(path, HashingEmbedder()):
        game = run(quick_project, home, "open_saves", "shared", errors=["is locked: another process"])
        assert game.values("open") == [IN_USE]
    game = run(quick_project, home, "open_saves", "shared")
    assert game.values("open") == [OK]
    assert game.values("count") == [3]


def test_two_games_cannot_share_a_save(quick_project: Project, home: Home) -> None:
    first = Game(quick_project, home, "store_forever")
    first.wait_for("stored", 5)
    second = run(quick_project, home, "open_saves", "default", errors=["is locked: another process"])
    assert second.values("open") == [IN_USE]
    first.wait_for("stored", len(first.values("stored")) + 5)
    first.kill()
    third = run(quick_project, home, "open_saves", "default")
    assert third.values("open") == [OK], "the lock goes with the killed process"
    assert third.values("count")[0] >= len(first.values("stored"))


def test_a_save_made_with_another_model_is_embedded_again(project: Project, home: Home) -> None:
    make_save(home, project, "old", memories=40)
    game = run(project, home, "open_saves", "old", "old")
    assert game.values("open") == [OK, OK]
    assert game.values("count")[0] == 40
    assert any("embedded with another model" in line for line in game.warnings()), game.tail()
    embedded = run(project, home, "open_saves", "old", "--embedded")
    assert "40 of 40 memories embedded" in embedded.text()
    again = run(project, home, "open_saves", "old")
    assert not again.warnings(), "the second time nothing is to do"


@pytest.fixture
def index(quick_project: Project, home: Home) -> tuple[Path, list[str]]:
    """A search index on disk, and what is found with it."""
    built = run(quick_project, home, "indexed", "build")
    files = list(home.saves(quick_project).rglob("*.hnsw"))
    assert len(files) == 1, f"no index was written: {list(home.saves(quick_project).rglob('*'))}"
    assert len(built.value("found")) == 10
    assert files[0].stat().st_size > 60 * 384 * 4, "the index holds every vector"
    return files[0], built.value("found")


def test_an_index_is_used_again(quick_project: Project, home: Home, index: tuple[Path, list[str]]) -> None:
    file, found = index
    before = file.stat().st_mtime_ns
    game = run(quick_project, home, "indexed", "ask")
    assert game.value("found") == found
    assert game.value("filtered") == 60
    assert file.stat().st_mtime_ns == before, "it was still right, so it was not written anew"
    assert "is not used" not in game.text()


@pytest.mark.parametrize(
    "damage", ["garbage", "truncated", "empty", "flipped", "description", "gone", "folder"]
)
def test_a_damaged_index_is_built_again(
    damage: str, quick_project: Project, home: Home, index: tuple[Path, list[str]]
) -> None:
    file, found = index
    content = file.read_bytes()
    if damage == "garbage":
        file.write_bytes(b"\xff" * len(content))
    elif damage == "truncated":
        file.write_bytes(content[:-500])
    elif damage == "empty":
        file.write_bytes(b"")
    elif damage == "flipped":
        file.write_bytes(content[:200] + bytes([content[200] ^ 1]) + content[201:])
    elif damage == "description":
        Path(f"{file}.json").write_text("{", encoding="utf-8")
    elif damage == "gone":
        file.unlink()
    else:
        shutil.rmtree(file.parent)
    game = run(quick_project, home, "indexed", "ask")
    assert game.value("found") == found
    assert game.value("filtered") == 60
    assert file.stat().st_size == len(content), "it was built again"


def test_an_index_that_missed_memories_is_built_again(
    quick_project: Project, home: Home, index: tuple[Path, list[str]]
) -> None:
    stale = {file: file.read_bytes() for file in index[0].parent.iterdir()}
    run(quick_project, home, "indexed", "build")
    for file, content in stale.items():
        file.write_bytes(content)
    game = run(quick_project, home, "indexed", "ask")
    assert game.value("filtered") == 60, "60 asked for, 120 there"
    assert len(game.value("found")) == 10


def test_delete_save_removes_the_index_too(quick_project: Project, home: Home) -> None:
    game = run(quick_project, home, "delete_indexed")
    assert len(game.value("before")) == 2, "a database and the folder of its index"
    assert game.value("delete") == OK
    assert game.value("after") == []


def test_where_no_file_can_be_written_npcs_remember_and_one_warning_says_so(
    quick_project: Project, home: Home
) -> None:
    home.user_data(quick_project).mkdir(parents=True)
    home.saves(quick_project).write_text("not a folder", encoding="utf-8")
    game = run(quick_project, home, "open_and_store", "slot", "other")
    assert game.values("open") == [OK, OK]
    assert game.values("count") == [1, 1]
    warnings = [line for line in game.warnings() if "NPCs remember until the game ends" in line]
    assert len(warnings) == 1 and str(home.saves(quick_project)) in warnings[0], game.tail()
    assert game.value("path") == ":memory:"
    assert game.value("has_save") is False


def test_a_save_that_cannot_be_written_is_said(quick_project: Project, home: Home) -> None:
    path = make_save(home, quick_project, "slot")
    before = digest(path)
    with read_only(path.parent) as wrapper:
        errors = ["MemoryServer.open_save"] if wrapper else []
        game = run(quick_project, home, "open_saves", "slot", wrapper=wrapper, errors=errors)
        if wrapper:
            assert game.values("open") != [OK]
            assert "cannot be" in game.value("last_error") and as_the_engine_says(path) in game.value(
                "last_error"
            )
            assert digest(path) == before
    game = run(quick_project, home, "open_saves", "slot")
    assert game.values("count") == [3]


def test_a_full_disk_is_said_and_loses_nothing_that_was_acknowledged(
    quick_project: Project, home: Home
) -> None:
    limited = ["sh", "-c", "trap '' XFSZ; ulimit -f 2000; exec \"$@\"", "sh"]
    game = run(
        quick_project, home, "store_until_it_fails", wrapper=limited, errors=["RAGMemory.store"], allowed=[""]
    )
    acknowledged = game.value("acknowledged")
    assert 0 < acknowledged < 500, game.tail()
    assert len(game.value("failed")) == 1, "only the first store() that failed"
    assert "Please report" not in game.text(), game.tail()
    assert game.value("count") == acknowledged, "reading goes on"
    assert game.value("recalled") > 1
    again = run(quick_project, home, "open_saves", "default")
    assert again.values("count") == [acknowledged]


def test_a_node_that_is_not_persistent_leaves_no_trace(quick_project: Project, home: Home) -> None:
    game = run(quick_project, home, "fleeting")
    assert (game.value("fleeting"), game.value("lasting")) == (1, 1)
    written = b"".join(file.read_bytes() for file in home.folder.rglob("*") if file.is_file())
    assert b"marmalade" in written
    assert b"chandelier" not in written


@pytest.mark.parametrize("folder", ["prepared_saves", "data/lore"])
def test_a_new_save_begins_as_a_copy_of_a_prepared_one(
    folder: str, quick_project: Project, home: Home
) -> None:
    if folder != "prepared_saves":
        quick_project.write_settings({"rag_memory/prepared_saves_folder": f'"res://{folder}"'})
    prepared = quick_project.folder / folder / "lore.sqlite3"
    prepared.parent.mkdir(parents=True)
    shutil.move(make_save(home, quick_project, "lore"), prepared)
    before = digest(prepared)
    for count in (3, 4):
        game = run(quick_project, home, "prepared_save", "slot", "lore")
        assert (game.value("open"), game.value("count")) == (OK, count)
    assert digest(prepared) == before
    game = run(quick_project, home, "prepared_save", "other", "absent", errors=["no prepared save 'absent'"])
    assert game.value("open") == FILE_NOT_FOUND


def test_loading_many_memories_holds_up_nobody_else(quick_project: Project, home: Home) -> None:
    path = make_save(home, quick_project, memories=5_000)
    with rag_memory.open_save(path, HashingEmbedder()) as save:
        save.npc("boris").memories.store("Memory number 7.")
    game = run(quick_project, home, "ask_while_loading")
    assert game.value("finished") == ["boris", "elena"], game.tail()
    assert game.values("error") == ["", ""]
    assert game.values("found") == [True, True]
