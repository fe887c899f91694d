"""Texts that are searched beside the memories of an NPC without being stored as memories."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from rag_memory.index.columns import Columns, searched_row
from rag_memory.index.conversations import Conversations
from rag_memory.index.exact_index import ExactIndex
from rag_memory.index.postings import Postings
from rag_memory.index.vector_index import VectorIndex
from rag_memory.memory.record import Record
from rag_memory.vectors import FloatMatrix, Keys

_FIRST_KEY = 1 << 62
"""Beyond the keys of stored records, because both can be in one answer."""


class Passages:
    """Records in memory, with what a search needs of them."""

    def __init__(self, records: Sequence[Record], vectors: FloatMatrix) -> None:
        """`records`: without keys."""
        self._records = [record._replace(key=_FIRST_KEY + place) for place, record in enumerate(records)]
        self.columns = Columns(map(searched_row, self._records))
        self.vectors: VectorIndex = ExactIndex(vectors.shape[1])
        self.vectors.add(self.columns.keys, vectors)
        self._keys: dict[str, list[int]] = defaultdict(list)
        for record in self._records:
            for term in record.index_terms():
                self._keys[term].append(record.key)
        self.postings = Postings(self.columns, self._keys_with, lambda keys: [])

    def conversations(self, gap_minutes: float) -> Conversations:
        """The conversations of the records."""
        return Conversations(self.columns, gap_minutes)

    def by_keys(self, keys: Sequence[int]) -> list[Record]:
        """The records with these keys."""
        return [self._records[key - _FIRST_KEY] for key in keys]

    def _keys_with(self, kind: str, term: str) -> Keys:
        return np.array(self._keys.get(kind + term, ()), dtype=np.int64)
