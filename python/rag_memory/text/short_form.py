"""The short form of a memory: a part of its own text in one piece, chosen so that names and numbers survive
and that everybody's words stay theirs.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.leaning import leans
from rag_memory.text.name_check import is_common_word
from rag_memory.text.statements import (
    FIXED,
    NO_SPEECH,
    OPENING,
    Part,
    Speech,
    Statement,
    sentence_ends,
    statements_of,
)

ELLIPSIS = "..."
_JOINER = "\u200d"
_SKIN_TONES = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
_FLAG_LETTERS = frozenset(map(chr, range(0x1F1E6, 0x1F200)))

# Longer texts are shortened from their beginning: choosing among thousands of sentences would stall store().
_CONSIDERED_CHARS = 4000
_CONSIDERED_STARTS = 60
_DEEPEST_QUOTE = 2
_LEAST_CHARS = 50
_LEAST_SPOKEN = 18
"""Fewest characters that are kept of a quote."""

_NUMBER = lazy_pattern(r"\d+(?:[.,:]\d+)*")
_WORD = lazy_pattern(r"[^\W\d_][\w'’-]*")
_WORD_PART = lazy_pattern(r"[^\W\d_]\w*")
_COMMON_OPENERS = frozenset(
    """
    a after again all also although always an and another any are as at because before but by can come
    could did do does each even every everyone everything for from good had has have he hello her here
    hers hey hi his how however i if in is it its just last later let long look many maybe me most my
    never next no nobody none not nothing now of oh on once one only or our out over people perhaps
    please since so some somebody someone something sometimes soon such sure than thanks that the their
    them then there these they this those though three to today tomorrow tonight two under until up us
    very was we well were what when where whether which while who whoever whose why will with without
    would yes yesterday yet you your player
    """.split()  # noqa: SIM905 - as a list literal, nobody could read it
)


def short_form(
    text: str,
    target_length: int,
    max_length: int,
    names: Iterable[str] = (),
    speech: Speech = NO_SPEECH,
    no_names: frozenset[str] = frozenset(),
) -> str:
    """Return a form of `text` of at most `max_length` characters, or all of it if it cannot be shortened
    without changing its meaning.

    A text within `target_length` is its own short form. A short form is one piece of the text: sentences that
    follow one another, or the beginning of one up to a word. Somebody's words keep who says them, and may
    themselves be one piece of what was said, with an ellipsis where something is missing. Among the possible
    pieces, one with the NPC's own words and with what they answer wins; then the one with the most names and
    numbers; then the one with the first sentence; then the one nearest to `target_length`.

    Args:
        names: words known to be names (participants, entities), besides those that capital letters show.
        speech: how somebody's words are introduced in the game's language.
        no_names: words in lower case that are no names, whatever their capital letter.
    """
    target_length = min(target_length, max_length)
    if len(text) <= target_length:
        return text
    considered = text if len(text) <= _CONSIDERED_CHARS else text[:_CONSIDERED_CHARS] + ELLIPSIS
    if not considered.strip():
        return text[:max_length]
    details = details_of(considered, sentences_of(considered), names)
    details = frozenset(detail for detail in details if detail.lower() not in no_names)
    piece = _Shortening(sorted(details), speech).piece_of(considered, target_length, max_length)
    return text if piece is None or len(piece) >= len(text) else piece


class _Choice(NamedTuple):
    """A possible short form; the best is the greatest."""

    has_own: bool
    has_answered: bool
    details: int
    is_long_enough: bool
    stands_alone: bool
    is_uncut: bool
    is_beginning: bool
    is_within_target: bool
    nearness: int
    text: str


class _Shortening:
    """Makes short forms of a text and of the words of those who speak in it."""

    def __init__(self, details: Sequence[str], speech: Speech = NO_SPEECH, depth: int = 0) -> None:
        self._details = details
        self._speech = speech
        self._depth = depth
        self._cached: dict[tuple[Part, int], str | None] = {}

    def piece_of(self, text: str, target: int, room: int) -> str | None:
        """The best piece of a text within `room` characters; None when there is none."""
        statements = _with_answer(statements_of(text, self._speech))
        choices = (
            self._choice(statements, first, last, piece, is_uncut, target)
            for first in range(min(len(statements), _CONSIDERED_STARTS))
            for last, piece, is_uncut in self._pieces(statements, first, target, room)
        )
        best = max(choices, default=None)
        return None if best is None else best.text

    def _pieces(
        self, statements: Sequence[Statement], first: int, target: int, room: int
    ) -> Iterator[tuple[int, str, bool]]:
        """The pieces that begin with one of the statements: the place of the last one, the piece, and whether
        the last one is not cut.
        """
        whole = ""
        for last in range(first, len(statements)):
            statement = statements[last]
            whole += statement.gap if last > first else ""
            if statement.is_plain:
                for limit in sorted({target, room}):
                    left = limit - len(whole)
                    if len(statement.text) > left >= (_LEAST_SPOKEN if last > first else 1):
                        yield last, whole + _cut_at_word(statement.text, left), False
            whole += statement.text
            if len(whole) <= room:
                yield last, whole, True
                continue
            shortened = self._with_shorter_words(statements[first : last + 1], room)
            if shortened is None:
                break
            yield last, shortened, True

    def _with_shorter_words(self, run: Sequence[Statement], room: int) -> str | None:
        """The statements with everybody's words shortened; None when they are too long all the same."""
        parts = [
            (statement.is_own, part)
            for place, statement in enumerate(run)
            for part in (Part(FIXED, statement.gap if place else ""), *_shortable(statement))
        ]
        least = [min(len(part.text), _least(part)) for _, part in parts]
        spare = room - sum(least)
        if spare < 0:
            return None
        texts = [part.text for _, part in parts]
        # The answer has the room first, then whatever was said last.
        for place in sorted(range(len(parts)), key=lambda place: (not parts[place][0], -place)):
            part = parts[place][1]
            allowed = least[place] + spare
            if len(part.text) > allowed:
                shorter = self._words(part, allowed)
                if shorter is None:
                    return None
                texts[place] = shorter
            spare -= len(texts[place]) - least[place]
        return "".join(texts)

    def _words(self, part: Part, room: int) -> str | None:
        """Return one piece of a quote, with an ellipsis where something is missing."""
        if self._depth == _DEEPEST_QUOTE:
            return None
        if (part, room) not in self._cached:
            self._cached[part, room] = self._shortened_words(part, room)
        return self._cached[part, room]

    def _shortened_words(self, part: Part, room: int) -> str | None:
        statements = statements_of(part.text)
        inner = _Shortening(self._details, NO_SPEECH, self._depth + 1)
        choices: list[_Choice] = []
        starts = 1 if part.kind == OPENING else min(len(statements), _CONSIDERED_STARTS)
        for first in range(starts):
            before = f"{ELLIPSIS} " if first else ""
            left = room - len(before)
            for last, piece, is_uncut in inner._pieces(statements, first, left, left):
                is_end = last + 1 == len(statements)
                marked = before + (_open_ended(piece) if is_uncut and not is_end else piece)
                if len(marked) <= room:
                    choices.append(inner._choice(statements, first, last, marked, is_uncut, room))
        best = max(choices, default=None)
        return None if best is None else best.text

    def _choice(
        self,
        statements: Sequence[Statement],
        first: int,
        last: int,
        piece: str,
        is_uncut: bool,
        target: int,
    ) -> _Choice:
        run = statements[first : last + 1]
        has_answered = any(
            before.has_words and statement.is_own for before, statement in itertools.pairwise(run)
        )
        length = len(piece)
        return _Choice(
            any(statement.is_own for statement in run),
            has_answered,
            sum(detail in piece for detail in self._details),
            length >= min(_LEAST_CHARS, target),
            first == 0 or not leans(statements[first].text),
            is_uncut,
            first == 0,
            length <= target,
            length if length <= target else -length,
            piece,
        )


def _with_answer(statements: list[Statement]) -> list[Statement]:
    """Return the statements. The words said last are the answer if nothing shows what the NPC said."""
    spoken = [place for place, statement in enumerate(statements) if statement.has_words]
    if len(spoken) > 1 and not any(statement.is_own for statement in statements):
        statements[spoken[-1]] = statements[spoken[-1]]._replace(is_own=True)
    return statements


def _shortable(statement: Statement) -> tuple[Part, ...]:
    """The parts of a statement; one that must stay whole has one part."""
    return (Part(FIXED, statement.text),) if statement.is_whole else statement.parts


def _least(part: Part) -> int:
    return len(part.text) if part.kind == FIXED else _LEAST_SPOKEN


def _open_ended(piece: str) -> str:
    """The piece with an ellipsis at its end, for words that go on."""
    if piece.endswith((ELLIPSIS, "…")):
        return piece
    bare = piece.rstrip(" .,;:-。、，")
    return bare + ELLIPSIS if bare != piece or bare[-1:].isalnum() else f"{piece} {ELLIPSIS}"


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text, in their order, each on one line. Quoted sentences are sentences of
    their own.
    """
    places = [0, *sentence_ends(text), len(text)]
    parts = (text[start:end] for start, end in itertools.pairwise(places))
    return [" ".join(part.split()) for part in parts if part.strip()]


def details_of(text: str, sentences: Sequence[str], names: Iterable[str] = ()) -> frozenset[str]:
    """The names and numbers in a text, given its sentences and words known to be names."""
    details = set(_NUMBER.findall(text))
    uncapitalised = {word for word in [*_WORD.findall(text), *_WORD_PART.findall(text)] if word[0].islower()}
    details.update(name for name in names if name and name in text)
    for sentence in sentences:
        for index, word in enumerate(_WORD.finditer(sentence)):
            bare = re.sub(r"['’]s?$", "", word.group())
            lowered = bare.lower()
            if not bare[:1].isupper() or lowered in _COMMON_OPENERS or lowered.startswith(("i'", "i’")):
                continue
            opens = (
                index == 0
                or sentence[max(0, word.start() - 2) : word.start()].rstrip()[-1:] in "\"“'‘„‚«「([:"
            )
            if opens and (len(bare) < 2 or is_common_word(lowered) or lowered in uncapitalised):
                continue
            details.add(bare)
    return frozenset(details)


def _cut_at_word(text: str, max_length: int) -> str:
    room = max_length - len(ELLIPSIS)
    if room <= 0:
        return text[:max_length]
    cut = text[: room + 1].rfind(" ")
    if cut < room // 2:
        cut = room
        while cut > 1 and _is_joined(text, cut):
            cut -= 1
    return text[:cut].rstrip(" ,;:-") + ELLIPSIS


def _is_joined(text: str, place: int) -> bool:
    """Return True if the characters before and at a place are seen as one: a letter and its accents, an emoji
    of several parts, a flag.
    """
    before, at = text[place - 1], text[place]
    if before == _JOINER or at == _JOINER or at in _SKIN_TONES or unicodedata.category(at) in ("Mn", "Me"):
        return True
    letters = place
    while letters and text[letters - 1] in _FLAG_LETTERS:
        letters -= 1
    return at in _FLAG_LETTERS and (place - letters) % 2 == 1
