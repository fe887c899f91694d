"""The PostgreSQL side of a save: one save of a server, opened.

Several saves share the tables; every statement names the one it is about. Its parts hold the statements that
read and write memories.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

from rag_memory.errors import StoreError
from rag_memory.step import Step
from rag_memory.storage.protocol import SaveState
from rag_memory_server.config.postgres_config import PostgresConfig
from rag_memory_server.postgres.copying import copy_parts, empty
from rag_memory_server.postgres.marks import MarkTable
from rag_memory_server.postgres.npc_numbers import NpcNumbers
from rag_memory_server.postgres.owning import Owning
from rag_memory_server.postgres.record_reading import RecordReading
from rag_memory_server.postgres.rollback import RollingBack
from rag_memory_server.postgres.schema import SCHEMA_VERSION
from rag_memory_server.postgres.session import Session
from rag_memory_server.postgres.snapshots import Snapshots, State
from rag_memory_server.postgres.term_index import TermIndex
from rag_memory_server.postgres.vector_table import VectorTable


class Store(
    Owning,
    NpcNumbers,
    RecordReading,
    RollingBack,
    VectorTable,
    TermIndex,
    Snapshots,
    State,
    MarkTable,
):
    """See storage.protocol.Storage. What a transaction has written is on the server's disk."""

    def __init__(self, path: str, where: PostgresConfig, is_read_only: bool = False) -> None:
        """`path`: the name of the save."""
        self.path = path
        session = Session(path, where, is_read_only)
        super().__init__(session, session.save)

    @property
    def change_count(self) -> int:
        return self._written

    @property
    def comparing(self) -> Store:
        return self

    def versions(self) -> dict[str, Any]:
        return {"schema_version": SCHEMA_VERSION, "postgres_version": self._session.server_version}

    def folder(self, ending: str) -> Path | None:
        return None

    def close(self) -> None:
        with self._errors("close"):
            self._session.close()

    def replace_all(self, source: SaveState) -> None:
        assert isinstance(source, State), "a save in another backend is not copied"
        assert source._session.where == self._session.where, "a save on another server is not copied"
        self._npc_ids.clear()
        with self.transaction():
            empty(self._session, self._save)
            for _ in copy_parts(self._session, source._save, self._save):
                self._written += 1

    def copy_steps(self, target: Path) -> Generator[Step, None, None]:
        yield from ()
        raise StoreError(
            f"The save {self.name} is not copied into a file",
            "it is kept on a server",
            "Export it with export_json(), or copy the database with pg_dump",
        )
