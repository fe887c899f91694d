"""English numbers in digits and words."""

from __future__ import annotations

from collections.abc import Iterable

_UNITS = [
    *(
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
    ),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ORDINAL_UNITS = [
    *(
        "zeroth",
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
        "sixth",
        "seventh",
        "eighth",
        "ninth",
        "tenth",
    ),
    *("eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth"),
    *("eighteenth", "nineteenth"),
]

_NUMBERS: dict[str, int] = {word: number for number, word in enumerate(_UNITS)}
_ORDINALS: dict[str, int] = {word: number for number, word in enumerate(_ORDINAL_UNITS) if number}
for _ten, _word in enumerate(_TENS, 2):
    _NUMBERS[_word] = _ten * 10
    _ORDINALS[_word[:-1] + "ieth"] = _ten * 10
    for _unit in range(1, 10):
        for _hyphen in "- ":
            _NUMBERS[f"{_word}{_hyphen}{_UNITS[_unit]}"] = _ten * 10 + _unit
            _ORDINALS[f"{_word}{_hyphen}{_ORDINAL_UNITS[_unit]}"] = _ten * 10 + _unit
_VAGUE: dict[str, tuple[int, int]] = {
    "a": (1, 1),
    "an": (1, 1),
    "a couple of": (2, 2),
    "a couple": (2, 2),
    "a few": (3, 5),
    "few": (3, 5),
    "some": (3, 7),
    "several": (3, 7),
    "half a dozen": (6, 6),
    "a dozen": (12, 12),
    "a hundred": (100, 100),
}


def _either(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


def _numbers(words: dict[str, int], units: list[str]) -> str:
    """One of these numbers. The tens are written once: patterns of every number take long to compile."""
    simple = [word for word in words if word.isalpha()]
    return rf"(?:{_either(_TENS)})[- ](?:{_either(units[1:10])})|{_either(simple)}"


CARDINAL = rf"\d{{1,5}}|{_numbers(_NUMBERS, _UNITS)}"
"""A regular expression: an exact number."""
AMOUNT = rf"{CARDINAL}|{_either(_VAGUE)}"
"""A regular expression: a number, or a word for one such as "a few"."""
ORDINAL = rf"\d{{1,5}}(?:st|nd|rd|th)|{_numbers(_ORDINALS, _ORDINAL_UNITS)}"
"""A regular expression: "3rd" or "third"."""


def amount(text: str) -> tuple[int, int]:
    """The least and the most that an AMOUNT stands for."""
    if text in _VAGUE:
        return _VAGUE[text]
    number = int(text) if text.isdigit() else _NUMBERS[text]
    return number, number


def cardinal(text: str) -> int:
    """The number of a CARDINAL."""
    return int(text) if text.isdigit() else _NUMBERS[text]


def ordinal(text: str) -> int:
    """The number of an ORDINAL."""
    return int(text[:-2]) if text[0].isdigit() else _ORDINALS[text]
