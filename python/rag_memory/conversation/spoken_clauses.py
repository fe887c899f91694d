"""Splits a message into clauses that can become memories, without quotes and questions. Every clause has its
place in the message, so that a memory can quote it.

Everything here takes time in proportion to the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from rag_memory.lazy_pattern import lazy_pattern

READ_CHARS = 20000
_LONGEST_SENTENCE = 500

_SENTENCE = lazy_pattern(r"[.!?…]+[)\"'*]*(?=\s|$)|[\n;]+|\s[–—-]{1,2}\s|(?<=\w)—(?=\w)")
_ABBREVIATION = lazy_pattern(
    r"(?:^|\s)(?:mr|mrs|ms|dr|st|sir|lt|sgt|capt|prof|no|vs|[a-z])\.$", re.IGNORECASE
)
_EMOTE = lazy_pattern(r"\*([^*\n]{1,200})\*")
_QUOTED = lazy_pattern(r"(?P<before>^|[^\s])(?P<space>\s*)\"(?P<said>[^\"]*)(?:\"|$)")
_QUOTED_SINGLY = lazy_pattern(r"(?<=[\w,:])\s+'(?=\w)[^\n]{2,300}?'(?!\w)")
_CLAUSE = lazy_pattern(
    r"(?:,\s*|\s+)(?:and|but|so|then)\s+(?=(?:I|i)(?:'| )|you (?:owe|can|have|will)\b|my (?:name|home|house|"
    r"word)\b|we(?:'| )|here\b|call me|take (?:this|these)\b|there(?:'s| is| are)\b|people\b|tomorrow\b|"
    r"tonight\b|(?:who|what|where|how|why|can|do|did|are|will|would|could) (?:you|are|is|do|the|it)\b)"
    r"|,\s*(?=(?:I|i)(?:'| )|my name|my word|we(?:'ll|'re| will| are)|here(?:'s| is| are|,)|call me|"
    r"the name|they call|take (?:this|these|my)|have (?:this|these|my)|keep (?:this|these)|this\b|"
    r"(?:that|it)'s a promise|(?:you have|on) my\b|promise\b|count on)"
    r"|:\s+(?=I\b|my\b)"
)
_TAG = lazy_pattern(
    r",?\s*(?:ok(?:ay)?|right|isn't it|don't i|al{1,2} ?right|deal|agreed|understood|understand|got it|"
    r"you hear(?: me)?|yes|yeah|see)\?+$",
    re.IGNORECASE,
)
_ASKS = lazy_pattern(
    r"(?:(?:so|and|but|well|oh|hey|wait|then|or),? )*(?:(?:did|do|does|has|had|will|would|should|shall|can|"
    r"could|may|might|are|is|am|"
    r"was|were|must|don't|didn't|won't|haven't|can't|isn't|aren't)"
    r" (?:i|you|we|they|he|she|it|my|the|that|this|anyone|somebody|there)\b|have (?:i|you|we|they)\b|(?:who|"
    r"what|why|how|which|whose)\b"
    r"|(?:where|when) (?:is|are|did|do|does|was|were|can|will|should|have|has)\b)",
    re.IGNORECASE,
)
_FILLER = lazy_pattern(
    r"(?:(?:well|yes|yeah|yep|no|nah|oh|ah|ok|okay|look|listen|please|now|then|so|and|but|hello|hi|hey|"
    r"greetings|"
    r"sure|of course|honestly|actually|also|sorry|thanks|thank you|fine|alright|all right|right|good|great|"
    r"very well|"
    r"don't worry|not to worry|by the way|fear not|as you wish|anyway|besides|first|ha|aye|indeed|certainly|"
    r"absolutely|good (?:day|morning|evening|afternoon)|well met|nice to meet you|pleased to meet you|"
    r"friend|my friend|sir|madam|my lord|my lady|mate|buddy|dear|love|pal|"
    r"in fact|i know(?: that)?|i admit(?: that)?|i mean|i'm afraid|remember(?: that)?|because|since|hence|"
    r"therefore|unfortunately|really)\b[,:]?\s+)+",
    re.IGNORECASE,
)
_CONDITION = lazy_pattern(
    r"(?:(?:but|and|so|well|then),? )?(?:if|unless|suppose|supposing|imagine|pretend|should you|had i|"
    r"were i|assuming|"
    r"as long as|provided|even if|once|when|whenever|after|before|until|as soon as)\b",
    re.IGNORECASE,
)
_UNREAL = lazy_pattern(
    r"\b(?:would|could|might|(?-i:may)|maybe|perhaps|possibly|wish|wished|as if|as though|pretend(?:ing)?|"
    r"imagine|suppose|"
    r"dream(?:ed|t)?|almost|nearly|supposed to|hypothetically|in theory|'d)\b",
    re.IGNORECASE,
)
_TOLD_BY_OTHERS = lazy_pattern(
    r"(?:^|\s)(?!(?:i|we)\b)(?:\w+) (?:says?|said|thinks?|thought|claims?|claimed|tells?|told|believes?|"
    r"heard|reckons?|insists?|wrote)\b",
    re.IGNORECASE,
)
_RESTRICTS = lazy_pattern(r",?\s*but\b|:", re.IGNORECASE)
JOKE = lazy_pattern(
    r"\b(?:just|only|was|am|i'm|merely) (?:kidding|joking|teasing|messing with you|pulling your leg)\b|"
    r"\bj/?k\b|"
    r"\b(?:as a joke|kidding!|not really\b|yeah,? right\b|as if\b!?$|in your dreams|sarcas|fat chance|"
    r"dream on\b|(?:when|the day|until) (?:pigs|cows|hell) (?:fly|freezes)|like hell (?:i|you|we)\b)|"
    r"[,.!–—-] ?(?:my (?:foot|eye|aunt|arse|ass)|not)\s*[.!]*$",
    re.IGNORECASE,
)


def vocative(words: str) -> re.Pattern[str]:
    """A pattern of words by which somebody is called: before a comma or an end, and after one."""
    return lazy_pattern(rf"(?:^|[^\w\s'’-]|\s-)\s*(?:{words})\s*(?=[^\w\s'-]|$)", re.IGNORECASE)


class SpokenClause(NamedTuple):
    """A main clause of a statement.

    `quote` is the clause as it was said, with the condition it depends on, such as "if it rains"; `sentence`
    is all of its sentence. `is_unreal`: it says what would or might be. `by_others`: it reports what somebody
    else said.
    """

    text: str
    quote: str
    sentence: str
    condition: str
    is_unreal: bool
    by_others: bool


class Spoken(NamedTuple):
    """The clauses of a message, and the deeds described in it ("*hands you a ring*") as they were written."""

    clauses: list[SpokenClause]
    deeds: list[str]


def spoken_in(message: str) -> Spoken:
    """The statements and deeds of a message; none when it is taken back as a joke."""
    message = message[:READ_CHARS]
    text = message.translate(_PLAIN)
    text = _DASH_AFTER_FOR_YOU.sub(lambda match: ":".ljust(len(match[0])), text)
    deeds = [emote.group() for emote in _EMOTE.finditer(text)]
    text = _EMOTE.sub(lambda emote: ".".ljust(len(emote[0])), text)
    if JOKE.search(text):
        return Spoken([], [])
    return Spoken(list(_clauses(message, _without_quotes(text))), deeds)


def plain_sentences(message: str) -> list[str]:
    """The sentences of a message in plain letters, each with the mark that ends it."""
    text = _EMOTE.sub(" ", message[:READ_CHARS].translate(_PLAIN))
    return [" ".join(text[start:mark].split()) for start, _end, mark, _asks in _sentences(text)]


_PLAIN = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "\t": " ", "\r": "\n"}
)
"""Each letter becomes one letter, so that places in the text are places in the message."""
_SPELLED_OUT = {
    "im": "I'm",
    "ive": "I've",
    "ill": "I'll",
    "gonna": "going to",
    "ur": "your",
    "u": "you",
    "i'ma": "I'm going to",
}
_SLANG = lazy_pattern(
    r"(?<![\w'*-])(?:im|ive|gonna|ur|u|i'ma|ill(?= [a-z]+ (?:you|u|your|ur|the|it)\b))(?![\w'.-])",
    re.IGNORECASE,
)
_DASH_AFTER_FOR_YOU = lazy_pattern(r"(?<=for you)\s*[:–—-]\s+", re.IGNORECASE)


def _spelled_out(slang: re.Match[str]) -> str:
    return _SPELLED_OUT[slang.group().lower()]


def _without_quotes(text: str) -> str:
    """Blank the words of others: quotes that follow something else in the sentence. A whole line in quotes
    are the speaker's own words.
    """

    def unquoted(quote: re.Match[str]) -> str:
        before = quote["before"]
        if before in ("", ".", "!", "?", "…", "*"):
            return quote[0].replace('"', " ")
        return f"{before} _".ljust(len(quote[0]))[: len(quote[0])]

    return _QUOTED_SINGLY.sub(lambda quote: " _".ljust(len(quote[0])), _QUOTED.sub(unquoted, text))


def _sentences(text: str) -> Iterator[tuple[int, int, int, bool]]:
    """The sentences of a text: where one starts and ends, where the mark after it ends, and whether it
    asks."""
    start = 0
    for end in _SENTENCE.finditer(text):
        mark = end.group()
        if mark == "." and _ABBREVIATION.search(text[max(start, end.end() - 6) : end.end()]):
            continue
        if text[start : end.start()].strip():
            yield _asking(text, start, end.start(), end.start() + len(mark.rstrip()), "?" in mark)
        start = end.end()
    if text[start:].strip():
        yield _asking(text, start, len(text), len(text), False)


def _asking(text: str, start: int, end: int, mark: int, asks: bool) -> tuple[int, int, int, bool]:
    if asks and (tag := _TAG.search(text[start:end].rstrip() + "?")):
        return start, start + tag.start(), mark, False
    return start, end, mark, asks


def _clauses(message: str, text: str) -> Iterator[SpokenClause]:
    for start, end, mark, asks in _sentences(text):
        if end - start > _LONGEST_SENTENCE:
            continue
        sentence = " ".join(message[start:mark].split())
        parts = list(_parts(text, start, end))
        condition, quoted_from = "", -1
        by_others = False
        for number, (first, last) in enumerate(parts):
            part = _SLANG.sub(_spelled_out, " ".join(text[first:last].split())).strip(" ,:")
            part = _FILLER.sub("", part, count=1) if _FILLER.match(part) else part
            quoted_from = first if quoted_from < 0 else quoted_from
            if not part:
                continue
            is_last = number == len(parts) - 1
            if _CONDITION.match(part):
                comma = part.find(", ")
                condition = part if comma < 0 else part[:comma]
                if comma < 0 or not is_last:
                    continue
                part = part[comma + 2 :]
            is_question = _ASKS.match(part) is not None or (asks and is_last)
            if not is_question:
                restricts = not is_last and _RESTRICTS.match(text, last, parts[number + 1][0]) is not None
                until = mark if is_last or restricts else last
                quote = " ".join(message[quoted_from:until].split()).strip(" ,:")
                is_unreal = _UNREAL.search(part) is not None
                yield SpokenClause(part, quote, sentence, condition, is_unreal, by_others)
            if not condition and " " in part:
                quoted_from = -1
            by_others = by_others or _TOLD_BY_OTHERS.search(part) is not None


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for border in _CLAUSE.finditer(text, start, end):
        yield start, border.start()
        start = border.end()
    yield start, end
