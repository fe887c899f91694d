"""Memories as lines of text, for a prompt or a log."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from rag_memory.config.calendar import CALENDAR, RealCalendar
from rag_memory.config.memory_config import MemoryConfig
from rag_memory.errors import InvalidArgumentError
from rag_memory.text.relative_days import relative_days
from rag_memory.validation import validate_number, validate_text, wrong_type

STYLES = ("", "bullet", "numbered", "dated", "detailed")
_TEXT_KEYS = ("rendered_text", "document", "document_short", "document_full", "text")


def date_text(config: MemoryConfig, timestamp: float) -> str:
    """The day of a moment in the game's calendar, such as "3 Harvest, year 2" or "day 12", and "2023-12-13"
    for a clock that counts from 1970.
    """
    calendar = CALENDAR.at(timestamp)
    if isinstance(calendar, RealCalendar):
        return time.strftime("%Y-%m-%d", time.gmtime(timestamp))
    if calendar.date_format:
        return calendar.text(calendar.date_format, timestamp)
    if calendar.has_years:
        return calendar.text(config.sentence("date"), timestamp)
    return config.sentence("day_number", day=calendar.text("{day_number}", timestamp))


def moment_text(config: MemoryConfig, timestamp: float) -> str:
    """The day and the time of a moment."""
    if isinstance(CALENDAR.at(timestamp), RealCalendar):
        return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(timestamp))
    return f"{date_text(config, timestamp)}, {CALENDAR.at(timestamp).text('{hour}:{minute}', timestamp)}"


def with_days(config: MemoryConfig, text: str, timestamp: float) -> str:
    """A text, with the days that it means by "tomorrow", "last night" and the like: they count from when it
    was said, and not from when it is read. A text without such words stays as it is.
    """
    days = relative_days(text)
    if not days:
        return text
    length = CALENDAR.seconds_per_day
    notes = [
        f"{words}: {date_text(config, timestamp + length * distance)}"
        for words, distance in days.items()
        if distance is not None and f"({words}: " not in text and f"; {words}: " not in text
    ]
    if None in days.values():
        said = config.sentence("said_on", date=date_text(config, timestamp))
        notes += [] if said in text else [said]
    return f"{text} ({'; '.join(notes)})" if notes else text


def format_memories(config: MemoryConfig, memories: Any, style: Any, now: float) -> list[str]:
    """One line per memory.

    Args:
        memories: as retrieved, or dictionaries with a "text"; plain Strings are taken as they are.
        style: "" the text alone; "bullet" and "numbered" put "- " or "1. " before it; "dated" how long ago it
            was; "detailed" its age, event type, importance and, when superseded, by what.

    Raises:
        InvalidArgumentError: an unknown style, or something that is no memory.
    """
    call = "format_memories()"
    style = validate_text(call, "style", style)
    if style not in STYLES:
        raise InvalidArgumentError(
            f"{call}: there is no style {style!r}", "", f"Use one of {', '.join(map(repr, STYLES))}"
        )
    if not isinstance(memories, list | tuple):
        raise wrong_type(call, "memories", memories, "an Array")
    return [
        _line(config, f"{call}, memory {number}", memory, style, number, now)
        for number, memory in enumerate(memories)
    ]


def age(config: MemoryConfig, seconds: float) -> str:
    """Return the age of a memory in whole days, weeks, months or years."""
    days = int(seconds / CALENDAR.seconds_per_day)
    if days < 1:
        return config.sentence("today")
    if days == 1:
        return config.sentence("yesterday")
    calendar = CALENDAR.at(0.0)
    units = (
        ("year", int(calendar.year_days)),
        ("month", round(calendar.mean_month_days)),
        ("week", calendar.week_days),
    )
    for unit, length in units:
        count = days // length
        if count:
            return config.sentence(f"{unit}s_ago" if count > 1 else f"{unit}_ago", count=count)
    return config.sentence("days_ago", count=days)


def _line(config: MemoryConfig, call: str, memory: Any, style: str, number: int, now: float) -> str:
    if isinstance(memory, str):
        memory = {"text": memory}
    if not isinstance(memory, Mapping):
        raise wrong_type(call, "the memory", memory, "a Dictionary or a String")
    key = next((key for key in _TEXT_KEYS if memory.get(key)), None)
    if key is None:
        raise InvalidArgumentError(
            f"{call}: there is no text", f"a memory has one of {', '.join(_TEXT_KEYS)}", "Add a text"
        )
    text = " ".join(validate_text(call, key, memory[key]).split())
    if style == "bullet":
        return f"- {text}"
    if style == "numbered":
        return f"{number + 1}. {text}"
    if style == "":
        return text
    metadata = memory.get("metadata", {})
    if not isinstance(metadata, Mapping):
        raise wrong_type(call, "metadata", metadata, "a Dictionary")
    notes = []
    if "timestamp" in metadata:
        notes.append(age(config, max(0.0, now - validate_number(call, "timestamp", metadata["timestamp"]))))
    if style == "detailed":
        if metadata.get("event_type"):
            notes.append(str(metadata["event_type"]))
        if "importance" in metadata:
            notes.append(config.sentence("importance", importance=metadata["importance"]))
        if metadata.get("superseded_by"):
            notes.append(config.sentence("superseded", id=metadata["superseded_by"]))
    return f"[{', '.join(notes)}] {text}" if notes else text
