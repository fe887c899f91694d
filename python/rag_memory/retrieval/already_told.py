"""The factor of memories that were told a moment ago: they step back, unless they are asked for again."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from rag_memory.retrieval.candidate import Candidate
from rag_memory.retrieval.relevance import overlap

_FACTOR = 0.5
_ASKED_WORDS, _ASKED_SIMILARITY = 0.5, 0.62
"""A question asks for a memory again that has this share of its words, or is so near to it."""


@dataclass(frozen=True)
class AlreadyTold:
    """What whoever listens to the answer was told in this talk."""

    question: str = ""
    ids: Collection[str] = ()

    def apply(self, candidates: Iterable[Candidate]) -> None:
        """Lower the scores of those that were told and that the question is not about."""
        if not self.ids:
            return
        for candidate in candidates:
            if candidate.id in self.ids and not self._is_asked(candidate):
                candidate.told_factor = _FACTOR
                candidate.score *= _FACTOR

    def _is_asked(self, candidate: Candidate) -> bool:
        if candidate.similarity >= _ASKED_SIMILARITY:
            return True
        return bool(self.question.strip()) and overlap(self.question, candidate.document_full) >= _ASKED_WORDS
