"""Talks with several people: what each of them remembers, and what none of them may."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.conftest import GameClock
from tests.unit.sqlite_access import reading

from rag_memory import Npc, Save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.errors import InvalidArgumentError, StoreError
from rag_memory.text.gaps import GAP, with_gaps

VILLAGE = ("mira", "bjorn", "gregor", "elena", "varn")
FLOUR = "I promise to pay for the flour tomorrow."
SACKS = "Good, I'll bring you ten sacks."


@pytest.fixture
def save(opened: Callable[..., Save]) -> Save:
    village = opened()
    for npc_id in VILLAGE:
        village.npc(npc_id)
    return village


def texts(save: Save, npc_id: str) -> list[str]:
    """All that an NPC remembers, with what it tells nobody."""
    return sorted(memory["document_full"] for memory in save.npc(npc_id).recall.get_recent(50, listeners=[]))


def has_met(npc: Npc) -> bool:
    return bool(npc.relationship.generate_relationship_header()["metadata"]["relationship"]["met"])


def say(save: Save, line: str, answer: str, **data: Any) -> str:
    return save.npc("mira").conversation.store_turn(line, answer, data)


def test_a_promise_of_an_npc_is_not_the_players(save: Save) -> None:
    say(save, FLOUR, SACKS, speaker="bjorn")
    assert texts(save, "mira") == [
        f'Bjorn promised me: "{FLOUR}"',
        f'I promised Bjorn: "{SACKS}"',
    ]
    for memory in save.npc("mira").recall.get_recent(9):
        assert memory["metadata"]["participants"] == ["bjorn"]
        assert "player" not in str(memory["metadata"].get("fact"))
    assert not has_met(save.npc("mira"))
    assert save.npc("mira").conversation.get_turns() == []


def test_the_speaker_keeps_its_own_side(save: Save) -> None:
    say(save, FLOUR, SACKS, speaker="bjorn")
    assert texts(save, "bjorn") == [
        f'I promised Mira: "{FLOUR}"',
        f'Mira promised me: "{SACKS}"',
    ]
    turns = save.npc("bjorn").conversation.get_turns(5, "mira")
    assert [(turn["player_message"], turn["npc_message"]) for turn in turns] == [("", FLOUR), (SACKS, "")]
    assert not has_met(save.npc("bjorn"))


def test_the_speaker_keeps_what_was_answered_when_no_rule_finds_anything(save: Save) -> None:
    say(save, "Is the mill turning?", "It has not turned since the storm.", speaker="bjorn")
    assert texts(save, "bjorn") == [
        'I told Mira: "Is the mill turning?"',
        'Mira told me: "It has not turned since the storm."',
    ]


def test_a_bystander_overhears_and_is_acquainted_with_nobody(save: Save) -> None:
    say(save, f"I robbed the mint. {FLOUR}", "I shall tell nobody.", bystanders=["gregor"])
    assert texts(save, "gregor") == [
        'I overheard Mira tell the player: "I shall tell nobody."',
        f'I overheard the player tell Mira: "I robbed the mint. {FLOUR}"',
    ]
    gregor = save.npc("gregor")
    assert not has_met(gregor)
    assert gregor.conversation.get_turns() == []
    for memory in gregor.recall.get_recent(9):
        metadata = memory["metadata"]
        assert metadata["event_type"] == "overheard" and "fact" not in metadata
        assert 0.0 < metadata["confidence"] < 1.0
    assert texts(save, "elena") == texts(save, "varn") == []


def test_a_bystander_believes_less_than_who_was_told(save: Save) -> None:
    mira = save.npc("mira")
    mira.memories.store_conversation("bjorn", "Varn killed Marcus.", {"bystanders": ["gregor"]})
    overheard = save.npc("gregor").recall.how_sure("Varn killed Marcus")
    assert 0.0 < overheard < mira.recall.how_sure("Varn killed Marcus")


@pytest.mark.parametrize("manner", ["whisper", "letter"])
def test_a_whisper_and_a_letter_reach_those_they_are_meant_for(save: Save, manner: str) -> None:
    say(
        save,
        "The key is under the mat.",
        "Thank you.",
        speaker="bjorn",
        manner=manner,
        addressees=["varn"],
        bystanders=["gregor", "elena"],
    )
    assert texts(save, "gregor") == texts(save, "elena") == []
    verb = {"whisper": "whispered", "letter": "wrote"}[manner]
    assert f'Bjorn {verb} to me: "The key is under the mat."' in texts(save, "varn")
    assert [turn["manner"] for turn in save.npc("mira").conversation.get_turns(5, "bjorn")] == [manner]


def test_everybody_who_is_spoken_to_is_promised(save: Save) -> None:
    say(save, FLOUR, "Good.", addressees=["gregor"])
    assert f'The player promised me: "{FLOUR}"' in texts(save, "gregor")
    assert 'I overheard Mira tell the player: "Good."' in texts(save, "gregor")
    assert has_met(save.npc("gregor"))
    assert [turn["player_message"] for turn in save.npc("gregor").conversation.get_turns()] == [FLOUR]


def test_a_shout_is_remembered_as_one(save: Save) -> None:
    say(save, "The mill burns!", "", speaker="bjorn", manner="shout", bystanders=["elena"])
    assert texts(save, "elena") == ['I heard Bjorn shout to Mira: "The mill burns!"']


def test_half_heard_words_have_gaps_and_say_so(save: Save) -> None:
    line = "The gold lies under the old oak behind the mill of Varn."
    say(save, line, "", bystanders={"gregor": 0.5, "elena": 1.0, "varn": 0.0})
    (half,) = texts(save, "gregor")
    assert GAP in half and half.endswith("I did not catch all of it.")
    assert line in texts(save, "elena")[0] and not texts(save, "varn")
    again = say(save, line, "", bystanders={"gregor": 0.5})
    assert again and texts(save, "gregor") == [half]


def test_who_hears_more_hears_all_that_others_hear() -> None:
    line = "Meet me at the well when the moon is up, and bring the silver key with you."
    heard = [set(with_gaps(line, share).split()) - {GAP} for share in (0.1, 0.3, 0.6, 1.0)]
    assert all(less < more for less, more in itertools.pairwise(heard))
    assert heard[-1] == set(line.split())


@pytest.mark.parametrize(
    "line",
    [
        "今晚月亮升起来的时候到井边找我，把银钥匙也带来。",
        "月が昇ったら井戸のそばに来てくれ。銀の鍵も忘れるな。",
        "달이 뜨면 우물가로 와. 은 열쇠도 가져와.",
    ],
)
def test_a_line_without_spaces_is_heard_in_part_too(line: str) -> None:
    half, less = with_gaps(line, 0.5), with_gaps(line, 0.25)
    for heard in (half, less):
        pieces = [piece for piece in heard.replace(" ", "").split(GAP) if piece]
        assert GAP in heard and pieces and all(piece in line.replace(" ", "") for piece in pieces), heard
    letters = [sum(character.isalpha() for character in heard) for heard in (less, half, line)]
    assert letters[0] < letters[1] < letters[2]
    assert with_gaps(line, 1.0) == line


def test_several_players_are_not_taken_for_each_other(save: Save) -> None:
    say(save, FLOUR, "", speaker="anna")
    say(save, "My name is Otto.", "", speaker="otto")
    mira = save.npc("mira")
    assert texts(save, "mira") == [f'Anna promised me: "{FLOUR}"', "Otto told me their name: Otto."]
    assert len(mira.conversation.get_turns(5, "anna")) == len(mira.conversation.get_turns(5, "otto")) == 1
    assert not has_met(mira)
    assert save.store.npcs.number("anna") is None


def test_a_player_who_stands_by_is_given_no_memories(save: Save) -> None:
    say(save, FLOUR, SACKS, speaker="bjorn", bystanders=["player", "anna", "gregor"])
    assert len(texts(save, "gregor")) == 2
    assert save.store.npcs.number("player") is None and save.store.npcs.number("anna") is None


def test_a_debt_between_two_npcs_is_paid_between_them(save: Save) -> None:
    say(save, "I owe you twenty gold.", "You do.", speaker="bjorn")
    say(save, "I owe you five gold.", "You do.")
    say(save, "Here are the twenty gold I owed you.", "Thank you.", speaker="bjorn")
    debts = {memory["document_full"]: memory for memory in save.npc("mira").recall.get_recent(20)}
    assert debts['Bjorn told me: "I owe you twenty gold."']["metadata"]["superseded_by"]
    assert not debts['The player told me: "I owe you five gold."']["metadata"]["superseded_by"]


def test_what_others_are_called_is_what_the_game_registered(save: Save) -> None:
    save.world.characters.register_character("bjorn", {"name": "Old Bjorn the Miller"})
    say(save, FLOUR, "", speaker="bjorn", bystanders=["elena"])
    assert texts(save, "mira") == [f'Old Bjorn the Miller promised me: "{FLOUR}"']
    assert texts(save, "elena") == [f'I overheard Old Bjorn the Miller tell Mira: "{FLOUR}"']


def test_a_secret_stays_one_with_those_who_heard_it(save: Save) -> None:
    say(save, "I killed Marcus.", "", secret=True, bystanders=["gregor"])
    gregor = save.npc("gregor").recall
    question = "Who killed Marcus?"
    assert gregor.retrieve_relevant(question, {"listeners": ["player"]})
    assert not gregor.retrieve_relevant(question, {"listeners": ["elena"]})


def test_an_npc_says_something_to_another_one(save: Save) -> None:
    mira = save.npc("mira")
    mira.memories.store_conversation(
        "npc", "The mill burns!", {"addressees": ["bjorn"], "bystanders": ["gregor"], "manner": "shout"}
    )
    assert texts(save, "mira") == ['I shouted to Bjorn: "The mill burns!"']
    assert texts(save, "bjorn") == ['Mira shouted to me: "The mill burns!"']
    assert texts(save, "gregor") == ['I heard Mira shout to Bjorn: "The mill burns!"']


def test_one_line_is_embedded_once(opened: Callable[..., Save], monkeypatch: pytest.MonkeyPatch) -> None:
    village = opened()
    crowd = [f"villager_{number}" for number in range(10)]
    for npc_id in ("mira", *crowd):
        village.npc(npc_id)
    embedded: list[str] = []
    embed = HashingEmbedder.embed

    def counting(self: HashingEmbedder, batch: Any) -> Any:
        embedded.extend(batch)
        return embed(self, batch)

    monkeypatch.setattr(HashingEmbedder, "embed", counting)
    say(village, "The mill burns!", "", bystanders=crowd)
    assert embedded == ['I overheard the player tell Mira: "The mill burns!"']


def test_when_one_cannot_write_nobody_remembers(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    varn = save.npc("varn")
    varn.memories.store("Snow fell.", 5)

    def refuse(*_arguments: Any) -> None:
        raise StoreError("The save cannot be written", "the disk is full", "Free some room")

    monkeypatch.setattr(varn.writer, "add_together", refuse)
    with pytest.raises(StoreError):
        say(save, FLOUR, SACKS, bystanders=["gregor", "varn"])
    assert texts(save, "mira") == texts(save, "gregor") == []
    assert texts(save, "varn") == ["Snow fell."]
    assert save.npc("mira").conversation.get_turns() == []
    monkeypatch.undo()
    say(save, FLOUR, SACKS, bystanders=["gregor", "varn"])
    assert len(texts(save, "gregor")) == 2 and len(texts(save, "varn")) == 3


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ({"manner": "sing"}, "manner"),
        ({"speaker": ""}, "speaker"),
        ({"addressees": "bjorn"}, "addressees"),
        ({"bystanders": "bjorn"}, "bystanders"),
        ({"bystanders": {"bjorn": 2}}, "bystanders"),
        ({"player_id": "bjorn"}, "speaker"),
    ],
)
def test_wrong_company_is_an_error(save: Save, data: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InvalidArgumentError, match=complaint):
        say(save, FLOUR, "", **data)
    assert texts(save, "mira") == []


_DERIVED = ("memories_fts", "npcs", "sqlite_sequence")
"""Tables with the shape of the word index, marks of writes, and the next free numbers."""


def rows(save: Save) -> list[str]:
    with reading(save.store) as connection:
        lines = [line for line in connection.iterdump() if "INSERT INTO" in line]
    return [line for line in lines if not line.partition('"')[2].startswith(_DERIVED)]


ANALYSED = (
    '{"response": "[warmly] Well met.", "analysis": {"trust_change": 4, "promise_made": "to pay the flour",'
    ' "learned_about_player": {"name": "Bjorn", "notable_facts": ["Fears wolves"]}}}'
)


def exchange(save: Save, line: str, text: str = "", **options: Any) -> dict[str, Any]:
    mira = save.npc("mira").exchanges
    begun = mira.begin_exchange("line", line, options, {}, {"analysis": text.startswith("{")})
    return mira.finish_exchange(begun["exchange"], {"text": text} if text else {})


def test_an_exchange_with_an_npc_is_with_that_npc(save: Save) -> None:
    exchange(save, FLOUR, ANALYSED, speaker="bjorn", bystanders=["gregor"])
    mira = save.npc("mira")
    remembered = texts(save, "mira")
    assert f'I met Bjorn for the first time. Bjorn said: "{FLOUR}" I answered: "Well met."' in remembered
    assert "Bjorn made me a promise: to pay the flour." in remembered
    assert "About Bjorn I learned: Fears wolves." in remembered
    assert not any("player" in text for text in remembered)
    assert not has_met(mira)
    assert mira.relationship.get_relationship("bjorn")["trust"] == 54
    assert mira.relationship.get_relationship("player") == {}
    assert 'Mira told me: "[warmly] Well met."' in texts(save, "bjorn")
    assert len(texts(save, "gregor")) == 2
    exchange(save, "Good day.", "Good day, Bjorn.", speaker="bjorn")
    assert not any("first time" in text and "Good day" in text for text in texts(save, "mira"))


def test_the_prompt_is_for_the_one_who_speaks(save: Save) -> None:
    exchange(save, FLOUR, "Well met.", speaker="bjorn")
    options = {"speaker": "bjorn", "bystanders": ["gregor"]}
    prompt = save.npc("mira").prompts.build_prompt("line", "How are you?", options)["prompt"]
    assert 'Bjorn: "How are you?"' in prompt and f'Bjorn: "{FLOUR}"' in prompt
    assert "You first met Bjorn" in prompt and "the player" not in prompt.split("analysis")[0].lower()
    other = save.npc("mira").prompts.build_prompt("line", "How are you?", {})["prompt"]
    assert 'Player: "How are you?"' in other and f'Bjorn: "{FLOUR}"' not in other
    assert "You have never met the player" in other


def test_who_is_shouted_at_answers_in_another_manner(save: Save) -> None:
    exchange(save, "The mill burns!", "I am coming.", speaker="bjorn", manner="shout")
    assert 'I shouted to Mira: "The mill burns!"' in texts(save, "bjorn")
    assert 'Mira told me: "I am coming."' in texts(save, "bjorn")


def test_an_overheard_question_is_no_answer(save: Save) -> None:
    exchange(save, "Where is the salt cart?", "I do not know.", bystanders=["gregor"])
    assert 'I overheard the player tell Mira: "Where is the salt cart?"' in texts(save, "gregor")
    mine = save.npc("gregor").exchanges
    begun = mine.begin_exchange("line", "Where is the salt cart?", {}, {}, {"analysis": False})
    assert "overheard" not in mine.finish_exchange(begun["exchange"])["response"]


def test_an_exchange_is_undone_for_everybody(opened: Callable[..., Save], save_path: Path) -> None:
    village = opened(save_path)
    for npc_id in VILLAGE:
        village.npc(npc_id).memories.store("Snow fell.", 5)
    village.context.accesses.write()
    before = rows(village)
    exchange(village, FLOUR, ANALYSED, speaker="bjorn", bystanders=["gregor"], addressees=["elena"])
    assert len(texts(village, "gregor")) == 3 and len(texts(village, "bjorn")) > 2
    village.npc("mira").exchange_undo.undo_exchange()
    assert all(texts(village, npc_id) == ["Snow fell."] for npc_id in VILLAGE)
    assert village.npc("bjorn").conversation.get_turns(5, "mira") == []
    assert village.npc("elena").conversation.get_turns(5, "bjorn") == []
    assert rows(village) == before


def test_an_answer_from_memory_is_not_overheard(save: Save) -> None:
    answer = exchange(save, "Where is the ring?", bystanders=["gregor"])
    assert answer["from_memory"]
    assert texts(save, "gregor") == ['I overheard the player tell Mira: "Where is the ring?"']


def test_an_npc_without_a_model_answers_who_asks(save: Save) -> None:
    say(save, "I hid the ring in the well.", "", speaker="bjorn")
    answer = exchange(save, "Where did I hide the ring?", speaker="bjorn")
    assert "well" in answer["response"] and "player" not in answer["response"].lower()


def witnesses(save: Save, senses: dict[str, int], **event: Any) -> None:
    save.context.senses_of = senses.get
    save.npc("mira").mind.perceive({"source_id": "bjorn", "bystanders": ["gregor"], **event})


THEFT = {"action": "stole", "sound": "glass breaks"}


@pytest.mark.parametrize(
    ("senses", "event", "remembered"),
    [
        (3, THEFT, ["I saw this happen: Bjorn stole from Mira."]),
        (2, THEFT, ["I saw this happen: Bjorn stole from Mira."]),
        (1, THEFT, ["I heard this: glass breaks."]),
        (1, {"action": "stole"}, ["I heard that something happened, but I did not see it."]),
        (0, THEFT, []),
        (3, {"action": "attacked", "description": "Bjorn hit me."}, ["I saw this happen: Bjorn hit Mira."]),
        (3, {"action": "spoke", "content": "Run!"}, ['I overheard Bjorn tell Mira: "Run!"']),
        (1, {"action": "spoke", "content": "Run!"}, ['I overheard Bjorn tell Mira: "Run!"']),
        (2, {"action": "spoke", "content": "Run!"}, ["I saw this happen: Bjorn spoke to Mira."]),
        (3, {"action": "spoke", "content": "Run!", "manner": "whisper"}, []),
    ],
)
def test_a_witness_remembers_what_its_senses_tell(
    save: Save, senses: int, event: dict[str, Any], remembered: list[str]
) -> None:
    witnesses(save, {"gregor": senses}, **event)
    assert texts(save, "gregor") == remembered


def test_a_theft_that_was_only_heard_names_no_thief(save: Save) -> None:
    witnesses(save, {"gregor": 1}, **THEFT)
    (memory,) = save.npc("gregor").recall.get_recent(5)
    assert "bjorn" not in str(memory["metadata"]["entities"]) + memory["document_full"].lower()


def test_who_sees_what_the_player_does_has_not_met_the_player(save: Save) -> None:
    witnesses(save, {}, source_id="player", action="stole")
    assert texts(save, "gregor") == ["I saw this happen: the player stole from Mira."]
    assert not has_met(save.npc("gregor"))


@pytest.mark.parametrize(("senses", "count"), [(0, 0), (2, 0), (1, 1), (3, 1)])
def test_only_who_can_hear_overhears(save: Save, senses: int, count: int) -> None:
    save.context.senses_of = {"gregor": senses}.get
    say(save, "Where is the ring?", "", bystanders=["gregor"])
    assert len(texts(save, "gregor")) == count


def test_a_letter_is_read_and_not_heard(save: Save) -> None:
    save.context.senses_of = {"gregor": 2, "elena": 1}.get
    say(save, "The ring is yours.", "", manner="letter", addressees=["gregor", "elena"])
    assert texts(save, "gregor") == ['The player wrote to me: "The ring is yours."']
    assert texts(save, "elena") == []


def test_an_npc_with_a_node_remembers_before_its_first_call(opened: Callable[..., Save]) -> None:
    village = opened()
    village.npc("mira")
    village.context.senses_of = {"bjorn": 3, "gregor": 3}.get
    say(village, "Where is the ring?", "", speaker="bjorn", bystanders=["gregor"])
    assert len(texts(village, "gregor")) == len(texts(village, "bjorn")) == 1


def test_what_another_one_has_said_is_not_taken_for_the_words_of_who_asks(save: Save) -> None:
    say(save, "I hid the silver cup in the well.", "")
    say(save, "I promise to pay you ten gold for a new horse.", "", speaker="bjorn")
    cup = exchange(save, "Where is the silver cup?", speaker="bjorn")["response"]
    assert "well" in cup and "the player" in cup.lower() and "You" not in cup
    own = exchange(save, "What did I promise you?", speaker="bjorn")["response"]
    assert "ten gold" in own and "my words" not in own.lower()
    of_bjorn = exchange(save, "What did Bjorn promise you?")["response"]
    assert "Bjorn promised me" in of_bjorn


@pytest.mark.parametrize("action", ["whispered", "Whispers", "wrote", "whispered_to", "muttered"])
def test_an_action_in_a_low_voice_or_in_writing_reaches_no_bystander(save: Save, action: str) -> None:
    witnesses(save, {}, action=action, content="The key is under the mat.", addressees=["varn"])
    assert texts(save, "gregor") == []
    assert any("The key is under the mat." in text for text in texts(save, "varn"))


@pytest.mark.parametrize("action", ["shouted", "yelled", "screamed_at"])
def test_an_action_in_a_loud_voice_is_a_shout(save: Save, action: str) -> None:
    witnesses(save, {}, action=action, content="The mill burns!")
    assert texts(save, "gregor") == ['I heard Bjorn shout to Mira: "The mill burns!"']


def test_the_manner_that_the_game_passes_is_that_of_the_action(save: Save) -> None:
    witnesses(save, {}, action="whispered", content="Run!", manner="say")
    assert texts(save, "gregor") == ['I overheard Bjorn tell Mira: "Run!"']


@pytest.mark.parametrize(
    ("event", "remembered"),
    [
        (
            {"action": "threatened", "content": "Give me the gold"},
            'I saw this happen: Bjorn threatened Mira: "Give me the gold"',
        ),
        (
            {"action": "fell", "description": "A thief stole my ring while I slept."},
            'I saw this happen: Mira: "A thief stole my ring while I slept."',
        ),
        (
            {"action": "hit", "description": 'Bjorn hit me and cried "Give me my gold!"'},
            'I saw this happen: Bjorn hit Mira and cried "Give me my gold!"',
        ),
        (
            {"action": "hit", "description": "The purse that Bjorn took is mine."},
            'I saw this happen: Mira: "The purse that Bjorn took is mine."',
        ),
    ],
)
def test_a_witness_is_not_taken_for_the_one_it_happened_to(
    save: Save, event: dict[str, Any], remembered: str
) -> None:
    witnesses(save, {}, **event)
    assert [text.rstrip(".") for text in texts(save, "gregor")] == [remembered.rstrip(".")]


@pytest.mark.parametrize("data", [{"day": 3.0}, {}])
def test_all_sides_of_a_talk_are_of_the_same_day(save: Save, clock: GameClock, data: dict[str, Any]) -> None:
    clock.now = 10.4 * 86400
    say(save, FLOUR, SACKS, speaker="bjorn", addressees=["varn"], bystanders=["gregor"], **data)
    day = data.get("day", 10.4)
    for npc_id, other in (("mira", "bjorn"), ("bjorn", "mira"), ("varn", "bjorn")):
        turns = save.npc(npc_id).conversation.get_turns(5, other)
        assert turns and {turn["day"] for turn in turns} == {day}
    for npc_id in ("mira", "bjorn", "varn", "gregor"):
        memories = save.npc(npc_id).recall.get_recent(9)
        assert memories and {memory["metadata"]["timestamp"] for memory in memories} == {day * 86400}


BODY = "I hid the body in the well."


def whisper(save: Save, way: str, **data: Any) -> None:
    """The player whispers to Mira, in one of the calls for that."""
    mira, manner = save.npc("mira"), "letter" if way == "letter" else "whisper"
    if way == "exchange":
        exchange(save, BODY, "I see.", manner=manner, **data)
    elif way == "perceive":
        mira.mind.perceive({"action": "whispered", "content": BODY, "source_id": "player", "importance": 8})
    elif way == "store_conversation":
        mira.memories.store_conversation("player", BODY, {"manner": manner, **data})
    else:
        say(save, BODY, "I see.", manner=manner, memories=[BODY], **data)


WAYS = ["exchange", "perceive", "store_conversation", "turn", "letter"]


@pytest.mark.parametrize("way", WAYS)
def test_what_is_whispered_is_not_told_on(save: Save, way: str) -> None:
    whisper(save, way)
    question = "Where is the body?"
    recall = save.npc("mira").recall
    assert recall.retrieve_relevant(question, {"listeners": ["player"]})
    assert not recall.retrieve_relevant(question, {"listeners": ["player", "gregor"]})
    if way not in ("perceive", "store_conversation"):  # No answer without a model has what these store.
        assert "in the well" in exchange(save, question)["response"]
    assert "well" not in exchange(save, question, speaker="gregor")["response"]


def test_those_a_whisper_was_for_speak_of_it_with_each_other(save: Save) -> None:
    say(save, BODY, "I see.", speaker="bjorn", manner="whisper", addressees=["varn"])
    for npc_id, others in {
        "mira": ("bjorn", "varn"),
        "bjorn": ("mira", "varn"),
        "varn": ("mira", "bjorn"),
    }.items():
        recall = save.npc(npc_id).recall
        assert recall.retrieve_relevant("Where is the body?", {"listeners": list(others)})
        assert not recall.retrieve_relevant("Where is the body?", {"listeners": ["gregor"]})


@pytest.mark.parametrize("way", ["store_conversation", "turn"])
def test_the_game_says_itself_what_is_a_secret(save: Save, way: str) -> None:
    whisper(save, way, secret=False)
    recall = save.npc("mira").recall
    assert recall.retrieve_relevant("Where is the body?", {"listeners": ["gregor"]})


def test_a_whispered_turn_is_not_in_the_prompt_of_another_speaker(save: Save) -> None:
    mira = save.npc("mira")
    exchange(save, BODY, "I see.", manner="whisper")
    ask = mira.prompts.build_prompt
    assert BODY in ask("line", "Where is it?", {})["prompt"]
    assert BODY not in ask("line", "Where is it?", {"bystanders": ["gregor"]})["prompt"]
    assert BODY not in ask("line", "Where is it?", {"addressees": ["gregor"]})["prompt"]
    assert BODY not in ask("line", "Where is it?", {"speaker": "gregor"})["prompt"]


@pytest.mark.parametrize("speaker", ["mira", "Mira", "npc", "assistant"])
def test_an_npc_does_not_speak_to_itself(save: Save, speaker: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f'speaker is "{speaker}"'):
        say(save, FLOUR, SACKS, speaker=speaker)
    with pytest.raises(InvalidArgumentError, match=f'speaker is "{speaker}"'):
        save.npc("mira").prompts.build_prompt("line", FLOUR, {"speaker": speaker})
    assert texts(save, "mira") == []


def test_an_npc_that_is_new_perceives_and_overhears_in_one_commit(opened: Callable[..., Save]) -> None:
    village = opened()
    minds = [village.npc(npc_id).mind for npc_id in ("mira", "gregor")]
    with village.context.together():
        for mind, other in zip(minds, ("gregor", "mira"), strict=True):
            mind.perceive(
                {"action": "spoke", "content": "Run!", "source_id": other, "bystanders": ["mira", "gregor"]}
            )
    assert texts(village, "mira") and texts(village, "gregor")


def test_a_whisper_goes_on_while_others_are_near(save: Save) -> None:
    mira = save.npc("mira")
    exchange(save, BODY, "I see.", manner="whisper")
    mira.mind.listeners.nearby = ("gregor",)
    ask = mira.prompts.build_prompt
    assert BODY in ask("line", "Where is it?", {"manner": "whisper"})["prompt"]
    assert BODY not in ask("line", "Where is it?", {})["prompt"]


ANNA = {"name": "Anna of Cork", "is_player": True}


@pytest.mark.parametrize("role", ["speaker", "bystanders", "addressees"])
def test_a_registered_player_has_a_name_and_no_memories(save: Save, role: str) -> None:
    save.world.characters.register_character("anna", ANNA)
    say(save, FLOUR, SACKS, **{role: "anna" if role == "speaker" else ["anna"]})
    assert save.store.npcs.number("anna") is None
    name = "Anna of Cork" if role == "speaker" else "The player"
    assert f'{name} promised me: "{FLOUR}"' in texts(save, "mira")
    assert save.player_data.forget("anna")["memories"] == (2 if role == "speaker" else 0)


def test_a_registered_player_is_called_by_name_in_everything_that_is_stored(save: Save) -> None:
    save.world.characters.register_character("anna", ANNA)
    save.npc("mira").memories.store_conversation("anna", FLOUR, {"bystanders": ["gregor"]})
    assert texts(save, "mira") == [f'Anna of Cork told me: "{FLOUR}"']
    assert texts(save, "gregor") == [f'I overheard Anna of Cork tell Mira: "{FLOUR}"']
    save.npc("mira").mind.perceive({"action": "stole", "source_id": "bjorn", "bystanders": ["anna"]})
    assert save.store.npcs.number("anna") is None


def test_a_registered_player_hears_no_rumor_and_debates_without_memories(save: Save) -> None:
    save.world.characters.register_character("anna", {**ANNA, "faction": "millers"})
    save.world.characters.register_character("bjorn", {"faction": "millers"})
    event = save.world.events.record_event({"summary": "The mill burned.", "known_by": ["gus"]})
    save.world.rumors.spread_rumor(event, "millers")
    debate = {"topic": "the toll", "participants": ["bjorn", "anna"], "outcome": "It stays."}
    save.world.debates.record_debate(debate)
    assert save.store.npcs.number("anna") is None and len(texts(save, "bjorn")) == 2


OWES = "I owe you 12 silver."
PAYS = "Here are the 12 silver that I owe you."


def matters(save: Save, with_id: str = "", include_closed: bool = False) -> list[tuple[Any, ...]]:
    listed = save.world.open_matters.get_open_matters("", with_id, include_closed)
    return [tuple(matter[key] for key in ("kind", "by", "to", "state")) for matter in listed]


def test_what_is_open_between_two_npcs_is_listed_once(save: Save) -> None:
    say(save, OWES, "And I owe you 3 sacks.", speaker="bjorn")
    say(save, "I'll meet you at the well on Friday.", "", speaker="bjorn", addressees=["gregor"])
    say(save, OWES, "")
    expected = [
        ("debt", "bjorn", "mira", "open"),
        ("debt", "mira", "bjorn", "open"),
        ("debt", "player", "mira", "open"),
    ]
    assert sorted(of for of in matters(save) if of[0] == "debt") == expected
    assert sorted(of for of in matters(save, "bjorn") if of[0] == "debt") == expected[:2]
    assert len(save.world.open_matters.get_open_matters("mira", "bjorn")) == 3
    assert len(save.world.open_matters.get_open_matters("bjorn", "mira")) == 3


def test_two_debts_of_one_amount_are_two(save: Save, clock: GameClock) -> None:
    say(save, "I owe you 12 silver for the saddle.", "", speaker="bjorn")
    clock.now += 60.0
    say(save, "And I owe you 12 silver for the rye.", "", speaker="bjorn")
    assert matters(save) == [("debt", "bjorn", "mira", "open")] * 2


@pytest.mark.parametrize(
    ("npc_id", "speaker", "line", "answer"),
    [
        ("mira", "bjorn", PAYS, "Then we are even."),
        ("mira", "bjorn", "Then we are even.", ""),
        ("mira", "bjorn", "Take my mule.", "Then we are even."),
        ("bjorn", "mira", "We are even.", ""),
        ("bjorn", "mira", "I took your mule.", "Then we are even."),
    ],
)
def test_they_are_even_when_the_one_who_owes_has_paid(
    save: Save, npc_id: str, speaker: str, line: str, answer: str
) -> None:
    say(save, OWES, "So you do.", speaker="bjorn")
    save.npc(npc_id).conversation.store_turn(line, answer, {"speaker": speaker})
    assert matters(save) == []
    assert ("debt", "bjorn", "mira", "paid") in matters(save, "bjorn", include_closed=True)
    for id, event_type in (("mira", "debt_paid"), ("bjorn", "own_debt_paid")):
        types = {memory["metadata"]["event_type"] for memory in save.npc(id).recall.get_recent(9)}
        assert {kind for kind in types if kind.endswith("paid")} == {event_type}


def test_who_cannot_hear_it_is_promised_nothing(save: Save) -> None:
    save.context.senses_of = {"gregor": 2, "elena": 0}.get
    say(save, FLOUR, SACKS, addressees=["gregor", "elena", "varn"])
    assert texts(save, "gregor") == texts(save, "elena") == []
    assert not has_met(save.npc("gregor")) and not save.npc("gregor").conversation.get_turns()
    assert sorted(matters(save, "player")) == [
        ("promise", "mira", "player", "open"),
        ("promise", "player", "mira", "open"),
        ("promise", "player", "varn", "open"),
    ]


@pytest.mark.parametrize(
    ("senses", "manner", "heard"),
    [(2, "say", False), (2, "letter", True), (1, "letter", False), (0, "say", False)],
)
def test_who_speaks_and_cannot_hear_knows_no_answer(
    save: Save, senses: int, manner: str, heard: bool
) -> None:
    save.context.senses_of = {"bjorn": senses}.get
    say(save, FLOUR, SACKS, speaker="bjorn", manner=manner)
    assert f'I promised Mira: "{FLOUR}"' in texts(save, "bjorn")
    assert any(SACKS in text for text in texts(save, "bjorn")) == heard
    turns = save.npc("bjorn").conversation.get_turns(5, "mira")
    assert (SACKS in [turn["player_message"] for turn in turns]) == heard
