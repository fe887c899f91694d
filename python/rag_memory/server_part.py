"""The part of the runtime that only a dedicated server has: rag_memory_server with psycopg and redis."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

FOLDER = "server"


def add_server_part(runtime: Path) -> None:
    """Let what is in the part be found, when there is one.

    Args:
        runtime: <addon>/runtime/<platform>; the part is in <addon>/server/<platform>. So it is in an
            exported game.
    """
    part = runtime.parents[1] / FOLDER / runtime.name
    if part.is_dir():
        sys.path.append(str(part))


@cache
def has_tls() -> bool:
    """Return whether Python can encrypt. The client of PostgreSQL does so by itself."""
    try:
        import_module("ssl")
    except ImportError:
        return False
    return True


@contextmanager
def something_called_ssl() -> Iterator[None]:
    """Let a package that imports `ssl`, and does without it, be imported by a Python without TLS."""
    if has_tls():
        yield
        return
    import_module("asyncio")  # It would take the stand-in for the real one.
    sys.modules["ssl"] = _NoTls("ssl")
    try:
        yield
    finally:
        del sys.modules["ssl"]


class _NoTls(ModuleType):
    """Has a class of every name: redis names those of ssl in the signatures of functions nobody calls."""

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (Exception,), {})
        setattr(self, name, made)
        return made


def why_missing(error: ImportError) -> tuple[str, str]:
    """Why something of the part cannot be imported, and what to do."""
    return (
        f"this game has no server part, or not the whole one ({error})",
        "Put the server part into the project, and export it as a dedicated server; docs/servers.md says how",
    )
