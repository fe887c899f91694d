"""Saves on a PostgreSQL server: what `open_save()` is given to open one."""

from __future__ import annotations

from dataclasses import dataclass

from rag_memory.storage.protocol import Storage
from rag_memory.storage.server_storage import ServerSaves
from rag_memory_server.clients import client_of_postgres
from rag_memory_server.config.postgres_config import PostgresConfig


@dataclass(frozen=True)
class MemoryPostgresStorage(PostgresConfig):
    """A PostgreSQL server that has saves. See storage.server_storage.ServerStorage."""

    def open(self, name: str, is_read_only: bool = False) -> Storage:
        with client_of_postgres(f"The save {name} cannot be opened"):
            from rag_memory_server.postgres.store import Store
        return Store(name, self, is_read_only)

    def saves(self) -> ServerSaves:
        with client_of_postgres(f"The saves on {self} cannot be used"):
            from rag_memory_server.postgres.server_saves import PostgresSaves
        return PostgresSaves(self)
