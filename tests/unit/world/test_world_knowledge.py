"""The facts, the people, the establishments and the flags of an NPCWorldKnowledge."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from rag_memory import Save
from rag_memory.errors import InvalidArgumentError
from rag_memory.world.world import World
from rag_memory.world.world_knowledge import WorldKnowledge, flag_value

DATA: dict[str, Any] = {
    "facts": [
        {"id": "mine", "text": "The mine of Iron Hollow is shut.", "topics": ["ore", "miners"]},
        {"id": "boss", "text": "Mira leads the bandits.", "known_by": ["mira"]},
        {
            "id": "toll",
            "text": "The ferryman takes two coins.",
            "known_by": {"place": ["Ferry", "Thornhaven"]},
        },
        {"text": "Bread is dear."},
    ],
    "npc_names": {"mira": "Mira", "aldric": "Captain Aldric", "gregor": "Gregor"},
    "npc_aliases": {"aldric": ["the captain"]},
    "establishments": [
        {
            "id": "kettle",
            "name": "Copper Kettle",
            "kind": "inn",
            "location": "Thornhaven",
            "sells": ["ale"],
        },
        {"id": "mill", "name": "Old Mill", "location": "Ferry", "requires_flag": "rebuilt"},
    ],
    "other_names": ["Saltmere"],
    "flag_defaults": {"rebuilt": False, "bandits": 3, "mood": 0.5, "ending": "none"},
    "player_name": "Rowan Ashby",
}


@pytest.fixture
def world(opened: Callable[..., Save]) -> World:
    return opened().world


def knowledge(world: World | None = None, **changes: Any) -> WorldKnowledge:
    return WorldKnowledge.from_data({**DATA, **changes}, world)


def test_facts_of_everybody_of_some_and_of_a_place() -> None:
    common = ["The mine of Iron Hollow is shut.", "Bread is dear."]
    assert knowledge().facts_for("gregor") == common
    assert knowledge().facts_for("mira") == [common[0], "Mira leads the bandits.", common[1]]
    toll = "The ferryman takes two coins."
    for place in ("ferry", " Thornhaven ", "Copper Kettle", "kettle"):
        assert toll in knowledge().facts_for("gregor", location=place), place
    assert toll not in knowledge().facts_for("gregor", location="Iron Hollow")


def test_the_facts_nearest_to_the_context_come_first() -> None:
    assert knowledge().facts_for("mira", "Who leads those bandits?")[0] == "Mira leads the bandits."
    assert knowledge().facts_for("mira", "Any ORE?", 1) == ["The mine of Iron Hollow is shut."]
    assert knowledge().facts_for("mira", "", 0) == []


def test_scripts_without_spaces_have_facts_by_context_and_parts_of_names() -> None:
    facts = [{"text": "矿井已经关闭。"}, {"text": "面包涨价了。"}, {"text": "渡口的船夫收两枚铜币。"}]
    chinese = knowledge(facts=facts, npc_names={"mathias": "村长马蒂亚斯", "rowan": "罗文·阿什比"})
    assert chinese.facts_for("gregor", "你知道渡口的船夫吗？", 1) == [facts[2]["text"]]
    for name in ("马蒂亚斯", "村长", "村长马蒂亚斯", "罗文", "阿什比"):
        assert chinese.is_known_npc(name), name
    for name in ("马", "蒂亚", "格雷戈", "马蒂亚斯夫人"):
        assert not chinese.is_known_npc(name), name
    japanese = knowledge(npc_names={"hanako": "宿屋の花子"})
    assert japanese.is_known_npc("花子") and not japanese.is_known_npc("太郎")
    assert japanese.is_known_npc("花子さん") and japanese.is_known_npc("花子様")
    assert not japanese.is_known_npc("太郎さん") and not japanese.is_known_npc("さん")
    korean = knowledge(npc_names={"minsu": "김민수"})
    assert korean.is_known_npc("민수 씨") and korean.is_known_npc("김민수님")
    assert not korean.is_known_npc("영희 씨") and not korean.is_known_npc("씨")


def test_a_flag_decides_whether_a_fact_holds_and_an_establishment_is_open(world: World) -> None:
    facts = [{"id": "ledger", "text": "The ledger was forged.", "known_by": {"flag": "rebuilt"}}]
    assert knowledge(facts=facts).facts_for("mira") == []
    assert knowledge(facts=facts, flags={"rebuilt": True}).facts_for("mira") == ["The ledger was forged."]
    assert (
        knowledge(facts=[{**facts[0], "known_by": {"flag": "nope"}}], flags={"nope": True}).facts_for("x")
        == []
    )
    assert [entry["id"] for entry in knowledge().establishments()] == ["kettle"]
    world.facts.set_flags({"rebuilt": True})
    assert [entry["id"] for entry in knowledge(world).establishments()] == ["kettle", "mill"]
    assert [entry["id"] for entry in knowledge(world).establishments("ferry")] == ["mill"]
    assert knowledge(world, flags={"rebuilt": False}).flags["rebuilt"], "the save's value counts"


def test_a_fact_that_an_npc_has_forgotten_is_told_to_others_alone(opened: Callable[..., Save]) -> None:
    save = opened()
    save.world.facts.set_facts({"well": {"text": "The well is dry."}, "mine": {"text": "The mine is open."}})
    assert save.npc("bo").memories.forget("fact:well")
    assert "The well is dry." not in knowledge(save.world).facts_for("bo", "Is the well dry?")
    assert "The mine is open." in knowledge(save.world).facts_for("bo")
    assert "The well is dry." in knowledge(save.world).facts_for("x")


def test_the_open_save_replaces_facts_and_adds_some(world: World) -> None:
    world.facts.set_facts({"mine": {"text": "The mine is open."}, "well": {"text": "The well is dry."}})
    assert knowledge(world).fact("mine") == "The mine is open."
    assert knowledge(world).fact("well") == "The well is dry."
    assert knowledge(world).fact("nope") == knowledge().fact("well") == ""
    assert knowledge(world).facts_for("x") == ["The mine is open.", "Bread is dear.", "The well is dry."]


def test_names_are_those_of_the_data_the_facts_and_the_save(world: World) -> None:
    world.facts.set_player_info({"name": "Theron"})
    world.characters.register_character("egon", {"name": "Baron Egon Wurmbrand"})
    world.characters.register_character("nobody", {})
    names = knowledge(world).names()
    assert {"mira", "Captain Aldric", "the captain", "Copper Kettle", "Thornhaven", "Saltmere"} <= {*names}
    assert {"Rowan Ashby", "Iron", "Hollow", "Theron", "Baron Egon Wurmbrand"} <= {*names}
    assert "Theron" not in knowledge().names()
    assert knowledge().name_of("mira") == "Mira"
    assert knowledge().name_of("bo") == "bo"


@pytest.mark.parametrize(
    ("name", "exists"),
    [
        *((name, True) for name in ("gregor", "GREGOR", "Captain Aldric", "Aldric", "the captain", "Mira's")),
        *((name, False) for name in ("", "Zorblax", "Gregor Zorblax", "Thornhaven")),
    ],
)
def test_people_are_known_by_any_of_their_names(name: str, exists: bool) -> None:
    assert knowledge().is_known_npc(name) is exists


def test_a_memory_of_unknown_people_is_rejected_with_a_reason() -> None:
    checked = knowledge().check_memory("Zorblax said so.", {"participants": ["Zorblax", "mira"], "day": 3})
    assert not checked["accepted"]
    assert checked["unknown_names"] == ["Zorblax"]
    assert checked["reason"] == (
        "Nobody in this world is called Zorblax. Add the name to NPCWorldKnowledge, "
        "or store with check_names set to false."
    )
    assert knowledge().check_memory("I saw Zorblax.", {}, {"known_names": ["Zorblax"]})["accepted"]
    assert knowledge().check_memory("I saw Zorblax.", {}, {"check_names": False})["accepted"]
    assert knowledge().check_memory("I like Rowan, and Saltmere.")["accepted"]
    with pytest.raises(InvalidArgumentError, match="known_name"):
        knowledge().check_memory("I saw Zorblax.", {}, {"known_name": []})


def test_a_name_like_a_registered_one_is_accepted() -> None:
    checked = knowledge().check_memory("The player helped Gregorr.", {"participants": ["Gregorr"]})
    assert checked == {"accepted": True, "unknown_names": [], "reason": ""}


def test_flags_have_the_type_of_their_default(world: World) -> None:
    assert knowledge().flags == DATA["flag_defaults"]
    world.facts.set_flags({"rebuilt": 1, "bandits": 2.0, "mood": 1, "ending": 5, "unknown": True})
    assert knowledge(world).flags == {"rebuilt": True, "bandits": 2, "mood": 1.0, "ending": "none"}


@pytest.mark.parametrize(
    ("value", "default", "result"),
    [
        *((1, False, True), (0.0, True, False), (2, False, None), ("yes", False, None), (True, 0, None)),
        *((2.0, 1, 2), (2.5, 1, None), (3, 0.5, 3.0), (math.nan, 0.5, None), (math.inf, 1, None)),
        *(("a", "b", "a"), (1, "b", None), (None, "b", None), ([], 1, None)),
    ],
)
def test_a_value_becomes_one_of_the_flags_type(value: Any, default: Any, result: Any) -> None:
    converted = flag_value(value, default)
    assert (converted, type(converted)) == (result, type(result))


def test_every_flag_of_the_save_decides_also_without_a_default(world: World) -> None:
    world.facts.set_flags({"betrayed": True, "stage": 3})
    world.facts.set_facts(
        {
            "loyal": {"text": "Mira is loyal.", "known_by": {"flag": "betrayed", "is_not": True}},
            "gate": {"text": "The gate is open.", "known_by": {"flag": "stage", "at_least": 3}},
        }
    )
    assert WorldKnowledge.from_data({}, world).facts_for("mira") == ["The gate is open."]
    read = WorldKnowledge.from_data({"flag_defaults": {"betrayed": False, "war": 1}}, world)
    assert read.facts_for("mira") == ["The gate is open."]
    empty = {"facts": [{"text": "The king is dead.", "known_by": {}}]}
    assert WorldKnowledge.from_data(empty, None).facts_for("mira") == []


def test_values_of_wrong_types_are_left_out(world: World) -> None:
    odd: dict[str, Any] = {
        "facts": [
            5,
            {"id": "x"},
            {"id": "y", "text": 5},
            {"text": "A.", "known_by": {"flag": [1]}},
            {"text": "B.", "known_by": 5},
            {"id": [1], "text": "It rains.", "topics": 5},
        ],
        "npc_names": {"mira": 5, 7: "Bo", "cy": "Cy"},
        "npc_aliases": {"cy": [5, "Cyrus"], "mira": "M"},
        "establishments": [None, {"kind": "inn"}, {"name": "Inn", "location": 5, "sells": 3, "id": []}],
        "other_names": [5, "", "Sea"],
        "flag_defaults": [],
        "player_name": None,
        "flags": 5,
    }
    for data in (odd, dict.fromkeys(odd, 5), {}):
        for open_world in (world, None):
            WorldKnowledge.from_data(data, open_world).check_memory("I saw Zorblax.")
    read = WorldKnowledge.from_data(odd, None)
    assert read.facts_for("mira") == ["It rains."]
    assert read.names() == ["cy", "Cy", "Cyrus", "Sea", "Inn", "It"]
    assert [place["name"] for place in read.establishments("Inn")] == ["Inn"]


def test_an_establishment_without_a_location_is_wherever_one_asks() -> None:
    data = {"establishments": [{"name": "Long Dark"}, {"name": "Deck Five", "location": "Deck five"}]}
    read = WorldKnowledge.from_data(data, None)

    assert [place["name"] for place in read.establishments("the bar")] == ["Long Dark"]
    assert [place["name"] for place in read.establishments("deck five")] == ["Long Dark", "Deck Five"]
