"""Keys of the game that look like slips for those that have a meaning."""

from __future__ import annotations

import difflib
import logging
from collections.abc import Iterable, Sequence

from rag_memory.validation import shown

_LIKENESS = 0.78
_LONGEST = 40
_LOG = logging.getLogger("rag_memory")


def warn_of_slips(where: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Log a warning for each key that is almost a known one which is not there. A longer one ("target_name")
    is the game's own.
    """
    keys = list(given)
    absent = [name for name in known if name not in keys]
    for key in keys:
        written = key.lower().replace("-", "_").replace(" ", "_")
        if key in known or len(key) > _LONGEST or any(written.startswith(f"{each}_") for each in known):
            continue
        for meant in difflib.get_close_matches(written, absent, 1, _LIKENESS):
            _LOG.warning(
                "%s: the key %s is kept as it is and means nothing; did you mean %s?",
                where,
                shown(key),
                shown(meant),
            )
