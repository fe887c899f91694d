"""The id of a person, replaced wherever stored data names that person; texts stay as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from rag_memory.ids import normal_id
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.former_player import FORMER_PLAYER, is_of_former_player, names_player
from rag_memory.memory.interaction import Interaction
from rag_memory.memory.record import Record
from rag_memory.validation import list_in, mapping_in, to_json

_SLOT = "relationship:"
_OF_PLAYER = "player_"
"""How slots with information about the player begin."""
_IDS = frozenset(
    (
        *("about", "actor", "assignee", "attacker", "by", "from", "heard", "heard_from"),
        *("issuer", "killed_by", "known_by", "known_to", "listeners", "npc", "npc_id"),
        *("other_npc_id", "owned", "owner", "participants", "player_id", "source", "source_id", "addressees"),
        *("sources", "speaker", "target", "teller", "to", "victim", "with_entity"),
        *("told_to", "witnesses"),
    )
)
"""The keys whose values are ids of people: texts, lists of texts, or Dictionaries by id."""
_TURN = "turn"
_MEMORIES = frozenset(("evidence", "memory_id", "pays", "settles", "source_ids"))
"""The keys whose values are ids of the NPC's memories."""


class Renaming:
    """Replaces the id `old` by `new`.

    Args:
        former_name: the name of a player who plays no longer, if that is who gets another id: "the player" of
            former memories is that person from now on.
        is_of_player: whether a memory is about the player although nothing in it names the player.
    """

    def __init__(
        self,
        old: str,
        new: str,
        former_name: str = "",
        is_of_player: Callable[[Record], bool] = lambda record: False,
    ) -> None:
        self.old = old
        self.new = new
        self._former_name = former_name
        self._is_of_player = is_of_player

    def id(self, id: str) -> str:
        """Return the id that a person has now."""
        is_old = normal_id(id) == self.old or (self.old == PLAYER and id.casefold() == PLAYER)
        return self.new if is_old else id

    def value(self, value: Any, is_id: bool = False) -> Any:
        """Return stored data with the new id in place of the old one.

        Args:
            is_id: a text in it is an id.
        """
        if isinstance(value, str):
            return self.id(value) if is_id else value
        if isinstance(value, Mapping):
            return {
                self.id(key) if is_id else key: self.value(item, key in _IDS) for key, item in value.items()
            }
        if isinstance(value, list | tuple):
            # The keys of a Dictionary in a list are those of a condition, no ids.
            items = [self.value(item, is_id and not isinstance(item, Mapping)) for item in value]
            # Two who are one now are listed once.
            is_named_twice = is_id and self.new in value and self.old in value
            return [
                item for place, item in enumerate(items) if not (is_named_twice and item in items[:place])
            ]
        return value

    def record(self, record: Record) -> Record:
        """Return a memory in which the person has the new id; its texts and its own id stay."""
        if is_of_former_player(record) and self._former_name:
            return record
        is_of_player = self._former_name and (self._is_of_player(record) or names_player(record))
        if not is_of_player and not self._is_named_in(record):
            return record
        slot, info, extra = record.slot_type, record.info_type, self.value(mapping_in(record.extra))
        if is_of_player:
            extra[FORMER_PLAYER] = {"id": self.new, "name": self._former_name}
            slot = f"{slot}_{self.new}" if slot.startswith(_OF_PLAYER) else slot
            info = f"{info}_{self.new}" if info else info
        return record._replace(
            participants=to_json(self.value(list_in(record.participants), True)),
            entities=to_json(self.value(list_in(record.entities), True)),
            speaker=self.id(record.speaker),
            slot_type=_SLOT + self.new if slot == _SLOT + self.old else slot,
            info_type=info,
            extra=to_json(extra),
        )

    def _is_named_in(self, record: Record) -> bool:
        quoted = to_json(self.old)
        return (
            any(quoted in text for text in (record.participants, record.entities, record.extra))
            or record.speaker == self.old
            or record.slot_type == _SLOT + self.old
        )

    def interaction(self, entry: Interaction) -> Interaction:
        """Return an entry of a log in which the person has the new id."""
        return entry._replace(source_id=self.id(entry.source_id), details=self.value(entry.details))


class MovedIds(NamedTuple):
    """New ids of turns and memories that went from one NPC to another, by their former ids."""

    turns: Mapping[str, str]
    memories: Mapping[str, str]

    def value(self, value: Any) -> Any:
        """Return stored data that names turns and memories by their new ids."""
        if isinstance(value, Mapping):
            return {key: self._renamed(key, item) for key, item in value.items()}
        return [self.value(item) for item in value] if isinstance(value, list | tuple) else value

    def _renamed(self, key: str, value: Any) -> Any:
        if key != _TURN and key not in _MEMORIES:
            return self.value(value)
        ids = self.turns if key == _TURN else self.memories
        if isinstance(value, list | tuple):
            return [ids.get(item, item) if isinstance(item, str) else self.value(item) for item in value]
        return ids.get(value, value) if isinstance(value, str) else self.value(value)

    def record(self, record: Record) -> Record:
        """Return a memory with its new id, whose data names turns and memories by theirs."""
        extra = record.extra
        if any(f'"{key}"' in extra for key in (_TURN, *_MEMORIES)):
            extra = to_json(self.value(mapping_in(extra)))
        return record._replace(
            id=self.memories.get(record.id, record.id),
            superseded_by=self.memories.get(record.superseded_by, record.superseded_by),
            extra=extra,
        )
