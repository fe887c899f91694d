"""How a save's memories are compared with a question: the modes of `vector_index`, and what stands in for one
that is not there.
"""

from __future__ import annotations

import functools
import logging
from typing import Any, NamedTuple

from rag_memory.errors import InvalidArgumentError
from rag_memory.validation import shown

_LOG = logging.getLogger("rag_memory")

DISABLED = "disabled"
EMBEDDED = "embedded"
SERVER = "server"
MODES = (DISABLED, EMBEDDED, SERVER)

_REASONS = {
    DISABLED: "it was asked for: memories are found by their words, and no model is loaded",
    EMBEDDED: "it was asked for: memories are compared by their meaning",
}


class IndexMode(NamedTuple):
    """The mode in use, and why it is this one."""

    name: str
    reason: str


def index_mode(where: str, wanted: Any) -> IndexMode:
    """The mode that is used when `wanted` is asked for; a fallback is told once.

    Raises:
        InvalidArgumentError: there is no such mode.
    """
    if wanted not in MODES:
        raise InvalidArgumentError(
            f"{where}: vector_index is {shown(wanted)}",
            "there is no such mode",
            f"Use {', '.join(map(shown, MODES))}",
        )
    if wanted == SERVER:
        return IndexMode(EMBEDDED, _told_without_server())
    return IndexMode(wanted, _REASONS[wanted])


@functools.cache
def _told_without_server() -> str:
    reason = 'vector_index is "server", but this version cannot use a server: "embedded" stands in for it'
    _LOG.warning("%s. Everything works, on this machine alone.", reason[0].upper() + reason[1:])
    return reason
