"""Warnings about keys of the game that look like misspelled ones."""

from __future__ import annotations

import difflib
import logging
from collections.abc import Iterable, Sequence

from rag_memory.validation import shown

_LIKENESS = 0.78
_LONGEST = 40
_LOG = logging.getLogger("rag_memory")


def warn_of_slips(call: str, given: Iterable[str], names: Sequence[str]) -> None:
    """Log a warning for each key that is almost equal to a missing one. A longer one ("target_name") is taken
    for the game's own.

    Args:
        given: the keys that the game has passed.
        names: the keys that have a meaning.
    """
    keys = list(given)
    absent = [name for name in names if name not in keys]
    for key in keys:
        written = key.lower().replace("-", "_").replace(" ", "_")
        if key in names or len(key) > _LONGEST or any(written.startswith(f"{name}_") for name in names):
            continue
        for meant in difflib.get_close_matches(written, absent, 1, _LIKENESS):
            _LOG.warning(
                "%s: the key %s is kept as it is and means nothing; did you mean %s?",
                call,
                shown(key),
                shown(meant),
            )
