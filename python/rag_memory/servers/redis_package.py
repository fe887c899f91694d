"""The package redis, imported when it is used, and also by a Python without TLS."""

from __future__ import annotations

import asyncio  # noqa: F401  before there is a stand-in for ssl, which it would take for the real one
import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from rag_memory.errors import ServerError
from rag_memory.server_part import why_missing

has_tls = True
try:
    import ssl  # noqa: F401
except ImportError:
    has_tls = False


def import_redis() -> None:
    """See that `import redis` works from now on.

    Raises:
        ServerError: the package is not there.
    """
    if "redis" in sys.modules and sys.modules["redis"] is not None:
        return
    try:
        with _something_called_ssl():
            importlib.import_module("redis")
    except ImportError as error:
        raise ServerError("Valkey cannot be asked", *why_missing(error)) from error


class _NoTls(ModuleType):
    """Has a class of every name: redis names those of ssl in the signatures of functions nobody calls."""

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (Exception,), {})
        setattr(self, name, made)
        return made


@contextmanager
def _something_called_ssl() -> Iterator[None]:
    if has_tls:
        yield
        return
    sys.modules["ssl"] = _NoTls("ssl")
    try:
        yield
    finally:
        del sys.modules["ssl"]
