"""The clients of the servers, psycopg and redis: imported when they are used, and without TLS, too."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from types import ModuleType

from rag_memory.errors import SaveError, ServerError


def import_redis() -> None:
    """See that `import redis` works from now on.

    Raises:
        ServerError: the package is not there.
    """
    if sys.modules.get("redis") is not None:
        return
    try:
        with something_called_ssl():
            import_module("redis")
    except ImportError as error:
        why, remedy = why_missing(error)
        raise ServerError("Valkey cannot be asked", why, remedy) from error


@contextmanager
def client_of_postgres(what: str) -> Iterator[None]:
    """Say what cannot be done when the client of PostgreSQL, which is imported inside, is not there.

    Raises:
        SaveError: the client is not there.
    """
    try:
        yield
    except ImportError as error:
        why, remedy = why_missing(error)
        raise SaveError(what, why, remedy) from error


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
        f"the server part of this game is not whole ({error})",
        "Put the whole server part into the project; docs/servers.md says how",
    )
