"""The profile of an NPC: its keys, and the values they may have."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any

from rag_memory.config.relationship_scales import DIMENSIONS, SUSPICION, Scale
from rag_memory.errors import InvalidArgumentError
from rag_memory.validation import (
    clean_text,
    shown,
    validate_fields,
    validate_number,
    wrong_type,
)

PROFILE = "profile"
SEED = "relationship_seed"
SEED_SCALES: Mapping[str, Scale] = {
    "trust": DIMENSIONS["trust"],
    "respect": DIMENSIONS["respect"],
    "suspicion": SUSPICION,
}
TEXTS: Mapping[str, int] = {"backstory": 4000, "speech_style": 500}
"""The most characters, by key."""
LISTS = ("personality", "goals", "fears", "loyalties")
KEYS = (*TEXTS, *LISTS, SEED)
_MOST_ITEMS = 12
_LONGEST_ITEM = 200
_KEPT_BY_US = ("npc_id", "created_day", "updated_day", "relationship_to_player", "is_outdated")

_LOG = logging.getLogger("rag_memory")
_WANTED = {
    **dict.fromkeys(TEXTS, "a String"),
    **dict.fromkeys(LISTS, "an Array of Strings"),
    SEED: "a Dictionary",
}


def cut(text: str, most: int) -> str:
    """A text of at most so many characters, without half a word at the end."""
    text = clean_text(text).strip()
    if len(text) <= most:
        return text
    whole = text[: most - 3].rpartition(" ")[0].rstrip()
    return (whole or text[: most - 3]) + "..."


def written(npc_id: str, answer: Any, draft: Mapping[str, Any]) -> dict[str, Any]:
    """Read the answer of a profile_writer: a Dictionary, or JSON of one. The draft's values take the place of
    missing ones, and of values of the wrong type, with a warning.

    Raises:
        ValueError: the answer has no key that can be used.
    """
    if isinstance(answer, str):
        answer = _parsed(answer)
    if not isinstance(answer, Mapping):
        raise ValueError(f"it returned {shown(answer)}, which is no Dictionary")
    usable: dict[str, Any] = {}
    problems: list[str] = []
    for name in KEYS:
        if answer.get(name) is None:
            continue
        try:
            usable[name] = _value("", name, answer[name], problems)
        except InvalidArgumentError:
            problems.append(f"{name} is {shown(answer[name])}, no {_WANTED[name].split(' ', 1)[1]}")
    usable = {name: value for name, value in usable.items() if value}
    if not usable:
        raise ValueError(f"it returned {shown(answer)}, which has none of {', '.join(KEYS)} that can be used")
    if problems:
        _LOG.warning(
            "The profile_writer's profile of %s is not used as it is: %s. What is too much is cut off, and "
            "what has the wrong type is written without the profile_writer.",
            npc_id,
            "; ".join(problems),
        )
    seed = {**draft[SEED], **usable.get(SEED, {})}
    return {**draft, **usable, SEED: seed}


def changed(call: str, before: Mapping[str, Any], changes: Any) -> dict[str, Any]:
    """A profile with the changes of the game; long values are cut, with a warning.

    Raises:
        InvalidArgumentError: a value has the wrong type, or cannot be stored.
    """
    values = validate_fields(call, "changes", changes, (*KEYS, *_KEPT_BY_US))
    result = {**empty(), **before}
    problems: list[str] = []
    for name, value in values.items():
        if name in _KEPT_BY_US:
            continue
        if name in KEYS:
            value = empty()[name] if value is None else _value(call, name, value, problems)
        result[name] = {**result[SEED], **value} if name == SEED else value
    if problems:
        _LOG.warning("%s: %s, so it is cut off", call, "; ".join(problems))
    return {name: value for name, value in result.items() if value is not None}


def empty() -> dict[str, Any]:
    """A profile without any values."""
    return {**dict.fromkeys(TEXTS, ""), **{name: [] for name in LISTS}, SEED: {}}


def initial_relationship(profile: Mapping[str, Any]) -> dict[str, float]:
    """The relationship to a player whom the NPC has never met: trust minus suspicion, and respect."""
    seed = profile.get(SEED, {})
    relationship: dict[str, float] = {}
    if "trust" in seed:
        relationship["trust"] = DIMENSIONS["trust"].limited(seed["trust"] - seed.get("suspicion", 0))
    if "respect" in seed:
        relationship["respect"] = seed["respect"]
    return relationship


def _parsed(text: str) -> Any:
    """The JSON object in a text; language models often write something around it."""
    begin, end = text.find("{"), text.rfind("}")
    try:
        return json.loads(text[begin : end + 1]) if begin >= 0 else None
    except ValueError as error:
        raise ValueError(f"it returned {shown(text)}, which is no JSON") from error


def _value(call: str, name: str, value: Any, problems: list[str]) -> Any:
    if name in TEXTS:
        if not isinstance(value, str):
            raise wrong_type(call, name, value, _WANTED[name])
        return _cut(name, value, TEXTS[name], problems)
    if name in LISTS:
        if not isinstance(value, list | tuple) or any(not isinstance(item, str) for item in value):
            raise wrong_type(call, name, value, _WANTED[name])
        items = [_cut(f"an item of {name}", item, _LONGEST_ITEM, problems) for item in value if item.strip()]
        if len(items) > _MOST_ITEMS:
            problems.append(f"{name} has {len(items)} items, more than {_MOST_ITEMS}")
        return items[:_MOST_ITEMS]
    if not isinstance(value, Mapping):
        raise wrong_type(call, name, value, _WANTED[name])
    return {
        item: _in_range(call, item, value[item], problems)
        for item in SEED_SCALES
        if value.get(item) is not None
    }


def _in_range(call: str, name: str, value: Any, problems: list[str]) -> float:
    validate_number(call, f"{SEED}.{name}", value)
    scale = SEED_SCALES[name]
    limited = scale.limited(value)
    if limited != value:
        problems.append(f"{SEED}.{name} is {shown(value)}, outside {scale.least} to {scale.most}")
    return limited


def _cut(name: str, text: str, most: int, problems: list[str]) -> str:
    if len(text.strip()) > most:
        problems.append(f"{name} has {len(text):,} characters, more than {most:,}")
    return cut(text, most)
