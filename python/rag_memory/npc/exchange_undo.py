"""The exchanges of one NPC that can be undone."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Protocol

from rag_memory.errors import InvalidArgumentError
from rag_memory.game_call import game_call
from rag_memory.memory.archived import CONSOLIDATED
from rag_memory.memory.document import TURN
from rag_memory.memory.kind import FACT, REFLECTION
from rag_memory.memory.owners import is_npc
from rag_memory.memory.record import Record
from rag_memory.mind.relationship_memory import PLAYER_SLOT
from rag_memory.npc.player_relationship import PlayerRelationship
from rag_memory.searchable.records import OwnedRecords
from rag_memory.storage.sql.exchanges import MOST_UNDOABLE, ExchangeWrite
from rag_memory.storage.sql.query import where
from rag_memory.storage.sql.undoing import Undone
from rag_memory.validation import mapping_in, validate_count, validate_text
from rag_memory.world.world import World

_TURNS_READ = 3 * MOST_UNDOABLE
"""So many of the last turns are searched for those of exchanges."""


class BegunExchanges(Protocol):
    """The exchanges that have not been finished; `npc.exchanges.Exchanges` is it."""

    @property
    def begun(self) -> Collection[str]:
        """Their ids."""

    def drop(self, exchange: str) -> None:
        """Forget one, because it is undone."""


class ExchangeUndo:
    """Lists and undoes exchanges."""

    def __init__(
        self, records: OwnedRecords, world: World, player: PlayerRelationship, unfinished: BegunExchanges
    ) -> None:
        self._unfinished = unfinished
        self._records = records
        self._player = player
        self._world = world

    @game_call(writes=True)
    def undo_exchange(self, exchange: str = "") -> dict[str, Any]:
        """Takes back an exchange, as if nobody had said anything.

        Its turn and memories are deleted. What it has changed is again what it was: replaced and superseded
        memories, feelings, tasks, events, and when memories were recalled. What the game has written
        meanwhile stays. Undoing the last exchange leaves the save exactly as it was before; only what
        `forget()` has deleted, also during the exchange, stays forgotten. When an earlier one is undone,
        counts and dispositions lose its part, and summaries of the conversation are made again; `left` lists
        what a later change has made of it.

        Args:
            exchange: an id that `get_exchanges()` returns; empty for the last exchange of this NPC. The last
                20 exchanges of an NPC can be undone, also after a restart.

        Returns:
            `exchange` (the id), `removed` (the ids of the deleted memories of this NPC), `restored` (the ids
            of its memories that are again what they were) and `left`: Dictionaries with `kind`
            (`"memory"`, or the kind of a document such as `"task"`), `id` and `text`.

        Raises:
            InvalidArgumentError: there is no such exchange, or it is too old. Nothing is changed.
            NpcLockedError: another server has somebody who heard it. Nothing is changed.
            StoreError: the database could not write. Nothing is changed.
        """
        call = "undo_exchange()"
        id = validate_text(call, "exchange", exchange)
        store = self._records.store
        undoable = {exchange.exchange_id: exchange for exchange in self._last()}
        if not id:
            id = next((id for id in undoable if id not in self._unfinished.begun), "")
        if id not in undoable:
            raise InvalidArgumentError(
                f"{call}: the exchange {id!r} cannot be undone" if id else f"{call}: there is no exchange",
                f"only the last {MOST_UNDOABLE} exchanges of an NPC can be undone, each of them once",
                "Pass an id that get_exchanges() returns",
            )
        numbers = {npc_id: store.npcs.number(npc_id) for npc_id in store.npcs.ids()}
        changed = [self._records.npc_id]
        try:
            with self._world.context.transaction(changed):
                store.owners.check(self._records.npc_id)
                undone = self._world.context.undo(id)
            changed += [npc_id for npc_id, number in numbers.items() if number in undone.npcs]
        finally:
            self._world.context.reload_all({npc_id for npc_id in changed if is_npc(npc_id)})
        self._player.take_back(id)
        self._unfinished.drop(id)
        own = numbers.get(self._records.npc_id)
        return {
            "exchange": id,
            "removed": _ids(undone.removed, own),
            "restored": _ids(undone.restored, own),
            "left": list(self._left(id, undone, own)),
        }

    @game_call()
    def get_exchanges(self, count: int = 5) -> list[dict[str, Any]]:
        """Returns the last exchanges of the NPC that can be undone, the last one first.

        Each has `exchange` (its id), `time` (in seconds of game time), `line` (what the player said),
        `answer` (what the NPC said) and `memories` (the ids of the NPC's memories that it made).

        Args:
            count: how many at most. There are never more than 20.
        """
        count = validate_count("get_exchanges()", "count", count)
        store, npc_id = self._records.store, self._records.npc_id
        turns = {
            turn.exchange_id: turn.content
            for turn in store.documents.find(TURN, npc_id, count=_TURNS_READ, is_newest_first=True)
        }
        return [
            {
                "exchange": exchange.exchange_id,
                "time": exchange.timestamp,
                "line": turns.get(exchange.exchange_id, {}).get("player_message", ""),
                "answer": turns.get(exchange.exchange_id, {}).get("npc_message", ""),
                "memories": store.exchanges.memory_ids(exchange.exchange_id, self._records.npc or 0),
            }
            for exchange in [e for e in self._last() if e.exchange_id not in self._unfinished.begun][:count]
        ]

    def _last(self) -> list[ExchangeWrite]:
        return self._records.store.exchanges.last(self._records.npc_id)

    def _left(self, exchange: str, undone: Undone, npc: int | None) -> Iterator[dict[str, str]]:
        """What follows from what was removed, and stays."""
        documents, records = self._records.store.documents, self._records.store.records
        for key, row in undone.removed["documents"].items():
            newest = documents.get(row["kind"], row["id"])
            if newest is not None and newest.key > key:
                text = newest.content.get("summary", "")
                yield {"kind": row["kind"], "id": row["id"], "text": text if isinstance(text, str) else ""}
        if npc is None:
            return
        removed = set(_ids(undone.removed, npc))
        archived = [
            row
            for row in undone.removed["archived_memories"].values()
            if row and row["npc"] == npc and row["exchange_id"] == exchange
        ]
        successors = {
            row["archived_by"]
            for row in archived
            if row["archived_reason"] == CONSOLIDATED or row["slot_type"] == PLAYER_SLOT
        }
        removed.update(row["id"] for row in archived)
        for id in sorted(successors):
            record = records.get(npc, id)
            if record is not None:
                yield _described(record)
        for kind in (REFLECTION, FACT):
            for record in records.find(npc, where(kind=kind)):
                if record.id in successors:
                    continue
                evidence = mapping_in(record.extra).get("evidence", [])
                if isinstance(evidence, list) and removed.intersection(map(str, evidence)):
                    yield _described(record)


def _ids(rows: Mapping[str, Mapping[int, Mapping[str, Any]]], npc: int | None) -> list[str]:
    """The ids of an NPC's memories among rows."""
    return sorted(str(row["id"]) for row in rows["memories"].values() if row and row["npc"] == npc)


def _described(record: Record) -> dict[str, str]:
    return {"kind": "memory", "id": record.id, "text": record.document_full}
