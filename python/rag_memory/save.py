"""A save: one database file with the memories of every NPC, and the embedding model they were made with."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from types import TracebackType
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.dossier.npc import Npc
from rag_memory.embedding.embedder import Embedder
from rag_memory.embedding.registry import FALLBACK
from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.owners import RESERVED, is_npc
from rag_memory.mind.summarizer import Summarizer
from rag_memory.npc.npc_id import validate_npc_id
from rag_memory.save_states import SaveStates
from rag_memory.searchable.memory_owner import MemoryOwner
from rag_memory.searchable.save_context import SaveContext
from rag_memory.step import Step
from rag_memory.validation import validate_flag, validate_text, validate_texts, wrong_type
from rag_memory.world.campaign import enter_campaign
from rag_memory.world.world import World

_MOST_MINDS = 100
_LOOK_SECONDS = 0.1
"""After this long an NPC who is asked something learns what other processes have written of the world."""


class Save(SaveStates):
    """One open save. `open_save()` makes it; close it, or use it in a `with` statement."""

    def __init__(self, context: SaveContext) -> None:
        self.index_cache = context.index_cache
        self._world = World(context, self._npc)
        self._npcs: dict[str, Npc] = {}
        self._idle: dict[str, Generator[Step, None, None]] = {}
        self._read_as: dict[str, tuple[int, ...]] = {}
        """The state in which the store told of each NPC when she was read; see Ownership."""
        self._taken: set[str] = set()
        """The NPCs whom this process has, as far as it was asked for them."""
        self._looked_at = 0.0
        self._is_behind = False
        """Whether others have written of the world what is not taken in yet."""
        self.on_taken: Callable[[], None] | None = None
        """Called when an NPC has become this process's."""
        context.store.owners.has_news()  # From now on others' are.
        context.look_around = self._look_around
        self._counted: tuple[int, int, int] | None = None
        super().__init__(context)

    @property
    def embedder(self) -> Embedder:
        """The embedding model that memories are compared with."""
        return self.context.embedder

    @property
    def summarizer(self) -> Summarizer | None:
        """What writes the texts of summaries; None for sentences of the memories themselves."""
        return self.context.summarizer

    @summarizer.setter
    def summarizer(self, summarizer: Summarizer | None) -> None:
        self.context.summarizer = summarizer

    @property
    def model(self) -> int:
        """The number under which the store keeps the embedder's vectors."""
        return self.context.model

    @property
    def path(self) -> str:
        """The database file, or ":memory:"."""
        return self.store.path

    def now(self) -> float:
        """The time of the game, in seconds.

        Raises:
            InvalidArgumentError: the clock returned something else.
        """
        return self.context.now()

    def npc(self, npc_id: str, config: MemoryConfig | None = None) -> Npc:
        """The memory of an NPC; the same object every time. A config, when given, replaces the one it has.

        Raises:
            InvalidArgumentError: the npc_id is empty or holds what no text may hold.
            ConfigError: a value of the config is out of range.
        """
        if time.monotonic() - self._looked_at >= _LOOK_SECONDS:
            self._look_around()
        return self._npc(npc_id, config)

    @property
    def world(self) -> World:
        """What is true in the world and who knows it, with what other processes have written of it."""
        if self.context.is_open:
            self._look_around()
        return self._world

    def _npc(self, npc_id: str, config: MemoryConfig | None = None) -> Npc:
        """npc(), for what is in the middle of changing the world."""
        self.context.check_open()
        known = self._npcs.get(npc_id) if isinstance(npc_id, str) else None
        if known is None:
            validate_npc_id(npc_id)
        is_owned, state = self.store.owners.own(npc_id)
        if known is None:
            config = self.context.default_config if config is None else config
            known = Npc(self.context, npc_id, config, self._world)
            self._npcs[npc_id] = known
            self.context.names.add_npc(npc_id)
        elif config is not None:
            known.config = config
        if state != self._read_as.setdefault(npc_id, state):
            # Another process may have changed what she remembers.
            known.reload()
            self._read_as[npc_id] = state
        if is_owned and npc_id not in self._taken:
            self._taken.add(npc_id)
            if self.on_taken is not None:
                self.on_taken()
            if state:  # Who has a save to himself has looked already.
                self.missing.look_again()
        elif not is_owned:
            self._taken.discard(npc_id)
        return known

    def _look_around(self) -> None:
        """Read anew what other processes have written of the world."""
        self._looked_at = time.monotonic()
        # News is told once: what fails below is done the next time.
        self._is_behind |= self.store.owners.has_news()
        if not self._is_behind:
            return
        self._world.reload()
        self.context.names.forget_stored()
        self._counted = None
        for each in self._world.searched_in_use:
            state = self.store.owners.own(each.npc_id).state
            if state != self._read_as.get(each.npc_id):
                each.reload()
                self._read_as[each.npc_id] = state
        self._is_behind = False

    def acquire(self, npc_id: str) -> None:
        """Take an NPC, also one that was released.

        Raises:
            NpcLockedError: another process has her, or the save is open to be read only.
        """
        self.context.check_open()
        self.store.owners.acquire(validate_npc_id(npc_id))
        self.npc(npc_id)

    def release(self, npc_id: str) -> None:
        """Write what waits of an NPC and let go of her: another process may take her, and this one does not
        before acquire(). Until then she answers here, and learns nothing.
        """
        self.context.check_open()
        npc = self._npcs.get(validate_npc_id(npc_id))
        self.context.accesses.write()
        if npc is not None:
            steps = self._idle.pop(npc_id, None)
            if steps is not None:
                steps.close()
            npc.unload()
        self.store.owners.release(npc_id)

    def enter(self, campaign: str, lore: Sequence[str] | None, read_only: bool = False) -> None:
        """The options `campaign` and `lore` of open_save(), of a save that is open already.

        Raises:
            InvalidArgumentError: the save belongs to another campaign, or was opened with another read_only;
                or a value has the wrong type.
        """
        if validate_flag("open_save()", "read_only", read_only) != self.context.is_read_only:
            raise InvalidArgumentError(
                f"open_save(): read_only is {str(read_only).lower()}",
                f"the save is open, and was opened with read_only {str(not read_only).lower()}",
                "Call close_save() first",
            )
        validate_text("open_save()", "campaign", campaign)
        lore = None if lore is None else validate_texts("open_save()", "lore", lore)
        enter_campaign(self.store, self.store.name, campaign, lore)
        self._world.reload()

    def set_default_config(self, config: MemoryConfig) -> None:
        """The config of NPCs to whom npc() has given none, also of those that are in use."""
        for npc in self._npcs.values():
            if npc.config is self.context.default_config:
                npc.config = config
        self.context.default_config = config

    def register_names(self, names: Iterable[str]) -> None:
        """Tell people, places and things the game knows; HYBRID relevance leaves them out of the sentence
        it compares, and looks them up as keywords and names.

        Raises:
            InvalidArgumentError: the names are no list or other collection of texts.
        """
        self.context.names.add(_validate_names("register_names()", names))

    def register_people(self, names: Iterable[str]) -> None:
        """Tell who exists. From then on a memory that speaks of people nobody knows is not stored.

        Raises:
            InvalidArgumentError: as register_names().
        """
        self.context.names.add_people(_validate_names("register_people()", names))

    def health(self) -> dict[str, Any]:
        """What is open and how it is doing: path, versions, counts, and the embedding model."""
        self.missing.look_if_stale()
        return {
            "path": self.path,
            **self.store.versions(),
            "npc_count": len(self._npc_ids()),
            "npcs_owned": sum(map(self.store.owners.owns, self._npc_ids())),
            "memory_count": self._count(),
            "pending_vectors": sum(npc.records.index.pending_vectors for npc in self._npcs.values()),
            "missing_vectors": self.context.missing_vectors,
            "vector_index": self.context.mode.name,
            "vector_index_reason": self.context.mode.reason,
            "vector_cache_bytes": self.index_cache.used_bytes,
            "embedder": self.embedder.name,
            "embedder_fingerprint": self.embedder.fingerprint,
            "embedder_dimension": self.embedder.dimension,
            "embedder_is_fallback": self.embedder.name == FALLBACK,
        }

    def counts(self) -> dict[str, Any]:
        """memories and npcs in the save; loaded_memories, those that are in memory to be searched;
        missing_vectors; vector_index and vector_index_reason.

        Counting a big save takes milliseconds, so it is done again only after something was written.
        """
        changes = self.store.change_count
        if self._counted is None or self._counted[0] != changes:
            self._counted = (changes, self._count(), len(self._npc_ids()))
        _, memories, npcs = self._counted
        loaded = sum(npc.records.index.loaded_count for npc in self._npcs.values())
        return {
            "memories": memories,
            "npcs": npcs,
            "loaded_memories": loaded,
            "missing_vectors": self.context.missing_vectors,
            "vector_index": self.context.mode.name,
            "vector_index_reason": self.context.mode.reason,
            "maintenance": self._world.maintenance.last,
        }

    def feelings(self) -> dict[str, dict[str, Any]]:
        """The emotion and the dispositions, strongest first, of the NPCs to whom something happened last: by
        id, at most 100 of them. What is not in memory is not loaded for it.
        """
        used = ((id, npc.mind) for id, npc in self._npcs.items() if npc.mind.moved_at is not None)
        latest = heapq.nlargest(_MOST_MINDS, used, key=lambda each: each[1].moved_at or 0.0)
        return {id: mind.feelings.overview() for id, mind in latest}

    def list_npcs(self) -> list[dict[str, Any]]:
        """Every NPC of the save in numbers, by id: {npc_id, total, pinned, important, regular, superseded,
        archived, oldest, newest}; the last two are timestamps.
        """
        return [each for each in self.store.browsing.npc_overview() if is_npc(each["npc_id"])]

    def _reload(self, changed: frozenset[int] | None) -> None:
        """Let go of what is in memory of these NPCs, or of all."""
        self._end_idle_work()
        self._counted = None
        for npc in self._memories():
            # An NPC that has no number any more had one before.
            number = self.store.npcs.number(npc.npc_id)
            npc.reload(keep_index=changed is not None and number is not None and number not in changed)
        self._world.reload()
        self.context.names.forget_stored()

    def idle_step(self) -> Step | None:
        """A few milliseconds of what nobody waits for: vectors that are missing, consolidation where it is
        wished, and building search indexes that are not complete; None when there is nothing left, a Step
        that is waiting when there is nothing to do now.
        """
        self.context.accesses.write_when_due()
        embedding = self.missing.idle_step()
        if embedding is not None:
            return embedding
        waiting = None
        idlers = {each.npc_id: each.idle_steps for each in self._owned()} | {"": self._world.idle_steps}
        for id, begin in idlers.items():
            steps = self._idle.setdefault(id, begin())
            step = next(steps, None)
            if step is None:
                del self._idle[id]
            elif step.is_waiting:
                waiting = step
            else:
                return step
        return waiting

    def _memories(self) -> list[MemoryOwner]:
        """Everybody in use who has memories: NPCs, the world and the lore."""
        return [*self._npcs.values(), *self._world.searched_in_use]

    def _owned(self) -> list[MemoryOwner]:
        """Those of _memories() whom this process has."""
        return [each for each in self._memories() if self.store.owners.owns(each.npc_id)]

    def _npc_ids(self) -> list[str]:
        return [each for each in self.store.npcs.ids() if is_npc(each)]

    def _count(self) -> int:
        """How many memories the NPCs have."""
        numbers = map(self.store.npcs.number, RESERVED)
        return self.store.records.count() - sum(
            self.store.records.count(each) for each in numbers if each is not None
        )

    def _end_idle_work(self) -> None:
        for steps in self._idle.values():
            steps.close()
        self._idle.clear()

    def close(self) -> None:
        """Write the search indexes and release the file. A closed save answers no more; closing twice is
        harmless.
        """
        if not self.context.is_open:
            return
        self.context.is_open = False
        self.missing.close()
        self._end_idle_work()
        try:
            self.context.accesses.write()
            for npc in self._memories():
                if self.store.owners.owns(npc.npc_id):
                    npc.unload()
        finally:
            self.store.close()

    def __enter__(self) -> Save:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _validate_names(where: str, names: Any) -> list[str]:
    """The names; one text alone is none, because it would be taken for its letters."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise wrong_type(where, "names", names, "an Array of Strings")
    return validate_texts(where, "names", list(names))
