"""Who is who in a save: another id for an NPC, and two NPCs who are one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rag_memory.conversation.told_memories import MEMORY_IDS
from rag_memory.conversation.turn_log import turn_id
from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.document import CONVERSATION_SUMMARY, TURN, Document
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.owners import is_npc, refuse_long_id, validate_npc_id
from rag_memory.memory.renaming import MovedIds, Renaming
from rag_memory.memory.repetition import content_key
from rag_memory.mind.meeting import tells_of_meeting
from rag_memory.saves.open_npcs import OpenNpcs
from rag_memory.searchable.save_context import SaveContext
from rag_memory.storage.captured import Captured, CapturedVersion
from rag_memory.validation import shown, to_json, validate_text
from rag_memory.world.characters import CHARACTER, LISTS
from rag_memory.world.knowledge import FORGOTTEN
from rag_memory.world.lore_sources import CHUNK
from rag_memory.world.open_matters import REPORTED
from rag_memory.world.profile import PROFILE
from rag_memory.world.whereabouts import WHEREABOUTS, moved
from rag_memory.world.who_knows import without_texts

_OF_ONE_PERSON = (CHARACTER, WHEREABOUTS, FORGOTTEN, PROFILE, REPORTED)
"""Kinds of documents whose id is that of the person."""
_UNITED = {CHARACTER: LISTS, WHEREABOUTS: (), FORGOTTEN: ("ids",), PROFILE: (), REPORTED: ("ids",)}
"""The lists in them that become one when two people are one."""
_PLAYER_INFO = "player"
"""The kind and the id of the document with what everybody knows of the player."""


class Identities:
    """Gives NPCs other ids, in everything that names them. Texts stay as they are."""

    def __init__(self, context: SaveContext, npcs: OpenNpcs) -> None:
        self._context = context
        self._store = context.store
        self._npcs = npcs

    def rename(self, npc_id: str, new_id: str) -> None:
        """Give an NPC another id, all of it or nothing.

        Raises:
            InvalidArgumentError: nothing is stored of the NPC, or there is something of the new id.
            SaveLockedError: another process has the save open.
        """
        call = "rename_npc()"
        old, new = validate_npc_id(npc_id), validate_npc_id(new_id)
        self._refuse_unknown(call, old)
        if new != old and self._is_used(new):
            raise InvalidArgumentError(
                f"{call}: the new id is {shown(new)}",
                "there is an NPC with this id",
                "Choose another id, or make them one with merge_npcs()",
            )
        self._carry_out(call, Renaming(old, new))

    def merge(self, into: str, npc_id: str) -> None:
        """Make one NPC of two, all of it or nothing: `into` has everything of `npc_id`, too.

        Raises:
            InvalidArgumentError: nothing is stored of one of them, or they are one.
            SaveLockedError: another process has the save open.
        """
        call = "merge_npcs()"
        old, new = validate_npc_id(npc_id), validate_npc_id(into)
        for id in (old, new):
            self._refuse_unknown(call, id)
        if old == new:
            raise InvalidArgumentError(
                f"{call}: both ids are {shown(old)}", "an NPC is one already", "Pass the ids of two NPCs"
            )
        self._carry_out(call, Renaming(old, new))

    def retire_player(self, new_id: str, name: str = "") -> None:
        """Make the player so far a person with an id of its own: who plays from now on is a stranger.

        Args:
            name: what that person is called; "" for the name that the save has of the player.

        Raises:
            InvalidArgumentError: there is something of the new id.
            SaveLockedError: another process has the save open.
        """
        call = "retire_player()"
        new = validate_npc_id(new_id)
        if self._is_used(new) or new.casefold() == PLAYER:
            raise InvalidArgumentError(
                f"{call}: the new id is {shown(new_id)}",
                "there is somebody with this id",
                "Choose another id for the hero who leaves",
            )
        player = self._store.documents.get(_PLAYER_INFO, _PLAYER_INFO)
        info = {} if player is None else dict(player.content)
        name = validate_text(call, "name", name).strip()
        refuse_long_id(call, "name", name)
        name = name or str(info.get("name") or new)
        now = self._context.now()
        documents = [Document(0, CHARACTER, new, "", {**info, "name": name, "id": new}, now, now)]
        if info:
            documents.append(Document(0, _PLAYER_INFO, _PLAYER_INFO, "", {}, now, now))
        self._carry_out(call, Renaming(PLAYER, new, name, tells_of_meeting), documents)

    def _refuse_unknown(self, call: str, id: str) -> None:
        if not self._is_used(id):
            raise InvalidArgumentError(
                f"{call}: the id is {shown(id)}",
                "the save has nothing of such an NPC",
                "Pass an id that list_npcs() returns",
            )

    def _is_used(self, id: str) -> bool:
        """Return whether the save has anything of an NPC or a character with this id."""
        store = self._store
        number = store.npcs.number(id)
        if number is not None and (
            store.records.count(number) or store.interactions.find(number) or store.archive.find(number)
        ):
            return True
        return any(store.documents.get(kind, id) for kind in _OF_ONE_PERSON) or bool(
            store.documents.find(TURN, id, count=1)
        )

    def _carry_out(self, call: str, renaming: Renaming, documents: Sequence[Document] = ()) -> None:
        if renaming.old == renaming.new:
            return
        self._npcs.end_idle_work()
        try:
            with self._store.owners.alone(call), self._context.accesses.transaction():
                turns = self._move_turns(renaming)
                self._rename_memories(renaming, turns)
                self._rename_documents(renaming)
                for document in documents:
                    self._store.documents.write(document)
        finally:
            self._npcs.drop()
            self._npcs.forget_exchanges()
            self._npcs.reload()

    def _rename_memories(self, renaming: Renaming, turns: Mapping[str, str]) -> None:
        store, moved = self._store, MovedIds(turns, {})
        source = store.npcs.number(renaming.old)
        target = None
        moving: list[Captured] = []
        if source is not None:
            target = store.npcs.number(renaming.new) or store.npcs.add(renaming.new)
            moving = self._take_memories(renaming, source, target, turns)
        for npc_id in store.npcs.ids():
            # What has been done since can still be undone, not what was done under the former id.
            store.exchanges.forget_of(npc_id)
            number = store.npcs.number(npc_id)
            if number is None or number == source:
                continue
            versions = [version.record for version in store.archive.find(number)]
            records = [*store.records.find(number), *versions]
            ids = [record.id for record in records if moved.record(renaming.record(record)) != record]
            if ids:
                captured = store.archive.capture(number, dict.fromkeys(ids))
                store.archive.put_back(number, [_renamed(renaming, moved, memory) for memory in captured])
                store.npcs.touch(number)
            if number != target and is_npc(npc_id):
                entries = store.interactions.find(number)
                renamed = [renaming.interaction(entry) for entry in entries]
                if renamed != entries:
                    store.interactions.forget(number)
                    for entry in renamed:
                        store.interactions.add(number, entry)
        if target is not None:
            # Only now, because turns of both may have changed their ids for each other's.
            store.archive.put_back(target, moving)
            store.npcs.touch(target)

    def _take_memories(
        self, renaming: Renaming, source: int, target: int, turns: Mapping[str, str]
    ) -> list[Captured]:
        """Take everything that one NPC remembers, as another is to have it. A memory that both have stays
        one.
        """
        store = self._store
        records = store.records.find(source)
        versions = [version.record for version in store.archive.find(source)]
        texts = {record.id: record.document_full for record in [*versions, *records]}
        captured = store.archive.capture(source, texts)
        store.records.delete_all(source)
        store.archive.forget(source)
        store.npcs.touch(source)
        ids = self._new_ids(target, texts)
        moved = MovedIds(turns, {id: new for id, new in ids.items() if new})
        self._move_interactions(renaming, moved, source, target)
        return [_renamed(renaming, moved, memory) for memory in captured if ids[memory.id]]

    def _new_ids(self, target: int, texts: Mapping[str, str]) -> dict[str, str]:
        """Return the ids that memories, by id and text, get with another NPC; "" where that NPC has the same
        memory.
        """
        records, ids = self._store.records, dict[str, str]()
        taken = set(texts)
        for id, text in texts.items():
            stored = records.get(target, id)
            if stored is not None and stored.document_full == text:
                ids[id] = ""
                continue
            number, free = 1, id
            while (free != id and free in taken) or records.is_used(target, free):
                number += 1
                free = f"{id}_{number}"
            taken.add(free)
            ids[id] = free
        return ids

    def _move_interactions(self, renaming: Renaming, moved: MovedIds, source: int, target: int) -> None:
        store = self._store
        former = [
            entry._replace(details=moved.value(entry.details)) for entry in store.interactions.find(source)
        ]
        entries = [*former, *store.interactions.find(target)]
        store.interactions.forget(source)
        store.interactions.forget(target)
        for entry in sorted(entries, key=lambda entry: entry.key):
            store.interactions.add(target, renaming.interaction(entry))

    def _rename_documents(self, renaming: Renaming) -> None:
        old, new, documents = renaming.old, renaming.new, self._store.documents
        self._unite_documents(old, new)
        for document in documents.mentioning(old):
            # Its owner is a source of lore.
            is_lore = document.kind == CHUNK
            if is_lore or (document.kind in (TURN, CONVERSATION_SUMMARY) and document.owner == new):
                continue
            # In "npc: ulf" the id is a part of a text.
            data = without_texts(document.content)
            owner, content = renaming.id(document.owner), renaming.value(data)
            content = document.content if content == data else content
            id = document.id
            if document.kind in _OF_ONE_PERSON:
                id = renaming.id(id)
                content = {**content, "id": id} if "id" in content else content
            elif document.kind == CONVERSATION_SUMMARY and content:
                id = to_json([owner, content["player_id"]])
            renamed = document._replace(id=id, owner=owner, content=content)
            if renamed != document:
                documents.change(renamed)

    def _unite_documents(self, old: str, new: str) -> None:
        """Make one of what is stored of two people: what is known of both is that of the one who stays, who
        has left the places and groups of the other now.
        """
        documents, now = self._store.documents, self._context.now()
        pairs = {kind: (documents.get(kind, old), documents.get(kind, new)) for kind in _OF_ONE_PERSON}
        contents = {
            kind: [{} if document is None else document.content for document in pair]
            for kind, pair in pairs.items()
        }
        united = {
            kind: {**contents[kind][0], **contents[kind][1], **_lists_of(_UNITED[kind], contents[kind])}
            for kind, pair in pairs.items()
            if None not in pair
        }
        if CHARACTER in united:
            left = _last_left(contents[WHEREABOUTS])
            left = moved(left, contents[CHARACTER][0], united[CHARACTER], now)
            if left or WHEREABOUTS in united:
                united[WHEREABOUTS] = {"left_at": left}
        elif WHEREABOUTS in united:
            united[WHEREABOUTS] = {"left_at": _last_left(contents[WHEREABOUTS])}
        for kind, content in united.items():
            documents.write(Document(0, kind, new, "", content, now, now))
            documents.forget(kind, [old])

    def _move_turns(self, renaming: Renaming) -> dict[str, str]:
        """Give the conversations of one NPC to another: of both, in the order of their times. Return the new
        ids of the turns, by their former ones.
        """
        old, new, documents = renaming.old, renaming.new, self._store.documents
        former = documents.find(TURN, old)
        if not former:
            return {}
        turns = sorted([*former, *documents.find(TURN, new)], key=lambda turn: (turn.timestamp, turn.key))
        summaries = documents.find(CONVERSATION_SUMMARY, old)
        is_mixed = len(turns) > len(former)
        is_other = self._is_used(new)
        for owner in (old, new):
            documents.forget_of(TURN, owner)
            if is_mixed or owner == old:
                documents.forget_of(CONVERSATION_SUMMARY, owner)
        numbers: dict[int, int] = {}
        ids: dict[str, str] = {}
        for number, turn in enumerate(turns, 1):
            numbers[turn.content["number"]] = number
            id = ids[turn.id] = turn_id(new, number)
            content = {**renaming.value(turn.content), "number": number}
            if turn.owner == old and is_other:
                content.pop(MEMORY_IDS, None)  # The other NPC may have given these ids to its own memories.
            documents.write(turn._replace(key=0, id=id, owner=new, content=content, exchange_id=""))
        # A summary of one of two conversations is none of both: it is written anew.
        for summary in () if is_mixed else summaries:
            content = renaming.value(summary.content)
            content["through"] = numbers.get(content["through"], content["through"])
            summary_id = to_json([new, content["player_id"]])
            documents.write(
                summary._replace(key=0, id=summary_id, owner=new, content=content, exchange_id="")
            )
        return ids


def _lists_of(names: Sequence[str], contents: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return the lists of two people as those of one, whose own comes first."""
    return {
        name: list(dict.fromkeys(item for content in contents[::-1] for item in content.get(name, ())))
        for name in names
        if any(content.get(name) for content in contents)
    }


def _last_left(whereabouts: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Return when the last of two people left each place and group."""
    times: dict[str, dict[str, float]] = {}
    for content in whereabouts:
        for kind, names in content.get("left_at", {}).items():
            for name, time in names.items():
                of_kind = times.setdefault(kind, {})
                of_kind[name] = max(time, of_kind.get(name, time))
    return times


def _renamed(renaming: Renaming, moved: MovedIds, captured: Captured) -> Captured:
    """Return a captured memory with another id of a person in it, and other ids of turns and memories."""
    records = {record: moved.record(renaming.record(record)) for record, _, _ in captured.records()}
    keys = {content_key(record): content_key(renamed) for record, renamed in records.items()}
    memory, ids = captured.memory, moved.memories
    return captured._replace(
        id=ids.get(captured.id, captured.id),
        memory=None if memory is None else memory._replace(record=records[memory.record]),
        versions=[
            CapturedVersion(
                number,
                # It is the content_key() of another version where only times and weight are archived.
                archived._replace(by=keys.get(archived.by) or ids.get(archived.by, archived.by)),
                content._replace(record=records[content.record]),
            )
            for number, archived, content in captured.versions
        ],
        supersedes=[(ids.get(id, id), at) for id, at in captured.supersedes],
    )
