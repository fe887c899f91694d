"""People with several names: a text that has one of them, and the same text with the others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rag_memory.ids import normal_id
from rag_memory.lazy_pattern import lazy_pattern

_ARTICLE = lazy_pattern(r"^the\s+", re.IGNORECASE)


class OtherNames:
    """The people who have several names; of each the names, the one that all stand for first."""

    def __init__(self, people: Iterable[Sequence[str]]) -> None:
        self._people = [
            (list(names), [_pattern(name) for name in names], {folded(name) for name in names})
            for names in people
            if len(names) > 1
        ]

    def same(self, name: str) -> frozenset[str]:
        """Return every name of the person who is called so, folded."""
        own = folded(name)
        return frozenset({own}.union(*(names for _, _, names in self._people if own in names)))

    def names_of(self, name: str) -> list[str]:
        """Return the name and the other names of everybody who is called so, as they are written."""
        own = folded(name)
        written = [name, *(other for names, _, all in self._people if own in all for other in names)]
        return list(dict.fromkeys(written))

    def added_to(self, text: str) -> str:
        """Return a text with the other names of everybody whom it names at its end."""
        others = [
            name
            for _, patterns, names in self._people
            if any(pattern.search(text) for pattern in patterns)
            for name in sorted(names)
        ]
        return " ".join([text, *others]) if others else text

    def by_first_name(self, text: str) -> str:
        """Return a text in which everybody is called by the first of their names."""
        for names, patterns, _ in self._people:
            for pattern in patterns[1:]:
                text = pattern.sub(lambda _, name=names[0]: name, text)  # type: ignore[misc]
        return text


def folded(name: str) -> str:
    """Return a name or id as it is compared: without regard to case, spaces around it and Unicode's ways to
    write a letter.
    """
    return normal_id(normal_id(name).casefold())


def _pattern(name: str) -> re.Pattern[str]:
    """Return the pattern of a name, with or without "the" before it."""
    bare = _ARTICLE.sub("", name)
    article = "(?:the )?" if bare != name else ""
    capital = re.escape(bare)
    if bare[:1].isupper():
        return re.compile(rf"(?<!\w)(?i:{article}){capital}(?!\w)")
    return re.compile(rf"(?<!\w){article}{capital}(?!\w)", re.IGNORECASE)
