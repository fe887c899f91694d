"""Work on a text grows with its length, whatever the text. Otherwise some of these would take an hour."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rag_memory.memory.classification import tells_of_family_death
from rag_memory.text.dedup_key import dedup_key
from rag_memory.text.gazetteer import names_in, parse_query
from rag_memory.text.name_check import NameCheck
from rag_memory.text.short_form import details_of, sentences_of, short_form
from rag_memory.text.terms import index_terms, question_terms, words

LENGTH = 200_000
KNOWN = NameCheck(["Gregor", "Aldric", "Caroline"])

ODD = {
    "one word": "a",
    "a capital": "A",
    "two capitals": "Ab",
    "spaces": " ",
    "lines": "a\n",
    "dots": ".",
    "quotes": '"',
    "hyphens": "a-",
    "apostrophes": "a'",
    "titles": "Mr. ",
    "initials": "A. ",
    "names": "Gregor Alda ",
    "sayings": "Gregor said: ",
    "a sentence": "The player gave me a rose by the well. ",
    "stop words": "the ",
    "digits": "1,",
    "accents": "\u0301\u0327",
    "emoji": "😀",
    "family": "👩\u200d",
    "Han": "水",
    "Kana": "川で魚を釣った",
    "Hangul": "각",
    "Thai": "กาที่",
    "ligatures": "ﷺ",
}


def checked(text: str) -> str:
    return "".join(KNOWN.unknown(text, [text]))


def details(text: str) -> frozenset[str]:
    return details_of(text, sentences_of(text), ["Gregor"])


def terms(text: str) -> list[str]:
    return index_terms(text, text, "[]", "[]", "[]", text)


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize(
    "work",
    [
        *(
            words,
            question_terms,
            terms,
            names_in,
            dedup_key.__wrapped__,
            checked,
            details,
            tells_of_family_death,
        ),
        lambda text: parse_query(text, {"gregor", "水川"}.__contains__),
        lambda text: short_form(text, 80, 100, ["Gregor"]),
    ],
    ids=["words", "question", "terms", "names", "dedup", "check", "facts", "deaths", "query", "short"],
)
def test_no_text_takes_more_than_its_length(work: Callable[[str], Any], odd: str) -> None:
    text = ODD[odd] * (LENGTH // len(ODD[odd]))
    work(f"x{text}x")


def test_different_sentences_and_names_take_no_more() -> None:
    letters = "abcdefghij"
    numbers = range(40_000)
    told = ["".join(letters[int(digit)] for digit in f"{number:05}") for number in numbers]
    text = " ".join(f"Xo{name} said no." for name in told)
    assert len(details(text)) == len(told)
    assert len(KNOWN.unknown(text)) == len(told)


def test_each_word_of_a_question_is_looked_at_by_itself() -> None:
    text = "the roof " * 500_000
    assert parse_query(text, {"gregor"}.__contains__).nameless == text


def test_a_pile_of_accents_makes_no_other_word() -> None:
    assert words("e\u0301le\u0300ve") == words("élève") == ["eleve"]
    assert words("cafe" + "\u0301" * 500 + " noir") == ["cafe", "noir"]
    assert words("!" * 500 + "noir" + "😀" * 500 + "e\u0301te\u0301") == ["noir", "ete"]
