"""The backend on a PostgreSQL server, with pgvector; SQL of PostgreSQL stands here only."""

from __future__ import annotations

import os

from rag_memory_server.clients import something_called_ssl

# Rather none than the system's libpq, which may be of any age.
os.environ["PSYCOPG_IMPL"] = "binary"
with something_called_ssl():
    import psycopg  # noqa: F401  before the modules that use it
