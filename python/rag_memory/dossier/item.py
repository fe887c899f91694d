"""One entry of a dossier: a text that may become shorter, but only by whole sentences."""

from __future__ import annotations

import re
from collections.abc import Collection

from rag_memory.text.dedup_key import dedup_key
from rag_memory.text.harmless import harmless
from rag_memory.text.short_form import sentences_of
from rag_memory.text.terms import terms

_LINE_END = re.compile(r"(?<!\n)\n(?!\n)")
_LEAST_WORDS = 4
"""So many words in a row are no accident."""
_NEARLY_ALL = 0.6
"""What repeats so much of what is known already has too little to add."""
_LONGEST_TEXT = 8000


class Item:
    """A memory, an event, a piece of lore ... that may come into a section.

    Args:
        id: "" for what has none, such as a line of the scene.
        before, after: what stands around the text in its line.
        score: what it was ranked by.
        about: the terms of the question. When given, the sentences that have the most of them are kept,
            else the first ones.
    """

    __slots__ = ("_about", "_sentences", "after", "before", "id", "score", "shown")

    def __init__(
        self,
        id: str,
        text: str,
        before: str = "- ",
        after: str = "",
        score: float = 0.0,
        about: Collection[str] = (),
    ) -> None:
        self.id = id
        self.before = before
        self.after = after
        self.score = score
        self.shown = ""
        self._about = frozenset(about)
        parts = [part for part in map(harmless, sentences_of(_whole_lines(text))) if part]
        # A heading, for example, has no mark at its end, and would run into what follows.
        ended = [f"{part}." if part[-1].isalnum() else part for part in parts[:-1]]
        self._sentences = ended if len(text) > _LONGEST_TEXT else [*ended, *parts[-1:]]

    @property
    def text(self) -> str:
        """All of it."""
        return " ".join(self._sentences)

    @property
    def line(self) -> str:
        """How it stands in the dossier."""
        return f"{self.before}{self.shown}{self.after}"

    @property
    def least_length(self) -> int:
        """Of the shortest line that tells something of it."""
        first = self._sentences[:1] if not self._about else sorted(self._sentences, key=len)[:1]
        return sum(map(len, first)) + len(self.before) + len(self.after)

    @property
    def full_length(self) -> int:
        """Of the line with all of it."""
        return len(self.text) + len(self.before) + len(self.after)

    def shorten(self, length: int) -> bool:
        """Show what fits into a line of this length; whether something does."""
        room = length - len(self.before) - len(self.after)
        self.shown = self.text
        if len(self.shown) > room:
            self.shown = " ".join(self._most_telling(room) if self._about else self._first(room))
        return self.shown != ""

    def repeats(self, other: Item) -> bool:
        """Whether it says nearly the same as the other one, or a part of what is shown of it."""
        own, told = dedup_key(self.text), dedup_key(other.shown)
        if own in (told, dedup_key(other.text)):
            return True
        shorter, longer = sorted((own, told), key=len)
        if len(shorter) < _LEAST_WORDS or (shorter is told and len(told) < _NEARLY_ALL * len(own)):
            return False
        return _spaced(shorter) in _spaced(longer)

    def shows_the_same(self, other: Item) -> bool:
        """Whether both are so short now that they say nearly the same."""
        return dedup_key(self.shown) == dedup_key(other.shown)

    def _first(self, room: int) -> list[str]:
        kept: list[str] = []
        for sentence in self._sentences:
            room -= len(sentence) + (1 if kept else 0)
            if room < 0:
                break
            kept.append(sentence)
        return kept

    def _most_telling(self, room: int) -> list[str]:
        counts = [len(self._about.intersection(terms(sentence))) for sentence in self._sentences]
        order = sorted(range(len(counts)), key=lambda place: (-counts[place], place))
        kept: list[int] = []
        for place in order:
            needed = len(self._sentences[place]) + (1 if kept else 0)
            if needed <= room:
                kept.append(place)
                room -= needed
        return [self._sentences[place] for place in sorted(kept)]


def _whole_lines(text: str) -> str:
    """Without the line ends at which it was wrapped; an empty line ends a sentence."""
    return _LINE_END.sub(" ", text[:_LONGEST_TEXT])


def _spaced(key: tuple[str, ...]) -> str:
    return f" {' '.join(key)} "
