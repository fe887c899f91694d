"""What a document of each kind holds at least: what comes from outside is checked by it, because nobody who
reads it later does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.document import Document
from rag_memory.validation import shown
from rag_memory.world.task import NEXT

_Check = Callable[[Any], bool]
_Shape = Mapping[str, _Check]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping)


def _are_numbers(value: Any) -> bool:
    return isinstance(value, Mapping) and all(map(_is_number, value.values()))


def _is_said(value: Any) -> bool:
    return value is not None


def _are_memberships(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(each, list)
        and len(each) == 2
        and _is_text(each[0])
        and (each[1] is None or _is_number(each[1]))
        for each in value
    )


def _shape(texts: str = "", numbers: str = "", lists: str = "", **others: _Check) -> _Shape:
    return {
        **dict.fromkeys(texts.split(), _is_text),
        **dict.fromkeys(numbers.split(), _is_number),
        **dict.fromkeys(lists.split(), _are_texts),
        **others,
    }


_SHAPES: Mapping[str, _Shape] = {
    "character": _shape("id"),
    "whereabouts": _shape("location", left=_are_numbers, factions=_are_memberships),
    "event": _shape(
        "event_type title summary location actor target actor_faction target_faction visibility",
        "importance day expires_day",
        "known_by",
    ),
    "rumor": _shape(numbers="confidence", heard=_are_numbers),
    "profile": _shape(
        "backstory speech_style",
        "created_day updated_day",
        "personality goals fears loyalties",
        relationship_seed=_are_numbers,
    ),
    "task": _shape(
        "id task_type assignee issuer target location summary visibility",
        "priority created_day active_day due_day completed_day",
        "known_by",
        status=lambda value: _is_text(value) and value in NEXT,
        constraints=_is_map,
        result=_is_map,
    ),
    "debate": _shape(
        "id topic location summary outcome visibility event_id",
        "importance day",
        "participants factions known_by",
    ),
    "turn": _shape("player_message npc_message location player_id", "day number"),
    "summary": _shape("summary player_id", "turn_count last_turn_day through"),
    "flag": _shape(value=_is_said),
    "fact": _shape("text"),
    "lore_source": _shape("key name title path hash", "words", "tags chunks", tagged=_is_map),
    "lore_chunk": _shape("text", lists="heading_path tags entities"),
}
_TEXTS_OF_CHARACTERS = ("name", "clan", "faction", "culture", "occupation", "location")


def check_documents(where: str, documents: Iterable[Document]) -> None:
    """See that documents hold what those of their kind hold; other kinds may hold anything.

    Raises:
        InvalidArgumentError: one does not.
    """
    for each in documents:
        shape = dict(_SHAPES.get(each.kind, {}))
        if each.kind == "character":
            shape |= {name: _is_text for name in _TEXTS_OF_CHARACTERS if name in each.content}
        for name, is_right in shape.items():
            if not is_right(each.content.get(name)):
                raise InvalidArgumentError(
                    f"{where}: the {each.kind} {shown(each.id)} has {shown(each.content.get(name))} as {name}",
                    "it could not be used",
                    "Pass what WorldMemory.export_json() returned",
                )
