"""Logs beside a save that belong to another history of it: none is applied or lost, all are reported."""

from __future__ import annotations

import contextlib
import logging
import os
import random
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.unit.killed_process import told_before_killed
from tests.unit.sqlite_access import opened as opened_file
from tests.unit.sqlite_access import reading
from tests.unit.storage.next_schema import next_schema

from rag_memory import Save, SaveDamagedError, SaveError, files, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.godot import save_folder
from rag_memory.step import run
from rag_memory.storage.sqlite import database, schema, write_ahead_log
from rag_memory.storage.sqlite.leftover_logs import own_logs
from rag_memory.storage.sqlite.log_reading import read_log
from rag_memory.storage.sqlite.log_record import (
    NO_RECORD,
    RECORD_PAGE,
    WRITE_RECORD,
    LogRecord,
    record_in,
    record_on,
)
from rag_memory.storage.sqlite.page_sums import read_pages
from rag_memory.storage.sqlite.store import Store
from rag_memory.storage.sqlite.write_ahead_log import WriteAheadLog

KEPT_SAVE = Path(__file__).parent / "data" / "save_schema_1.sqlite3"
PAGE_BYTES = 4096
PLAY = """
import os, sys
from rag_memory import open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
path, who, count, end = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
save = open_save(path, embedder=HashingEmbedder(64))
npc = save.npc("mira")
for number in range(count):
    npc.memories.store(f"On computer {who} the player told me story {number} about the wolves at the mill.")
os._exit(0) if end == "killed" else save.close()
"""


def play(path: Path, who: str, count: int, end: str = "closed") -> None:
    """Let a process store memories one by one, then close the save or die."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", PLAY, str(path), who, str(count), end]
    subprocess.run(command, check=True, env=environment)


def opened_at(path: Path) -> Save:
    return open_save(path, embedder=HashingEmbedder(64))


def texts_of(save: Save) -> list[str]:
    return sorted(str(memory["document_full"]) for memory in save.npc("mira").recall.get_recent(100_000))


def texts_in(path: Path) -> list[str]:
    with opened_at(path) as save:
        return texts_of(save)


def log_of(path: Path) -> Path:
    return Path(f"{path}-wal")


def asides(path: Path) -> list[Path]:
    return sorted(path.parent.glob("*.of-another-save-*"))


def copied(path: Path, folder: Path) -> Path:
    """The save and its log as a crash at this moment would leave them."""
    folder.mkdir(exist_ok=True)
    for file in (path, log_of(path)):
        if file.exists():
            shutil.copyfile(file, folder / file.name)
    return folder / path.name


def store(save: Save, first: int, count: int) -> None:
    for number in range(first, first + count):
        save.npc("mira").memories.store(f"Story {number} about the wolves at the mill.")


def store_of(save: Save) -> Store:
    assert isinstance(save.store, Store)
    return save.store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "slot.sqlite3"


@pytest.fixture
def short_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints after a few memories."""
    monkeypatch.setattr(write_ahead_log, "_MOST_FRAMES", 30)
    monkeypatch.setattr(write_ahead_log, "_CHANGES_BETWEEN_LOOKS", 1)


# Two computers, one save in a folder that is synced.


@pytest.mark.parametrize(("of_a", "of_b"), [(60, 20), (60, 1500), (1500, 20), (1500, 1500)])
def test_the_log_of_another_computer_is_put_aside_and_reported_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, of_a: int, of_b: int
) -> None:
    a, b = tmp_path / "a" / "slot.sqlite3", tmp_path / "b" / "slot.sqlite3"
    play(a, "both", 40)
    copied(a, b.parent)
    play(b, "B", of_b, "killed")
    log = log_of(b).read_bytes()
    play(a, "A", of_a)
    shutil.copyfile(a, b)
    expected = texts_in(a)
    assert len(expected) == 40 + of_a
    assert texts_in(b) == expected
    (aside,) = asides(b)
    assert aside.name.startswith("slot.sqlite3-wal.of-another-save-20")
    assert aside.read_bytes() == log
    (record,) = [entry for entry in caplog.records if entry.levelno >= logging.WARNING]
    assert record.levelno == logging.WARNING
    assert all(text in record.getMessage() for text in (str(b), "slot.sqlite3-wal:", str(aside)))
    caplog.clear()
    assert texts_in(b) == expected
    assert asides(b) == [aside] and not caplog.records, "it is said once"
    assert save_folder.list_saves(b.parent) == ["slot"]


def test_a_second_log_does_not_replace_the_first(path: Path, tmp_path: Path) -> None:
    play(path, "both", 5)
    backup = copied(path, tmp_path / "backup")
    logs = []
    for number in range(3):
        play(path, f"B{number}", 3, "killed")
        logs.append(log_of(path).read_bytes())
        shutil.copyfile(backup, path)
        assert len(texts_in(path)) == 5
    assert sorted(file.read_bytes() for file in asides(path)) == sorted(logs)


def test_a_backup_that_is_put_back_after_a_crash_is_the_save(path: Path, tmp_path: Path) -> None:
    play(path, "one", 30)
    backup = copied(path, tmp_path / "backup")
    play(path, "two", 20, "killed")
    shutil.copyfile(backup, path)
    assert texts_in(path) == texts_in(backup)
    assert len(asides(path)) == 1


def test_the_log_can_be_read_with_the_file_that_it_belongs_to(path: Path, tmp_path: Path) -> None:
    play(path, "one", 30)
    backup = copied(path, tmp_path / "backup")
    play(path, "two", 20, "killed")
    of_the_log = copied(path, tmp_path / "other")
    log_of(of_the_log).unlink()
    shutil.copyfile(backup, path)
    texts_in(path)
    (aside,) = asides(path)
    shutil.copyfile(aside, log_of(of_the_log))
    assert len(texts_in(of_the_log)) == 50
    assert asides(of_the_log) == []


@pytest.mark.parametrize("what", ["snapshot", "copy"])
def test_a_snapshot_or_a_copy_that_is_put_in_place_after_a_crash_is_the_save(
    path: Path, tmp_path: Path, what: str
) -> None:
    crashed = tmp_path / "crashed" / "slot.sqlite3"
    with opened_at(path) as save:
        store(save, 0, 10)
        save.snapshots.take("manual")
        run(save_folder.copy_save_steps(tmp_path, "slot", "other", save))
        store(save, 10, 10)
        copied(path, crashed.parent)
    source = tmp_path / ("slot.snapshots/manual.sqlite3" if what == "snapshot" else "other.sqlite3")
    shutil.copyfile(source, crashed)
    assert len(texts_in(crashed)) == 10
    assert len(asides(crashed)) == 1


@pytest.mark.usefixtures("short_logs")
def test_a_backup_of_a_running_game_is_not_given_a_later_log(path: Path, tmp_path: Path) -> None:
    crashed, backup = tmp_path / "crashed" / "slot.sqlite3", tmp_path / "backup.sqlite3"
    with opened_at(path) as save:
        store(save, 0, 30)
        shutil.copyfile(path, backup)
        store(save, 30, 30)
        copied(path, crashed.parent)
    shutil.copyfile(backup, crashed)
    texts = texts_in(crashed)
    assert 0 < len(texts) <= 30 and texts == sorted(
        f"Story {number} about the wolves at the mill." for number in range(len(texts))
    )
    assert len(asides(crashed)) == 1


@pytest.mark.usefixtures("short_logs")
def test_an_older_part_of_a_log_is_not_applied_to_the_file_that_has_all_of_it(
    path: Path, tmp_path: Path
) -> None:
    old_log = tmp_path / "old"
    with opened_at(path) as save:
        store(save, 0, 3)
        assert log_of(path).stat().st_size > 0
        shutil.copyfile(log_of(path), old_log)
        store(save, 3, 40)
    for stage in ("a crash", "a close"):
        target = copied(path, tmp_path / stage)
        shutil.copyfile(old_log, log_of(target))
        assert len(texts_in(target)) == 43
        assert len(asides(target)) == 1


def test_a_save_that_is_only_read_stays_as_it_is(path: Path) -> None:
    play(path, "one", 30)
    content = path.read_bytes()
    with open_save(path, embedder=HashingEmbedder(64), is_played=False) as save:
        assert len(texts_of(save)) == 30
    assert path.read_bytes() == content


# What belongs to the save is applied, after any crash.


def test_files_that_were_copied_together_belong_together(path: Path, tmp_path: Path) -> None:
    with opened_at(path) as save:
        for number in range(20):
            store(save, number, 1)
            assert len(texts_in(copied(path, tmp_path / f"{number}"))) == number + 1
            assert asides(tmp_path / f"{number}" / "slot.sqlite3") == []


def test_a_log_is_applied_to_a_file_that_a_killed_checkpoint_left(path: Path, tmp_path: Path) -> None:
    with opened_at(path) as save:
        store(save, 0, 40)
        log = opened_file(store_of(save)).log
        assert log is not None
        log.begin()  # as a checkpoint does first
        before = path.read_bytes()
        crashed = copied(path, tmp_path / "crashed")
        with reading(store_of(save)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        after = path.read_bytes()
    assert before != after
    written = log_of(crashed).read_bytes()
    dice = random.Random(4)
    for number in range(40):
        pages = bytearray(before.ljust(len(after), b"\0")) if number else bytearray(after)
        for start in range(0, len(after), PAGE_BYTES):
            if dice.random() < 0.5:
                pages[start : start + PAGE_BYTES] = after[start : start + PAGE_BYTES]
        target = tmp_path / f"{number}" / "slot.sqlite3"
        target.parent.mkdir()
        target.write_bytes(pages)
        log_of(target).write_bytes(written)
        assert len(texts_in(target)) == 40
        assert asides(target) == []


def test_one_changed_character_of_the_record_loses_no_log(path: Path, tmp_path: Path) -> None:
    with opened_at(path) as save:
        store(save, 0, 10)
        crashed = copied(path, tmp_path / "crashed")
    content = bytearray(crashed.read_bytes())
    place = 2 * PAGE_BYTES - 20
    assert chr(content[place]) in "0123456789abcdef"
    content[place] ^= 1
    for changed in (bytes(content), content[:PAGE_BYTES] + b"\xff" * 9 + content[PAGE_BYTES + 9 :]):
        target = copied(crashed, tmp_path / f"{len(list(tmp_path.iterdir()))}")
        target.write_bytes(changed)
        assert len(texts_in(target)) == 10
        assert asides(target) == []


def test_no_changed_bit_of_the_page_with_the_record_loses_a_log(path: Path, tmp_path: Path) -> None:
    play(path, "A", 3)
    play(path, "B", 9, "killed")
    content = path.read_bytes()
    page = content[PAGE_BYTES : 2 * PAGE_BYTES]
    head = 12
    first_used = head + next(number for number, byte in enumerate(page[head:]) if byte)
    places = [*range(head), *range(first_used, PAGE_BYTES)]
    foreign = []
    for bit in (8 * place + number for place in places for number in range(8)):
        changed = bytearray(content)
        changed[PAGE_BYTES + bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        if own_logs(path) != [log_of(path)]:
            foreign.append(bit)
    assert not foreign
    for bit in (3 * 8, 4 * 8, 4 * 8 + 1, 8 * (PAGE_BYTES - 35), 8 * (PAGE_BYTES - 33) + 1):
        changed = bytearray(content)
        changed[PAGE_BYTES + bit // 8] ^= 1 << bit % 8
        crashed = copied(path, tmp_path / f"{bit}")
        crashed.write_bytes(changed)
        assert len(texts_in(crashed)) == 12
        assert asides(crashed) == []


def stories(actions: int) -> list[str]:
    """The NPC's memories after that many actions of act_forever()."""
    texts: list[str] = []
    snapshot: list[str] | None = None
    for number in range(1, actions + 1):
        if number % 11 == 0 and snapshot is not None:
            texts = list(snapshot)
        elif number % 7 == 0:
            snapshot = list(texts)
        else:
            texts.append(f"Story {number} about the wolves at the mill.")
    return sorted(texts)


def act_forever(path: Path, done: Callable[[], object]) -> None:
    """Store, take snapshots and restore them, with checkpoints all the time."""
    write_ahead_log._MOST_FRAMES, write_ahead_log._CHANGES_BETWEEN_LOOKS = 12, 1
    save = opened_at(path)
    number = 0
    while True:
        number += 1
        if number % 11 == 0:
            save.snapshots.restore("manual")
        elif number % 7 == 0:
            save.snapshots.take("manual")
        else:
            store(save, number, 1)
        done()


@pytest.mark.parametrize("seed", range(30))
def test_a_killed_process_leaves_a_log_that_is_applied(path: Path, seed: int) -> None:
    dice = random.Random(seed)
    actions = told_before_killed(lambda done: act_forever(path, done), dice.randrange(1, 60), dice)
    assert texts_in(path) in (stories(actions), stories(actions + 1))
    assert asides(path) == []


class History:
    """A save that is played, killed, copied and put back at random, and every state that it was in."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.dice = folder, random.Random(seed)
        self.path = folder / "slot.sqlite3"
        self.states: set[tuple[str, ...]] = {()}
        self.files: list[tuple[bytes, bytes, tuple[str, ...]]] = []
        """Of the save and of its log, copied at once, with the state they are in."""
        self.number = 0
        opened_at(self.path).close()

    def session(self) -> None:
        with opened_at(self.path) as save:
            state = tuple(texts_of(save))
            assert state in self.states, "a mixture of two histories"
            for _ in range(self.dice.randrange(6)):
                action = self.dice.random()
                if action < 0.15:
                    save.snapshots.take("manual")
                elif action < 0.3 and save.snapshots.slots():
                    save.snapshots.restore("manual")
                else:
                    count = self.dice.choice((1, 1, 3, 12))
                    for _ in range(count):
                        save.npc("mira").memories.store(f"Story {self.number} about the wolves at the mill.")
                        self.number += 1
                        state = tuple(texts_of(save))
                        self.states.add(state)
                state = tuple(texts_of(save))
                self.states.add(state)
                self.remember(state)
        self.remember(state)

    def remember(self, state: tuple[str, ...]) -> None:
        log = log_of(self.path)
        self.files.append((self.path.read_bytes(), log.read_bytes() if log.exists() else b"", state))

    def put_back(self) -> None:
        """Put files in place: those of one moment, whose state is known then, or of two."""
        file, log, state = self.dice.choice(self.files)
        is_whole = self.dice.random() < 0.4
        if not is_whole:
            log = self.dice.choice(self.files)[1]
        self.path.write_bytes(file)
        log_of(self.path).write_bytes(log)
        for aside in asides(self.path):
            aside.unlink()
        texts = tuple(texts_in(self.path))
        assert texts in self.states, "a mixture of two histories"
        if is_whole:
            assert texts == state, "something of the save itself was not applied"
            assert asides(self.path) == []


@pytest.mark.usefixtures("short_logs")
@pytest.mark.parametrize("seed", range(6))
def test_no_sequence_of_crashes_copies_and_backups_mixes_two_histories(tmp_path: Path, seed: int) -> None:
    history = History(tmp_path, seed)
    for _ in range(12):
        history.session()
        history.put_back()


def test_sqlite_takes_the_same_part_of_a_damaged_log(path: Path, tmp_path: Path) -> None:
    opened_at(path).close()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        for number in range(40):
            connection.execute(WRITE_RECORD, (LogRecord(f"{number + 1:016x}", "").value(),))
        main, log = path.read_bytes(), log_of(path).read_bytes()
    dice = random.Random(5)
    for number in range(60):
        damaged = bytearray(log)
        if number % 3 == 0:
            del damaged[dice.randrange(len(log)) :]
        elif number % 3 == 1:
            damaged[dice.randrange(len(log))] ^= 1 << dice.randrange(8)
        else:
            damaged[dice.randrange(200)] ^= 1 << dice.randrange(8)
        path.write_bytes(main)
        log_of(path).write_bytes(damaged)
        applied = read_log(log_of(path), RECORD_PAGE)
        record = record_on(applied.images[-1]) if applied else record_in(path)
        assert record is not None
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
            try:
                row = connection.execute("SELECT value FROM meta WHERE key = 'log'").fetchone()
            except sqlite3.OperationalError as error:
                assert "unable to open" in str(error), "a log of another version of SQLite"
                row = (record.value(),)
        assert row == (record.value(),)
        log_of(path).unlink(missing_ok=True)


# Saves without a record, which show nothing of their logs.


def without_record(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DELETE FROM meta WHERE key = 'log'")


def unrecorded(path: Path, who: str, count: int) -> sqlite3.Connection:
    """Store memories as a program would that writes no record; the connection that has the log open."""
    connection = sqlite3.connect(path, isolation_level=None)
    names = [row[1] for row in connection.execute("PRAGMA table_info(memories)")]
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    fields = [name for name in names if name != "memory"]
    values = connection.execute(f"SELECT {', '.join(fields)} FROM memories LIMIT 1").fetchone()
    row = dict(zip(fields, values, strict=True))
    for number in range(count):
        row |= {"id": f"{who}_{number}", "document_full": f"{who} told story {number}. " + "It rained. " * 20}
        connection.execute(
            f"INSERT INTO memories ({', '.join(row)}) VALUES ({', '.join('?' for _ in row)})",
            tuple(row.values()),
        )
        memory = connection.execute("SELECT last_insert_rowid()").fetchone()[0]
        connection.execute(
            "INSERT INTO vectors (memory, model, embedding) SELECT ?, model, embedding FROM vectors LIMIT 1",
            (memory,),
        )
    return connection


@pytest.mark.parametrize("old", ["of schema 1", "new"])
def test_a_save_without_a_record_keeps_what_its_log_holds(path: Path, tmp_path: Path, old: str) -> None:
    npc = "elena"
    if old == "of schema 1":
        shutil.copyfile(KEPT_SAVE, path)
    else:
        with opened_at(path) as save:
            save.npc(npc).memories.store("We met at the well.")
    without_record(path)
    with opened_at(copied(path, tmp_path / "before")) as save:
        count = save.npc(npc).memories.get_memory_count()
    with contextlib.closing(unrecorded(path, "B", 50)):
        crashed = copied(path, tmp_path / "crashed")
    for _ in range(2):
        with opened_at(crashed) as save:
            assert (
                save.npc(npc).memories.get_memory_count() + save.npc("bjorn").memories.get_memory_count()
                >= count + 50
            )
    assert asides(crashed) == []


def test_a_save_without_a_record_is_whole_without_a_log_that_does_not_fit(path: Path, tmp_path: Path) -> None:
    with opened_at(path) as save:
        save.npc("mira").memories.store("We met at the well.")
    without_record(path)
    other = copied(path, tmp_path / "b")
    with contextlib.closing(unrecorded(other, "B", 300)):
        log = log_of(other).read_bytes()
    unrecorded(path, "A", 700).close()
    log_of(path).write_bytes(log)
    texts = texts_in(path)
    assert len(texts) == 701 and not any(text.startswith("B ") for text in texts)
    assert [aside.read_bytes() for aside in asides(path)] == [log]


def test_a_log_without_a_record_is_not_applied_to_a_newer_file(path: Path, tmp_path: Path) -> None:
    with opened_at(path) as save:
        save.npc("mira").memories.store("We met at the well.")
    without_record(path)
    other = copied(path, tmp_path / "b")
    with contextlib.closing(unrecorded(other, "B", 3)):
        log = log_of(other).read_bytes()
    play(path, "A", 20)
    log_of(path).write_bytes(log)
    assert len(texts_in(path)) == 21
    assert len(asides(path)) == 1


def killed_migration(path: Path, folder: Path) -> Path:
    """A save of schema 1 with the log of its migration, whose first record follows no other."""
    shutil.copyfile(KEPT_SAVE, path)
    without_record(path)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        WriteAheadLog(connection, path, "", read_pages(path)).begin()
        schema.migrate(connection, 1)
        return copied(path, folder)


def test_the_log_of_a_killed_migration_is_not_applied_to_another_save(path: Path, tmp_path: Path) -> None:
    with next_schema():
        crashed = killed_migration(path, tmp_path / "crashed")
    other = tmp_path / "other.sqlite3"
    shutil.copyfile(KEPT_SAVE, other)
    without_record(other)
    unrecorded(other, "B", 900).close()
    expected = copied(other, tmp_path / "expected")
    shutil.copyfile(other, crashed)
    for _ in range(2):
        with next_schema(), opened_at(crashed) as save, opened_at(expected) as unchanged:
            count = (
                save.npc("elena").memories.get_memory_count() + save.npc("bjorn").memories.get_memory_count()
            )
            expected_count = (
                unchanged.npc("elena").memories.get_memory_count()
                + unchanged.npc("bjorn").memories.get_memory_count()
            )
            assert count == expected_count > 900
    assert len(asides(crashed)) == 1


def test_the_log_of_a_killed_migration_is_applied_to_its_save(path: Path, tmp_path: Path) -> None:
    with next_schema():
        crashed = killed_migration(path, tmp_path / "crashed")
    with next_schema(), opened_at(crashed) as save:
        assert save.npc("elena").memories.get_memory_count() > 0
    assert asides(crashed) == []


def test_a_save_has_a_record_before_it_is_migrated(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copyfile(KEPT_SAVE, path)
    without_record(path)
    assert record_in(path) == NO_RECORD
    records = []

    def watched(connection: sqlite3.Connection, version: int) -> None:
        records.append(record_in(path))
        schema.migrate(connection, version)

    monkeypatch.setattr(database, "migrate", watched)
    with next_schema():
        Store(str(path)).close()
    (record,) = records
    assert record is not None and record.state


# Rollback journals.


def journal_of(path: Path) -> Path:
    return Path(f"{path}-journal")


def made_journal(pages: dict[int, bytes], page_count: int) -> bytes:
    """A journal that SQLite would play back: the original pages of a file that had so many."""
    header = struct.pack(
        ">8s5I", bytes.fromhex("d9d505f920a163d7"), len(pages), 7, page_count, 512, PAGE_BYTES
    )
    content = header.ljust(512, b"\0")
    for number, page in pages.items():
        checksum = 7 + sum(page[place] for place in range(PAGE_BYTES - 200, 0, -200))
        content += struct.pack(">I", number) + page + struct.pack(">I", checksum)
    return content


def test_the_journal_of_a_save_that_was_being_made_does_not_empty_another_one(path: Path) -> None:
    play(path, "A", 30)
    journal = made_journal({}, 0)
    journal_of(path).write_bytes(journal)
    assert len(texts_in(path)) == 30
    (aside,) = asides(path)
    assert aside.name.startswith("slot.sqlite3-journal.of-another-save-")
    assert aside.read_bytes() == journal


def test_the_journal_of_another_file_is_not_played_back(path: Path, tmp_path: Path) -> None:
    play(path, "both", 5)
    old = path.read_bytes()
    pages = {number: old[(number - 1) * PAGE_BYTES : number * PAGE_BYTES] for number in (1, 2, 3)}
    pages[1] = pages[1][:18] + b"\x01\x01" + pages[1][20:]
    play(path, "A", 300)
    journal_of(path).write_bytes(made_journal(pages, len(old) // PAGE_BYTES))
    assert len(texts_in(path)) == 305
    assert len(asides(path)) == 1


def test_the_journal_of_the_save_itself_is_played_back(path: Path, tmp_path: Path) -> None:
    play(path, "A", 300)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA cache_size = 5")
        connection.execute("BEGIN")
        connection.execute("UPDATE memories SET document_full = document_full || ' Or so they say.'")
        crashed = tmp_path / "crashed" / path.name
        crashed.parent.mkdir()
        for file in (path, journal_of(path)):
            shutil.copyfile(file, crashed.parent / file.name)
    assert b"Or so they say" in crashed.read_bytes()
    texts = texts_in(crashed)
    assert len(texts) == 300 and not any("Or so they say" in text for text in texts)
    assert asides(crashed) == []


@pytest.mark.parametrize("is_written", [False, True])
def test_the_journal_of_the_change_to_a_log_is_played_back(path: Path, is_written: bool) -> None:
    play(path, "A", 30)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    before = path.read_bytes()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    if not is_written:
        path.write_bytes(before)
    journal_of(path).write_bytes(made_journal({1: before[:PAGE_BYTES]}, len(before) // PAGE_BYTES))
    assert len(texts_in(path)) == 30
    assert asides(path) == []


def test_a_killed_creation_begins_anew(path: Path) -> None:
    opened_at(path).close()
    content = path.read_bytes()
    path.write_bytes(content[:18] + b"\x01\x01" + content[20 : 3 * PAGE_BYTES])
    journal_of(path).write_bytes(made_journal({}, 0))
    assert texts_in(path) == []
    assert asides(path) == []


# Everything else that looks at a save.


@pytest.fixture
def beside_another(path: Path, tmp_path: Path) -> Iterator[Path]:
    """A save with 25 memories beside the log of another history."""
    play(path, "one", 25)
    backup = copied(path, tmp_path / "backup")
    play(path, "two", 20, "killed")
    shutil.copyfile(backup, path)
    shutil.rmtree(backup.parent)
    yield path


def contents(folder: Path) -> dict[str, bytes]:
    paths = (file for file in folder.rglob("*") if file.is_file() and file.suffix != ".lock")
    return {str(file.relative_to(folder)): file.read_bytes() for file in paths}


def test_the_menu_counts_the_save_alone_and_changes_nothing(beside_another: Path) -> None:
    before = contents(beside_another.parent)
    info = save_folder.info_of(beside_another.parent, "slot", None)
    assert (info["state"], info["memories"]) == ("closed", 25)
    assert contents(beside_another.parent) == before


def test_a_copy_of_the_save_has_no_foreign_log(beside_another: Path) -> None:
    folder = beside_another.parent
    run(save_folder.copy_save_steps(folder, "slot", "other", None))
    assert not log_of(folder / "other.sqlite3").exists()
    assert len(texts_in(folder / "other.sqlite3")) == 25
    assert log_of(beside_another).exists(), "and stays until the save is opened"


def test_what_is_read_of_a_damaged_save_is_of_the_save_alone(beside_another: Path) -> None:
    content = bytearray(beside_another.read_bytes())
    content[:16] = bytes(16)
    beside_another.write_bytes(content)
    with pytest.raises(SaveDamagedError, match="26 memories, interactions and documents"):
        opened_at(beside_another)
    assert texts_in(beside_another) == sorted(
        f"On computer one the player told me story {number} about the wolves at the mill."
        for number in range(25)
    )
    (aside,) = asides(beside_another)
    assert aside.name.startswith("slot.sqlite3-wal.of-another-save-")


def test_a_log_that_cannot_be_put_aside_is_named_and_not_applied(
    beside_another: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(beside_another.parent)

    def refuse(source: Path, target: Path) -> None:
        raise PermissionError(13, "The process cannot access the file", str(source))

    with monkeypatch.context() as refused:
        refused.setattr(files, "replace", refuse)
        with pytest.raises(
            SaveError, match=r"slot\.sqlite3 cannot be opened: .*slot\.sqlite3-wal belongs.*Close"
        ):
            opened_at(beside_another)
    assert contents(beside_another.parent) == before
    assert len(texts_in(beside_another)) == 25
    assert len(asides(beside_another)) == 1


def test_the_index_of_the_log_goes_with_it(beside_another: Path) -> None:
    shared = Path(f"{beside_another}-shm")
    shared.write_bytes(b"\xff" * 32768)
    assert len(texts_in(beside_another)) == 25
    assert not shared.exists()


def test_the_logs_that_were_put_aside_are_deleted_with_their_save(beside_another: Path) -> None:
    folder = beside_another.parent
    others = [folder / "slot.sqlite3-copy.of-another-save-1", folder / "slot_2.sqlite3-wal.of-another-save-1"]
    for other in others:
        other.touch()
    texts_in(beside_another)
    journal_of(beside_another).with_name("slot.sqlite3-journal.of-another-save-20260101-000000").touch()
    assert len(asides(beside_another)) == 4
    save_folder.delete_save(folder, "slot")
    assert sorted(folder.iterdir()) == others


@pytest.fixture
def undecided(path: Path) -> Path:
    """A crashed save with 12 memories, of which nothing tells that its log is its own."""
    play(path, "A", 3)
    play(path, "B", 9, "killed")
    content = bytearray(path.read_bytes())
    content[2 * PAGE_BYTES - 35] ^= 1
    path.write_bytes(content)
    return path


def refuse_temporary_folders(monkeypatch: pytest.MonkeyPatch, *refused: Path | None) -> None:
    real = tempfile.TemporaryDirectory

    def made(*, prefix: str, dir: Path | None = None) -> tempfile.TemporaryDirectory[str]:
        if dir in refused:
            raise OSError(28, "No space left on device", str(dir))
        return real(prefix=prefix, dir=dir)

    monkeypatch.setattr(tempfile, "TemporaryDirectory", made)


def test_a_full_folder_of_temporary_files_does_not_keep_a_save_from_opening(
    undecided: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_temporary_folders(monkeypatch, None)
    assert len(texts_in(undecided)) == 12
    assert asides(undecided) == []
    assert {file.name for file in undecided.parent.iterdir()} <= {"slot.sqlite3", "slot.sqlite3.lock"}


def test_a_log_that_cannot_be_recognized_for_want_of_room_is_left_untouched(
    undecided: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(undecided.parent)
    with monkeypatch.context() as full:
        refuse_temporary_folders(full, None, undecided.parent)
        with pytest.raises(SaveError, match=r"no room for the copies.*No space left.*Free room"):
            opened_at(undecided)
    assert contents(undecided.parent) == before
    assert len(texts_in(undecided)) == 12


def test_a_file_that_is_none_without_its_log_needs_no_room_to_be_opened(
    undecided: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = bytearray(undecided.read_bytes())
    content[PAGE_BYTES : 2 * PAGE_BYTES] = b"\xff" * PAGE_BYTES
    undecided.write_bytes(content)
    refuse_temporary_folders(monkeypatch, None, undecided.parent)
    assert len(texts_in(undecided)) == 12
