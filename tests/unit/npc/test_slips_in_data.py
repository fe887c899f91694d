"""A key of a memory's data that is almost one with a meaning is warned of; the game's own keys are not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rag_memory import InvalidArgumentError, Npc, Save
from rag_memory.memory.record import _KNOWN_KEYS
from rag_memory.npc.memories import Memories
from rag_memory.world.world import World


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("event_typ", "event_type"),
        ("eventtype", "event_type"),
        ("Event_Type", "event_type"),
        ("event type", "event_type"),
        ("participant", "participants"),
        ("topic", "topics"),
        ("time_stamp", "timestamp"),
        ("memory_teir", "memory_tier"),
        ("slot_typ", "slot_type"),
        ("milestone", "is_milestone"),
        ("emotions", "emotion"),
        ("document_shrt", "document_short"),
        ("interaction_typ", "interaction_type"),
        ("event", "event_type"),
        ("type", "event_type"),
    ],
)
def test_a_slip_is_warned_of(key: str, meant: str, npc: Npc, caplog: pytest.LogCaptureFixture) -> None:
    id = npc.memories.store("It rains.", 5, {key: "x"})
    assert f"store(): data has the key {key!r}" in caplog.text and f"did you mean {meant!r}?" in caplog.text
    assert npc.memories.get_memory(id)["metadata"][key] == "x", "it is kept all the same"
    caplog.clear()
    if meant in ("event_type", "emotion", "slot_type"):
        npc.memories.store("It rains again.", 5, {key: "x", meant: "y"})
        assert not caplog.records, "what is meant is there"


def test_an_update_warns_only_of_the_slips_in_its_own_changes(
    npc: Npc, caplog: pytest.LogCaptureFixture
) -> None:
    id = npc.memories.store("It rains.", 5, {"memory_teir": 1})
    caplog.clear()
    npc.memories.update_memory(id, {"importance": 6})
    assert not caplog.records, "store() has warned of it already"
    npc.memories.update_memory(id, {"event_typ": "weather"})
    (record,) = caplog.records
    assert "update_memory(): data has the key 'event_typ'" in record.message
    caplog.clear()
    npc.memories.update_memory(id, {"text": "It rains again."})
    assert not caplog.records
    metadata = npc.memories.get_memory(id)["metadata"]
    assert (metadata["memory_teir"], metadata["event_typ"], metadata["event_type"]) == (
        1,
        "weather",
        "general",
    )


def test_the_keys_of_games_and_of_this_library_are_no_slips(
    npc: Npc, caplog: pytest.LogCaptureFixture
) -> None:
    own = "mood quest_id outcome player_tone weather location_id emotion_strength tags source id_of_game day"
    npc.memories.store("It rains.", 5, dict.fromkeys(own.split(), "x"))
    npc.memories.store_conversation("player", "Hello.", {"analysis": {}, "importance": 5})
    npc.memories.store_quest_memory("ring", "completed")
    npc.memories.store_npc_awareness("bjorn", "Bjorn is ill.")
    npc.relationship.store_relationship("player", {"trust": 60})
    npc.relationship.store_npc_state(
        False, {"cause": "fever", "killed_by": "nobody", "location": "mill", "timestamp": 1.0}
    )
    npc.memories.store_milestone("first_meeting", "We met.")
    for number in range(9):
        npc.memories.store_conversation("player", f"Story {number} of the mill.", {"timestamp": 1000.0})
    npc.archive.consolidate()
    npc.tools.import_json(npc.tools.export_json())
    assert not caplog.records


def test_an_answer_of_the_game_is_warned_of_alike(npc: Npc, caplog: pytest.LogCaptureFixture) -> None:
    npc.exchanges.record_exchange("Hello.", {"respons": "Well met."})
    assert any("did you mean 'response'" in record.getMessage() for record in caplog.records)


@pytest.mark.parametrize(
    ("ask", "meant"),
    [
        (lambda npc: npc.mind.perceive({"action": "stole", "text": "A loaf."}), "'description'"),
        (lambda npc: npc.mind.perceive({"action": "gave", "item": "rose"}), "'content'"),
        (lambda npc: npc.mind.perceive({"text": "A loaf was stolen."}), "'description'"),
        (lambda npc: npc.mind.perceive({"action": "stole", "player": "player"}), "'source_id'"),
        (lambda npc: npc.memories.forget_where({"event": "theft"}), "'event_type'"),
        (lambda npc: npc.recall.knows_event({"type": "theft"}), "'event_type'"),
        (lambda npc: npc.recall.retrieve_relevant("A loaf.", {"count": 3}), "'limit'"),
        (lambda npc: npc.exchanges.record_exchange("Hello.", {"text": "Well met."}), "'response'"),
        (lambda npc: npc.relationship.store_npc_state(False, {"killer": "bandits"}), "'killed_by'"),
        (lambda npc: npc.conversation.store_turn("Hi.", "", {"place": "mill"}), "'location'"),
        (lambda npc: npc.conversation.store_turn("Hi.", "", {"listeners": ["bjorn"]}), "'addressees'"),
        (lambda npc: npc.conversation.store_turn("Hi.", "", {"timestamp": 5.0}), "'day'"),
        (lambda npc: npc.tools.browse({"sort_by": "id"}), "'sort'"),
        (lambda npc: npc.tools.browse({"query": "rain"}), "'text'"),
        (lambda npc: npc.tools.browse({"page": 2}), "'offset'"),
    ],
)
def test_a_guessed_key_is_answered_with_the_right_one(
    ask: Callable[[Npc], object], meant: str, npc: Npc, caplog: pytest.LogCaptureFixture
) -> None:
    messages = []
    try:
        ask(npc)
    except InvalidArgumentError as error:
        messages.append(str(error))
    assert any(f"id you mean {meant}?" in message for message in (*messages, caplog.text))


@pytest.mark.parametrize(
    ("tell", "meant"),
    [
        (lambda world: world.facts.set_player_info({"player_name": "Rowan"}), "name"),
        (lambda world: world.facts.set_player_info({"nickname": "the Crow"}), "aliases"),
        (lambda world: world.tasks.update_task(_task(world), "completed", {"text": "Done."}), "summary"),
        (lambda world: world.tasks.update_task(_task(world), "failed", {"sumary": "Lost."}), "summary"),
    ],
)
def test_a_guessed_key_of_the_world_is_answered_alike(
    tell: Callable[[World], object], meant: str, opened: Callable[[], Save], caplog: pytest.LogCaptureFixture
) -> None:
    tell(opened().world)
    assert f"did you mean '{meant}'?" in caplog.text


def _task(world: World) -> str:
    return world.tasks.add_task({"summary": "Find the ring.", "assignee": "mira", "status": "active"})


def test_the_games_own_keys_of_a_player_and_a_result_are_no_slips(
    opened: Callable[[], Save], caplog: pytest.LogCaptureFixture
) -> None:
    world = opened().world
    world.facts.set_player_info({"name": "Rowan", "guild": "smiths", "title_of_honour": "Dame", "level": 3})
    world.tasks.update_task(_task(world), "completed", {"summary": "Done.", "outcome": "won", "gold": 3})
    assert not caplog.records


def test_a_filter_may_use_the_games_own_keys(npc: Npc, caplog: pytest.LogCaptureFixture) -> None:
    npc.memories.forget_where({"type": "festival", "who": "mira"})
    assert not caplog.records


def test_the_documented_keys_are_the_known_ones() -> None:
    told = Memories.store.__doc__ or ""
    for key in set(_KNOWN_KEYS) - {"speaker", "analysis", "importance"}:
        assert key in told
