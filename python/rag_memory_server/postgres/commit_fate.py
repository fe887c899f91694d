"""What has become of a transaction whose connection dropped while the server committed."""

from __future__ import annotations

import time
from typing import Any

import psycopg

Connection = psycopg.Connection[tuple[Any, ...]]

_PAUSE_SECONDS = 0.05
_NO_CRASH_SINCE = "(SELECT stats_reset::text FROM pg_stat_wal)"
"""A server that has crashed may give a number twice: that of a transaction that did not come to its disk."""
_NUMBER = f"SELECT pg_current_xact_id_if_assigned()::text, {_NO_CRASH_SINCE}"
# A number that is not below xmax has not ended yet, or the server crashed and has never given it.
_FATE = f"""
SELECT CASE WHEN %(number)s::text::xid8 < pg_snapshot_xmax(pg_current_snapshot())
        THEN pg_xact_status(%(number)s::text::xid8)
    WHEN {_NO_CRASH_SINCE} = %(no_crash_since)s THEN 'in progress'
    ELSE 'aborted' END,
    {_NO_CRASH_SINCE} = %(no_crash_since)s
"""


def number_in(connection: Connection) -> tuple[str, str] | None:
    """The server's number of the open transaction, and since when it has not crashed; None when nothing is
    written.
    """
    number, no_crash_since = connection.execute(_NUMBER.encode()).fetchone() or (None, None)
    return None if number is None else (str(number), str(no_crash_since))


def is_committed(connection: Connection, number: str, no_crash_since: str, until: float) -> bool | None:
    """Whether a transaction was committed; None when nobody can tell, or it has not ended by then."""
    values = {"number": number, "no_crash_since": no_crash_since}
    while True:
        state, is_same = connection.execute(_FATE.encode(), values).fetchone() or (None, None)
        if state == "aborted":
            return False
        if state == "committed" and is_same:
            return True
        if state != "in progress" or time.monotonic() > until:
            return None
        time.sleep(_PAUSE_SECONDS)
