"""Life and death of an NPC: a memory in a slot of its own, so that it is part of every answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.memory.record import Record
from rag_memory.validation import validate_flag, validate_metadata, validate_text, warn_of_slips, wrong_type

EVENT_TYPE = "npc_state"
SLOT_TYPE = "npc_death_status"

_IS_ALIVE = "is_alive"
_DEATH_DATA = "death_data"
_OWN_FIELDS = ("timestamp", "location")


def state_memory(config: MemoryConfig, is_alive: Any, death_data: Any) -> tuple[str, dict[str, Any]]:
    """The text and data of the memory that says so.

    Args:
        death_data: how the NPC died: cause, killed_by, location and timestamp are told or used as those of
            the memory; anything else is kept with them.

    Raises:
        InvalidArgumentError: an argument has the wrong type or cannot be kept.
    """
    call = "store_npc_state()"
    is_alive = validate_flag(call, _IS_ALIVE, is_alive)
    death_data = {} if death_data is None else death_data
    if not isinstance(death_data, Mapping):
        raise wrong_type(call, _DEATH_DATA, death_data, "a Dictionary")
    warn_of_slips(call, _DEATH_DATA, death_data, ("cause", "killed_by", *_OWN_FIELDS))
    details = {} if is_alive else validate_metadata(call, _DEATH_DATA, death_data)
    data = {
        **{name: details[name] for name in _OWN_FIELDS if name in details},
        "event_type": EVENT_TYPE,
        "slot_type": SLOT_TYPE,
        _IS_ALIVE: is_alive,
        _DEATH_DATA: details,
    }
    return (config.sentence("i_am_alive") if is_alive else _death(config, call, details)), data


def state_of(npc_id: str, record: Record | None) -> dict[str, Any]:
    """{npc_id, is_alive, known, timestamp, memory_id, death_data}; an NPC of whom nothing was said lives."""
    if record is None:
        return {
            "npc_id": npc_id,
            _IS_ALIVE: True,
            "known": False,
            "timestamp": 0.0,
            "memory_id": "",
            _DEATH_DATA: {},
        }
    metadata = record.metadata(npc_id)
    return {
        "npc_id": npc_id,
        # A game may also fill the protected slot itself: a death status without the flag means a death.
        _IS_ALIVE: bool(metadata.get(_IS_ALIVE, False)),
        "known": True,
        "timestamp": record.timestamp,
        "memory_id": record.id,
        _DEATH_DATA: metadata.get(_DEATH_DATA, {}),
    }


def _death(config: MemoryConfig, call: str, details: Mapping[str, Any]) -> str:
    def part(name: str, key: str, placeholder: str) -> str:
        text = validate_text(call, f"{_DEATH_DATA}.{name}", details.get(name, "")).strip()
        return config.sentence(key, **{placeholder: text}) if text else ""

    text = config.sentence(
        "i_died",
        place=part("location", "died_at", "location"),
        killer=part("killed_by", "died_by", "killer"),
        cause=part("cause", "died_of", "cause"),
    )
    return text if text.endswith((".", "!", "?", "…", "。", "！", "？", "।")) else f"{text}."
