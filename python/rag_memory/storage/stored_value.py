"""Values that were stored as JSON, made such that they can be stored again."""

from __future__ import annotations

import math
from typing import Any

from rag_memory.validation import MAX_DEPTH, clean_text


def storable(value: Any, depth: int = 0) -> Any:
    """A value that was stored, as validate_metadata() takes it: numbers that are not finite or too large
    become 0, and what is nested too deeply null.
    """
    if depth > MAX_DEPTH:
        return None
    if isinstance(value, dict):
        return {clean_text(key): storable(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [storable(item, depth + 1) for item in value]
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return 0.0
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return 0
    return value
