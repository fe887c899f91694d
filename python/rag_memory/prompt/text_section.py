"""A section of a prompt: lines within a token budget."""

from __future__ import annotations

from collections.abc import Sequence

from rag_memory.prompt.section import SEPARATOR
from rag_memory.text.shortening import shortened
from rag_memory.text.token_width import WIDTH_PER_TOKEN, length_within, token_width, tokens_of_width

_LINE_END = token_width("\n")
_SHORTEST_CUT = token_width("x" * 12)
"""Shorter than this a cut line says nothing."""
_LEAST_OF_A_LINE = token_width("x" * 60)


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
        self._width = token_width(f"{self._opening}\n{self._closing}{SEPARATOR}")

    def __bool__(self) -> bool:
        return bool(self.lines)

    @property
    def tokens(self) -> int:
        """The used part of the budget."""
        return tokens_of_width(self._width) if self.lines else 0

    @property
    def text(self) -> str:
        """The section; "" when nothing is in it."""
        return "\n".join([self._opening, *self.lines, self._closing]) if self.lines else ""

    def fits(self, line: str) -> bool:
        """Return whether there is room for a line."""
        return tokens_of_width(self._width + token_width(line) + _LINE_END) <= self.budget

    def free_tokens(self) -> int:
        """Return the tokens that a text may have to fit as it is."""
        return max(0, self._room() // WIDTH_PER_TOKEN)

    def add(self, line: str) -> bool:
        """Take the line when it fits, and return whether it does."""
        if not self.fits(line):
            self.dropped += 1
            return False
        self.lines.append(line)
        self._width += token_width(line) + _LINE_END
        return True

    def add_shortened(self, line: str, suffix: str = "") -> bool:
        """Take the line and a suffix; when there is less room, the beginning of the line and the suffix."""
        room = self._room() - token_width(suffix)
        if self.fits(line + suffix) or room < _SHORTEST_CUT:
            return self.add(line + suffix)
        return self.add(shortened(line, length_within(line, room)) + suffix)

    def add_beginning(self, line: str) -> bool:
        """Take the line, or its first sentences where it does not fit as a whole."""
        room = self._room()
        if self.fits(line) or room < _LEAST_OF_A_LINE:
            return self.add(line)
        self.cut += 1
        return self.add(shortened(line, length_within(line, room)))

    def add_newest(self, lines: Sequence[str], suffix: str) -> None:
        """Take the last lines that fit, in their order. When the last one does not, its beginning is taken,
        with the suffix that every line ends with.
        """
        first, width = len(lines), self._width
        while first:
            width += token_width(lines[first - 1]) + _LINE_END
            if tokens_of_width(width) > self.budget:
                break
            first -= 1
        if lines and first == len(lines):
            first -= 1
            self.add_shortened(lines[first].removesuffix(suffix), suffix)
        else:
            for line in lines[first:]:
                self.add(line)
        self.dropped += first

    def _room(self) -> int:
        """The width that a line may have."""
        return self.budget * WIDTH_PER_TOKEN - self._width - _LINE_END
