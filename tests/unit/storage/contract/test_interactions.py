"""The log of interactions, in every backend."""

from __future__ import annotations

from rag_memory.memory.interaction import (
    ADJUSTMENT,
    EVENT,
    NO_EMOTION,
    PRUNED,
    REFLECTION,
    Emotion,
    Interaction,
)
from rag_memory.storage.sql.interactions import NEWEST, earliest_event_of, newest_events, newest_of_kind

from .conftest import Kept, record_of


def entry(at: float, source: str = "kael", strength: float = 50.0, kind: str = EVENT) -> Interaction:
    """An entry that is not stored yet."""
    emotion = Emotion("angry", 75.0, "Kael attacked", at, at + 300.0)
    details = {"outcome": "I ran", "entities": ["mill"], "importance": 3}
    return Interaction(
        0,
        kind,
        at,
        at,
        source,
        source.title(),
        "attacked",
        "Ha!",
        details,
        -30.0,
        strength,
        "why",
        1.0,
        emotion,
    )


def add(kept: Kept, *entries: Interaction, npc: int = 0) -> list[int]:
    with kept.storage.transaction():
        return [kept.storage.interactions.add(npc or kept.npc, each) for each in entries]


def test_an_entry_comes_back_as_it_was_stored(kept: Kept) -> None:
    told = entry(5.0)
    (key,) = add(kept, told)
    assert kept.storage.interactions.find(kept.npc, newest_events(9)) == [told._replace(key=key)]
    assert kept.storage.interactions.first(kept.npc, NEWEST) == told._replace(key=key)


def test_no_emotion_comes_back_as_none(kept: Kept) -> None:
    add(kept, entry(5.0)._replace(emotion=NO_EMOTION))
    newest = kept.storage.interactions.first(kept.npc, NEWEST)
    assert newest is not None and newest.emotion == NO_EMOTION


def test_the_earliest_event_of_a_source_is_the_one_that_happened_first(kept: Kept) -> None:
    interactions = kept.storage.interactions
    assert interactions.first(kept.npc, earliest_event_of("kael")) is None
    add(kept, entry(1.0, kind=ADJUSTMENT), entry(7.0), entry(9.0)._replace(timestamp=3.0), entry(2.0, "aria"))
    earliest = interactions.first(kept.npc, earliest_event_of("kael"))
    assert earliest is not None and (earliest.timestamp, earliest.stored_at) == (3.0, 9.0)


def test_interactions_are_the_newest_events_of_a_source(kept: Kept) -> None:
    add(kept, *(entry(at, source) for at, source in enumerate(["kael", "aria", "kael", "aria", "kael"])))
    add(kept, entry(9.0, "kael", kind=ADJUSTMENT))
    assert [each.timestamp for each in kept.storage.interactions.find(kept.npc, newest_events(3))] == [
        4,
        3,
        2,
    ]
    assert [
        each.timestamp for each in kept.storage.interactions.find(kept.npc, newest_events(9, "aria"))
    ] == [3, 1]
    assert kept.storage.interactions.find(kept.npc, newest_events(9, "nobody")) == []


def test_the_newest_entry_of_each_source_tells_its_disposition(kept: Kept) -> None:
    add(kept, entry(1.0, "kael", 20), entry(2.0, "aria", 80), entry(3.0, "kael", 35), entry(4.0, "", 0))
    found = {each.source_id: each.strength for each in kept.storage.interactions.newest_of_sources(kept.npc)}
    assert found == {"kael": 35, "aria": 80}


def test_npcs_have_logs_of_their_own(kept: Kept) -> None:
    with kept.storage.transaction():
        other = kept.storage.npcs.add("mira")
    add(kept, entry(1.0))
    add(kept, entry(2.0), npc=other)
    assert [each.timestamp for each in kept.storage.interactions.find(other, newest_events(9))] == [2.0]
    with kept.storage.transaction():
        kept.storage.interactions.forget(other)
    assert kept.storage.interactions.first(other, NEWEST) is None
    assert kept.storage.interactions.first(kept.npc, NEWEST) is not None


def test_pruning_keeps_the_newest_and_one_disposition_of_each_source(kept: Kept) -> None:
    add(kept, entry(0.0, "aria", 90), *(entry(float(at), "kael", at % 100) for at in range(1, 200)))
    with kept.storage.transaction():
        assert kept.storage.interactions.prune(kept.npc, 100) == 98
        assert kept.storage.interactions.prune(kept.npc, 100) == 0
    left = kept.storage.interactions.find(kept.npc, newest_events(1000))
    assert [each.timestamp for each in left] == [float(at) for at in range(199, 99, -1)]
    found = {each.source_id: each.strength for each in kept.storage.interactions.newest_of_sources(kept.npc)}
    assert found == {"aria": 90, "kael": 99}


def test_few_entries_too_many_are_not_pruned_each_time(kept: Kept) -> None:
    add(kept, *(entry(float(at)) for at in range(120)))
    with kept.storage.transaction():
        assert kept.storage.interactions.prune(kept.npc, 100) == 0


def test_a_rollback_brings_the_earlier_feelings_back(kept: Kept) -> None:
    add(kept, entry(1.0, "kael", 80), entry(5.0, "kael", 20), entry(6.0, "aria", 10))
    with kept.storage.transaction():
        kept.storage.marks.roll_back(5.0)
    assert {
        each.source_id: each.strength for each in kept.storage.interactions.newest_of_sources(kept.npc)
    } == {"kael": 20}
    with kept.storage.transaction():
        kept.storage.marks.roll_back(4.0)
    assert {
        each.source_id: each.strength for each in kept.storage.interactions.newest_of_sources(kept.npc)
    } == {"kael": 80}


def test_a_rollback_beyond_what_is_kept_finds_what_is_known_of_old_acquaintances(kept: Kept) -> None:
    entries = [entry(float(at), "kael", at % 100) for at in range(100, 300)]
    late = [entry(200.5, "late", 70)._replace(known_since=200.5)]
    add(kept, *entries[:101], *late, *entries[101:])
    with kept.storage.transaction():
        kept.storage.interactions.prune(kept.npc, 50)
        kept.storage.marks.roll_back(150.0)
    (found,) = kept.storage.interactions.newest_of_sources(kept.npc)
    assert (found.source_id, found.kind, found.strength) == ("kael", PRUNED, 49)
    assert kept.storage.interactions.first(kept.npc, NEWEST) is None


def test_the_last_forgotten_reflection_stays(kept: Kept) -> None:
    reflections = [entry(float(at))._replace(kind="reflection", source_id="") for at in (1, 2)]
    add(kept, *reflections, *(entry(float(at), "kael") for at in range(3, 200)))
    with kept.storage.transaction():
        kept.storage.interactions.prune(kept.npc, 50)
    found = kept.storage.interactions.first(kept.npc, newest_of_kind("reflection"))
    assert found is not None and found.stored_at == 2.0
    entries = kept.storage.interactions.find(kept.npc)
    assert [each.kind for each in entries[:3]] == ["reflection", PRUNED, "event"]
    assert len(entries) == 52


def test_importance_gathers_of_later_memories_only(kept: Kept) -> None:
    keys = kept.put(*(record_of(f"m{each} happened.", importance=each) for each in (3, 5, 8)))
    kept.put(record_of("r1 thought.", importance=9, kind="reflection"))
    assert kept.storage.records.importance_after(kept.npc, 0) == 16
    assert kept.storage.records.importance_after(kept.npc, keys[0]) == 13
    assert kept.storage.records.importance_after(kept.npc, keys[-1]) == 0


def test_a_failed_transaction_leaves_no_entry(kept: Kept) -> None:
    try:
        with kept.storage.transaction():
            kept.storage.interactions.add(kept.npc, entry(1.0))
            raise KeyError
    except KeyError:
        pass
    assert kept.storage.interactions.first(kept.npc, NEWEST) is None


def test_pruning_keeps_when_she_last_reflected(kept: Kept) -> None:
    reflections = [entry(at, "", kind=REFLECTION) for at in (1.0, 2.0)]
    add(kept, *reflections, *(entry(float(at)) for at in range(10, 200)))
    for _ in range(2):
        with kept.storage.transaction():
            kept.storage.interactions.prune(kept.npc, 50)
        add(kept, *(entry(float(at)) for at in range(200, 300)))
    newest = kept.storage.interactions.first(kept.npc, newest_of_kind(REFLECTION))
    assert newest is not None and newest._replace(key=0) == reflections[1]
    with kept.storage.transaction():
        kept.storage.marks.roll_back(1.5)
    assert kept.storage.interactions.first(kept.npc, newest_of_kind(REFLECTION)) is None
