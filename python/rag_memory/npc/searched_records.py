"""The records of one NPC and the index that searches them."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.npc.loading_order import Loading
from rag_memory.npc.npc_index import NpcIndex, index_options
from rag_memory.npc.save_context import SaveContext
from rag_memory.npc.stored_records import StoredRecords, validate_config
from rag_memory.step import Step, run


class SearchedRecords(StoredRecords):
    """Loads the index when it is asked for, and lets go of it."""

    def __init__(self, save: SaveContext, npc_id: str, config: MemoryConfig) -> None:
        super().__init__(save, npc_id, config)
        self._index: NpcIndex | None = None
        self._loading: NpcIndex | None = None

    @property
    def config(self) -> MemoryConfig:
        """How memories are kept, scored and chosen."""
        return self._config

    @config.setter
    def config(self, config: MemoryConfig) -> None:
        if config != self._config:
            config = validate_config(config)
        options = index_options(config)
        if options != index_options(self._config):
            self._loading = None
            if self._index is not None:
                self._index.configure(options)
        self._config = config

    @property
    def pending_vectors(self) -> int:
        """How many memories wait for their place in the search index; 0 while it is not loaded."""
        return 0 if self._index is None else self._index.vectors.pending

    @property
    def loaded_count(self) -> int:
        """How many records are in memory to be searched."""
        return 0 if self._index is None else len(self._index.columns)

    def index(self) -> NpcIndex:
        """What searches the records; loaded when it is first asked for."""
        while self._index is None:
            run(self._load_steps(Loading(self.save.loading_order, may_wait=False)))
        self.save.index_cache.use(self)
        return self._index

    def load_steps(self) -> Generator[Step, None, None]:
        """Load what searches the records, in slices, unless it is loaded; anew when they change meanwhile.
        It waits while others are being loaded and there is no room for it besides them.
        """
        if self._index is None:
            yield from self._load_steps(Loading(self.save.loading_order, may_wait=self.npc is not None))

    def _load_steps(self, place: Loading) -> Generator[Step, None, None]:
        try:
            yield from place.turn_steps()
            while self._index is None:
                loading = NpcIndex(self.store, self.npc, self.npc_id, self._config, self.save.embedder)
                self._loading = loading
                try:
                    for step in place.load_steps(loading, partial(self._is_loading, loading)):
                        yield step
                        if not self._is_loading(loading):
                            break
                    else:
                        self._index = loading
                        place.end()
                        self.save.index_cache.use(self)
                finally:
                    if self._loading is loading:
                        self._loading = None
        finally:
            place.end()

    def _is_loading(self, index: NpcIndex) -> bool:
        return self._loading is index

    @property
    def index_bytes(self) -> int:
        """The memory the search index takes; 0 while it is not loaded."""
        return 0 if self._index is None else self._index.bytes

    def build_index_steps(self) -> Generator[Step, None, None]:
        """Bring the search index up to date in slices, if it is loaded."""
        index = self._index
        if index is None:
            return
        for step in index.build_index_steps():
            self.save.index_cache.measure(self)
            yield step
            if self._index is not index:
                return
        self.save.index_cache.measure(self)

    def save_index_if_grown(self) -> None:
        """Write the search index when many records came since it was last written."""
        if self._index is not None:
            self._index.save_if_grown()

    def reload(self, keep_index: bool = False) -> None:
        """Forget what is in memory, because the store has changed without this object."""
        if not keep_index:
            self._index = None
            self.save.index_cache.discard(self)
        self._npc = self.store.npc_number(self.npc_id)
        self._changed()

    def unload(self) -> None:
        """Write the search index and drop what is in memory; the next question loads it again."""
        index, self._index = self._index, None
        self.save.index_cache.discard(self)
        if index is not None:
            index.save()

    def _changed(self) -> None:
        super()._changed()
        self._loading = None
        if self._index is not None:
            self.save.index_cache.measure(self)
