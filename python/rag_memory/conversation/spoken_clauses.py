"""Splitting a message into clauses that can become memories, without quotes and questions.

Everything here takes time in proportion to the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

READ_CHARS = 20000
_LONGEST_SENTENCE = 500

_SENTENCE = re.compile(r"[.!?…]+[)\"'*]*(?=\s|$)|[\n;]+|\s[–—-]{1,2}\s|(?<=\w)—(?=\w)")
_ABBREVIATION = re.compile(r"(?:^|\s)(?:mr|mrs|ms|dr|st|sir|lt|sgt|capt|prof|no|vs|[a-z])\.$", re.IGNORECASE)
_EMOTE = re.compile(r"\*([^*\n]{1,200})\*")
_QUOTED = re.compile(r"(?P<before>^|[^\s])(?P<space>\s*)\"(?P<said>[^\"]*)(?:\"|$)")
_QUOTED_SINGLY = re.compile(r"(?<=[\w,:])\s+'(?=\w)[^\n]{2,300}?'(?!\w)")
_CLAUSE = re.compile(
    r"(?:,\s*|\s+)(?:and|but|so|then)\s+(?=(?:I|i)(?:'| )|you (?:owe|can|have|will)\b|my (?:name|home|house|"
    r"word)\b|we(?:'| )|here\b|call me|take (?:this|these)\b|there(?:'s| is| are)\b|people\b|tomorrow\b|"
    r"tonight\b|(?:who|what|where|how|why|can|do|did|are|will|would|could) (?:you|are|is|do|the|it)\b)"
    r"|,\s*(?=(?:I|i)(?:'| )|my name|my word|we(?:'ll|'re| will| are)|here(?:'s| is| are|,)|call me|"
    r"the name|they call|take (?:this|these|my)|have (?:this|these|my)|keep (?:this|these)|this\b|"
    r"(?:you have|on) my\b|promise\b|count on)"
    r"|:\s+(?=I\b|my\b)"
)
_TAG = re.compile(
    r",?\s*(?:ok(?:ay)?|al{1,2} ?right|deal|agreed|understood|understand|got it|you hear(?: me)?|yes|yeah|"
    r"see)\?+$",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"(?:(?:so|and|but|well|oh|hey|wait|then|or),? )*(?:(?:did|do|does|has|had|will|would|should|shall|can|"
    r"could|may|might|are|is|am|"
    r"was|were|must|don't|didn't|won't|haven't|can't|isn't|aren't)"
    r" (?:i|you|we|they|he|she|it|my|the|that|this|anyone|somebody|there)\b|have (?:i|you|we|they)\b|(?:who|"
    r"what|why|how|which|whose)\b"
    r"|(?:where|when) (?:is|are|did|do|does|was|were|can|will|should|have|has)\b)",
    re.IGNORECASE,
)
_FILLER = re.compile(
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
_CONDITION = re.compile(
    r"(?:(?:but|and|so|well|then),? )?(?:if|unless|suppose|supposing|imagine|pretend|should you|had i|"
    r"were i|assuming|"
    r"as long as|provided|even if|once|when|whenever|after|before|until|as soon as)\b",
    re.IGNORECASE,
)
_UNREAL = re.compile(
    r"\b(?:would|could|might|(?-i:may)|maybe|perhaps|possibly|wish|wished|as if|as though|pretend(?:ing)?|"
    r"imagine|suppose|"
    r"dream(?:ed|t)?|almost|nearly|supposed to|hypothetically|in theory|'d)\b",
    re.IGNORECASE,
)
_TOLD_BY_OTHERS = re.compile(
    r"(?:^|\s)(?!(?:i|we)\b)(?:\w+) (?:says?|said|thinks?|thought|claims?|claimed|tells?|told|believes?|"
    r"heard|reckons?|insists?|wrote)\b",
    re.IGNORECASE,
)
JOKE = re.compile(
    r"\b(?:just|only|was|am|i'm|merely) (?:kidding|joking|teasing|messing with you|pulling your leg)\b|"
    r"\bj/?k\b|"
    r"\b(?:as a joke|kidding!|not really\b|yeah,? right\b|as if\b!?$|in your dreams|sarcas)",
    re.IGNORECASE,
)


class SpokenClause(NamedTuple):
    """A main clause of a statement.

    `condition` is the clause it depends on, such as "if it rains". `is_unreal`: it says what would or might
    be. `by_others`: it reports what somebody else said.
    """

    text: str
    condition: str
    is_unreal: bool
    by_others: bool


class Said(NamedTuple):
    """The clauses of a message, and the deeds described in it ("*hands you a ring*")."""

    clauses: list[SpokenClause]
    deeds: list[str]


def said(message: str) -> Said:
    """The statements and deeds of a message; none when it is taken back as a joke."""
    text = _SLANG.sub(_spelled_out, message[:READ_CHARS].translate(_PLAIN))
    text = _FOR_YOU.sub("for you: ", text)
    deeds = [emote.group(1).strip() for emote in _EMOTE.finditer(text)]
    text = _EMOTE.sub(". ", text)
    if JOKE.search(text):
        return Said([], [])
    return Said(list(_clauses(_without_quotes(text))), deeds)


_PLAIN = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "\t": " ", "\r": "\n"}
)


_SPELLED_OUT = {
    "im": "I'm",
    "ive": "I've",
    "gonna": "going to",
    "ur": "your",
    "u": "you",
    "i'ma": "I'm going to",
}
_SLANG = re.compile(r"(?<![\w'*-])(?:im|ive|gonna|ur|u|i'ma)(?![\w'.-])", re.IGNORECASE)
_FOR_YOU = re.compile(r"for you\s*[:–—-]\s+", re.IGNORECASE)


def _spelled_out(slang: re.Match[str]) -> str:
    return _SPELLED_OUT[slang.group().lower()]


def _without_quotes(text: str) -> str:
    """Remove the words of others: quotes that follow something else in the sentence. A whole line in quotes
    are the speaker's own words.
    """

    def unquoted(quote: re.Match[str]) -> str:
        before = quote["before"]
        return (
            f"{before}{quote['space']}{quote['said']}"
            if before in ("", ".", "!", "?", "…", "*")
            else f"{before} _"
        )

    return _QUOTED_SINGLY.sub(" _", _QUOTED.sub(unquoted, text))


def _sentences(text: str) -> Iterator[tuple[str, bool]]:
    """The sentences of a text, each with a flag for questions."""
    start = 0
    for end in _SENTENCE.finditer(text):
        mark = end.group()
        if mark == "." and _ABBREVIATION.search(text[max(start, end.end() - 6) : end.end()]):
            continue
        sentence = text[start : end.start()].strip()
        start = end.end()
        if sentence:
            yield from _asked(sentence, "?" in mark)
    last = text[start:].strip()
    if last:
        yield from _asked(last, False)


def _asked(sentence: str, is_question: bool) -> Iterator[tuple[str, bool]]:
    if is_question and (tag := _TAG.search(sentence + "?")):
        sentence, is_question = sentence[: tag.start()], False
    yield " ".join(sentence.split()), is_question


def _clauses(text: str) -> Iterator[SpokenClause]:
    for sentence, is_question in _sentences(text):
        if len(sentence) > _LONGEST_SENTENCE:
            continue
        parts = [part.strip(" ,:") for part in _CLAUSE.split(sentence)]
        condition = ""
        told_by_others = False
        for number, part in enumerate(parts):
            part = _FILLER.sub("", part, count=1) if _FILLER.match(part) else part
            if not part:
                continue
            if _CONDITION.match(part):
                comma = part.find(", ")
                condition = part if comma < 0 else part[:comma]
                if comma < 0 or number + 1 < len(parts):
                    continue
                part = part[comma + 2 :]
            is_last = number == len(parts) - 1
            asks = _ASKS.match(part) is not None or (is_question and is_last)
            if not asks:
                yield SpokenClause(part, condition, _UNREAL.search(part) is not None, told_by_others)
            told_by_others = told_by_others or _TOLD_BY_OTHERS.search(part) is not None
