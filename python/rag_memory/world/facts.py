"""The state of the story: its flags, its facts, and what everybody knows of the player."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.game_call import DONE, Done, game_call
from rag_memory.validation import shown, validate_fields, validate_text, wrong_type
from rag_memory.world.world_context import WorldContext

FLAG = "flag"
FACT = "fact"
_PLAYER = "player"


class Facts:
    """The flags of the story, its facts, and what everybody knows of the player."""

    def __init__(self, context: WorldContext) -> None:
        self._context = context

    @game_call(writes=True)
    def set_flags(self, values: Mapping[str, Any]) -> Done:
        """Sets flags of the story, all of them or none. `NPCWorldKnowledge.set_flag()` checks their names and
        types, too.

        Args:
            values: by the names of the flags: a bool, int, float or String, or `null`, which removes the
                flag. Flags that are left out stay as they were.
        """
        call = "set_flags()"
        flags = self._checked(call, "values", values)
        for name, value in flags.items():
            if not (value is None or isinstance(value, bool | int | float | str)):
                raise wrong_type(call, f"the flag {name}", value, "a bool, int, float or String")
        self._write_all(
            FLAG, {name: {} if value is None else {"value": value} for name, value in flags.items()}
        )
        return DONE

    @game_call()
    def get_flags(self) -> dict[str, Any]:
        """Returns the flags that were set in this save, by name."""
        return {name: flag.content["value"] for name, flag in self._context.all(FLAG).items()}

    @game_call(writes=True)
    def set_facts(self, facts: Mapping[str, Any]) -> Done:
        """Adds facts to the world, or replaces those with these ids; all of them or none.

        Args:
            facts: by their ids: a Dictionary with `text` and what else belongs to it, see
                `NPCWorldKnowledge.facts`, or `null`, which removes the fact.
        """
        call = "set_facts()"
        checked = self._checked(call, "facts", facts)
        for id, fact in checked.items():
            if fact is not None and not isinstance(fact, Mapping):
                raise wrong_type(call, f"the fact {id}", fact, "a Dictionary")
            if fact is not None and not validate_text(call, f"{id}.text", fact.get("text", "")).strip():
                raise InvalidArgumentError(
                    f"{call}: the fact {id} has no text", "a fact needs one", 'Add the key "text"'
                )
        self._write_all(
            FACT, {id: {} if fact is None else {**fact, "id": id} for id, fact in checked.items()}
        )
        return DONE

    @game_call()
    def get_facts(self) -> dict[str, Any]:
        """Returns the facts that were added in this save, by id, in the order in which they were added."""
        return {id: dict(fact.content) for id, fact in self._context.all(FACT).items()}

    @game_call(writes=True)
    def set_player_info(self, changes: Mapping[str, Any]) -> Done:
        """Tells what everybody knows of the player, such as `name` and `titles`. Keys that are left out stay
        as they were, and `null` removes one.
        """
        changed = self._checked("set_player_info()", "changes", changes)
        with self._context.transaction():
            info = {**(self._context.content(_PLAYER, _PLAYER) or {}), **changed}
            self._write_all(
                _PLAYER, {_PLAYER: {key: value for key, value in info.items() if value is not None}}
            )
        return DONE

    @game_call()
    def get_player_info(self) -> dict[str, Any]:
        """Returns what everybody knows of the player."""
        return self._context.content(_PLAYER, _PLAYER) or {}

    @staticmethod
    def _checked(call: str, name: str, value: Any) -> dict[str, Any]:
        if isinstance(value, Mapping) and any(not isinstance(key, str) or not key.strip() for key in value):
            raise InvalidArgumentError(
                f"{call}: {name} is {shown(value)}", "every key is a name", "Use Strings that are not empty"
            )
        return validate_fields(call, name, value)

    def _write_all(self, kind: str, contents: Mapping[str, Mapping[str, Any]]) -> None:
        """Write those of these documents that have changed."""
        with self._context.transaction():
            stored = self._context.all(kind)
            for id, content in contents.items():
                if content != (stored[id].content if id in stored else {}):
                    self._context.write(kind, id, content)
