"""Days of the game's clock, as a game passes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.game_time import MOST_DAYS
from rag_memory.validation import shown, validate_number


def day_of(call: str, fields: Mapping[str, Any], name: str, today: float) -> float:
    """The day under a key, today when the key is missing.

    Raises:
        InvalidArgumentError: it is no number, or too far away to be a day.
    """
    if name not in fields:
        return today
    day = validate_number(call, name, fields[name])
    if abs(day) > MOST_DAYS:
        raise InvalidArgumentError(
            f"{call}: {name} is {shown(day)}",
            "it has to be between -1,000,000,000 and 1,000,000,000",
            "Pass a day: the seconds of the game's clock divided by 86,400",
        )
    return day
