"""Who knows what: owners of events, facts and lore, by every way to ask an NPC."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.unit.conftest import GameClock

from rag_memory import Save
from rag_memory.errors import InvalidArgumentError
from rag_memory.text.file_text import FileText
from rag_memory.world.world_knowledge import WorldKnowledge

SECRET = "The crown lies under the frozen lake."
QUESTION = "Where does the crown lie?"


@pytest.fixture
def save(opened: Callable[..., Save]) -> Save:
    save = opened()
    characters = save.world.characters
    characters.register_character("ida", {"clan": "Frost", "culture": "Fen", "groups": ["Choir"]})
    characters.register_character("jon", {"clan": "Ember", "location": "Lake", "occupation": "fisher"})
    return save


def ways(save: Save, npc_id: str, text: str = SECRET, question: str = QUESTION) -> set[bool]:
    """What the ways to ask an NPC say about whether it knows a text."""
    npc, plain = save.npc(npc_id), text.removesuffix(".")
    return {
        any(plain in memory["document_full"] for memory in npc.recall.retrieve_scored(question)),
        plain in str(npc.recall.retrieve_tiered(question)),
        any(plain in memory for memory in npc.recall.retrieve_relevant(question)),
        plain in str(npc.recall.recall_best(question)),
        npc.recall.how_sure(text) > 0.5,
        plain in npc.prompts.build_prompt("line", question)["prompt"],
        plain in npc.dossiers.build_dossier(question)["text"],
    }


@pytest.mark.parametrize(
    ("known_by", "who"),
    [
        ("ida", {"ida"}),
        (["ida", "jon"], {"ida", "jon"}),
        ("frost", {"ida"}),
        ("everyone", {"ida", "jon", "stranger"}),
        ([], {"ida", "jon", "stranger"}),
        ({"clan": ["Frost", "Ember"]}, {"ida", "jon"}),
        ({"culture": "fen"}, {"ida"}),
        ({"group": "Choir"}, {"ida"}),
        ({"group": "Ember"}, {"jon"}),
        ({"faction": "Frost"}, set()),
        ({"occupation": "fisher", "place": "Lake"}, {"jon"}),
        ({"occupation": "fisher", "place": "Mill"}, set()),
        ("clan: Frost and culture: Fen", {"ida"}),
        ({"npc": "frost"}, set()),
        ({"flag": "war"}, set()),
        ({"flag": "war", "is": False}, {"ida", "jon", "stranger"}),
        ({"flag": "stage", "at_least": 2, "below": 4}, {"ida", "jon", "stranger"}),
        ({"flag": "stage", "above": 3}, set()),
        ("clan: Ember and flag: stage >= 3", {"jon"}),
        ({"flag": "city", "is_not": "Norhold"}, {"ida", "jon", "stranger"}),
        ({"flag": "stage", "is": "three"}, set()),
        ("flag: stage is_not 5", {"ida", "jon", "stranger"}),
        ("flag: stage is not 3", set()),
        ("flag: visited_mine", {"ida", "jon", "stranger"}),
        ("flag: visited_mine is false", set()),
        ("Clan: Frost and flag:stage>=3", {"ida"}),
        ("flag: city_risen is_not Norhold", {"ida", "jon", "stranger"}),
        ("group: Salt and Ember", set()),
        ({"when": "stage >= 2 and not war"}, {"ida", "jon", "stranger"}),
        ({"when": "stage > 3 or (war and visited_mine)"}, set()),
        ({"clan": "Ember", "when": "visited_mine == true"}, {"jon"}),
        ({"flag": "war", "when": "stage == 3"}, set()),
        ("when: stage >= 3 and visited_mine", {"ida", "jon", "stranger"}),
        ("clan: Frost and when: stage < 3 or quest.mill == 2", {"ida"}),
        ("guard:3", set()),
    ],
)
def test_an_owner_knows_a_fact_by_every_way_and_nobody_else_does(
    save: Save, known_by: Any, who: set[str]
) -> None:
    save.world.facts.set_flags({"stage": 3, "visited_mine": True, "quest.mill": 2})
    save.world.facts.set_facts({"crown": {"text": SECRET, "known_by": known_by}})
    for npc_id in ("ida", "jon", "stranger"):
        assert ways(save, npc_id) == {npc_id in who}, npc_id


def test_events_and_lore_have_the_same_owners(save: Save) -> None:
    event = "The choir sang at the gallows."
    save.world.events.record_event({"summary": event, "known_by": {"group": "Choir"}})
    lore = "The songs of the fen name the drowned."
    book = f"---\nknown_by: [culture: Fen, jon]\n---\n# Songs\n\n{lore}\n"
    book += f"\n# Oath {{known_by: clan: Ember}}\n\n{SECRET}\n"
    save.world.lore.import_lore(FileText(book), {"key": "book"})
    assert ways(save, "ida", event, "What did the choir sing?") == {True}
    assert ways(save, "jon", event, "What did the choir sing?") == {False}
    for npc_id in ("ida", "jon"):
        assert ways(save, npc_id, lore, "Whom do the songs of the fen name?") == {True}
    assert ways(save, "stranger", lore, "Whom do the songs of the fen name?") == {False}
    assert ways(save, "jon") == {True}
    assert ways(save, "ida") == {False}
    save.world.lore.import_lore(FileText(book.replace("Ember", "Frost")), {"key": "book"})
    assert ways(save, "ida") == {True}
    assert ways(save, "jon") == {False}


def test_who_joins_learns_and_who_leaves_keeps_what_it_knew(save: Save, clock: GameClock) -> None:
    world = save.world
    world.facts.set_facts({"crown": {"text": SECRET, "known_by": {"clan": "Ember"}}})
    clock.now += 100
    world.characters.register_character("ida", {"clan": "Ember"})
    world.characters.register_character("jon", {"clan": None})
    assert ways(save, "ida") == ways(save, "jon") == {True}
    clock.now += 100
    later = "The bell of Saltmere is cracked."
    world.facts.set_facts({"bell": {"text": later, "known_by": {"clan": "Ember"}}})
    assert ways(save, "ida", later, "Which bell is cracked?") == {True}
    assert ways(save, "jon", later, "Which bell is cracked?") == {False}
    save.marks.rollback_to(clock.now - 150)
    assert ways(save, "ida") == {False}


def test_a_rumor_is_a_memory_that_says_from_whom_and_how_sure(save: Save) -> None:
    world = save.world
    id = world.events.record_event({"summary": SECRET, "known_by": ["jon"], "importance": 7})
    sure = save.npc("jon").recall.how_sure(SECRET)
    assert world.rumors.spread_rumor(id, "ida", "jon") == ["ida"]
    assert ways(save, "ida") == {True}
    (memory,) = save.npc("ida").recall.get_recent()
    assert memory["document_full"] == f"I heard from jon that this happened: {SECRET}"
    data = memory["metadata"]
    assert (data["heard_from"], data["event_id"], data["confidence"]) == ("jon", id, world.config.rumor_decay)
    assert save.npc("ida").recall.how_sure(SECRET) == pytest.approx(sure * world.config.rumor_decay, abs=0.05)
    assert save.npc("ida").dossiers.build_dossier(QUESTION)["text"].count("frozen lake") == 1
    assert ways(save, "stranger") == {False}
    assert save.npc("ida").memories.forget(memory["id"])
    assert ways(save, "ida") == {False}
    assert world.rumors.spread_rumor(id, "ida", "jon") == ["ida"]
    assert ways(save, "ida") == {True}
    world.events.record_event({"id": id, "summary": "The crown was never lost.", "known_by": ["jon"]})
    assert ways(save, "ida") == {False}, "it is no longer what was heard"


def test_a_rumor_of_what_has_expired_is_no_longer_known(save: Save, clock: GameClock) -> None:
    day = clock.now / 86400.0
    event = {"summary": SECRET, "known_by": ["jon"], "expires_day": day + 1}
    save.world.rumors.spread_rumor(save.world.events.record_event(event), "ida", "jon")
    assert ways(save, "ida") == {True}
    clock.now += 2 * 86400
    assert ways(save, "ida") == ways(save, "jon") == {False}
    assert save.npc("ida").recall.get_recent() == []


def test_one_npc_forgets_what_the_others_still_know(save: Save) -> None:
    world = save.world
    world.facts.set_facts({"crown": {"text": SECRET, "known_by": ["ida", "jon"]}})
    world.lore.import_lore(FileText("# Fish\n\nThe pike of the lake are blind."), {"key": "fish"})
    ida = save.npc("ida")
    assert ida.memories.forget("fact:crown")
    assert not ida.memories.forget("fact:crown")
    assert not save.npc("stranger").memories.forget("fact:crown")
    assert ways(save, "ida") == {False}
    assert ways(save, "jon") == {True}
    assert ida.memories.forget(ida.recall.recall_best("Are the pike blind?")["id"])
    assert ways(save, "ida", "The pike of the lake are blind.", "Are the pike blind?") == {False}


@pytest.mark.parametrize(
    ("fact", "why"),
    [
        ({"known_by": {"factoin": "Frost"}}, "Did you mean 'faction'"),
        ({"known_by": {"clan": []}}, "nobody is named"),
        ({"known_by": {"is": 3}}, "none is named"),
        ({"known_by": [5]}, "a String, a Dictionary"),
        ({"known_by": {"flag": "stage", "at_least": [1]}}, "a bool, int, float or String"),
        ({"known_by": "clan: Frost and clan: Ember"}, "twice"),
        ({"known_by": "clan: Frost and flga: stage at_least 3"}, '"flga: stage at_least 3"'),
        ({"known_by": "Frost and flag: war"}, 'the part "Frost"'),
        ({"known_by": "everyone and flag: war"}, 'the part "everyone"'),
        ({"known_by": "clan: Frost or clan: Ember"}, "another owner"),
        ({"known_by": "clan: Frost and flag war"}, "another owner"),
        ({"known_by": "factoin:Frost"}, "Did you mean 'faction'"),
        ({"known_by": "not flag: war"}, 'the part "not flag: war"'),
        ({"known_by": "clan:"}, "nobody is named"),
        ({"known_by": "flag: stage atleast 3"}, "no comparison"),
        ({"known_by": "flag: stage = 3"}, "no comparison"),
        ({"known_by": "flag: stage at_least three"}, "no comparison"),
        ({"known_by": "flag: stage at_least 3 below 5"}, "no comparison"),
        ({"known_by": "flag: stage is"}, "no comparison"),
        ({"known_by": "flag: "}, "no comparison"),
        ({"known_by": ["ida", " "]}, "nobody is named"),
        ({"known_by": {"flag": "", "is": False}}, "no flag is named"),
        ({"known_by": {"when": "stage >= "}}, 'it ends after ">="'),
        ({"known_by": "when: stage = 3"}, '"=" stands after "stage"'),
        ({"known_by": {"when": 3}}, "a String"),
        ({"locations": ["Mill"]}, 'Use "known_by": {"place": ...}'),
        ({"requires_flag": "war"}, 'Use "known_by": {"flag": ...}'),
    ],
)
def test_a_wrong_owner_is_refused(save: Save, fact: dict[str, Any], why: str) -> None:
    with pytest.raises(InvalidArgumentError) as error:
        save.world.facts.set_facts({"crown": {"text": SECRET, **fact}})
    assert why in str(error.value)
    assert save.world.facts.get_facts() == {}


def test_lore_of_its_own_culture_comes_earlier_in_a_dossier(save: Save) -> None:
    cultures = ("Moor", "Fen", "Dale")
    for culture in cultures:
        text = f"# Burials of the {culture}\n\nThe {culture} bury their dead with salt and a lamp."
        save.world.lore.import_lore(FileText(text), {"key": culture})

    def order(npc_id: str) -> list[str]:
        text = save.npc(npc_id).dossiers.build_dossier("How do people bury their dead?")["text"]
        return sorted(cultures, key=lambda culture: text.index(f"The {culture} bury"))

    last = order("stranger")[-1]
    save.world.characters.register_character("kim", {"culture": last})
    assert order("kim")[-1] != last


@pytest.mark.parametrize(
    "text",
    [
        "# Oath {KNOWN_BY: npc: ida}\n\nTEXT",
        "# Oath {known_by: [npc: ida]}\n\nTEXT",
        "---\r\nknown_by: npc: ida\r\n---\r\n# Oath\r\n\r\nTEXT",
        "---\nKnown-By:\n  - npc: ida\n---\nTEXT",
    ],
)
def test_lore_belongs_to_its_owner_however_that_is_written(save: Save, text: str) -> None:
    save.world.lore.import_lore(FileText(text.replace("TEXT", SECRET)), {"key": "book"})
    assert ways(save, "ida") == {True}
    assert ways(save, "jon") == {False}


@pytest.mark.parametrize(
    "text",
    [
        "# Oath {known_by: {npc: ida}}\n\nTEXT",
        "# Oath { known-by: npc: ida }\n\nTEXT",
        "# Oath {#oath known_by: npc: ida}\n\nTEXT",
        "# Oath {known_by: npc: ida} (old)\n\nTEXT",
        "# Oath {known_by: }\n\nTEXT",
        "# Oath {known_by npc ida}\n\nTEXT",
        "# Oath {known_by: npd: ida}\n\nTEXT",
        "---\nknown_by:\n---\nTEXT",
        "---\nknown_by:\n  npc: ida\n---\nTEXT",
        "---\nknown_by:\n  - clan: Frost\n    flag: war\n---\nTEXT",
        "---\nknown_by: {npc: ida}\n---\nTEXT",
        "> # Oath {known_by: npc: ida}\n>\n> TEXT",
        "**Oath** {known_by: npc: ida}\n\nTEXT",
        "\n---\nknown_by: npc: ida\n---\nTEXT",
        "known_by: npc: ida\n\nTEXT",
        "---\nknown_by: [\n  npc: ida\n]\n---\nTEXT",
    ],
)
def test_lore_whose_owner_is_not_understood_is_refused(save: Save, text: str) -> None:
    with pytest.raises(InvalidArgumentError):
        save.world.lore.import_lore(FileText(text.replace("TEXT", SECRET)), {"key": "book"})
    assert save.world.lore.list_lore() == []


def _change_password(save: Save, clock: GameClock, word: str, **fields: Any) -> str:
    clock.now += 100
    text = f"The password of the mint is {word}."
    save.world.facts.set_facts({"password": {"text": text, "known_by": {"clan": "Ember"}, **fields}})
    clock.now += 100
    return text


def _move(save: Save, npc_id: str, clan: str | None) -> None:
    save.world.characters.register_character(npc_id, {"clan": clan})


def test_who_left_keeps_the_version_of_a_fact_that_held_then(save: Save, clock: GameClock) -> None:
    asked = "What is the password of the mint?"
    _move(save, "ida", "Ember")
    _move(save, "kai", "Ember")
    heron = _change_password(save, clock, "heron")
    _move(save, "ida", None)
    otter = _change_password(save, clock, "otter")
    _move(save, "kai", None)
    raven = _change_password(save, clock, "raven")
    viper = _change_password(save, clock, "viper")
    expected = {"ida": {heron}, "kai": {otter}, "jon": {viper}, "stranger": set()}
    for npc_id, texts in expected.items():
        for text in (heron, otter, raven, viper):
            assert ways(save, npc_id, text, asked) == {text in texts}, (npc_id, text)
        world_knowledge = WorldKnowledge.from_data({}, save.world)
        assert set(world_knowledge.facts_for(npc_id)) == texts
    assert [fact["text"] for fact in save.world.facts.get_facts().values()] == [viper]
    _move(save, "ida", "Ember")
    assert ways(save, "ida", heron, asked) == {False}
    assert ways(save, "ida", viper, asked) == {True}
    assert save.npc("kai").memories.forget(
        next(
            memory["id"] for memory in save.npc("kai").recall.retrieve_scored(asked) if "otter" in str(memory)
        )
    )
    assert ways(save, "kai", otter, asked) == {False}
    save.world.facts.set_facts({"password": None})
    for npc_id in expected:
        assert not save.world.knowledge.facts(npc_id)


def test_a_version_that_nobody_left_with_is_not_kept(save: Save, clock: GameClock) -> None:
    for number in range(20):
        _change_password(save, clock, f"heron {number}")
        clock.now += 100
        save.world.characters.register_character("ida", {"location": ("Lake", "Mill")[number % 2]})
    _change_password(save, clock, "everybody's", known_by=[])
    assert len(save.store.documents.find("fact")) == 1


def test_versions_go_with_a_rollback_and_travel_with_the_world(
    save: Save, clock: GameClock, opened: Callable[..., Save]
) -> None:
    heron = _change_password(save, clock, "heron")
    _move(save, "jon", None)
    mark = save.marks.add()
    otter = _change_password(save, clock, "otter")
    asked = "What is the password of the mint?"
    other = opened()
    other.world.json.import_json(save.world.json.export_json())
    for one in (save, other):
        assert ways(one, "jon", heron, asked) == {True}
        assert ways(one, "jon", otter, asked) == {False}
    save.marks.rollback_to(mark)
    assert ways(save, "jon", heron, asked) == {True}
    assert len(save.store.documents.find("fact")) == 1
    with pytest.raises(InvalidArgumentError, match="former_of"):
        save.world.facts.set_facts({"x": {"text": "X.", "former_of": "password"}})
