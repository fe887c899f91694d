"""A memory as callers get it: a dictionary of texts and metadata, or a line of text for a prompt or a log."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from rag_memory.config.calendar import CALENDAR, RealCalendar
from rag_memory.config.memory_config import MemoryConfig, ScoreMode
from rag_memory.config.wording import Wording
from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.archived import ArchivedRecord
from rag_memory.memory.document import TIMELESS
from rag_memory.memory.former_player import named
from rag_memory.memory.kind import SUMMARY
from rag_memory.memory.record import Record
from rag_memory.memory.secrecy import PLAYER_ALONE, record_may_be_told
from rag_memory.text.relative_days import relative_days
from rag_memory.validation import validate_number, validate_text, wrong_type

SHORT = "short"
FULL = "full"


def dated(config: MemoryConfig, record: Record, text: str) -> str:
    """A text of a memory, with the days that it means by words such as "tomorrow", and with the name of a
    former player. The days of a summary were added when it was made, because its sentences are of several.
    """
    text = named(config, record, text)
    return text if record.event_type == SUMMARY else with_days(config, text, record.timestamp)


class Shown(NamedTuple):
    """The text of a memory as it is shown, and whether it is the FULL or the SHORT one."""

    text: str
    form: str


def described(
    record: Record, npc_id: str, config: MemoryConfig, is_protected: bool = False, shown: Shown | None = None
) -> dict[str, Any]:
    """A memory without a question: texts, rendered form, metadata, and whether it is protected, which means
    part of every answer.

    Args:
        shown: the rendered form; None where there is no budget.
    """
    if shown is None and not full_from(config):
        shown = Shown(record.document_full, FULL)
    text, form = shown or (record.document_short, SHORT)
    return {
        "id": record.id,
        "document": record.document_short if config.use_dual_representation else record.document_full,
        "document_short": record.document_short,
        "document_full": record.document_full,
        "rendered_text": dated(config, record, text),
        "used_form": form,
        "metadata": record.metadata(npc_id),
        "may_be_told": record_may_be_told(record, PLAYER_ALONE),
        "protected": is_protected,
        "exchange_id": record.exchange_id,
    }


def full_from(config: MemoryConfig) -> float:
    """Return the similarity to the query from which a memory is shown in full when it fits; 0 for any."""
    follows_documents = config.use_dual_representation and config.score_mode == ScoreMode.PRODUCT
    return config.high_relevance_threshold if follows_documents else 0.0


def described_archived(archived: ArchivedRecord, npc_id: str, config: MemoryConfig) -> dict[str, Any]:
    """An archived memory: what described() says, and under `archived` its number, when and why it stopped to
    hold ("slot_update", "info_update", "updated", "consolidated"), and the id of what replaced it.
    """
    number, (at, reason, by), record = archived
    details = {"number": number, "at": at, "reason": reason, "by": by}
    return {**described(record, npc_id, config), "archived": details}


def metadata_of(call: str, memory: Any) -> Mapping[str, Any]:
    """The metadata of a memory given as a dictionary; `call` is the name for messages."""
    if not isinstance(memory, Mapping):
        raise wrong_type(call, "memory", memory, "a Dictionary")
    metadata = memory.get("metadata", {})
    if not isinstance(metadata, Mapping):
        raise wrong_type(call, "metadata", metadata, "a Dictionary")
    return metadata


def is_protected(memory: Any, config: MemoryConfig) -> bool:
    """Return True if a memory given as a dictionary is protected: in a protected slot, unless its own key
    `protected` is false, as it is for all but the newest of a slot.
    """
    slot_type = metadata_of("is_protected()", memory).get("slot_type", "")
    is_in_slot = isinstance(slot_type, str) and slot_type != "" and slot_type in config.protected_slot_types
    return is_in_slot and memory.get("protected") is not False


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
    if not days or timestamp <= TIMELESS:
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


def age(config: Wording, seconds: float) -> str:
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
