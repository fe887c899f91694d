"""Deletes what a save has of a player."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.ids import normal_id
from rag_memory.memory.document import CAMPAIGN, CONVERSATION_SUMMARY, TURN, Document
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.former_player import is_of_former_player
from rag_memory.memory.interaction import Interaction
from rag_memory.memory.owners import LONGEST_ID, LORE, is_npc, refuse_long_id
from rag_memory.memory.record import Record
from rag_memory.memory.renaming import Renaming
from rag_memory.mind.relationship_memory import PLAYER_SLOT
from rag_memory.saves.open_npcs import OpenNpcs
from rag_memory.searchable.save_context import SaveContext
from rag_memory.searchable.search_index import PLAYER_NAME_SLOT
from rag_memory.text.name_mentions import NameMentions
from rag_memory.validation import list_in, mapping_in, shown, validate_text
from rag_memory.world.characters import CHARACTER, is_player
from rag_memory.world.facts import FLAG
from rag_memory.world.profile import PROFILE, SEED
from rag_memory.world.whereabouts import WHEREABOUTS

_NOBODY = "\x7f"
"""An id that nobody has: what renaming to it would change names the player."""
_OF_ONE_PERSON = (CHARACTER, WHEREABOUTS, PROFILE, SEED)
"""Kinds of documents that say more of somebody else than of the player."""
_NOT_REACHED = ("lore", FLAG, CAMPAIGN)
"""The beginnings of kinds of documents that are the game's own."""
_SHORTEST_NAME = 2


class PlayerData:
    """Finds and deletes what a save has of a player."""

    def __init__(self, context: SaveContext, npcs: OpenNpcs) -> None:
        self._context = context
        self._store = context.store
        self._npcs = npcs

    def forget(self, player_id: str) -> dict[str, Any]:
        """Delete everything that names a player, all of it or nothing, and make the file anew without it.

        Returns:
            how many `memories`, `interactions`, `turns` and `documents` were deleted or changed, and
            `snapshots`, the slots that may still have the player.

        Raises:
            InvalidArgumentError: the id is empty, or that of an NPC.
            SaveLockedError: another process has the save open.
        """
        call = "forget_player()"
        id = normal_id(validate_text(call, "player_id", player_id))
        refuse_long_id(call, "player_id", id)
        has_memories = self._store.npcs.number(id) is not None
        if not id or (has_memories and not is_player(self._npcs.world.context, id)):
            raise InvalidArgumentError(
                f"{call}: player_id is {shown(player_id)}",
                "that is no player" if id else "a player needs an id",
                'Pass the id of a player, "player" in games with one',
            )
        self._npcs.end_idle_work()
        try:
            with self._store.owners.alone(call), self._context.accesses.transaction():
                counts = _Deletion(self._context, self._npcs, id).run()
            self._store.marks.purge()
        finally:
            self._npcs.forget_exchanges()
            self._npcs.reload()
        return {**counts, "snapshots": self._slots()}

    def _slots(self) -> list[str]:
        try:
            return self._store.snapshots.slots()
        except InvalidArgumentError:  # A save in memory has none.
            return []


class _Deletion:
    """The deletion of one player. Inside a transaction."""

    def __init__(self, context: SaveContext, npcs: OpenNpcs, id: str) -> None:
        self._store = context.store
        self._npcs = npcs
        self._id = id
        self._renaming = Renaming(id, _NOBODY)
        self._names = self._find_names()
        self._mentions_of = (
            NameMentions([id], self._names) if id == PLAYER else NameMentions([], [id, *self._names])
        )

    def run(self) -> dict[str, int]:
        store = self._store
        counts = {"memories": 0, "interactions": 0, "turns": 0, "documents": 0}
        store.exchanges.forget_all()
        self._forget_documents(counts)
        for npc_id in store.npcs.ids():
            number = store.npcs.number(npc_id)
            if number is None or npc_id == LORE:
                continue
            if npc_id == self._id:  # What it has is from before the game said that it is a player.
                counts["memories"] += store.records.delete_all(number)
                store.interactions.forget(number)
                store.archive.forget(number)
                store.npcs.delete(number)
                continue
            counts["interactions"] += self._forget_interactions(number)
            counts["memories"] += self._forget_memories(npc_id, number)
        store.marks.forget_all()
        return counts

    def _find_names(self) -> set[str]:
        """The names that the save has for the player."""
        names: set[str] = set()
        store, id = self._store, self._id
        for npc_id in filter(is_npc, store.npcs.ids()):
            number = store.npcs.number(npc_id) or 0
            for record in self._records(number):
                is_name = PLAYER_NAME_SLOT in (record.slot_type, record.info_type)
                if (
                    is_name and self._is_about_player(record)
                ) or record.info_type == f"{PLAYER_NAME_SLOT}_{id}":
                    names.update(map(str, list_in(record.entities)))
            names.update(
                entry.source_name for entry in store.interactions.find(number) if entry.source_id == id
            )
        for kind, document_id in (
            (CHARACTER, id),
            (PROFILE, id),
            *(((PLAYER, PLAYER),) if id == PLAYER else ()),
        ):
            document = store.documents.get(kind, document_id)
            if document is not None:
                names.add(str(document.content.get("name", "")))
        return {
            name for name in names if _SHORTEST_NAME <= len(name) <= LONGEST_ID and name not in (PLAYER, id)
        }

    def _records(self, number: int) -> Iterator[Record]:
        """Everything that an owner remembers, and what is archived of it."""
        yield from self._store.records.find(number)
        for version in self._store.archive.find(number):
            yield version.record

    def _is_about_player(self, record: Record) -> bool:
        """Return True if a memory in a slot of the player is about this one."""
        participants = list_in(record.participants)
        return self._id in participants or (self._id == PLAYER and not participants)

    def _names_player(self, record: Record) -> bool:
        if self._id == PLAYER and is_of_former_player(record):
            return self._renaming.record(record) != record  # "The player" is somebody else there.
        is_in_slot = record.slot_type in (PLAYER_SLOT, PLAYER_NAME_SLOT) or record.is_player_info
        return (
            self._renaming.record(record) != record
            or (is_in_slot and self._is_about_player(record))
            or self._mentions([record.document_full, record.document_short, list_in(record.entities)])
            or self._mentions(mapping_in(record.extra))
        )

    def _mentions(self, value: Any) -> bool:
        """Return True if a text in stored data says the player's id or name."""
        if isinstance(value, str):
            return self._mentions_of.are_in(value)
        if isinstance(value, dict):
            return any(map(self._mentions, value.values())) or self._id in value
        return isinstance(value, list | tuple) and any(map(self._mentions, value))

    def _forget_memories(self, npc_id: str, number: int) -> int:
        ids = {record.id for record in self._records(number) if self._names_player(record)}
        if is_npc(npc_id):
            return self._npcs.get(npc_id).memories.forgetting.forget(ids)
        records = [self._store.records.get(number, id) for id in ids]
        self._store.records.delete([record.key for record in records if record is not None])
        for id in ids:
            self._store.archive.forget(number, id)
        self._store.npcs.touch(number)
        return len(ids)

    def _forget_interactions(self, number: int) -> int:
        """Delete what happened with the player, and the words of what else names the player."""
        entries = self._store.interactions.find(number)
        remaining = [entry for entry in entries if entry.source_id != self._id]
        cleaned = list(map(self._without_player, remaining))
        if cleaned == entries:
            return 0
        self._store.interactions.forget(number)
        for entry in cleaned:
            self._store.interactions.add(number, entry)
        changed = sum(before != after for before, after in zip(remaining, cleaned, strict=True))
        return len(entries) - len(remaining) + changed

    def _without_player(self, entry: Interaction) -> Interaction:
        reasons = {text for text in (entry.reason, entry.emotion.reason) if self._mentions(text)}
        is_named = (
            self._mentions([entry.content, entry.details]) or self._renaming.interaction(entry) != entry
        )
        return (entry.without_words() if is_named else entry).without_reasons(reasons)

    def _forget_documents(self, counts: dict[str, int]) -> None:
        """Delete the documents that name the player; of other people's only what they say of the player."""
        documents = self._store.documents
        mentioning = {
            (document.kind, document.id): document
            for text in (self._id, *self._names)
            for document in documents.mentioning(text)
            if not document.kind.startswith(_NOT_REACHED) and self._is_named_in(document)
        }
        for kind, id in mentioning:
            if kind in _OF_ONE_PERSON and id != self._id:
                for version in documents.versions(kind, id):
                    documents.change(version._replace(content=self._cleaned(version.content)))
            else:
                documents.forget(kind, [id])
            counts["turns" if kind in (TURN, CONVERSATION_SUMMARY) else "documents"] += 1

    def _is_named_in(self, document: Document) -> bool:
        return (
            self._id in (document.id, document.owner)
            or self._renaming.value(document.content) != document.content
            or self._mentions(document.content)
        )

    def _cleaned(self, value: Any) -> Any:
        """Stored data without the player."""
        if isinstance(value, str):
            return "" if self._mentions(value) else value
        if isinstance(value, dict):
            return {key: self._cleaned(item) for key, item in value.items() if key != self._id}
        if isinstance(value, list | tuple):
            return [self._cleaned(item) for item in value if item != self._id]
        return value
