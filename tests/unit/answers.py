"""Answers to be compared."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any


def said(answer: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """An answer without what every question changes: when its memories were last recalled."""
    plain = copy.deepcopy(list(answer))
    for memory in plain:
        memory["metadata"].pop("last_accessed", None)
    return plain
