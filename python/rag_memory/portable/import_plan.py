"""What a file of another program would bring in: what a preview shows, and what an import writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.text.terms import words

_LONGEST_ID = 60


class ImportPlan(NamedTuple):
    """The content of a file, in the terms of this addon. Nothing has been written yet."""

    format: str
    """What the file is, for people: "character card V2"."""
    name: str
    """The name of the character, the book or the conversation."""
    lore: str = ""
    """Markdown, as import_lore() takes it."""
    entries: int = 0
    """How many entries of the file are in the lore."""
    personality: Mapping[str, Any] = {}
    """Properties of an NPCPersonality."""
    greetings: Sequence[str] = ()
    """The first lines that a character may say."""
    turns: Sequence[Mapping[str, Any]] = ()
    """What was said, as the arguments of store_turn()."""
    not_kept: Sequence[str] = ()
    """What the file has and the addon does not take, one sentence each."""

    @property
    def id(self) -> str:
        """An id made of the name: an npc_id, or the key of lore."""
        return id_of(self.name)

    def as_data(self) -> dict[str, Any]:
        """The plan as a game gets it."""
        return {
            **self._asdict(),
            "id": self.id,
            "personality": dict(self.personality),
            "greetings": list(self.greetings),
            "turns": [dict(turn) for turn in self.turns],
            "not_kept": list(self.not_kept),
        }


class NotKept:
    """Collects what is not kept of a file, and how often."""

    def __init__(self, sentences: Mapping[str, str]) -> None:
        self._sentences = sentences
        self._counts: Counter[str] = Counter()

    def note(self, *reasons: str) -> None:
        """Count reasons, which are keys of the sentences."""
        self._counts.update(reasons)

    def note_if(self, reasons: Mapping[str, Any]) -> None:
        """Count the reasons whose value is true."""
        self._counts.update(reason for reason, holds in reasons.items() if holds)

    def lines(self, more: Iterable[str] = ()) -> list[str]:
        """One sentence for each reason, in the order of the sentences; `{count}` is how often."""
        lines = [
            sentence.format(count=self._counts[reason])
            for reason, sentence in self._sentences.items()
            if self._counts[reason]
        ]
        return [*lines, *more]


def id_of(name: str) -> str:
    """A name as an id and as the name of a file: "The Old Mill" becomes "the_old_mill"."""
    return "_".join(words(name.casefold()))[:_LONGEST_ID].strip("_") or "imported"
