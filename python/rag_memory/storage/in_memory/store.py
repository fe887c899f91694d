"""A save in memory: dictionaries and numpy, gone when it is closed."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from rag_memory.step import Step
from rag_memory.storage.in_memory.browsing import Browsing
from rag_memory.storage.in_memory.documents import Documents
from rag_memory.storage.in_memory.interaction_log import InteractionLog
from rag_memory.storage.in_memory.records import NpcNumbers, RecordReading, Terms, Vectors
from rag_memory.storage.protocol import SaveState
from rag_memory.storage.snapshot_slot import slot_path


class Store(NpcNumbers, RecordReading, Browsing, Vectors, Terms, InteractionLog, Documents):
    """See storage.protocol.Storage."""

    @property
    def name(self) -> str:
        return self.path

    @property
    def change_count(self) -> int:
        return self._tables.journal.change_count

    def versions(self) -> dict[str, Any]:
        return {}

    def suspect(self) -> None:
        pass

    def folder(self, ending: str) -> Path | None:
        return None

    def close(self) -> None:
        self._open = None

    def replace_all(self, source: SaveState) -> None:
        assert isinstance(source, Store), "a save in another backend is not copied"
        before, self._open = self._tables, source._tables.copy()
        self._open.journal.change_count += before.journal.change_count

    def snapshot_steps(self, slot: Any) -> Generator[Step, None, None]:
        slot_path("snapshot()", None, slot, "", is_new=True)
        yield from ()

    def snapshots(self) -> list[str]:
        return []

    def opened_snapshot(self, where: str, slot: Any) -> AbstractContextManager[SaveState]:
        slot_path(where, None, slot, "")
        raise AssertionError("a save in memory has no path for a slot")
