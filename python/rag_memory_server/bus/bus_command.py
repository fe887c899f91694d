"""A command of the bus: what an NPC shall say or do, wherever she is."""

from __future__ import annotations

import json
from typing import NamedTuple

from rag_memory.errors import InvalidArgumentError
from rag_memory.validation import clean_text, validate_text

LONGEST_COMMAND = 4000


class Command(NamedTuple):
    """A command for an NPC, in the form of `zone:commands`."""

    npc_id: str
    text: str


def read_command(data: bytes) -> Command:
    """A command as it came from the server.

    Raises:
        InvalidArgumentError: it is none; names what is wrong.
    """
    try:
        fields = json.loads(data.decode("utf-8"))
        npc_id = validate_text("a command", "sourceId", fields["sourceId"])
        text = clean_text(validate_text("a command", "command", fields["command"]))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InvalidArgumentError(
            "a command is no JSON with sourceId and command", str(error)[:200], ""
        ) from error
    if not npc_id.strip() or len(npc_id) > 200 or len(text) > LONGEST_COMMAND:
        raise InvalidArgumentError("a command is empty or too long", "", "Send less")
    return Command(npc_id, text)
