"""English words for a time before or after an event: "the day after the fire", "before you fell ill"."""

from __future__ import annotations

import re
from typing import NamedTuple

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.english_spans import slack_of, unit_days
from rag_memory.text.number_words import AMOUNT, ORDINAL, amount, ordinal
from rag_memory.text.time_spans import Span, Spans, Today

ALWAYS = 1e7
"""More days than any game has."""
_MOST_WORDS = 12
_PERSON = r"(?:i|you|we|he|she|they|it)"
_OWNER = r"(?:the|that|my|your|our|his|her|their|this)"
_SOON = r"right|just|directly|straight|shortly|soon|immediately|not long"

_RELATIVE = lazy_pattern(
    rf"\b(?:(?:on|in) )?(?:(?P<count>{AMOUNT}) (?P<unit>day|night|week|fortnight|month|year)s? "
    r"|the (?P<one>day|night|morning|evening|afternoon|week|weekend|month|year) "
    rf"|(?P<soon>{_SOON}) )?(?P<side>before|after|since) (?P<event>[^?.!,;]+)"
)
_ON_THE_DAY = lazy_pattern(
    rf"\b(?:(?:on|in) )?the (?:very )?(?:(?P<number>{ORDINAL}) )?(?P<one>day|night|morning|evening|week) "
    rf"(?:of (?={_OWNER} )|(?:that |when |on which )?(?={_PERSON} |{_OWNER} ))(?P<event>[^?.!,;]+)"
)
_PAST = lazy_pattern(
    r"\b(?:did|was|were|had|have|has|been|happened|went|came|took|said|told|gave|got|made|became|saw|met|found|"
    r"lost|\w{2,}ed|anything|news|\w+'s been)\b"
)
ARRIVAL = lazy_pattern(
    rf"{_PERSON}(?: first| ever)? (?:got|came|arrived|moved|joined|showed up|turned up)(?: in)?(?: here)?"
    rf"|{_PERSON}(?: first| ever)? met(?: (?:you|me|each other))?"
)
_NO_EVENT = lazy_pattern(
    r"(?:that|this|then|all|last|it|me|you|him|her|us|them|long|now|i|we|he|she|they|"
    rf"(?:{_OWNER} )?(?:king|queen|council|court|judge|lords?|lady|duke|gods?|altar|people|crowd|throne|"
    r"guards?|priest|town|others|rest|eyes|law|company|work|children)|every(?:one|body)|any(?:one|body))"
    r"(?: too| either| again)?"
)
_AFTER_VERB = lazy_pattern(
    r"\b(?:look(?:s|ed|ing)?|tak(?:e|es|ing|en)|took|named?|call(?:ed)?|ask(?:s|ed|ing)?|run|ran|chas(?:e|ed|ing)|"
    r"inquired?|clean(?:ed)?|model(?:led)?)(?: \w+){0,2} $"
)


class RelativeTime(NamedTuple):
    """A time that counts from an event."""

    match: re.Match[str]
    event: str
    is_before: bool
    spans: Spans
    """In seconds from the beginning of the event's day."""


def relative_time_in(text: str, today: Today) -> RelativeTime | None:
    """Find the first such time in a lower-case question about the past."""
    for pattern in (_RELATIVE, _ON_THE_DAY):
        for match in pattern.finditer(text):
            event = match["event"].strip(" _'\"")
            words = event.split()
            others = f"{text[: match.start()]} {text[match.end() :]}"
            if (
                not words
                or len(words) > _MOST_WORDS
                or _NO_EVENT.fullmatch(event)
                or ("after" in match[0].split() and _AFTER_VERB.search(text[: match.start("event") - 6]))
                or not _PAST.search(others)
            ):
                continue
            if pattern is _ON_THE_DAY:
                return RelativeTime(match, event, False, _on_the_day(match, today))
            return RelativeTime(match, event, match["side"] == "before", _around(match, today))
    return None


def _on_the_day(match: re.Match[str], today: Today) -> Spans:
    days = unit_days(match["one"], today)
    start = (ordinal(match["number"]) - 1) * days if match["number"] else 0.0
    return (_days(today, start, start + days),)


def _around(match: re.Match[str], today: Today) -> Spans:
    """The time before or after the day 0 that the words mean."""
    is_before = match["side"] == "before"
    spans: list[tuple[float, float, float, float]]
    if match["count"]:
        least, most = amount(match["count"])
        days = unit_days(match["unit"], today)
        slack = slack_of(match["unit"], least * days)
        spans = [(least * days, most * days, 0.0, 1.0), (least * days, most * days, slack, 0.8)]
    elif match["one"] in ("day", "night", "morning", "evening", "afternoon"):
        spans = [(1.0, 1.0, 0.0, 1.0)]
        if match["one"] in ("night", "evening") and not is_before:
            spans.append((0.0, 0.0, 0.0, 0.6))
    elif match["one"]:
        spans = [(1.0, max(1.0, round(unit_days(match["one"], today))), 1.0, 1.0)]
    elif match["side"] == "since":
        spans = [(0.0, ALWAYS, 0.0, 0.7)]
    elif match["soon"]:
        spans = [(0.0, 2.0, 2.0, 1.0)]
    else:
        spans = [(0.0, 3.0, 14.0, 1.0), (0.0, ALWAYS, 0.0, 0.4)]
    sign = -1.0 if is_before else 1.0
    result = []
    for near, far, edge, weight in spans:
        first, last = sorted((sign * near, sign * far))
        side = 0 if match["count"] else int(sign)
        result.append(_days(today, first, last + 1.0, edge, weight)._replace(side=side))
    return tuple(result)


def _days(today: Today, first: float, end: float, edge: float = 0.0, weight: float = 1.0) -> Span:
    length = today.calendar.seconds_per_day
    return Span(first * length, end * length, edge * length, weight)
