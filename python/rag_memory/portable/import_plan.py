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
    memories: Sequence[Mapping[str, Any]] = ()
    """As store_batch() takes them, each with the `npc_id` whose memory it is."""
    not_kept: Sequence[str] = ()
    """What the file has and the addon does not take, one sentence each."""
    npc_id: str = ""
    """The NPC that the game has named."""
    table: Mapping[str, Any] = {}
    """Of a table: its `headings`, the `columns` that are read by key, and the first `rows` as texts."""

    @property
    def id(self) -> str:
        """An npc_id, or the key of lore: made of the name, unless the game has named the NPC."""
        return self.npc_id or id_of(self.name)

    def by_npc(self) -> dict[str, tuple[Sequence[Mapping[str, Any]], list[dict[str, Any]]]]:
        """The turns and the memories that the file brings, by the NPC."""
        content = {self.id: (self.turns, list[dict[str, Any]]())} if self.turns else {}
        for memory in self.memories:
            fields = dict(memory)
            content.setdefault(fields.pop("npc_id"), ((), []))[1].append(fields)
        return content

    def as_data(self) -> dict[str, Any]:
        """The plan as a game gets it."""
        fields = self._asdict()
        del fields["npc_id"]
        return {
            **fields,
            "id": self.id,
            "personality": dict(self.personality),
            "greetings": list(self.greetings),
            "turns": [dict(turn) for turn in self.turns],
            "table": dict(self.table),
            "memories": [dict(memory) for memory in self.memories],
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
