"""The diary of one NPC."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rag_memory.config.calendar import CALENDAR
from rag_memory.errors import InvalidArgumentError
from rag_memory.game_call import game_call
from rag_memory.memory.archived import CONSOLIDATED
from rag_memory.memory.record import Record
from rag_memory.mind.consolidation import about, request
from rag_memory.mind.diary import Day, days_of, within
from rag_memory.mind.summarizer import written_steps
from rag_memory.searchable.records import OwnedRecords
from rag_memory.step import Step, Steps, in_slices
from rag_memory.text.token_width import token_width
from rag_memory.validation import (
    shown,
    validate_flag,
    validate_number,
    validate_option,
    validate_options,
    validate_text,
)
from rag_memory.world.world import World

_OPTIONS = ("token_budget", "min_importance", "use_model", "voice")
_BUDGET = 500
_MOST_TOKENS = 100_000
_CHARS_PER_TOKEN = 4
"""Of Latin letters: of wider ones there are fewer."""


class Diary:
    """Tells the days of one NPC from its memories."""

    def __init__(self, records: OwnedRecords, world: World) -> None:
        self._records = records
        self._world = world

    @game_call()
    @in_slices
    def get_diary(
        self, first_day: float = -1.0, last_day: float = -1.0, options: Mapping[str, Any] | None = None
    ) -> Steps[list[dict[str, Any]]]:
        """Returns the NPC's diary: what happened, day by day, as the NPC remembers it.

        Each day lists the NPC's memories of it in order, including those that were merged into summaries
        later. Repeated events are listed once, with a count. If not everything fits the budget, the most
        important memories are chosen.

        With a `MemoryServer.summarizer` each day is written in the NPC's voice; without one, or when it
        fails, a day consists of plain lines. A model takes a while for each day, so use `get_diary_async()`,
        and keep the result.

        The diary includes secrets. It is not stored, and no prompt uses it.

        Args:
            first_day: the day, counted as in `MemoryWorld` from the game clock's 0; -1 for today.
            last_day: the last day of a span; -1 for `first_day` alone.
            options: `token_budget` (500) for all days together, `min_importance` (0), `use_model` (`true`),
                and `voice`: how the NPC writes, for the model. The default is the `speech_style` of its
                profile, see `MemoryWorld.set_profile()`.

        Returns:
            Dictionaries with `day`, `date` (in the game's calendar), `text`, `lines` (the plain lines),
            `memories` (their ids) and `is_written` (by a model), for each day that the NPC has memories of.
        """
        call = "get_diary()"
        options = validate_options(call, options, _OPTIONS)
        budget = validate_option(call, options, "token_budget", _BUDGET, 1, _MOST_TOKENS)
        least = validate_option(call, options, "min_importance", 0, 0, 10)
        voice = validate_text(call, "voice", options.get("voice", "")).strip()
        is_written = validate_flag(call, "use_model", options.get("use_model", True))
        now = self._records.save.now()
        first = self._day(call, "first_day", first_day, CALENDAR.at(now).day_of(now))
        last = self._day(call, "last_day", last_day, first)
        if last < first:
            raise InvalidArgumentError(
                f"{call}: last_day is {shown(last_day)}",
                f"the first day is {first}",
                "Pass the earlier day first",
            )
        records = yield from self._records.all_steps()
        records += [
            version.record for version in self._records.archived() if version.archived.reason == CONSOLIDATED
        ]
        config = self._records.config
        days = within(days_of(config, records, first, last, least), budget)
        entries: list[dict[str, Any]] = []
        for number, day in enumerate(days):
            yield Step(number, len(days), "writing a diary")
            text = (yield from self._written_steps(day, voice, budget // len(days))) if is_written else ""
            lines = day.lines()
            entries.append(
                {
                    "day": day.number,
                    "date": day.date,
                    "text": text or "\n".join(lines),
                    "lines": lines,
                    "memories": [happening.record.id for happening in day.happenings],
                    "is_written": bool(text),
                }
            )
        return entries

    @staticmethod
    def _day(call: str, name: str, value: Any, otherwise: int) -> int:
        day = validate_number(call, name, value)
        return otherwise if day == -1 else math.floor(day)

    def _written_steps(self, day: Day, voice: str, tokens: int) -> Steps[str]:
        """Return a day in the words of the summarizer; "" without one, or when it fails."""
        records: list[Record] = [happening.record for happening in day.happenings]
        summarizer, config, npc_id = self._records.save.summarizer, self._records.config, self._records.npc_id
        if summarizer is None:
            return ""
        lines = "\n".join(day.lines())
        narrow = token_width("a") * len(lines)
        asked = {
            **request(npc_id, config, records, about(npc_id, config, records), lines),
            "dates": [day.date],
            "max_chars": tokens * _CHARS_PER_TOKEN * narrow // token_width(lines),
            "purpose": "diary",
            "voice": voice or str(self._world.profiles.get_profile(npc_id).get("speech_style", "")),
        }
        text = yield from written_steps(summarizer, asked, config)
        return text.strip()
