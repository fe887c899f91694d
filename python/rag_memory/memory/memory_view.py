"""A memory as callers get it: a plain dictionary of texts, metadata and, after a question, its score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag_memory.config.memory_config import MemoryConfig, ScoreMode
from rag_memory.memory.archived import ArchivedRecord
from rag_memory.memory.formatting import with_days
from rag_memory.memory.kind import SUMMARY
from rag_memory.memory.record import Record
from rag_memory.validation import wrong_type

SHORT = "short"
FULL = "full"


def dated(config: MemoryConfig, record: Record, text: str) -> str:
    """A text of a memory, with the days that it means by words such as "tomorrow". Those of a summary have
    been added when it was made, because its sentences are of several days.
    """
    return text if record.event_type == SUMMARY else with_days(config, text, record.timestamp)


def described(
    record: Record, npc_id: str, config: MemoryConfig, is_protected: bool = False
) -> dict[str, Any]:
    """A memory without a question: texts, rendered form, metadata, and whether it is protected, which means
    part of every answer.
    """
    short = record.document_short if config.use_dual_representation else record.document_full
    full = is_shown_in_full(config)
    return {
        "id": record.id,
        "document": short,
        "document_short": record.document_short,
        "document_full": record.document_full,
        "rendered_text": dated(config, record, record.document_full if full else record.document_short),
        "used_form": FULL if full else SHORT,
        "metadata": record.metadata(npc_id),
        "protected": is_protected,
    }


def is_shown_in_full(config: MemoryConfig, similarity: float = 0.0) -> bool:
    """Return True if a memory with this similarity to the query is shown in full when it fits."""
    follows_documents = config.use_dual_representation and config.score_mode == ScoreMode.PRODUCT
    return not follows_documents or similarity >= config.high_relevance_threshold


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
