from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_memory.text.short_form import ELLIPSIS, short_form


def test_a_short_text_is_its_own_short_form() -> None:
    assert short_form("The bread was stale.\nAgain.", 80, 100) == "The bread was stale.\nAgain."


def test_a_sentence_with_names_and_numbers_is_kept_before_one_without() -> None:
    text = (
        "It was a long and quiet evening by the fire in the old tavern hall. "
        "Marcus owes Elena 30 gold pieces until spring."
    )
    short = short_form(text, 80, 100)
    assert short == (
        "It was a long and quiet evening by the fire in the old tavern hall. Marcus owes Elena 30 gold..."
    )


def test_a_name_is_not_lost_when_the_whole_text_fits() -> None:
    text = "It was a long day with nothing much going on at all around here. Theron came at 5."
    assert short_form(text, 80, 100) == text


def test_names_that_the_caller_knows_count() -> None:
    text = "We talked for hours about nothing at all that night. then gregor told me the truth of it at last."
    assert "gregor" in short_form(text, 60, 80, ["gregor"])


def test_abbreviations_and_decimals_do_not_end_sentences() -> None:
    text = (
        "I paid Mr. Brown 3.5 silver. "
        + "Nothing else happened on that very long and rather dull day at the mill. " * 2
    )
    assert short_form(text, 80, 100).startswith("I paid Mr. Brown 3.5 silver.")


def test_an_opened_quote_is_closed() -> None:
    text = 'Caroline said, "I went to the group. It was powerful and I cried a long time after it, you know."'
    assert short_form(text, 60, 80).count('"') % 2 == 0


@pytest.mark.parametrize("text", ["词" * 300, "a" * 300, "x " * 200, "\n" * 200 + "a", "é" * 120, "。" * 200])
def test_texts_without_words_or_sentences_are_cut(text: str) -> None:
    assert 0 < len(short_form(text, 80, 100)) <= 100


def test_a_megabyte_is_no_burden() -> None:
    assert len(short_form("The mill burned down at night. " * 35000, 80, 100)) <= 100


@given(st.text(max_size=400), st.integers(1, 120), st.integers(1, 120))
def test_never_longer_than_the_maximum_unless_it_is_the_whole_text(
    text: str, target: int, longest: int
) -> None:
    short = short_form(text, target, longest)
    assert len(short) <= longest or short == text


words = st.lists(
    st.sampled_from(["the", "mill", "Marcus", "12", "burned", "Elena", "slowly", "and"]),
    min_size=2,
    max_size=12,
)


@given(st.lists(words, min_size=1, max_size=6))
def test_ends_at_a_sentence_or_a_word(sentences: list[list[str]]) -> None:
    text = " ".join(" ".join(words) + "." for words in sentences)
    short = short_form(text, 80, 100)
    tokens = set(text.replace(".", " ").split())
    assert short.endswith((".", ELLIPSIS))
    assert all(word in tokens for word in short.replace(".", " ").split())


@given(words, words)
def test_a_fact_of_the_only_sentence_that_has_any_survives(plain: list[str], telling: list[str]) -> None:
    plain = [word for word in plain if word.islower()] or ["mill"]
    first, second = " ".join(["so", *plain]) + ".", " ".join(["then", *telling]) + "."
    if len(second) <= 100:
        short = short_form(f"{first} {second}", 80, 100)
        assert all(fact in short for fact in ("Marcus", "Elena", "12") if fact in telling)


def test_a_short_sentence_is_filled_up_with_the_beginning_of_the_next_one() -> None:
    text = (
        "We met at dusk. The bandits had burned the ferry and the miller's barn, and nobody dared to go "
        "out and count the sheep before the morning came."
    )
    short = short_form(text, 80, 100)
    assert short == "We met at dusk. The bandits had burned the ferry and the miller's barn, and..."


def test_a_common_word_that_opens_a_sentence_is_no_name() -> None:
    text = (
        "Rain came down all night long until the river took the old bridge near the mill. "
        "They say that Gregor lost his whole cart there, and both of the mules."
    )
    assert "Gregor lost his whole cart" in short_form(text, 80, 100)


@pytest.mark.parametrize(
    "sign", ["👩\u200d👩\u200d👧\u200d👦", "👍🏽", "🇩🇪", "e\u0301\u0323", "❤\ufe0f\u200d🔥"]
)
@pytest.mark.parametrize("limit", range(20, 40))
def test_signs_of_several_characters_are_not_cut_apart(sign: str, limit: int) -> None:
    short = short_form(sign * 40, limit, limit)
    assert short.endswith(ELLIPSIS) and len(short) <= limit
    kept = short.removesuffix(ELLIPSIS)
    assert kept and kept == sign * (len(kept) // len(sign))


@pytest.mark.parametrize(
    ("text", "speaker"),
    [
        (
            'The player said: "Good evening to all here at the mill by the river. My name is Signe."',
            "The player",
        ),
        (
            'The player told me: "I had a long walk through the rain and the mud. I am Signe."',
            "The player",
        ),
        (
            "The player said: “It was a long way through the rain and the mud. My name is Signe.”",
            "The player",
        ),
        ('Bjorn told me: "It was cold all day, and nobody came to buy anything. I hate Gregor."', "Bjorn"),
        (
            'I met the player for the first time. The player said: "I want a room, if there is one now. '
            'My name is Signe." I answered: "Welcome to the Copper Kettle, we have one."',
            "The player",
        ),
        (
            "The player said: It was a long way through the rain and mud. I am Signe of Saltmere.",
            "The player",
        ),
    ],
)
def test_words_of_somebody_else_keep_their_speaker(text: str, speaker: str) -> None:
    short = short_form(text, 80, 100)
    assert len(short) <= 100
    assert ("Signe" in text) == ("Signe" in short)
    assert short.startswith(speaker), short
    assert short.count('"') % 2 == 0


def test_what_is_said_after_the_quote_is_nobodys_words() -> None:
    text = (
        'The player said: "Good evening." Then the wolves of Marcus came down to the old mill by the river.'
    )
    assert short_form(text, 60, 80).startswith(("Then the wolves", "The player said"))
    assert 'said: "Then' not in short_form(text, 60, 80)
