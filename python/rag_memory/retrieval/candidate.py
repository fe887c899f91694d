"""One candidate for an answer: a memory, how well it matches, and the form it is rendered in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.memory.memory_view import FULL, Shown, described
from rag_memory.memory.occurrences import OCCURRENCES
from rag_memory.memory.record import Record
from rag_memory.memory.repetition import occurrences_of
from rag_memory.retrieval.relevance import Match
from rag_memory.retrieval.scoring import Factors
from rag_memory.text.dedup_key import dedup_key


class Candidate:
    """A memory that may be returned: its record, how well it matches, its score, and the form it is rendered
    in.
    """

    __slots__ = (
        *("document_full", "document_short", "duplicates", "earlier", "factors", "id", "is_shared"),
        *("last_accessed", "match", "newer", "protected", "record", "rendered_text", "score"),
        *("similarity", "told_factor", "used_form"),
    )

    def __init__(
        self,
        record: Record,
        match: Match,
        of: Factors,
        score: float,
        protected: bool,
        last_accessed: float = 0.0,
    ) -> None:
        """`last_accessed`: before this question."""
        self.record = record
        self.id = record.id
        self.document_full = record.document_full
        self.document_short = record.document_short
        self.last_accessed = last_accessed
        self.match = match
        self.similarity = match.similarity
        """Cosine of question and memory, 0..1."""
        self.factors = of
        self.score = score
        self.told_factor = 1.0
        """Less when it was told a moment ago."""
        self.protected = protected
        self.is_shared = False
        """True for what the NPC knows of the world without a memory of its own."""
        self.rendered_text = ""
        self.used_form = ""
        self.duplicates: list[Candidate] = []
        """Candidates that say the same in nearly the same words, and came later in the order."""
        self.newer = ""
        """The id of the newer memory about the same matter that says something else (changes.py)."""
        self.earlier: list[str] = []
        """The ids of the memories that this one is newer than."""

    def render(self, config: MemoryConfig, form: str) -> str:
        """The full or the short text, marked as earlier when a newer memory is about the same matter."""
        text = self.document_full if form == FULL else self.document_short
        is_earlier = self.newer and not self.record.superseded_by
        return config.sentence("earlier", memory=text) if is_earlier else text

    def breakdown(self) -> dict[str, float]:
        """The factors of the score and the parts of the relevance; `told` only when it lowers the score."""
        stepped_back = {} if self.told_factor == 1.0 else {"told": self.told_factor}
        return {**self.factors._asdict(), **stepped_back, **self.match.parts}

    @property
    def records(self) -> list[Record]:
        """Its record and those of its duplicates, without what the world says of the same."""
        own = [candidate.record for candidate in (self, *self.duplicates) if not candidate.is_shared]
        return own or [self.record]

    def as_dictionary(self, npc_id: str, config: MemoryConfig) -> dict[str, Any]:
        """The retrieved memory as callers get it; with `duplicates`, `earlier` and `newer` only when it
        has some.
        """
        shown = Shown(self.rendered_text, self.used_form)
        memory = described(self.record, npc_id, config, self.protected, shown)
        memory["metadata"]["last_accessed"] = self.last_accessed
        memory["similarity"] = self.similarity
        memory["distance"] = 1.0 - self.similarity
        memory["score"] = self.score
        memory["breakdown"] = self.breakdown()
        if self.duplicates:
            memory["duplicates"] = [duplicate.id for duplicate in self.duplicates]
            if len(self.records) > 1:
                memory["metadata"][OCCURRENCES] = occurrences_of(self.records)
        if self.newer:
            memory["newer"] = self.newer
        if self.earlier:
            memory["earlier"] = list(self.earlier)
        return memory


def distinct(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Remove near-duplicates of earlier, better candidates, which list them. Protected candidates stay."""
    best_of: dict[tuple[str, ...], Candidate] = {}
    best: list[Candidate] = []
    keys: set[int] = set()
    for candidate in candidates:
        if candidate.record.key in keys:
            continue
        keys.add(candidate.record.key)
        better = best_of.setdefault(dedup_key(candidate.document_full), candidate)
        if better is candidate or candidate.protected:
            best.append(candidate)
        else:
            better.duplicates += [candidate, *candidate.duplicates]
            candidate.duplicates = []
    return best
