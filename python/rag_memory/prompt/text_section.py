"""A section of a prompt: lines within a token budget."""

from __future__ import annotations

from collections.abc import Sequence

from rag_memory.prompt.section import SEPARATOR
from rag_memory.retrieval.selection import CHARS_PER_TOKEN
from rag_memory.text.shortening import shortened

_SHORTEST_CUT = 12
"""Shorter than this a cut line says nothing."""
_LEAST_OF_A_LINE = 60


class TextSection:
    """Lines between the tags of a title. A line that does not fit is not taken, so the section is never over
    its budget.
    """

    def __init__(self, title: str, budget: int) -> None:
        self.title = title
        self.budget = budget
        self.dropped = 0
        """How many lines were not taken."""
        self.cut = 0
        """How many lines lack their end."""
        self.lines: list[str] = []
        self._opening, self._closing = f"<{title}>", f"</{title}>"
        # The tags, the end of the first line and the blank line after the section belong to its budget.
        self._length = len(self._opening) + 1 + len(self._closing) + len(SEPARATOR)

    def __bool__(self) -> bool:
        return bool(self.lines)

    @property
    def tokens(self) -> int:
        """The used part of the budget."""
        return _tokens(self._length) if self.lines else 0

    @property
    def text(self) -> str:
        """The section; "" when nothing is in it."""
        return "\n".join([self._opening, *self.lines, self._closing]) if self.lines else ""

    def fits(self, line: str) -> bool:
        """Return whether there is room for a line."""
        return _tokens(self._length + len(line) + 1) <= self.budget

    def free_tokens(self) -> int:
        """Return the tokens that a text may have to fit as it is."""
        return max(0, self._room() // CHARS_PER_TOKEN)

    def add(self, line: str) -> bool:
        """Take the line when it fits, and return whether it does."""
        if not self.fits(line):
            self.dropped += 1
            return False
        self.lines.append(line)
        self._length += len(line) + 1
        return True

    def add_shortened(self, line: str, suffix: str = "") -> bool:
        """Take the line and a suffix; when there is less room, the beginning of the line and the suffix."""
        room = self._room() - len(suffix)
        if self.fits(line + suffix) or room < _SHORTEST_CUT:
            return self.add(line + suffix)
        return self.add(shortened(line, room) + suffix)

    def add_beginning(self, line: str) -> bool:
        """Take the line, or its first sentences where it does not fit as a whole."""
        room = self._room()
        if self.fits(line) or room < _LEAST_OF_A_LINE:
            return self.add(line)
        self.cut += 1
        return self.add(shortened(line, room))

    def add_newest(self, lines: Sequence[str], suffix: str) -> None:
        """Take the last lines that fit, in their order. When the last one does not, its beginning is taken,
        with the suffix that every line ends with.
        """
        first, length = len(lines), self._length
        while first and _tokens(length + len(lines[first - 1]) + 1) <= self.budget:
            first -= 1
            length += len(lines[first]) + 1
        if lines and first == len(lines):
            first -= 1
            self.add_shortened(lines[first].removesuffix(suffix), suffix)
        else:
            for line in lines[first:]:
                self.add(line)
        self.dropped += first

    def _room(self) -> int:
        """The characters that a line may have."""
        return self.budget * CHARS_PER_TOKEN - self._length - 1


def _tokens(length: int) -> int:
    return -(-length // CHARS_PER_TOKEN)
