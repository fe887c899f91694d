"""A save: one database with the memories of every NPC, and the embedding model they were made with."""

from __future__ import annotations

import time
from collections.abc import Iterable
from types import TracebackType
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.embedding.embedder import Embedder
from rag_memory.errors import InvalidArgumentError
from rag_memory.mind.asking import GameFunction
from rag_memory.npc.npc import Npc
from rag_memory.saves.identities import Identities
from rag_memory.saves.indexes import Indexes
from rag_memory.saves.marks import Marks
from rag_memory.saves.open_npcs import OpenNpcs
from rag_memory.saves.overview import Overview
from rag_memory.saves.player_data import PlayerData
from rag_memory.saves.snapshots import Snapshots
from rag_memory.searchable.missing_vectors import MissingVectors
from rag_memory.searchable.save_context import SaveContext
from rag_memory.step import Step
from rag_memory.storage.fleeting_paths import MEMORY_PATH
from rag_memory.validation import validate_flag, validate_texts, wrong_type
from rag_memory.world.campaign import SaveLabels, label_save
from rag_memory.world.world import World


class Save:
    """One open save. `open_save()` makes it; close it, or use it in a `with` statement."""

    def __init__(self, context: SaveContext) -> None:
        self.context = context
        self.store = context.store
        self.missing = MissingVectors(context, lambda: self.npcs.owners())
        self.npcs = OpenNpcs(context, self.missing)
        self.snapshots = Snapshots(context, self.npcs, self.missing)
        self.marks = Marks(context, self.npcs, self.missing)
        self.identities = Identities(context, self.npcs)
        self.player_data = PlayerData(context, self.npcs)
        self.indexes = Indexes(context, self.npcs, self.missing)
        self.overview = Overview(context, self.npcs, self.missing)

    @property
    def embedder(self) -> Embedder:
        """The embedding model that memories are compared with."""
        return self.context.embedder

    @property
    def summarizer(self) -> GameFunction | None:
        """The function that writes summaries; None for sentences of the memories themselves."""
        return self.context.summarizer

    @summarizer.setter
    def summarizer(self, summarizer: GameFunction | None) -> None:
        self.context.summarizer = summarizer

    @property
    def path(self) -> str:
        """The database file, or ":memory:"."""
        return self.store.path

    def npc(self, npc_id: str, config: MemoryConfig | None = None) -> Npc:
        """Return an NPC, always the same object. A config replaces the NPC's config.

        Raises:
            InvalidArgumentError: the npc_id is empty or contains characters that no text may contain.
            ConfigError: a value of the config is out of range.
        """
        return self.npcs.get(npc_id, config)

    @property
    def world(self) -> World:
        """The state of the world, with what other processes have written of it."""
        if self.context.is_open:
            self.npcs.refresh()
        return self.npcs.world

    def enter(self, labels: SaveLabels, read_only: bool = False) -> None:
        """Apply the options of open_save() that a save keeps to one that is open already.

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
        label_save(self.store, labels.validated())
        self.npcs.forget_exchanges()
        self.npcs.world.reload()

    def note_seen(self, is_new: bool = False) -> None:
        """Note that a game used the save until now, and that it is `is_new`. Raises StoreError."""
        if not self.context.is_read_only and self.path != MEMORY_PATH:
            label_save(self.store, SaveLabels(), time.time(), is_new)

    def register_names(self, names: Iterable[str], check_people: bool = False) -> None:
        """Register names of people, places and things of the game.

        HYBRID relevance leaves them out of the sentence that it compares, and looks them up as keywords.

        Args:
            check_people: memories that name other people are rejected from now on.

        Raises:
            InvalidArgumentError: the names are no list or other collection of texts.
        """
        self.context.names.add(_validate_names(names), check_people)

    def idle_step(self) -> Step | None:
        """Do a few milliseconds of background work: missing vectors, consolidation and search indexes.

        Returns:
            None when nothing is left to do, a waiting Step when there is nothing to do now.
        """
        self.context.accesses.write_when_due()
        return self.missing.idle_step() or self.npcs.idle_step()

    def sync(self) -> None:
        """Bring everything that was written to the disk, where a power cut does not touch it.

        Raises:
            StoreError: it could not be written.
        """
        self.context.accesses.write()
        self.store.sync()

    def close(self) -> None:
        """Write the search indexes and close the database. Closing twice does nothing."""
        if not self.context.is_open:
            return
        self.context.is_open = False
        self.missing.close()
        self.npcs.end_idle_work()
        try:
            self.context.accesses.write()
            self.npcs.unload()
        finally:
            self.store.close()

    def __enter__(self) -> Save:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _validate_names(names: Any) -> list[str]:
    """Return the names. One text alone is refused, because it would be taken for its letters."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise wrong_type("register_names()", "names", names, "an Array of Strings")
    return validate_texts("register_names()", "names", list(names))
