"""Messages for errors of SQLite. All of them were raised by SQLite itself."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.unit.sqlite_access import reading
from tests.unit.storage.next_schema import next_schema

from rag_memory import Save, SaveError, SaveLockedError, StoreError
from rag_memory.storage.sqlite.sqlite_failure import remedy

Open = Callable[..., Save]
PAGE_BYTES = 4096
ROOM = "room on the disk"
TEXTS = [{"text": f"Event {number} at the mill. " + "It rained. " * 20} for number in range(60)]


def run(save: Save, *statements: str) -> None:
    with reading(save.store) as connection:
        for statement in statements:
            connection.execute(statement).fetchall()


@contextmanager
def files_no_longer_than(size: int) -> Iterator[None]:
    """The system refuses what would make a file of this process longer. Windows knows no such limit."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_full_database_asks_for_room(opened: Open, save_path: Path) -> None:
    save = opened(save_path)
    run(save, "PRAGMA max_page_count = 1")
    with pytest.raises(StoreError, match=rf"None of 60 .*could not write.*\(SQLITE_FULL\)\. Free {ROOM}"):
        save.npc("elena").memories.store_batch(TEXTS)
    run(save, "PRAGMA max_page_count = 1000000")
    assert len(save.npc("elena").memories.store_batch(TEXTS)) == len(TEXTS), "with room it goes on"


def test_a_batch_that_did_not_fit_tells_how_much_of_it_is_stored(opened: Open, save_path: Path) -> None:
    save = opened(save_path)
    npc = save.npc("elena")
    npc.memories.store_batch(TEXTS[:1])
    with reading(save.store) as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
    run(save, f"PRAGMA max_page_count = {pages + 7}")
    with pytest.raises(StoreError, match=r"Of 59 the first (\d+) are stored, the others") as raised:
        npc.memories.store_batch(TEXTS[1:])
    stored = int(str(raised.value).split("the first ")[1].split()[0])
    assert 0 < stored < 59 and npc.memories.get_memory_count() == 1 + stored
    assert {memory["document_full"] for memory in npc.recall.get_recent(99)} == {
        text["text"] for text in TEXTS[: 1 + stored]
    }


def test_a_read_only_database_asks_for_the_right_to_write(opened: Open, save_path: Path) -> None:
    save = opened(save_path)
    run(save, "PRAGMA query_only = ON")
    with pytest.raises(StoreError, match=r"\(SQLITE_READONLY\)\. Check that .* may be written to") as raised:
        save.npc("elena").memories.store("Too late.")
    assert ROOM not in str(raised.value)


def test_a_database_in_use_names_the_other_program(opened: Open, tmp_path: Path) -> None:
    other_path = tmp_path / "other.sqlite3"
    save = opened(tmp_path / "village.sqlite3")
    with closing(sqlite3.connect(other_path, isolation_level=None)) as other:
        other.execute("CREATE TABLE treasure (gold)")
        run(save, f"ATTACH '{other_path}' AS other", "PRAGMA busy_timeout = 0")
        other.execute("BEGIN IMMEDIATE")
        with (
            pytest.raises(StoreError, match=r"\(SQLITE_BUSY\)\. Close .* other program") as raised,
            save.store.transaction(),
            reading(save.store) as connection,
        ):
            connection.execute("INSERT INTO other.treasure VALUES (1)")
        other.execute("ROLLBACK")
    assert ROOM not in str(raised.value)


def test_a_save_that_another_program_has_locked_is_not_opened(opened: Open, save_path: Path) -> None:
    opened(save_path).close()
    with closing(sqlite3.connect(save_path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(SaveLockedError, match="Close it there"):
            opened(save_path)
        other.execute("ROLLBACK")


def test_a_page_damaged_while_the_save_is_open_asks_to_open_it_again(
    opened: Open, save_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with opened(save_path) as save:
        save.npc("elena").memories.store_batch(TEXTS)
    save = opened(save_path)
    npc = save.npc("elena")
    written = save_path.stat()
    with save_path.open("r+b") as file:
        file.seek(PAGE_BYTES)
        file.write(b"\xff" * (written.st_size - PAGE_BYTES))
    # A disk does not note the time at which it fails.
    os.utime(save_path, ns=(written.st_atime_ns, written.st_mtime_ns))
    run(save, "PRAGMA shrink_memory")
    with pytest.raises(
        StoreError, match=r"\(SQLITE_CORRUPT.*\)\. Close the save and open it again"
    ) as raised:
        npc.recall.get_recent(20)
    assert ROOM not in str(raised.value)
    save.close()
    with opened(save_path) as again:
        assert again.npc("elena").memories.get_memory_count() == 0
    assert "it is kept as" in caplog.text


def test_a_disk_that_refuses_is_not_called_full(opened: Open, save_path: Path) -> None:
    save = opened(save_path)
    with (
        files_no_longer_than(8 * PAGE_BYTES),
        pytest.raises(StoreError, match=r"\(SQLITE_IOERR_WRITE\)\. The disk refused") as raised,
    ):
        save.npc("elena").memories.store_batch(TEXTS)
    assert ROOM not in str(raised.value)
    assert len(save.npc("elena").memories.store_batch(TEXTS)) == len(TEXTS), (
        "when the disk takes it again, it goes on"
    )


def test_a_log_that_cannot_be_opened_asks_for_the_folder(opened: Open, save_path: Path) -> None:
    opened(save_path).close()
    Path(f"{save_path}-wal").mkdir()
    with pytest.raises(SaveError, match=r"cannot be opened.*\(SQLITE_CANTOPEN.*\)\. Check .* folder"):
        opened(save_path)


def test_a_snapshot_of_a_save_that_cannot_be_written_says_why(opened: Open, save_path: Path) -> None:
    save = opened(save_path)
    save.npc("elena").memories.store("The bridge is out.")
    with (
        files_no_longer_than(PAGE_BYTES),
        pytest.raises(StoreError, match=r"could not write.*\(SQLITE_IOERR_WRITE\)"),
    ):
        save.snapshots.take("before_the_mill")
    assert save.snapshots.slots() == []
    save.snapshots.take("before_the_mill")


def test_a_restore_without_room_for_its_temporary_file_says_where(opened: Open, save_path: Path) -> None:
    save = opened(save_path, 32)
    save.npc("elena").memories.store_batch(
        [{"text": f"Event {number} at the mill. " * 40} for number in range(3000)]
    )
    save.snapshots.take("a")
    save.close()
    with next_schema():
        save = opened(save_path, 32)
        with files_no_longer_than(100 * PAGE_BYTES), pytest.raises(StoreError) as raised:
            save.snapshots.restore("a")
        assert str(raised.value).startswith("The save in a temporary file could not write: ")
        assert "Free room in the folder of temporary files" in str(raised.value)
        save.snapshots.restore("a")
        assert save.npc("elena").memories.get_memory_count() == 3000


def test_a_text_too_long_for_sqlite_is_not_the_disk(opened: Open) -> None:
    with reading(opened().store) as connection:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1000)
        with pytest.raises(sqlite3.DataError) as raised:
            connection.execute("SELECT ?", ("x" * 2000,))
    assert remedy(raised.value).startswith("Shorten the text")


def test_a_mistake_in_a_statement_is_not_blamed_on_the_disk(opened: Open) -> None:
    save = opened()
    with pytest.raises(StoreError, match=r"no such table: treasure \(SQLITE_ERROR\).*report it"):
        run(save, "SELECT * FROM treasure")
