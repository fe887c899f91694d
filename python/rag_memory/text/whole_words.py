"""Patterns of whole words and names, also in scripts that put no spaces between words."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.terms import is_spaceless

_HANGUL = ("\uac00", "\ud7a3")
_KATAKANA = "\u30a1-\u30fa\u30fc"
_PARTICLE = (
    "에게서?|한테서?|께서?|으로|로|이랑|랑|하고|처럼|부터|까지|보다|밖에|마저|조차|이나|이라|이야|이|가|은|는|을|를|의|도|만|와|과"
    "|에|씨|님|군|양|아|야"
)
"""What follows a Korean name without a space."""
_TITLES = "さん|さま|様|殿|ちゃん|くん|君|先生|小姐|女士|大人"
_HONORIFIC = lazy_pattern(rf"(?<=[\u3041-\u30fc\u3400-\u9fff])(?:{_TITLES})$|(?<=[가-힣]) ?[씨님]$")


def whole_words(words: Iterable[str]) -> str:
    """A pattern of any of these words, the longest first; one that never matches when there are none.

    A word of letters with spaces between words stands alone. Han, kana and Thai words are found within what
    surrounds them ("花子さん"), a Korean one with particles after it ("민수에게는"). A name in katakana is no
    part of a longer one.
    """
    longest_first = sorted(filter(None, words), key=len, reverse=True)
    return f"(?:{'|'.join(map(_bounded, longest_first)) or '(?!)'})"


def without_honorific(name: str) -> str:
    """Return a name as others are called by it: without "さん", "様", "씨", "님" and the like."""
    return _HONORIFIC.sub("", name.strip())


def without_address(line: str, name: str) -> str:
    """Return a line without the name of whom it speaks to at its beginning, in scripts that put no space
    between words: "ミラさんは元気ですか" and "米拉你好吗".
    """
    called = without_honorific(name)
    if not called or not is_spaceless(called[-1]):
        return line
    return re.sub(rf"^\s*{whole_words([called])}(?:{_TITLES})?[はも]?", "", line)


def _bounded(word: str) -> str:
    return _before(word[0]) + re.escape(word) + _after(word[-1])


def _before(first: str) -> str:
    if re.match(f"[{_KATAKANA}]", first):
        return f"(?<![{_KATAKANA}])"
    return r"(?<!\w)" if _is_hangul(first) or not is_spaceless(first) else ""


def _after(last: str) -> str:
    if _is_hangul(last):
        return rf"(?=(?:{_PARTICLE}){{0,3}}(?!\w))"
    if re.match(f"[{_KATAKANA}]", last):
        return f"(?![{_KATAKANA}])"
    return "" if is_spaceless(last) or not last.isalnum() else r"(?!\w)"


def _is_hangul(character: str) -> bool:
    return _HANGUL[0] <= character <= _HANGUL[1]
