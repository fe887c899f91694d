"""What new users said to an NPC without a language model, in whole talks: as NPCDialogue carries them on."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rag_memory import MemoryConfig, Npc, Save, open_save
from rag_memory.config.answer_wording import ANSWER_GROUPS
from rag_memory.config.mind_config import NPCMindConfig
from rag_memory.embedding.onnx_embedder import OnnxEmbedder
from rag_memory.mind.sentiment import sentiment_of
from rag_memory.prompt.own_answers import asks_for_name
from rag_memory.prompt.player_line import (
    INSULT,
    QUESTION,
    WHAT_AM_I,
    is_request,
    kind_of,
    says_farewell,
    tells_of_oneself,
)

MODEL = Path(__file__).resolve().parents[3] / "addons" / "rag_memory" / "models" / "default"
SENTENCES = next(iter(ANSWER_GROUPS.values()))
OPTIONS: dict[str, Any] = {
    "personality": {
        "class": "NPCPersonality",
        "values": {"npc_id": "brann", "display_name": "Brann", "role": "blacksmith"},
    },
    "mind": {"class": "NPCMind", "values": {"npc_id": "brann", "nearby": [], "config": None}},
}
Talk = Callable[..., list[str]]


@pytest.fixture(scope="module")
def model() -> OnnxEmbedder:
    return OnnxEmbedder(MODEL)


@pytest.fixture
def save(model: OnnxEmbedder) -> Iterator[Save]:
    seconds = itertools.count(1.8e9)
    save = open_save(":memory:", embedder=model, clock=lambda: next(seconds) / 100.0)
    yield save
    save.close()


@pytest.fixture
def brann(save: Save) -> Npc:
    npc = save.npc("brann")
    for text in (
        "I come from Oakford, and my father was a smith.",
        "My daughter Lena moved to the coast.",
        "Mira runs the tavern by the river.",
    ):
        npc.memories.store(text, 6)
    return npc


@pytest.fixture
def talk(brann: Npc) -> Talk:
    """Says lines and returns the answers; "" lets the NPC greet."""

    def talk(*lines: str) -> list[str]:
        answers = []
        for line in lines:
            begun = brann.exchanges.begin_exchange("line" if line else "greeting", line, OPTIONS)
            answers.append(str(brann.exchanges.finish_exchange(begun["exchange"])["response"]))
        return answers

    return talk


def of(*keys: str) -> set[str]:
    """The sentences whose keys begin so."""
    return {text for key, text in SENTENCES.items() for beginning in keys if key.startswith(beginning)}


OPINIONS = (
    "Do you forgive me?",
    "Are you angry with me?",
    "Do you trust me?",
    "Do you hate me?",
    "Do you like me?",
    "How do you feel about me?",
)


@pytest.mark.parametrize("first", ["I am sorry.", "Thank you for your help."])
def test_what_she_thinks_of_the_player_is_no_mood(talk: Talk, first: str) -> None:
    answers = talk("", first, *OPINIONS)[2:]
    assert {*answers} <= of("says_opinion_1", "says_opinion_2")


def test_an_insult_is_the_reason_until_it_is_forgiven(talk: Talk) -> None:
    for answer in talk("You are an idiot.", *OPINIONS)[1:]:
        assert answer.startswith("I feel sad.") and answer.endswith('"You are an idiot."')
    answers = talk("I am sorry.", *OPINIONS)[1:]
    assert {*answers} <= of("says_opinion_1", "says_opinion_2")


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ((-30, "burned the mill"), (10, "brought flowers"), "mill"),
        ((-30, "burned the mill"), (0, "is a stranger"), "mill"),
        ((40, "saved my son"), (-10, "forgot my birthday"), "son"),
        ((-40, ""), (10, "brought flowers"), ""),
    ],
)
def test_a_reason_is_of_a_change_for_the_better_of_a_friend_and_for_the_worse_of_a_foe(
    brann: Npc, talk: Talk, first: tuple[float, str], second: tuple[float, str], said: str
) -> None:
    for delta, reason in (first, second):
        brann.mind.feelings.adjust_disposition("player", delta, reason)
    (answer,) = talk("Do you trust me?")
    assert [said for said in ("mill", "flowers", "son", "birthday", "stranger") if said in answer] == [
        part for part in (said,) if part
    ]


def test_a_friend_says_why(brann: Npc, talk: Talk) -> None:
    event = {"action": "gifted", "description": "The player gave me a new hammer.", "source_id": "player"}
    brann.mind.perceive(event)
    (answer,) = talk("Do you trust me?")
    assert answer.endswith("You gave me a new hammer.")


@pytest.mark.parametrize(
    "line",
    [
        "Terrible weather today, isn't it?",
        "Damn, it is cold.",
        "What an awful storm.",
        "I stole your hammer.",
        "I have lied to you.",
        "Mira told me that you cheat at cards.",
        "The old smith says you are a liar.",
        "I heard that you are a thief.",
        "Bandits ambushed me on the road.",
        "Nice weather today.",
        "I hate this weather.",
    ],
)
def test_what_is_not_said_of_her_neither_hurts_nor_pleases(line: str) -> None:
    assert sentiment_of(NPCMindConfig().validated(), line, "") == 0.0


@pytest.mark.parametrize(
    "line",
    [
        "Damn you!",
        "I hate you.",
        "I stole your hammer, you fool.",
        "I said that you are a liar.",
        "You told me lies, you traitor!",
        "Go to hell.",
        "Leave me alone, idiot.",
    ],
)
def test_what_is_said_to_her_still_hurts(line: str) -> None:
    assert sentiment_of(NPCMindConfig().validated(), line, "") < 0.0


def test_a_confession_is_noted(talk: Talk) -> None:
    assert {*talk("I stole your hammer.", "I killed the wolf.")} <= of("says_noted")


@pytest.mark.parametrize(
    ("wish", "question"),
    [
        ("Give me your hammer.", "Where is your hammer?"),
        ("Show me your forge.", "Where is your forge?"),
        ("Tell me about the dragon.", "Do you know the dragon?"),
        ("where is the golden crown", "Where is the golden crown?"),
        ("Can you mend the bridge", "Who can mend the bridge?"),
    ],
)
def test_what_the_player_wanted_is_no_answer(talk: Talk, wish: str, question: str) -> None:
    answers = talk(wish, question, question)[1:]
    assert {*answers} <= of("says_unknown")


def test_the_same_request_is_answered_again(talk: Talk) -> None:
    answers = talk("Tell me about Mira.", "Tell me about Mira.")
    assert all("Mira runs the tavern" in answer for answer in answers)


def test_what_begins_like_a_question_may_be_a_statement(talk: Talk) -> None:
    answers = talk("When I was young, I lived in Oakvale.", "Remember: the gate opens at dawn.")
    answers = talk("Where did I live when I was young?", "When does the gate open?")
    assert "Oakvale" in answers[0] and "dawn" in answers[1]


def test_a_question_that_begins_like_another_is_itself(talk: Talk) -> None:
    answers = talk("My name is Tovin.", "I'm looking for my sister.", "Who am I looking for?", "Who am I?")
    assert "sister" in answers[2] and "Tovin" not in answers[2] and "Tovin" in answers[3]


def test_what_was_just_said_is_the_last_line(talk: Talk) -> None:
    assert "red" in talk("I came from the west.", "The sky is red.", "What did I just say?")[2]


@pytest.mark.parametrize(
    "question",
    [
        "Are you the blacksmith?",
        "Are you Brann?",
        "Are you a baker?",
        "What do you do?",
        "What is your job?",
        "What do you do for a living?",
    ],
)
def test_who_she_is_is_in_her_role(talk: Talk, question: str) -> None:
    assert talk(question) == ["I am Brann, blacksmith."]


def test_a_name_that_is_only_called_is_no_question_for_it(talk: Talk) -> None:
    assert "I am Brann" not in talk("What happened, Brann?")[0]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where do you come from?", "Oakford"),
        ("Where are you from?", "Oakford"),
        ("Do you have any children?", "Lena"),
    ],
)
def test_her_own_life_is_in_her_memories(talk: Talk, question: str, answer: str) -> None:
    assert answer in talk(question)[0]


def test_the_life_of_others_is_not_hers(save: Save) -> None:
    npc = save.npc("mira")
    npc.memories.store_conversation("player", "I come from Saltmere, and my daughter is a nun.")
    npc.memories.store('Tom told me: "I come from Wick."', 5)
    for line in ("Where do you come from?", "Do you have children?"):
        assert npc.unaided_answers.answer_from_memory("line", line)["kind"] == "unknown"


def test_nobody_is_greeted_twice(talk: Talk) -> None:
    answers = talk("", "Hello!")
    assert answers[0] in of("says_hello_stranger") and answers[1] in of("says_hello_back")


@pytest.mark.parametrize(
    ("line", "keys"),
    [
        ("I need a quest.", ("says_order",)),
        ("Have a nice day.", ("says_farewell",)),
        ("What an awful storm.", ("says_heard",)),
        ("The sky is red today.", ("says_heard",)),
    ],
)
def test_small_talk_gets_an_answer_that_fits(talk: Talk, line: str, keys: tuple[str, ...]) -> None:
    assert talk("", line)[1] in of(*keys)


def test_what_is_repeated_is_a_sentence(brann: Npc, talk: Talk) -> None:
    brann.memories.store("The player gave me a silver ring.", 7)
    answers = talk("What did I give you?", "What did I give you?")
    assert answers[1].endswith(". You gave me a silver ring.")


@pytest.mark.parametrize(
    ("lines", "ending"),
    [
        (("I promise to bring you ten iron bars.",), '"I promise to bring you ten iron bars."'),
        (
            ("I promise to bring you ten iron bars.", "I brought you the ten iron bars."),
            '"I brought you the ten iron bars."',
        ),
    ],
)
def test_whether_a_promise_was_kept(talk: Talk, lines: tuple[str, ...], ending: str) -> None:
    answer = talk(*lines, "Did I keep my promise?")[-1]
    assert answer.endswith(ending)
    kept = tuple(of("says_kept"))
    assert answer.startswith(kept) == (len(lines) == 2)


@pytest.mark.parametrize(
    ("text", "metadata"),
    [
        ("Theron broke his promise to me.", {"event_type": "promise_broken"}),
        ("Ulf paid his debt.", {"event_type": "promise_kept", "participants": ["ulf"]}),
        ("I promised Lena a ring.", {"event_type": "promise_made", "participants": ["lena"]}),
        ("I promised Lena a ring.", {"event_type": "promise_made"}),
        (
            "Theron lied to the player.",
            {"event_type": "promise_broken", "participants": ["theron", "player"]},
        ),
        ("Somebody paid.", {"event_type": "debt_paid", "fact": "hello"}),
    ],
)
@pytest.mark.parametrize("line", ["Have I broken my word?", "Have I kept my word?", "Did I keep my promise?"])
def test_a_promise_of_somebody_else_is_none_of_the_player(
    brann: Npc, talk: Talk, text: str, metadata: dict[str, Any], line: str
) -> None:
    brann.memories.store(text, 8, metadata)
    (answer,) = talk(line)
    assert not answer.startswith((*of("says_kept"), *of("says_broken")))
    assert "Lena a ring" not in answer


@pytest.mark.parametrize(
    ("text", "participants"), [("The player broke a promise.", []), ("Rowan broke a promise.", ["player"])]
)
def test_a_promise_of_the_player_is_held_against_them(
    brann: Npc, talk: Talk, text: str, participants: list[str]
) -> None:
    brann.memories.store(text, 8, {"event_type": "promise_broken", "participants": participants})
    assert talk("Have I broken my word?")[0].startswith(tuple(of("says_broken")))


def test_a_whisper_is_not_repeated_before_others(brann: Npc) -> None:
    def said(line: str, **extra: Any) -> str:
        begun = brann.exchanges.begin_exchange("line", line, {**OPTIONS, **extra})
        return str(brann.exchanges.finish_exchange(begun["exchange"])["response"])

    said("I hid the stolen crown in the well.", manner="whisper")
    assert "crown" not in said("What did I just say?", bystanders=["mira"])
    assert "crown" in said("What did I just say?")


def test_the_words_of_others_are_not_the_players(brann: Npc, talk: Talk) -> None:
    brann.memories.store('Mira said to me: "The gold is in the cellar."', 8)
    event = {"action": "spoke", "content": "The wolf sleeps by the old oak.", "source_id": "mira"}
    brann.mind.perceive({**event, "source_name": "Mira"})
    for answer in talk("Where is the gold?", "Where does the wolf sleep?"):
        assert 'Mira said to me: "' in answer


def test_a_deed_told_by_the_players_name_is_said_to_the_player(brann: Npc, talk: Talk) -> None:
    event = {"action": "gifted", "content": "a silver mortar", "source_id": "player", "source_name": "Rowan"}
    brann.mind.perceive(event)
    (answer,) = talk("What did I give you?")
    assert answer.endswith("You gave me a gift: a silver mortar.")


def test_only_the_same_question_is_answered_again(talk: Talk) -> None:
    first, other, again = talk("Who runs the tavern?", "What about Mira's tavern?", "Who runs the tavern?")
    begins = tuple(text.partition(" {memory}")[0] for key, text in SENTENCES.items() if "once_more" in key)
    assert not first.startswith(begins) and not other.startswith(begins)
    assert again.startswith(begins)


@pytest.mark.parametrize("line", ["Did I ever hurt you?", "Have I hurt you?"])
def test_a_question_for_a_deed_is_no_threat(talk: Talk, line: str) -> None:
    threats = [text for key, text in SENTENCES.items() if key.startswith("says_threat")]
    assert talk(line)[0] not in threats


@pytest.mark.parametrize(
    "question",
    [
        "What are you doing here?",
        "What are you selling?",
        "What are you afraid of?",
        "Are you a friend of Mira?",
        "Is that your trade route?",
    ],
)
def test_a_question_that_only_begins_like_one_for_her_role_is_another(talk: Talk, question: str) -> None:
    assert "I am Brann" not in talk(question)[0]


@pytest.mark.parametrize("question", ["And what is your trade, friend?", "Brann, are you the village smith?"])
def test_who_else_is_called_makes_no_question_for_her_role_longer(talk: Talk, question: str) -> None:
    assert talk(question) == ["I am Brann, blacksmith."]


@pytest.mark.parametrize("line", ["Are you a fool?", "Are you a coward?", "Are you a liar?"])
def test_an_insult_is_no_question_for_her_role(line: str) -> None:
    assert kind_of(MemoryConfig(), line, (), 0.0) == INSULT


@pytest.mark.parametrize(
    ("name", "line", "is_asked"),
    [
        ("Will", "What will you do?", False),
        ("Will", "Will you?", False),
        ("Will", "Are you Will?", True),
        ("May", "When may I?", False),
        ("Mira the Brave", "Is that the one?", False),
        ("Mira the Brave", "are you mira?", True),
        ("Captain Aldric", "Are you Aldric?", True),
        ("brann", "Are you Brann?", True),
        ("", "Are you?", False),
    ],
)
def test_a_name_that_is_a_common_word_is_asked_for_by_its_capital(
    name: str, line: str, is_asked: bool
) -> None:
    assert asks_for_name(name, line) == is_asked


def test_the_question_of_a_namesake_of_a_word_is_answered(save: Save) -> None:
    answers = save.npc("may").unaided_answers
    assert answers.answer_from_memory("line", "When may I?", {"npc_name": "May"})["kind"] == "unknown"
    assert answers.answer_from_memory("line", "Are you May?", {"npc_name": "May"})["kind"] == "identity"


@pytest.mark.parametrize(
    ("line", "question", "word"),
    [
        ("Help me, bandits burned my farm.", "Who burned my farm?", "bandits"),
        ("Please believe me, Ulf stole my horse.", "Who stole my horse?", "Ulf"),
        ("Fight Ulf, he stole my horse.", "Who stole my horse?", "Ulf"),
        ("Attack on the mill was led by Ulf.", "Who led the attack on the mill?", "Ulf"),
    ],
)
def test_what_is_said_with_a_request_is_remembered(talk: Talk, line: str, question: str, word: str) -> None:
    assert word in talk(line, question)[1]


@pytest.mark.parametrize(
    "line",
    [
        "Bring me the silver hammer.",
        "Please, tell me where Ulf is.",
        "Help me, please, my friend.",
        "Come, let us go to the mill.",
        "Help me, Brann the smith.",
    ],
)
def test_a_request_that_tells_nothing_is_one(line: str) -> None:
    assert is_request(MemoryConfig(), line)


def test_a_long_line_is_read() -> None:
    """In seconds before: a phrase at the end was looked for from every place in the line."""
    assert kind_of(MemoryConfig(), "what is it " * 20_000 + "?", (), 0.0) == QUESTION


@pytest.mark.parametrize("line", ["I am a little tired today.", "I'm the one who saw Mira."])
def test_what_is_no_trade_is_no_answer_for_it(line: str) -> None:
    assert not tells_of_oneself(MemoryConfig(), WHAT_AM_I, line)
    assert tells_of_oneself(MemoryConfig(), WHAT_AM_I, f"{line} I am a baker.")


@pytest.mark.parametrize(
    ("line", "is_farewell"),
    [
        ("I need to go to the market to buy bread.", False),
        ("I have to go home with the bread.", False),
        ("I need to go.", True),
        ("Well, I have to go now!", True),
    ],
)
def test_who_has_to_go_somewhere_says_no_farewell(line: str, is_farewell: bool) -> None:
    assert says_farewell(MemoryConfig(), line) == is_farewell


@pytest.mark.parametrize(
    "line", ["Tell me about the well.", "What about the old well?", "Well, is the well dry?"]
)
def test_a_noun_that_looks_like_an_adverb_is_what_is_asked_about(brann: Npc, talk: Talk, line: str) -> None:
    brann.memories.store("The well behind the inn dried up.", 5)
    assert "The well behind the inn" in talk(line)[0]


@pytest.mark.parametrize("line", ["Do you remember what I did?", "Can I trust you?"])
def test_a_theft_is_remembered_by_whoever_is_asked_for_deeds_or_trust(
    brann: Npc, talk: Talk, line: str
) -> None:
    brann.mind.perceive({"action": "theft", "content": "The player stole my purse.", "source_id": "player"})
    assert "stole my purse" in talk(line)[0]


def test_another_deed_than_the_one_that_is_asked_about_is_not_told(brann: Npc, talk: Talk) -> None:
    brann.mind.perceive({"action": "theft", "content": "The player stole my purse.", "source_id": "player"})
    assert "purse" not in talk("Do you know what I did to the dragon?")[0]
