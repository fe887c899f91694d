"""The event of NPCMind.perceive(), checked."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, NamedTuple

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.company import SAY, Company, manner_of, read_company
from rag_memory.memory.sizes import refuse_long_texts, refuse_much_metadata
from rag_memory.validation import (
    to_json,
    validate_integer,
    validate_metadata,
    validate_named_texts,
    validate_number,
    validate_texts,
    warn_of_slips,
    wrong_type,
)

_CALL = "perceive()"
_KEYS = (
    *("action", "content", "source_id", "source_name", "outcome", "description", "location", "entities"),
    *("importance", "health_before", "health_after", "timestamp", "secret", "known_to"),
)
_OF_COMPANY = ("addressees", "bystanders", "manner", "sound")
_SOMEBODY = "?"
"""The doer of an event that names none."""
_DECIDED = ("kind", "memory_id", "why", "sentiment")
"""Keys that perceive() sets itself."""

_LOG = logging.getLogger("rag_memory")


class Event(NamedTuple):
    """An event as it was told. Health is a share from 0 to 1; None: not told."""

    action: str
    content: str
    source_id: str
    source_name: str
    outcome: str
    description: str
    location: str
    entities: tuple[str, ...]
    importance: int
    """1 to 10; 0: not told."""
    health_before: float | None
    health_after: float | None
    timestamp: float
    extra: dict[str, Any]
    """`secret` and `known_to`, and what else was told."""
    company: Company = Company()
    """Who did it, and who else is there."""
    sound: str = ""
    """What those hear of it who cannot see it."""

    def numbers(self, sentiment: float) -> dict[str, float]:
        """Return the numbers that conditions of rules may use."""
        numbers = {"importance": float(self.importance), "sentiment": sentiment}
        if self.health_before is not None:
            numbers["health_before"] = self.health_before
        if self.health_after is not None:
            numbers["health"] = self.health_after
            if self.health_before is not None:
                numbers["health_lost"] = self.health_before - self.health_after
        return numbers


def validate_event(config: MemoryConfig, event: Any, now: float) -> Event:
    """The event, or an error that names what is wrong with it.

    A source without a name is called by its id. A time later than `now` becomes `now`, with a warning.

    Raises:
        InvalidArgumentError: it is no Dictionary, has neither `action` nor `description`, a value of another
            type, or a text that is far too long.
    """
    if not isinstance(event, Mapping):
        raise wrong_type(_CALL, "event", event, "a Dictionary")
    warn_of_slips(_CALL, "event", event, (*_KEYS, *_OF_COMPANY, "event_type"))
    names = ("action", "content", "source_id", "source_name", "outcome", "description", "location", "sound")
    texts = validate_named_texts(_CALL, event, names)
    refuse_long_texts(_CALL, config, texts)
    if not texts["action"].strip() and not texts["description"].strip():
        raise InvalidArgumentError(
            f"{_CALL}: the event tells neither action nor description",
            "nobody can tell what happened",
            'Add for example "action": "spoke"',
        )
    source_id = texts["source_id"].strip()
    named = {name: event[name] for name in _OF_COMPANY[:3] if event.get(name) is not None}
    manner = {"manner": manner_of(texts["action"]) or SAY}
    company = read_company(_CALL, "", manner | named, source_id or _SOMEBODY)
    extra = _extra(config, event)
    entities = tuple(validate_texts(_CALL, "entities", event.get("entities", [])))
    refuse_much_metadata(_CALL, config, sum(map(len, entities)) + len(entities))
    importance = validate_integer(_CALL, "importance", event.get("importance", 0))
    if not 0 <= importance <= 10:
        _LOG.warning("%s: importance %s is taken for %s.", _CALL, importance, max(0, min(10, importance)))
    timestamp = validate_number(_CALL, "timestamp", event.get("timestamp", now))
    if timestamp > now:
        _LOG.warning(
            "%s: the event is dated %.10g, later than the game's clock (%.10g); it counts as happening now.",
            _CALL,
            timestamp,
            now,
        )
    return Event(
        **{name: text.strip() for name, text in texts.items()}
        | {"action": texts["action"].strip().casefold()},
        entities=entities,
        importance=max(0, min(10, importance)),
        health_before=_share(event, "health_before"),
        health_after=_share(event, "health_after"),
        timestamp=min(timestamp, now),
        extra=extra | company._replace(speaker=source_id).secrecy("", extra),
        company=company,
    )._replace(source_name=texts["source_name"].strip() or source_id)


def _share(event: Mapping[str, Any], name: str) -> float | None:
    if event.get(name) is None:
        return None
    share = validate_number(_CALL, name, event[name])
    if not 0.0 <= share <= 1.0:
        raise InvalidArgumentError(
            f"{_CALL}: {name} is {share:g}",
            "it is a share of the full health, from 0 to 1",
            "Divide the health by its maximum",
        )
    return share


def _extra(config: MemoryConfig, event: Mapping[str, Any]) -> dict[str, Any]:
    extra = {}
    for key, value in event.items():
        if key in _KEYS[:12] or key in _OF_COMPANY:
            continue
        if key in _DECIDED:
            _LOG.warning('%s: "%s" is left out: the NPC decides that herself.', _CALL, key)
            continue
        extra[key] = validate_metadata(_CALL, key, value)
    if "known_to" in extra:
        extra["known_to"] = validate_texts(_CALL, "known_to", event["known_to"])
    if extra:
        refuse_much_metadata(_CALL, config, len(to_json(extra)))
    return extra
