"""The world as JSON: what one save exports, another one takes in, all of it or nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.conftest import NOW

from rag_memory import InvalidArgumentError, Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.memory.document import Document
from rag_memory.step import run
from rag_memory.text.file_text import FileText

Open = Callable[..., Save]
TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12
).filter(lambda text: bool(text.strip()))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
DOCUMENTS = st.dictionaries(
    st.tuples(st.sampled_from(["note", "oath", "log"]), TEXTS),
    st.tuples(
        st.sampled_from(["", "elena", "bjorn"]), st.dictionaries(TEXTS, VALUES, min_size=1, max_size=3)
    ),
    max_size=6,
)


def village(save: Save) -> Save:
    world = save.world
    world.characters.register_character("elena", {"name": "Elena", "faction": "north"})
    world.characters.register_character("kael", {"name": "Kael"})
    world.events.record_event(
        {"id": "siege", "summary": "Greywater was besieged by raiders.", "importance": 8}
    )
    world.events.record_event(
        {"id": "feast", "summary": "Greywater held a feast.", "visibility": "rumor", "actor": "kael"}
    )
    world.rumors.spread_rumor("feast", "elena")
    save.npc("elena").conversation.store_turn("Will you help?", "I promise to help you.")
    return save


def contents(save: Save) -> dict[tuple[str, str], tuple[str, float, Any]]:
    return {
        (kind, each.id): (each.owner, each.timestamp, dict(each.content))
        for kind in save.store.documents.counts()
        for each in save.store.documents.find(kind)
    }


def test_a_world_comes_back_in_another_save(opened: Open) -> None:
    first = village(opened())
    text = first.world.json.export_json()
    second = opened()
    assert second.world.json.import_json(text) == len(contents(first)) > 5
    assert contents(second) == contents(first)
    assert second.world.json.export_json() == text
    for npc_id in ("elena", "kael", "stranger"):
        for question in ("raiders besieged", "feast"):
            asked = first.world.events.search_events(npc_id, question)
            assert second.world.events.search_events(npc_id, question) == asked
    assert second.npc("elena").conversation.get_turns() == first.npc("elena").conversation.get_turns()
    assert second.world.json.import_json(text) == 0, "it is all there"
    assert second.overview.list_npcs() == []


def test_what_the_world_has_stays_as_it_is(opened: Open) -> None:
    text = village(opened()).world.json.export_json()
    second = opened()
    second.world.characters.register_character("elena", {"name": "Elena the Old"})
    second.world.events.record_event({"id": "siege", "summary": "Nobody ever besieged Greywater."})
    second.world.json.import_json(text)
    assert second.world.characters.get_character("elena")["name"] == "Elena the Old"
    (found,) = second.world.events.search_events("kael", "besieged Greywater", {"limit": 1})
    assert found["summary"] == "Nobody ever besieged Greywater."


def test_lore_is_in_it_when_it_is_asked_for(opened: Open) -> None:
    save = opened()
    lore = "# Oaths\n\n" + "A knight of the north keeps every oath that was sworn at the old well. " * 12
    save.world.lore.import_lore(FileText(lore), {"key": "base"})
    assert "knight" not in save.world.json.export_json()
    text = save.world.json.export_json({"lore": True})
    other = opened()
    other.world.json.import_json(text)
    assert (
        other.world.lore.search_lore("the oath of a knight")
        == save.world.lore.search_lore("the oath of a knight")
        != []
    )
    assert other.world.lore.list_lore() == save.world.lore.list_lore()
    other.marks.rollback_to(0.0)
    assert other.world.lore.search_lore("the oath of a knight")


def test_an_imported_world_is_forgotten_by_a_rollback_before_it_came(opened: Open, clock: Any) -> None:
    text = village(opened()).world.json.export_json()
    other = opened()
    clock.now += 100.0
    other.world.json.import_json(text)
    other.marks.rollback_to(NOW + 50.0)
    assert contents(other) == {}


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(DOCUMENTS)
def test_any_documents_come_back(documents: dict[tuple[str, str], tuple[str, dict[str, Any]]]) -> None:
    saves = [open_save(":memory:", HashingEmbedder(8), clock=lambda: NOW) for _ in range(2)]
    with saves[0] as first, saves[1] as second:
        with first.store.transaction():
            for (kind, id), (owner, content) in documents.items():
                first.store.documents.write(Document(0, kind, id, owner, content, NOW, NOW))
        assert second.world.json.import_json(first.world.json.export_json()) == len(documents)
        assert contents(second) == contents(first)


def wrong(content: dict[str, Any]) -> list[Any]:
    """Texts that are no such world, each with a part of what is said."""

    def changed(**values: Any) -> str:
        return json.dumps({**content, **values})

    document = content["documents"][0]
    last = content["documents"][1:]
    return [
        ("", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "holds no world"),
        (changed(format="rag_memory"), "RAGMemory.import_json"),
        (changed(version=99), "version 99"),
        (changed(documents={}), "documents"),
        (changed(searched=[]), "searched"),
        (changed(searched={"elena": []}), "searched"),
        (changed(searched={"@world": {}}), "searched.@world"),
        (changed(searched={"@world": [*content["searched"]["@world"], {"id": "x"}]}), "there is no text"),
        (changed(searched={"@world": [3]}), "Dictionary"),
        (changed(documents=[*last, 3]), "Dictionary"),
        (changed(documents=[*last, {**document, "id": ""}]), "id or content is missing"),
        (changed(documents=[*last, {**document, "id": 3}]), "id is 3"),
        (changed(documents=[*last, {**document, "content": {}}]), "content is missing"),
        (changed(documents=[*last, {**document, "content": [1]}]), "content is missing"),
        (changed(documents=[*last, {**document, "timestamp": "soon"}]), "timestamp"),
        (changed(documents=[*last, {**document, "kind": "campaign"}]), "is a campaign"),
        (changed(documents=[*last, {**document, "kind": "turn", "owner": ""}]), "without an owner"),
        (changed(documents=[*last, document, document]), "is used twice"),
    ]


def test_wrong_input_is_refused_whole(opened: Open) -> None:
    content = json.loads(village(opened()).world.json.export_json())
    save = opened()
    for text, said in wrong(content):
        with pytest.raises(InvalidArgumentError, match=said):
            save.world.json.import_json(text)
        assert contents(save) == {} and save.store.records.count() == 0
    with pytest.raises(InvalidArgumentError, match="lore"):
        save.world.json.export_json({"lore": "yes"})


def whole_world(save: Save) -> dict[str, Any]:
    """A text with a document of every kind."""
    world = village(save).world
    world.characters.register_character("elena", {"location": "Greywater"})
    world.characters.register_character("elena", {"location": "Mill"})
    world.profiles.ensure_profile("elena")
    world.profiles.set_profile("elena", {"goals": ["peace"], "relationship_seed": {"trust": 5}})
    world.tasks.add_task(
        {"summary": "Mend the mill.", "assignee": "kael", "issuer": "elena", "status": "active"}
    )
    world.debates.record_debate(
        {"topic": "The mill", "participants": ["elena", "kael"], "factions": ["north"]}
    )
    world.facts.set_flags({"met": True})
    world.facts.set_facts({"mine": {"text": "The mine is shut."}})
    world.facts.set_player_info({"name": "Theron"})
    world.lore.import_lore(FileText("# Oaths\n\nEvery oath counts. #law"), {"key": "base"})
    for number in range(20):
        save.npc("elena").conversation.store_turn(f"Is this road number {number}?", "It is.")
    run(save.npcs.turns.summarize_all_steps())
    return dict(json.loads(world.json.export_json({"lore": True})))


def use(save: Save) -> None:
    """Every call that reads what is in a world."""
    world, npc = save.world, save.npc("elena")
    world.characters.register_character("elena", {"location": "Norhold", "faction": "south"})
    world.maintenance.run_maintenance()
    world.characters.list_characters({"faction": "north"})
    for known_to in ("elena", "kael"):
        for event in world.events.get_events({"known_to": known_to}):
            world.rumors.spread_rumor(event["id"], "elena", known_to)
        world.events.search_events(known_to, "Who besieged Greywater?")
    world.tasks.get_tasks({"involves": "elena", "active_on": 1.0})
    world.debates.search_debates("mill", {"npc_id": "elena"})
    world.debates.record_debate({"topic": "north", "participants": ["elena", "kael"]})
    world.profiles.set_profile("elena", {"fears": ["fire"]})
    world.lore.search_lore("Which oath counts?", {"culture": "north", "tags": ["law"]})
    world.lore.list_lore()
    world.facts.get_flags()
    world.facts.get_facts()
    world.facts.get_player_info()
    npc.conversation.get_turns(5)
    npc.conversation.get_conversation_summary()
    npc.dossiers.build_dossier("What of the mill?", {"location": "Greywater"})
    npc.conversation.store_turn("Farewell.", "Farewell.")
    run(save.npcs.turns.summarize_all_steps())


def test_what_is_edited_by_hand_is_refused_or_can_be_used(opened: Open) -> None:
    content = whole_world(opened())
    first = {each["kind"]: each for each in reversed(content["documents"])}
    assert len(first) == 14
    refused: dict[str, set[str]] = {}
    for kind, document in first.items():
        for key in document["content"]:
            for value in (None, -1.5, "x", [1], [["a", "b"]], {"a": "b"}):
                edited = dict(document["content"])
                if value is None:
                    del edited[key]
                else:
                    edited[key] = value
                text = json.dumps({**content, "documents": [{**document, "content": edited}], "searched": {}})
                save = open_save(":memory:", HashingEmbedder(8), clock=lambda: NOW)
                with save:
                    try:
                        save.world.json.import_json(text)
                    except InvalidArgumentError:
                        refused.setdefault(kind, set()).add(key)
                        assert contents(save) == {}
                    else:
                        use(save)
    assert refused["event"] >= {"id", "summary", "importance", "visibility", "known_by", "day"}
    assert refused["task"] >= {"status", "assignee", "due_day", "priority", "constraints"}
    assert refused["debate"] >= {"topic", "participants", "event_id"}
    assert refused.keys() >= first.keys() - {"player"}


def test_clearing_an_npc_forgets_her_conversations_and_no_others(opened: Open) -> None:
    save = opened()
    save.world.events.record_event({"id": "siege", "summary": "Greywater was besieged."})
    for npc_id in ("elena", "kael"):
        for number in range(40):
            save.npc(npc_id).conversation.store_turn(f"Question {number}?", f"Answer {number}.")
        for _ in save.npc(npc_id).idle_steps():
            pass
        assert save.npc(npc_id).conversation.get_conversation_summary()["turn_count"] > 0
    save.world.lore.import_lore(FileText("# Elena\n\nElena is a name. " * 5), {"key": "elena"})
    save.npc("elena").clear_all_memories()
    assert save.npc("elena").conversation.get_turns() == []
    assert save.npc("elena").conversation.get_conversation_summary()["turn_count"] == 0
    assert len(save.npc("kael").conversation.get_turns(99)) == 40
    assert save.npc("kael").conversation.get_conversation_summary()["turn_count"] > 0
    assert save.world.events.get_events() != [] and save.world.lore.list_lore() != []
    save.npc("elena").conversation.store_turn("Who are you?", "I am Elena.")
    assert len(save.npc("elena").conversation.get_turns()) == 1


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("flag", {"a": 1}),
        ("fact", {"text": 3}),
        ("event", {"summary": "A."}),
        ("task", {"status": "done"}),
        ("rumor", {"confidence": 1.0, "heard": {"mira": "yes"}}),
        ("whereabouts", {"left_at": {"faction": ["millers"]}}),
        ("character", {"id": "a", "faction": 5}),
    ],
)
def test_what_could_not_be_used_later_is_not_taken_in(
    opened: Callable[..., Save], kind: str, content: dict[str, Any]
) -> None:
    save = opened()
    told = {"documents": [{"kind": kind, "id": "a", "content": content}], "searched": {}}
    with pytest.raises(InvalidArgumentError):
        save.world.json.import_json(json.dumps({"format": "rag_memory_world", "version": 1, **told}))
    assert save.store.documents.counts() == {}


def test_a_world_of_a_later_time_is_still_there_after_a_rollback() -> None:
    with open_save(":memory:", HashingEmbedder(16), clock=lambda: 1000.0) as later:
        later.world.characters.register_character("mira", {"name": "Mira", "location": "mill"})
        later.world.facts.set_flags({"is_open": True})
        later.world.profiles.set_profile("mira", {"goals": ["To sleep."]})
        text = later.world.json.export_json()
    with open_save(":memory:", HashingEmbedder(16), clock=lambda: 10.0) as save:
        save.world.json.import_json(text)
        save.marks.rollback_to(20.0)
        assert save.world.characters.get_character("mira")["location"] == "mill"
        assert save.world.facts.get_flags() == {"is_open": True}
        assert save.world.profiles.get_profile("mira")["goals"] == ["To sleep."]


@pytest.mark.parametrize("wrong", [{"traits": 5}, {"last_seen_day": "soon"}, {"relation_to_player": "good"}])
def test_a_character_that_register_character_refuses_is_not_taken_in(
    opened: Open, wrong: dict[str, Any]
) -> None:
    save = opened()
    told = {
        "documents": [{"kind": "character", "id": "mira", "content": {"id": "mira", **wrong}}],
        "searched": {},
    }
    with pytest.raises(InvalidArgumentError, match=next(iter(wrong))):
        save.world.json.import_json(json.dumps({"format": "rag_memory_world", "version": 1, **told}))
    assert save.store.documents.counts() == {}
