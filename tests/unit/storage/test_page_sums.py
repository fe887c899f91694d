"""What a disk or another program changes in a save is named, and nothing that the save did itself is."""

from __future__ import annotations

import contextlib
import logging
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from rag_memory import Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.step import run
from rag_memory.storage.sqlite.save_files import SqliteFiles

Open = Callable[..., Save]
TEXTS = [f"Fact {number}: the bridge over the Rushbrook is safe." for number in range(40)]
SLOT = "quick"


@pytest.fixture
def filled(opened: Open, save_path: Path) -> Path:
    with opened(save_path, 8) as save:
        save.npc("elena").memories.store_batch([{"text": text} for text in TEXTS])
        save.snapshots.take(SLOT)
    return save_path


@pytest.fixture
def warnings(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    caplog.set_level(logging.WARNING, "rag_memory")

    def collect() -> list[str]:
        messages = [record.getMessage() for record in caplog.records]
        caplog.clear()
        return messages

    return collect


def texts(save: Save) -> list[str]:
    return sorted(memory["document_full"] for memory in save.npc("elena").recall.get_recent(1000))


def change_word(file: Path, number: int) -> None:
    """Change a word of a memory, in all copies of the text, as a disk may."""
    content = file.read_bytes()
    old = TEXTS[number].encode()
    assert old in content
    file.write_bytes(content.replace(old, old.replace(b"safe", b"lost")))


def test_a_changed_word_is_named_once(opened: Open, filled: Path, warnings: Callable[[], list[str]]) -> None:
    with opened(filled, 8) as save:
        (id,) = [
            memory["id"]
            for memory in save.npc("elena").recall.get_recent(1000)
            if memory["document_full"] == TEXTS[7]
        ]
    change_word(filled, 7)
    with opened(filled, 8) as save:
        (message,) = warnings()
        assert "is not as it was written" in message and id in message
        assert len(texts(save)) == len(TEXTS)
        assert save.npc("elena").recall.retrieve_relevant("the bridge is lost")
    with opened(filled, 8):
        assert warnings() == []


def test_a_changed_word_in_a_snapshot_is_named_when_it_is_restored(
    opened: Open, filled: Path, warnings: Callable[[], list[str]]
) -> None:
    with opened(filled, 8) as save:
        save.snapshots.restore(SLOT)
        assert warnings() == []
        change_word(filled.with_suffix(".snapshots") / f"{SLOT}.sqlite3", 3)
        save.snapshots.restore(SLOT)
        (message,) = warnings()
        assert "is not as it was written" in message and "These memories" in message
        assert len(texts(save)) == len(TEXTS)
    with opened(filled, 8):
        assert warnings() == []


def test_what_a_tool_has_edited_is_kept_and_named(
    opened: Open, filled: Path, warnings: Callable[[], list[str]]
) -> None:
    with contextlib.closing(sqlite3.connect(filled, isolation_level=None)) as connection:
        connection.execute(
            "UPDATE memories SET document_full = 'The bridge burns.' WHERE document_full = ?", (TEXTS[1],)
        )
    with opened(filled, 8) as save:
        assert "is not as it was written" in warnings()[0]
        assert "The bridge burns." in texts(save)


def test_what_the_save_does_itself_is_no_damage(
    opened: Open, filled: Path, tmp_path: Path, warnings: Callable[[], list[str]]
) -> None:
    def reopened(path: Path = filled) -> Save:
        return opened(path, 8)

    with reopened() as save:
        memories = save.npc("elena").memories
        mark = save.marks.add()
        # More than one checkpoint.
        for number in range(150):
            memories.store(f"Story {number}: " + "a long way to go. " * 20)
        save.snapshots.take("later")
        save.marks.rollback_to(mark)
        save.snapshots.restore("later")
        copy = tmp_path / "copied.sqlite3"
        run(SqliteFiles().copy_steps(filled, copy, save.snapshots.copy_steps))
        memories.store("The last thing.")
        # As a kill leaves them.
        killed = tmp_path / "killed.sqlite3"
        for ending in ("", "-wal"):
            shutil.copyfile(f"{filled}{ending}", f"{killed}{ending}")
        save.store.marks.purge()
        memories.store("After everything was written anew.")
    for path in (filled, copy, killed, filled):
        with reopened(path) as save:
            assert len(texts(save)) >= 190
            save.snapshots.compare(SLOT, "later") if path == filled else None
            save.npc("elena").memories.store(f"Again in {path.name}.")
    assert warnings() == []


def test_a_save_without_checksums_gets_them(
    opened: Open, filled: Path, warnings: Callable[[], list[str]]
) -> None:
    with contextlib.closing(sqlite3.connect(filled, isolation_level=None)) as connection:
        connection.execute("DELETE FROM page_sums")
        connection.execute("DELETE FROM meta WHERE key = 'sums'")
    with opened(filled, 8) as save:
        save.npc("elena").memories.store("The mill burned down.")
    assert warnings() == []
    change_word(filled, 0)
    with opened(filled, 8):
        assert len(warnings()) == 1


@pytest.mark.parametrize("change", ["first = first + 1", "first = first + 1000"])
def test_a_changed_number_of_a_row_of_checksums_is_no_end_of_the_save(tmp_path: Path, change: str) -> None:
    path = tmp_path / "slot.sqlite3"
    with open_save(path, HashingEmbedder(8)) as save:
        save.npc("mira").memories.store_batch(
            [{"text": f"Wagon number {number} came."} for number in range(50)]
        )
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(f"UPDATE page_sums SET {change}")
        connection.commit()
    for count in (51, 52):
        with open_save(path, HashingEmbedder(8)) as save:
            save.npc("mira").memories.store(f"Wagon number {count} came.")
            assert save.npc("mira").memories.get_memory_count() == count
