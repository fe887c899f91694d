"""What an NPC has told to whom: it is not told again at once, unless somebody asks for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.conftest import GameClock

from rag_memory import Npc, Save
from rag_memory.config.memory_config import MemoryConfig, ScoreMode
from rag_memory.conversation.told_memories import says
from rag_memory.errors import InvalidArgumentError

HOUR = 3600.0
MILL = "Bandits burned the old mill during the harvest."
FERRY = "I lent the player five coins for the ferry to Lindholm."
LINE = "What news is there?"
SAID = "Sad news. Bandits burned the old mill, right during the harvest."


@pytest.fixture
def save(opened: Callable[..., Save], save_path: Path) -> Save:
    return opened(save_path)


@pytest.fixture
def mira(save: Save) -> Npc:
    return save.npc("mira")


def answer(npc: Npc, line: str, said: str, **options: Any) -> dict[str, Any]:
    """An exchange with what a language model said."""
    return npc.exchanges.record_exchange(line, {"response": said}, options)


def last_told(npc: Npc, id: str) -> dict[str, float]:
    of: dict[str, float] = npc.memories.get_memory(id).get("last_told", {})
    return of


@pytest.mark.parametrize(
    ("memory", "said", "is_told"),
    [
        (MILL, SAID, True),
        (MILL, "The mill? It stands where it always stood.", False),
        (MILL, "Bandits never burned the old mill, not during the harvest.", False),
        (MILL, "Did bandits burn the old mill during the harvest?", False),
        (MILL, "I burned the old mill during the harvest, not the bandits.", False),
        (FERRY, "I lent you five coins for the ferry to Lindholm.", True),
        (FERRY, "You lent me five coins for the ferry to Lindholm.", False),
        ("The player gave me an amber ring at the fair.", "You gave me an amber ring at the fair.", True),
        ("The player gave me an amber ring at the fair.", "I gave you an amber ring at the fair.", False),
        ('The player told me: "I robbed the mint in Lindholm."', "You robbed the mint in Lindholm!", True),
        ("The well is dry.", "The well is dry.", False),
        ("Old Tobias died of the fever last winter.", "Old Marta died of the fever last winter.", False),
        ("Bjorn owes me twelve silver for the flour.", "Bjorn owes me five silver for the flour.", False),
        ("Bjorn owes me twelve silver for the flour.", "Bjorn owes me twelve silver for flour.", True),
        ("Die Räuber kamen mit Otto über den Pass.", "Die Räuber kamen mit Franz über den Pass.", False),
    ],
)
def test_a_reply_tells_what_it_repeats_as_hers(mira: Npc, memory: str, said: str, is_told: bool) -> None:
    id = mira.memories.store(memory, 6)
    mira.memories.store("Old Edda sells the best bread in the valley.", 6)
    assert answer(mira, LINE, said)["memory_ids"] == ([id] if is_told else [])
    assert list(last_told(mira, id)) == (["player"] if is_told else [])


@pytest.mark.parametrize("senses", [0, 2])
def test_who_cannot_hear_was_told_nothing(save: Save, mira: Npc, senses: int) -> None:
    save.context.senses_of = lambda id: senses if id == "mathias" else None
    id = mira.memories.store(MILL, 6)
    answer(mira, LINE, SAID, bystanders=["mathias", "gus"])
    assert list(last_told(mira, id)) == ["player", "gus"]


def test_explaining_hides_secrets_from_those_who_listen(mira: Npc) -> None:
    id = mira.memories.store(MILL, 6, {"secret": True, "known_to": ["player"]})
    question = "Who burned the old mill?"
    assert mira.recall.explain(question, id, ["player"])["is_returned"]
    hidden = mira.recall.explain(question, id, ["bjorn"])
    assert not hidden["is_returned"] and "secret" in hidden["text"]


def test_the_words_of_the_line_are_no_words_of_hers(mira: Npc) -> None:
    mira.memories.store(MILL, 6)
    line = "Did bandits burn the old mill during the harvest?"
    assert answer(mira, line, "That bandits burned the old mill during the harvest?")["memory_ids"] == []


def test_she_knows_when_and_to_whom_she_told_it(save: Save, mira: Npc, clock: GameClock) -> None:
    id = mira.memories.store(MILL, 6)
    first = clock.now
    answer(mira, LINE, SAID, speaker="bjorn", addressees=["elena"], bystanders={"gus": 1.0, "far": 0.3})
    clock.now += HOUR
    answer(mira, LINE, SAID)
    assert last_told(mira, id) == {"player": clock.now, "bjorn": first, "elena": first, "gus": first}
    for number in range(9):
        clock.now += 60.0
        mira.conversation.store_turn(LINE, SAID, {"speaker": f"guest_{number}", "memory_ids": [id]})
    assert len(last_told(mira, id)) == 8 and "player" not in last_told(mira, id)


def test_a_text_without_spaces_is_said_within_a_sentence() -> None:
    memory = "桥在春天被洪水冲走了。"
    assert says("我早就告诉过你桥在春天被洪水冲走了，你忘了？", memory)
    assert not says("我早就告诉过你桥在春天修好了。", memory)


def test_the_name_of_the_listener_is_no_word_of_a_memory_in_chinese(save: Save, mira: Npc) -> None:
    save.world.characters.register_character("lu", {"name": "陆小沉"})
    id = mira.memories.store("陆小沉欠酒钱。", 6)
    assert answer(mira, "有什么新闻？", "陆小沉来过。", speaker="lu")["memory_ids"] == []
    assert answer(mira, "有什么新闻？", "你欠我酒钱。", speaker="lu")["memory_ids"] == [id]


def test_the_speaker_has_told_what_it_says(save: Save, mira: Npc) -> None:
    bjorn = save.npc("bjorn")
    id = bjorn.memories.store("Mira lent me five coins for the ferry to Lindholm.", 6)
    other = bjorn.memories.store("I lent Mira five sacks of flour for the feast.", 6)
    said = "You lent me five coins for the ferry to Lindholm."
    answer(mira, said, "So I did.", speaker="bjorn")
    answer(mira, "You lent me five sacks of flour for the feast.", "I did not.", speaker="bjorn")
    assert list(last_told(bjorn, id)) == ["mira"] and last_told(bjorn, other) == {}


def test_undoing_and_going_back_take_it_back(save: Save, mira: Npc) -> None:
    id = mira.memories.store(MILL, 6)
    exchange = answer(mira, LINE, SAID)["exchange"]
    mira.exchange_undo.undo_exchange(exchange)
    assert last_told(mira, id) == {}
    mark = save.marks.add()
    answer(mira, LINE, SAID)
    assert last_told(mira, id) != {}
    save.marks.rollback_to(mark)
    assert last_told(save.npc("mira"), id) == {}


def test_it_is_in_the_save(opened: Callable[..., Save], save_path: Path) -> None:
    save = opened(save_path)
    id = save.npc("mira").memories.store(MILL, 6)
    answer(save.npc("mira"), LINE, SAID)
    save.close()
    assert list(last_told(opened(save_path).npc("mira"), id)) == ["player"]


def test_a_forgotten_memory_leaves_no_id(mira: Npc) -> None:
    id = mira.memories.store(MILL, 6)
    answer(mira, LINE, "Bandits burned the mill during the harvest.")
    assert mira.memories.forget(id)
    assert id not in str(mira.conversation.get_turns())


def test_a_player_who_is_deleted_was_told_nothing(save: Save, mira: Npc) -> None:
    id = mira.memories.store(MILL, 6)
    mira.conversation.store_turn(
        LINE, SAID, {"speaker": "bjorn", "bystanders": ["guest"], "memory_ids": [id]}
    )
    assert list(last_told(mira, id)) == ["bjorn", "guest"]
    save.player_data.forget("guest")
    assert "guest" not in last_told(save.npc("mira"), id)


def test_listeners_get_other_ids(save: Save, mira: Npc) -> None:
    id = mira.memories.store(MILL, 6)
    save.npc("bjorn").memories.store("It rains.", 3)
    mira.conversation.store_turn(LINE, SAID, {"bystanders": ["bjorn"], "memory_ids": [id]})
    save.identities.rename("bjorn", "bear")
    assert list(last_told(save.npc("mira"), id)) == ["player", "bear"]
    save.identities.rename("mira", "mirabel")
    assert list(last_told(save.npc("mirabel"), id)) == ["player", "bear"]
    save.npc("vera").memories.store("It snows.", 3)
    save.identities.merge("vera", "mirabel")
    assert last_told(save.npc("vera"), id) == {}


def _scores(npc: Npc, question: str, *listeners: str) -> dict[str, Any]:
    explained = npc.recall.explain(question, "", list(listeners))["memories"]
    return {memory["memory_id"]: memory for memory in explained}


def test_what_was_told_steps_back_until_it_is_asked_for(save: Save, mira: Npc, clock: GameClock) -> None:
    id = mira.memories.store(MILL, 6)
    question = "Is there any work for me in the valley this harvest, Mira?"
    assert "told" not in _scores(mira, question, "player")[id]["breakdown"]
    answer(mira, LINE, SAID)
    after = _scores(mira, question, "player")[id]
    unheard = _scores(mira, question)[id]
    assert after["breakdown"]["told"] == 0.5 and after["score"] == pytest.approx(unheard["score"] / 2)
    assert "told to the listeners in this talk" in mira.recall.explain(question, id, ["player"])["text"]
    assert "told" not in _scores(mira, "Who burned the mill?", "player")[id]["breakdown"]
    for others in (["bjorn"], ["player", "bjorn"]):
        assert "told" not in _scores(mira, question, *others)[id]["breakdown"]
    mira.config = MemoryConfig(score_mode=ScoreMode.PRODUCT)
    assert "told" not in _scores(mira, question, "player")[id]["breakdown"]
    mira.config = MemoryConfig()
    clock.now += 2 * HOUR
    assert "told" not in _scores(mira, question, "player")[id]["breakdown"]


def test_a_prompt_has_the_factor_and_says_what_was_told(mira: Npc) -> None:
    id = mira.memories.store(MILL, 6)
    for listener in ("player", "bjorn"):
        assert not mira.prompts.build_prompt("line", LINE, {"speaker": listener})["sections"]["already_told"][
            "text"
        ]
    answer(mira, LINE, SAID)
    prompt = mira.prompts.build_prompt("line", "Good evening, Mira.")
    (line,) = prompt["sections"]["already_told"]["text"].split("\n")[1:-1]
    assert line.startswith("You have told the player this in this talk") and MILL in line
    factors = {memory["id"]: memory["breakdown"].get("told") for memory in prompt["memories"]}
    assert factors.get(id, 0.5) == 0.5
    other = mira.prompts.build_prompt("line", LINE, {"speaker": "bjorn"})
    assert not other["sections"]["already_told"]["text"]


def test_a_prompt_tells_no_more_than_fits(mira: Npc) -> None:
    ids = [mira.memories.store(f"Old tale number {number}: the dragon slept.", 6) for number in range(20)]
    for number, id in enumerate(ids):
        said = f"Old tale number {number}: the dragon slept."
        mira.conversation.store_turn("Another!", said, {"memory_ids": [id]})
    section = mira.prompts.build_prompt("line", "Another!")["sections"]["already_told"]
    assert 0 < section["tokens"] <= section["budget"] and section["dropped"] > 0
    assert "number 19" in section["text"] and "number 0:" not in section["text"]


def test_only_sentences_that_she_said_count_as_told(mira: Npc) -> None:
    grave = "His black dog Rufus is buried under the willow."
    id = mira.memories.store(f"Old Tom keeps goats on the northern ridge. {grave}", 6)
    mira.conversation.store_turn(LINE, "Old Tom keeps goats on the northern ridge.", {"memory_ids": [id]})
    text = mira.prompts.build_prompt("line", LINE)["sections"]["already_told"]["text"]
    assert "Old Tom keeps goats" in text and "Rufus" not in text
    said = mira.unaided_answers.answer_from_memory("line", "Where is the dog Rufus buried?")
    assert said["response"].endswith(grave) and "told you" not in said["response"]


def test_a_text_that_changed_is_news(mira: Npc) -> None:
    id = mira.memories.store(MILL, 6)
    answer(mira, LINE, MILL)
    changed = "Soldiers wrecked a stone bridge near Lindholm."
    assert mira.memories.update_memory(id, {"text": changed})
    assert mira.prompts.build_prompt("line", LINE)["sections"]["already_told"]["text"] == ""
    said = mira.unaided_answers.answer_from_memory("line", "Who wrecked the stone bridge near Lindholm?")
    assert said["response"] == changed


def test_nobody_is_asked_how_often_he_wants_to_hear_what_he_says(mira: Npc) -> None:
    mira.memories.store(MILL, 6)
    lines = [
        mira.exchanges.record_exchange(MILL, mira.unaided_answers.answer_from_memory("line", MILL))
        for _ in range(3)
    ]
    assert all(line["npc_message"] == MILL for line in lines if line["memory_ids"])


def test_a_question_that_another_asked_is_not_asked_again(mira: Npc) -> None:
    question = "Where is the king's crown?"
    for _ in range(2):
        mira.conversation.store_turn(question, "I won't say.", {"speaker": "bjorn", "bystanders": ["player"]})
        mira.conversation.store_turn(question, "I won't say.")
    said = mira.unaided_answers.answer_from_memory("line", question)["response"]
    unknown = [MemoryConfig().sentence(f"says_unknown_{number}") for number in (1, 2, 3)]
    assert said in unknown


def test_a_secret_is_not_named_before_others(mira: Npc) -> None:
    id = mira.memories.store(MILL, 6, {"secret": True, "known_to": ["player"]})
    mira.conversation.store_turn(LINE, SAID, {"memory_ids": [id]})
    prompts = [mira.prompts.build_prompt("line", LINE, {"bystanders": who}) for who in ([], ["gus"])]
    assert [MILL in prompt["sections"]["already_told"]["text"] for prompt in prompts] == [True, False]


@pytest.mark.parametrize("value", [[7], [{"a": 1}], 5, {"player": 1}])
def test_what_is_no_list_of_ids_is_an_error_in_words(mira: Npc, value: Any) -> None:
    calls: list[Callable[[], Any]] = [
        lambda: mira.recall.explain("Hello.", "", value),
        lambda: mira.conversation.store_turn("Hello.", "Well met.", {"memory_ids": value}),
        lambda: mira.exchanges.record_exchange("Hello.", {"response": "Well met.", "memory_ids": value}),
        lambda: mira.unaided_answers.answer_from_memory("line", "Hello.", {"listeners": value}),
    ]
    for call in calls:
        with pytest.raises(InvalidArgumentError, match=r"Array|String"):
            call()


def test_a_key_of_the_game_from_before_is_passed_over(save: Save, mira: Npc) -> None:
    id = mira.memories.store(MILL, 6)
    turn = mira.conversation.draft_turn("test", LINE, SAID, {})
    save.context.store.documents.write(
        turn._replace(content={**turn.content, "memory_ids": {"a": 1}, "told_to": [7, None]})
    )
    assert last_told(mira, id) == {}
    assert mira.prompts.build_prompt("line", LINE)["sections"]["already_told"]["text"] == ""


@pytest.mark.parametrize("senses", [0, 2])
@pytest.mark.parametrize(
    ("role", "told"), [({"addressees": ["mathias"]}, ["player"]), ({"speaker": "mathias"}, [])]
)
def test_who_is_spoken_to_and_cannot_hear_was_told_nothing(
    save: Save, mira: Npc, role: dict[str, Any], told: list[str], senses: int
) -> None:
    save.npc("mathias")
    save.context.senses_of = lambda id: senses if id == "mathias" else None
    id = mira.memories.store(MILL, 6)
    mira.conversation.store_turn(LINE, SAID, {"memory_ids": [id], **role})
    assert list(last_told(mira, id)) == told
    assert "told" not in mira.recall.explain("Is there work?", id, ["mathias"])["breakdown"]
    (turn,) = mira.conversation.get_turns(1, role.get("speaker", "player"))
    assert turn.get("told_to", []) == told
    mira.conversation.store_turn(LINE, SAID, {"memory_ids": [id], **role, "manner": "letter"})
    assert ("mathias" in last_told(mira, id)) == (senses == 2)


@pytest.mark.parametrize("speaker", ["player", "mathias"])
def test_what_the_player_did_is_not_what_another_speaker_did(mira: Npc, speaker: str) -> None:
    id = mira.memories.store("The player gave me an amber ring at the fair.", 6)
    reply = "You gave me an amber ring at the fair."
    assert answer(mira, LINE, reply, speaker=speaker)["memory_ids"] == ([id] if speaker == "player" else [])


def test_a_memory_that_has_changed_since_it_was_told_is_news(save: Save, mira: Npc, clock: GameClock) -> None:
    id = mira.memories.store(MILL, 6)
    info = {"event_type": "player_info", "info_type": "favourite_drink"}
    drink = mira.memories.store("The player likes dark ale.", 5, info)
    mira.conversation.store_turn(LINE, SAID, {"memory_ids": [id, drink]})

    def told() -> dict[str, bool]:
        explained = mira.recall.explain("Is there any work for me?", "", ["player"])
        breakdowns = {memory["memory_id"]: memory["breakdown"] for memory in explained["memories"]}
        return {of: "told" in breakdowns[of] for of in (id, drink)}

    clock.now += 60.0
    mira.memories.pin_memory(id)
    mira.memories.store(MILL, 6)
    assert told() == {id: True, drink: True}
    mira.memories.update_memory(id, {"text": "Soldiers, and no bandits, burned the old mill."})
    assert mira.memories.store("The player likes red wine.", 5, info) == drink
    assert told() == {id: False, drink: False}
    assert mira.prompts.build_prompt("line", LINE)["sections"]["already_told"]["text"] == ""
    clock.now += 60.0
    mira.conversation.store_turn(LINE, "Soldiers burned it.", {"memory_ids": [id]})
    assert told() == {id: True, drink: False}


@pytest.mark.parametrize("mode", [ScoreMode.BALANCED, ScoreMode.PRODUCT])
def test_in_a_dossier_too_other_memories_come_first(mira: Npc, mode: ScoreMode) -> None:
    mira.records.config = MemoryConfig(score_mode=mode)
    told = mira.memories.store(MILL, 9, {"participants": ["player"]})
    for text in ("Old Edda sells the best bread.", "The ford is frozen.", "Rye is dear this year."):
        mira.memories.store(text, 5)
    work, mill = "Is there any work for me?", "Who burned the old mill during the harvest?"

    def rank(line: str, player: str = "player") -> int:
        place: int = mira.dossiers.build_dossier(line, {"player": player})["sources"]["memories"].index(told)
        return place

    assert rank(work) == rank(mill) == 0
    mira.conversation.store_turn(LINE, SAID, {"memory_ids": [told]})
    assert (rank(work) > 0) == (mode != ScoreMode.PRODUCT)
    assert rank(mill) == 0
