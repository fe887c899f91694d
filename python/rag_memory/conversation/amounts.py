"""Amounts in English sentences: "50 gold", "four of the ten pelts"."""

from __future__ import annotations

import re
from typing import NamedTuple

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.number_words import CARDINAL, cardinal


class Amount(NamedTuple):
    """A number of things; `unit` is "" where only the number is said."""

    number: int
    unit: str
    start: int
    end: int


_NO_UNIT = (
    r"(?:of|for|to|on|in|at|now|are|is|was|were|left|back|so|more|already|and|or|but|from|by|with|the|that|this|my|your|it|i|you|we|"
    r"then|here|there|still|remain\w*|off|a|an|as|if|when|which|each|again|today|tomorrow|later|soon|last|next|went|will|have|"
    r"stay|go|times?|days?|weeks?|months?|years?|hours?|minutes?|o'clock|percent|gives?|makes?|leaves?|towards?)\b"
)
_LARGE = (
    rf"(?:an?|{CARDINAL}) (?:hundred|thousand|grand)"
    rf"(?:(?: and)? (?:{CARDINAL})(?: hundred(?:(?: and)? (?:{CARDINAL}))?)?)?"
)
_AMOUNT = lazy_pattern(
    rf"(?<![\w.,-])(?P<number>\d{{1,3}}(?:,\d{{3}})+|{_LARGE}|\d{{1,9}}|{CARDINAL}|(?:half )?a dozen)"
    rf"(?![\w-]|[.,]\d)(?:(?: more| other| last| remaining)? "
    rf"(?:good |full |measly |lousy |shiny )?(?!{_NO_UNIT})(?P<unit>[^\W\d_][\w'-]*))?",
    re.IGNORECASE,
)
_SPECIAL = {
    "a dozen": 12,
    "half a dozen": 6,
}
_THOUSANDS = ("thousand", "grand")


def amounts_in(text: str) -> list[Amount]:
    """Return the amounts in a text, in their order."""
    amounts = []
    for match in _AMOUNT.finditer(text):
        number = match["number"].lower().replace(",", "")
        count = _SPECIAL.get(number) or _number(number)
        unit = (match["unit"] or "").lower()
        end = match.end()
        if unit == "dozen":
            count *= 12
            following = re.match(rf" (?!{_NO_UNIT})([^\W\d_][\w'-]*)", text[end:])
            unit = following[1].lower() if following else ""
            end += following.end() if following else 0
        amounts.append(Amount(count, _unit(unit, text[end:]), match.start(), end))
    return amounts


def _number(text: str) -> int:
    """The number of "250" and of "two thousand three hundred and five"."""
    total = part = 0
    for word in re.findall(rf"hundred|{'|'.join(_THOUSANDS)}|\ban?\b|{CARDINAL}", text):
        if word == "hundred":
            part *= 100
        elif word in _THOUSANDS:
            total, part = total + part * 1000, 0
        else:
            part += 1 if word in ("a", "an") else cardinal(word)
    return total + part


def _unit(unit: str, after: str) -> str:
    """The unit as it is said; "gold" for pieces or coins of gold."""
    if unit in ("piece", "pieces", "coin", "coins"):
        of = re.match(r" of ([a-z]+)", after)
        return of[1] if of else "coins"
    return unit
