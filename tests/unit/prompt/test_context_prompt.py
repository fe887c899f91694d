"""Prompts for an answer, made of an NPC's parts and plain options; see also tests/engine/prompt."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest

from rag_memory import Npc, Save
from rag_memory.config.budgets import PROMPT_BUDGETS
from rag_memory.errors import InvalidArgumentError

MIRA = {
    "class": "NPCPersonality",
    "values": {"npc_id": "mira", "display_name": "Mira", "role": "the innkeeper"},
}


@pytest.fixture
def mira(opened: Callable[..., Save]) -> Npc:
    npc = opened().npc("mira")
    npc.memories.store("The player fixed the roof of the tavern.", 8)
    return npc


def section(prompt: dict[str, Any], name: str) -> str:
    text: str = prompt["sections"][name]["text"]
    return text


def test_a_prompt_has_its_sections_in_their_order(mira: Npc) -> None:
    prompt = mira.prompts.build_prompt("line", "The roof?", {"personality": MIRA})
    assert list(prompt["sections"]) == list(PROMPT_BUDGETS)
    assert "You are Mira, the innkeeper." in section(prompt, "identity")
    assert "The player fixed the roof" in section(prompt, "memories")
    assert section(prompt, "player_input") == '<player_input>\nPlayer: "The roof?"\n</player_input>'
    assert prompt["messages"][-1] == {"role": "user", "content": section(prompt, "player_input")}
    assert prompt["total_tokens"] == sum(part["tokens"] for part in prompt["sections"].values())


def test_the_last_turns_are_those_of_the_npc(mira: Npc) -> None:
    mira.conversation.store_turn("Hello.", "Boots off.", {"memories": []})
    mira.conversation.store_turn("Why?", "I know nothing of that.", {"memories": [], "from_memory": True})
    prompt = mira.prompts.build_prompt("line", "And now?")
    assert section(prompt, "recent_turns").split("\n")[1:-1] == ['Player: "Hello."', 'You: "Boots off."']
    assert [message["role"] for message in prompt["messages"]] == ["system", "user", "assistant", "user"]
    assert not section(mira.prompts.build_prompt("line", "And now?", {"recent_turns": []}), "recent_turns")


def test_a_default_counts_where_an_option_is_left_out_and_fits(mira: Npc) -> None:
    defaults = {"location": "the taproom", "hour": "late", "world_state": {"class": "a Node", "values": None}}
    prompt = mira.prompts.build_prompt("greeting", "", {}, defaults)
    assert section(prompt, "world_state") == "<world_state>\n- place: the taproom\n</world_state>"
    prompt = mira.prompts.build_prompt("greeting", "", {"location": None}, defaults)
    assert not section(prompt, "world_state")


def test_what_is_no_option_is_an_error_in_words(mira: Npc) -> None:
    with pytest.raises(InvalidArgumentError, match=r"option persona\. Did you mean 'personality'"):
        mira.prompts.build_prompt("line", "Hi.", {"persona": 1})
    with pytest.raises(
        InvalidArgumentError, match=r"cannot be an object of res://me\.gd\. It has to be an NPCP"
    ):
        mira.prompts.build_prompt(
            "line", "Hi.", {"personality": {"class": "an object of res://me.gd", "values": None}}
        )
    with pytest.raises(InvalidArgumentError, match=r"the occasion is \"shout\""):
        mira.prompts.build_prompt("shout", "Hi.")
    with pytest.raises(InvalidArgumentError, match="needs an NPCMind, and mira has none"):
        mira.prompts.build_prompt("line", "Hi.", {"listeners": ["kael"]})


def test_a_long_identity_is_cut_and_said_once(mira: Npc, caplog: pytest.LogCaptureFixture) -> None:
    personality = {
        "class": "NPCPersonality",
        "values": {"display_name": "Mira", "background": "She walked far. " * 200},
    }
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            prompt = mira.prompts.build_prompt("line", "Hi.", {"personality": personality})
    identity = prompt["sections"]["identity"]
    assert identity["cut"] == 1
    assert identity["text"].endswith("She walked far.\n</identity>")
    assert [record.message for record in caplog.records if "section identity" in record.message] == [
        "Who mira is does not fit into the section identity: 1 lines were cut and 0 left out of a prompt "
        "with 500 tokens for it. Shorten the personality, or set the option "
        '{"budgets": {"identity": ...}}.'
    ]


def test_a_mind_brings_its_listeners_and_who_is_near(mira: Npc) -> None:
    mira.mind.perceive(
        {"action": "spoke", "source_id": "lena", "source_name": "Lena", "content": "I buried the crown.",
         "secret": True}
    )  # fmt: skip
    mind: dict[str, Any] = {"npc_id": "mira", "nearby": [], "config": None}
    options = {"listeners": ["lena"], "mind": {"class": "NPCMind", "values": mind}}
    prompt = mira.prompts.build_prompt("line", "The crown?", options)
    assert "Lena, towards whom you feel" in section(prompt, "listeners")
    assert prompt["prompt"].count("I buried the crown") == 1
    mind["nearby"] = ["kael"]
    assert "buried" not in mira.prompts.build_prompt("line", "The crown?", options)["prompt"]


def test_a_prompt_says_what_the_player_is_called(mira: Npc) -> None:
    mind = {"class": "NPCMind", "values": {"npc_id": "mira", "nearby": [], "config": None}}
    named = {"class": "NPCWorldKnowledge", "values": {"player_name": "Theron"}}
    assert "is called" not in section(mira.prompts.build_prompt("line", "Hm?"), "relationship")

    mira.mind.perceive({"action": "insulted", "source_id": "player", "source_name": "Ines"})
    prompt = mira.prompts.build_prompt("line", "Hm?", {"mind": mind})
    assert "The player is called Ines." in section(prompt, "relationship")
    assert "is called" not in section(mira.prompts.build_prompt("line", "Hm?"), "relationship")

    mira.memories.store("The player goes by Aldo.", 6, {"slot_type": "player_name"})
    prompt = mira.prompts.build_prompt("line", "Hm?")
    assert "The player is called Aldo." in section(prompt, "relationship")

    prompt = mira.prompts.build_prompt("line", "Hm?", {"world_knowledge": named})
    assert "The player is called Theron." in section(prompt, "relationship")
