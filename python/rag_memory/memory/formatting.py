"""Memories as lines of text, for a prompt or a log."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.game_time import SECONDS_PER_DAY
from rag_memory.validation import validate_number, validate_text, wrong_type

STYLES = ("", "bullet", "numbered", "dated", "detailed")
_LAST_DATED_SECOND = 253_402_300_799
_TEXT_KEYS = ("rendered_text", "document", "document_short", "document_full", "text")


def in_calendar(timestamp: float, pattern: str) -> str:
    """A moment (UTC) as time.strftime() writes it; "" when no calendar has it."""
    if not 0 <= timestamp <= _LAST_DATED_SECOND:
        return ""
    return time.strftime(pattern, time.gmtime(timestamp))


def format_memories(config: MemoryConfig, memories: Any, style: Any, now: float) -> list[str]:
    """One line per memory.

    Args:
        memories: as retrieved, or dictionaries with a "text"; plain Strings are taken as they are.
        style: "" the text alone; "bullet" and "numbered" put "- " or "1. " before it; "dated" how long ago it
            was; "detailed" its age, event type, importance and, when superseded, by what.

    Raises:
        InvalidArgumentError: an unknown style, or something that is no memory.
    """
    where = "format_memories()"
    style = validate_text(where, "style", style)
    if style not in STYLES:
        raise InvalidArgumentError(
            f"{where}: there is no style {style!r}", "", f"Use one of {', '.join(map(repr, STYLES))}"
        )
    if not isinstance(memories, list | tuple):
        raise wrong_type(where, "memories", memories, "an Array")
    return [
        _line(config, f"{where}, memory {number}", memory, style, number, now)
        for number, memory in enumerate(memories)
    ]


def age(config: MemoryConfig, seconds: float) -> str:
    """How long ago something was, in whole days, weeks, months or years."""
    days = int(seconds / SECONDS_PER_DAY)
    if days < 1:
        return config.told("today")
    if days == 1:
        return config.told("yesterday")
    for unit, length in (("year", 365), ("month", 30), ("week", 7)):
        count = days // length
        if count:
            return config.told(f"{unit}s_ago" if count > 1 else f"{unit}_ago", count=count)
    return config.told("days_ago", count=days)


def _line(config: MemoryConfig, where: str, memory: Any, style: str, number: int, now: float) -> str:
    if isinstance(memory, str):
        memory = {"text": memory}
    if not isinstance(memory, Mapping):
        raise wrong_type(where, "the memory", memory, "a Dictionary or a String")
    key = next((key for key in _TEXT_KEYS if memory.get(key)), None)
    if key is None:
        raise InvalidArgumentError(
            f"{where}: there is no text", f"a memory has one of {', '.join(_TEXT_KEYS)}", "Add a text"
        )
    text = " ".join(validate_text(where, key, memory[key]).split())
    if style == "bullet":
        return f"- {text}"
    if style == "numbered":
        return f"{number + 1}. {text}"
    if style == "":
        return text
    metadata = memory.get("metadata", {})
    if not isinstance(metadata, Mapping):
        raise wrong_type(where, "metadata", metadata, "a Dictionary")
    notes = []
    if "timestamp" in metadata:
        notes.append(age(config, max(0.0, now - validate_number(where, "timestamp", metadata["timestamp"]))))
    if style == "detailed":
        if metadata.get("event_type"):
            notes.append(str(metadata["event_type"]))
        if "importance" in metadata:
            notes.append(config.told("importance", importance=metadata["importance"]))
        if metadata.get("superseded_by"):
            notes.append(config.told("superseded", id=metadata["superseded_by"]))
    return f"[{', '.join(notes)}] {text}" if notes else text
