"""Copies of whole saves, what is told of a save that is not open, and the campaign that it belongs to."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.sqlite_access import opened as opened_file
from tests.unit.storage.next_schema import next_schema
from tests.unit.storage.test_sqlite_failure import files_no_longer_than

import rag_memory.files
from rag_memory import (
    InvalidArgumentError,
    NotASaveError,
    Save,
    SaveError,
    SaveExistsError,
    SaveLockedError,
    SaveNotFoundError,
    StoreError,
    open_save,
)
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.godot import save_folder
from rag_memory.memory.owners import WORLD
from rag_memory.step import run
from rag_memory.storage.sqlite.save_files import SqliteFiles
from rag_memory.storage.sqlite.schema import SCHEMA_VERSION
from rag_memory.storage.sqlite.store import Store
from rag_memory.world.campaign import SaveLabels

Open = Callable[..., Save]
NOW = 1_702_500_000.0
KILLS = 40


def fill(save: Save, count: int = 30) -> None:
    save.npc("elena").memories.store_batch(
        [{"text": f"Event {n} at the mill.", "timestamp": NOW + n} for n in range(count)]
    )
    save.world.characters.register_character("elena", {"name": "Elena"})


def texts(save: Save) -> list[str]:
    return [str(each["document_full"]) for each in save.npc("elena").recall.get_recent(1000)]


def copy(folder: Path, source: str, target: str, opened: Save | None = None, replaces: bool = False) -> None:
    run(save_folder.copy_save_steps(folder, source, target, opened, replaces))


def info(folder: Path, save_id: str, opened: Save | None = None) -> dict[str, Any]:
    return save_folder.info_of(folder, save_id, opened)


def files(folder: Path) -> dict[str, bytes]:
    return {str(each.relative_to(folder)): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def names(folder: Path) -> set[str]:
    return {str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file()}


def test_a_closed_save_is_copied_with_its_snapshots(opened: Open, tmp_path: Path) -> None:
    with opened(tmp_path / "a.sqlite3") as save:
        fill(save)
        save.snapshots.take("manual")
        save.npc("elena").memories.store("After the snapshot.")
    before = files(tmp_path)
    copy(tmp_path, "a", "b")
    assert {name: content for name, content in files(tmp_path).items() if name in before} == before
    with opened(tmp_path / "b.sqlite3") as save:
        assert "After the snapshot." in texts(save) and len(texts(save)) == 31
        assert save.world.characters.get_character("elena")["name"] == "Elena"
        save.snapshots.restore("manual")
        assert len(texts(save)) == 30
    assert {name: content for name, content in files(tmp_path).items() if name in before} == before
    assert {name for name in names(tmp_path) if "copying" in name or "lock" in name} == set()


def test_an_open_save_is_copied_as_it_is_now(opened: Open, tmp_path: Path) -> None:
    save = opened(tmp_path / "a.sqlite3")
    fill(save)
    copy(tmp_path, "a", "b", save)
    save.npc("elena").memories.store("After the copy.")
    with opened(tmp_path / "b.sqlite3") as other:
        assert len(texts(other)) == 30
    assert len(texts(save)) == 31
    copy(tmp_path, "a", "c", save)
    with opened(tmp_path / "c.sqlite3") as other:
        assert texts(other) == texts(save)


def test_a_save_whose_game_was_killed_is_copied_with_what_it_wrote_last(opened: Open, tmp_path: Path) -> None:
    running, killed = tmp_path / "running", tmp_path / "killed"
    with opened(running / "a.sqlite3") as save:
        fill(save)
        killed.mkdir()
        for name in ("a.sqlite3", "a.sqlite3-wal"):
            (killed / name).write_bytes((running / name).read_bytes())
    before = files(killed)
    told = info(killed, "a")
    assert (told["state"], told["memories"], told["npcs"]) == ("closed", 30, 1)
    assert files(killed) == before
    copy(killed, "a", "b")
    with opened(killed / "b.sqlite3") as save:
        assert len(texts(save)) == 30


@pytest.mark.parametrize("left", ["b.sqlite3", "b.sqlite3-wal", "b.snapshots/manual.sqlite3"])
def test_no_save_is_ever_replaced(opened: Open, tmp_path: Path, left: str) -> None:
    with opened(tmp_path / "a.sqlite3") as save:
        fill(save)
    (tmp_path / left).parent.mkdir(exist_ok=True)
    (tmp_path / left).write_bytes(b"SQLite")
    before = files(tmp_path)
    with pytest.raises(SaveExistsError, match="there is a save 'b'"):
        copy(tmp_path, "a", "b")
    with pytest.raises(SaveExistsError):
        copy(tmp_path, "a", "a") if left == "b.sqlite3" else copy(tmp_path, "a", "b")
    assert files(tmp_path) == before


def test_what_is_no_save_is_not_copied(tmp_path: Path) -> None:
    with pytest.raises(SaveNotFoundError, match="there is no save 'a'"):
        copy(tmp_path, "a", "b")
    (tmp_path / "a.sqlite3").write_bytes(b"\x89PNG\r\n\x1a\n" + b"x" * 500)
    with pytest.raises(NotASaveError, match="PNG"):
        copy(tmp_path, "a", "b")
    with pytest.raises(NotASaveError, match="PNG"):
        info(tmp_path, "a")
    assert names(tmp_path) == {"a.sqlite3"}


def test_a_save_that_another_program_has_open_is_not_copied(opened: Open, tmp_path: Path) -> None:
    save = opened(tmp_path / "a.sqlite3")
    fill(save)
    with pytest.raises(SaveLockedError, match="is locked"):
        copy(tmp_path, "a", "b")
    assert not (tmp_path / "b.sqlite3").exists()
    told = info(tmp_path, "a")
    assert (told["state"], told["memories"], told["events"]) == ("in_use", -1, -1)
    assert told["schema_version"] == SCHEMA_VERSION and told["size"] > 0
    assert len(texts(save)) == 30, "and its owner goes on"


@pytest.mark.parametrize("is_open", [False, True])
def test_a_full_disk_leaves_no_part_of_a_copy(opened: Open, tmp_path: Path, is_open: bool) -> None:
    save = opened(tmp_path / "a.sqlite3")
    fill(save)
    save.snapshots.take("manual")
    if not is_open:
        save.close()
    before = names(tmp_path)
    with files_no_longer_than(30_000), pytest.raises(SaveError, match=r"could not be copied.*room"):
        copy(tmp_path, "a", "b", save if is_open else None)
    assert names(tmp_path) <= before
    copy(tmp_path, "a", "b", save if is_open else None)
    with opened(tmp_path / "b.sqlite3") as other:
        assert len(texts(other)) == 30


def test_a_copy_that_is_given_up_leaves_nothing(opened: Open, tmp_path: Path) -> None:
    with opened(tmp_path / "a.sqlite3") as save:
        fill(save)
        save.snapshots.take("manual")
    before = names(tmp_path)
    number = 0
    while True:
        steps = save_folder.copy_save_steps(tmp_path, "a", "b", None)
        if not all(next(steps, None) is not None for _ in range(number)):
            break
        steps.close()
        assert names(tmp_path) == before
        number += 1
    assert number > 2
    assert "b.sqlite3" in names(tmp_path)


def test_copies_that_are_made_at_once_are_whole(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "a.sqlite3"))

    def put(first: int, count: int) -> None:
        # So long that a copy has several steps.
        content = json.dumps({"text": "x" * 30_000})
        with store.transaction():
            opened_file(store).connection.executemany(
                "INSERT INTO documents (kind, id, owner, timestamp, stored_at, content) "
                "VALUES ('a', ?, '', 1, 1, ?)",
                [(f"{number}", content) for number in range(first, first + count)],
            )

    def change(length: int) -> None:
        with store.transaction():
            opened_file(store).connection.execute(
                "UPDATE documents SET content = hex(zeroblob(?))", (length,)
            )

    put(0, 300)
    first = store.copy_steps(tmp_path / "first")
    next(first)
    put(300, 50)
    second = store.copy_steps(tmp_path / "second")
    next(second, None)  # Over at once when the disk is quick.
    change(11_000)
    run(first)
    put(350, 50)
    change(9_000)
    run(second)
    store.close()
    for name, count in (("first", 300), ("second", 350)):
        with contextlib.closing(sqlite3.connect(tmp_path / name)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            sql = "SELECT count(*), min(length(content)), max(length(content)) FROM documents"
            assert connection.execute(sql).fetchone() == (count, 30_012, 30_012)


def test_the_log_goes_into_the_file_after_the_last_copy(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "a.sqlite3"))
    file_log = opened_file(store).log
    assert file_log is not None
    with store.transaction():
        store.npcs.add("elena")
    first, second = (store.copy_steps(tmp_path / name) for name in ("first", "second"))
    next(first)
    next(second, None)  # Over at once when the disk is quick.
    with store.transaction():
        store.npcs.add("bjorn")
    log = tmp_path / "a.sqlite3-wal"
    for copies in (first, second):
        file_log.checkpoint()
        assert log.stat().st_size > 0
        run(copies)
    file_log.checkpoint()
    assert log.stat().st_size == 0
    store.close()


def test_a_copy_of_a_save_that_is_closed_meanwhile_fails(opened: Open, tmp_path: Path) -> None:
    save = opened(tmp_path / "a.sqlite3")
    fill(save)
    save.snapshots.take("manual")
    before = names(tmp_path)
    steps = save.snapshots.take.steps("other")
    next(steps)
    save.npc("elena").memories.store("The bridge is out.")
    save.close()
    with pytest.raises(StoreError, match="could not be copied: it was closed"):
        run(steps)
    assert names(tmp_path) <= before
    with opened(tmp_path / "a.sqlite3") as save:
        assert len(texts(save)) == 31


def test_a_killed_process_leaves_a_whole_copy_or_none(opened: Open, tmp_path: Path) -> None:
    with opened(tmp_path / "a.sqlite3") as save:
        fill(save, 60)
        for slot in "xyz":
            save.snapshots.take(slot)
    dice = random.Random(3)
    begun = time.perf_counter()
    copy(tmp_path, "a", "timed")
    seconds = time.perf_counter() - begun
    for number in range(KILLS):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        os.link(tmp_path / "a.sqlite3", folder / "a.sqlite3")
        (folder / "a.snapshots").mkdir()
        for slot in "xyz":
            os.link(tmp_path / "a.snapshots" / f"{slot}.sqlite3", folder / "a.snapshots" / f"{slot}.sqlite3")
        child = os.fork()
        if child == 0:
            try:
                copy(folder, "a", "b")
            finally:
                os._exit(0)
        time.sleep(dice.random() * seconds * 1.5)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        is_there = (folder / "b.sqlite3").exists()
        with open_save(folder / "b.sqlite3", HashingEmbedder(64)) as save:
            assert len(texts(save)) == (60 if is_there else 0)
            assert save.snapshots.slots() == (["x", "y", "z"] if is_there else [])
        assert not (folder / "b.copying").exists()
        with open_save(folder / "a.sqlite3", HashingEmbedder(64)) as save:
            assert len(texts(save)) == 60


def test_a_copy_goes_on_where_a_killed_one_ended(opened: Open, tmp_path: Path) -> None:
    with opened(tmp_path / "a.sqlite3") as save:
        fill(save)
        save.snapshots.take("manual")
    # As a process leaves it that is killed just before the database gets its name.
    for ending in ("copying", "copied"):
        (tmp_path / f"b.{ending}").mkdir()
        (tmp_path / f"b.{ending}" / "save").write_bytes(b"half")
    (tmp_path / "b.snapshots").mkdir()
    (tmp_path / "b.snapshots" / "foreign.sqlite3").write_bytes(b"half")
    copy(tmp_path, "a", "b")
    with opened(tmp_path / "b.sqlite3") as save:
        assert save.snapshots.slots() == ["manual"] and len(texts(save)) == 30


@pytest.fixture
def two_saves(opened: Open, tmp_path: Path) -> Path:
    """A folder with two saves of other memories and other snapshots, one of them of a killed game."""
    folder = tmp_path / "two"
    for save_id, count in (("a", 30), ("b", 5)):
        with opened(folder / f"{save_id}.sqlite3") as save:
            fill(save, count)
            save.snapshots.take(f"of_{save_id}")
            save.npc("elena").memories.store(f"After the snapshot of {save_id}.")
            if save_id == "b":
                killed = {part: part.read_bytes() for part in folder.glob("b.sqlite3*")}
    for part, content in killed.items():
        part.write_bytes(content)
    (folder / "b.sqlite3.lock").unlink()
    return folder


def test_a_copy_replaces_a_save_with_its_snapshots_when_asked(opened: Open, two_saves: Path) -> None:
    copy(two_saves, "a", "b", replaces=True)
    copy(two_saves, "a", "c", replaces=True)
    for save_id in "abc":
        with opened(two_saves / f"{save_id}.sqlite3") as save:
            assert len(texts(save)) == 31
            assert save.snapshots.slots() == ["of_a"]
    with opened(two_saves / "d.sqlite3") as save:
        copy(two_saves, "d", "b", save, replaces=True)
    with opened(two_saves / "b.sqlite3") as save:
        assert (texts(save), save.snapshots.slots()) == ([], [])
        with pytest.raises(SaveLockedError, match="is locked"):
            copy(two_saves, "a", "b", replaces=True)
    assert not {name for name in names(two_saves) if "cop" in name or "lock" in name}


def test_other_versions_of_a_replaced_save_go_with_it(two_saves: Path) -> None:
    files = SqliteFiles()
    for save_id in "bc":
        (two_saves / f"{save_id}.sqlite3.of-another-computer-20261126-120000").write_bytes(b"another version")
    copy(two_saves, "a", "b", replaces=True)
    copy(two_saves, "a", "c")
    assert files.conflicts_of(two_saves / "b.sqlite3") == []
    assert len(files.conflicts_of(two_saves / "c.sqlite3")) == 1, "no save was replaced there"


def test_what_is_no_save_is_not_replaced(two_saves: Path) -> None:
    (two_saves / "c.sqlite3").write_bytes(b"\x89PNG\r\n\x1a\n" + b"x" * 500)
    before = files(two_saves)
    with pytest.raises(NotASaveError):
        copy(two_saves, "a", "c", replaces=True)
    assert files(two_saves) == before


def test_a_process_killed_at_any_step_leaves_the_old_save_or_the_new_one(two_saves: Path) -> None:
    copied: set[bool] = set()
    for number in range(60):
        folder = two_saves.with_name(f"{number}")
        shutil.copytree(two_saves, folder)
        child = os.fork()
        if child == 0:
            _end_at_step(number)
            copy(folder, "a", "b", replaces=True)
            os._exit(0)
        is_killed = os.waitpid(child, 0)[1] != 0
        described = info(folder, "b") if number % 2 else None
        with open_save(folder / "b.sqlite3", HashingEmbedder(64)) as save:
            is_copy = len(texts(save)) == 31
            assert is_copy or len(texts(save)) == 6
            assert save.snapshots.slots() == ["of_a" if is_copy else "of_b"]
        assert described is None or described["memories"] == (31 if is_copy else 6)
        assert not {name for name in names(folder) if "cop" in name}
        copied.add(is_copy)
        if not is_killed:
            break
    assert number > 10 and copied == {True, False}


def _end_at_step(number: int) -> None:
    """Have the process end before the operation with this number on files."""
    operations = itertools.count()

    def ending(change: Callable[..., None]) -> Callable[..., None]:
        def end_or_change(*paths: Path) -> None:
            if next(operations) == number:
                os._exit(1)
            change(*paths)

        return end_or_change

    for name in ("replace", "delete", "delete_folder", "sync_folder"):
        setattr(rag_memory.files, name, ending(getattr(rag_memory.files, name)))


def test_a_save_is_told_of_without_being_opened(opened: Open, tmp_path: Path) -> None:
    with opened(tmp_path / "a.sqlite3", campaign="realm", lore=["base"]) as save:
        fill(save)
        save.world.searched(WORLD).put(
            "test", "siege", "Greywater was besieged.", 5, {"timestamp": NOW - 5.0}
        )
        save.snapshots.take("manual")
        live = info(tmp_path, "a", save)
    before = files(tmp_path)
    told = info(tmp_path, "a")
    assert files(tmp_path) == before
    assert told["state"] == "closed" and live["state"] == "open"
    assert {**live, "state": 0, "size": 0} == {**told, "state": 0, "size": 0}
    assert told["size"] == sum(len(content) for content in before.values())
    assert (told["npcs"], told["memories"], told["events"], told["lore_chunks"]) == (1, 30, 0, 0)
    assert (told["oldest"], told["newest"]) == (NOW, NOW + 29)
    assert (told["campaign"], told["lore"], told["snapshots"]) == ("realm", ["base"], ["manual"])
    assert told["documents"]["character"] == 1
    assert (told["save_id"], told["schema_version"]) == ("a", SCHEMA_VERSION)
    with pytest.raises(SaveNotFoundError, match="there is no save 'b'"):
        info(tmp_path, "b")


def test_an_empty_save_has_no_times(opened: Open, tmp_path: Path) -> None:
    opened(tmp_path / "a.sqlite3").close()
    told = info(tmp_path, "a")
    assert (told["npcs"], told["memories"], told["oldest"], told["newest"]) == (0, 0, 0.0, 0.0)


def test_a_save_of_any_version_is_told_of(tmp_path: Path) -> None:
    old = Path(__file__).parent / "data" / "save_schema_1.sqlite3"
    (tmp_path / "old.sqlite3").write_bytes(old.read_bytes())
    with next_schema():
        described = info(tmp_path, "old")
    assert (described["state"], described["schema_version"], described["campaign"]) == ("closed", 1, "")
    assert described["npcs"] > 0 and described["memories"] > 0 and described["events"] == 0
    assert (tmp_path / "old.sqlite3").read_bytes() == old.read_bytes(), "and stays of its version"
    with sqlite3.connect(tmp_path / "old.sqlite3") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    described = info(tmp_path, "old")
    assert (described["state"], described["schema_version"], described["memories"]) == ("too_new", 99, -1)
    unreleased = old.with_name("save_unreleased.sqlite3").read_bytes()
    (tmp_path / "old.sqlite3").write_bytes(unreleased)
    assert (info(tmp_path, "old")["state"], info(tmp_path, "old")["memories"]) == ("too_old", -1)
    assert (tmp_path / "old.sqlite3").read_bytes() == unreleased


@pytest.mark.parametrize("length", [0, 50, 3000, 5000, 40_000])
def test_a_damaged_save_is_told_of_and_left_alone(opened: Open, tmp_path: Path, length: int) -> None:
    with opened(tmp_path / "a.sqlite3") as save:
        fill(save)
    path = tmp_path / "a.sqlite3"
    path.write_bytes(path.read_bytes()[:length])
    before = files(tmp_path)
    assert info(tmp_path, "a")["state"] == ("damaged" if length else "closed")
    assert files(tmp_path) == before


def test_a_snapshot_is_deleted(opened: Open, tmp_path: Path) -> None:
    save = opened(tmp_path / "a.sqlite3")
    fill(save)
    save.snapshots.take("one")
    save.snapshots.take("two")
    save.store.snapshots.delete("one")
    assert save.snapshots.slots() == ["two"]
    with pytest.raises(SaveNotFoundError, match=r"there is no snapshot 'one'.*The snapshots are two"):
        save.store.snapshots.delete("one")
    with pytest.raises(InvalidArgumentError, match="cannot be the name of a snapshot"):
        save.store.snapshots.delete("../a")
    with pytest.raises(InvalidArgumentError, match="this save has no snapshots"):
        opened(":memory:").store.snapshots.delete("one")


def test_a_save_stays_in_its_campaign(opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite3"
    opened(path).close()
    with opened(path, campaign="realm", lore=["base", "thrones"]) as save:
        fill(save)
        with pytest.raises(InvalidArgumentError, match="belongs to the campaign"):
            save.enter(SaveLabels("greece"))
        save.marks.rollback_to(0.0)
    before = path.read_bytes()
    with pytest.raises(
        InvalidArgumentError, match=r'belongs to the campaign "realm".*"greece".*another save'
    ):
        opened(path, campaign="greece")
    assert path.read_bytes() == before
    for campaign in ("realm", ""):
        opened(path, campaign=campaign).close()
        assert (info(tmp_path, "a")["campaign"], info(tmp_path, "a")["lore"]) == (
            "realm",
            ["base", "thrones"],
        )
    with opened(path) as save:
        save.enter(SaveLabels("realm", []))
    assert info(tmp_path, "a")["lore"] == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"campaign": 3}, "campaign is 3"),
        ({"lore": "base"}, "lore"),
        ({"lore": [3]}, "lore"),
        ({"campaign": None}, "campaign"),
    ],
)
def test_wrong_options_leave_no_save(
    opened: Open, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        opened(tmp_path / "a.sqlite3", **options)
    assert names(tmp_path) == set()


def test_a_new_campaign_costs_one_version(opened: Open, tmp_path: Path) -> None:
    for _ in range(3):
        opened(tmp_path / "a.sqlite3", campaign="realm", lore=["base"]).close()
    with sqlite3.connect(tmp_path / "a.sqlite3") as connection:
        assert connection.execute("SELECT count(*) FROM documents").fetchone() == (1,)
    connection.close()


@pytest.mark.parametrize("content", [b"", bytes(8192), None])
def test_a_save_that_cannot_be_read_replaces_no_other(tmp_path: Path, content: bytes | None) -> None:
    for name in ("good", "broken"):
        with open_save(tmp_path / f"{name}.sqlite3", HashingEmbedder(8)) as save:
            save.npc("mira").memories.store(f"The {name} well has run dry.")
            save.snapshots.take("slot")
    broken = tmp_path / "broken.sqlite3"
    broken.write_bytes(broken.read_bytes()[:8192] if content is None else content)
    with pytest.raises(SaveError):
        run(save_folder.copy_save_steps(tmp_path, "broken", "good", None, replaces=True))
    with open_save(tmp_path / "good.sqlite3", HashingEmbedder(8)) as save:
        assert save.npc("mira").recall.get_recent(1)[0]["document"] == "The good well has run dry."
        assert save.snapshots.slots() == ["slot"]
