from __future__ import annotations

import logging
import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.conftest import GameClock

from rag_memory import InvalidArgumentError, Npc, Save
from rag_memory.config.event_words import DEFAULT_EVENT_WORDS
from rag_memory.config.interaction_type import MEANINGS
from rag_memory.text.second_person import begins_with_deed

DIMENSIONS = ("trust", "respect", "affection", "fear", "familiarity")


def stored(npc: Npc, id: str) -> tuple[str, dict[str, Any]]:
    memory = npc.memories.get_memory(id)
    return memory["document_full"], memory["metadata"]


def test_a_conversation_is_told_from_the_npcs_perspective(npc: Npc) -> None:
    text, metadata = stored(npc, npc.memories.store_conversation("player", "I will mend your roof."))
    assert text == 'The player told me: "I will mend your roof."'
    assert (metadata["event_type"], metadata["importance"]) == ("conversation", 6)
    assert metadata["participants"] == ["player"]
    text, metadata = stored(npc, npc.memories.store_conversation("elena", "Then come tomorrow."))
    assert text == 'I told the player: "Then come tomorrow."' and metadata["participants"] == ["player"]
    text, metadata = stored(npc, npc.memories.store_conversation("Bjorn", "The forge is cold."))
    assert text == 'Bjorn told me: "The forge is cold."' and metadata["speaker"] == "Bjorn"


@pytest.mark.parametrize("speaker", ["player", "Player", "user", "USER", " you "])
def test_every_word_for_the_player_is_the_player(npc: Npc, speaker: str) -> None:
    text, metadata = stored(npc, npc.memories.store_conversation(speaker, "Good day."))
    assert text == 'The player told me: "Good day."'
    assert (metadata["speaker"], metadata["participants"]) == ("player", ["player"])


@pytest.mark.parametrize("speaker", ["elena", "Elena", "npc", "NPC", "assistant"])
def test_every_word_for_the_npc_is_the_npc(npc: Npc, speaker: str) -> None:
    text, metadata = stored(npc, npc.memories.store_conversation(speaker, "Welcome."))
    assert text == 'I told the player: "Welcome."'
    assert (metadata["speaker"], metadata["participants"]) == ("elena", ["player"])


@pytest.mark.parametrize("speaker", ["system", "Tool", "developer", "function"])
def test_a_role_that_nobody_hears_is_an_error(npc: Npc, speaker: str) -> None:
    with pytest.raises(InvalidArgumentError, match=r"no one whom the NPC hears"):
        npc.memories.store_conversation(speaker, "Obey.")
    assert npc.memories.get_memory_count() == 0


def test_an_npc_may_be_called_like_a_role(opened: Callable[..., Save]) -> None:
    for name in ("user", "system"):
        npc = opened().npc(name)
        assert (
            stored(npc, npc.memories.store_conversation(name, "Welcome."))[0]
            == 'I told the player: "Welcome."'
        )


def test_the_context_of_a_conversation_is_data(npc: Npc) -> None:
    context = {
        "importance": 9,
        "emotion": "hopeful",
        "topics": ["roof"],
        "location": "loft",
        "mood": "calm",
        "analysis": {"interaction_type": "emotional_support"},
    }
    _, metadata = stored(npc, npc.memories.store_conversation("player", "You are not alone.", context))
    assert (metadata["importance"], metadata["emotion"], metadata["topics"]) == (9, "hopeful", ["roof"])
    assert (metadata["location"], metadata["mood"], metadata["memory_tier"]) == ("loft", "calm", 1)
    assert context["importance"] == 9


def test_a_witnessed_event(npc: Npc) -> None:
    text, metadata = stored(npc, npc.memories.store_witnessed_event("The player stole a loaf."))
    assert text == "I saw this happen: The player stole a loaf."
    assert (metadata["event_type"], metadata["importance"]) == ("witnessed_event", 7)
    assert metadata["emotion"] == "surprised"
    assert stored(npc, npc.memories.store_witnessed_event("I saw smoke.", 3, "calm"))[0] == "I saw smoke."


@pytest.mark.parametrize(
    ("description", "text"),
    [
        ("gave me a rose", "The player gave me a rose"),
        ("Gave me a rose.", "Gave me a rose."),
        ("player gave me a rose", "The player gave me a rose"),
        ("The player gave me a rose.", "The player gave me a rose."),
        ("with a smile the player left", "with a smile the player left"),
    ],
)
def test_a_player_action(npc: Npc, description: str, text: str) -> None:
    told, metadata = stored(npc, npc.memories.store_player_action("gift_received", description))
    assert told == text
    assert (metadata["event_type"], metadata["importance"]) == ("gift_received", 8)
    assert (metadata["memory_tier"], metadata["participants"]) == (1, ["player"])


@pytest.mark.parametrize(
    ("action", "description", "text"),
    [
        ("gift_given", "a rose", "gave me a rose"),
        ("gift_given", "rose", "gave me a rose"),
        ("gift_given", "quietly gave me a rose", "quietly gave me a rose"),
        ("theft", "hammer", "stole a hammer"),
        ("theft", "iron_axe", "stole an iron axe"),
        ("theft", "my hammer", "stole my hammer"),
        ("theft", "Excalibur", "stole Excalibur"),
        ("theft", "bag of gold", "stole a bag of gold"),
        ("theft", "gold", "stole gold"),
        ("theft", "10 coins", "stole 10 coins"),
        ("theft", "from the till", "stole from the till"),
        ("stole", "wedding ring", "stole a wedding ring"),
        ("helped", "with the harvest", "helped with the harvest"),
        ("insult", "coward", "insulted me: coward"),
        ("insult", "called me a coward", "called me a coward"),
        ("lie", "his past", "lied about his past"),
        ("promise_broken", "late", "broke a promise late"),
        ("repair", "the roof", "did this (repair): the roof"),
        ("kissed", "her", "kissed her"),
        ("betrayed", "me", "betrayed me"),
        ("betrayal", "me", "betrayed me"),
        ("saved", "him", "saved him"),
        ("robbed", "me at night", "robbed me at night"),
        ("stole", "left glove", "stole a left glove"),
        ("departure", "left the village", "left the village"),
        ("fight", "lost", "lost"),
        ("work", "cut wood", "cut wood"),
        ("gift_given", "bed", "gave me a bed"),
        ("gift_given", "red cloak", "gave me a red cloak"),
        ("gift_given", "stolen ring", "gave me a stolen ring"),
        ("promise_made", "fix the roof", "promised to fix the roof"),
        ("promise_made", "bring me a rose", "promised to bring me a rose"),
        ("promise_made", "to return", "promised me to return"),
        ("death", "of old age", "did this (death): of old age"),
    ],
)
def test_an_action_without_a_verb_gets_that_of_its_type(
    npc: Npc, action: str, description: str, text: str
) -> None:
    assert stored(npc, npc.memories.store_player_action(action, description))[0] == f"The player {text}"


@pytest.mark.parametrize("action", sorted({*DEFAULT_EVENT_WORDS, *MEANINGS}))
def test_every_event_type_of_the_tables_has_a_verb(npc: Npc, action: str) -> None:
    text, _ = stored(npc, npc.memories.store_player_action(action, "the sword"))
    assert begins_with_deed(text.removeprefix("The player ")) and " the sword" in text
    assert "did this" not in text


@pytest.mark.parametrize(
    "text", ["the loaf was given to me", "Gave me a rose.", "It rained on his head.", "__"]
)
def test_a_whole_sentence_of_an_action_stays_as_written(npc: Npc, text: str) -> None:
    assert stored(npc, npc.memories.store_player_action("gift_given", text))[0] == text


def test_a_player_action_may_break_a_promise(npc: Npc) -> None:
    promise = npc.memories.store_player_action("promise_made", "promised to mend the roof")
    breach = npc.memories.store_player_action("promise_broken", "never came")
    assert stored(npc, promise)[1]["superseded_by"] == breach


@pytest.mark.parametrize(
    ("outcome", "event_type", "text"),
    [
        ("started", "quest_started", 'The player took on the quest "broken stamp".'),
        ("Completed", "quest_completed", 'The player completed the quest "broken stamp".'),
        ("failed", "quest_failed", 'The player failed the quest "broken stamp".'),
        ("they found {gold}", "quest", 'How the quest "broken stamp" went: they found {gold}'),
    ],
)
def test_a_quest_memory(npc: Npc, outcome: str, event_type: str, text: str) -> None:
    told, metadata = stored(npc, npc.memories.store_quest_memory("broken_stamp", outcome))
    assert told == text
    assert (metadata["event_type"], metadata["importance"]) == (event_type, 8)
    assert (metadata["quest_id"], metadata["outcome"]) == ("broken_stamp", outcome)


@pytest.mark.parametrize(
    ("outcome", "event_type"),
    [
        ("completed successfully", "quest_completed"),
        ("Successfully completed.", "quest_completed"),
        ("The player has finished it", "quest_completed"),
        ("a complete success!", "quest_completed"),
        ("failed miserably", "quest_failed"),
        ("abandoned halfway", "quest_failed"),
        ("accepted with a smile", "quest_started"),
        ("not completed", "quest"),
        ("never finished", "quest"),
        ("they didn't finish; it failed", "quest"),
        ("almost completed", "quest"),
        ("completed, but the rescue failed", "quest"),
        ("they found the ring", "quest"),
    ],
)
def test_the_outcome_of_a_quest_is_found_among_other_words(npc: Npc, outcome: str, event_type: str) -> None:
    text, metadata = stored(npc, npc.memories.store_quest_memory("ring", outcome))
    assert (text, metadata["event_type"]) == (f'How the quest "ring" went: {outcome}', event_type)


def test_a_milestone(npc: Npc, clock: GameClock) -> None:
    events: list[tuple[str, tuple[Any, ...]]] = []
    npc.on_event = lambda name, arguments: events.append((name, arguments))
    text, metadata = stored(npc, npc.memories.store_milestone("first_meeting", "We met at the well."))
    assert text == "We met at the well."
    assert (metadata["importance"], metadata["memory_tier"], metadata["is_milestone"]) == (10, 0, True)
    assert (metadata["milestone_type"], metadata["emotion"]) == ("first_meeting", "significant")
    assert ("milestone_created", ("first_meeting",)) in events
    clock.now += 3 * 86400
    assert npc.relationship.generate_relationship_header()["document"].startswith("[Met=yes, Days=3,")


def test_awareness_names_the_other(npc: Npc) -> None:
    text, metadata = stored(npc, npc.memories.store_npc_awareness("bjorn", "Bjorn lost his hammer."))
    assert text == "Bjorn lost his hammer."
    assert (metadata["event_type"], metadata["importance"]) == ("npc_awareness", 8)
    assert (metadata["other_npc_id"], metadata["entities"]) == ("bjorn", ["bjorn"])
    assert stored(npc, npc.memories.store_npc_awareness("bjorn", "He left."))[0] == "About bjorn: He left."


def test_life_and_death(opened: Callable[..., Save], save_path: Path, clock: GameClock) -> None:
    save = opened(save_path)
    elena = save.npc("elena")
    assert elena.relationship.get_npc_state() == {
        "npc_id": "elena",
        "is_alive": True,
        "known": False,
        "timestamp": 0.0,
        "memory_id": "",
        "death_data": {},
    }
    alive = elena.relationship.store_npc_state(True)
    assert elena.relationship.get_npc_state()["is_alive"] and elena.relationship.get_npc_state()["known"]
    death_data = {"cause": "an arrow", "killed_by": "Varn", "location": "mill", "timestamp": 500, "day": 3}
    id = elena.relationship.store_npc_state(False, death_data)
    assert elena.memories.get_memory(alive) == {}
    assert elena.relationship.get_npc_state() == {
        "npc_id": "elena",
        "is_alive": False,
        "known": True,
        "timestamp": 500.0,
        "memory_id": id,
        "death_data": death_data,
    }
    text, metadata = stored(elena, id)
    assert text == "I died at mill, killed by Varn: an arrow."
    assert (metadata["importance"], metadata["slot_type"]) == (9, "npc_death_status")
    assert elena.recall.retrieve_scored("anything", 0)[1]["id"] == id
    marcus = save.npc("marcus")
    assert marcus.relationship.check_npc_state("elena") == elena.relationship.get_npc_state()
    assert marcus.relationship.check_npc_state("nobody")["is_alive"]
    save.close()
    assert not opened(save_path).npc("marcus").relationship.check_npc_state("elena")["is_alive"]


def test_relationships_are_kept_per_entity(opened: Callable[..., Save], save_path: Path) -> None:
    save = opened(save_path)
    npc = save.npc("elena")
    assert npc.relationship.get_relationship("player") == {}
    npc.relationship.store_relationship("player", {"trust": 45, "affection": 20, "note": "owes me"})
    npc.relationship.store_relationship("bjorn", {"trust": -60, "fear": 40.5})
    npc.relationship.store_relationship("player", {"trust": 65})
    save.close()
    npc = opened(save_path).npc("elena")
    assert npc.relationship.get_relationship("player") == {
        **dict(zip(DIMENSIONS, (65, 30, 20, 0, 10), strict=True)),
        "note": "owes me",
        "status": "friendly",
    }
    assert npc.relationship.get_relationship("bjorn")["fear"] == 40.5
    assert npc.memories.get_memory_count() == 2
    header = npc.relationship.generate_relationship_header()["document"]
    assert "Trust=65, Affection=20, Fear=0, Respect=30, Status=friendly" in header
    npc.relationship.set_relationship_state({"trust": 10})
    assert "Trust=10, Affection=20" in npc.relationship.generate_relationship_header()["document"]


@pytest.mark.parametrize("name", DIMENSIONS)
def test_ranges_are_enforced(npc: Npc, name: str, caplog: pytest.LogCaptureFixture) -> None:
    least = 0 if name == "familiarity" else -100
    for value, kept in ((101, 100), (100, 100), (least, least), (least - 0.5, least), (1e9, 100)):
        caplog.clear()
        npc.relationship.store_relationship("player", {name: value})
        assert npc.relationship.get_relationship("player")[name] == kept
        assert bool(caplog.records) == (value != kept)
        assert all(record.levelno == logging.WARNING for record in caplog.records)


def test_what_a_relationship_says_can_be_read_back_and_stored(npc: Npc) -> None:
    npc.relationship.store_relationship("bjorn", {"trust": 90, "affection": 60})
    known = npc.relationship.get_relationship("bjorn")
    npc.relationship.store_relationship("bjorn", known)
    assert npc.relationship.get_relationship("bjorn") == known


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("memories.store_conversation", ("", "Hello.")),
        ("memories.store_conversation", ("player", " ")),
        ("memories.store_conversation", ("player", "Hello.", [])),
        ("memories.store_conversation", ("player", "Hello.", {"topics": "roof"})),
        ("memories.store_witnessed_event", ("",)),
        ("memories.store_witnessed_event", ("Smoke.", 7, None)),
        ("memories.store_player_action", ("", "came")),
        ("memories.store_player_action", ("helped", 3)),
        ("memories.store_quest_memory", ("stamp", "")),
        ("memories.store_milestone", ("", "We met.")),
        ("memories.store_npc_awareness", ("", "He left.")),
        ("relationship.store_npc_state", ("no",)),
        ("relationship.store_npc_state", (False, [])),
        ("relationship.store_npc_state", (False, {"cause": 3})),
        ("relationship.check_npc_state", (3,)),
        ("relationship.store_relationship", (" ", {})),
        ("relationship.store_relationship", ("bjorn", [])),
        ("relationship.store_relationship", ("bjorn", {"trust": "much"})),
        ("relationship.store_relationship", ("bjorn", {"trust": float("nan")})),
        ("relationship.store_relationship", ("bjorn", {"fear": True})),
        ("relationship.get_relationship", ("",)),
    ],
)
def test_what_cannot_be_kept_is_refused(npc: Npc, call: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidArgumentError, match=call.partition(".")[2]):
        operator.attrgetter(call)(npc)(*arguments)
    assert npc.memories.get_memory_count() == 0


def test_the_player_of_a_relationship_may_be_written_with_a_capital(npc: Npc) -> None:
    npc.relationship.store_relationship("player", {"trust": 10})
    npc.relationship.store_relationship("Player", {"trust": 90})
    assert (
        npc.relationship.get_relationship("PLAYER")["trust"]
        == npc.relationship.get_relationship("player")["trust"]
        == 90
    )
    assert npc.memories.get_memory_count() == 1
    assert "Trust=90" in npc.relationship.generate_relationship_header()["document"]
    npc.relationship.store_relationship("Bjorn", {"trust": 20})
    assert npc.relationship.get_relationship("bjorn") == {}


def test_only_words_of_a_quest_id_are_told_apart(npc: Npc) -> None:
    text, _ = stored(npc, npc.memories.store_quest_memory("__oracle__: the lost_ring", "done"))
    assert text == 'How the quest "__oracle__: the lost ring" went: done', (
        "a prompt knows emphasis by its signs"
    )
