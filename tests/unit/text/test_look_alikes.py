"""The prompt reads a word by what it looks like; whatever Unicode calls a form of a Latin letter is one."""

from __future__ import annotations

import re
import unicodedata

import pytest

from rag_memory.text.look_alikes import LETTERS


@pytest.fixture(scope="module")
def letters() -> dict[str, str]:
    return {character: letter for letter, characters in LETTERS.items() for character in characters}


def test_every_form_of_a_latin_letter_is_in_the_table(letters: dict[str, str]) -> None:
    missing = []
    for code in range(0xA0, 0x20000):
        plain = unicodedata.normalize("NFKC", chr(code))
        if re.fullmatch(r"[A-Za-z]", plain) and letters.get(chr(code)) != plain.lower():
            missing.append(chr(code))
    assert missing == []


def test_every_small_capital_is_in_the_table(letters: dict[str, str]) -> None:
    for letter in "abcdefghijklmnoprstuvwyz":
        assert letters[unicodedata.lookup(f"LATIN LETTER SMALL CAPITAL {letter}")] == letter
