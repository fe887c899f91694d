"""The search index of one owner's records, loaded when it is first asked for."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.embedding.index_mode import SERVER
from rag_memory.searchable.save_context import RecordOwner
from rag_memory.searchable.search_index import SearchIndex, index_options
from rag_memory.step import Steps, run
from rag_memory.vectors import FloatMatrix


class LoadedIndex:
    """Loads the search index of records, keeps it up to date, and drops it when memory is short."""

    def __init__(self, owner: RecordOwner, config: MemoryConfig) -> None:
        self._owner = owner
        self._config = config
        self._loaded: SearchIndex | None = None
        self._loading: SearchIndex | None = None

    def get(self) -> SearchIndex:
        """The index; loaded when it is first asked for."""
        while self._loaded is None:
            run(self._load_steps())
        self._owner.save.index_cache.use(self)
        return self._loaded

    @property
    def if_loaded(self) -> SearchIndex | None:
        """The index, if it is loaded."""
        return self._loaded

    def load_steps(self) -> Steps[None]:
        """Load the index in slices, unless it is loaded; anew when the records change meanwhile.

        It waits while others are being loaded.
        """
        if self._loaded is not None:
            return
        owner = self._owner
        if owner.number is None:
            yield from self._load_steps()
        else:
            size = owner.store.records.count(owner.number)
            yield from owner.save.loading_queue.in_turn_steps(self._load_steps(), size)

    def _load_steps(self) -> Steps[None]:
        while self._loaded is None:
            owner, save = self._owner, self._owner.save
            loading = SearchIndex(
                owner.store,
                owner.number,
                owner.npc_id,
                index_options(self._config, save.embedder),
                save.embedder,
                save.model,
                on_server=save.mode.name == SERVER or not owner.store.owners.owns(owner.npc_id),
            )
            self._loading = loading
            try:
                with closing(loading.load_steps(self._owner.save.index_cache)) as steps:
                    for step in steps:
                        yield step
                        if self._loading is not loading:
                            break
                    else:
                        loading.columns.note_accesses(self._owner.save.accesses.waiting)
                        self._loaded = loading
                if self._loaded is loading:
                    self._owner.save.index_cache.use(self)
            finally:
                if self._loading is loading:
                    self._loading = None

    def note_change(self) -> None:
        """Measure the index again, and if it is being loaded, load it anew: the records have changed."""
        self._loading = None
        if self._loaded is not None:
            self._owner.save.index_cache.measure(self)

    def adopt(self, config: MemoryConfig) -> None:
        """Adapt the index to another config of its records, or unload it."""
        embedder = self._owner.save.embedder
        before, self._config = index_options(self._config, embedder), config
        options = index_options(config, embedder)
        if options == before:
            return
        index = self._loaded or self._loading
        if index is not None and not index.vectors.adopt(options):
            self._loading = None
            self.unload()

    def build_steps(self) -> Steps[None]:
        """Bring the index up to date in slices, if it is loaded."""
        index = self._loaded
        if index is None:
            return
        for step in index.build_index_steps():
            self._owner.save.index_cache.measure(self)
            yield step
            if self._loaded is not index:
                return
        self._owner.save.index_cache.measure(self)

    def save_if_grown(self) -> None:
        """Write the index when many records came since it was last written."""
        if self._loaded is not None:
            self._loaded.save_if_grown()

    def unload(self) -> None:
        """Write the index and drop it; the next question loads it again."""
        index, self._loaded = self._loaded, None
        self._owner.save.index_cache.discard(self)
        if index is not None:
            index.save()

    def drop(self) -> None:
        """Drop the index without writing it, because the store has changed without this object."""
        self._loaded = None
        self._owner.save.index_cache.discard(self)

    def take_vectors(self, keys: Sequence[int], vectors: FloatMatrix) -> None:
        """Replace the vectors of these records where they are loaded."""
        self._loading = None
        if self._loaded is not None:
            self._loaded.take_vectors(keys, vectors)

    def access(self, keys: Sequence[int], now: float) -> None:
        """Record that these memories were returned."""
        if keys and self._loaded is not None and self._owner.save.notes_accesses:
            self._owner.save.accesses.note(self._owner.npc_id, keys, now)
            self._loaded.columns.note_accesses(dict.fromkeys(keys, now))

    def forget_accesses(self, moment: float) -> None:
        """Treat records that were accessed after `moment` as accessed then."""
        if self._loaded is not None:
            self._loaded.columns.forget_accesses(moment)

    @property
    def pending_vectors(self) -> int:
        """The number of memories that wait for their place in the index; 0 while it is not loaded."""
        return 0 if self._loaded is None else self._loaded.vectors.pending

    @property
    def loaded_count(self) -> int:
        """The number of records in the index; 0 while it is not loaded."""
        return 0 if self._loaded is None else len(self._loaded.columns)

    @property
    def index_bytes(self) -> int:
        """The memory that the index takes; 0 while it is not loaded."""
        return 0 if self._loaded is None else self._loaded.bytes
