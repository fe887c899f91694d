"""Lines of game characters of our own, each labelled with how it is meant for the one who hears it.

`friendly`: thanks, praise, love, comfort, help, an apology. `hostile`: an insult, a threat, contempt, blame.
`neutral`: greetings, questions, trade, news, and what others do or feel ("He hates me" harms nobody who hears it).
The labels were written before anything was measured, and the halves follow from the words alone: the lexicon was
tuned with one half and is judged by the other.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

LABELS = ("friendly", "neutral", "hostile")
_FILE = Path(__file__).with_suffix(".tsv")


class Line(NamedTuple):
    """Something a character says."""

    label: str
    setting: str
    text: str

    @property
    def is_held_out(self) -> bool:
        """Whether the line was kept out of tuning."""
        return hashlib.sha256(self.text.encode()).digest()[0] % 2 == 1


def read_lines(*, held_out: bool) -> list[Line]:
    """The lines of one half."""
    lines = [Line(*row.split("\t")) for row in _FILE.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line.is_held_out == held_out]


def label_of(sentiment: float) -> str:
    """The label that a sentiment stands for."""
    return LABELS[1] if sentiment == 0 else LABELS[0] if sentiment > 0 else LABELS[2]
