"""Words of somebody else (a player, a model, a memory of what they said) as a part of a prompt's line.

They cannot pass for the structure of the prompt: the text becomes one line, without the characters of which
tags, headers, quotes, fences and chat templates are made, and without a colon after what could be the name of
a role. The words stay readable. Time is linear in the length of the text.
"""

from __future__ import annotations

import functools
import unicodedata

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.role_words import role_colons

LONGEST_TEXT = 8000
"""Characters of a text that are taken: more than any section of a prompt has room for."""
_CACHED = 1000
_LONGEST_CACHED = 400
"""Characters of a text that is remembered: the same facts and memories come in one prompt after another."""
_ALIKE = (
    ("<﹤〈⟨《⟪〈❮❰≺˂❬⦑⧼ᐸ", "‹"),
    (">﹥〉⟩》⟫〉❯❱≻˃❭⦒⧽ᐳ", "›"),
    ("[{【〔〖⟦⁅❲❴﹛﹝｟⟬⸨", "("),
    ("]}】〕〗⟧⁆❳❵﹜﹞｠⟭⸩", ")"),
    ('"“”„‟«»「」『』〝〞❝❞″‶ʺˮ״`´ˋ', "'"),
    ("|¦│∣ǀ\\", "/"),
    ("#＃", ""),
    ("：﹕꞉∶ː˸։ꓽ׃⁚⦂︓︙︰∷⫶⋮⁝⁞ˑ܃܄༔፡፥፦᛬᠄꛴𐞁𐞂", ":"),
)
"""Characters, and what stands for each of them. Look-alikes of brackets, quotes and colons are here, too."""
_FULL_WIDTH = range(0xFF01, 0xFF5F)
_FULL_WIDTH_OFFSET = 0xFEE0
_WIDE_MARKS = "！，；？"
"""Punctuation of Chinese and Japanese, of which no structure is made."""
_ALPHABETS = (
    *(
        (0x249C, "a"),
        (0x24B6, "A"),
        (0x24D0, "a"),
        (0x1F110, "A"),
        (0x1F130, "A"),
        (0x1F150, "A"),
        (0x1F170, "A"),
    ),
    *((0x1D400 + number * 26, "Aa"[number % 2]) for number in range(26)),
)
"""Blocks of Unicode that repeat the Latin alphabet, in circles, squares and formulas: first code, letter."""
_IGNORABLE = (
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
    *(
        (0x200B, 0x200F),
        (0x202A, 0x202E),
        (0x2060, 0x206F),
        (0x3164, 0x3164),
        (0xFE00, 0xFE0F),
        (0xFEFF, 0xFEFF),
    ),
    *((0xFFA0, 0xFFA0), (0xFFF0, 0xFFFF), (0x16FE4, 0x16FE4), (0x1BCA0, 0x1BCA3), (0x1D159, 0x1D159)),
    *((0x1D173, 0x1D17A), (0xE0000, 0x10FFFF)),
)
"""Ranges of what is drawn as nothing, beside the controls: Default_Ignorable_Code_Point, and fillers."""
_JOINERS = "\u200c\u200d"
"""Invisible, but part of how some scripts and emoji are written."""
_PLAIN = lazy_pattern(r"(?:[A-Za-z0-9,.!?;'()]+(?: (?=[A-Za-z0-9,.!?;'()])|[-/](?=[A-Za-z0-9])|\Z))*")
"""Text that needs no cleaning: most lines of most games."""
_RULE = lazy_pattern(r"[-=_*~+—–]{3,}")
"""No text draws a line across the prompt."""
_BLANK = "\u2800"
"""A Braille pattern without dots."""


class _Replacements(dict[int, str]):
    """What stands for a character, found out when it is first met."""

    def __init__(self, keeps_lines: bool, cleans: bool) -> None:
        super().__init__()
        self._keeps_lines = keeps_lines
        self._alike = _alike() if cleans else {}

    def __missing__(self, code: int) -> str:
        self[code] = self._replacement(code)
        return self[code]

    def _replacement(self, code: int) -> str:
        character = chr(code)
        if self._keeps_lines and character in "\r\n":
            return "\n" if character == "\n" else ""
        if character.isspace() or character == _BLANK:
            return " "
        is_ignorable = any(first <= code <= last for first, last in _IGNORABLE)
        if is_ignorable or unicodedata.category(character)[0] == "C":
            return character if character in _JOINERS else ""
        if self._alike and code in _FULL_WIDTH and character not in _WIDE_MARKS:
            character = chr(code - _FULL_WIDTH_OFFSET)
        return self._alike.get(character, character)


def _alike() -> dict[str, str]:
    replacements = {character: plain for characters, plain in _ALIKE for character in characters}
    for first, letter in _ALPHABETS:
        replacements.update((chr(first + number), chr(ord(letter) + number)) for number in range(26))
    return replacements


_HARMLESS = _Replacements(keeps_lines=False, cleans=True)
_VISIBLE = _Replacements(keeps_lines=False, cleans=False)
_VISIBLE_LINES = _Replacements(keeps_lines=True, cleans=False)
_STRAY_JOINER = lazy_pattern(
    f"(?<![^\u0000-\u05ff{_JOINERS}])[{_JOINERS}]+|[{_JOINERS}]+(?![^\u0000-\u05ff{_JOINERS}])"
)
"""Joiners belong between characters of scripts that are written with them: not Latin, Greek or Cyrillic."""


def harmless(text: str, own_roles: frozenset[str] = frozenset()) -> str:
    """Returns the text as one harmless line.

    `own_roles` are a game's own words for the speakers in a prompt.
    """
    text = text[:LONGEST_TEXT]
    if _PLAIN.fullmatch(text):
        return text
    return (_cleaned_before if len(text) <= _LONGEST_CACHED else _cleaned)(text, own_roles)


def _cleaned(text: str, own_roles: frozenset[str]) -> str:
    line = _without_stray_joiners(text.translate(_HARMLESS))
    line = " ".join(_RULE.sub("—", line).split())
    colons = role_colons(line, own_roles)
    if colons:
        line = "".join("," if place in colons else character for place, character in enumerate(line))
    return line.strip()


_cleaned_before = functools.lru_cache(_CACHED)(_cleaned)


def visible(text: str, keeps_lines: bool = False) -> str:
    """Returns the text without what cannot be seen: controls, bidirectional marks, tags, private characters.

    Line ends become spaces, or stay.
    """
    return text.translate(_VISIBLE_LINES if keeps_lines else _VISIBLE)


def _without_stray_joiners(text: str) -> str:
    if not any(joiner in text for joiner in _JOINERS):
        return text
    return _STRAY_JOINER.sub("", text)
