"""Who there is in the world: what the game tells of its characters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.npc.game_call import DONE, Done, game_call
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
from rag_memory.world.world_part import WorldPart

CHARACTER = "character"
TEXTS = ("name", "clan", "faction", "culture", "occupation", "location")
_FILTERED = ("clan", "faction", "culture", "occupation", "location")
NUMBERS = ("last_seen_day", "relation_to_player")


class Characters(WorldPart):
    """The calls about characters."""

    @game_call(writes=True)
    def register_character(self, id: str, data: Mapping[str, Any]) -> Done:
        """Tells who a character is, or what has changed; keys that are left out stay as they were.

        Args:
            id: the same as `RAGMemory.npc_id`.
            data: `name`, `clan`, `faction`, `culture`, `occupation` and `location` are Strings, `traits` is
                an Array of Strings, `last_seen_day` a number. Other keys are kept for the game. `null`
                removes a key.
        """
        where = "register_character()"
        id = self._character_id(where, id)
        if not isinstance(data, Mapping):
            raise wrong_type(where, "data", data, "a Dictionary")
        told = validate_metadata(where, "data", data)
        validate_character(where, told)
        with self._transaction():
            known = self._content(CHARACTER, id) or {}
            kept = {name: value for name, value in {**known, **told}.items() if value is not None}
            if kept != known or not known:
                self._write(CHARACTER, id, {**kept, "id": id})
                self._note_whereabouts(id, kept)
        return DONE

    @game_call()
    def get_character(self, id: str) -> dict[str, Any]:
        """Returns what is known of a character, with its `id`; empty when there is no such character."""
        return self._content(CHARACTER, self._character_id("get_character()", id)) or {}

    @game_call()
    def list_characters(self, filter: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Returns all characters, in the order in which they were registered.

        Args:
            filter: `clan`, `faction`, `culture`, `occupation` and `location`: all that are given have to be
                the same.
        """
        wanted = validate_options("list_characters()", filter, _FILTERED)
        return [
            dict(each.content)
            for each in self._all(CHARACTER).values()
            if all(each.content.get(name) == value for name, value in wanted.items())
        ]

    def _note_whereabouts(self, id: str, character: Mapping[str, Any]) -> None:
        known = self._content(WHEREABOUTS, id)
        now = moved(known or {}, character, self._now())
        if now != known:
            self._write(WHEREABOUTS, id, now)

    def _character_id(self, where: str, id: Any) -> str:
        text = validate_text(where, "id", id)
        if not text.strip():
            raise InvalidArgumentError(
                f"{where}: the id is {shown(id)}", "a character needs one", 'Pass its npc_id, such as "mira"'
            )
        return text


def validate_character(where: str, told: Mapping[str, Any]) -> None:
    """Check the keys of a character that have a meaning; null stands for none.

    Raises:
        InvalidArgumentError: a value has the wrong type.
    """
    warn_of_slips(where, "data", told, (*TEXTS, *NUMBERS, "traits"))
    for name in TEXTS:
        if told.get(name) is not None:
            validate_text(where, name, told[name])
    for name in NUMBERS:
        if told.get(name) is not None:
            validate_number(where, name, told[name])
    if told.get("traits") is not None:
        validate_texts(where, "traits", told["traits"])
