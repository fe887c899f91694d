"""An NPC does not say everything twice to the same listener."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.unit.conftest import GameClock

from rag_memory import Npc, Save
from rag_memory.config.memory_config import MemoryConfig, ScoreMode

HOUR = 3600.0


@pytest.fixture
def mira(opened: Callable[..., Save]) -> Npc:
    mira = opened().npc("mira")
    for text in (
        "Ulf stole the bell of the chapel.",
        "The miller has bought a new horse.",
        "Anna is going to marry the smith in spring.",
    ):
        mira.memories.store(text, 6)
    return mira


def say(mira: Npc, line: str) -> str:
    """An exchange without a language model."""
    begun = mira.exchanges.begin_exchange("line" if line else "greeting", line)
    return str(mira.exchanges.finish_exchange(begun["exchange"])["response"])


def scored(mira: Npc, question: str) -> dict[str, dict[str, Any]]:
    return {memory["document_full"]: memory for memory in mira.recall.retrieve_scored(question)}


def test_the_same_question_gets_i_told_you_and_then_a_remark(mira: Npc) -> None:
    first, second, third = (say(mira, "Who stole the bell?") for _ in range(3))
    assert "Ulf stole the bell" in first
    assert "told you" not in first
    assert "told you" in second
    assert "Ulf stole the bell" in second
    assert third.startswith(("You keep asking", "How often"))
    assert "Ulf stole the bell" in third


def test_the_same_in_other_words_is_the_same_question(mira: Npc) -> None:
    say(mira, "Who stole the bell?")
    assert "told you" in say(mira, "Who was it that stole the bell?")


@pytest.mark.parametrize("line", ["Whom will Anna marry?", "What has the miller bought?"])
def test_another_question_is_answered_as_before(mira: Npc, line: str) -> None:
    say(mira, "Who stole the bell?")
    assert "told you" not in say(mira, line)


def test_after_a_week_nobody_remembers_that_it_was_asked(mira: Npc, clock: GameClock) -> None:
    say(mira, "Who stole the bell?")
    clock.now += 8 * 24 * HOUR
    assert "told you" not in say(mira, "Who stole the bell?")


def test_what_is_not_known_is_remarked_on_as_well(mira: Npc) -> None:
    answers = [say(mira, "Where is the dragon of the north?") for _ in range(3)]
    assert answers[2].startswith(("You keep asking", "However often"))
    assert not answers[1].startswith(("You keep asking", "However often"))


def test_somebody_else_is_told_for_the_first_time(mira: Npc) -> None:
    say(mira, "Who stole the bell?")
    answer = mira.unaided_answers.answer_from_memory("line", "Who stole the bell?", {"listeners": ["anna"]})
    assert "Ulf" in answer["response"]
    config = mira.config
    retold = mira.recall.explain("What is new?")
    assert config is mira.config
    assert any("last_told" in memory for memory in retold["memories"])


def test_what_was_told_steps_back_unless_it_is_asked_for_again(mira: Npc, clock: GameClock) -> None:
    say(mira, "Who stole the bell?")
    told = scored(mira, "What is new in the village?")["Ulf stole the bell of the chapel."]
    assert told["last_told"] == clock.now
    assert told["breakdown"]["cooldown"] == pytest.approx(0.5)
    again = scored(mira, "Who stole the bell?")["Ulf stole the bell of the chapel."]
    assert again["breakdown"]["cooldown"] == 1.0
    other = scored(mira, "What is new in the village?")["The miller has bought a new horse."]
    assert "last_told" not in other
    clock.now += 12 * HOUR
    told = scored(mira, "What is new in the village?")["Ulf stole the bell of the chapel."]
    assert told["breakdown"]["cooldown"] == pytest.approx(0.75)


def test_explain_shows_it(mira: Npc) -> None:
    say(mira, "Who stole the bell?")
    explained = mira.recall.explain("What is new in the village?")
    cooldowns = {memory["document"]: memory["breakdown"].get("cooldown") for memory in explained["memories"]}
    assert cooldowns["Ulf stole the bell of the chapel."] == pytest.approx(0.5)
    assert cooldowns["The miller has bought a new horse."] is None


@pytest.mark.parametrize(
    "config",
    [MemoryConfig(score_mode=ScoreMode.PRODUCT), MemoryConfig(retold_score_multiplier=1.0)],
)
def test_product_is_untouched(mira: Npc, config: MemoryConfig) -> None:
    mira.config = config
    before = mira.recall.retrieve_scored("What is new in the village?")
    say(mira, "Who stole the bell?")
    after = {memory["id"]: memory for memory in mira.recall.retrieve_scored("What is new in the village?")}
    for memory in before:
        if memory["id"] in after and memory["metadata"]["event_type"] == "general":
            assert after[memory["id"]]["score"] == pytest.approx(memory["score"], rel=1e-4)
            assert "cooldown" not in after[memory["id"]]["breakdown"]


def test_undo_forgets_that_it_was_told(mira: Npc) -> None:
    say(mira, "Who stole the bell?")
    mira.exchange_undo.undo_exchange()
    assert "last_told" not in scored(mira, "What is new?")["Ulf stole the bell of the chapel."]
    assert "told you" not in say(mira, "Who stole the bell?")


def test_it_survives_that_the_save_is_closed(opened: Callable[..., Save], save_path: Any) -> None:
    save = opened(save_path)
    save.npc("mira").memories.store("Ulf stole the bell of the chapel.", 6)
    say(save.npc("mira"), "Who stole the bell?")
    save.close()
    assert "told you" in say(opened(save_path).npc("mira"), "Who stole the bell?")


def test_what_a_model_says_of_a_memory_is_told(mira: Npc) -> None:
    begun = mira.exchanges.begin_exchange("line", "Any news of the chapel?")
    mira.exchanges.finish_exchange(
        begun["exchange"], {"text": "Haven't you heard? Ulf stole the bell from the chapel!"}
    )
    assert "last_told" in scored(mira, "What is new?")["Ulf stole the bell of the chapel."]
    assert "last_told" not in scored(mira, "What is new?")["The miller has bought a new horse."]
    prompt = mira.prompts.build_prompt("line", "What else?")
    guidance = prompt["sections"]["guidance"]["text"]
    assert "in this talk already" in guidance
    assert "Ulf stole the bell" in guidance


def test_a_prompt_is_silent_about_an_earlier_talk(mira: Npc, clock: GameClock) -> None:
    say(mira, "Who stole the bell?")
    clock.now += 48 * HOUR
    prompt = mira.prompts.build_prompt("line", "What else?")
    assert "in this talk already" not in prompt["prompt"]


def test_greetings_do_not_repeat_each_other(mira: Npc, clock: GameClock) -> None:
    say(mira, "Good day.")
    event = {"event_type": "promise_made", "participants": ["player"]}
    mira.memories.store("The player promised to mend my roof.", 7, event)
    greetings = []
    for _ in range(3):
        clock.now += 3 * HOUR
        greetings.append(say(mira, ""))
    assert "mend my roof" in greetings[0]
    assert "mend my roof" not in greetings[1]
    assert greetings[1] not in greetings[0]
    assert greetings[1] != greetings[2]
    prompt = mira.prompts.build_prompt("greeting")
    assert "Your last greeting was" in prompt["sections"]["guidance"]["text"]


def test_a_greeting_speaks_of_it_again_when_it_is_overdue(mira: Npc, clock: GameClock) -> None:
    say(mira, "I'll bring you the medicine by tomorrow.")
    clock.now += 3 * HOUR
    assert "the medicine" in say(mira, "")
    assert "the medicine" not in say(mira, "")
    clock.now += 60 * HOUR
    assert "has not been done" in say(mira, "")
