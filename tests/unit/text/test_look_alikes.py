"""The prompt reads a word by what it looks like; whatever Unicode calls a form of a Latin letter is one."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest

TABLE = Path(__file__).parents[3] / "addons" / "rag_memory" / "prompt" / "look_alikes.gd"


@pytest.fixture(scope="module")
def letters() -> dict[str, str]:
    entries = re.findall(
        r'^\t"(\w)":\s*(.*?),\n(?=\t"|})', TABLE.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    return {each: letter for letter, rows in entries for row in re.findall(r'"(.*)"', rows) for each in row}


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
