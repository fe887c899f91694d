"""A memory with some of its content changed: everything that was not changed, or follows from it, stays."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from rag_memory.config.memory_config import TIER_IMPORTANT, TIER_PINNED, MemoryConfig
from rag_memory.memory.classification import Milestone, detect_milestone, detect_tier
from rag_memory.memory.occurrences import OCCURRENCES, times_in, with_times
from rag_memory.memory.record import Record, new_record
from rag_memory.validation import validate_flag, wrong_type

_NOT_AMENDED = (
    *("npc_id", "importance", "superseded_by", "superseded_at", "memory_tier", "milestone_type"),
    *("repeat_count", "first_timestamp", "last_accessed"),
)
_OF_MILESTONES = ("is_milestone", "milestone_type", "is_first")


def amended(npc_id: str, config: MemoryConfig, now: float, record: Record, changes: Any) -> Record:
    """The record with `changes` to its text, importance, or any key of the data of store().

    Tier and milestone follow the change, unless they were set rather than detected. A new text gets a new
    short form, unless one is given. It may stay as long as it was, also when the config allows less by now.

    Raises:
        InvalidArgumentError: a change has the wrong type, cannot be kept, or is none that a caller may make.
    """
    call = "update_memory()"
    if not isinstance(changes, Mapping):
        raise wrong_type(call, "changes", changes, "a Dictionary")
    data = dict(changes)
    text = data.pop("text", record.document_full)
    importance = data.pop("importance", record.importance)
    # It says how to store, and nothing about the memory.
    validate_flag(call, "check_names", data.pop("check_names", True))
    unchanged = record.metadata(npc_id)
    for name in _NOT_AMENDED:
        del unchanged[name]
    del unchanged["is_milestone"]
    unchanged.pop("is_first", None)
    unchanged.pop(OCCURRENCES, None)
    if text == record.document_full:
        unchanged["document_short"] = record.document_short
    if "analysis" in data and "interaction_type" not in data:
        del unchanged["interaction_type"]
    limits = dataclasses.replace(
        config,
        max_text_chars=max(config.max_text_chars, len(record.document_full), len(record.document_short)),
        max_metadata_chars=max(config.max_metadata_chars, record.metadata_chars),
    )
    changed = new_record(call, npc_id, limits, now, text, importance, data, unchanged)
    is_set = any(name in data for name in _OF_MILESTONES)
    milestone = _milestone_of(changed) if is_set else _milestone_after(config, record, changed)
    tier = changed.memory_tier
    if "memory_tier" not in data:
        if record.memory_tier != _detected_tier(config, record, _milestone_before(config, record)):
            tier = record.memory_tier
        elif not is_set:
            tier = _detected_tier(config, changed, milestone)
    return changed._replace(
        key=record.key,
        extra=with_times(changed.extra, times_in(record.extra)),
        id=record.id,
        is_milestone=int(milestone.is_milestone),
        milestone_type=milestone.type,
        memory_tier=tier,
        superseded_by=record.superseded_by,
        superseded_at=record.superseded_at,
        repeat_count=record.repeat_count,
        first_timestamp=_first_timestamp(record, changed),
        last_accessed=_last_accessed(record, changed),
    )


def _first_timestamp(record: Record, changed: Record) -> float:
    happened_once = record.repeat_count == 1
    return changed.timestamp if happened_once else min(record.first_timestamp, changed.timestamp)


def _last_accessed(record: Record, changed: Record) -> float:
    """A memory that was never asked for was accessed when it happened."""
    was_asked_for = record.last_accessed != record.timestamp
    return record.last_accessed if was_asked_for else changed.timestamp


def pinned(record: Record) -> Record:
    """The record as a PINNED one."""
    return record._replace(memory_tier=TIER_PINNED)


def unpinned(config: MemoryConfig, record: Record) -> Record:
    """A PINNED record in the tier that its event has without a marker, but IMPORTANT at most."""
    if record.memory_tier != TIER_PINNED:
        return record
    tier = config.get_tier_for_event(record.event_type, record.importance, record.interaction_type)
    return record._replace(memory_tier=max(tier, TIER_IMPORTANT))


def _milestone_of(record: Record) -> Milestone:
    return Milestone(bool(record.is_milestone), record.milestone_type, False)


def _milestone_before(config: MemoryConfig, record: Record) -> Milestone:
    """The record's milestone; explicit when nothing but a caller can have set it."""
    milestone = _milestone_of(record)
    was_set = milestone != _detected(config, record)
    return milestone._replace(is_explicit=milestone.is_milestone and was_set)


def _milestone_after(config: MemoryConfig, record: Record, changed: Record) -> Milestone:
    was_detected = _milestone_of(record) == _detected(config, record)
    return _detected(config, changed) if was_detected else _milestone_before(config, record)


def _detected(config: MemoryConfig, record: Record) -> Milestone:
    return detect_milestone(config, record.event_type, None, "", False, record.document_full)


def _detected_tier(config: MemoryConfig, record: Record, milestone: Milestone) -> int:
    return detect_tier(config, milestone, record.event_type, record.interaction_type, record.importance)
