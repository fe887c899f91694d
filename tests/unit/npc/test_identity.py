"""Who is who: NPCs get other ids, two become one, and ids that are written differently are the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.conftest import GameClock

from rag_memory import Npc, Save
from rag_memory.errors import InvalidArgumentError

HOUR = 3600.0


@pytest.fixture
def save(opened: Callable[..., Save], save_path: Path) -> Save:
    return opened(save_path)


def texts(npc: Npc) -> list[str]:
    return sorted(memory["document_full"] for memory in npc.recall.get_recent(50))


def recruit(save: Save) -> None:
    """A deserter who has memories, feelings, conversations and a place in the world."""
    deserter = save.npc("deserter_3")
    deserter.memories.store("The player hid me from the guards.", 9, {"event_type": "life_saved"})
    deserter.memories.store_with_conflict_check("I hide in the barn.", 6, {"slot_type": "player_name"})
    deserter.memories.store_with_conflict_check("I hide in the mill.", 6, {"slot_type": "player_name"})
    deserter.conversation.store_turn("I will bring you bread.", "You are kind.")
    deserter.relationship.store_relationship("player", {"trust": 60})
    deserter.mind.perceive({"action": "helped", "source_id": "player", "content": "bread"})
    witness = save.npc("vera")
    witness.relationship.store_relationship("deserter_3", {"trust": -20})
    witness.mind.perceive({"action": "stole", "source_id": "deserter_3", "source_name": "The deserter"})
    data = {"participants": ["deserter_3"], "known_to": ["deserter_3"], "secret": True}
    witness.memories.store("The deserter took my hens.", 7, data)
    save.world.characters.register_character("deserter_3", {"name": "Ivo", "faction": "army"})
    save.world.events.record_event(
        {"summary": "Ivo fled.", "visibility": "private", "actor": "deserter_3", "known_by": ["vera"]}
    )
    save.world.tasks.add_task({"assignee": "deserter_3", "issuer": "player", "summary": "Watch the road."})
    save.world.profiles.set_profile("deserter_3", {"backstory": "He left the army."})


def seen_by(save: Save, id: str) -> dict[str, Any]:
    """Everything that the game sees of a person."""
    npc, vera = save.npc(id), save.npc("vera")
    return {
        "memories": texts(npc),
        "archived": [memory["document_full"] for memory in npc.archive.get_archived()],
        "turns": [turn["player_message"] for turn in npc.conversation.get_turns()],
        "trust": npc.relationship.get_relationship("player").get("trust"),
        "feeling": npc.mind.feelings.get_disposition("player")["strength"],
        "feeling_of_vera": vera.mind.feelings.get_disposition(id)["strength"],
        "trust_of_vera": vera.relationship.get_relationship(id).get("trust"),
        "participants": vera.recall.knows_event(
            {"event_type": "general", "participants": [id], "listeners": []}
        ),
        "told": vera.recall.knows_event({"event_type": "general", "listeners": [id]}),
        "name": save.world.characters.get_character(id).get("name"),
        "events": [event["summary"] for event in save.world.events.get_events({"actor": id})],
        "known": [event["summary"] for event in save.world.events.get_events({"known_to": id})],
        "tasks": [task["summary"] for task in save.world.tasks.get_tasks({"assignee": id})],
        "backstory": save.world.profiles.get_profile(id).get("backstory"),
        "relevant": npc.recall.retrieve_relevant("Who hid me from the guards?", {"limit": 1}),
    }


def test_a_renamed_npc_is_the_same_person(save: Save, opened: Callable[..., Save], save_path: Path) -> None:
    recruit(save)
    before = seen_by(save, "deserter_3")
    assert before["archived"] == ["I hide in the barn."] and before["participants"] and before["told"]
    save.identities.rename("deserter_3", "ivo")
    assert seen_by(save, "ivo") == before
    assert "deserter_3" not in [row["npc_id"] for row in save.overview.list_npcs() if row["total"]]
    assert texts(save.npc("deserter_3")) == []
    # Texts are never rewritten.
    assert "The deserter took my hens." in texts_of_all(save.npc("vera"))
    save.close()
    assert seen_by(opened(save_path), "ivo") == before


def texts_of_all(npc: Npc) -> list[str]:
    return [record.document_full for record in npc.records.all()]


def test_a_rollback_to_before_brings_the_former_id_back(save: Save, clock: GameClock) -> None:
    recruit(save)
    before = seen_by(save, "deserter_3")
    mark = save.marks.add()
    clock.now += HOUR
    save.identities.rename("deserter_3", "ivo")
    save.npc("ivo").memories.store("I am called Ivo again.", 5)
    save.marks.rollback_to(mark)
    assert seen_by(save, "deserter_3") == before
    assert texts(save.npc("ivo")) == []


def test_what_happens_after_a_renaming_can_be_undone(save: Save) -> None:
    recruit(save)
    save.identities.rename("deserter_3", "ivo")
    ivo = save.npc("ivo")
    before = texts(ivo)
    with save.context.exchange("x1", "ivo"):
        ivo.conversation.store_turn("I owe you a coat.", "Do you?", {"memories": ["The player owes me."]})
    ivo.exchange_undo.undo_exchange("x1")
    assert texts(ivo) == before and len(ivo.conversation.get_turns()) == 1


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [("deserter_3", "vera", "there is an NPC"), ("nobody", "ivo", "nothing"), ("deserter_3", " ", "empty")],
)
def test_a_renaming_that_cannot_be_is_refused(save: Save, old: str, new: str, why: str) -> None:
    recruit(save)
    before = seen_by(save, "deserter_3")
    with pytest.raises(InvalidArgumentError, match=why):
        save.identities.rename(old, new)
    assert seen_by(save, "deserter_3") == before


def test_two_who_are_one_have_the_memories_of_both(save: Save, clock: GameClock) -> None:
    masked, baker = save.npc("masked_man"), save.npc("baker")
    for npc, number in ((masked, 1), (baker, 2), (masked, 3)):
        clock.now += HOUR
        npc.conversation.store_turn(f"Line {number}.", "Yes.")
        npc.memories.store(f"Something happened, number {number}.", 5)
    vera = save.npc("vera")
    vera.memories.store("Two men met.", 5, {"participants": ["masked_man", "baker"]})
    save.world.characters.register_character("masked_man", {"clan": "Crows", "occupation": "thief"})
    save.world.characters.register_character("baker", {"name": "Olm", "occupation": "baker"})
    save.identities.merge("baker", "masked_man")
    assert texts(baker) == [f"Something happened, number {number}." for number in (1, 2, 3)]
    turns = save.npc("baker").conversation.get_turns()
    assert [turn["player_message"] for turn in turns] == ["Line 1.", "Line 2.", "Line 3."]
    (memory,) = vera.recall.get_recent(1)
    assert memory["metadata"]["participants"] == ["baker"]
    assert save.world.characters.get_character("baker") == {
        "id": "baker",
        "name": "Olm",
        "occupation": "baker",
        "clan": "Crows",
    }
    assert not save.world.characters.get_character("masked_man")


def test_a_copy_by_import_is_merged_once(save: Save) -> None:
    recruit(save)
    copy = save.npc("ivo")
    copy.tools.import_json(save.npc("deserter_3").tools.export_json())
    before = texts(copy)
    save.identities.merge("ivo", "deserter_3")
    assert texts(save.npc("ivo")) == before


def talk(save: Save, clock: GameClock, npc_id: str, said: str) -> None:
    clock.now += HOUR
    fact = {"kind": "claim", "by": "player", "to": npc_id, "quote": said}
    memories = [{"text": f"The player said: {said}", "fact": fact}]
    save.npc(npc_id).conversation.store_turn(said, "I see.", {"memories": memories})


def quoted_turns(npc: Npc) -> dict[str, tuple[str, str]]:
    """By the text of each memory, what was said in the turns that it and its fact name."""
    said = {turn["id"]: turn["player_message"] for turn in npc.conversation.get_turns(50)}
    memories = {memory["document_full"]: memory["metadata"] for memory in npc.recall.get_recent(50)}
    return {
        text: (said.get(data["turn"], ""), said.get(data["fact"]["turn"], ""))
        for text, data in memories.items()
    }


def test_memories_of_a_renamed_npc_name_its_turns(save: Save, clock: GameClock) -> None:
    for said in ("The miller sells flour.", "My horse is lame."):
        talk(save, clock, "smith_2", said)
    before = quoted_turns(save.npc("smith_2"))
    save.identities.rename("smith_2", "gerda")
    assert quoted_turns(save.npc("gerda")) == before
    assert before["The player said: My horse is lame."] == ("My horse is lame.", "My horse is lame.")
    save.npc("gerda").memories.forget(save.npc("gerda").recall.get_recent(1)[0]["id"])
    assert len(save.npc("gerda").conversation.get_turns()) == 1


def test_memories_of_two_who_are_one_name_the_turns_that_they_came_from(save: Save, clock: GameClock) -> None:
    lines = {
        "hooded_man": ["The ferry sinks.", "A wolf killed the calf.", "Rain spoils the hay."],
        "tailor": ["Silk costs nine crowns.", "The needle broke.", "Velvet is out of fashion."],
    }
    for pair in zip(*lines.values(), strict=True):
        for npc_id, said in zip(lines, pair, strict=True):
            talk(save, clock, npc_id, said)
    save.identities.merge("tailor", "hooded_man")
    tailor = save.npc("tailor")
    every_line = [said for of_one in lines.values() for said in of_one]
    assert quoted_turns(tailor) == {f"The player said: {said}": (said, said) for said in every_line}
    (silk,) = (memory for memory in tailor.recall.get_recent(50) if "Silk" in memory["document_full"])
    tailor.memories.forget(silk["id"])
    remaining = {turn["player_message"] for turn in tailor.conversation.get_turns(50)}
    assert remaining == set(every_line) - {"Silk costs nine crowns."}


def test_ids_of_memories_of_two_who_are_one_do_not_collide(save: Save) -> None:
    # All at the same moment, so that their ids differ only by a number.
    texts_of = {
        "porter": ["A crate was dropped.", "The rope snapped."],
        "clerk": ["The ledger is wet."],
    }
    for npc_id, lines in texts_of.items():
        for line in lines:
            save.npc(npc_id).memories.store(line, 5)
    save.identities.merge("clerk", "porter")
    again = ["A barrel leaks.", "The quay is icy.", "A gull stole bread."]
    for line in again:
        save.npc("porter").memories.store(line, 5)
    save.identities.merge("clerk", "porter")
    clerk = save.npc("clerk")
    assert texts(clerk) == sorted([*again, *texts_of["porter"], *texts_of["clerk"]])
    assert len({memory["id"] for memory in clerk.recall.get_recent(50)}) == 6


def named_by_text(npc: Npc) -> dict[str, list[str]]:
    """By the text of what names memories, the texts of those memories."""
    memories = npc.recall.get_recent(50)
    by_id = {memory["id"]: memory["document_full"] for memory in memories}
    named = {
        memory["document_full"]: [
            *memory["metadata"]["evidence"],
            *memory["metadata"]["source_ids"],
            *memory["metadata"]["fact"]["settles"],
        ]
        for memory in memories
        if "evidence" in memory["metadata"]
    }
    for archived in npc.archive.get_archived():
        named[archived["document_full"]] = [archived["archived"]["by"]]
    named["the log"] = sorted(
        entry["memory_id"] for entry in npc.mind.get_interactions() if entry["memory_id"]
    )
    return {text: [by_id.get(id, id) for id in ids] for text, ids in named.items()}


def test_what_names_memories_names_them_by_their_new_ids(save: Save) -> None:
    porter, clerk = save.npc("porter"), save.npc("clerk")
    ids = [porter.memories.store(f"Crate {number} was dropped.", 5) for number in (1, 2)]
    data = {"evidence": ids, "source_ids": ids[:1], "fact": {"kind": "payment", "settles": ids[1:]}}
    porter.memories.store("The porter is careless.", 6, data)
    for city in ("Varn", "Ostheim"):
        cargo = {"slot_type": "cargo"}
        porter.memories.store_with_conflict_check(f"The crates go to {city}.", 6, cargo)
    porter.mind.perceive({"action": "attacked", "source_id": "player", "content": "a kick"})
    before = named_by_text(porter)
    assert before["The porter is careless."] == [f"Crate {number} was dropped." for number in (1, 2, 1, 2)]
    # The other NPC has memories with each of these ids.
    export = {**json.loads(porter.tools.export_json()), "archive": [], "interactions": []}
    for memory in export["memories"]:
        memory["text"] = f"Clerk: {memory['text']}"
    clerk.tools.import_json(json.dumps(export))
    save.identities.merge("clerk", "porter")
    after = named_by_text(save.npc("clerk"))
    assert {text: names for text, names in after.items() if not text.startswith("Clerk")} == before


def test_two_who_are_one_know_what_both_belonged_to(save: Save, clock: GameClock) -> None:
    facts = save.world.facts
    for id, owner in (
        ("vault", {"faction": "Bank"}),
        ("patrol", {"faction": "Patrol"}),
        ("choir", {"group": "Choir"}),
        ("cellar", {"place": "cellar"}),
        ("attic", {"place": "attic"}),
    ):
        facts.set_facts({id: {"text": f"The secret of the {id}.", "known_by": owner}})
    characters = save.world.characters
    characters.register_character("teller", {"faction": "Bank", "location": "attic", "groups": ["Bowlers"]})
    characters.register_character("spy", {"faction": "Patrol", "location": "cellar", "groups": ["Choir"]})
    clock.now += HOUR
    for npc_id in ("teller", "spy"):
        characters.register_character(npc_id, {"location": "street"})
        save.npc(npc_id).memories.store(f"I am in the street as {npc_id}.", 5)
    save.npc("spy").memories.forget("fact:patrol")
    facts.set_facts({"gate": {"text": "The secret of the gate.", "known_by": {"faction": "Patrol"}}})
    known = {npc_id: set(save.world.knowledge.facts(npc_id)) for npc_id in ("teller", "spy")}
    save.identities.merge("teller", "spy")
    assert set(save.world.knowledge.facts("teller")) == known["teller"] | known["spy"]
    assert known == {"teller": {"vault", "attic"}, "spy": {"gate", "choir", "cellar"}}
    assert characters.get_character("teller")["groups"] == ["Bowlers", "Choir"]
    clock.now += HOUR
    facts.set_facts({"raid": {"text": "The secret of the raid.", "known_by": {"faction": "Patrol"}}})
    assert "raid" not in save.world.knowledge.facts("teller")


@pytest.mark.parametrize("other", [" vera", "vera\t", "\ufeffvera\u200b"])
def test_an_id_is_the_same_with_spaces_around_it(save: Save, other: str) -> None:
    save.npc("vera").memories.store("The hens are gone.", 5)
    assert texts(save.npc(other)) == ["The hens are gone."]


def test_accents_of_an_id_are_the_same_in_both_forms(save: Save) -> None:
    composed, decomposed = "Ren\u00e9", "Rene\u0301"
    save.npc(decomposed).memories.store("I bake bread.", 5)
    assert texts(save.npc(composed)) == ["I bake bread."]
    vera = save.npc("vera")
    vera.memories.store("He baked a cake.", 5, {"participants": [decomposed], "event_type": "gift_received"})
    assert vera.recall.knows_event({"event_type": "gift_received", "participants": composed})
    vera.mind.perceive({"action": "helped", "source_id": decomposed})
    assert vera.mind.feelings.get_disposition(composed) == vera.mind.feelings.get_disposition(decomposed)
    assert vera.mind.get_interactions(composed)
    vera.relationship.store_relationship(decomposed + " ", {"trust": 30})
    assert vera.relationship.get_relationship(composed)["trust"] == 30
    save.world.characters.register_character(decomposed, {"name": "R."})
    assert save.world.characters.get_character(composed)["name"] == "R."
    save.world.events.record_event({"summary": "A cake.", "visibility": "private", "actor": decomposed})
    assert save.world.events.get_events({"known_to": composed})
    save.world.tasks.add_task({"assignee": decomposed, "summary": "Bake."})
    assert save.world.tasks.get_tasks({"assignee": composed})
    vera.memories.store("A secret cake.", 9, {"secret": True, "known_to": [decomposed]})
    assert "A secret cake." in vera.recall.retrieve_relevant("cake", {"limit": 9, "listeners": [composed]})
    vera.conversation.store_turn("Hello.", "Hi.", {"speaker": decomposed})
    assert vera.conversation.get_turns(5, composed)


def old_hero(save: Save) -> Npc:
    """An innkeeper who has known the hero Falk for long."""
    inn = save.npc("inn")
    inn.conversation.store_turn("My name is Falk.", "Welcome, Falk.")
    inn.memories.store("The player saved my cellar from the flood.", 9, {"participants": ["player"]})
    inn.memories.store("The player broke a chair and laughed.", 6)
    inn.memories.store("The mill burned down.", 7)
    inn.relationship.store_relationship("player", {"trust": -40})
    inn.mind.perceive({"action": "attacked", "source_id": "player", "source_name": "Falk"})
    save.world.events.record_event({"summary": "Falk slew the wolf.", "actor": "player"})
    save.world.facts.set_player_info({"name": "Falk", "titles": ["Wolfslayer"]})
    return inn


def test_a_new_hero_is_a_stranger_and_the_deeds_stay_those_of_the_old_one(save: Save) -> None:
    old_hero(save)
    feeling = save.npc("inn").mind.feelings.get_disposition("player")["strength"]
    assert "Met=yes" in save.npc("inn").relationship.generate_relationship_header()["document"]
    save.identities.retire_player("falk")
    inn = save.npc("inn")
    header = inn.relationship.generate_relationship_header()["document"]
    assert "Met=no" in header and "Trust=50" in header
    assert inn.relationship.get_relationship("falk")["trust"] == -40
    assert inn.mind.feelings.get_disposition("falk")["strength"] == feeling
    assert inn.mind.feelings.get_disposition("player")["strength"] == 50
    assert inn.conversation.get_turns() == [] and len(inn.conversation.get_turns(5, "falk")) == 1
    rendered = [memory["rendered_text"] for memory in inn.recall.get_recent(20)]
    assert "Falk saved my cellar from the flood." in rendered
    assert "Falk broke a chair and laughed." in rendered
    assert not [text for text in rendered if "player" in text.casefold()]
    assert "The player broke a chair and laughed." in texts(inn)  # as it was stored
    assert inn.recall.knows("Falk saved my cellar") and not inn.recall.knows("the player saved my cellar")
    assert save.world.events.get_events({"actor": "falk"}) and not save.world.events.get_events(
        {"actor": "player"}
    )
    assert save.world.facts.get_player_info() == {}
    assert save.world.characters.get_character("falk")["name"] == "Falk"
    answer = inn.unaided_answers.answer_from_memory("line", "Do you remember what I did for your cellar?")
    assert "you saved" not in str(answer).casefold() and "Falk saved my cellar" in str(answer)


def test_the_new_hero_begins_a_life_of_their_own(save: Save, clock: GameClock) -> None:
    old_hero(save)
    save.identities.retire_player("falk", "Falk the Elder")
    clock.now += HOUR
    inn = save.npc("inn")
    inn.conversation.store_turn("My name is Runa.", "Welcome, Runa.")
    inn.memories.store("The player paid for the chair.", 6, {"participants": ["player"]})
    inn.relationship.store_relationship("player", {"trust": 20})
    assert "Met=yes" in inn.relationship.generate_relationship_header()["document"]
    rendered = [memory["rendered_text"] for memory in inn.recall.get_recent(20)]
    assert "The player paid for the chair." in rendered
    assert "Falk the Elder broke a chair and laughed." in rendered
    assert inn.relationship.get_relationship("falk")["trust"] == -40
    with pytest.raises(InvalidArgumentError, match="there is somebody"):
        save.identities.retire_player("falk")


def with_aliases(save: Save) -> Npc:
    """A guard who has heard of a smuggler by two names, and of the player by three."""
    guard = save.npc("guard")
    save.world.characters.register_character("smuggler_2", {"name": "Brannoc", "aliases": ["the Heron"]})
    save.world.facts.set_player_info({"name": "Alda", "aliases": ["Ash", "the Grey Rider"]})
    for number in range(12):
        guard.memories.store(f"Merchant number {number} passed the gate with {number} carts.", 4)
    guard.memories.store("Brannoc stole the bell of the chapel.", 7, {"participants": ["smuggler_2"]})
    guard.memories.store("The Heron burned the barn at the ford.", 7, {"event_type": "arson"})
    data = {"participants": ["player"], "event_type": "rescue"}
    guard.memories.store("The player freed my brother.", 9, data)
    return guard


@pytest.mark.parametrize(
    ("question", "memory"),
    [
        ("What do you know of the Heron and the chapel?", "Brannoc stole the bell of the chapel."),
        ("What has the Heron stolen?", "Brannoc stole the bell of the chapel."),
        ("What did Brannoc burn?", "The Heron burned the barn at the ford."),
        ("Whom did the Grey Rider free?", "The player freed my brother."),
    ],
)
def test_a_question_by_one_name_finds_what_is_stored_by_another(
    save: Save, question: str, memory: str
) -> None:
    guard = with_aliases(save)
    assert memory in guard.recall.retrieve_relevant(question, {"limit": 2})


def test_conditions_know_a_person_by_every_name(save: Save) -> None:
    guard = with_aliases(save)
    for condition in (
        "the Heron stole the bell of the chapel",
        "Brannoc burned the barn at the ford",
        "Ash freed my brother",
        "the Grey Rider freed my brother",
    ):
        assert guard.recall.knows(condition), condition
    for condition in ("Nell stole the bell of the chapel", "the Grey Rider burned the barn at the ford"):
        assert not guard.recall.knows(condition), condition
    assert guard.recall.knows_event({"event_type": "rescue", "participants": "the Grey Rider"})
    assert guard.recall.knows_event({"event_type": "rescue", "participants": "Alda"})
    assert not guard.recall.knows_event({"event_type": "rescue", "participants": "the Heron"})
    data = {"event_type": "toll", "participants": ["smuggler_2"]}
    guard.memories.store("Somebody paid no toll.", 5, data)
    assert guard.recall.knows_event({"event_type": "toll", "participants": ["the Heron"]})


def test_a_name_that_is_no_longer_one_finds_nothing_by_itself(save: Save) -> None:
    guard = with_aliases(save)
    save.world.characters.register_character("smuggler_2", {"aliases": None})
    assert not guard.recall.knows("the Heron stole the bell of the chapel")
    with pytest.raises(InvalidArgumentError):
        save.world.characters.register_character("smuggler_2", {"aliases": "the Heron"})
    with pytest.raises(InvalidArgumentError):
        save.world.facts.set_player_info({"aliases": [3]})
