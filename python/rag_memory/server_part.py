"""The part of the runtime that only a dedicated server has: psycopg, redis, and the modules that use them."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

FOLDER = "server"
_PACKAGES = ("rag_memory", "rag_memory.storage")
"""What of the core has modules there."""


def add_server_part(runtime: Path) -> None:
    """Let what is in the part be found, when there is one.

    Args:
        runtime: <addon>/runtime/<platform>; the part is in <addon>/server/<platform>. So it is in an
            exported game.
    """
    part = runtime.parents[1] / FOLDER / runtime.name
    if not part.is_dir():
        return
    sys.path.append(str(part))
    for name in _PACKAGES:
        import_module(name).__path__.append(str(part.joinpath(*name.split("."))))


def why_missing(error: ImportError) -> tuple[str, str]:
    """Why something of the part cannot be imported, and what to do."""
    return (
        f"this game has no server part, or not the whole one ({error})",
        "Put the server part into the project, and export it as a dedicated server; docs/servers.md says how",
    )
