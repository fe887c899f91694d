"""The keys that a document of each kind must have. Worlds are imported from text that anybody can edit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.document import CAMPAIGN, CONVERSATION_SUMMARY, PLAYED, TURN, Document
from rag_memory.memory.importance import LEAST_IMPORTANCE, MOST_IMPORTANCE
from rag_memory.validation import (
    shown,
    validate_flag,
    validate_integer,
    validate_integer_in,
    validate_number,
    validate_text,
    validate_texts,
    wrong_type,
)
from rag_memory.world import profile
from rag_memory.world.characters import CHARACTER, IS_PLAYER, LISTS, NUMBERS
from rag_memory.world.characters import TEXTS as CHARACTER_TEXTS
from rag_memory.world.debates import DEBATE
from rag_memory.world.event import EVENT, RUMOR, validate_visibility
from rag_memory.world.event import TEXTS as EVENT_TEXTS
from rag_memory.world.facts import FACT, FLAG, FORMER_OF, PLAYER_INFO
from rag_memory.world.knowledge import FORGOTTEN
from rag_memory.world.lore_sources import CHUNK, SOURCE
from rag_memory.world.open_matters import REPORTED
from rag_memory.world.task import validate_status
from rag_memory.world.tasks import TASK
from rag_memory.world.whereabouts import WHEREABOUTS
from rag_memory.world.who_knows import validate_known_by

_Check = Callable[[str, str, Any], Any]
"""Raises an InvalidArgumentError when a value is not valid for a key; called with the call, the key and the
value."""


def _scale(call: str, name: str, value: Any) -> None:
    """Checks an importance or a priority."""
    validate_integer_in(call, name, value, LEAST_IMPORTANCE, MOST_IMPORTANCE)


def _flag(call: str, name: str, value: Any) -> None:
    if not isinstance(value, bool | int | float | str):
        raise wrong_type(call, name, value, "a bool, int, float or String")


def _values(check: _Check) -> _Check:
    """A check of a Dictionary whose values all pass another check."""

    def check_all(call: str, name: str, value: Any) -> None:
        if not isinstance(value, Mapping):
            raise wrong_type(call, name, value, "a Dictionary")
        for key, item in value.items():
            check(call, f"{name}.{key}", item)

    return check_all


def _known_by(call: str, _name: str, value: Any) -> None:
    validate_known_by(call, value)


def _owned(call: str, name: str, value: Any) -> None:
    """Checks the sections of lore that have owners of their own."""
    if not isinstance(value, list) or any(not isinstance(pair, list) or len(pair) != 2 for pair in value):
        raise wrong_type(call, name, value, "an Array of Arrays with the owners and the chunks")
    for known_by, chunks in value:
        validate_known_by(call, known_by)
        validate_texts(call, name, chunks)


def _anything(_call: str, _name: str, _value: Any) -> None:
    """No check."""


def _all_of(check: _Check, *names: str) -> dict[str, _Check]:
    return dict.fromkeys(names, check)


_NEEDED: Mapping[str, Mapping[str, _Check]] = {
    CHARACTER: _all_of(validate_text, "id"),
    WHEREABOUTS: {"left_at": _values(_values(validate_number))},
    FORGOTTEN: {"ids": validate_texts},
    REPORTED: {"ids": validate_texts},
    EVENT: {
        **_all_of(validate_text, "id", "event_type", *EVENT_TEXTS),
        **_all_of(validate_number, "day", "expires_day"),
        "importance": _scale,
        "visibility": lambda call, _, value: validate_visibility(call, value),
        "known_by": _known_by,
    },
    RUMOR: {"confidence": validate_number, "heard": _values(validate_number)},
    profile.PROFILE: {
        **_all_of(validate_text, "npc_id", *profile.TEXTS),
        **_all_of(validate_texts, *profile.LISTS),
        profile.SEED: _values(validate_number),
        **_all_of(validate_number, "created_day", "updated_day"),
    },
    TASK: {
        **_all_of(validate_text, "id", "task_type", "assignee", "issuer", "target", "location", "summary"),
        **_all_of(validate_number, "created_day", "active_day", "due_day", "completed_day"),
        "status": lambda call, _, value: validate_status(call, value),
        "priority": _scale,
        "visibility": validate_text,
        "known_by": validate_texts,
        **_all_of(_values(_anything), "constraints", "result"),
    },
    DEBATE: {
        **_all_of(validate_text, "id", "topic", "summary", "outcome", "location", "visibility", "event_id"),
        **_all_of(validate_texts, "participants", "factions", "known_by"),
        "importance": _scale,
        "day": validate_number,
    },
    TURN: {
        **_all_of(validate_text, "player_message", "npc_message", "player_id", "location"),
        "number": validate_integer,
        "day": validate_number,
    },
    CONVERSATION_SUMMARY: {
        **_all_of(validate_text, "summary", "player_id"),
        **_all_of(validate_integer, "turn_count", "through"),
        "last_turn_day": validate_number,
    },
    FLAG: {"value": _flag},
    FACT: _all_of(validate_text, "id", "text"),
    SOURCE: {
        **_all_of(validate_text, "key", "name", "title", "path", "hash"),
        **_all_of(validate_texts, "tags", "chunks"),
        "words": validate_integer,
        "tagged": _values(validate_texts),
    },
    CHUNK: {"text": validate_text, **_all_of(validate_texts, "heading_path", "tags", "entities")},
}
_OPTIONAL: Mapping[str, Mapping[str, _Check]] = {
    CHARACTER: {
        **_all_of(validate_text, *CHARACTER_TEXTS),
        **_all_of(validate_number, *NUMBERS),
        **_all_of(validate_texts, *LISTS),
        IS_PLAYER: validate_flag,
    },
    FACT: {"known_by": _known_by, FORMER_OF: validate_text},
    SOURCE: {"known_by": _known_by, "owned": _owned},
    PLAYER_INFO: _all_of(validate_texts, "aliases"),
    CAMPAIGN: {
        **_all_of(validate_text, "campaign", "name", "mod_profile"),
        **_all_of(validate_number, *PLAYED),
        "lore": validate_texts,
    },
}
_OWNED = (TURN, CONVERSATION_SUMMARY, CHUNK)


def needed_keys(kind: str) -> Mapping[str, _Check]:
    """Return the checks of the keys that each document of a kind has."""
    return _NEEDED.get(kind, {})


def optional_keys(kind: str) -> Mapping[str, _Check]:
    """Return the checks of the keys that a document of a kind may have."""
    return _OPTIONAL.get(kind, {})


def check_document(call: str, document: Document) -> None:
    """Check that a document has the keys its readers need. Other keys and other kinds are not checked.

    Raises:
        InvalidArgumentError: a key is missing, or a value has the wrong type.
    """
    kind, content = document.kind, document.content
    if kind == CAMPAIGN:
        raise InvalidArgumentError(
            f"{call} is a {CAMPAIGN}", "open_save() says which one a save belongs to", "Leave it out"
        )
    if kind in _OWNED and not document.owner:
        raise InvalidArgumentError(
            f"{call} is a {kind} without an owner", "it belongs to somebody", 'Add the key "owner"'
        )
    for name, check in _NEEDED.get(kind, {}).items():
        if name not in content:
            raise InvalidArgumentError(
                f"{call}: the {kind} {shown(document.id)} has no {name}",
                "every one has",
                "Pass what MemoryWorld.export_json() returned, or add it",
            )
        check(call, name, content[name])
        if name == "id" and content[name] != document.id:
            raise InvalidArgumentError(
                f"{call}: the {kind} {shown(document.id)} has the id {shown(content[name])} in its content",
                "both have to be the same",
                "Correct one of them",
            )
    for name, check in _OPTIONAL.get(kind, {}).items():
        if name in content:
            check(call, name, content[name])
