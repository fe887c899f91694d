"""What is true in the world: the story's flags, facts that were added, and what is known of the player."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.npc.game_call import DONE, Done, game_call
from rag_memory.validation import shown, validate_metadata, validate_text, wrong_type
from rag_memory.world.world_part import WorldPart

FLAG = "flag"
FACT = "fact"
_PLAYER = "player"


class Facts(WorldPart):
    """The calls about flags, facts and the player."""

    @game_call(writes=True)
    def set_flags(self, values: Mapping[str, Any]) -> Done:
        """Sets flags of the story, all of them or none. Where an `NPCWorldKnowledge` is in use, set them with
        its own `set_flag`: it sees what is set here only after the next `world_changed`.

        Args:
            values: by the names of the flags: a bool, int, float or String each, or `null`, which removes the
                flag. Flags that are left out stay as they were.
        """
        where = "set_flags()"
        told = self._told(where, "values", values)
        for name, value in told.items():
            if not (value is None or isinstance(value, bool | int | float | str)):
                raise wrong_type(where, f"the flag {name}", value, "a bool, int, float or String")
        self._write_all(
            FLAG, {name: {} if value is None else {"value": value} for name, value in told.items()}
        )
        return DONE

    @game_call()
    def get_flags(self) -> dict[str, Any]:
        """Returns the flags that were set in this save, by name."""
        return {id: each.content["value"] for id, each in self._all(FLAG).items()}

    @game_call(writes=True)
    def set_facts(self, facts: Mapping[str, Any]) -> Done:
        """Adds facts to the world, or replaces those with these ids; all of them or none.

        Args:
            facts: by their ids: a Dictionary with `text` and what else belongs to it, see
                `NPCWorldKnowledge.facts`, or `null`, which removes the fact.
        """
        where = "set_facts()"
        told = self._told(where, "facts", facts)
        for id, fact in told.items():
            if fact is not None and not isinstance(fact, Mapping):
                raise wrong_type(where, f"the fact {id}", fact, "a Dictionary")
            if fact is not None and not validate_text(where, f"{id}.text", fact.get("text", "")).strip():
                raise InvalidArgumentError(
                    f"{where}: the fact {id} has no text", "nothing would be known", 'Add the key "text"'
                )
        self._write_all(FACT, {id: {} if fact is None else {**fact, "id": id} for id, fact in told.items()})
        return DONE

    @game_call()
    def get_facts(self) -> dict[str, Any]:
        """Returns the facts that were added in this save, by id, in the order in which they were added."""
        return {id: dict(each.content) for id, each in self._all(FACT).items()}

    @game_call(writes=True)
    def set_player_info(self, changes: Mapping[str, Any]) -> Done:
        """Tells what everybody knows of the player, such as `name` and `titles`. Keys that are left out stay
        as they were, and `null` removes one.
        """
        changed = self._told("set_player_info()", "changes", changes)
        with self._transaction():
            told = {**(self._content(_PLAYER, _PLAYER) or {}), **changed}
            self._write_all(_PLAYER, {_PLAYER: {key: told[key] for key in told if told[key] is not None}})
        return DONE

    @game_call()
    def get_player_info(self) -> dict[str, Any]:
        """Returns what everybody knows of the player."""
        return self._content(_PLAYER, _PLAYER) or {}

    def _told(self, where: str, name: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise wrong_type(where, name, value, "a Dictionary")
        if any(not isinstance(key, str) or not key.strip() for key in value):
            raise InvalidArgumentError(
                f"{where}: {name} is {shown(value)}", "every key is a name", "Use Strings that are not empty"
            )
        return dict(validate_metadata(where, name, value))

    def _write_all(self, kind: str, contents: Mapping[str, Mapping[str, Any]]) -> None:
        """Write what has changed of these documents."""
        with self._transaction():
            known = self._all(kind)
            for id, content in contents.items():
                if content != (known[id].content if id in known else {}):
                    self._write(kind, id, content)
