"""Relevance that a rule of the game has a say in."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rag_memory.index.columns import Columns
from rag_memory.retrieval.relevance import Favour, Match, Relevance, addable_relevance
from rag_memory.vectors import Mask

ASKED_ABOUT = 200
"""The rule is asked about so many memories: the most relevant ones without it."""
RULE_CHANNEL = "rule_channel"
"""The part of a breakdown that the rule said."""


class RuledRelevance:
    """Another relevance, changed by the game's rule for the memories most relevant by it.

    The rule moves a relevance towards 1 (0.5: half the way) or towards 0 (-0.5: half the way). It is asked
    once per question, and of the same memories whatever is allowed, so a filter changes no number.
    """

    def __init__(
        self,
        inner: Relevance,
        columns: Columns,
        ask: Callable[[Sequence[Match]], list[float] | None],
    ) -> None:
        self._inner = inner
        self._columns = columns
        self._ask = ask
        self._said: dict[int, float] | None = None

    def search(self, k: int, allowed: Mask, favour: Favour | None = None) -> list[Match]:
        said = self._answers()
        if not k or not said:
            return self._inner.search(k, allowed, favour)
        # However many of them sink, k others are there.
        by_key = {match.key: match for match in self._inner.search(k + len(said), allowed, favour)}
        more = [key for key in said if key not in by_key and allowed[self._position(key)]]
        by_key.update((match.key, match) for match in self._inner.measure(more))
        matches = [self._moved(match) for match in by_key.values()]
        matches.sort(key=lambda match: self._order(match, favour))
        return matches[:k]

    def measure(self, keys: Sequence[int]) -> list[Match]:
        return [self._moved(match) for match in self._inner.measure(keys)]

    def _answers(self) -> dict[int, float]:
        """By key; empty when the rule leaves the question to the addon."""
        if self._said is None:
            matches = self._inner.search(ASKED_ABOUT, np.ones(len(self._columns), dtype=np.bool_))
            said = self._ask(matches)
            self._said = (
                {} if said is None else dict(zip([match.key for match in matches], said, strict=True))
            )
        return self._said

    def _moved(self, match: Match) -> Match:
        said = self._answers().get(match.key, 0.0)
        relevance = match.relevance
        relevance += said * ((1.0 - relevance) if said > 0.0 else relevance)
        return match._replace(
            relevance=relevance,
            parts={**match.parts, RULE_CHANNEL: said},
            is_relevant=match.is_relevant or said > 0.0,
        )

    def _position(self, key: int) -> int:
        return int(self._columns.positions(np.array([key], dtype=np.int64))[0])

    def _order(self, match: Match, favour: Favour | None) -> tuple[float, float, int]:
        position = self._position(match.key)
        rank = match.relevance
        if favour is not None:
            rank = favour.weight * addable_relevance(match) + float(favour.amounts[position])
        return (-rank, -float(self._columns.timestamps[position]), -position)
