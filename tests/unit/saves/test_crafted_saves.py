"""Saves that a stranger has changed by hand: whatever is in them is mended or refused, and named once."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.calls_on_saves import changing, reading, writing
from tests.crafted_saves import CRAFTS, NOW, NPCS, SECRET, crafted, make_base, outside_of, sql

from rag_memory import Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.errors import RagMemoryError, SaveDamagedError, SaveError

DAY = 86400.0
SEED = int(os.environ.get("RAG_MEMORY_TEST_SEED", "1"))
REFUSED = ("links", "linked_folders", "fifo", "fifo_beside", "device", "sparse", "sparse_tail")
"""What is no save, or lies beside one and leads elsewhere: it stays as it is, and the save is not opened."""
UNREADABLE = ("snapshot_numbers", "linked_snapshot", "fifo_snapshot", "device_snapshot", "sparse_snapshot")
"""Snapshots that may be refused; the save itself opens."""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("base") / "village.sqlite3"
    make_base(path)
    return path.read_bytes()


def opened(path: Path) -> Save:
    return open_save(path, embedder=HashingEmbedder(64), clock=lambda: NOW + 40 * DAY)


def failures(name: str, call: Callable[[], object]) -> list[str]:
    """The error of a call; anything but an error of ours ends the test."""
    try:
        call()
    except RagMemoryError as error:
        return [f"{name}: {error}"]
    except Exception as error:
        raise AssertionError(f"{name} (seed {SEED})") from error
    return []


def usable(path: Path) -> Save:
    """The save, opened a second time if the first time named what is wrong with it."""
    try:
        return opened(path)
    except RagMemoryError:
        return opened(path)


@pytest.mark.parametrize("name", [name for name in CRAFTS if name not in REFUSED])
def test_what_somebody_changed_in_a_save_fails_at_most_once(name: str, base: bytes, tmp_path: Path) -> None:
    path = crafted(name, base, tmp_path, SEED)
    with usable(path) as save:
        for call_name, call in reading(save, NPCS):
            failures(call_name, call)
    for _ in range(2):
        with usable(path) as save:
            for calls in (reading, writing):
                for call_name, call in calls(save, NPCS):
                    assert failures(call_name, call) == [], f"seed {SEED}"
    with opened(path) as save:
        for call_name, call in changing(save, NPCS):
            of_snapshot = call_name in ("restore", "compare_snapshots") and name in UNREADABLE
            assert failures(call_name, call) == [] or of_snapshot, f"seed {SEED}"
        for call_name, call in reading(save, ("mirabel", *NPCS)):
            assert failures(call_name, call) == [], f"seed {SEED}"
    assert list(outside_of(path).parent.iterdir()) == [outside_of(path)]
    assert outside_of(path).read_text() == SECRET


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_file_or_leads_elsewhere_is_refused(name: str, base: bytes, tmp_path: Path) -> None:
    path = crafted(name, base, tmp_path, SEED)
    before = sorted(path.parent.iterdir())
    for _ in range(2):
        with pytest.raises(SaveError, match=r"Move it out of the folder|is a link.*Delete it"):
            opened(path)
    assert sorted(path.parent.iterdir()) == before
    assert list(outside_of(path).parent.iterdir()) == [outside_of(path)]
    assert outside_of(path).read_text() == SECRET


def test_a_sound_save_is_not_changed(base: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "village.sqlite3"
    path.write_bytes(base)
    with caplog.at_level(logging.WARNING), opened(path):
        pass
    assert caplog.messages == []
    assert [file.name for file in tmp_path.iterdir()] == ["village.sqlite3"]


def test_what_was_changed_is_named_once_and_kept_aside(
    base: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = crafted("extra", base, tmp_path, SEED)
    before = path.read_bytes()
    opened(path).close()
    (message,) = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    assert "memory 1" in message
    (aside,) = path.parent.glob("*.damaged-*")
    assert len(aside.read_bytes()) == len(before)
    caplog.clear()
    opened(path).close()
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_a_mended_save_has_its_marks_and_everything_that_was_sound(base: bytes, tmp_path: Path) -> None:
    plain, mended = tmp_path / "plain.sqlite3", tmp_path / "mended.sqlite3"
    for path in (plain, mended):
        path.write_bytes(base)
    with closing(sqlite3.connect(mended, isolation_level=None)) as connection:
        connection.execute("""UPDATE memories SET extra = '{"own":9e999}', importance = 50""")
    texts = []
    for path in (plain, mended):
        with opened(path) as save:
            npc = save.npc("elena")
            texts.append([memory["document_full"] for memory in npc.recall.get_recent(100)])
            mark = save.marks.add()
            npc.memories.store("The bridge is out.", 5)
            save.marks.rollback_to(mark)
            texts.append([memory["document_full"] for memory in npc.recall.get_recent(100)])
    assert texts == [texts[0]] * 4


def test_one_changed_letter_of_a_key_costs_no_turn(base: bytes, tmp_path: Path) -> None:
    path = tmp_path / "village.sqlite3"
    path.write_bytes(base)
    for key in ("player_message", "number", "player_id"):
        changed = key[:-1] + chr(ord(key[-1]) ^ 1)
        craft = sql(f"UPDATE documents SET content = replace(content, '\"{key}\"', '\"{changed}\"')")
        craft(path, None)  # type: ignore[arg-type]
        with opened(path) as save:
            turns = save.npc("elena").conversation.get_turns()
        assert turns[0]["player_message"] == "Hello! I promise you a mill."


def test_memories_of_a_deleted_npc_do_not_vanish(base: bytes, tmp_path: Path) -> None:
    path = crafted("deleted_npc", base, tmp_path, SEED)
    with pytest.raises(SaveError, match="refers to a row of the table npcs that is gone"):
        opened(path)
    with opened(path) as save:
        texts = [memory["document_full"] for memory in save.npc("bjorn").recall.get_recent(100)]
    assert "bjorn saw the player mend 3 roofs at the mill." in texts


def test_the_last_number_is_no_full_disk(base: bytes, tmp_path: Path) -> None:
    path = crafted("last_key", base, tmp_path, SEED)
    with opened(path) as save:
        assert save.npc("elena").memories.store("The bridge is out.", 5)


def test_a_text_that_is_none_is_named_and_the_save_mended(base: bytes, tmp_path: Path) -> None:
    path = crafted("no_text", base, tmp_path, SEED)
    with pytest.raises(SaveDamagedError, match="a text in it is no text"):
        opened(path)
    with opened(path) as save:
        assert save.npc("elena").memories.get_memory_count() > 8
