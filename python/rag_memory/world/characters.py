"""The characters of the world, as the game registers them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag_memory.game_call import DONE, Done, game_call
from rag_memory.ids import normal_id
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.owners import refuse_long_id
from rag_memory.validation import (
    validate_fields,
    validate_filled_text,
    validate_flag,
    validate_number,
    validate_options,
    validate_text,
    validate_texts,
    warn_of_slips,
)
from rag_memory.world.whereabouts import WHEREABOUTS, moved
from rag_memory.world.world_context import WorldContext

CHARACTER = "character"
TEXTS = ("name", "clan", "faction", "culture", "occupation", "location")
_FILTERED = ("clan", "faction", "culture", "occupation", "location")
ALIASES = "aliases"
LISTS = ("traits", "groups", ALIASES)
NUMBERS = ("last_seen_day", "relation_to_player")
IS_PLAYER = "is_player"


def is_player(context: WorldContext, id: str) -> bool:
    """Return whether somebody is a player, and has no memories: "player", or registered as one."""
    character = context.all(CHARACTER).get(id)
    return id.casefold() == PLAYER or (character is not None and bool(character.content.get(IS_PLAYER)))


class Characters:
    """Registers characters, and looks them up."""

    def __init__(self, context: WorldContext) -> None:
        self._context = context

    @game_call(writes=True)
    def register_character(self, id: str, data: Mapping[str, Any]) -> Done:
        """Registers a character, or changes its data; keys that are left out stay as they were.

        Args:
            id: the same as `RAGMemory.npc_id`.
            data: `name`, `clan`, `faction`, `culture`, `occupation` and `location` are Strings, `traits`,
                `groups` (of which the character is a member besides) and `aliases` (other names by which
                questions, conditions and filters find the character, such as `"the Crow"`) are Arrays of
                Strings, `last_seen_day` is a number. With `is_player` it is another player: it has a name,
                but no memories, and `MemoryServer.forget_player()` takes its id. Other keys are stored for
                the game. `null` removes a key. The character knows what its place and its groups know, see
                docs/who_knows_what.md.
        """
        call = "register_character()"
        id = _character_id(call, id)
        changes = validate_fields(call, "data", data)
        validate_character(call, changes)
        with self._context.transaction():
            before = self._context.content(CHARACTER, id) or {}
            character = {name: value for name, value in {**before, **changes}.items() if value is not None}
            if character != before or not before:
                self._context.write(CHARACTER, id, {**character, "id": id})
                self._note_whereabouts(id, before, character)
        return DONE

    @game_call()
    def get_character(self, id: str) -> dict[str, Any]:
        """Returns the data of a character, with its `id`; empty when there is no such character."""
        return self._context.content(CHARACTER, _character_id("get_character()", id)) or {}

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

    def aliased(self) -> list[list[str]]:
        """Return all names of each character who has several: the name, the id and the aliases."""
        return [
            [str(character.content.get("name") or id), id, *character.content[ALIASES]]
            for id, character in self._context.all(CHARACTER).items()
            if character.content.get(ALIASES)
        ]

    def _note_whereabouts(self, id: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        left_at = (self._context.content(WHEREABOUTS, id) or {}).get("left_at", {})
        times = moved(left_at, before, after, self._context.now())
        if times != left_at:
            self._context.write(WHEREABOUTS, id, {"left_at": times})


def _character_id(call: str, id: Any) -> str:
    text = validate_filled_text(call, "id", id, 'Pass the npc_id of the character, such as "mira"')
    refuse_long_id(call, "id", text)
    return normal_id(text)


def validate_character(call: str, character: Mapping[str, Any]) -> None:
    """Check the keys of a character that have a meaning; null means that a key is removed.

    Raises:
        InvalidArgumentError: a value has the wrong type.
    """
    warn_of_slips(call, "data", character, (*TEXTS, *NUMBERS, *LISTS, IS_PLAYER))
    checks = (validate_text, TEXTS), (validate_number, NUMBERS), (validate_texts, LISTS)
    if character.get(IS_PLAYER) is not None:
        validate_flag(call, IS_PLAYER, character[IS_PLAYER])
    for check, names in checks:
        for name in names:
            if character.get(name) is not None:
                check(call, name, character[name])
