"""The PostgreSQL side of a save: one save of a server, opened.

Several saves share the tables; every statement names the one it is about.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from rag_memory.errors import StoreError
from rag_memory.step import Step
from rag_memory.storage.protocol import SaveState
from rag_memory.storage.sql.archive import Archive
from rag_memory.storage.sql.browsing import Browsing, stored_contents
from rag_memory.storage.sql.documents import Documents
from rag_memory.storage.sql.exchanges import Exchanges
from rag_memory.storage.sql.interactions import Interactions
from rag_memory.storage.sql.lists import Lists
from rag_memory.storage.sql.marks import Marks
from rag_memory.storage.sql.npcs import Npcs
from rag_memory.storage.sql.records import Records
from rag_memory_server.config.postgres_config import PostgresConfig
from rag_memory_server.postgres.clauses import Clauses
from rag_memory_server.postgres.copying import copy_parts, empty
from rag_memory_server.postgres.earlier_rows import EarlierRows
from rag_memory_server.postgres.open_save import OpenSave
from rag_memory_server.postgres.owners import Owners
from rag_memory_server.postgres.recorded_rows import RecordedRows
from rag_memory_server.postgres.schema import SCHEMA_VERSION
from rag_memory_server.postgres.session import Session
from rag_memory_server.postgres.snapshots import Snapshots, State
from rag_memory_server.postgres.terms import Terms
from rag_memory_server.postgres.vectors import Vectors


class Store:
    """See storage.protocol.Storage. What a transaction has written is on the server's disk."""

    is_current = True
    """Opening a save makes the tables of all saves current."""

    def __init__(self, path: str, where: PostgresConfig, is_read_only: bool = False) -> None:
        """`path`: the name of the save."""
        self.path = path
        self._session = Session(path, where, is_read_only)
        save = self._save = OpenSave(self._session, self._session.save)
        self.owners = Owners(save)
        self.npcs = Npcs(save)
        self.records = Records(save)
        self.vectors = self.comparing = Vectors(save)
        self.terms = Terms(save)
        self.lists = Lists(save, Clauses())
        self.browsing = Browsing(save)
        self.documents = Documents(save)
        self.interactions = Interactions(save)
        self.archive = Archive(save, self.records)
        self.exchanges = Exchanges(save, self.records, RecordedRows(save))
        self.marks = Marks(save, self.records, self.archive, EarlierRows(save), self.exchanges)
        self.snapshots = Snapshots(save)

    @property
    def name(self) -> str:
        return self._save.name

    @property
    def change_count(self) -> int:
        return self._save.change_count

    def versions(self) -> dict[str, Any]:
        return {"schema_version": SCHEMA_VERSION, "postgres_version": self._session.server_version}

    def suspect(self) -> None:
        self._save.suspect()

    def folder(self, ending: str) -> Path | None:
        return None

    def transaction(self) -> AbstractContextManager[None]:
        return self._save.transaction()

    def sync(self) -> None:
        """Does nothing: the server has every transaction on its disk when it is committed."""

    def close(self) -> None:
        with self._save.errors("close"):
            self._session.close()

    def replace_all(self, source: SaveState) -> None:
        assert isinstance(source, Store | State), "a save in another backend is not copied"
        save, origin = self._save, source._save if isinstance(source, Store) else source.save
        assert origin.session.where == self._session.where, "a save on another server is not copied"
        save.forget_npcs()
        with save.transaction():
            empty(self._session, save.save)
            for _ in copy_parts(self._session, origin.save, save.save):
                save.change_count += 1

    def copy_steps(self, target: Path) -> Generator[Step, None, None]:
        yield from ()
        raise StoreError(
            f"The save {self.name} is not copied into a file",
            "it is kept on a server",
            "Export it with export_json(), or copy the database with pg_dump",
        )

    def contents(self) -> dict[str, Any]:
        return stored_contents(self._save, SCHEMA_VERSION)
