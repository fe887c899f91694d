"""Texts that only ask."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_memory import MemoryConfig
from rag_memory.text.questions import ends_with_question, only_asks

SAYINGS = MemoryConfig().player_sayings()


@pytest.mark.parametrize("text", ["Where?", 'She asked: "Where is it?"', "どこ？", "أين هو؟", '"Why?" '])
def test_what_ends_with_a_question(text: str) -> None:
    assert ends_with_question(text)


@pytest.mark.parametrize("text", ["It is here.", "", "Is it here? No.", "?!"])
def test_what_does_not(text: str) -> None:
    assert not ends_with_question(text)


@pytest.mark.parametrize(
    ("text", "is_only_asking"),
    [
        ('The player told me: "Where is the key?"', True),
        ('The player said: "Where is the key? And who has it?"', True),
        ('The player told me: "I lost the key. Where is it?"', False),
        ('The player told me: "Where is the key? Bram has it."', False),
        ('The player said: "Where is it?" I answered: "Under the pot."', False),
        ('The player said: "It is late." I answered: "Is it?"', False),
        ('Bram told me: "Where is the key?"', False),
        ("Where is the key?", False),
        ("I asked the player where the key is.", False),
        ("", False),
    ],
)
def test_only_questions_of_the_player_are_no_knowledge(text: str, is_only_asking: bool) -> None:
    assert only_asks(text, SAYINGS) == is_only_asking


def test_the_words_of_the_game_count_beside_the_english_ones() -> None:
    sayings = MemoryConfig(wording={"player_told_me": "Der Fremde fragte: {message}"}).player_sayings()
    assert only_asks("Der Fremde fragte: Wo ist der Schlüssel?", sayings)
    assert only_asks('The player told me: "Where is the key?"', sayings)


@given(st.text())
def test_no_text_is_too_odd(text: str) -> None:
    only_asks(text, SAYINGS)
    only_asks(f'The player told me: "{text}?"', SAYINGS)
