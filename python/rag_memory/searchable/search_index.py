"""The part of one owner's records that is in memory to be searched."""

from __future__ import annotations

import hashlib
import logging
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from rag_memory.config.memory_config import MemoryConfig, RelevanceMode
from rag_memory.embedding.embedder import Embedder
from rag_memory.embedding.no_embedder import NoEmbedder
from rag_memory.index.columns import Columns, searched_row
from rag_memory.index.conversations import Conversations
from rag_memory.index.index_cache import IndexCache
from rag_memory.index.postings import Postings
from rag_memory.index.registry import make_index
from rag_memory.index.server_index import ServerIndex
from rag_memory.index.vector_index import IndexOptions, VectorIndex
from rag_memory.memory.record import Record
from rag_memory.step import Step, Steps
from rag_memory.storage.protocol import Comparing, Storage
from rag_memory.storage.sql.records import newest_in_slot
from rag_memory.text.gazetteer import name_words, names_in, written_names
from rag_memory.text.questions import THE_PLAYER
from rag_memory.text.terms import NAMED, SPEAKER, STOP_WORDS, WORD, terms_of, words
from rag_memory.validation import list_in
from rag_memory.vectors import FloatMatrix, FloatVector, Keys

PLAYER_NAME_SLOT = "player_name"
_PLAYER_TERM = "player"

_LOG = logging.getLogger("rag_memory")

_SAVE_AFTER_GROWTH = 5000
_NO_MODEL = 0
_SLICE_SECONDS = 0.002
_READ_AT_ONCE = 64
"""Memories: 1 to 2 ms."""
_COMMON_NAME_SHARE = 0.1
"""Of all memories. The two people of a long conversation are in half of them or more, somebody of a village
in a few (bench/recall.md has both).
"""


def names_of_player(record: Record | None) -> frozenset[str]:
    """The words of the player's name, from the memory in its slot: its entities, or else its capitalised
    words.
    """
    if record is None:
        return frozenset()
    return name_words(map(str, list_in(record.entities))) or names_in(record.document_full)


def written_name(record: Record | None) -> list[str]:
    """The words of the player's name as they are written, from the memory in its slot."""
    if record is None:
        return []
    entities = " ".join(map(str, list_in(record.entities))).split()
    named = [word for word in entities if word.lower() not in STOP_WORDS]
    return list(dict.fromkeys(named or written_names(record.document_full)))


class SearchIndex:
    """Columns, vectors, keywords and names of one owner's records, in step with the store once loaded."""

    def __init__(
        self,
        store: Storage,
        npc: int | None,
        npc_id: str,
        options: IndexOptions,
        embedder: Embedder,
        model: int,
        on_server: bool = False,
    ) -> None:
        """`on_server`: whether vectors stay where the store keeps them and compares them, if it does."""
        self._store = store
        self._npc_id = npc_id
        self._terms = _StoredTerms(store, npc)
        self._embedder = embedder
        comparing = store.comparing if on_server else None
        self._loaded_model = model if comparing is None else _NO_MODEL
        """The vectors of which model are loaded."""
        self._path = _index_path(store.folder(".index"), npc_id)
        self._player_words: frozenset[str] | None = None
        self._player_name: str | None = None
        self._name_words: set[str] | None = None
        """Of the speakers, participants and entities of all memories, and perhaps of some that are gone."""
        self._conversations: tuple[float, Conversations] | None = None
        self._saved_stamp = ""
        self._unsaved = 0
        self._keys_to_load: list[int] = []
        self.columns = Columns()
        self.vectors: VectorIndex = (
            make_index(embedder.dimension, options)
            if comparing is None
            else ServerIndex(embedder.dimension, _StoredVectors(comparing, self._terms, model))
        )
        self.postings = Postings(self.columns, self._terms.keys_with, self._terms.of, store.suspect)

    def load_steps(self, cache: IndexCache) -> Steps[None]:
        """Load what the store holds, in slices, once others have made room for it in the cache. Meanwhile the
        store must not change.
        """
        yield from self._find_steps()
        # Of one vector: what is found will take as much each, without a search graph.
        self.vectors.reserve(1)
        with cache.loading(len(self._keys_to_load) * (self.columns.row_bytes + self.vectors.bytes)):
            yield from self._read_steps()

    def _find_steps(self) -> Steps[None]:
        if self._terms.npc is None:
            return
        deadline = time.perf_counter() + _SLICE_SECONDS
        for page in self._store.records.key_pages(self._terms.npc):
            self._keys_to_load += page
            if time.perf_counter() > deadline:
                yield Step(0, len(self._keys_to_load), "loading memories")
                deadline = time.perf_counter() + _SLICE_SECONDS

    def _read_steps(self) -> Steps[None]:
        if self._terms.npc is None:
            return
        deadline = time.perf_counter() + _SLICE_SECONDS
        keys, self._keys_to_load = sorted(self._keys_to_load), []
        self.columns.reserve(len(keys))
        self.vectors.reserve(len(keys))
        for start in range(0, len(keys), _READ_AT_ONCE):
            asked = keys[start : start + _READ_AT_ONCE]
            rows, vectors = self._store.vectors.searched(asked, self._loaded_model, self._embedder.dimension)
            if len(rows) != len(asked):
                self._store.suspect()
            count = len(self.columns)
            self.columns.append(rows)
            self.vectors.add(self.columns.keys[count:], vectors)
            if time.perf_counter() > deadline:
                yield Step(len(self.columns), len(keys), "loading memories")
                deadline = time.perf_counter() + _SLICE_SECONDS
        stamp = self._stamp()
        is_as_saved = self._path is not None and self.vectors.load(
            self._path, self._embedder.fingerprint, stamp
        )
        if is_as_saved and not self.vectors.pending:
            self._saved_stamp = stamp

    @property
    def bytes(self) -> int:
        """About the memory it takes, with what is kept of former questions."""
        conversations = 0 if self._conversations is None else self._conversations[1].bytes
        return self.columns.bytes + self.vectors.bytes + self.postings.bytes + conversations

    def set_npc(self, npc: int) -> None:
        """The NPC's number, once its first memory has given it one."""
        self._terms.npc = npc

    def add(self, record: Record, vector: FloatVector) -> None:
        """Take in a memory that was stored; one that was put back may stand before others."""
        is_last = not len(self.columns) or record.key > self.columns.keys[-1]
        self._set(record, vector)
        terms = record.index_terms()
        self.postings.add(record.key, terms)
        self._add_names(terms)
        self._changed(is_last)

    def change(self, before: Record, now: Record, vector: FloatVector | None = None) -> None:
        """Take in what a memory has become; its new vector, when its text is another one."""
        self._set(now, vector)
        terms = now.index_terms()
        self.postings.change(now.key, before.index_terms(), terms)
        self._add_names(terms)
        self._changed()

    def take_vectors(self, keys: Sequence[int], vectors: FloatMatrix) -> None:
        """Take in new vectors of those of these memories that are here."""
        are_here = np.isin(keys, self.columns.keys)
        if are_here.any():
            self.vectors.add(np.array(keys, dtype=np.int64)[are_here], vectors[are_here])
            self._unsaved += int(np.count_nonzero(are_here))

    def remove(self, record: Record) -> None:
        """Leave out a memory that was deleted."""
        self.columns.remove(record.key)
        self.vectors.remove([record.key])
        self.postings.remove(record.key, record.index_terms())
        self._changed()

    def clear(self) -> None:
        """Leave out every memory."""
        self.columns.clear()
        self.vectors.clear()
        self.postings.clear()
        self._changed()

    def conversations(self, gap_minutes: float) -> Conversations:
        """The conversations of the memories, as they are now."""
        if self._conversations is None or self._conversations[0] != gap_minutes:
            self._conversations = (gap_minutes, Conversations(self.columns, gap_minutes))
        return self._conversations[1]

    def is_name(self, word: str) -> bool:
        """Return whether a word is one of the name of a speaker, participant or entity of a memory, or of the
        player.
        """
        if self._name_words is None:
            self._name_words = self._terms.of_kind(SPEAKER) | self._terms.of_kind(NAMED)
        if word in self._name_words and (
            len(self.postings.positions(SPEAKER, word)) or len(self.postings.positions(NAMED, word))
        ):
            return True
        if self._player_words is None:
            self._player_words = names_of_player(self._player_record())
        return word in self._player_words

    def _player_record(self) -> Record | None:
        if self._terms.npc is None:
            return None
        return self._store.records.first(self._terms.npc, newest_in_slot(PLAYER_NAME_SLOT))

    def name_for_player(self) -> str:
        """How most memories call the player: the name, once it is known, or "the player"."""
        if self._player_name is None:
            self._player_name = self._name_for_player()
        return self._player_name

    def _name_for_player(self) -> str:
        counts = {word: self._count_with(word) for word in written_name(self._player_record())}
        by_name = max(counts.values(), default=0)
        if by_name <= self._count_with(_PLAYER_TERM):
            return THE_PLAYER
        # "Rowan Ashby" is Rowan to those who hardly ever say the second name.
        return " ".join(word for word, count in counts.items() if 2 * count >= by_name)

    def _count_with(self, word: str) -> int:
        """How many memories have a word."""
        terms = [term for folded in words(word) for term in terms_of(folded)]
        return min((len(self.postings.positions(WORD, term)) for term in terms), default=0)

    def is_telling(self, name: str) -> bool:
        """Return whether a word of a name tells memories apart: some of them have it, but not many."""
        terms = [term for term in terms_of(name) if len(term) == len(name)] or terms_of(name)
        count = min(len(self.postings.positions(WORD, term)) for term in terms)
        return 0 < count < _COMMON_NAME_SHARE * len(self.columns)

    def save_if_grown(self) -> None:
        """Write the search index when many memories came since it was last written, and it is complete."""
        if self._unsaved >= _SAVE_AFTER_GROWTH and not self.vectors.pending:
            self.save()

    def save(self) -> None:
        """Write the search index beside the save, if there is one to write and it has changed.

        One that is not complete is written, too: the next session goes on from there. When the disk is full
        or read-only, a warning is logged: the next session builds it anew.
        """
        self._unsaved = 0
        try:
            self._save()
        except OSError as error:
            _LOG.warning(
                "The search index of %s could not be written (%s); it is built anew when needed",
                self._npc_id,
                error,
            )

    def _save(self) -> None:
        stamp = self._stamp()
        if self._path is None or self._terms.npc is None or stamp == self._saved_stamp:
            return
        if self.vectors.save(self._path, self._embedder.fingerprint, stamp):
            self._saved_stamp = stamp

    def build_index_steps(self) -> Steps[None]:
        """Bring what is searched up to date, in slices."""
        for done, total in self.vectors.build_index_steps():
            yield Step(done, total, "indexing memories")
        for done, total in self.postings.build_index_steps():
            yield Step(done, total, "indexing words")

    def _set(self, record: Record, vector: FloatVector | None) -> None:
        self.columns.add(searched_row(record))
        if vector is not None:
            self.vectors.add([record.key], vector[None])

    def _add_names(self, terms: Iterable[str]) -> None:
        if self._name_words is not None:
            self._name_words.update(term[1:] for term in terms if term[0] in (SPEAKER, NAMED))

    def _changed(self, one_came_last: bool = False) -> None:
        self._unsaved += 1
        self._player_words = self._player_name = None
        if not one_came_last:
            self._conversations = None
        elif self._conversations is not None:
            self._conversations[1].add_last()

    def _stamp(self) -> str:
        last = int(self.columns.keys[-1]) if len(self.columns) else 0
        return f"{len(self.columns)}:{last}:{self._store.npcs.revision(self._terms.npc or 0)}"


class _StoredTerms:
    """What the store knows of the terms of an NPC. If the index itself were asked, its words and it would
    hold each other, and letting go of it would free nothing until Python looks for such circles.
    """

    def __init__(self, store: Storage, npc: int | None) -> None:
        self._store = store
        self.npc = npc

    def keys_with(self, kind: str, term: str) -> Keys:
        return self._store.terms.keys_with(self.npc or 0, kind, term)

    def of_kind(self, kind: str) -> set[str]:
        return set() if self.npc is None else set(self._store.terms.of_kind(self.npc, kind))

    def of(self, keys: Sequence[int]) -> list[list[str]]:
        return self._store.terms.of(self.npc or 0, keys)


class _StoredVectors:
    """See server_index.StoredVectors."""

    def __init__(self, store: Comparing, terms: _StoredTerms, model: int) -> None:
        self._store = store
        self._terms = terms
        self._model = model

    def similarities(self, question: FloatVector) -> tuple[Keys, FloatVector]:
        return self._store.similarities(self._terms.npc or 0, self._model, question)

    def vectors_of(self, keys: Sequence[int]) -> dict[int, FloatVector]:
        return self._store.of(keys, self._model)


def index_options(config: MemoryConfig, embedder: Embedder) -> IndexOptions:
    """Return the limit above which a graph is searched.

    Only DENSE relevance asks for the nearest; HYBRID compares every vector, and never needs a graph. Neither
    does who has no model.
    """
    if config.relevance_mode != RelevanceMode.DENSE or isinstance(embedder, NoEmbedder):
        return IndexOptions(exact_search_limit=sys.maxsize)
    return IndexOptions(config.exact_search_limit)


def _index_path(folder: Path | None, npc_id: str) -> Path | None:
    # An npc_id may hold anything, a file name may not.
    return None if folder is None else folder / f"{hashlib.sha256(npc_id.encode()).hexdigest()[:32]}.hnsw"
