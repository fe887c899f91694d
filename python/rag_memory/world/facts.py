"""The state of the story: its flags, its facts, and what everybody knows of the player."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.game_call import DONE, Done, game_call
from rag_memory.memory.document import TIMELESS, Document
from rag_memory.memory.kind import FACT as FACT_KIND
from rag_memory.memory.owners import WORLD
from rag_memory.memory.record import Record
from rag_memory.validation import shown, validate_fields, validate_text, validate_texts, wrong_type
from rag_memory.world.whereabouts import WHEREABOUTS
from rag_memory.world.who_knows import owner_names, refuse_earlier_keys, validate_known_by
from rag_memory.world.world_context import WorldContext

FLAG = "flag"
FACT = "fact"
FORMER_OF = "former_of"
"""The key of a former version of a fact, which who left while it held still knows: the id of the fact."""
PLAYER_INFO = "player"
_IMPORTANCE = 6


class Facts:
    """The flags of the story, its facts, and what everybody knows of the player."""

    def __init__(self, context: WorldContext) -> None:
        self._context = context
        self.on_written: Callable[[str, int], None] = lambda _id, _key: None
        """Called with the id of a fact that was written, and the key of its searched text."""

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
            facts: by their ids: a Dictionary, or `null`, which removes the fact. `text` is needed.
                `known_by` says who knows it, everyone when left out: see docs/who_knows_what.md. `topics` is
                an Array of words that it is about. Other keys are stored for the game.
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
        contents = {
            id: {} if fact is None else _fact(f"{call}, the fact {id}", id, fact)
            for id, fact in checked.items()
        }
        with self._context.transaction():
            formers, stored = self._formers(contents), self._context.all(FACT)
            for id, former in formers.items():
                since = stored[former[FORMER_OF]].timestamp if former else None
                self._context.write(FACT, id, former, at=since)
            self._write_searched(call, [*formers, *self._write_all(FACT, contents)])
        return DONE

    def _formers(self, contents: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
        """What these facts say so far, as facts of their own for those who left while they held; {} for one
        that nobody needs any more.
        """
        facts = self._context.all(FACT)
        formers: dict[str, dict[str, Any]] = {}
        for fact in facts.values():
            base = str(fact.content.get(FORMER_OF, ""))
            if base in contents and not (contents[base] and self._was_left(fact, fact.stored_at)):
                formers[fact.id] = {}
        for id, content in contents.items():
            old = facts.get(id)
            is_replaced = old is not None and content and content["text"] != old.content["text"]
            if old is not None and is_replaced and self._was_left(old, self._context.now()):
                former_id = f"{id}@{old.key}"
                formers[former_id] = {**old.content, "id": former_id, FORMER_OF: id}
        return formers

    def _was_left(self, fact: Document, until: float) -> bool:
        """Return True if somebody has left a place or group that knows a fact while it held."""
        owners = set(owner_names(fact.content.get("known_by", ())))
        return any(
            name in owners and fact.timestamp <= time < until
            for left in self._context.all(WHEREABOUTS).values()
            for times in left.content["left_at"].values()
            for name, time in times.items()
        )

    def document(self, id: Any) -> Document | None:
        """Return the document of a fact that was added in this save; None when there is none with this id."""
        return self._context.all(FACT).get(id)

    def mend(self, call: str, fact: Document) -> None:
        """Write the searched text of a fact anew."""
        self._context.searched(WORLD).put_record(call, self._record(call, fact.content))

    @game_call()
    def get_facts(self) -> dict[str, Any]:
        """Returns the facts that were added in this save, by id, in the order in which they were added."""
        return {
            id: dict(fact.content)
            for id, fact in self._context.all(FACT).items()
            if FORMER_OF not in fact.content
        }

    @game_call(writes=True)
    def set_player_info(self, changes: Mapping[str, Any]) -> Done:
        """Sets what everybody knows about the player, such as `name` and `titles`. Keys that are left out
        stay as they were, and `null` removes one. `aliases`, an Array of Strings, are other names of the
        player, also former ones: questions, conditions and filters mean the player by each of them.
        """
        changed = self._checked("set_player_info()", "changes", changes, ("name", "titles", "aliases"))
        if changed.get("aliases") is not None:
            validate_texts("set_player_info()", "aliases", changed["aliases"])
        with self._context.transaction():
            info = {**(self._context.content(PLAYER_INFO, PLAYER_INFO) or {}), **changed}
            self._write_all(
                PLAYER_INFO, {PLAYER_INFO: {key: value for key, value in info.items() if value is not None}}
            )
        return DONE

    @game_call()
    def get_player_info(self) -> dict[str, Any]:
        """Returns what everybody knows about the player."""
        return self._context.content(PLAYER_INFO, PLAYER_INFO) or {}

    def names_of_player(self) -> list[str]:
        """Return all names of the player, if the game told aliases: "the player" first."""
        info = self.get_player_info()
        name = info.get("name")
        names = ["the player", PLAYER_INFO, *([name] if isinstance(name, str) and name else [])]
        return [*names, *info["aliases"]] if info.get("aliases") else []

    @staticmethod
    def _checked(call: str, name: str, value: Any, names: Sequence[str] = ()) -> dict[str, Any]:
        if isinstance(value, Mapping) and any(not isinstance(key, str) or not key.strip() for key in value):
            raise InvalidArgumentError(
                f"{call}: {name} is {shown(value)}", "every key is a name", "Use Strings that are not empty"
            )
        return validate_fields(call, name, value, names)

    def _write_all(self, kind: str, contents: Mapping[str, Mapping[str, Any]]) -> list[str]:
        """Write those of these documents that have changed, and return their ids."""
        with self._context.transaction():
            stored = self._context.all(kind)
            changed = [
                id
                for id, content in contents.items()
                if content != (stored[id].content if id in stored else {})
            ]
            for id in changed:
                self._context.write(kind, id, contents[id])
        return changed

    def _write_searched(self, call: str, ids: Sequence[str]) -> None:
        facts, searched = self._context.all(FACT), self._context.searched(WORLD)
        records = {id: self._record(call, facts[id].content) for id in ids if id in facts}
        new = [record for record in records.values() if not searched.has(record.id)]
        if new:
            searched.put_all(new, self._context.save.embed([record.document_full for record in new]))
        for id in ids:
            if id in records:
                searched.put_record(call, records[id])
            else:
                searched.remove(call, fact_record_id(id))
        keys = searched.keys_by_id(call, map(fact_record_id, records))
        for id in ids:
            self.on_written(id, keys.get(fact_record_id(id), -1))

    def _record(self, call: str, fact: Mapping[str, Any]) -> Record:
        data = {
            "event_type": FACT,
            "kind": FACT_KIND,
            "topics": fact.get("topics", []),
            "timestamp": TIMELESS,
        }
        return self._context.searched(WORLD).record(
            call, fact_record_id(fact["id"]), fact["text"], _IMPORTANCE, data
        )


def fact_record_id(id: str) -> str:
    """Return the id of the record that is searched in place of a fact."""
    return f"{FACT}:{id}"


def _fact(call: str, id: str, fact: Mapping[str, Any]) -> dict[str, Any]:
    refuse_earlier_keys(call, fact)
    if FORMER_OF in fact:
        raise InvalidArgumentError(
            f"{call}: it has the key {FORMER_OF}", "the addon uses this key itself", "Choose another key"
        )
    topics = validate_texts(call, "topics", fact.get("topics", []))
    known_by = validate_known_by(call, fact.get("known_by", []))
    content = {**fact, "id": id, "topics": topics, "known_by": known_by}
    return {key: value for key, value in content.items() if key not in ("topics", "known_by") or value}
