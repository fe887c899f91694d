"""The same memory stored again is counted, not kept twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.conftest import GameClock
from tests.unit.sqlite_access import reading

from rag_memory import Npc, Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.memory.archived import REPEATED, Archived
from rag_memory.memory.record import Record
from rag_memory.memory.repetition import CONTENT, repeated
from rag_memory.step import run

DAY = 86400.0
GREETING: dict[str, Any] = {"event_type": "greeting", "participants": ["player"], "location": "mill"}


def archive_whole(save: Save) -> None:
    """Let a save keep a whole copy of what is repeated, as those before it could be without content."""

    def archive_copy(npc: int, record: Record, at: float, reason: str, model: int) -> None:
        save.store.archive.copy([record.key], Archived(at, reason, record.id))

    save.store.archive.add_weight = archive_copy  # type: ignore[method-assign]


def memories(save: Save) -> list[tuple[Any, ...]]:
    """Every row and vector of what holds now."""
    with reading(save.store) as connection:
        sql = "SELECT m.*, v.* FROM memories m LEFT JOIN vectors v ON v.memory = m.rowid ORDER BY m.rowid"
        return connection.execute(sql).fetchall()


def kept_whole(save: Save) -> int:
    """How many of what is kept of repetitions have a vector."""
    with reading(save.store) as connection:
        sql = "SELECT count(*) FROM archived_memories WHERE archived_reason = ? AND length(embedding) > 0"
        return int(connection.execute(sql, (REPEATED,)).fetchone()[0])


def test_a_repetition_counts_and_refreshes(npc: Npc, clock: Any) -> None:
    first = clock.now
    events: list[str] = []
    npc.on_event = lambda name, _: events.append(name)
    id = npc.memories.store("The player waved.", 4, {"event_type": "greeting", "participants": ["player"]})
    for _ in range(2):
        clock.now += DAY
        assert (
            npc.memories.store("The player waved.", 6, {"event_type": "greeting", "participants": ["player"]})
            == id
        )
    assert events == ["memory_added"]
    assert npc.memories.get_memory_count() == 1
    metadata = npc.memories.get_memory(id)["metadata"]
    assert (metadata["repeat_count"], metadata["first_timestamp"]) == (3, first)
    assert (metadata["timestamp"], metadata["importance"]) == (clock.now, 6)
    (memory,) = npc.recall.retrieve_relevant_raw("Who waved?")
    assert memory["breakdown"]["recency"] == 1.0


def test_repetitions_are_no_archived_memories(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    npc = save.npc("elena")
    id = npc.memories.store("The bridge is safe.")
    npc.memories.update_memory(id, {"text": "The bridge is out."})
    for _ in range(3):
        clock.now += DAY
        npc.memories.store("The bridge is out.")
    assert [each["archived"]["reason"] for each in npc.archive.get_archived()] == ["updated"]
    assert npc.tools.browse({"archived": True})["total"] == 1
    assert [each["archived"] for each in save.overview.list_npcs()] == [1]
    assert sum(npc.tools.get_timeline()["archived"]) == 1
    assert len(json.loads(npc.tools.export_json())["archive"]) == 1
    assert npc.archive.restore_archived(id)
    assert npc.memories.get_memory(id)["document"] == "The bridge is safe."


def test_what_differs_is_another_memory(npc: Npc) -> None:
    base: dict[str, Any] = {"event_type": "greeting"}
    npc.memories.store("The player waved.", 5, base)
    for text, data in (
        ("The player waved!", base),
        ("The player waved.", {"event_type": "farewell"}),
        ("The player waved.", {**base, "participants": ["player"]}),
        ("The player waved.", {**base, "turn": 7}),
        ("The player waved.", {**base, "location": "mill"}),
    ):
        assert npc.memories.get_memory(npc.memories.store(text, 5, data))["metadata"]["repeat_count"] == 1
    assert npc.memories.get_memory_count() == 6


def test_a_batch_counts_its_own_repetitions(npc: Npc) -> None:
    ids = npc.memories.store_batch([{"text": "It rained."}, {"text": "It snowed."}, {"text": "It rained."}])
    assert ids[0] == ids[2] != ids[1]
    assert npc.memories.get_memory_count() == 2
    assert npc.memories.get_memory(ids[0])["metadata"]["repeat_count"] == 2


def test_a_promise_after_a_broken_one_is_another(npc: Npc, clock: Any) -> None:
    def promise() -> str:
        clock.now += 60
        return npc.memories.store("The player promised to come.", 7, {"event_type": "promise_made"})

    first = promise()
    assert promise() == first
    clock.now += 60
    npc.memories.store("The player did not come.", 7, {"event_type": "promise_broken"})
    again = promise()
    assert again != first
    assert npc.memories.get_memory(first)["metadata"]["repeat_count"] == 2
    assert npc.memories.get_memory(again)["metadata"]["superseded_by"] == ""


def test_a_rollback_takes_repetitions_back(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    npc = save.npc("elena")
    id = npc.memories.store("The player waved.", 4)
    moments = []
    for importance in (4, 9):
        moments.append((clock.now, npc.memories.get_memory(id)))
        clock.now += DAY
        npc.memories.store("The player waved.", importance)
    for moment, known in reversed(moments):
        save.marks.rollback_to(moment)
        assert npc.memories.get_memory(id) == known
        assert [memory["id"] for memory in npc.recall.retrieve_relevant_raw("waved")] == [id]


def test_a_thousand_repetitions_take_little_room(
    opened: Callable[..., Save], save_path: Path, clock: GameClock
) -> None:
    text = "The player waved from the bridge and went on to the mill without saying a word."
    sizes = []
    for count in (1, 1000):
        save = opened(save_path, 384)
        for _ in range(count):
            clock.now += 61.37
            save.npc("elena").memories.store(text, 5, GREETING)
        save.close()
        sizes.append(save_path.stat().st_size)
    assert sizes[1] - sizes[0] < 200 * 1000
    save = opened(save_path, 384)
    assert save.marks.rollback_to(clock.now - 399.5 * 61.37) == 0
    (memory,) = save.npc("elena").recall.retrieve_relevant_raw(text)
    assert memory["document_full"] == text
    assert memory["similarity"] == pytest.approx(1.0, abs=1e-3)
    assert memory["metadata"]["repeat_count"] == 601
    assert kept_whole(save) == 0


def test_a_repetition_leaves_the_content_as_it_was() -> None:
    """A field that repeated() changes has to be kept of what was repeated."""
    low, high = (
        Record._make(str(amount) if kind == "str" else amount for kind in Record.__annotations__.values())
        for amount in (3, 9)
    )
    low, high = low._replace(extra="{}"), high._replace(extra="{}")
    for known, record in ((low, high), (high, low)):
        again = repeated(known, record)
        same = [name for name in CONTENT if name != "extra"]  # has the times, see with_times_of()
        assert [getattr(again, name) for name in same] == [getattr(known, name) for name in same]


# An action, a place, an importance and seconds, as far as the action needs them.
STEPS = st.tuples(
    st.sampled_from(
        ["tell"] * 8
        + ["change"] * 3
        + ["go back"] * 5
        + ["tell of another time"] * 3
        + ["wait", "turn the clock back", "date anew", "restore", "forget", "undo", "export", "import"]
        + ["consolidate"]
    ),
    st.sampled_from(["mill", "mill", "inn"]),
    st.integers(3, 4),
    st.sampled_from([0.0, 5.0, 15.0, 45.0, 100.0]),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(STEPS, min_size=10, max_size=40))
def test_a_rollback_brings_back_what_whole_copies_would(steps: list[tuple[str, str, int, float]]) -> None:
    """Also with clocks that go backwards, memories of the future, changes and imports in between."""
    results = []
    for whole in (False, True):
        clock = GameClock()
        with open_save(":memory:", embedder=HashingEmbedder(8), clock=clock) as save:
            if whole:
                archive_whole(save)
            results.append(played(save, clock, steps))
    assert results[0] == results[1]


def played(save: Save, clock: GameClock, steps: list[tuple[str, str, int, float]]) -> list[Any]:
    """The states after the steps."""
    npc = save.npc("elena")
    exported = npc.tools.export_json()
    captured = npc.tools.capture_memories([])
    states: list[Any] = []
    for kind, place, importance, seconds in steps:
        id = next((memory["id"] for memory in npc.recall.get_recent(1)), "")
        match kind:
            case "tell":
                clock.now += 10
                npc.memories.store("It rained.", importance, {"location": place})
            case "tell of another time":
                clock.now += 10
                later = clock.now + 2 * seconds - 45
                npc.memories.store("It rained.", importance, {"location": place, "timestamp": later})
            case "change" if id:
                captured = npc.tools.capture_memories([id])
                npc.memories.update_memory(id, {"location": place})
            case "date anew" if id:
                npc.memories.update_memory(id, {"timestamp": clock.now - seconds})
            case "forget" if id:
                captured = npc.tools.capture_memories([id])
                npc.memories.forget(id)
            case "restore":
                npc.archive.restore_archived(
                    next((memory["id"] for memory in npc.archive.get_archived()), "")
                )
            case "undo":
                npc.tools.put_back_memories(captured)
            case "export":
                exported = npc.tools.export_json()
            case "import":
                npc.tools.import_json(exported)
            case "consolidate":
                npc.memories.store_batch([{"text": f"Loaf {n} was sold.", "importance": 2} for n in range(3)])
                npc.archive.consolidate()
            case "wait":
                clock.now += seconds
            case "turn the clock back":
                clock.now -= seconds
            case "go back":
                states.append(save.marks.rollback_to(clock.now - seconds))
                clock.now -= seconds
        states.append((kind, memories(save), npc.archive.get_archived()))
    return states


def test_a_rollback_finds_what_older_saves_kept_of_repetitions(
    opened: Callable[..., Save], save_path: Path, clock: GameClock
) -> None:
    moments = []

    def repeat(save: Save) -> None:
        for _ in range(3):
            clock.now += 60
            id = save.npc("elena").memories.store("The player waved.", 4, GREETING)
            moments.append((clock.now, save.npc("elena").memories.get_memory(id)))

    older = opened(save_path)
    archive_whole(older)
    repeat(older)
    assert kept_whole(older) == 2
    older.close()
    save = opened(save_path)
    repeat(save)
    assert kept_whole(save) == 2
    for moment, known in reversed(moments):
        save.marks.rollback_to(moment)
        assert save.npc("elena").memories.get_memory(known["id"]) == known
        (found,) = save.npc("elena").recall.retrieve_relevant_raw("The player waved.")
        assert found["similarity"] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("is_changed", [False, True])
def test_what_a_rollback_deletes_because_of_its_date_leaves_its_content(
    opened: Callable[..., Save], clock: GameClock, is_changed: bool
) -> None:
    save = opened()
    npc = save.npc("elena")
    id = npc.memories.store("The player waved.", 4, GREETING)
    moment, known = clock.now, npc.memories.get_memory(id)
    clock.now += 10
    npc.memories.store("The player waved.", 4, {**GREETING, "timestamp": clock.now + DAY})
    clock.now += 10
    if is_changed:
        npc.memories.update_memory(id, {"location": "inn", "timestamp": clock.now})
    assert save.marks.rollback_to(clock.now) == (0 if is_changed else 1)
    save.marks.rollback_to(moment)
    assert npc.memories.get_memory(id) == known


def test_what_comes_back_has_a_vector_of_the_present_model(
    opened: Callable[..., Save], save_path: Path, clock: GameClock
) -> None:
    save = opened(save_path, 32)
    for _ in range(3):
        clock.now += 60
        save.npc("elena").memories.store("The player waved.", 4, GREETING)
    save.close()
    save = opened(save_path, 64)
    save.marks.rollback_to(clock.now - 60)
    run(save.missing.make_steps())
    (found,) = save.npc("elena").recall.retrieve_relevant_raw("The player waved.")
    assert found["metadata"]["repeat_count"] == 2
    assert found["similarity"] == pytest.approx(1.0, abs=1e-3)


def test_repetitions_are_exported_and_imported_once(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    npc, other = save.npc("elena"), save.npc("marcus")
    npc.memories.store("The player waved.")
    before = npc.tools.export_json()
    clock.now += DAY
    id = npc.memories.store("The player waved.")
    assert npc.tools.import_json(before) == 0, "it is known, and has been repeated since"
    assert other.tools.import_json(npc.tools.export_json()) == 1
    metadata = other.memories.get_memory(id)["metadata"]
    assert (metadata["repeat_count"], metadata["first_timestamp"]) == (2, clock.now - DAY)
    assert json.loads(npc.tools.export_json())["memories"][0]["repeat_count"] == 2
    assert "repeat_count" in npc.tools.dump_all_memories()


def test_a_rollback_goes_through_repetitions_once() -> None:
    counted: list[int] = []
    for times in (200, 800):
        clock = GameClock()
        with open_save(":memory:", embedder=HashingEmbedder(8), clock=clock) as save:
            npc = save.npc("elena")
            for _ in range(times):
                clock.now += 1
                npc.memories.store("The player entered the shop.")
            work = Work()
            with reading(save.store) as connection:
                connection.set_progress_handler(work.go_on, 100)
            for moment, left in ((clock.now + 1, times), (clock.now - 1.5, times - 2)):
                assert save.marks.rollback_to(moment) == 0
                assert npc.recall.get_recent(1)[0]["metadata"]["repeat_count"] == left
            counted.append(work.done)
    assert 0 < counted[1] < 6 * counted[0]


class Work:
    """Counts what SQLite does, in hundreds of its steps."""

    def __init__(self) -> None:
        self.done = 0

    def go_on(self) -> int:
        self.done += 1
        return 0
