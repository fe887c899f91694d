"""An NPC's feelings, and the interactions that caused them, as a part of the JSON of its memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rag_memory.config.relationship_scales import DISPOSITION
from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.interaction import (
    ADJUSTMENT,
    EVENT,
    FELT_AT,
    NO_EMOTION,
    PRUNED,
    REFLECTION,
    REPEATED_THROUGH,
    THROUGH,
    Emotion,
    Interaction,
)
from rag_memory.memory.record import Record
from rag_memory.validation import (
    validate_metadata,
    validate_number,
    validate_number_in,
    validate_stored_integer,
    validate_text,
    wrong_type,
)

_KINDS = (EVENT, ADJUSTMENT, REFLECTION, PRUNED)
_SEEN = "memories"
"""Of a reflection: how many of the exported memories there were already."""


def exported(entries: Sequence[Interaction], records: Sequence[Record]) -> list[dict[str, Any]]:
    """The log of interactions for the JSON: what differs from an empty entry. `records` are the exported
    memories, in the order in which they were stored.
    """
    return [_exported(entry, records) for entry in entries]


def imported(call: str, now: float, given: Sequence[Any]) -> list[Interaction]:
    """The entries that exported() wrote, as stored at this moment.

    Raises:
        InvalidArgumentError: one of them is not valid.
    """
    return [
        _entry(f"{call}, interaction {number}", now, interaction) for number, interaction in enumerate(given)
    ]


def of_npc(
    entry: Interaction, new_ids: Mapping[str, str], keys: Sequence[int], count: int, last: int
) -> Interaction:
    """An imported entry that speaks of the memories as the NPC has them.

    Args:
        new_ids: of the memories that got another id.
        keys: of the memories that were stored now, in their order.
        count: how many memories the JSON has.
        last: the highest key before.
    """
    details = dict(entry.details)
    if "memory_id" in details:
        details["memory_id"] = new_ids.get(details["memory_id"], details["memory_id"])
    if entry.kind == REFLECTION:
        unseen = count - details.pop(_SEEN, 0)
        seen = keys[: max(0, len(keys) - unseen)]
        details[THROUGH] = seen[-1] if seen else last
    return entry._replace(details=details)


def _exported(entry: Interaction, records: Sequence[Record]) -> dict[str, Any]:
    details = dict(entry.details)
    felt_at = details.pop(FELT_AT, entry.stored_at)
    if entry.kind == REFLECTION:
        through = details.pop(THROUGH, 0)
        details.pop(REPEATED_THROUGH, None)
        details[_SEEN] = sum(record.key <= through for record in records)
    values = entry._replace(details=details, stored_at=felt_at)._asdict()
    del values["key"], values["known_since"]
    values["emotion"] = {} if entry.emotion == NO_EMOTION else entry.emotion._asdict()
    return {name: value for name, value in values.items() if name == "kind" or value not in ("", {}, 0.0)}


def _entry(call: str, now: float, given: Any) -> Interaction:
    if not isinstance(given, Mapping):
        raise wrong_type(call, "the interaction", given, "a Dictionary")
    kind = validate_text(call, "kind", given.get("kind"))
    if kind not in _KINDS:
        raise InvalidArgumentError(
            f"{call}: kind is {kind!r}", "", f"Pass one of {', '.join(_KINDS)}, as export_json() does"
        )
    strength = _number(call, given, "strength")
    if strength != DISPOSITION.limited(strength):
        raise InvalidArgumentError(f"{call}: strength is {strength:g}", "", "Pass 0 to 100")
    details = validate_metadata(call, "details", _mapping(call, given, "details"))
    if kind == REFLECTION:
        details = {_SEEN: max(0, validate_stored_integer(call, _SEEN, details.get(_SEEN, 0)))}
    details[FELT_AT] = min(now, _number(call, given, "stored_at"))
    texts = {
        name: validate_text(call, name, given.get(name, ""))
        for name in ("source_id", "source_name", "action", "content", "reason")
    }
    return Interaction(
        key=0,
        kind=kind,
        timestamp=min(now, _number(call, given, "timestamp")),
        stored_at=now,
        details=details,
        sentiment=_number(call, given, "sentiment"),
        strength=strength,
        known_since=now,
        emotion=_emotion(call, now, _mapping(call, given, "emotion")),
        **texts,
    )


def _emotion(call: str, now: float, given: Mapping[str, Any]) -> Emotion:
    """An emotion; one of a later clock than this game's begins now."""
    if not given:
        return NO_EMOTION
    intensity = validate_number_in(call, "intensity", given.get("intensity", 0.0), 0.0, 100.0)
    since, until = _number(call, given, "since"), _number(call, given, "until")
    begins = min(now, since)
    return Emotion(
        validate_text(call, "mood", given.get("mood")),
        intensity,
        validate_text(call, "reason", given.get("reason", "")),
        begins,
        begins + max(0.0, until - since),
    )


def _number(call: str, given: Mapping[str, Any], name: str) -> float:
    return validate_number(call, name, given.get(name, 0.0))


def _mapping(call: str, given: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = given.get(name, {})
    if not isinstance(value, Mapping):
        raise wrong_type(call, name, value, "a Dictionary")
    return value
