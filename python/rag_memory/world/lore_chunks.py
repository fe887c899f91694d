"""Lore in chunks: 100 to 300 words each that belong together, and no sentence cut."""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from rag_memory.step import Step, Steps
from rag_memory.text.short_form import short_form
from rag_memory.world.markdown_sections import PARAGRAPH, MarkdownSection, Unit, count_words

LEAST_WORDS = 100
MOST_WORDS = 300
_FULL_WORDS = 220
"""About what the model reads. A chunk ends before the sentence that would make it longer."""
_GOOD_WORDS = 150
"""From here on a chunk ends with a paragraph."""
LONGEST_SUMMARY = 200
"""Characters of a chunk's summary, at most."""
_SUMMARIZED_CHARS = 600
_CUT_AT_ONCE = 100
_CUTTING = "cutting lore into chunks"


class Chunk(NamedTuple):
    """A part of a lore text."""

    id: str
    """The source's key and a hash of headings and text: the same as long as these are."""
    heading_path: tuple[str, ...]
    text: str
    words: int
    known_by: tuple[str, ...] = ()
    """The owners that its headings name; none: those of the source."""

    @property
    def searched_text(self) -> str:
        """The text that is embedded and searched."""
        return f"{' > '.join(self.heading_path)}: {self.text}" if self.heading_path else self.text


def summary_of(text: str, names: Sequence[str]) -> str:
    """The summary of a chunk: the most telling piece of its beginning, in whole sentences where they fit."""
    beginning = text[:_SUMMARIZED_CHARS]
    return short_form(" ".join(beginning.split()), LONGEST_SUMMARY, LONGEST_SUMMARY, names)


class _Part(NamedTuple):
    path: tuple[str, ...]
    units: tuple[Unit, ...]
    words: int
    known_by: tuple[str, ...] = ()


class _Node:
    """A heading in the tree of headings."""

    def __init__(
        self, level: int, path: tuple[str, ...], units: Sequence[Unit], known_by: tuple[str, ...] = ()
    ) -> None:
        self.level = level
        self.known_by = known_by
        self.path = path
        self.units = units
        self.children: list[_Node] = []

    def parts_steps(self) -> Steps[list[_Part]]:
        """The chunks of a heading and of all headings below it, in slices."""
        if self.path and not self.units and not self.children:
            # Nothing but a heading: its words are a part of what stands around it.
            return [_part(self.path[:-1], [_line(self.path[-1])], self.known_by)]
        parts = [part._replace(known_by=self.known_by) for part in _split(self.path, self.units)]
        for number, child in enumerate(self.children, 1):
            parts += yield from child.parts_steps()
            yield Step(number, len(self.children), _CUTTING)
        return (yield from _joined_steps(parts))


def chunks_steps(key: str, sections: Sequence[MarkdownSection]) -> Steps[list[Chunk]]:
    """The chunks of a source, in their order, in slices."""
    parts = yield from _tree(sections).parts_steps()
    chunks: list[Chunk] = []
    seen: Counter[str] = Counter()
    for part in parts:
        first, *others = part.units
        text = "".join([first.text, *(unit.gap + unit.text for unit in others)])
        content = "\n".join(part.path) + "\0" + text
        digest = hashlib.blake2b(content.encode(), digest_size=10).hexdigest()
        seen[digest] += 1
        again = f"-{seen[digest]}" if seen[digest] > 1 else ""
        chunks.append(Chunk(f"{key}:{digest}{again}", part.path, text, part.words, part.known_by))
        if len(chunks) % _CUT_AT_ONCE == 0:
            yield Step(len(chunks), len(parts), _CUTTING)
    return chunks


def _tree(sections: Sequence[MarkdownSection]) -> _Node:
    root = _Node(0, (), [])
    above = [root]
    for section in sections:
        if not section.level:
            root.units = section.units
            continue
        while above[-1].level >= section.level:
            above.pop()
        path = (*above[-1].path, section.title) if section.title else above[-1].path
        node = _Node(section.level, path, section.units, section.known_by or above[-1].known_by)
        above[-1].children.append(node)
        above.append(node)
    return root


def _split(path: tuple[str, ...], units: Sequence[Unit]) -> list[_Part]:
    """The text below one heading in parts."""
    parts: list[list[Unit]] = [[]]
    words = 0
    for unit in units:
        longer = words + unit.words
        is_full = words >= LEAST_WORDS and longer > _FULL_WORDS
        if parts[-1] and (is_full or longer > MOST_WORDS or (words >= _GOOD_WORDS and unit.gap == PARAGRAPH)):
            parts.append([])
            longer = unit.words
        parts[-1].append(unit)
        words = longer
    if len(parts) > 1:
        _fill_up(parts[-2], parts[-1])
    return [_part(path, part) for part in parts if part]


def _fill_up(before: list[Unit], last: list[Unit]) -> None:
    """Give a short last part what the one before can spare, or all of it."""
    words, spare = _words(last), _words(before)
    if words >= LEAST_WORDS:
        return
    if words + spare <= MOST_WORDS:
        last[:0] = before
        before.clear()
        return
    while words < LEAST_WORDS and spare - before[-1].words >= LEAST_WORDS:
        words, spare = words + before[-1].words, spare - before[-1].words
        last.insert(0, before.pop())


def _joined_steps(parts: Sequence[_Part]) -> Steps[list[_Part]]:
    """The parts below a heading with short ones joined to those beside them, where both have room."""
    forward: list[_Part] = []
    for number, part in enumerate(parts):
        both = _join(forward[-1], part) if forward and forward[-1].words < LEAST_WORDS else None
        if both is not None:
            forward[-1] = both
        else:
            forward.append(part)
        if number % _CUT_AT_ONCE == _CUT_AT_ONCE - 1:
            yield Step(number, len(parts), _CUTTING)
    backward: list[_Part] = []
    for part in forward:
        both = _join(backward[-1], part) if backward and part.words < LEAST_WORDS else None
        if both is not None:
            backward[-1] = both
        else:
            backward.append(part)
    return backward


def _join(first: _Part, second: _Part) -> _Part | None:
    """Two parts as one, unless that is too long. Headings that only one is below become lines of the text."""
    words = first.words + second.words
    if words > MOST_WORDS or first.known_by != second.known_by:
        return None
    if first.path == second.path:
        return _Part(first.path, (*first.units, *second.units), words, first.known_by)
    pairs = zip(first.path, second.path, strict=False)
    path = tuple(title for title, _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
    begun, following = (tuple(map(_line, part.path[len(path) :])) for part in (first, second))
    words += _words(begun) + _words(following)
    if words > MOST_WORDS:
        return None
    units = (*begun, *_as_paragraph(first.units), *following, *_as_paragraph(second.units))
    return _Part(path, units, words, first.known_by)


def _as_paragraph(units: Sequence[Unit]) -> tuple[Unit, ...]:
    return (units[0]._replace(gap=PARAGRAPH), *units[1:])


def _part(path: tuple[str, ...], units: Sequence[Unit], known_by: tuple[str, ...] = ()) -> _Part:
    return _Part(path, tuple(units), _words(units), known_by)


def _line(title: str) -> Unit:
    return Unit(title, PARAGRAPH, count_words(title))


def _words(units: Sequence[Unit]) -> int:
    return sum(unit.words for unit in units)
