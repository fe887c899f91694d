"""The package redis, imported when it is used, and also by a Python without TLS."""

from __future__ import annotations

import importlib
import sys

from rag_memory.errors import ServerError
from rag_memory.server_part import something_called_ssl, why_missing


def import_redis() -> None:
    """See that `import redis` works from now on.

    Raises:
        ServerError: the package is not there.
    """
    if sys.modules.get("redis") is not None:
        return
    try:
        with something_called_ssl():
            importlib.import_module("redis")
    except ImportError as error:
        why, remedy = why_missing(error)
        raise ServerError("Valkey cannot be asked", why, remedy) from error
