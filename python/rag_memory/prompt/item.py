"""One entry of a dossier: a text that may become shorter, by whole sentences or to its short form."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.dedup_key import dedup_key
from rag_memory.text.harmless import harmless
from rag_memory.text.leaning import leans
from rag_memory.text.statements import passages_of
from rag_memory.text.terms import terms
from rag_memory.text.token_width import token_width

_LINE_END = lazy_pattern(r"(?<!\n)\n(?!\n)")
_LEAST_WORDS = 4
"""So many equal words in a row are no coincidence."""
_NEARLY_ALL = 0.6
"""A text that repeats so much of what is shown adds too little."""
_LONGEST_TEXT = 8000
_GAP = "…"


class Item:
    """A memory, an event, a piece of lore ... that may come into a section.

    Args:
        id: "" for what has none, such as a line of the scene.
        before, after: what stands around the text in its line.
        score: what it was ranked by.
        about: the terms of the question. When given, the sentences that have the most of them are kept,
            else the first ones.
        matter: the id of what it is about, such as the debate of which it is the outcome.
        short: the only form besides the whole text that may be shown; "" for any of its sentences.
    """

    def __init__(
        self,
        id: str,
        text: str,
        before: str = "- ",
        after: str = "",
        score: float = 0.0,
        about: frozenset[str] = frozenset(),
        matter: str = "",
        short: str = "",
    ) -> None:
        self.id = id
        self.before = before
        self.after = after
        self.score = score
        self.shown = ""
        self.matter = matter or id
        self._whole = text
        self._short = " ".join(_parts_of(short))
        self._about = about

    @functools.cached_property
    def _parts(self) -> tuple[str, ...]:
        return _parts_of(self._whole[:_LONGEST_TEXT])

    @functools.cached_property
    def _sentences(self) -> list[str]:
        # A heading, for example, has no mark at its end, and would run into what follows.
        parts = self._parts
        ended = [f"{part}." if part[-1].isalnum() else part for part in parts[:-1]]
        return ended if len(self._whole) > _LONGEST_TEXT else [*ended, *parts[-1:]]

    @functools.cached_property
    def _order(self) -> list[int]:
        """The places of the sentences, the most telling first."""
        counts = [len(self._about.intersection(terms(sentence))) for sentence in self._sentences]
        return sorted(range(len(counts)), key=lambda place: (-counts[place], place))

    @functools.cached_property
    def text(self) -> str:
        """The whole text."""
        return " ".join(self._sentences)

    @property
    def is_whole_or_short(self) -> bool:
        """True if it has a short form, and so no form of any other length."""
        return self._short != ""

    @property
    def line(self) -> str:
        """The line in the dossier."""
        return f"{self.before}{self.shown}{self.after}"

    @property
    def least_width(self) -> int:
        """The width of the shortest line that says something."""
        if self._short:
            return min(token_width(self._short), token_width(self.text)) + self._around
        first = self._sentences[:1] if not self._about else sorted(self._sentences, key=len)[:1]
        return sum(map(token_width, first)) + self._around

    @property
    def full_width(self) -> int:
        """The width of the line with the whole text."""
        return token_width(self.text) + self._around

    @property
    def _around(self) -> int:
        return token_width(self.before + self.after)

    def shorten(self, width: int) -> bool:
        """Show what fits into a line of this width, and return whether something does."""
        room = width - self._around
        self.shown = self.text
        if token_width(self.shown) > room and self._short:
            self.shown = self._short if token_width(self._short) <= room else ""
        elif token_width(self.shown) > room:
            self.shown = " ".join(self._most_telling(room) if self._about else self._first(room))
        return self.shown != ""

    def _first(self, room: int) -> list[str]:
        sentences: list[str] = []
        for sentence in self._sentences:
            room -= token_width(f" {sentence}" if sentences else sentence)
            if room < 0:
                break
            sentences.append(sentence)
        return sentences

    def _most_telling(self, room: int) -> list[str]:
        chosen: set[int] = set()
        gap = token_width(f" {_GAP} ")
        for place in self._order:
            with_it = self._groups[place] - chosen
            needed = sum(token_width(self._sentences[at]) + gap for at in with_it)
            if needed <= room + gap:
                chosen |= with_it
                room -= needed
        places = sorted(chosen)
        after_a_gap = {place for last, place in itertools.pairwise(places) if place != last + 1}
        return [
            f"{_GAP} {self._sentences[at]}" if at in after_a_gap else self._sentences[at] for at in places
        ]

    @functools.cached_property
    def _groups(self) -> list[set[int]]:
        return [self._understood(place) for place in range(len(self._sentences))]

    def _understood(self, place: int) -> set[int]:
        """The places of a sentence and of those without which it says nothing or something else: what its
        first word stands for, and what follows a heading.
        """
        first = place
        while first and leans(self._sentences[first]):
            first -= 1
        last = place
        while last + 1 < len(self._sentences) and self._parts[last][-1].isalnum():
            last += 1
        return set(range(first, last + 1))


@functools.lru_cache(1024)
def _parts_of(text: str) -> tuple[str, ...]:
    """The sentences of a text. The same few texts come again from question to question."""
    # A text may have line ends where it was wrapped; an empty line ends a sentence.
    return tuple(part for part in map(harmless, passages_of(_LINE_END.sub(" ", text))) if part)


class ShownTexts:
    """The texts that a dossier already shows."""

    def __init__(self, items: Iterable[Item] = ()) -> None:
        self._keys: set[tuple[str, ...]] = set()
        self._matters: set[str] = set()
        self._parts: list[tuple[int, str]] = []
        for item in items:
            self.add(item)

    def add(self, item: Item) -> None:
        """Add the shown form of an item."""
        shown = dedup_key(item.shown)
        self._matters.add(item.matter)
        self._keys.update((shown, dedup_key(item.text)))
        self._parts.append((len(shown), _spaced(shown)))

    def copy(self) -> ShownTexts:
        """Return a copy that may be added to."""
        other = ShownTexts()
        other._keys, other._matters, other._parts = set(self._keys), set(self._matters), list(self._parts)
        return other

    def says(self, item: Item) -> bool:
        """Return whether an item would repeat them: its matter is shown, or its text is nearly the same as a
        shown one, a part of it, or mostly made of it.
        """
        if item.matter != item.id and item.matter in self._matters:
            return True
        own = dedup_key(item.text)
        if own in self._keys or dedup_key(item.shown) in self._keys:
            return True
        spaced, count = _spaced(own), len(own)
        return any(
            (count >= _LEAST_WORDS and spaced in part)
            or (length >= _LEAST_WORDS and length >= _NEARLY_ALL * count and part in spaced)
            for length, part in self._parts
        )


def _spaced(key: tuple[str, ...]) -> str:
    return f" {' '.join(key)} "
