"""The row of a save: its number, and how often all of it was changed at once."""

from __future__ import annotations

from typing import Any

import psycopg

from rag_memory.errors import SaveNotFoundError

Connection = psycopg.Connection[tuple[Any, ...]]

_CHANGED = "SELECT changed FROM saves WHERE save = %(save)s"
_CHANGE = "UPDATE saves SET changed = changed + 1 WHERE save = %(save)s RETURNING changed"


def number_of(connection: Connection, name: str, called: str, is_read_only: bool) -> int:
    """The number of the save of this name; a new one when there is none. Messages have it `called` so.

    Raises:
        SaveNotFoundError: there is none, and this one is only to be read.
    """
    values = {"name": name}
    if not is_read_only:
        connection.execute(
            "INSERT INTO saves (name, slot) VALUES (%(name)s, '') ON CONFLICT DO NOTHING", values
        )
    row = connection.execute("SELECT save FROM saves WHERE name = %(name)s AND slot = ''", values).fetchone()
    if row is None:
        raise SaveNotFoundError(
            f"There is no save {called}",
            "one that is opened to be read only has to be there",
            "Open it without read_only first",
        )
    return int(row[0])


def changes(connection: Connection, save: int, called: str, is_one_more: bool = False) -> int:
    """How often all of the save was changed at once, which whoever lost it has to see.

    Raises:
        SaveNotFoundError: it was deleted, before this process had it, or while the connection was lost.
    """
    statement = _CHANGE if is_one_more else _CHANGED
    row = connection.execute(statement.encode(), {"save": save}).fetchone()
    if row is None:
        raise SaveNotFoundError(
            f"The save {called} is not there any more",
            "somebody has deleted it",
            "Open it to begin a new one",
        )
    return int(row[0])
