"""What happens again in the same words counts each time: in times, importance, conclusions and prompts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.conftest import GameClock

from rag_memory import MemoryConfig, Npc, Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.prompt.memory_line import memory_line

DAY = 86400.0
CURSES = ("You thief", "You liar", "You wretch", "You swine", "You oaf")
HOURS = 3600.0


def curse(npc: Npc, words: str = CURSES[0], **more: Any) -> str:
    event = {"action": "insulted", "source_id": "brand", "source_name": "Brand", "content": words, **more}
    return str(npc.mind.perceive(event)["memory_id"])


def conclusions(npc: Npc) -> list[str]:
    ids = npc.mind.reflections.reflect(force=True)
    return [npc.memories.get_memory(id)["document_full"] for id in ids]


def test_times_and_count_are_stored(npc: Npc, clock: GameClock) -> None:
    times = []
    for _ in range(5):
        clock.now += DAY
        times.append(clock.now)
        id = curse(npc)
    metadata = npc.memories.get_memory(id)["metadata"]
    assert metadata["occurrences"] == {"count": 5, "times": times}
    assert metadata["repeat_count"] == 5
    assert "occurrences" not in npc.memories.get_memory(curse(npc, "You toad"))["metadata"]


def test_the_last_twenty_times_are_stored(npc: Npc, clock: GameClock) -> None:
    for _ in range(33):
        clock.now += DAY
        id = npc.memories.store("Brand slammed the door.", 4)
    occurrences = npc.memories.get_memory(id)["metadata"]["occurrences"]
    assert occurrences == {"count": 33, "times": [clock.now - DAY * ago for ago in range(19, -1, -1)]}


def test_five_equal_insults_teach_what_five_different_ones_do(
    opened: Callable[..., Save], clock: GameClock
) -> None:
    save = opened()
    results = []
    for npc, words in ((save.npc("odo"), CURSES), (save.npc("ida"), CURSES[:1] * 5)):
        for said in words:
            clock.now += DAY
            curse(npc, said)
        gathered = npc.mind.reflections.get_importance_since_reflection()
        feeling = npc.mind.log.disposition("brand")["strength"]
        results.append((conclusions(npc), feeling))
        assert gathered >= 3.5
        assert npc.mind.reflections.get_importance_since_reflection() == 0.0
    assert results[0] == results[1]
    assert results[0][0] == ["Brand has treated me badly five times within a week; I do not trust Brand."]


def test_a_conclusion_grows_with_each_repetition(npc: Npc, clock: GameClock) -> None:
    curse(npc)
    assert conclusions(npc) == []
    for expected in ("twice", "three times"):
        clock.now += 10 * DAY
        curse(npc)
        assert conclusions(npc) == [f"Brand has treated me badly {expected}; I do not trust Brand."]


def test_importance_gathers_with_what_is_repeated_after_a_reflection(npc: Npc, clock: GameClock) -> None:
    curse(npc)
    conclusions(npc)
    gathered = npc.mind.reflections.get_importance_since_reflection
    assert gathered() == 0.0
    clock.now += DAY
    curse(npc)
    assert gathered() >= 0.7
    conclusions(npc)
    npc.mind.reflections.learn_fact("Brand is a smith.")
    npc.mind.reflections.learn_fact("Brand is a smith.")
    assert gathered() == 0.0


def test_what_matters_matters_more_when_it_is_repeated(npc: Npc) -> None:
    insult = [npc.memories.get_memory(curse(npc))["metadata"]["importance"] for _ in range(5)]
    assert insult == [7, 8, 8, 9, 9]
    for _ in range(99):
        greeting = npc.memories.store_conversation("player", "Good morning!")
        trade = npc.mind.perceive({"action": "traded", "source_id": "brand"})["memory_id"]
    assert npc.memories.get_memory(greeting)["metadata"]["importance"] == 6
    assert npc.memories.get_memory(trade)["metadata"]["importance"] == 4


def test_a_returned_favour_divides_equal_help(npc: Npc, clock: GameClock) -> None:
    def happen(action: str) -> None:
        clock.now += DAY
        npc.mind.perceive({"action": action, "source_id": "brand", "source_name": "Brand"})

    happen("helped")
    happen("helped")
    happen("repaid")
    happen("helped")
    assert "I owe Brand a favour." not in conclusions(npc)
    happen("helped")
    assert "I owe Brand a favour." in conclusions(npc)


@pytest.mark.parametrize("count", [2, 5])
def test_a_line_says_how_often_and_when_last(npc: Npc, clock: GameClock, count: int) -> None:
    clock.now = 12.5 * DAY - count * DAY + DAY
    for _ in range(count):
        curse(npc)
        clock.now += DAY
    (memory,) = npc.recall.retrieve_relevant_raw("What did Brand call me?")
    often = {2: "twice", 5: "five times"}[count]
    line = memory_line(MemoryConfig(), memory, "rendered_text", clock.now)
    assert line == f"- ({often}, last on day 12, yesterday) Brand insulted me: 'You thief'"


def test_near_duplicates_in_an_answer_count_together(npc: Npc, clock: GameClock) -> None:
    for text in ("Brand kicked my dog.", "Brand kicked my dogs!", "Brand kicked my dog."):
        clock.now += DAY
        npc.memories.store(text, 7)
    (memory,) = [m for m in npc.recall.retrieve_scored("Who kicked my dog?") if not m["protected"]]
    assert memory["metadata"]["occurrences"]["count"] == 3
    assert max(memory["metadata"]["occurrences"]["times"]) == clock.now
    assert "three times, last on" in memory_line(MemoryConfig(), memory, "rendered_text", clock.now)


def test_times_survive_changes_and_files(npc: Npc, opened: Callable[..., Save], clock: GameClock) -> None:
    for _ in range(3):
        clock.now += DAY
        id = curse(npc)
    before = npc.memories.get_memory(id)["metadata"]["occurrences"]
    npc.memories.update_memory(id, {"text": "Brand called me a thief.", "own": 1})
    assert npc.memories.get_memory(id)["metadata"]["occurrences"] == before
    for form in ("json", "csv"):
        other = opened().npc("elena")
        getattr(other.tools, f"import_{form}")(getattr(npc.tools, f"export_{form}")())
        (memory,) = other.recall.get_recent(5)
        assert memory["metadata"]["occurrences"] == before
        assert memory["metadata"]["own"] == 1


STEPS = st.lists(st.tuples(st.booleans(), st.integers(1, 9)), min_size=1, max_size=12)


@settings(max_examples=30, deadline=None)
@given(STEPS)
def test_undoing_an_exchange_takes_one_away(steps: list[tuple[bool, int]]) -> None:
    """What is left is what there would be if the undone exchanges had never been."""
    results = []
    for undone in (True, False):
        clock = GameClock()
        with open_save(":memory:", embedder=HashingEmbedder(8), clock=clock) as save:
            npc, exchanges = save.npc("elena"), []
            npc.memories.store("Brand spat.", 3)
            for number, (is_undone, hours) in enumerate(steps):
                clock.now += hours * HOURS
                if is_undone and not undone:
                    continue
                with save.context.exchange(f"x{number}", "elena"):
                    npc.memories.store("Brand spat.", 3)
                exchanges += [f"x{number}"] if is_undone else []
            for exchange in exchanges:
                npc.exchange_undo.undo_exchange(exchange)
            (memory,) = npc.recall.get_recent(5)
            metadata = memory["metadata"]
            results.append((metadata["repeat_count"], metadata.get("occurrences")))
    assert results[0] == results[1]
