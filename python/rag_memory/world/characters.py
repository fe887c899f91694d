"""The characters of the world, as the game registers them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.game_call import DONE, Done, game_call
from rag_memory.validation import (
    shown,
    validate_metadata,
    validate_number,
    validate_options,
    validate_text,
    validate_texts,
    warn_of_slips,
    wrong_type,
)
from rag_memory.world.whereabouts import WHEREABOUTS, moved
from rag_memory.world.world_context import WorldContext

CHARACTER = "character"
TEXTS = ("name", "clan", "faction", "culture", "occupation", "location")
_FILTERED = ("clan", "faction", "culture", "occupation", "location")
NUMBERS = ("last_seen_day", "relation_to_player")


class Characters:
    """Registers characters, and looks them up."""

    def __init__(self, context: WorldContext) -> None:
        self._context = context

    @game_call(writes=True)
    def register_character(self, id: str, data: Mapping[str, Any]) -> Done:
        """Tells who a character is, or what has changed; keys that are left out stay as they were.

        Args:
            id: the same as `RAGMemory.npc_id`.
            data: `name`, `clan`, `faction`, `culture`, `occupation` and `location` are Strings, `traits` is
                an Array of Strings, `last_seen_day` a number. Other keys are kept for the game. `null`
                removes a key.
        """
        call = "register_character()"
        id = self._character_id(call, id)
        if not isinstance(data, Mapping):
            raise wrong_type(call, "data", data, "a Dictionary")
        changes = validate_metadata(call, "data", data)
        validate_character(call, changes)
        with self._context.transaction():
            before = self._context.content(CHARACTER, id) or {}
            character = {name: value for name, value in {**before, **changes}.items() if value is not None}
            if character != before or not before:
                self._context.write(CHARACTER, id, {**character, "id": id})
                self._note_whereabouts(id, character)
        return DONE

    @game_call()
    def get_character(self, id: str) -> dict[str, Any]:
        """Returns what is known of a character, with its `id`; empty when there is no such character."""
        return self._context.content(CHARACTER, self._character_id("get_character()", id)) or {}

    @game_call()
    def list_characters(self, filter: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Returns all characters, in the order in which they were registered.

        Args:
            filter: `clan`, `faction`, `culture`, `occupation` and `location`: all that are given have to be
                the same.
        """
        wanted = validate_options("list_characters()", filter, _FILTERED)
        return [
            dict(character.content)
            for character in self._context.all(CHARACTER).values()
            if all(character.content.get(name) == value for name, value in wanted.items())
        ]

    def _note_whereabouts(self, id: str, character: Mapping[str, Any]) -> None:
        before = self._context.content(WHEREABOUTS, id)
        after = moved(before or {}, character, self._context.now())
        if after != before:
            self._context.write(WHEREABOUTS, id, after)

    def _character_id(self, call: str, id: Any) -> str:
        text = validate_text(call, "id", id)
        if not text.strip():
            raise InvalidArgumentError(
                f"{call}: the id is {shown(id)}", "a character needs one", 'Pass its npc_id, such as "mira"'
            )
        return text


def validate_character(call: str, character: Mapping[str, Any]) -> None:
    """Check the keys of a character that have a meaning; null means that a key is removed.

    Raises:
        InvalidArgumentError: a value has the wrong type.
    """
    warn_of_slips(call, "data", character, (*TEXTS, *NUMBERS, "traits"))
    for name in TEXTS:
        if character.get(name) is not None:
            validate_text(call, name, character[name])
    for name in NUMBERS:
        if character.get(name) is not None:
            validate_number(call, name, character[name])
    if character.get("traits") is not None:
        validate_texts(call, "traits", character["traits"])
