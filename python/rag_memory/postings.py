"""Which memories of one NPC stand under a term of the keyword index."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from .columns import Columns
from .vector import Positions, RowIds

TermLookup = Callable[[str, str], RowIds]
"""The rowids of the NPC's memories that have a term of a kind, ascending."""

_LEAST_KEPT = 1_000_000
_KEPT_PER_MEMORY = 16
"""Positions of looked-up terms, at most, but never fewer than _LEAST_KEPT: 8 bytes each."""


class Postings:
    """Looked-up terms are kept as positions in the columns; a new memory is added to them, any other change
    drops them.
    """

    def __init__(self, columns: Columns, look_up: TermLookup) -> None:
        self._columns = columns
        self._look_up = look_up
        self._known: dict[str, Positions] = {}
        self._kept = 0

    def forget(self) -> None:
        """Drop what was looked up: memories have changed or are gone."""
        self._known.clear()
        self._kept = 0

    def add_last(self, terms: Iterable[str]) -> None:
        """Take in the memory that came last, by its kinds and terms (Record.index_terms())."""
        if not self._known:
            return
        last = len(self._columns) - 1
        for key in terms:
            known = self._known.get(key)
            if known is not None:
                self._known[key] = np.append(known, last)
                self._kept += 1

    def positions(self, kind: str, term: str) -> Positions:
        """Where in the columns the memories with this term stand, ascending."""
        key = kind + term
        known = self._known.get(key)
        if known is None:
            if self._kept > max(_LEAST_KEPT, _KEPT_PER_MEMORY * len(self._columns)):
                self.forget()
            known = np.searchsorted(self._columns.rowids, self._look_up(kind, term))
            self._known[key] = known
            self._kept += len(known) + 1
        return known
