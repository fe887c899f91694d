"""The modes of `vector_index`, and the fallback for a mode that is not available."""

from __future__ import annotations

import functools
import logging
from collections.abc import Mapping
from typing import Any, NamedTuple

from rag_memory.errors import InvalidArgumentError
from rag_memory.validation import shown

_LOG = logging.getLogger("rag_memory")

DISABLED = "disabled"
EMBEDDED = "embedded"
SERVER = "server"
MODES = (DISABLED, EMBEDDED, SERVER)

FALLBACKS = (EMBEDDED, DISABLED)
FALLBACK = "vector_index_fallback"
"""The option that names one of them."""

_REASONS = {
    DISABLED: "it was asked for: memories are found by their words, and no model is loaded",
    EMBEDDED: "it was asked for: memories are compared by their meaning",
    SERVER: "it was asked for: the server that keeps the save compares memories by their meaning",
}


class IndexMode(NamedTuple):
    """The mode in use, and why it is this one."""

    name: str
    reason: str


def check_modes(call: str, wanted: Any, fallback: Any = EMBEDDED) -> None:
    """Refuse a mode that there is not.

    Raises:
        InvalidArgumentError: there is no such mode, or it is none to fall back to.
    """
    for name, value, allowed in (("", wanted, MODES), ("_fallback", fallback, FALLBACKS)):
        if value not in allowed:
            raise InvalidArgumentError(
                f"{call}: vector_index{name} is {shown(value)}",
                "there is no such mode",
                f"Use {', '.join(map(shown, allowed))}",
            )


def read_modes(call: str, options: Mapping[str, Any], usual: str) -> tuple[str, str]:
    """The mode that options ask for, and what stands in for it.

    Raises:
        InvalidArgumentError: there is no such mode.
    """
    wanted, fallback = options.get("vector_index", usual), options.get(FALLBACK, EMBEDDED)
    check_modes(call, wanted, fallback)
    return wanted, fallback


def index_mode(call: str, wanted: Any, fallback: Any = EMBEDDED, is_on_server: bool = False) -> IndexMode:
    """Return the mode that is used when `wanted` is requested. A fallback is logged once.

    Args:
        fallback: what is used instead of "server" when the save is not kept on a server.

    Raises:
        InvalidArgumentError: there is no such mode.
    """
    check_modes(call, wanted, fallback)
    if wanted == SERVER and not is_on_server:
        return IndexMode(fallback, warn_without_server(fallback))
    return IndexMode(wanted, _REASONS[wanted])


@functools.cache
def warn_without_server(fallback: str) -> str:
    """Return the reason for this fallback; the first time, log it as a warning."""
    reason = (
        'vector_index is "server", but the save is not kept on one: it is a file, or in memory, and '
        f"{shown(fallback)} stands in for it"
    )
    _LOG.warning(
        "%s. %s Keep the save on a PostgreSQL to use that (docs/servers.md).",
        reason[0].upper() + reason[1:],
        _STANDING_IN[fallback],
    )
    return reason


_STANDING_IN = {
    EMBEDDED: "This machine compares memories itself, with the same answers.",
    DISABLED: "Memories are found by their words alone.",
}
