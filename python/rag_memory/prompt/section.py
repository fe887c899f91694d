"""A section of a dossier, which is never over its budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rag_memory.prompt.item import Item, ShownTexts
from rag_memory.retrieval.selection import estimate_tokens
from rag_memory.text.token_width import WIDTH_PER_TOKEN, token_width

SEPARATOR = "\n\n"
"""Between two sections; it belongs to the budget of the one before it."""
_LINE_END = token_width("\n")


@dataclass
class Section:
    """One section: its candidates, best first, and the items taken from them.

    `most`: how many items; `least`: how many of those with a score below `enough`; `in_order`: how they stand
    in the text, when not best first.
    """

    name: str
    heading: str
    items: Sequence[Item]
    most: int
    least: int = 0
    enough: float = 0.0
    in_order: Sequence[Item] = ()
    taken: list[Item] = field(default_factory=list)
    duplicates: list[Item] = field(default_factory=list)

    def fill(self, budget: int, shown_texts: ShownTexts) -> None:
        """Take the best that fit into `budget` tokens and that do not repeat `shown_texts`.

        What is too long by itself gives its place to the next one. Memories are whole while there is room,
        best first, then short. Of other items short ones are whole, and the long ones share the rest evenly;
        where that is too little for one of them, the last one goes.
        """
        self.duplicates, self.taken = [], []
        room = budget * WIDTH_PER_TOKEN - token_width(SEPARATOR + self.heading)
        texts = shown_texts.copy()
        lines = whole = least = 0
        for item in self.items:
            count = len(self.taken)
            if count == self.most or (count >= self.least and item.score < self.enough) or least > room:
                break
            if item.is_whole_or_short:
                shown = item.shorten(room - lines - _LINE_END)
            else:
                most = max(room - whole, room // 2) if self.taken else room
                shown = item.least_width + _LINE_END <= most and item.shorten(room)
            if not shown:
                continue
            if self._checks(item) and texts.says(item):
                self.duplicates.append(item)
            else:
                self.taken.append(item)
                texts.add(item)
                lines += token_width(item.line) + _LINE_END
                whole += item.full_width + _LINE_END
                least += item.least_width + _LINE_END
        is_shared = not any(item.is_whole_or_short for item in self.taken)
        while is_shared and self.taken and not (_share(self.taken, room) and self._differ(shown_texts)):
            self.taken.pop()

    @property
    def text(self) -> str:
        """The section; "" when nothing is in it."""
        lines = [item.line for item in self._shown()]
        return "\n".join([self.heading, *lines]) if lines else ""

    @property
    def tokens(self) -> int:
        """The used part of the budget."""
        text = self.text
        return estimate_tokens(text + SEPARATOR) if text else 0

    def reason(self, item: Item) -> str:
        """Why an item that was not taken is not there."""
        if item in self.duplicates:
            return "duplicate"
        is_weak = item.score < self.enough and len(self.taken) >= self.least
        return "out_ranked" if is_weak or len(self.taken) >= self.most else "budget"

    def _differ(self, shown_texts: ShownTexts) -> bool:
        """Return whether all items still differ after some were shortened.

        If not, the first repeated item is moved to the end, to be removed.
        """
        texts = shown_texts.copy()
        for place, item in enumerate(self.taken):
            if self._checks(item) and texts.says(item):
                self.taken.append(self.taken.pop(place))
                self.duplicates.append(item)
                return False
            texts.add(item)
        return True

    def _checks(self, item: Item) -> bool:
        """Return whether an item must not repeat others. Turns may, and items of a scene have no ids."""
        return item.id != "" and self.name != "turns"

    def _shown(self) -> Sequence[Item]:
        return [item for item in self.in_order or self.items if item in self.taken]


def _share(items: Sequence[Item], room: int) -> bool:
    """Show of each what fits into its share of the room, a width; whether each has one."""
    widths = sorted(item.full_width + _LINE_END for item in items)
    level, left = 0, room
    for place, width in enumerate(widths):
        level = left // (len(widths) - place)
        if width > level:
            break
        left -= width
    else:
        level = room
    for item in items:
        if not item.shorten(level - _LINE_END):
            return False
    left = room - sum(token_width(item.line) + _LINE_END for item in items)
    for item in items:
        before = token_width(item.line)
        item.shorten(before + left)
        left -= token_width(item.line) - before
    return True
