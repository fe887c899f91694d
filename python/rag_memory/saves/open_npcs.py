"""The NPCs of a save that are in use."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterator, Mapping

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.conversation.turn_log import TurnLog
from rag_memory.errors import GameLoadedError
from rag_memory.memory.owners import is_npc, validate_npc_id
from rag_memory.npc.npc import Npc
from rag_memory.saves.look_alike_ids import LookAlikeIds
from rag_memory.searchable.memory_owner import MemoryOwner
from rag_memory.searchable.missing_vectors import MissingVectors
from rag_memory.searchable.save_context import SaveContext
from rag_memory.step import Step, Steps
from rag_memory.world.world import World

_LOG = logging.getLogger("rag_memory")

_REFRESH_SECONDS = 0.1
"""An NPC learns after this time what other processes wrote about the world."""


class OpenNpcs:
    """Creates NPCs and acquires, refreshes and releases them. The world is refreshed with them."""

    def __init__(self, context: SaveContext, missing: MissingVectors) -> None:
        self.world = World(context, self._current)
        self.world.context.config_of = self._config_of
        self.turns = TurnLog(self.world.context)
        self.world.maintenance.summarize_turns = self.turns.summarize_all_steps
        self.world.open_matters.questions = self.turns.open_questions
        self.on_acquired: Callable[[], None] | None = None
        """Called when this process has acquired an NPC."""
        self.reload_count = 0
        """How often changes by others or of the whole save were read."""
        self._context = context
        self._store = context.store
        self._missing = missing
        self._npcs: dict[str, Npc] = {}
        self._ids: LookAlikeIds | None = None
        self._idle: dict[str, Steps[None]] = {}
        self._states: dict[str, tuple[int, ...]] = {}
        """The state of each NPC in the store when it was read; see Ownership."""
        self._acquired: set[str] = set()
        self._refreshed_at = 0.0
        self._is_behind = False
        """True if others have written about the world since it was read."""
        self._store.owners.has_news()  # Later changes by others count as news.
        context.look_around = self.refresh

    def get(self, npc_id: str, config: MemoryConfig | None = None) -> Npc:
        """Return an NPC, always the same object. A config replaces the NPC's config.

        Raises:
            InvalidArgumentError: the npc_id is empty or contains characters that no text may contain.
            ConfigError: a value of the config is out of range.
        """
        if time.monotonic() - self._refreshed_at >= _REFRESH_SECONDS:
            self.refresh()
        return self._current(npc_id, config)

    def _current(self, npc_id: str, config: MemoryConfig | None = None) -> Npc:
        """Return an NPC without refreshing the world, which may be in the middle of a change."""
        self._context.check_open()
        npc = self._npcs.get(npc_id) if isinstance(npc_id, str) else None
        if npc is None:
            npc_id = validate_npc_id(npc_id)
            npc = self._npcs.get(npc_id)
        is_owned, state = self._store.owners.own(npc_id)
        if npc is None:
            npc = Npc(self._context, npc_id, config or self._context.default_config, self.world, self.turns)
            self._warn_of_look_alikes(npc_id)
            self._npcs[npc_id] = npc
            self._context.names.add_npc(npc_id)
        elif config is not None:
            npc.config = config
        if state != self._states.setdefault(npc_id, state):
            # Another process may have changed the NPC's memories.
            npc.reload()
            self._states[npc_id] = state
        if not is_owned:
            self._acquired.discard(npc_id)
        elif npc_id not in self._acquired:
            self._note_acquired(npc_id, is_shared=bool(state))
        return npc

    def _config_of(self, npc_id: str) -> MemoryConfig:
        npc = self._npcs.get(npc_id)
        return self._context.default_config if npc is None else npc.config

    def _warn_of_look_alikes(self, npc_id: str) -> None:
        if self._ids is None:
            self._ids = LookAlikeIds(filter(is_npc, self._store.npcs.ids()))
        for other in self._ids.add(npc_id):
            number = self._store.npcs.number(other)
            if other in self._npcs or (number is not None and self._store.records.count(number)):
                _LOG.warning(
                    'The NPC ids "%s" and "%s" look alike, but are two NPCs with memories of their own. If '
                    "they are one, write the id the same way everywhere, and make them one in old saves with "
                    'MemoryServer.merge_npcs("%s", "%s"); otherwise give one of them another id with '
                    "rename_npc()",
                    other,
                    npc_id,
                    other,
                    npc_id,
                )

    def _note_acquired(self, npc_id: str, is_shared: bool) -> None:
        self._acquired.add(npc_id)
        if self.on_acquired is not None:
            self.on_acquired()
        if is_shared:  # A save with one user has looked already.
            self._missing.look_again()

    def refresh(self) -> None:
        """Read again what other processes have written about the world."""
        self._refreshed_at = time.monotonic()
        # The store reports news once. After a failure below, the next call retries.
        self._is_behind |= self._store.owners.has_news()
        if not self._is_behind:
            return
        self._reload_world()
        for searched in self.world.searched_in_use:
            state = self._store.owners.own(searched.npc_id).state
            if state != self._states.get(searched.npc_id):
                searched.reload()
                self._states[searched.npc_id] = state
        self._is_behind = False

    def acquire(self, npc_id: str) -> None:
        """Acquire an NPC, even one that was released.

        Raises:
            NpcLockedError: another process has the NPC, or the save is read-only.
        """
        self._context.check_open()
        npc_id = validate_npc_id(npc_id)
        self._store.owners.acquire(npc_id)
        self.get(npc_id)

    def release(self, npc_id: str) -> None:
        """Write pending changes of an NPC and release it, so that another process may acquire it.

        Until the next acquire() this process can ask the NPC, but not change it.
        """
        self._context.check_open()
        npc_id = validate_npc_id(npc_id)
        npc = self._npcs.get(npc_id)
        self._context.accesses.write()
        if npc is not None:
            steps = self._idle.pop(npc_id, None)
            if steps is not None:
                steps.close()
            npc.unload()
        self._store.owners.release(npc_id)

    def set_default_config(self, config: MemoryConfig) -> None:
        """Set the config of all NPCs that were created without one."""
        for npc in self._npcs.values():
            if npc.config is self._context.default_config:
                npc.config = config
        self._context.default_config = config

    def __iter__(self) -> Iterator[Npc]:
        return iter(self._npcs.values())

    def owners(self) -> list[MemoryOwner]:
        """Return everything in use that has memories: NPCs, the world and the lore."""
        return [*self._npcs.values(), *self.world.searched_in_use]

    def drop(self) -> None:
        """Forget the NPCs in use, because other ids are theirs: the next use makes them anew."""
        self._npcs.clear()
        self._states.clear()
        self._ids = None

    def forget_exchanges(self) -> None:
        """Forget exchanges that were begun: the game has been loaded."""
        self._context.note_loaded()
        for npc in self._npcs.values():
            npc.forget_exchanges()

    def reload(self, changed: frozenset[int] | None = None) -> None:
        """Forget what is in memory, because the store has changed.

        Args:
            changed: the numbers of the NPCs that have changed, None for all. The others' indexes stay loaded.
        """
        self.end_idle_work()
        for owner in self.owners():
            # An NPC without a number had one before the change.
            number = self._store.npcs.number(owner.npc_id)
            owner.reload(keep_index=changed is not None and number is not None and number not in changed)
        self._reload_world()

    def _reload_world(self) -> None:
        self.reload_count += 1
        self.world.reload()
        self._context.names.forget_stored()

    def idle_step(self) -> Step | None:
        """Do a few milliseconds of background work: consolidation, and words that are not indexed yet.

        Returns:
            None when nothing is left to do, a waiting Step when there is nothing to do now.
        """
        waiting = None
        for owner_id, begin in self._idle_work().items():
            steps = self._idle.setdefault(owner_id, begin())
            step = None
            with contextlib.suppress(GameLoadedError):  # then it begins anew
                step = next(steps, None)
            if step is None:
                del self._idle[owner_id]
            elif step.is_waiting:
                waiting = step
            else:
                return step
        return waiting

    def _idle_work(self) -> Mapping[str, Callable[[], Steps[None]]]:
        """Return functions that begin the background work of the owners of this process, by id."""
        owned = (owner for owner in self.owners() if self._store.owners.owns(owner.npc_id))
        return {owner.npc_id: owner.idle_steps for owner in owned} | {"": self.world.idle_steps}

    def end_idle_work(self) -> None:
        """Stop background work that has begun."""
        for steps in self._idle.values():
            steps.close()
        self._idle.clear()

    def unload(self) -> None:
        """Write the search indexes of the owners of this process, and forget what is in memory."""
        for owner in self.owners():
            if self._store.owners.owns(owner.npc_id):
                owner.unload()
