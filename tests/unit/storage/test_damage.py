"""Saves of which a bit has changed: whatever it hits, the save is usable again, with every memory it left."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.unit.storage.damaged_saves import (
    DAY,
    NOW,
    healed,
    opened_at,
    with_changed_bits,
    with_statements,
)

from rag_memory import MemoryConfig, Save
from rag_memory.errors import SaveDamagedError, SaveError
from rag_memory.storage.sqlite.schema import MIGRATIONS, SCHEMA_DIGESTS, schema_digest

COUNT = 120
FEW, MANY = 40, 300
CONFIG = MemoryConfig(max_memories_before_consolidate=100, consolidate_target=60)
Texts = dict[str, str]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, Texts]:
    """The file of a save and the texts of its memories, by id."""
    path = tmp_path_factory.mktemp("whole") / "village.sqlite3"
    texts: Texts = {}
    with opened_at(path, NOW) as save:
        for name in ("elena", "bjorn", "mira"):
            npc = save.npc(name)
            told = [
                {
                    "text": f"{name} heard of event {number} at the {number % 7} mills. " + "It rained. " * 9,
                    "timestamp": NOW + number * DAY / 8,
                    "topics": ["mill", f"topic {number % 5}"],
                    "event_type": "conversation" if number % 2 else "observation",
                }
                for number in range(COUNT)
            ]
            texts |= zip(npc.memories.store_batch(told), (str(each["text"]) for each in told), strict=True)
            npc.memories.store(
                "Their name is Theron.", 9, {"event_type": "player_info", "info_type": "player_name"}
            )
            npc.memories.store(
                "Their name is Falk.", 9, {"event_type": "player_info", "info_type": "player_name"}
            )
    return path.read_bytes(), texts


def used(save: Save) -> Iterator[Callable[[], object]]:
    """Calls of a game on a save; the last ones change a lot."""
    yield lambda: save.overview.list_npcs()
    for name in ("elena", "bjorn", "mira"):
        npc = save.npc(name, CONFIG)
        yield lambda npc=npc: npc.recall.retrieve_scored("event 7 at the mills")  # type: ignore[misc]
        yield lambda npc=npc: npc.recall.get_recent(500)  # type: ignore[misc]
        yield lambda npc=npc: npc.archive.get_archived()  # type: ignore[misc]
        yield lambda npc=npc: npc.memories.store("The bridge is out.", 5)  # type: ignore[misc]
        yield lambda npc=npc: npc.memories.store_batch([{"text": f"New {n}."} for n in range(20)])  # type: ignore[misc]


def changed(save: Save) -> Iterator[Callable[[], object]]:
    for name in ("elena", "bjorn", "mira"):
        yield save.npc(name, CONFIG).archive.consolidate
    yield lambda: save.marks.rollback_to(NOW + 20 * DAY)
    yield save.npc("elena").clear_all_memories


def known(save: Save) -> Texts:
    return {
        memory["id"]: memory["document_full"]
        for name in ("elena", "bjorn", "mira")
        for memory in save.npc(name).recall.get_recent(10_000)
    }


def check_usable_after_flips(whole: tuple[bytes, Texts], folder: Path, seed: int, count: int) -> None:
    content, texts = whole
    for bit, path in with_changed_bits(content, folder, seed, count):
        with healed(path, used) as save:
            left = known(save)
        with healed(path, changed):
            pass
        lost = [id for id, text in texts.items() if left.get(id) != text]
        assert len(lost) <= 1, f"bit {bit}: {lost}"


def test_what_is_read_of_a_damaged_save_has_its_kind_and_its_last_access(tmp_path: Path) -> None:
    path = tmp_path / "village.sqlite3"
    with opened_at(path, NOW) as save:
        told = [{"text": f"Wolf {n} came to the mill.", "kind": "episode"} for n in range(30)]
        save.npc("elena").memories.store_batch(told)
    with opened_at(path, NOW + DAY) as save:
        save.npc("elena").recall.retrieve_relevant("wolf", {"limit": 30})
    damaged = bytearray(path.read_bytes())
    damaged[100:140] = b"\xff" * 40
    path.write_bytes(damaged)
    with pytest.raises(SaveDamagedError, match="31 memories, interactions and documents"):
        opened_at(path)
    with opened_at(path) as save:
        metadata = [memory["metadata"] for memory in save.npc("elena").recall.get_recent(40)]
    assert {(each["kind"], each["last_accessed"]) for each in metadata} == {("episode", NOW + DAY)}


def test_a_save_with_a_changed_bit_is_usable_again(whole: tuple[bytes, Texts], tmp_path: Path) -> None:
    check_usable_after_flips(whole, tmp_path, 18, FEW)


HOSTILE = {
    "a view instead of a table": (
        "DROP TABLE embedding_models",
        "CREATE VIEW embedding_models AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
        "SELECT x AS model, 'f' AS fingerprint, 'n' AS name, 64 AS dimension FROM n",
    ),
    "a trigger": (
        "CREATE TRIGGER grow AFTER INSERT ON memories BEGIN INSERT INTO meta "
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT 'k' || x, x FROM n; END",
    ),
    "a trigger with the name of ours": (
        "DROP TRIGGER memories_fts_insert",
        "CREATE TRIGGER memories_fts_insert AFTER INSERT ON memories BEGIN DELETE FROM vectors; END",
    ),
    "a table of another": ("CREATE TABLE treasure (gold)",),
    "a missing index": ("DROP INDEX memories_by_time",),
}


@pytest.mark.parametrize("hostile", HOSTILE)
def test_what_somebody_else_wrote_into_the_schema_never_runs(
    whole: tuple[bytes, Texts], tmp_path: Path, hostile: str
) -> None:
    content, texts = whole
    path = with_statements(content, tmp_path, *HOSTILE[hostile])
    snapshot = tmp_path / "village.snapshots" / "evil.sqlite3"
    snapshot.parent.mkdir()
    shutil.copy(path, snapshot)
    with pytest.raises(SaveDamagedError, match=r"is not what version \d of a save has.*kept as"):
        opened_at(path)
    with healed(path, used) as save:
        assert texts.items() <= known(save).items()
        with pytest.raises(SaveDamagedError, match="snapshot"):
            save.snapshots.restore("evil")


def test_a_damaged_save_with_a_log_is_kept_exactly_as_it_was_found(
    whole: tuple[bytes, Texts], tmp_path: Path
) -> None:
    content, texts = whole
    running, path = tmp_path / "running.sqlite3", tmp_path / "village.sqlite3"
    running.write_bytes(content)
    with opened_at(running) as save:
        id = save.npc("elena").memories.store("The bridge is out.")
        log = Path(f"{running}-wal").read_bytes()
        main = bytearray(running.read_bytes())
    main[5 * 4096 : 5 * 4096 + 64] = b"\xff" * 64
    path.write_bytes(main)
    Path(f"{path}-wal").write_bytes(log)
    with pytest.raises(SaveDamagedError, match="kept as") as raised:
        opened_at(path)
    aside = Path(str(raised.value).partition("kept as ")[2].partition(",")[0])
    assert (aside.read_bytes(), Path(f"{aside}-wal").read_bytes()) == (bytes(main), log)
    with opened_at(path) as save:
        left = known(save)
        assert left[id] == "The bridge is out." and len(left.keys() & texts.keys()) > len(texts) * 0.9


def test_a_word_of_the_schema_that_is_no_text_ends_nothing(
    whole: tuple[bytes, Texts], tmp_path: Path
) -> None:
    content, texts = whole
    running, path = tmp_path / "running.sqlite3", tmp_path / "village.sqlite3"
    running.write_bytes(content)
    with opened_at(running) as save:
        save.npc("elena").memories.store("The bridge is out.")
        log = Path(f"{running}-wal").read_bytes()
        main = running.read_bytes()
    damaged = main.replace(b"CREATE INDEX", b"CREATE \xc5NDEX", 1)
    assert damaged != main and b"CREATE INDEX" not in log
    path.write_bytes(damaged)
    Path(f"{path}-wal").write_bytes(log)
    snapshot = tmp_path / "village.snapshots" / "evil.sqlite3"
    snapshot.parent.mkdir()
    snapshot.write_bytes(damaged)
    with pytest.raises(SaveDamagedError, match="kept as"):
        opened_at(path)
    with healed(path, used) as save:
        assert texts.items() <= known(save).items()
        with pytest.raises(SaveDamagedError, match="snapshot"):
            save.snapshots.restore("evil")


def test_a_wiped_sector_of_the_last_commit_in_the_log_is_said(
    whole: tuple[bytes, Texts], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    running = tmp_path / "running.sqlite3"
    running.write_bytes(whole[0])
    with opened_at(running) as save:
        id = save.npc("elena").memories.store("The bridge is out.")
        log = Path(f"{running}-wal").read_bytes()
        main = running.read_bytes()
    head = 32 + (len(log) // 4120 - 1) * 4120
    for start in (head // 512 * 512, head - 10, head + 4, head + 9, head + 14):
        path = tmp_path / f"{start}" / "village.sqlite3"
        path.parent.mkdir()
        path.write_bytes(main)
        Path(f"{path}-wal").write_bytes(log[:start] + bytes(512) + log[start + 512 :])
        caplog.clear()
        with opened_at(path) as save:
            assert id not in known(save)
        assert any("without the last part of" in message for message in caplog.messages), start


ROWS = {
    "a list that is none": "UPDATE memories SET topics = '[\"mill' WHERE rowid = 7",
    "a text that is none": "UPDATE memories SET document_short = CAST(x'ff80' AS TEXT) WHERE rowid = 7",
    "metadata that is none": "UPDATE memories SET extra = '{' WHERE rowid = 7",
    "a short vector": "UPDATE vectors SET embedding = x'00' WHERE memory = 7",
    "a vector of no numbers": "UPDATE vectors SET embedding = CAST(replace(hex(zeroblob(64)), '00', "
    "'zzzz') AS BLOB) WHERE memory = 7",
    "an NPC that is none": "UPDATE memories SET npc = 99 WHERE rowid = 7",
    "a text of bytes": "UPDATE memories SET document_full = CAST(document_full AS BLOB) WHERE rowid = 7",
    "a time of letters": "UPDATE memories SET timestamp = 'soon' WHERE rowid = 7",
    "an importance that is none": "UPDATE memories SET importance = 1 << 40 WHERE rowid = 7",
}


@pytest.mark.parametrize("row", ROWS)
def test_one_unreadable_row_costs_no_other(whole: tuple[bytes, Texts], tmp_path: Path, row: str) -> None:
    content, texts = whole
    path = with_statements(content, tmp_path, ROWS[row])
    with healed(path, used) as save:
        left = known(save)
    with healed(path, changed):
        pass
    assert len([id for id, text in texts.items() if left.get(id) != text]) <= 1


def test_a_rollback_journal_is_put_aside_with_the_damaged_save_it_belongs_to(
    whole: tuple[bytes, Texts], tmp_path: Path
) -> None:
    content, texts = whole
    running, path = tmp_path / "running.sqlite3", tmp_path / "village.sqlite3"
    running.write_bytes(content)
    with contextlib.closing(sqlite3.connect(running, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA cache_size = 2")
        connection.execute("BEGIN")
        connection.execute("UPDATE memories SET document_full = 'A lie. ' || document_full")
        journal = Path(f"{running}-journal").read_bytes()
        path.write_bytes(running.read_bytes())
    assert b"A lie." in path.read_bytes()
    Path(f"{path}-journal").write_bytes(journal)
    Path(f"{path}.suspect").touch()
    for _ in range(2):
        with opened_at(path) as save:
            assert known(save).items() >= texts.items()
    (aside,) = tmp_path.glob("*.damaged-*-journal")
    assert aside.read_bytes() == journal


ORDERS = {
    "no row": "DELETE FROM write_orders",
    "two rows": "INSERT INTO write_orders SELECT * FROM write_orders",
    "letters": "UPDATE write_orders SET reserved = 'many'",
    "bytes": "UPDATE write_orders SET marked = x'07'",
    "a number that leaves none": "UPDATE write_orders SET reserved = 9223372036854775807",
    "a number with a fraction": "UPDATE write_orders SET reserved = 1.5e300",
    "a negative number": "UPDATE write_orders SET reserved = -5",
    "a mark that is to come": "UPDATE write_orders SET marked = reserved + 1",
    "a number that was given": "UPDATE write_orders SET reserved = 0",
    "a row that is to come": "UPDATE memories SET write_order = 1 << 40 WHERE rowid = 7",
    "a mark of letters": "INSERT INTO marks VALUES (1, 'soon', 1, 'code')",
    "a mark beyond the numbers": "INSERT INTO marks VALUES (1 << 40, 7.5, 1, 'code')",
}


@pytest.mark.parametrize("change", ORDERS)
def test_order_numbers_that_contradict_each_other_are_made_anew(
    whole: tuple[bytes, Texts], tmp_path: Path, change: str
) -> None:
    content, texts = whole
    path = with_statements(content, tmp_path, ORDERS[change])
    with pytest.raises(SaveDamagedError, match="kept as"):
        opened_at(path)
    with opened_at(path) as save:
        assert known(save).items() >= texts.items()
        mark = save.marks.add()
        save.npc("elena").memories.store("The bridge is out.")
        assert save.marks.rollback_to(mark)


@pytest.mark.parametrize("part", ["WriteOrders", "OpenFile"])
def test_a_save_that_cannot_be_opened_is_not_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    path = tmp_path / "village.sqlite3"
    opened_at(path).close()

    def refuse(_: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as refused:
        refused.setattr(f"rag_memory.storage.sqlite.open_save.{part}", refuse)
        with pytest.raises(SaveError, match=r"village.sqlite3 cannot be opened"):
            opened_at(path)
    opened_at(path).close()


def test_the_digests_are_those_of_the_schemas() -> None:
    assert set(SCHEMA_DIGESTS) == set(MIGRATIONS)
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for version, create in MIGRATIONS.items():
            create(connection)
            assert schema_digest(connection) == SCHEMA_DIGESTS[version]


@pytest.mark.slow
def test_a_save_with_any_changed_bit_is_usable_again(whole: tuple[bytes, Texts], tmp_path: Path) -> None:
    check_usable_after_flips(whole, tmp_path, 2, MANY)
