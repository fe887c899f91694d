"""Confusion tables of labelled lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from . import markdown
from .sentiment_lines import LABELS, Line


class Confusion:
    """Counts of answered labels per true label."""

    def __init__(self, lines: Sequence[Line], answer: Callable[[str], str]) -> None:
        self._counts = Counter((line.label, answer(line.text)) for line in lines)

    @property
    def right(self) -> float:
        """The share of lines with the right label."""
        return sum(self._counts[label, label] for label in LABELS) / self._counts.total()

    @property
    def opposite(self) -> float:
        """The share of friendly lines taken for hostile ones, and the other way round."""
        first, *_, last = LABELS
        return (self._counts[first, last] + self._counts[last, first]) / self._counts.total()

    def table(self) -> str:
        """Rows are true labels, columns the answers."""
        rows = [(label, *(str(self._counts[label, other]) for other in LABELS)) for label in LABELS]
        return markdown.table([("meant", *(f"taken for {other}" for other in LABELS)), *rows])
