"""Somebody's words as a part of a prompt's line: they cannot pass for the structure of the prompt."""

from __future__ import annotations

import re
import unicodedata

_STRUCTURE = str.maketrans('<>[]{}"`|', "‹›()()''/")
_INVISIBLE = frozenset({"Cc", "Cf", "Co", "Cs", "Cn"})
_JOINERS = "\u200c\u200d"
"""Invisible, but part of how some languages and emoji are written."""
_RULE = re.compile(r"[-=_*~+#—–]{3,}")


def harmless(text: str) -> str:
    """The text as one line without what cannot be seen, without the characters that prompts are structured
    with, and without rules of dashes.
    """
    line = " ".join(text.split())
    if not line.isascii():
        line = "".join(sign for sign in line if sign in _JOINERS or _is_visible(sign))
    return _RULE.sub("—", line.translate(_STRUCTURE)).lstrip("# ")


def _is_visible(character: str) -> bool:
    return unicodedata.category(character) not in _INVISIBLE
