"""Undoing exchanges: the last one leaves every table as it was, whatever it wrote."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.conftest import GameClock
from tests.unit.sqlite_access import opened as opened_file
from tests.unit.storage.contract.conftest import POSTGRES, SQLITE, TESTED
from tests.unit.storage.contract.test_marks import ACTIONS, NPCS, TEXTS, opened_on, readable

from rag_memory import Save
from rag_memory.errors import InvalidArgumentError, StoreError
from rag_memory.storage.protocol import Storage
from rag_memory.storage.sql.exchanges import MOST_UNDOABLE
from rag_memory.storage.sql.undoing import Undone
from rag_memory.storage.sqlite.store import Store as SqliteStore

HOUR = 3600.0
FINAL = ["forget", "put_back"]
"""What an undo does not take back: forgotten stays forgotten, whoever has forgotten it."""
WRITTEN = [name for name in ACTIONS if name not in ("clear", "idle", "write_accesses", *FINAL)]
"""What may be part of an exchange, and is taken back by undoing it."""
_DIFFERENT = {
    "npcs": {"revision", "changed"},
    "write_orders": {"reserved"},
    "saves": {"changed"},
}
"""Columns that no two states of a save share: revisions, and how many numbers were given."""
_ALIKE = [
    *("meta", "embedding_models", "memories", "vectors", "archived_memories", "interactions", "documents"),
    *("marks", "exchange_writes", "earlier_memories", "earlier_archived_memories", "earlier_interactions"),
    *("earlier_documents", "earlier_vectors", "earlier_accesses", "earlier_rows", "npcs", "write_orders"),
    "saves",
]
"""Tables that are compared row by row."""
_OTHERS = {
    "sqlite_sequence": "keys are never given twice",
    "memories_fts": "checked against the memories",
    "owners": "who has an NPC",
    "writers": "a count of writes",
    "schema_version": "of all saves",
    "page_sums": "checksums of the file, whatever is in it",
}
_IS_PART = ("memories_fts_", *(f"{table}_" for table in ("memories", "vectors", "archived_memories")))


def tables(store: Storage) -> dict[str, list[str]]:
    """Every table of the database, compared row by row. One that is not known here fails."""
    result: dict[str, list[str]] = {}
    for table, columns in _columns(store).items():
        if table in _OTHERS:
            continue
        assert table in _ALIKE, f"the test does not know the table {table}"
        names = ", ".join(sorted(columns - _DIFFERENT.get(table, set())))
        result[table] = sorted(repr(row) for row in _rows(store, table, names))
    if isinstance(store, SqliteStore):
        check = "INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 1)"
        opened_file(store).connection.execute(check)
    return result


def _columns(store: Storage) -> dict[str, set[str]]:
    if isinstance(store, SqliteStore):
        connection = opened_file(store).connection
        rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {
            name: {row[1] for row in connection.execute(f"PRAGMA table_info({name})")}
            for (name,) in rows
            if not name.startswith("memories_fts_")
        }
    statement = (
        "SELECT table_name, column_name FROM information_schema.columns AS shown "
        "WHERE table_schema = current_schema() AND NOT EXISTS (SELECT 1 FROM pg_inherits "
        "WHERE inhrelid = quote_ident(shown.table_name)::regclass) AND %(save)s > 0"
    )
    columns: dict[str, set[str]] = {}
    for table, column in _server_rows(store, statement):
        columns.setdefault(table, set()).add(column)
    return columns


def _rows(store: Storage, table: str, names: str) -> list[tuple[Any, ...]]:
    if isinstance(store, SqliteStore):
        return opened_file(store).connection.execute(f"SELECT {names} FROM {table}").fetchall()
    return _server_rows(store, f"SELECT {names} FROM {table} WHERE save = %(save)s")


def _server_rows(store: Any, statement: str) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = store._save.rows(statement)
    return rows


def undo(save: Save, exchange_id: str) -> Undone:
    with save.context.accesses.transaction():
        undone = save.store.exchanges.undo(exchange_id)
    save.npcs.reload()
    return undone


def write(save: Save, exchange_id: str, npc_id: str, names: list[tuple[str, int]]) -> None:
    with save.context.exchange(exchange_id, npc_id):
        for name, number in names:
            with suppress(InvalidArgumentError):
                ACTIONS[name](save, save.npc(npc_id), number)


@pytest.fixture(params=TESTED)
def save(request: pytest.FixtureRequest, clock: GameClock, tmp_path: Path) -> Iterator[Save]:
    clock.now = 100 * HOUR
    with opened_on(request.param, clock, tmp_path) as opened:
        yield opened


def filled(save: Save) -> None:
    """Put something of everything into the save."""
    for number in range(2):
        for name, action in ACTIONS.items():
            if name not in ("clear", "forget", "consolidate"):
                with suppress(InvalidArgumentError):
                    action(save, save.npc("mira"), number)


@pytest.mark.parametrize("name", WRITTEN)
def test_every_kind_of_write_is_taken_back(save: Save, name: str, clock: GameClock) -> None:
    filled(save)
    save.marks.add()
    clock.now += HOUR
    save.context.accesses.write()
    before, shown = tables(save.store), readable(save)
    for npc_id, number in (("mira", 3), ("bo", 4)):
        write(save, f"x{number}", npc_id, [(name, number)])
    for exchange in ("x4", "x3"):
        undo(save, exchange)
    save.context.accesses.write()
    assert tables(save.store) == before
    assert readable(save) == shown


_UNHURRIED = settings(deadline=None, suppress_health_check=list(HealthCheck))


def _steps(names: list[str]) -> st.SearchStrategy[list[tuple[str, int]]]:
    return st.lists(st.tuples(st.sampled_from(names), st.integers(0, 9)), min_size=1, max_size=6)


_PLAY = st.lists(
    st.one_of(
        st.tuples(st.just("exchange"), st.sampled_from(NPCS), _steps(WRITTEN)),
        st.tuples(st.sampled_from(["game", "mark"]), st.sampled_from(NPCS), _steps([*WRITTEN, *FINAL])),
    ),
    min_size=2,
    max_size=8,
)


def play(backend: str, script: list[tuple[str, str, list[tuple[str, int]]]]) -> None:
    """Carry out the script. After each exchange, undoing it leaves every table as it was; then it is
    written again.
    """
    clock, numbers = GameClock(), itertools.count(1)
    with opened_on(backend, clock) as save:
        for kind, npc_id, steps in script:
            clock.now += HOUR
            if kind == "mark":
                save.marks.add()
            elif kind == "game":
                for name, number in steps:
                    with suppress(InvalidArgumentError):
                        ACTIONS[name](save, save.npc(npc_id), number)
            else:
                save.context.accesses.write()
                before = tables(save.store)
                exchange = f"x{next(numbers)}"
                write(save, exchange, npc_id, steps[:3])
                write(save, exchange, npc_id, steps[3:])
                undo(save, exchange)
                assert tables(save.store) == before
                write(save, exchange, npc_id, steps)


@settings(_UNHURRIED, max_examples=40)
@given(script=_PLAY)
def test_undoing_the_last_exchange_leaves_every_table_as_it_was(script: Any) -> None:
    play(SQLITE, script)


@pytest.mark.skipif(POSTGRES not in TESTED, reason="a server for tests can be had on Linux only")
@settings(_UNHURRIED, max_examples=6)
@given(script=_PLAY)
def test_undoing_the_last_exchange_leaves_every_table_of_a_server(script: Any) -> None:
    play(POSTGRES, script)


def test_a_memory_that_an_exchange_added_and_replaced_after_a_mark_leaves_nothing(
    save: Save, clock: GameClock
) -> None:
    save.npc("mira").memories.store("The mill burned down.", 5)
    save.marks.add()
    clock.now += HOUR
    save.context.accesses.write()
    before = tables(save.store)
    write(save, "x1", "mira", [("relationship", 0), ("relationship", 1)])
    undo(save, "x1")
    assert tables(save.store) == before


@pytest.mark.parametrize(("first", "second"), [(3, 5), (3, 2), (5, 0)])
def test_what_an_exchange_changed_twice_is_taken_back(
    save: Save, first: int, second: int, clock: GameClock
) -> None:
    filled(save)
    save.context.accesses.write()
    before = tables(save.store)
    for number in (first, second):
        clock.now += HOUR
        write(save, "x1", "mira", [("weigh", number), ("pin", 0)])
    undo(save, "x1")
    assert tables(save.store) == before


@pytest.mark.parametrize("name", FINAL)
def test_what_was_forgotten_in_an_exchange_stays_forgotten(save: Save, name: str, clock: GameClock) -> None:
    filled(save)
    mark = save.marks.add()
    clock.now += HOUR
    ACTIONS[name](save, save.npc("mira"), 0)
    forgotten = {**readable(save), "rows": None}
    save.marks.rollback_to(mark)
    before = readable(save)
    # A retrieval may reach the memory that was put back, and nothing of that memory is taken back.
    left_out = ("consolidate", "recall") if name == "put_back" else ("consolidate",)
    write(save, "x1", "mira", [(name, 0), *((other, 7) for other in WRITTEN if other not in left_out)])
    assert {**readable(save), "rows": None} != forgotten
    undo(save, "x1")
    assert {**readable(save), "rows": None} == forgotten
    assert (name == "put_back") or before["npcs"] != forgotten["npcs"]
    save.marks.rollback_to(mark)
    assert readable(save) == before


def test_what_the_game_wrote_meanwhile_stays(save: Save) -> None:
    elena = save.npc("elena")
    wolf = elena.memories.store("The wolf came to the river.", 5)
    write(save, "x1", "mira", [("store", 0), ("turn", 1)])
    save.world.facts.set_flags({"bells": True})
    elena.memories.update_memory(wolf, {"importance": 9})
    undo(save, "x1")
    assert save.world.facts.get_flags() == {"bells": True}
    assert elena.memories.get_memory(wolf)["metadata"]["importance"] == 9
    assert save.npc("mira").memories.get_memory_count() == 0


def test_an_earlier_exchange_is_taken_back_from_under_a_later_one(save: Save, clock: GameClock) -> None:
    mira = save.npc("mira")
    wolf = mira.memories.store(TEXTS[0], 5)
    for exchange in ("x1", "x2"):
        clock.now += HOUR
        with save.context.exchange(exchange, "mira"):
            mira.memories.store(TEXTS[0], 5)
            mira.memories.store(f"Said in {exchange}.", 5)
    assert mira.memories.get_memory(wolf)["metadata"]["repeat_count"] == 3
    undo(save, "x1")
    assert mira.memories.get_memory(wolf)["metadata"]["repeat_count"] == 2
    assert [memory["document"] for memory in mira.recall.get_recent(5)] == ["Said in x2.", TEXTS[0]]
    undo(save, "x2")
    metadata = mira.memories.get_memory(wolf)["metadata"]
    assert (metadata["repeat_count"], metadata["timestamp"]) == (1, 100 * HOUR)
    assert mira.memories.get_memory_count() == 1


def test_going_back_before_an_exchange_ends_it(save: Save, clock: GameClock) -> None:
    save.npc("mira").memories.store(TEXTS[0], 5)
    write(save, "x1", "mira", [("store", 1)])
    clock.now += HOUR
    mark = save.marks.add()
    for exchange, number in (("x2", 2), ("x3", 3)):
        clock.now += HOUR
        write(save, exchange, "mira", [("store", number)])
    save.marks.rollback_to(clock.now - HOUR / 2)
    assert [exchange.exchange_id for exchange in save.store.exchanges.last("mira")] == ["x2", "x1"]
    save.marks.rollback_to(mark)
    assert [exchange.exchange_id for exchange in save.store.exchanges.last("mira")] == ["x1"]
    undo(save, "x1")
    assert save.npc("mira").memories.get_memory_count() == 1


def test_a_mark_brings_an_undone_exchange_back(save: Save) -> None:
    write(save, "x1", "mira", [("slot", 0), ("perceive", 1), ("turn", 2)])
    mark, shown = save.marks.add(), readable(save)
    undo(save, "x1")
    save.marks.rollback_to(mark)
    assert readable(save) == shown


def test_a_rollback_behind_an_undo_makes_earlier_exchanges_fixed(save: Save, clock: GameClock) -> None:
    def can_be_undone() -> list[str]:
        return [exchange.exchange_id for exchange in save.store.exchanges.last("mira")]

    for number in range(3):
        clock.now += HOUR
        write(save, f"x{number}", "mira", [("slot", number)])
    clock.now += HOUR
    mark, shown = save.marks.add(), readable(save)
    undo(save, "x2")
    save.marks.rollback_to(mark)
    assert readable(save) == shown and can_be_undone() == ["x1", "x0"]  # x2 was the last: x1 is untouched.
    clock.now += HOUR
    write(save, "x3", "mira", [("slot", 3)])
    mark, shown = save.marks.add(), readable(save)
    undo(save, "x1")
    assert can_be_undone() == ["x3", "x0"]
    write(save, "x4", "mira", [("store", 4)])
    save.marks.rollback_to(mark)
    assert readable(save) == shown and can_be_undone() == []
    write(save, "x5", "mira", [("slot", 5)])
    later = save.marks.add()
    save.marks.rollback_to(later)
    assert can_be_undone() == ["x5"]
    undo(save, "x5")
    assert readable(save) == shown


def test_only_the_last_exchanges_of_an_npc_can_be_undone(save: Save) -> None:
    for number in range(MOST_UNDOABLE + 2):
        write(save, f"x{number}", "mira", [("slot", number)])
        write(save, f"y{number}", "bo", [("store", number)])
    assert [exchange.exchange_id for exchange in save.store.exchanges.last("mira")] == [
        f"x{number}" for number in range(MOST_UNDOABLE + 1, 1, -1)
    ]
    with pytest.raises(InvalidArgumentError, match="cannot be undone"):
        undo(save, "x1")
    before = tables(save.store)
    undo(save, "x21")
    assert before != tables(save.store)


def test_a_failed_transaction_leaves_nothing_of_an_exchange(
    save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    save.npc("mira").memories.store(TEXTS[0], 5)
    before = tables(save.store)

    def refuse(*_: object) -> None:
        raise StoreError("The save could not write", "the disk is full", "Make room")

    def fail() -> None:
        with save.context.exchange("x1", "mira"):
            save.npc("mira").memories.store(TEXTS[1], 5)
            refuse()

    with pytest.raises(StoreError):
        fail()
    assert tables(save.store) == before and not save.store.exchanges.current
    save.npcs.reload()
    save.npc("mira").memories.store(TEXTS[2], 5)
    assert save.npc("mira").memories.get_memory(save.npc("mira").recall.get_recent(1)[0]["id"])


def test_memories_and_turns_name_their_exchange(save: Save) -> None:
    write(save, "x1", "mira", [("turn", 1)])
    (memory,) = save.store.records.find(save.store.npcs.number("mira") or 0)
    assert memory.exchange_id == "x1"
    turns: Callable[..., Any] = save.store.documents.find
    assert [turn.exchange_id for turn in turns("turn", "mira")] == ["x1"]
