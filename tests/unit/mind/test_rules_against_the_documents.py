"""Thousands of random inputs against an oracle that is written from the tables of the reference documents
alone, so that a mistake in the core is not repeated here. The seeds are fixed: a failure comes again.
The documents do not print the emotions: those words are what the game Land itself stores.

tests/engine/prompt/test_temperament.gd does the same for what a personality scales.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from rag_memory import MemoryConfig, Npc, Save

EMOTIONS = """
quest_accepted   hopeful
quest_refused    disappointed
quest_completed  grateful
quest_failed     frustrated
item_given       grateful
item_received    pleased
helped           grateful
refused_help     disappointed
"""
OTHER_EMOTION = "neutral"
OTHER_ACTIONS = ("gift_given", "promise_made", "sang", "Helped", "helped_me", "quest", "betrayal")
LIMITS = """
trust_change        15
affection_change    10
fear_change         10
respect_change      10
familiarity_change   5
"""
DETERMINISTIC = {
    "gift_given": {"affection_change": 5, "trust_change": 2},
    "betrayal": {"trust_change": -15, "affection_change": -10},
    "life_saved": {"trust_change": 15, "affection_change": 10, "fear_change": -5},
}
RANGES = """
trust        -100  100
respect      -100  100
affection    -100  100
fear         -100  100
familiarity     0  100
"""


def rows(table: str) -> list[list[str]]:
    return [line.split() for line in table.strip().splitlines()]


def status(trust: int, affection: int) -> str:
    """The label of the plan, which knows neither fear nor familiarity."""
    if trust < 20:
        return "hostile" if affection < 0 else "distrustful"
    for below, label in ((40, "wary"), (60, "neutral"), (80, "friendly")):
        if trust < below:
            return label
    return "trusted_ally" if affection > 50 else "respected"


REFINED = {
    "terrified": {"hostile", "distrustful", "wary", "neutral", "friendly", "respected", "trusted_ally"},
    "cautious": {"neutral"},
    "acquaintance": {"neutral"},
    "close_friend": {"friendly"},
    "devoted": {"trusted_ally"},
}
"""The other labels of the plan, and which of status() each is a finer word for."""


def random_number(chance: random.Random) -> int | float:
    largest = chance.choice([3, 12, 20, 300])
    return chance.randint(-largest, largest) if chance.random() < 0.6 else chance.uniform(-largest, largest)


def test_an_action_without_an_emotion_gets_that_of_the_table(npc: Npc) -> None:
    chance = random.Random(18)
    table = dict(rows(EMOTIONS))
    actions = [*table, *OTHER_ACTIONS]
    for number in range(2000):
        action = chance.choice(actions)
        told = chance.choice(["", "", "touched", "neutral"])
        id = npc.memories.store_player_action(action, f"did the deed number {number}", 5, told)
        expected = told or table.get(action, OTHER_EMOTION)
        assert npc.memories.get_memory(id)["metadata"]["emotion"] == expected, (action, told)


def test_a_designer_may_edit_the_table(opened: Callable[..., Save]) -> None:
    config = MemoryConfig(action_emotions={"sang": "cheerful"}, other_action_emotion="")
    npc = opened().npc("elena", config=config)
    for action, expected in (("sang", "cheerful"), ("helped", "")):
        id = npc.memories.store_player_action(action, "did something", 5)
        assert npc.memories.get_memory(id)["metadata"].get("emotion", "") == expected
    assert dict(rows(EMOTIONS)) == MemoryConfig().action_emotions


def test_changes_are_clamped_to_the_limits_of_the_table() -> None:
    chance = random.Random(5)
    limits = {name: int(limit) for name, limit in rows(LIMITS)}
    for _ in range(4000):
        proposed = {name: random_number(chance) for name in limits if chance.random() < 0.8}
        expected: dict[str, Any] = {
            name: sorted((-limit, proposed.get(name, 0), limit))[1] for name, limit in limits.items()
        }
        assert MemoryConfig().clamp_relationship_deltas(proposed) == expected, proposed


def test_changes_by_event_are_those_of_the_table(npc: Npc) -> None:
    for event in (*DETERMINISTIC, *OTHER_ACTIONS[2:6], "casual_conversation"):
        assert npc.rules.get_deterministic_deltas(event) == DETERMINISTIC.get(event, {})


def test_status_and_dimensions_are_those_of_the_tables(npc: Npc) -> None:
    chance = random.Random(3)
    ranges = {name: (int(least), int(most)) for name, least, most in rows(RANGES)}
    seen = set()
    for _ in range(4000):
        state = {name: chance.randint(least - 20, most + 20) for name, (least, most) in ranges.items()}
        kept = {name: sorted((least, state[name], most))[1] for name, (least, most) in ranges.items()}
        npc.relationship.set_relationship_state(state)
        header = npc.relationship.generate_relationship_header()
        told = header["metadata"]["relationship"]
        assert {name: told[name] for name in ranges} == kept
        plain = status(kept["trust"], kept["affection"])
        label = told["status"]
        if kept["fear"] < 40 and kept["familiarity"] < 40:
            assert label == plain, kept
        assert label == plain or plain in REFINED[label], kept
        assert (label == "terrified") == (kept["fear"] >= 75)
        met = "yes" if kept["familiarity"] > 0 else "no"
        shown = ", ".join(
            f"{name.title()}={kept[name]}" for name in ("trust", "affection", "fear", "respect")
        )
        assert header["document"] == f"[Met={met}, Days=0, {shown}, Status={label}]"
        seen.add(label)
    assert seen == {*REFINED, *REFINED["terrified"]}
