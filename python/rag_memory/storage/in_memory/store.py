"""A save in memory: dictionaries and numpy, gone when it is closed."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from rag_memory.memory.document import CAMPAIGN
from rag_memory.memory.owners import is_npc
from rag_memory.step import Step
from rag_memory.storage.in_memory.browsing import Browsing
from rag_memory.storage.in_memory.documents import Documents
from rag_memory.storage.in_memory.interaction_log import InteractionLog
from rag_memory.storage.in_memory.marks import Marks
from rag_memory.storage.in_memory.records import NpcNumbers, RecordReading, Terms, Vectors
from rag_memory.storage.ownership import OnlyOwner
from rag_memory.storage.protocol import SaveState
from rag_memory.storage.snapshot_slot import slot_path


class Store(OnlyOwner, NpcNumbers, RecordReading, Browsing, Vectors, Terms, InteractionLog, Documents, Marks):
    """See storage.protocol.Storage."""

    @property
    def name(self) -> str:
        return self.path

    comparing = None

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

    def copy_steps(self, target: Path) -> Generator[Step, None, None]:
        raise AssertionError("a save in memory has no file")

    def snapshots(self) -> list[str]:
        return []

    def delete_snapshot(self, slot: Any) -> None:
        slot_path("delete_snapshot()", None, slot, "")

    def contents(self) -> dict[str, Any]:
        told = [each for each in self.npc_overview() if is_npc(each["npc_id"])]
        campaign = self.document(CAMPAIGN, CAMPAIGN)
        return {
            "schema_version": 0,
            "npcs": len(told),
            "memories": sum(each["total"] for each in told),
            "oldest": min((each["oldest"] for each in told if each["total"]), default=0.0),
            "newest": max((each["newest"] for each in told if each["total"]), default=0.0),
            "documents": self.count_documents(),
            "campaign": {} if campaign is None else campaign.content,
        }

    def opened_snapshot(self, where: str, slot: Any) -> AbstractContextManager[SaveState]:
        slot_path(where, None, slot, "")
        raise AssertionError("a save in memory has no path for a slot")
