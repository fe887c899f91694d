"""The backend on a PostgreSQL server, with pgvector; SQL of PostgreSQL stands here only."""

from __future__ import annotations

import asyncio  # noqa: F401  before there is a stand-in for ssl, which it would take for the real one
import sys
from importlib.util import find_spec
from types import ModuleType

# The addon's Python has no TLS. psycopg imports it, and leaves encryption to PostgreSQL's own client.
if find_spec("_ssl") is None:
    sys.modules["ssl"] = ModuleType("ssl")
    try:
        import psycopg  # noqa: F401
    finally:
        del sys.modules["ssl"]
