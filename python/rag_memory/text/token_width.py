"""The room that a text takes in a prompt, estimated by its script."""

from __future__ import annotations

import itertools

from rag_memory.lazy_pattern import lazy_pattern

WIDTH_PER_TOKEN = 6
_LATIN = 2
"""Of a letter, a digit, a mark or a space: three characters are a token."""
_OTHER = 3
"""Of a letter of Cyrillic, Greek, Arabic, Hebrew, Thai and the like: two are a token."""
_IDEOGRAPH = 6
"""Of a character of Chinese, Japanese and Korean: each is a token."""
_OTHERS = lazy_pattern(
    r"[\u0370-\u1dff\u2c00-\u2dff\ua000-\uabff\ufb00-\ufdff\ufe70-\ufeff\U00010000-\U0001ffff]+"
)
_IDEOGRAPHS = lazy_pattern(
    r"[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]+"
)


def token_width(text: str) -> int:
    """The width of a text: WIDTH_PER_TOKEN of it are a token."""
    width = _LATIN * len(text)
    if not text.isascii():
        width += (_OTHER - _LATIN) * sum(map(len, _OTHERS.findall(text)))
        width += (_IDEOGRAPH - _LATIN) * sum(map(len, _IDEOGRAPHS.findall(text)))
    return width


def tokens_of_width(width: int) -> int:
    """The tokens of texts that have this width together, rounded up."""
    return -(-width // WIDTH_PER_TOKEN)


def length_within(text: str, width: int) -> int:
    """Return how many characters from the beginning of a text have at most this width."""
    if token_width(text) <= width:
        return len(text)
    if text.isascii():
        return max(0, width // _LATIN)
    widths = itertools.accumulate(map(token_width, text))
    return sum(1 for _ in itertools.takewhile(lambda so_far: so_far <= width, widths))
