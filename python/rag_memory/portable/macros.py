"""The placeholders of character cards and lorebooks, such as {{char}}, put into words."""

from __future__ import annotations

import re

from rag_memory.lazy_pattern import lazy_pattern

_MACRO = lazy_pattern(r"\{\{([^{}]{0,2000})\}\}|<(user|char|bot)>", re.IGNORECASE)
_COMMENT = ("//", "comment:", "hidden_key:", "note:")
_NOTHING = ("original", "trim", "noop")


class Macros:
    """Replaces placeholders by names, and remembers those that it left."""

    def __init__(self, character: str, player: str) -> None:
        self._names = {"user": player}
        if character:
            self._names |= {"char": character, "bot": character}
        self._left: dict[str, None] = {}

    def replaced(self, text: str) -> str:
        """The text with names for placeholders, and without the comments of its author."""
        return _MACRO.sub(self._replacement, text) if "{{" in text or "<" in text else text

    def lines(self) -> list[str]:
        """What is not kept, as a sentence; none when every placeholder had a name."""
        if not self._left:
            return []
        names = ", ".join(list(self._left)[:5])
        return [f"Placeholders stay in the text as they are: {names}."]

    def _replacement(self, match: re.Match[str]) -> str:
        macro = (match[1] if match[1] is not None else match[2]).strip()
        name = macro.casefold()
        if name in self._names:
            return self._names[name]
        if name in _NOTHING or name.startswith(_COMMENT):
            return ""
        if match[1] is not None or name in ("char", "bot"):
            self._left[match[0][:40]] = None
        return match[0]
