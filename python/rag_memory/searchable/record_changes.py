"""Whom the writing of records tells what was written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rag_memory.memory.record import Record

EventFunction = Callable[[str, tuple[Any, ...]], None]


class RecordChanges(NamedTuple):
    """The functions that a writer calls after it has written."""

    note: Callable[[Sequence[Record] | None], None]
    """Gets the new and changed records; None when some are gone that are not archived."""
    emit: EventFunction
    """Gets the name and arguments of a signal."""
    reload: Callable[[], None]
    """Forgets what is in memory."""
