"""Days of the game's clock, as a game tells them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.validation import shown, validate_number

_MOST = 1e9
"""Less than the seconds of a clock that shows the year 2001."""


def day_of(where: str, told: Mapping[str, Any], name: str, today: float) -> float:
    """The day that is told under a name, today when it is left out.

    Raises:
        InvalidArgumentError: it is no number, or so far away that it cannot be a day.
    """
    if name not in told:
        return today
    day = validate_number(where, name, told[name])
    if abs(day) > _MOST:
        raise InvalidArgumentError(
            f"{where}: {name} is {shown(day)}",
            "it has to be between -1,000,000,000 and 1,000,000,000",
            "Pass a day: the seconds of the game's clock divided by 86,400",
        )
    return day
