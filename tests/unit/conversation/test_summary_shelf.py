"""What only the summary of a conversation still says is found, and goes with the summary."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from tests.unit.conftest import GameClock

from rag_memory import Npc, Save
from rag_memory.config.memory_config import MemoryConfig, RelevanceMode
from rag_memory.memory.record import HEADER_SLOT
from rag_memory.step import run

WELL = "The old well behind the chapel has run dry since the spring."
BEES = "My cousin keeps bees on the southern slope of the hill."
SMALL_TALK = "It looks as if the weather will hold until the market."
PROMISE = "I promise to bring you the copper kettle."


@pytest.fixture
def save(opened: Callable[..., Save]) -> Save:
    return _brief(opened())


def _brief(save: Save, **settings: Any) -> Save:
    settings = {"turns_kept_raw": 1, "turns_before_summary": 2, **settings}
    save.world.config = dataclasses.replace(save.world.config, **settings)
    return save


def _talk(npc: Npc, *lines: str, speaker: str = "player") -> None:
    for line in lines:
        npc.conversation.store_turn(line, "I see, thank you.", {"speaker": speaker})


def _summarize(save: Save, npc_id: str = "mira") -> None:
    run(save.npcs.turns.summarize_steps(npc_id))


def _texts(npc: Npc, query: str) -> list[str]:
    memories = npc.recall.retrieve_scored(query)
    return [memory["document_full"] for memory in memories if memory["metadata"]["slot_type"] != HEADER_SLOT]


@pytest.mark.parametrize("mode", RelevanceMode)
def test_every_search_finds_what_only_a_summary_says(save: Save, mode: RelevanceMode) -> None:
    mira = save.npc("mira", MemoryConfig(relevance_mode=mode))
    _talk(mira, WELL, BEES, SMALL_TALK)
    assert _texts(mira, "the old well behind the chapel") == []
    _summarize(save)
    assert mira.memories.get_memory_count() == 0
    for text in (
        _texts(mira, "the old well behind the chapel")[0],
        mira.recall.retrieve_relevant("the old well behind the chapel")[0],
        mira.recall.recall_best("the old well behind the chapel")["document_full"],
        mira.recall.retrieve_tiered("the old well behind the chapel")["relevant"][0]["document_full"],
    ):
        assert WELL in text
        assert BEES not in text
    filtered = mira.recall.retrieve_relevant_raw("the old well", {"filter": {"event_type": "conversation"}})
    assert filtered == []


def test_knows_reads_summaries(opened: Callable[..., Save]) -> None:
    save = _brief(opened(), extract_memories=False)
    mira = save.npc("mira")
    _talk(mira, PROMISE, BEES, SMALL_TALK)
    assert not mira.recall.knows("the player promised you a kettle")
    _summarize(save)
    assert mira.memories.get_memory_count() == 0
    assert mira.recall.knows("the player promised you a kettle")
    assert mira.recall.how_sure("the player promised you a kettle") > 0.5
    assert not mira.recall.knows("The mayor has been poisoned")


def test_what_a_memory_says_is_not_returned_again(save: Save) -> None:
    mira = save.npc("mira")
    _talk(mira, PROMISE, BEES, SMALL_TALK)
    _summarize(save)
    summary = mira.conversation.get_conversation_summary()["summary"]
    assert PROMISE in summary and BEES in summary
    for texts in (
        _texts(mira, "the copper kettle"),
        mira.recall.retrieve_relevant("the copper kettle"),
    ):
        assert sum("kettle" in text for text in texts) == 1


def test_passages_follow_the_summary(save: Save) -> None:
    mira = save.npc("mira")
    _talk(mira, WELL, BEES, SMALL_TALK)
    _summarize(save)
    assert WELL in _texts(mira, "the old well")[0]
    _talk(mira, "The ferryman lost his left boot in the river.", SMALL_TALK)
    _summarize(save)
    assert "ferryman" in _texts(mira, "the ferryman and his boot")[0]
    assert WELL in _texts(mira, "the old well")[0]
    mira.clear_all_memories()
    assert _texts(mira, "the old well") == []


def test_each_npc_has_its_own_summaries_and_those_of_all_its_players(save: Save) -> None:
    mira, bo = save.npc("mira"), save.npc("bo")
    _talk(mira, WELL, SMALL_TALK, SMALL_TALK, speaker="ann")
    _talk(mira, BEES, SMALL_TALK, SMALL_TALK, speaker="ben")
    _summarize(save)
    assert WELL in _texts(mira, "the old well")[0]
    assert BEES in _texts(mira, "the bees of the cousin")[0]
    assert _texts(bo, "the old well") == []


def test_a_rollback_takes_it_away(save: Save, clock: GameClock) -> None:
    mira = save.npc("mira")
    _talk(mira, SMALL_TALK)
    before = clock()
    clock.now += 1000.0
    _talk(mira, WELL, BEES, SMALL_TALK)
    _summarize(save)
    assert WELL in _texts(mira, "the old well")[0]
    save.marks.rollback_to(before)
    assert _texts(mira, "the old well") == []


def test_undoing_and_forgetting_take_it_away(save: Save) -> None:
    mira = save.npc("mira")
    for line in (WELL, PROMISE, SMALL_TALK):
        exchange = mira.exchanges.begin_exchange("line", line)
        mira.exchanges.finish_exchange(exchange["exchange"], {"text": "I see, thank you."})
    _summarize(save)
    assert any(WELL in text for text in _texts(mira, "the old well"))
    first = mira.exchange_undo.get_exchanges(5)[-1]
    assert first["line"] == WELL
    mira.exchange_undo.undo_exchange(first["exchange"])
    assert not any("well" in text for text in _texts(mira, "the old well"))


def test_a_secret_turn_is_not_in_it(save: Save) -> None:
    mira = save.npc("mira")
    mira.conversation.store_turn(WELL, "I see.", {"secret": True})
    _talk(mira, BEES, SMALL_TALK)
    _summarize(save)
    assert not any(WELL in text for text in _texts(mira, "the old well"))
