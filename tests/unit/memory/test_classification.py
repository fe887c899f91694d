from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest

from rag_memory import InvalidArgumentError, MemoryConfig, Npc, Save
from rag_memory.memory.classification import tells_of_family_death


def metadata_of(npc: Npc, data: dict[str, Any], importance: int = 5) -> dict[str, Any]:
    metadata: dict[str, Any] = npc.memories.get_memory(
        npc.memories.store("Something happened.", importance, data)
    )["metadata"]
    return metadata


@pytest.mark.parametrize(
    ("data", "importance", "tier"),
    [
        ({"is_milestone": True, "interaction_type": "gift_given"}, 1, 0),
        ({"interaction_type": "life_saved", "event_type": "gift_received"}, 1, 0),
        ({"interaction_type": "emotional_support", "event_type": "betrayal"}, 1, 0),
        ({"interaction_type": "threat_made", "event_type": "chat"}, 1, 1),
        ({"interaction_type": "casual_conversation", "event_type": "quest_failed"}, 1, 1),
        ({"event_type": "chat"}, 8, 1),
        ({"event_type": "chat"}, 7, 2),
    ],
)
def test_seven_priorities_in_their_order(npc: Npc, data: dict[str, Any], importance: int, tier: int) -> None:
    assert metadata_of(npc, data, importance)["memory_tier"] == tier


def test_the_analysis_decides_the_tier(npc: Npc) -> None:
    analysis = {"interaction_type": "betrayal", "trust_change": -15.0}
    metadata = metadata_of(npc, {"analysis": analysis})
    assert (metadata["interaction_type"], metadata["memory_tier"]) == ("betrayal", 0)
    assert metadata["analysis"] == analysis
    metadata = metadata_of(npc, {"analysis": analysis, "interaction_type": "gift_given"})
    assert (metadata["interaction_type"], metadata["memory_tier"]) == ("gift_given", 1)
    npc.config = MemoryConfig(use_analysis_for_tier_detection=False)
    assert metadata_of(npc, {"analysis": analysis, "turn": 2})["memory_tier"] == 2


@pytest.mark.parametrize(
    "data", [{"interaction_type": "betrayals"}, {"analysis": {"interaction_type": "betrayals"}}]
)
def test_an_unknown_interaction_type_is_warned_about_and_not_mapped(
    npc: Npc, data: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        metadata = metadata_of(npc, data)
    assert (metadata["interaction_type"], metadata["memory_tier"]) == ("casual_conversation", 2)
    assert [record.name for record in caplog.records] == ["rag_memory", "rag_memory.development"]
    assert "betrayals" in caplog.messages[0] and "resembles betrayal" in caplog.messages[1]


def test_no_interaction_type_is_none(npc: Npc, caplog: pytest.LogCaptureFixture) -> None:
    assert metadata_of(npc, {"analysis": {"interaction_type": ""}})["interaction_type"] == ""
    assert not caplog.records
    with pytest.raises(InvalidArgumentError, match="interaction_type"):
        npc.memories.store("No text.", 5, {"analysis": {"interaction_type": 3}})


@pytest.mark.parametrize(
    ("event_type", "milestone"),
    [
        ("conversation", "first_meeting"),
        ("gift_received", "first_gift"),
        ("quest_accepted", "first_quest"),
        ("first_kiss", "first_kiss"),
        ("harvest", "first_harvest"),
    ],
)
def test_the_first_of_its_kind_is_a_milestone(npc: Npc, event_type: str, milestone: str) -> None:
    metadata = metadata_of(npc, {"event_type": event_type, "is_first": True})
    assert (metadata["milestone_type"], metadata["memory_tier"]) == (milestone, 0)


@pytest.mark.parametrize(
    "text",
    [
        "My brother was killed by bandits at the mill.",
        "It rained. They told me that my husband Marcus died in the mine.",
        "Our little daughter drowned in the river.",
        "MY FATHER IS DEAD!",
        "I mourn the death of my old grandmother.",
        "Wolves murdered my poor dear son.",
        "My father, who built this mill, was killed.",
        "We lost our son to the fever.",
        "I buried my husband today.",
        "My mother's death changed everything.",
    ],
)
def test_a_family_death_told_in_words_is_a_milestone(npc: Npc, text: str) -> None:
    assert tells_of_family_death(text)
    events: list[tuple[str, tuple[Any, ...]]] = []
    npc.on_event = lambda name, arguments: events.append((name, arguments))
    metadata = npc.memories.get_memory(npc.memories.store(text))["metadata"]
    assert (metadata["is_milestone"], metadata["milestone_type"]) == (True, "family_death")
    assert ("milestone_created", ("family_death",)) in events


@pytest.mark.parametrize(
    "text",
    [
        "The bandit died at the gate.",
        "My brother came home. The wolf is dead.",
        "My brother almost died last winter.",
        "My mother is not dead.",
        "I fear my son could be killed.",
        "If my father died I would weep.",
        "The player told me that his father died.",
        "My brother's candle went out.",
        "My brother killed a bandit.",
        "The bandit was killed by my brother.",
        "A wolf was killed near my mother.",
        "I lost my father's hammer.",
        "My daughter saw how the old king died.",
        "The player asked whether my husband was dead.",
    ],
)
def test_other_deaths_are_none(text: str) -> None:
    assert not tells_of_family_death(text)


def test_what_the_caller_said_comes_before_what_words_tell(npc: Npc) -> None:
    text = "My brother died."
    assert not npc.memories.get_memory(npc.memories.store(text, 5, {"is_milestone": False}))["metadata"][
        "is_milestone"
    ]
    metadata = npc.memories.get_memory(npc.memories.store(text, 5, {"event_type": "betrayal"}))["metadata"]
    assert metadata["milestone_type"] == "betrayal"


GERMAN = {
    "family_words": ["mein Vater", "meine Mutter", "unsere Tochter"],
    "death_words": ["gestorben", "getötet", "ist tot"],
    "death_denial_words": ["nicht", "fast"],
}
JAPANESE = {"family_words": ["私の父", "母"], "death_words": ["死んだ", "亡くなった"]}


@pytest.mark.parametrize(
    ("words", "text", "told"),
    [
        (GERMAN, "Es regnet. Gestern ist meine Mutter gestorben!", True),
        (GERMAN, "MEIN VATER IST TOT", True),
        (GERMAN, "Mein Vater ist nicht gestorben.", False),
        (GERMAN, "Meine Mutter singt. Der Hund ist gestorben.", False),
        (GERMAN, "Der Stiefel, den mein Vaterland trug, ist tot.", False),
        (GERMAN, "My brother died.", True),
        (JAPANESE, "昨日、私の父が亡くなった。", True),
        (JAPANESE, "私の父は元気だ。犬が死んだ。", False),
        ({"family_words": ["mein Vater"]}, "Mein Vater ist gestorben.", False),
        ({}, "Mein Vater ist gestorben.", False),
    ],
)
def test_the_game_says_how_its_language_tells_of_a_family_death(
    words: dict[str, list[str]], text: str, told: bool, opened: Callable[..., Save]
) -> None:
    npc = opened().npc("elena", MemoryConfig(**words))  # type: ignore[arg-type]
    metadata = npc.memories.get_memory(npc.memories.store(text))["metadata"]
    assert metadata["is_milestone"] is told
    assert metadata["milestone_type"] == ("family_death" if told else "")
