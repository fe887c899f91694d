"""A player's question as the NPC would put it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_memory.text.questions import from_npc_view, is_personal, speaks_to_npc

PERSONAL_WORDS = re.compile(
    r"(?i)(?<![^\W_])(i|me|my|mine|myself|we|us|our|ours|you|your|yours|yourself)(?![^\W_])"
)

WORDS = (
    "do",
    "did",
    "you",
    "I",
    "me",
    "my",
    "the",
    "your",
    "was",
    "were",
    "am",
    "are",
    "Kit",
    "key",
    "give,",
)


@pytest.mark.parametrize(
    ("question", "rewritten"),
    [
        ("Did I bring you flowers?", "Did Kit bring me flowers?"),
        ("What did you give me?", "What did I give Kit?"),
        ("Do you trust me?", "Do I trust Kit?"),
        ("Where is my horse?", "Where is Kit's horse?"),
        ("Who killed your brother?", "Who killed my brother?"),
        ("Is this knife mine or yours?", "Is this knife Kit's or mine?"),
        ("When did we meet?", "When did Kit and I meet?"),
        ("Who saw us at the mill?", "Who saw Kit and me at the mill?"),
        ("Are you afraid of me?", "Am I afraid of Kit?"),
        ("Were you at the fair?", "Was I at the fair?"),
        ("Have I ever lied to you?", "Has Kit ever lied to me?"),
        ("Do I owe you money?", "Does Kit owe me money?"),
        ("What do you know about Bram?", "What do I know about Bram?"),
        ("Am I your friend?", "Is Kit my friend?"),
        ("What did I promise you?", "What did Kit promise me?"),
        ("You're the smith, aren't you?", "I am the smith, am not I?"),
        ("Who told you that I'm a thief?", "Who told me that Kit is a thief?"),
        ("I've been away; what happened?", "Kit has been away; what happened?"),
        ("Did you hurt yourself?", "Did I hurt myself?"),
        ("Who is older than you?", "Who is older than me?"),
    ],
)
def test_questions_are_rewritten(question: str, rewritten: str) -> None:
    assert from_npc_view(question, "Kit") == rewritten
    assert is_personal(question)


@pytest.mark.parametrize(
    "question", ["Where is the key?", "Who is the mayor?", "", "?!", "Wo ist der Schlüssel?", "鍵はどこ？"]
)
def test_a_question_without_a_pronoun_stays(question: str) -> None:
    assert from_npc_view(question, "Kit") is None
    assert not is_personal(question)


def test_only_some_questions_speak_to_the_npc() -> None:
    assert speaks_to_npc("Did you see it?")
    assert speaks_to_npc("Is it YOURS?")
    assert not speaks_to_npc("Where is my horse?")


def test_a_player_without_a_name_is_called_the_player() -> None:
    assert from_npc_view("Did I help you?", "the player") == "Did the player help me?"
    assert from_npc_view("I helped you?", "the player") == "The player helped me?"


@given(st.text(max_size=200))
def test_no_text_is_too_odd(text: str) -> None:
    rewritten = from_npc_view(text, "Kit")
    assert (rewritten is None) == (not is_personal(text))


@given(st.lists(st.sampled_from(WORDS), max_size=12))
def test_no_word_of_the_player_is_left(words: list[str]) -> None:
    """Rewritten texts refer to the NPC as "I", and don't address it."""
    question = " ".join(words) + "?"
    rewritten = from_npc_view(question, "Kit")
    if rewritten is None:
        assert not PERSONAL_WORDS.search(question)
    else:
        assert not speaks_to_npc(rewritten)


@given(st.text(alphabet="abcdefg hklmnopq?'", max_size=60).filter(lambda text: not is_personal(text)))
def test_what_has_no_pronoun_stays_however_often_it_is_rewritten(text: str) -> None:
    assert from_npc_view(text, "Kit") is None
