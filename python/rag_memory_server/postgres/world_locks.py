"""Who writes of the world of a save: one process at a time, and each counts its writes in a row of its own.

A row belongs to whoever has its lock, and is used again: there are never more than there were games at once.
"""

from __future__ import annotations

import itertools
from typing import Any

import psycopg

_KEY = "hashtextextended(%(what)s::text, %(save)s)"
_LOCK = f"SELECT pg_advisory_xact_lock({_KEY})"
_TAKE = f"SELECT pg_try_advisory_lock({_KEY})"


class WorldLocks:
    """The locks of one session."""

    def __init__(self, lock: str, save: int) -> None:
        """`lock`: what the lock of the save is made of."""
        self._lock = lock
        self._save = save
        self.writer = 0
        """The number of the session among those that write; 0 before it has one."""

    def lock(self) -> tuple[str, dict[str, Any]]:
        """The statement that waits until nobody else writes of the world, with its values."""
        return _LOCK, {"what": f"world of {self._lock}", "save": self._save}

    def take_number(self, connection: psycopg.Connection[tuple[Any, ...]]) -> None:
        """Take a free number on a connection, the one of before if it is free."""
        for number in itertools.chain([self.writer or 1], itertools.count(1)):
            values = {"what": f"writer {number} of {self._lock}", "save": self._save}
            if connection.execute(_TAKE.encode(), values).fetchone() == (True,):
                self.writer = number
                return
