"""The memory that holds a relationship: one for each person, in a slot of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.config.relationship_scales import DIMENSIONS
from rag_memory.memory.event_templates import PLAYER, MemoryDraft
from rag_memory.memory.importance import base_importance
from rag_memory.memory.record import Record
from rag_memory.mind.relationship import KEYS, status_label, usual_relationship, validate_dimension
from rag_memory.validation import validate_metadata, validate_text, warn_of_slips, wrong_type

EVENT_TYPE = "relationship_state"
PLAYER_SLOT = f"relationship:{PLAYER}"
_WITH_ENTITY = "with_entity"
_RELATIONSHIP = "relationship"

# What the header says of the player anyway need not compete for a place in the answer.
_PLAYER_IMPORTANCE = 2


def slot_of(call: str, with_entity: Any) -> str:
    """The slot that holds the relationship to an entity; "Player" is the player as in store_conversation().

    Raises:
        InvalidArgumentError: the entity's name is no text or empty.
    """
    entity = validate_text(call, _WITH_ENTITY, with_entity).strip()
    if not entity:
        raise wrong_type(call, _WITH_ENTITY, with_entity, "a name that is not empty")
    return f"relationship:{PLAYER if entity.casefold() == PLAYER else entity}"


def relationship_draft(
    config: MemoryConfig,
    with_entity: str,
    stored: Mapping[str, Any],
    data: Any,
    name_of: Callable[[MemoryConfig, str], str],
) -> MemoryDraft:
    """Make the memory that holds a relationship.

    A dimension that `data` leaves out keeps its stored value; one outside its range is clamped with a logged
    warning. Other keys are kept beside them, with a
    warning for one that looks like a slip.

    Args:
        stored: as from relationship_of(), {} at first.
        name_of: returns the name of a character.

    Raises:
        InvalidArgumentError: a dimension is no number, or a value cannot be stored.
    """
    call = "store_relationship()"
    slot = slot_of(call, with_entity)
    entity = slot.partition(":")[2]
    if not isinstance(data, Mapping):
        raise wrong_type(call, "data", data, "a Dictionary")
    changes = validate_metadata(call, "data", data)
    warn_of_slips(call, "data", changes, KEYS)
    state = {**usual_relationship(), **stored, **changes}
    state.pop("status", None)
    for name in DIMENSIONS:
        state[name] = validate_dimension(call, name, state[name])
    dimensions = ", ".join(config.sentence(name, value=f"{state[name]:g}") for name in DIMENSIONS)
    importance = _PLAYER_IMPORTANCE if entity == PLAYER else base_importance(config, EVENT_TYPE)
    status = config.sentence(f"status_{status_label(state)}")
    text = config.sentence(
        "relationship", entity=name_of(config, entity), status=status, dimensions=dimensions
    )
    metadata = {
        "event_type": EVENT_TYPE,
        "slot_type": slot,
        "entities": [entity],
        "check_names": False,
        _WITH_ENTITY: entity,
        _RELATIONSHIP: state,
    }
    return MemoryDraft(text, importance, metadata)


def relationship_of(record: Record | None) -> dict[str, Any]:
    """Return the five dimensions, other stored keys and the status label; {} without a record."""
    if record is None:
        return {}
    state = record.metadata("").get(_RELATIONSHIP, {})
    return {**state, "status": status_label(state)} if state else {}
