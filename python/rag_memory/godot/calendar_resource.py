"""The Godot class MemoryCalendar: the calendar of a game, as a Resource.

The properties are not written here: they are the fields of `rag_memory.config.calendar`.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from rag_memory.config.calendar import CALENDAR, GameCalendar
from rag_memory.errors import ConfigError
from rag_memory.godot.config_class import config_class

_LOG = logging.getLogger("rag_memory")


@config_class("MemoryCalendar", GameCalendar)
class MemoryCalendarResource:
    """The calendar of your game: how long a day is, its weekdays, months, years and seasons.

    Set it once as `MemoryServer.calendar`. Ages in prompts, the dates of summaries, `RAGMemory` listings and
    tables, and the days of `MemoryWorld` follow it. Questions of the player are read with its names: "What
    did I promise in Frostmonth?"

    Without a calendar there are numbered days of 86,400 seconds: day 0, day 1, ... A clock that counts from
    1970, as the default of `MemoryServer.set_clock()` does, has real dates.

    ```gdscript
    func use_own_calendar() -> void:
        var calendar := MemoryCalendar.new()
        calendar.month_names = ["Spring", "Summer", "Autumn", "Winter"]
        calendar.season_names = calendar.month_names
        calendar.month_days = [28]
        MemoryServer.calendar = calendar
    ```
    """


class SentCalendar:
    """The calendar that travels with the property values of every object, and the number of its version."""

    def __init__(self) -> None:
        self._version = 0

    def take(self, sent: Sequence[Any] | None) -> None:
        """Let the game have a calendar: [version, the values of the Resource or None]. One that is older than
        the one in use is passed over, because messages overtake each other. A calendar with a wrong value is
        logged, and counts as none.
        """
        if sent is None or sent[0] <= self._version:
            return
        self._version, values = sent
        try:
            CALENDAR.choose(None if values is None else GameCalendar(**values).validated())
        except ConfigError as error:
            CALENDAR.choose(None)
            _LOG.error("MemoryServer.calendar cannot be used: %s", error)
