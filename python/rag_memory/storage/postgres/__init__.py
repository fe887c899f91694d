"""The backend on a PostgreSQL server, with pgvector; SQL of PostgreSQL stands here only."""

from __future__ import annotations

from rag_memory.server_part import something_called_ssl

with something_called_ssl():
    import psycopg  # noqa: F401  before the modules that use it
