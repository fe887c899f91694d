"""The statements of a text: its sentences, each with what is quoted in it.

A statement is never split outside its quotes, so nobody's words can lose their speaker. Where the speaker of
a quote follows from the statement before it, the two are one.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rag_memory.lazy_pattern import lazy_pattern

_DOUBLE = '"“”„‟«»「」『』'
_SINGLE = "'‘’‚‹›"
_QUOTE = lazy_pattern(f"[{_DOUBLE}{_SINGLE}]")
_CLOSERS = {
    '"': '"”',
    "“": '”"',
    "”": "”",
    "„": '“”"',
    "‟": "”",
    "«": "»",
    "»": "«»",
    "「": "」",
    "『": "』",
    "'": "'’",
    "‘": "’'",
    "‚": "‘’'",
    "‹": "›",
    "›": "‹›",
}
_ALWAYS_OPEN = "„‟‚「『"
_ALWAYS_CLOSE = "」』"
_BEFORE_OPENING = "([{:：—–―-¿¡/" + _DOUBLE + _SINGLE
_EAST_ASIAN = "\u2e80"
_HIDDEN = "\ue000"
"""Stands for a character inside a quote while sentence ends are looked for."""

_SENTENCE_END = lazy_pattern(r"(?:(?<![.!?…])[.!?…]+[\"'”’“»)\]]*(?=\s|$)|[。！？]+[」』”]*|\n+)")
_ABBREVIATION = lazy_pattern(
    r"(?:^|[\s(\"'])(?:Mr|Mrs|Ms|Dr|St|Sr|Jr|Prof|Capt|Lt|Sgt|Gen|No|vs|etc|e\.g|i\.e|[A-Z])\.$"
)
_LONGER_THAN_ABBREVIATIONS = 8
_TERMINALS = ".!?…。！？‽—–"
_INTRODUCES = (":", "：", ",", "，")
_DASHES = "—–―"
_DASH = lazy_pattern(rf"(?:[^:：]*[:：])?\s*[{_DASHES}]\s*\S")
"""The beginning of a line that has dashes instead of quotes. Only a reader of its language could tell where
its words end, so it stays whole.
"""
_SAYING = lazy_pattern(
    r"(?:[^\W\d_][\w'’-]* ){1,4}?"
    r"(?:said|says|told|tells|tell|asked|asks|answered|replied|whispered|shouted|shout|wrote)"
    r"(?: [\w'’-]+){0,4}:"
)
_LABEL = lazy_pattern(r"(?:[^\W_][\w'’.-]*[ \u00a0\u202f]){0,5}[^\W_][\w'’.-]*[ \u00a0\u202f]?(?::(?=\s)|：)")
"""The beginning of a sentence in which somebody speaks without quotes: "Mira: Where were you?"."""
_OWN = lazy_pattern(r"I [^\W\d_]+")


class Part(NamedTuple):
    """A piece of a statement.

    `kind`: FIXED stays as it is; of WORDS a part may stand for all, of OPENING only its beginning, because it
    is not certain where the words end.
    """

    kind: str
    text: str


FIXED, WORDS, OPENING = "fixed", "words", "opening"


class Statement(NamedTuple):
    """`gap` stands between it and the one before it. `is_whole`: it must not be cut at a word. `is_own`: the
    NPC speaks in it.
    """

    gap: str
    parts: tuple[Part, ...]
    is_whole: bool = False
    is_own: bool = False

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(part.text for part in self.parts)

    @property
    def is_plain(self) -> bool:
        """True if nobody speaks in it, so that it may end at any word."""
        return not self.is_whole and all(part.kind == FIXED for part in self.parts)

    @property
    def has_words(self) -> bool:
        """True if somebody speaks in it."""
        return any(part.kind != FIXED for part in self.parts)


class Speech(NamedTuple):
    """The ways in which a game introduces speech besides the English ones: patterns of the beginnings of such
    sentences, and the beginnings of those with the NPC's own words.
    """

    sayings: tuple[str, ...] = ()
    own: tuple[str, ...] = ()


NO_SPEECH = Speech()


def statements_of(text: str, speech: Speech = NO_SPEECH) -> list[Statement]:
    """The statements of a text in their order. Together, with the gaps between them, they are the text, with
    one space or line end for many.
    """
    text = _in_single_spaces(text)
    merged: list[Statement] = []
    for statement in _spoken_without_quotes(list(_sentences(text)), speech):
        statement = statement._replace(is_whole=_DASH.match(statement.text) is not None)
        if merged and _belongs_to(statement, merged[-1]):
            merged[-1] = _joined(merged[-1], statement)
        else:
            merged.append(statement)
    return [statement._replace(is_own=_is_own(statement, speech.own)) for statement in merged]


def passages_of(text: str, speech: Speech = NO_SPEECH) -> list[str]:
    """The statements of a text, where the NPC's answer and the words that it answers are one passage."""
    passages: list[str] = []
    speaks = False
    for statement in statements_of(text, speech):
        if speaks and statement.is_own:
            passages[-1] += statement.gap + statement.text
        else:
            passages.append(statement.text)
        speaks = statement.has_words
    return passages


def sentence_ends(text: str) -> Iterator[int]:
    """The places where sentences end."""
    start = 0
    for end in _SENTENCE_END.finditer(text):
        last_word = text[max(start, end.end() - _LONGER_THAN_ABBREVIATIONS) : end.end()]
        if end.group().startswith(".") and _ABBREVIATION.search(last_word):
            continue
        yield end.end()
        start = end.end()


def quotes_of(text: str) -> list[tuple[int, int]]:
    """The outermost quotes of a text, each as the places of its marks; that of the closing one is the length
    of the text when there is none.
    """
    quotes: list[tuple[int, int]] = []
    opened: list[tuple[str, int]] = []
    single_ends: list[int] | None = None
    for mark in _QUOTE.finditer(text):
        place, character = mark.start(), mark.group()
        before = text[place - 1] if place else " "
        after = text[place + 1] if place + 1 < len(text) else " "
        depth = next(
            (
                depth
                for depth in range(len(opened) - 1, -1, -1)
                if character in _CLOSERS[opened[depth][0]]
                and _closes(character, opened[depth][0], before, after)
            ),
            -1,
        )
        if depth >= 0:
            start = opened[depth][1]
            del opened[depth:]
            if not opened:
                quotes.append((start, place))
        elif _opens(character, before, after):
            if character in "'‘":
                if single_ends is None:
                    single_ends = list(_single_ends(text))
                if bisect.bisect_right(single_ends, place) == len(single_ends):
                    continue
            opened.append((character, place))
    if opened:
        quotes.append((opened[0][1], len(text)))
    return quotes


def _single_ends(text: str) -> Iterator[int]:
    for mark in re.finditer("['’]", text):
        at = mark.start()
        if at and not text[at - 1].isspace() and not text[at + 1 : at + 2].isalnum():
            yield at


def _closes(mark: str, opener: str, before: str, after: str) -> bool:
    if mark in _ALWAYS_CLOSE or (opener, mark) in (("«", "»"), ("»", "«"), ("‹", "›"), ("›", "‹")):
        return True
    if opener == "„" and mark == "“":
        return True
    if mark in _SINGLE:
        return not before.isspace() and not after.isalnum()
    if before in "([{:：" and not after.isspace():
        return False
    return not before.isspace() or after.isspace()


def _opens(mark: str, before: str, after: str) -> bool:
    if mark in _ALWAYS_OPEN or mark == "“":
        return True
    is_free = before.isspace() or before in _BEFORE_OPENING
    if mark in "«‹":
        return is_free or not before.isalnum() or before >= _EAST_ASIAN
    if mark == '"':
        return is_free or not before.isalnum() or before >= _EAST_ASIAN
    if mark in "'‘":
        return is_free and not after.isspace() and (after.isalnum() or after in "¿¡…" + _DOUBLE)
    return mark in "”»›" and is_free and not after.isspace()


def _in_single_spaces(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def _sentences(text: str) -> Iterator[Statement]:
    """The sentences outside of quotes, each with its quotes; where a quote ends a sentence, it is over."""
    quotes = quotes_of(text)
    hidden = list(text)
    for start, end in quotes:
        hidden[start + 1 : end] = _HIDDEN * (end - start - 1)
    masked = "".join(hidden)
    ends = sorted({*sentence_ends(masked), *(min(end + 1, len(text)) for _, end in quotes), len(text)})
    closings = {min(end + 1, len(text)): (start, end) for start, end in quotes}
    sentence_ends_at = {*sentence_ends(masked), len(text)}
    start = 0
    gap = ""
    inside: list[tuple[int, int]] = []
    for end in ends:
        if end in closings:
            inside.append(closings[end])
        if end not in sentence_ends_at and not _ends_with_quote(text, start, inside[-1]):
            continue
        raw = text[start:end]
        first = start + len(raw) - len(raw.lstrip())
        last = first + len(raw.strip())
        if first < last:
            yield Statement(gap + raw[: first - start], _parts(text, first, last, inside))
            gap = text[last:end]
        else:
            gap += raw
        inside = []
        start = end


def _ends_with_quote(text: str, start: int, quote: tuple[int, int]) -> bool:
    """Return True if a sentence from `start` on ends with a quote in it."""
    opening, closing = quote
    lead = text[start:opening].strip()
    if not any(map(str.isalpha, lead)):
        return False
    following = text[closing + 1 :].lstrip(" ")[:1]
    is_introduced = lead.endswith(_INTRODUCES)
    if not is_introduced and text[opening + 1 : closing].rstrip()[-1:] not in _TERMINALS:
        return False
    if following.isalpha() and following.lower() == following.upper():
        return is_introduced and lead.endswith((":", "："))
    return following in _DOUBLE + _SINGLE or following.isupper() or following.isdigit()


def _parts(text: str, first: int, last: int, quotes: Sequence[tuple[int, int]]) -> tuple[Part, ...]:
    parts: list[Part] = []
    at = first
    for opening, closing in quotes:
        words = text[opening + 1 : closing]
        begins = opening + 1 + len(words) - len(words.lstrip())
        ends = begins + len(words.strip())
        parts.append(Part(FIXED, text[at:begins]))
        parts.append(Part(WORDS, text[begins:ends]))
        at = ends
    rest = text[at:last]
    if quotes and quotes[-1][1] == len(text):
        rest = _CLOSERS[text[quotes[-1][0]]][0]
    return (*parts, Part(FIXED, rest)) if rest or not parts else tuple(parts)


def _spoken_without_quotes(sentences: Sequence[Statement], speech: Speech) -> Iterator[Statement]:
    """The sentences, where those that follow "Mira:" without quotes belong to it."""
    sayings = re.compile("|".join([*speech.sayings, _SAYING.pattern]))
    place = 0
    while place < len(sentences):
        sentence = sentences[place]
        lead, is_certain = _lead_without_quotes(sentence, sayings)
        place += 1
        if not lead:
            yield sentence
            continue
        words = sentence.text[len(lead) :]
        while place < len(sentences):
            following = sentences[place]
            is_new_line = "\n" in following.gap
            is_over = is_new_line or _LABEL.match(following.text) is not None
            if (is_over and not is_certain) or sayings.match(following.text):
                break
            words += following.gap + following.text
            place += 1
        space = words[: len(words) - len(words.lstrip())]
        kind = WORDS if is_certain else OPENING
        yield Statement(sentence.gap, (Part(FIXED, lead + space), Part(kind, words.lstrip())))


def _lead_without_quotes(sentence: Statement, sayings: re.Pattern[str]) -> tuple[str, bool]:
    """Return the speaker of a sentence that names one without quotes, or "", and whether it is certain."""
    text = sentence.text
    for pattern, is_certain in ((sayings, True), (_LABEL, False)):
        lead = pattern.match(text)
        if lead is not None:
            words = text[lead.end() :].lstrip()
            quoted = words[:1] in _DOUBLE + _SINGLE + _DASHES
            if words and not quoted and not (words[0].isdigit() and not is_certain):
                return lead.group(), is_certain
    return "", False


def _is_own(statement: Statement, own: tuple[str, ...]) -> bool:
    begins = statement.parts[0].text
    return statement.has_words and (_OWN.match(begins) is not None or begins.startswith(own))


def _belongs_to(statement: Statement, before: Statement) -> bool:
    """Return True if the speaker of a statement follows from the one before it."""
    if before.text.endswith((":", "：")) and not before.has_words:
        return True
    if statement.text[0] in _DASHES or (before.is_whole and "\n" not in statement.gap):
        return True
    if before.parts[-1].kind == OPENING:
        # A line without a speaker after one that has one: it may be the end of what was said.
        return _LABEL.match(statement.text) is None and not statement.has_words
    first = statement.parts[0].text
    if not statement.has_words or any(map(str.isalnum, first)):
        return False
    after = statement.parts[2].text.lstrip(_DOUBLE + _SINGLE + " \u00a0\u202f,，" + _DASHES)
    return not (after[:1].isalpha() and not after[:1].isupper())


def _joined(before: Statement, statement: Statement) -> Statement:
    first = statement.parts[0]
    parts = list(before.parts)
    if parts[-1].kind == FIXED and first.kind == FIXED:
        parts[-1] = Part(FIXED, parts[-1].text + statement.gap + first.text)
        parts += statement.parts[1:]
    else:
        parts += [Part(FIXED, statement.gap), *statement.parts]
    return Statement(before.gap, tuple(parts), before.is_whole or statement.is_whole)
