"""English time expressions in a query, put together from the tables of their parts."""

from __future__ import annotations

import re

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.calendar_words import dates_in, words_of_names
from rag_memory.text.english_anchors import ARRIVAL, RelativeTime, relative_time_in
from rag_memory.text.english_spans import spans_in, unit_days
from rag_memory.text.number_words import ORDINAL, ordinal
from rag_memory.text.time_spans import NO_SPANS, Reading, Span, Spans, Today

_PERSON = r"(?:i|you|we|he|she|they|it)"
_EVENTS = (
    "thing|time|words?|impression|gift|present|meeting|quarrel|fight|argument|row|kiss|job|errand|task|promise|"
    "lie|secret|visit|conversation|talk|chat|memory|payment|loan|debt|letter|story|song|lesson|question|answer|"
    "meal|dinner|drink|trip|journey|quest|battle|attack|mistake|favou?r|insult|threat|joke|trade|deal|purchase|"
    "theft|date|dance|news"
)
_DEEDS = (
    "met|meet|came|come|arrived?|saw|see|seen|hear|heard|talk(?:ed)?|speak|spoke|spoken|tell|told|give|gave|"
    "given|bring|brought|say|said|ask(?:ed)?|visit(?:ed)?|help(?:ed)?|kiss(?:ed)?|fight|fought|argued?|"
    "quarrel(?:led|ed)?|watch(?:ed)?|start(?:ed)?|learn(?:ed|t)?|noticed?|set|promised?|lied?|steal|stole|try|"
    "tried|got|get|find|found|make|made|take|took|had|have|ate|eat|paid|pay|laugh(?:ed)?|cry|cried|went|go|do|"
    "did|drank|drink|danced?|fell|fall|trust(?:ed)?|insult(?:ed)?|hurt|betray(?:ed)?|turned|turn|were|was|"
    "slept|sleep|wrote|write"
)

_NOT_TIMES = lazy_pattern(
    "|".join(
        (
            r"\bhow (?:long|many|much)\b[^?.!,]{0,40}?\b(?:ago|back|before|after|since|earlier)\b",
            r"\b(?:this|that) time of (?:the )?(?:year|day|night|month|week)\b",
            r"\b(?:first|last)[- ](?:aid|names?|class|rate|hand|floor|lady|mate|born|degree|stand|rites)\b",
            r"\b(?:first|last)[- ](?:minute|call|straw|supper|ditch|place|prize|officer|edition|sight)\b",
            r"\b(?:first|last)[- ](?:light|glance|cut|legs?|but|person|resort)\b",
            r"\b(?:first|last) (?:of all|off|and foremost|come,? first served)\b",
            r"\bat (?:long )?last\b(?! (?:night|week|month|year|time))",
            r"\bhow long (?:\w+ ){1,6}last\b",
            r"\b(?:to|will|would|can|could|not|doesn't|didn't|won't|it) last\b(?! \w+ (?:i|you|we)\b)",
            r"\b(?:no|any) longer\b|\bin the first place\b",
            r"\b(?:every|each) (?:\w+ )?(?:day|night|week|month|year|morning|evening|spring|summer)\b",
            r"\bday (?:and|or|by|to|after|in,?) (?:night|day)\b|\bday out\b|\b(?:one|some) day\b",
        )
    )
)
"""Words that look like a time and are none."""
_LIFE = lazy_pattern(
    rf"\b(?:(?:in|on|during|from) )?(?:my|your|our|the) (?:very )?"
    rf"(?P<number>{ORDINAL}|first few|first couple of) "
    r"(?P<unit>day|night|evening|morning|week|month|year)s?\b(?! of\b)"
    r"(?: (?:here|there|together|in|with|at|on)\b)?"
)
_NTH_DAY = lazy_pattern(
    rf"\bon the (?P<number>{ORDINAL}) day\b(?! of\b| in\b| here\b)|\bthe (?P<other>{ORDINAL}) day\?"
)
_THE = r"\b(?:the |my |your |our )?(?:very )?"
_WHOSE_DEED = rf"\w+ (?:that )?{_PERSON} (?:ever |have |had )?(?:{_DEEDS})\b"
_ORDERS = [
    (lazy_pattern(pattern), order)
    for pattern, order in (
        (rf"{_THE}first(?: ever)? (?:\w+ )?(?:{_EVENTS})s?\b(?: ever\b)?", -1.0),
        (rf"\bvery first\b|\bfirst ever\b|\bever first\b|\bfirst {_WHOSE_DEED}", -1.0),
        (rf"\b(?:did|do|have|had|has|when|who|{_PERSON})(?: ever)? first(?: ever)? (?=(?:{_DEEDS})\b)", -1.0),
        (r"\bat first\b|\bin the beginning\b|\bat the (?:beginning|start|outset)\b", -0.8),
        (r"\boriginally\b|\bto begin with\b|\bearly on\b|\bback in the day\b|\bearliest\b", -0.8),
        (r"\b(?:ages|years and years|(?:a )?long(?: time| while)?) ago\b", -0.8),
        (rf"{_THE}last(?: ever)? (?:\w+ )?(?:{_EVENTS})s?\b|\bvery last\b|\blast {_WHOSE_DEED}", 1.0),
        (rf"\b(?:did|do|have|had|has|when|who|{_PERSON}) last (?=(?:{_DEEDS})\b)", 1.0),
        (r"\blast (?=(?:saw|seen|met|spoke|heard)\b)|\b(?:most recent(?:ly)?|latest|newest)\b", 1.0),
    )
]

_TIME_WORDS = frozenset(
    """
    afternoon after ago back before beginning begin day days earlier earliest early evening ever first
    fortnight fortnights hour hours last lately late latest minute minutes moment month months morning
    newest night nights now originally other outset past recent recently second seconds since start
    today tonight week weekend weeks while year years yesterday
    """.split()  # noqa: SIM905 - as a list literal, nobody could read it
)
_WORD = lazy_pattern(r"[^\W\d_]+|\d+")
_ANYTHING = lazy_pattern(
    r"\W*(?:(?:what(?:'s| has| had)?|anything|something|things|do|does|did|is|was|were|have|you|we|i|they|"
    r"there|remember|recall|know|tell me|about|of|happen(?:ed)?|occur(?:red)?|took place|been|going on|"
    r"went on|else)\b\W*)*"
)
"""A question without its time, when it asks for whatever there is."""


def _may_name_a_time(text: str, today: Today) -> bool:
    """Return True if a query has any word that the patterns need. Most have none."""
    words = _WORD.findall(text)
    return any(word in _TIME_WORDS or word.isdigit() for word in words) or not words_of_names(
        today.calendar
    ).isdisjoint(words)


def read(question: str, today: Today) -> Reading | None:
    """Read what an English question says about time; None when that is nothing."""
    if not _may_name_a_time(question.lower(), today):
        return None
    text = " ".join(question.lower().replace("’", "'").split())
    text = _NOT_TIMES.sub(lambda match: "_" * len(match[0]), text)
    spans, life_spans, anchor, anchor_spans, order = NO_SPANS, NO_SPANS, "", NO_SPANS, 0.0
    relative = relative_time_in(text, today)
    if relative is not None and ARRIVAL.fullmatch(relative.event):
        text = _without(text, relative.match)
        if not relative.is_before and relative.match.groupdict().get("side") != "since":
            life_spans = tuple(span for span in relative.spans if span.weight > 0.5)
    elif relative is not None:
        text = _without(text, relative.match)
        spans = _from_date(relative, today)
        if not spans:
            anchor, anchor_spans = relative.event, relative.spans
    else:
        for find in (dates_in, spans_in, _nth_day):
            spans, match = find(text, today)
            if match is not None:
                text = _without(text, match)
                break
    if not spans and not anchor and not life_spans:
        life_spans, match = _of_life(text, today)
        if match is not None:
            text = _without(text, match)
    for pattern, value in _ORDERS:
        match = pattern.search(text)
        if match is not None:
            order, text = value, _without(text, match)
            break
    if not (spans or life_spans or anchor or order):
        return None
    words = " ".join(text.replace("_", " ").split())
    # "What happened before the fire?" asks for nothing else; "What plans did Jon have after the fair?" is
    # often answered by a memory that speaks of both.
    is_around = relative is not None and "side" in relative.match.groupdict()
    includes_anchor = not is_around or not _ANYTHING.fullmatch(words)
    return Reading(spans, life_spans, anchor, anchor_spans, order, words, includes_anchor)


def _without(text: str, match: re.Match[str]) -> str:
    return f"{text[: match.start()]} {text[match.end() :]}"


def _from_date(relative: RelativeTime, today: Today) -> Spans:
    """The time before or after a date: "two weeks before August 11"."""
    dated, match = spans_in(relative.event, today)
    if match is None:
        dated, match = dates_in(f"on {relative.event}", today)
    if match is None or not dated or match.start() > len("on the "):
        return NO_SPANS
    base = dated[0].start if relative.is_before else dated[0].end - today.calendar.seconds_per_day
    return tuple(span.moved(base) for span in relative.spans)


def _nth_day(text: str, today: Today) -> tuple[Spans, re.Match[str] | None]:
    """Find a day of the game by its number in words: "on the fourth day"."""
    match = _NTH_DAY.search(text)
    if match is None:
        return NO_SPANS, None
    number = ordinal(match["number"] or match["other"])
    day = number - today.calendar.first_day_number
    if number == 1 or day > today.day:
        return NO_SPANS, None
    return (today.days(day, day + 1),), match


def _of_life(text: str, today: Today) -> tuple[Spans, re.Match[str] | None]:
    """Find a time that counts from when the NPC's memories begin: "in my first week here"."""
    match = _LIFE.search(text)
    if match is None:
        return NO_SPANS, None
    length = today.calendar.seconds_per_day
    days = unit_days(match["unit"], today)
    if match["number"].startswith("first "):
        return (Span(0.0, 4 * days * length, days * length),), match
    number = ordinal(match["number"])
    edge = days * length * (0.5 if number > 1 else 1.0)
    return (Span((number - 1) * days * length, number * days * length, edge, 1.0),), match
