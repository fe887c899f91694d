"""Consolidation: what is merged, what never is, what a summary says, and that nothing is lost."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from rag_memory import MemoryConfig, Npc, Save
from rag_memory.memory.kind import SUMMARY
from rag_memory.storage.sql.query import Query

DAY = 86400.0
MERGING = MemoryConfig(lasting_kinds=["fact", "reflection", "episode"])
"""What these tests store with store() is merged like everything else."""


@pytest.fixture
def npc(npc: Npc) -> Npc:
    npc.config = MERGING
    return npc


def talk(npc: Npc, clock: Any, count: int, gap: float = 60.0, **data: Any) -> list[str]:
    ids = []
    for _ in range(count):
        clock.now += gap
        text = f"The player asked for bread number {int(clock.now) % 1_000_000}. It rained."
        ids.append(npc.memories.store(text, 3, {"event_type": "talk", **data}))
    return ids


@pytest.mark.parametrize("gap", [1.0, 7000.0, DAY])
def test_more_than_fifty_memories_become_about_twenty(npc: Npc, clock: Any, gap: float) -> None:
    talk(npc, clock, 50, gap)
    assert not npc.archive.needs_consolidation()
    talk(npc, clock, 1, gap)
    assert npc.archive.needs_consolidation()
    events: list[tuple[str, Any]] = []
    npc.on_event = lambda *event: events.append(event)
    done = npc.archive.consolidate()
    assert done["remaining"] == npc.memories.get_memory_count()
    assert 15 <= done["remaining"] <= 20
    assert done["removed"] - len(done["summary_ids"]) == 51 - done["remaining"]
    assert events == [("memories_consolidated", (done["removed"], done["summary_ids"]))]
    assert not npc.archive.needs_consolidation()


def test_the_lowest_scored_go_and_the_finest_grouping_that_suffices_is_taken(npc: Npc, clock: Any) -> None:
    kept = [npc.memories.store(f"An important talk, {n}.", 7, {"event_type": "talk"}) for n in range(15)]
    for topic in ("mill", "bandits"):
        talk(npc, clock, 20, topics=[topic])
    done = npc.archive.consolidate()
    assert all(npc.memories.get_memory(id) for id in kept)
    summaries = [npc.memories.get_memory(id)["metadata"] for id in done["summary_ids"]]
    assert {tuple(metadata["topics"]) for metadata in summaries} == {("mill",), ("bandits",)}


def test_what_must_stay_stays(npc: Npc, clock: Any) -> None:
    kept = [
        npc.memories.store("We met at the well.", 1, {"event_type": "first_meeting", "memory_tier": 2}),
        npc.memories.store("A pinned one.", 1, {"memory_tier": 0}),
        npc.memories.store("A milestone.", 1, {"is_milestone": True}),
        npc.memories.store("The player's name is Theron.", 1, {"slot_type": "player_name"}),
        npc.memories.store("The player serves the duke.", 1, {"slot_type": "player_allegiance"}),
        npc.memories.store(
            "The player is from Elmsford.", 1, {"event_type": "player_info", "info_type": "home"}
        ),
        npc.memories.store("The player promised 3 bells.", 1, {"event_type": "promise_made"}),
        npc.memories.store("The player broke a promise.", 1, {"event_type": "promise_broken"}),
    ]
    clock.now += 30 * DAY
    talk(npc, clock, 60)
    assert npc.archive.consolidate()["removed"] > 30
    assert all(npc.memories.get_memory(id) for id in kept)


def test_old_conversations_of_one_day_and_topic_are_merged(npc: Npc, clock: Any) -> None:
    for topic, count in (("mill", 4), ("bread", 2)):
        talk(npc, clock, count, event_type="conversation", topics=[topic])
    assert npc.archive.consolidate() == {"removed": 0, "summary_ids": [], "remaining": 6}
    clock.now += 7 * DAY + 1
    talk(npc, clock, 3, event_type="conversation", topics=["mill"])
    done = npc.archive.consolidate()
    assert (done["removed"], done["remaining"]) == (4, 6)
    (summary,) = done["summary_ids"]
    assert npc.memories.get_memory(summary)["metadata"]["topics"] == ["mill"]
    assert npc.archive.consolidate()["removed"] == 0


def test_a_summary_keeps_names_numbers_and_where_it_comes_from(npc: Npc, clock: Any) -> None:
    texts = [
        "It was a cold morning. Gregor owes the player 40 coins.",
        "The player asked about the weather. Nothing else was said.",
        "Aldric saw 3 bandits at Iron Hollow. The player laughed.",
    ]
    ids = [
        npc.memories.store(
            text, 6, {"event_type": "conversation", "topics": ["debts"], "participants": ["player"]}
        )
        for text in texts
    ]
    first = clock.now
    clock.now += 10 * DAY
    (id,) = npc.archive.consolidate()["summary_ids"]
    summary = npc.memories.get_memory(id)
    metadata = summary["metadata"]
    assert (metadata["event_type"], metadata["importance"], metadata["memory_tier"]) == (SUMMARY, 6, 1)
    assert metadata["source_ids"] == ids
    assert metadata["dates"] == ["2023-12-13"]
    assert metadata["topics"] == ["debts"]
    assert {"Gregor", "Aldric"} <= set(metadata["people"])
    assert set(metadata["numbers"]) == {"40", "3"}
    assert metadata["timestamp"] == first
    for part in ("Gregor", "40", "Aldric", "3 bandits", "Iron Hollow"):
        assert part in summary["document_full"]
    sentences = " ".join(texts)
    assert all(part.strip(". ") in sentences for part in summary["document_full"].split(". "))


def test_summaries_are_found_and_their_sources_are_not(npc: Npc, clock: Any) -> None:
    talk(npc, clock, 51)
    npc.recall.retrieve_relevant("bread")
    done = npc.archive.consolidate()
    found = npc.recall.retrieve_relevant_raw("bread", {"limit": 99})
    assert len(found) == done["remaining"]
    assert set(done["summary_ids"]) <= {memory["id"] for memory in found}


def test_summaries_can_be_merged_again_and_name_the_first_sources(npc: Npc, clock: Any) -> None:
    ids = set(talk(npc, clock, 60))
    npc.archive.consolidate()
    ids |= set(talk(npc, clock, 60))
    npc.archive.consolidate()
    found = npc.recall.get_recent(999)
    told = {memory["id"] for memory in found if memory["metadata"]["event_type"] != SUMMARY}
    for memory in found:
        told |= set(memory["metadata"].get("source_ids", []))
    assert told == ids


def test_a_rollback_takes_a_consolidation_back(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    npc = save.npc("elena", MERGING)
    talk(npc, clock, 60)
    before = npc.recall.get_recent(99)
    moment = clock.now
    clock.now += 60
    npc.archive.consolidate()
    talk(npc, clock, 5)
    save.marks.rollback_to(moment)
    clock.now = moment
    assert npc.recall.get_recent(99) == before
    assert len(npc.recall.retrieve_relevant("bread", {"limit": 99})) == 60


def test_a_failure_leaves_everything_as_it_was(npc: Npc, clock: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    talk(npc, clock, 60)
    before = npc.recall.get_recent(99)

    def fail(*_: Any) -> None:
        raise OSError("killed")

    monkeypatch.setattr("rag_memory.storage.sql.archive.Archive.copy", fail)
    with pytest.raises(OSError, match="killed"):
        npc.archive.consolidate()
    assert npc.recall.get_recent(99) == before


def test_a_memory_that_changes_while_it_is_summarised_is_left_alone(npc: Npc, clock: Any) -> None:
    ids = talk(npc, clock, 51)
    steps = npc.archive.consolidate.steps()
    next(steps)
    npc.memories.forget(ids[0])
    npc.memories.update_memory(ids[1], {"text": "The player asked for cake."})
    list(steps)
    assert npc.memories.get_memory(ids[0]) == {}
    assert npc.memories.get_memory(ids[1])["document_full"] == "The player asked for cake."
    merged = {id for m in npc.recall.get_recent(99) for id in m["metadata"].get("source_ids", [])}
    assert not merged & set(ids[:2])


def test_it_is_the_same_every_time(opened: Callable[..., Save], clock: Any) -> None:
    texts = []
    for _ in range(2):
        clock.now = 1_702_500_000.0
        npc = opened().npc("elena", MERGING)
        talk(npc, clock, 60, 4000)
        npc.archive.consolidate()
        texts.append([memory["document_full"] for memory in npc.recall.get_recent(99)])
    assert texts[0] == texts[1]


def test_auto_consolidate_waits_for_idle_time(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    npc = save.npc("elena", replace(MERGING, auto_consolidate=True))
    other = save.npc("bjorn")
    events: list[str] = []
    npc.on_event = lambda name, _: events.append(name)
    talk(npc, clock, 51)
    talk(other, clock, 51)
    assert npc.memories.get_memory_count() == 51
    steps = 0
    while save.idle_step():
        steps += 1
    assert steps > 2
    assert npc.memories.get_memory_count() <= 20
    assert other.memories.get_memory_count() == 51
    assert events.count("memories_consolidated") == 1


@pytest.mark.parametrize("form", ["json", "csv"])
def test_auto_consolidate_takes_care_of_what_was_imported(
    opened: Callable[..., Save], clock: Any, form: str
) -> None:
    save = opened()
    talk(save.npc("bjorn"), clock, 51)
    npc = save.npc("elena", replace(MERGING, auto_consolidate=True))
    if form == "json":
        npc.tools.import_json(save.npc("bjorn").tools.export_json())
    else:
        npc.tools.import_csv(save.npc("bjorn").tools.export_csv())
    while save.idle_step():
        pass
    assert npc.memories.get_memory_count() <= 20


def test_auto_consolidate_does_not_insist_where_nothing_can_be_merged(
    opened: Callable[..., Save], clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = opened()
    npc = save.npc("elena", replace(MERGING, auto_consolidate=True))
    talk(npc, clock, 51, memory_tier=0)
    while save.idle_step():
        pass
    plans: list[int] = []

    find = save.store.records.find

    def counted(npc_number: int, query: Query = Query()) -> list[Any]:  # noqa: B008
        if query != Query():
            return find(npc_number, query)
        plans.append(npc_number)
        return []

    monkeypatch.setattr(save.store.records, "find", counted)
    for _ in range(10):
        talk(npc, clock, 1, memory_tier=0)
        while save.idle_step():
            pass
    assert plans == []


TALKS = [
    ("I sank the ferry at Lorch. It was an accident, I swear.", "I believe you. Say nothing to Anselm."),
    ("My wife is Ute of Calw. She weaves. She makes the best cloth of all.", "I bought a coat of hers."),
    ("I will rob the mint. Will you keep watch for me?", "No. I was in gaol once, in Trier."),
    ("Snow again. I lost two sheep near Worms, and the dog.", "Hedwig has your dog. He eats a lot."),
]


@pytest.mark.parametrize("count", [4, 12, 36])
def test_in_a_summary_everybody_keeps_their_words(npc: Npc, clock: Any, count: int) -> None:
    exchanges = []
    for number in range(count):
        clock.now += 60.0
        player, answer = TALKS[number % len(TALKS)]
        exchanges.append((f"{player} That was {number}.", f"{answer} I count {number}."))
        text = 'The player said: "{}" I answered: "{}"'.format(*exchanges[-1])
        npc.memories.store(text, 3, {"event_type": "conversation"})
    clock.now += 10 * DAY
    summaries = [
        npc.memories.get_memory(id)["document_full"] for id in npc.archive.consolidate()["summary_ids"]
    ]
    pieces = [
        piece
        for text in summaries
        for piece in re.findall(r'The player said: "([^"]*)" I answered: "([^"]*)"(?: |$)', text)
    ]
    assert len(pieces) == count
    assert " ".join(summaries) == " ".join(
        f'The player said: "{player}" I answered: "{answer}"' for player, answer in pieces
    )
    for pair, exchange in zip(pieces, exchanges, strict=True):
        for piece, words in zip(pair, exchange, strict=True):
            assert piece.removeprefix("...").removesuffix("...").strip() in words


def test_a_summary_has_one_piece_of_each_source(npc: Npc, clock: Any) -> None:
    texts = [
        f"Marcus went to field {place}. He saw nobody at all, and it rained on him all day. " * 3
        + f"Elena paid him {place} crowns at the gate of Harrow."
        for place in range(1, 13)
    ]
    for text in texts:
        npc.memories.store(text, 3, {"event_type": "conversation"})
    clock.now += 10 * DAY
    (id,) = npc.archive.consolidate()["summary_ids"]
    summary = npc.memories.get_memory(id)["document_full"]
    for place, text in enumerate(texts, 1):
        length = max(end for end in range(len(summary) + 1) if summary[:end] in text)
        assert f"Elena paid him {place}" in summary[:length]
        summary = summary[length:].removeprefix("...").strip()
    assert summary == ""


def test_a_dialogue_that_is_too_long_for_a_summary_stays_whole(npc: Npc, clock: Any) -> None:
    text = "— Где ты был? — спросила Мира. — На мельнице, — сказал Том. " * 40
    for number in range(3):
        npc.memories.store(f"{text} {number}.", 3, {"event_type": "conversation"})
    clock.now += 10 * DAY
    (id,) = npc.archive.consolidate()["summary_ids"]
    assert npc.memories.get_memory(id)["document_full"].startswith(text.strip())
