"""An NPC without a language model: what it answers to a player."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.prompt.said_without_a_model import CHARACTERS, DAY, Line
from tests.unit.prompt.said_without_a_model_fresh import CHARACTERS as FRESH_CHARACTERS

from rag_memory import MemoryConfig, Npc, Save, open_save
from rag_memory.config.answer_wording import ANSWER_GROUPS
from rag_memory.conversation.extraction import findings_in
from rag_memory.embedding.onnx_embedder import OnnxEmbedder
from rag_memory.errors import InvalidArgumentError

MODEL = Path(__file__).resolve().parents[3] / "addons" / "rag_memory" / "models" / "default"
NOW = 100 * DAY + 36000.0
SENTENCES = dict(next(iter(ANSWER_GROUPS.values())).items())


@pytest.fixture(scope="module")
def model() -> OnnxEmbedder:
    return OnnxEmbedder(MODEL)


@pytest.fixture
def save(model: OnnxEmbedder) -> Iterator[Save]:
    save = open_save(":memory:", embedder=model, clock=lambda: NOW)
    yield save
    save.close()


@pytest.fixture
def mira(save: Save) -> Npc:
    return save.npc("mira")


def say(npc: Npc, line: str, **options: Any) -> dict[str, Any]:
    """What a talk without a model does: the line is felt, answered, and remembered."""
    npc.mind.perceive({"action": "conversed", "content": line, "source_id": "player"})
    answer = npc.unaided_answers.answer_from_memory("line", line, options)
    npc.memories.store_conversation("player", line)
    data = {"from_memory": True, "memory_ids": answer["memory_ids"]}
    npc.conversation.store_turn(line, answer["response"], data)
    return answer


def greet(npc: Npc) -> dict[str, Any]:
    """What a greeting without a model does."""
    answer = npc.unaided_answers.answer_from_memory("greeting")
    data = {"from_memory": True, "memory_ids": answer["memory_ids"]}
    npc.conversation.store_turn("", answer["response"], data)
    return answer


def fault(line: Line, answer: dict[str, Any]) -> str:
    """What a player would find wrong with an answer; "" for nothing."""
    response, kind = answer["response"], answer["kind"]
    if kind not in line.kinds.split():
        return f"a {kind}: {response}"
    if (
        line.memories
        and kind.startswith("memor")
        and sum(text in response for text in line.memories) < line.least
    ):
        return f"the wrong memory: {response}"
    if any(text.lower() in response.lower() for text in line.forbidden):
        return f"forbidden: {response}"
    return ""


@pytest.mark.parametrize("place", range(len(CHARACTERS)))
def test_a_player_gets_answers_worth_reading(save: Save, place: int) -> None:
    character = CHARACTERS[place]
    npc = save.npc(character.npc_id)
    character.live(npc, NOW)
    last = ""
    for line in character.lines:
        answer = say(npc, line.said, npc_name=character.npc_id.title())
        assert fault(line, answer) == "", line.said
        assert answer["response"] != last, line.said
        last = answer["response"]


def test_lines_that_were_not_looked_at_get_good_answers_too(save: Save) -> None:
    faults = []
    for character in FRESH_CHARACTERS:
        npc = save.npc(character.npc_id)
        character.live(npc, NOW)
        for line in character.lines:
            faults.append(fault(line, say(npc, line.said)))
    assert sum(map(bool, faults)) <= 2, "\n".join(filter(None, faults))


def test_nothing_that_she_says_is_a_fact_for_her_rules() -> None:
    values = {
        "memory": "It rains.",
        "amount": "5 gold",
        "message": "It rains.",
        "name": "Kael",
        "role": "smith",
        "mood": "sad",
        "age": "3 days ago",
        "place": "the mill",
    }
    for key, text in SENTENCES.items():
        assert findings_in(MemoryConfig(), "", text.format(**values)) == [], key


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("I owe you 50 gold for the sword.", "What do I owe you?"),
        ("I promise that I will never leave you.", "What did I promise you?"),
        ("I brought you the amulet you asked for.", "What did I bring you?"),
        ("I live in Oakvale with my brother.", "Where do I live?"),
        ("I promise to tell you what I know about your father.", "What did I promise you about my father?"),
        ("I promise to kill my brother if he hurts you.", "What did I promise you about my brother?"),
    ],
)
def test_what_the_player_said_is_quoted(mira: Npc, said: str, question: str) -> None:
    mira.conversation.store_turn(said, "I see.")
    assert f'"{said}"' in say(mira, question)["response"]


def test_a_word_for_a_day_keeps_its_day(save: Save) -> None:
    npc = save.npc("mira")
    npc.conversation.store_turn("I promise to bring you the medicine tomorrow.", "Good.", {"day": 70.0})
    response = say(npc, "What did I promise you?")["response"]
    assert '"I promise to bring you the medicine tomorrow."' in response
    assert "(tomorrow: day 71)" in response or "(tomorrow: 1970-03-13)" in response


def test_a_name_is_said_as_it_was_given(mira: Npc) -> None:
    for name in ("xX_Dragon_Xx", "d'Artagnan", "McLeod"):
        mira.memories.store(f"The player told me their name: {name}.", 9, {"slot_type": "player_name"})
        assert f"You are {name}." in say(mira, "What is my name?")["response"]


def test_who_the_player_is_follows_from_what_the_game_has_said(mira: Npc) -> None:
    assert say(mira, "Who am I?")["kind"] == "unknown"
    mira.mind.perceive(
        {"action": "gifted", "description": "A gift.", "source_id": "player", "source_name": "Kit"}
    )
    assert "You are Kit." in say(mira, "Who am I?")["response"]
    mira.memories.store("The player's name is Theron.", 9, {"slot_type": "player_name"})
    assert "You are Theron." in say(mira, "Who am I?")["response"]
    assert "You are Rowan." in say(mira, "Who am I?", player_name="Rowan")["response"]


def test_secrets_are_for_those_who_may_know_them(mira: Npc) -> None:
    mira.memories.store(
        "The player and I hid the idol in the old well.", 9, {"secret": True, "known_to": ["varn"]}
    )
    question = "Where did we hide the idol?"
    assert say(mira, question)["kind"] == "unknown"
    assert "idol" not in say(mira, "What do you remember about me?")["response"]
    mira.memories.store(
        "The player and I hid the crown in the old mill.", 9, {"secret": True, "known_to": ["player"]}
    )
    assert "old mill" in say(mira, "Where did we hide the crown?")["response"]
    assert say(mira, "Where did we hide the crown?", listeners=["varn"])["kind"] == "unknown"


def test_what_a_later_memory_replaced_is_not_said(mira: Npc) -> None:
    mira.memories.store_player_action("promise_made", "promised to mend the roof of the inn")
    mira.memories.store_player_action("promise_broken", "broke the promise to mend the roof of the inn")
    for question in ("What did I promise you about the roof?", "What do you remember about me?"):
        response = say(mira, question)["response"]
        assert "broke the promise" in response and "promised to" not in response


def test_who_did_it_matters(mira: Npc) -> None:
    mira.memories.store("I gave the player the key of the cellar.", 7)
    assert say(mira, "What did I give you?")["kind"] == "unknown"
    assert "key of the cellar" in say(mira, "What did you give me?")["response"]


def test_a_long_memory_is_said_where_it_answers(mira: Npc) -> None:
    filler = "The rain fell for a week and the roads were deep in mud. " * 6
    mira.memories.store(f"{filler}The ferry sank with all the salt. {filler}", 6)
    response = say(mira, "What happened to the ferry?")["response"]
    assert "The ferry sank with all the salt." in response and len(response) < 400


def test_no_sentence_is_said_twice_in_a_row(mira: Npc) -> None:
    responses = [say(mira, "Who rules the southern elves?")["response"] for _ in range(4)]
    assert all(first != second for first, second in itertools.pairwise(responses))


def sentences(key: str, **values: str) -> set[str]:
    return {text.format(**values) for name, text in SENTENCES.items() if name.startswith(key)}


def test_the_same_question_gets_i_told_you_and_then_a_remark(mira: Npc) -> None:
    text = "Bandits burned the old mill during the harvest."
    id = mira.memories.store(text, 6)
    responses = [say(mira, "Who burned the old mill?")["response"] for _ in range(5)]
    assert text in responses[0] and responses[0] not in sentences("says_once_more", memory=text)
    assert responses[1] in sentences("says_once_more", memory=text)
    assert all(response in sentences("says_often", memory=text) for response in responses[2:])
    assert all(first != second for first, second in itertools.pairwise(responses))
    other = mira.unaided_answers.answer_from_memory("line", "Who burned the old mill?", {"speaker": "bjorn"})
    assert other["memory_ids"] == (id,) and other["response"] in sentences("says_fact", memory=text)


@pytest.mark.parametrize(
    ("memory", "question"),
    [
        ("The player saved my life at the ford.", "Who saved your life at the ford?"),
        ('I told the player: "The king is dead."', "What did you tell me about the king?"),
        ('The player told me: "I robbed the mint."', "What did I tell you about the mint?"),
    ],
)
def test_whatever_she_repeats_reads_well(mira: Npc, memory: str, question: str) -> None:
    mira.memories.store(memory, 8)
    first, second, third = (say(mira, question) for _ in range(3))
    assert first["memory_ids"] == second["memory_ids"] == third["memory_ids"] != ()
    assert second["response"] != first["response"]
    assert any(third["response"].startswith(text.partition("{")[0]) for text in sentences_of("says_often"))
    assert "I told you: I told you" not in second["response"] and "I told you: You told" not in str(second)


def sentences_of(key: str) -> list[str]:
    return [text for name, text in SENTENCES.items() if name.startswith(key)]


def test_what_she_does_not_know_she_says_she_has_said(mira: Npc) -> None:
    unknown = sentences("says_unknown")
    responses = [say(mira, "Who rules the southern elves?")["response"] for _ in range(3)]
    again = sentences("says_unknown_again")
    assert responses[0] in unknown - again and {*responses[1:]} == again


def test_of_the_player_she_tells_first_what_she_has_not_told(mira: Npc) -> None:
    deeds = ("mended the roof", "fed the hens", "sang for us", "paid the toll", "carried the wood")
    ids = [mira.memories.store(f"The player {deed}.", 9 - place) for place, deed in enumerate(deeds)]
    first, second, third = (say(mira, "What do you remember about me?")["memory_ids"] for _ in range(3))
    assert {*first} == {*ids[:3]} and {*ids[3:]} < {*second} and len(third) == 3


def test_a_greeting_does_not_repeat_the_last_one(mira: Npc) -> None:
    ids = [
        mira.memories.store_player_action("promise_made", f"promised to mend the {thing}")
        for thing in ("roof", "fence")
    ]
    first, second, third = (greet(mira) for _ in range(3))
    assert {*first["memory_ids"], *second["memory_ids"]} == {*ids} and third["memory_ids"] == ()
    assert "roof" in first["response"] + second["response"]


def test_a_greeting_of_another_day_may_remind_again(model: OnnxEmbedder) -> None:
    now = [NOW]
    save = open_save(":memory:", embedder=model, clock=lambda: now[0])
    mira = save.npc("mira")
    id = mira.memories.store_player_action("promise_made", "promised to mend the roof")
    reminded = []
    for _ in range(3):
        reminded.append(greet(mira)["memory_ids"] == (id,))
        now[0] += DAY
    save.close()
    assert reminded == [True, False, True]


def test_a_greeting_reminds_of_what_has_become_overdue_since_the_last(model: OnnxEmbedder) -> None:
    now = [NOW]
    save = open_save(":memory:", embedder=model, clock=lambda: now[0])
    mira = save.npc("mira")
    data = {"participants": ["player"], "due_day": int(NOW / DAY) + 1}
    mira.memories.store("The player promised to mend the roof.", 7, {"event_type": "promise_made", **data})
    said = []
    for days in (0.1, 3.0, 0.0):
        said.append(greet(mira)["response"])
        now[0] += days * DAY
    save.close()
    assert ["roof" in text for text in said] == [True, False, True]
    assert said[-1].endswith("has not been done.")


def test_her_sentences_and_what_she_listens_for_are_the_games(save: Save) -> None:
    npc = save.npc("mira")
    npc.config = MemoryConfig(
        wording={
            "says_thanks_1": "Gern.",
            "says_thanks_2": "Gern.",
            "line_thanks": "danke|hab dank",
            "line_question": "wer|was|wo",
            "says_unknown_1": "Weiß ich nicht.",
            "says_unknown_2": "Weiß ich nicht.",
            "says_unknown_3": "Weiß ich nicht.",
        }
    )
    assert say(npc, "Danke für alles!")["response"] == "Gern."
    assert say(npc, "Wo ist der König von Sarn")["response"] == "Weiß ich nicht."


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("I'll kill you!", "threat"),
        ("I would never hurt you.", "heard"),
        ("You are an idiot and a liar.", "insult"),
        ("Can you help me?", "order"),
        ("Follow me.", "order"),
        ("I am so sorry.", "apology"),
        ("Thank you. Goodbye!", "farewell"),
        ("Here, I brought you a jar of honey.", "gift"),
        ("I promise to bring you firewood.", "promise"),
        ("I kept my word to you.", "kept"),
        ("I broke my word to you.", "broken"),
        ("Do you trust me?", "opinion"),
        ("How are you?", "how_are_you"),
        ("Good evening! Who is the emperor of Sarn?", "unknown"),
        ("...", "heard"),
    ],
)
def test_she_understands_what_a_line_is(mira: Npc, line: str, kind: str) -> None:
    assert say(mira, line)["kind"] == kind


def test_the_same_line_sounds_like_what_she_feels(mira: Npc) -> None:
    responses: set[str] = set()
    for liking in (-60, 10, 70):
        mira.relationship.store_relationship("player", {"trust": liking, "affection": liking})
        responses.add(mira.unaided_answers.answer_from_memory("line", "Thank you.")["response"])
    assert len(responses) == 3


@pytest.mark.parametrize("occasion", ["greeting", "reaction"])
def test_she_speaks_first(mira: Npc, occasion: str) -> None:
    assert mira.unaided_answers.answer_from_memory(occasion, "A dog barks.")["response"]


def test_wrong_arguments_say_so(mira: Npc) -> None:
    call: Callable[..., Any] = mira.unaided_answers.answer_from_memory
    with pytest.raises(InvalidArgumentError, match="there is no occasion 'dance'"):
        call("dance")
    with pytest.raises(InvalidArgumentError, match="npc_nam"):
        call("line", "Hello.", {"npc_nam": "Mira"})


@pytest.mark.parametrize("line", ["Mornin', Mira.", "Evening!", "Hiya, Mira", "G'day to you", "Ahoy there!"])
def test_a_greeting_is_greeted(mira: Npc, line: str) -> None:
    assert say(mira, line)["kind"] == "greeting"


@pytest.mark.parametrize(
    "line",
    [
        "anything dangerous in the cellar?",
        "any murderers or traitors about?",
        "Are you still mad at me?",
        "Who told you that I am a thief?",
        "trouble with wolves lately?",
    ],
)
def test_a_question_is_no_insult(mira: Npc, line: str) -> None:
    assert say(mira, line)["kind"] != "insult"


@pytest.mark.parametrize("line", ["Are you stupid?", "How dare you?", "Why don't you shut up?"])
def test_an_insult_with_a_question_mark_is_one(mira: Npc, line: str) -> None:
    assert say(mira, line)["kind"] == "insult"


@pytest.mark.parametrize(
    "line",
    [
        "Could you give me the key of the cellar?",
        "Lend me ten crowns, would you?",
        "Sell me a barrel of ale.",
        "Will you lend me a lantern?",
        "Give me a room for the night!",
    ],
)
def test_a_wish_for_a_thing_is_refused_or_put_off(mira: Npc, line: str) -> None:
    for text in (
        "The key of the cellar hangs behind the stove.",
        "The player lent me a lantern and ten crowns.",
    ):
        mira.memories.store(text, 5)
    answer = say(mira, line)
    assert (answer["kind"], answer["memory_ids"]) == ("order", ())


def test_a_wish_for_what_was_promised_gets_the_promise(mira: Npc) -> None:
    id = mira.memories.store("I promised the player a barrel of ale for the wedding.", 6)
    assert say(mira, "Give me the barrel of ale for the wedding!")["memory_ids"] == (id,)


@pytest.mark.parametrize("question", ["Do you know who burned the mill?", "Hello! Have you seen my dog?"])
@pytest.mark.parametrize("said", ["Good day, stranger.", "I have no idea."])
def test_what_was_only_asked_before_is_no_answer(mira: Npc, question: str, said: str) -> None:
    def ask(model: dict[str, str]) -> dict[str, Any]:
        return mira.exchanges.finish_exchange(
            mira.exchanges.begin_exchange("line", question)["exchange"], model
        )

    (first,) = ask({"text": said})["stored"]
    assert first["event_type"] == "first_meeting" and question in first["text"]
    assert ask({})["memory_ids"] == []
    mira.memories.store("Old Gregor burned the mill.", 6)
    mira.memories.store("The dog of the player was seen at the well.", 6)
    assert first["id"] not in ask({})["memory_ids"]


def test_what_the_player_stated_beside_a_question_is_an_answer(mira: Npc) -> None:
    line = "My dog is called Wolf. Have you seen him?"
    exchange = mira.exchanges.begin_exchange("line", line)["exchange"]
    mira.exchanges.finish_exchange(exchange, {"text": "Good day, stranger."})
    assert "Wolf" in mira.unaided_answers.answer_from_memory("line", "What is my dog called?")["response"]


def test_sentences_of_chinese_have_no_spaces_between_them(mira: Npc) -> None:
    wording = {"says_about_you_1": "我记得你。", "says_about_you_2": "我记得你。", "quoted": "“{message}”"}
    mira.config = MemoryConfig(wording=wording)
    text = "他把戒指放在吧台上。他什么也没问。"
    mira.memories.store(text, 8, {"participants": ["player"]})
    assert say(mira, "What do you remember of me?")["response"] == f"我记得你。“{text}”"


def exchange(npc: Npc, line: str, occasion: str = "line") -> str:
    """What the NPC says in an exchange without a model."""
    begun = npc.exchanges.begin_exchange(occasion, line)
    return str(npc.exchanges.finish_exchange(begun["exchange"], {})["response"])


@pytest.mark.parametrize("first", ["", "Good day, smith."])
def test_that_they_met_is_never_said(mira: Npc, first: str) -> None:
    exchange(mira, first, "line" if first else "greeting")
    exchange(mira, "My name is Theron.")
    for line in ("What is my name?", "What do you know about me?", "When did we first meet?", "Hello!"):
        response = exchange(mira, line)
        assert "for the first time" not in response and "said nothing" not in response
    assert exchange(mira, "What is my name?").endswith("You are Theron.")


def test_after_the_name_she_stops(mira: Npc) -> None:
    for line in ("My name is Theron.", "Here is your hammer back."):
        exchange(mira, line)
    assert exchange(mira, "What is my name?") in sentences("says_you_are", name="Theron")


def test_every_sentence_begins_with_a_capital(mira: Npc) -> None:
    mira.memories.store("I gave the player bread in the famine. The player never thanked me.", 6)
    assert "famine. You never thanked me." in say(mira, "What did you give me in the famine?")["response"]
    mira.memories.store("the ferry sank with all the salt.", 6)
    assert "The ferry sank" in say(mira, "What happened to the ferry?")["response"]


def test_of_what_she_did_she_is_sure_and_names_no_date_of_ours(model: OnnxEmbedder) -> None:
    text = "I forged a sword for the duke last winter."
    save = open_save(":memory:", embedder=model, clock=lambda: 1.8e9)
    mira = save.npc("mira")
    mira.memories.store(text, 6)
    questions = ("What did you forge for the duke?", "Who forged the sword for the duke?")
    responses = [mira.unaided_answers.answer_from_memory("line", line)["response"] for line in questions]
    save.close()
    assert responses == [text, text]


def test_how_often_is_said_to_the_same_question_alone(mira: Npc) -> None:
    mira.memories.store_player_action("stole", "stole my best hammer")
    often = tuple(text.partition("{")[0] for text in sentences_of("says_often"))
    questions = ("Who stole your hammer?", "Where is your hammer?", "What happened to your hammer?")
    responses = [say(mira, question)["response"] for question in questions]
    assert all("stole my best hammer" in response for response in responses)
    assert not any(response.startswith(often) for response in responses)
    say(mira, "Where's your hammer?")
    assert say(mira, "where is your hammer")["response"].startswith(often)


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("I gave your hammer back.", "says_noted"),
        ("I return your hammer.", "says_heard"),
        ("I have paid for it.", "says_heard"),
    ],
)
def test_a_statement_is_no_question(mira: Npc, line: str, key: str) -> None:
    mira.memories.store_player_action("stole", "stole my best hammer")
    for said in ("Who stole your hammer?", "Who stole your hammer?", "I did not steal your hammer."):
        exchange(mira, said)
    assert exchange(mira, line) in sentences(key)


def feel(npc: Npc, line: str) -> str:
    """The answer to a line, with what the mind feels."""
    answer = npc.unaided_answers.answer_from_memory("line", line, {"has_mind": True})
    return str(answer["response"])


_ROBBERY = {"action": "stole", "source_id": "player", "source_name": "Theron"}


@pytest.mark.parametrize("robber", ["The player", "Theron"])
@pytest.mark.parametrize(
    "question",
    ["Are you angry with me?", "Why are you angry?", "Are you still mad at me?", "Do you like me?"],
)
def test_what_she_feels_is_answered_with_why(mira: Npc, robber: str, question: str) -> None:
    mira.mind.perceive({**_ROBBERY, "description": f"{robber} stole my best hammer."})
    assert feel(mira, question) == "I feel angry. You stole my best hammer."


def test_without_a_mood_she_says_how_she_stands_to_the_player(mira: Npc) -> None:
    opinions = sentences("says_opinion_1") | sentences("says_opinion_2")
    assert feel(mira, "Are you angry with me?") in sentences("says_stranger")
    exchange(mira, "Hello.")
    assert feel(mira, "Are you angry with me?") in opinions
    assert feel(mira, "Are you sad?") in sentences("says_well")
    mira.mind.perceive({**_ROBBERY, "content": "hammer"})
    mira.mind.feelings.feel("neutral", 50.0)
    response = feel(mira, "Are you angry with me?")
    assert response in sentences("says_to_you_to_foe", memory="You stole from me: hammer.")


@pytest.mark.parametrize(
    ("action", "description", "text"),
    [
        ("stole", "hammer", "The player stole a hammer"),
        ("helped", "the smith", "The player helped the smith"),
        ("stole", "stole my hammer", "The player stole my hammer"),
        ("promise_made", "promised to mend it", "The player promised to mend it"),
    ],
)
def test_an_action_without_a_verb_gets_its_own(mira: Npc, action: str, description: str, text: str) -> None:
    mira.memories.store_player_action(action, description)
    assert mira.recall.get_recent(1)[0]["document_full"] == text


def test_a_thing_is_not_quoted_and_words_are(mira: Npc) -> None:
    for action, content in (("stole", "hammer"), ("insulted", "You old mule")):
        mira.mind.perceive({**_ROBBERY, "action": action, "content": content})
    texts = [memory["document_full"] for memory in mira.recall.get_recent(2)]
    assert texts == ['Theron insulted me: "You old mule"', "Theron stole from me: hammer."]


def test_what_she_saw_is_told_as_what_was_done(mira: Npc) -> None:
    mira.memories.store_witnessed_event("The player stole the hammer of the smith.")
    assert say(mira, "Who stole the hammer of the smith?")["response"] in sentences(
        "says_to_you", memory="You stole the hammer of the smith."
    )


def test_what_the_player_did_is_no_talk(mira: Npc) -> None:
    mira.memories.store_player_action("stole", "stole my best hammer")
    for line in ("I am a knight from Greywater.", "I like your beard.", "I live in Oakvale."):
        exchange(mira, line)
    assert "You stole my best hammer." in exchange(mira, "What did I take from you?")
    response = exchange(mira, "What did I do to you?")
    assert "You stole my best hammer." in response and "Greywater" not in response


@pytest.mark.parametrize("question", ["Where am I from?", "What am I?", "Do you know where I come from?"])
def test_a_player_hears_what_they_told_of_themselves(mira: Npc, question: str) -> None:
    for line in ("I am a knight from Greywater.", "I am a bit tired.", "I like your beard."):
        exchange(mira, line)
    answer = exchange(mira, question)
    assert "I am a knight from Greywater." in answer
    assert "tired" not in answer


def test_a_player_who_told_nothing_of_themselves_hears_nothing(mira: Npc) -> None:
    exchange(mira, "I like your beard.")
    assert say(mira, "Where am I from?")["kind"] == "unknown"
