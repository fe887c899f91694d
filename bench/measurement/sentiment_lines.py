"""Lines of game characters, labelled with the intention towards the listener.

`friendly`: thanks, praise, love, comfort, help, an apology. `hostile`: an insult, a threat, contempt, blame.
`neutral`: greetings, questions, trade, news, and what others do or feel ("He hates me" harms nobody).

The labels were written before anything was measured. The hash of a line decides whether it is in the half
that the lexicon was tuned with or in the half that was held out. Whoever wrote the lexicon's own words knew
all of these lines, so there are fresh ones, written after it was finished and never used to change it.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

LABELS = ("friendly", "neutral", "hostile")
TUNING, HELD_OUT, FRESH = "tuning", "held out", "fresh"
_FOLDER = Path(__file__).parent


class Line(NamedTuple):
    """Something a character says."""

    label: str
    setting: str
    text: str


def read_lines(part: str) -> list[Line]:
    """The lines of `TUNING`, `HELD_OUT` or `FRESH`."""
    if part == FRESH:
        return _read("sentiment_lines_fresh.tsv")
    return [line for line in _read("sentiment_lines.tsv") if _half(line) == part]


def label_of(sentiment: float) -> str:
    """The label that a sentiment stands for."""
    return LABELS[1] if sentiment == 0 else LABELS[0] if sentiment > 0 else LABELS[2]


def _half(line: Line) -> str:
    return HELD_OUT if hashlib.sha256(line.text.encode()).digest()[0] % 2 else TUNING


def _read(name: str) -> list[Line]:
    rows = (_FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [Line(*row.split("\t")) for row in rows]
