"""Statements that read memories."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rag_memory.memory.kind import FACT, REFLECTION
from rag_memory.memory.record import PLAYER_INFO, Record, digest_of
from rag_memory.storage.postgres.connected import COLUMNS, Connected

_KEYS_AT_ONCE = 1000
_OF_NPC = f"SELECT {COLUMNS} FROM memories WHERE save = %(save)s AND npc = %(npc)s"


class RecordReading(Connected):
    """See storage.protocol.RecordsRead."""

    def by_id(self, npc: int, id: str) -> Record | None:
        return self._record(f"{_OF_NPC} AND id = %(id)s", npc=npc, id=id)

    def id_exists(self, npc: int, id: str) -> bool:
        of_id = "save = %(save)s AND npc = %(npc)s AND id = %(id)s"
        row = self._row(
            f"SELECT 1 FROM memories WHERE {of_id} UNION ALL SELECT 1 FROM archived_memories WHERE {of_id}",
            npc=npc,
            id=id,
        )
        return row is not None

    def by_keys(self, keys: Sequence[int]) -> list[Record]:
        return self._records(
            f"SELECT {COLUMNS} FROM memories WHERE save = %(save)s AND memory = ANY(%(keys)s::bigint[]) "
            "ORDER BY memory",
            keys=list(keys),
        )

    def read_once(self, keys: Sequence[int]) -> list[Record]:
        return self.by_keys(keys)

    def all(self, npc: int) -> list[Record]:
        return self._records(f"{_OF_NPC} ORDER BY memory", npc=npc)

    def key_pages(self, npc: int) -> Iterator[list[int]]:
        last = (-math.inf, -1)
        while rows := self._rows(
            "SELECT timestamp, memory FROM memories WHERE save = %(save)s AND npc = %(npc)s "
            "AND (timestamp, memory) > (%(timestamp)s, %(memory)s) "
            "ORDER BY timestamp, memory LIMIT %(count)s",
            npc=npc,
            timestamp=last[0],
            memory=last[1],
            count=_KEYS_AT_ONCE,
        ):
            yield [row[1] for row in rows]
            last = rows[-1][0], rows[-1][1]

    def newest_in_slot(self, npc: int, slot_type: str) -> Record | None:
        return self._record(
            f"{_OF_NPC} AND slot_type = %(slot_type)s AND slot_type <> '' "
            "ORDER BY timestamp DESC, memory DESC LIMIT 1",
            npc=npc,
            slot_type=slot_type,
        )

    def in_slot(self, npc: int, slot_type: str) -> list[Record]:
        return self._records(
            f"{_OF_NPC} AND slot_type = %(slot_type)s AND slot_type <> '' ORDER BY memory",
            npc=npc,
            slot_type=slot_type,
        )

    def valid_of_event(self, npc: int, event_type: str, until: float) -> list[Record]:
        return self._records(
            f"{_OF_NPC} AND event_type = %(event_type)s AND timestamp <= %(until)s AND superseded_by = '' "
            "ORDER BY memory",
            npc=npc,
            event_type=event_type,
            until=until,
        )

    def player_info(self, npc: int, info_type: str) -> Record | None:
        return self._record(
            f"{_OF_NPC} AND info_type = %(info_type)s AND info_type <> '' AND event_type = %(player_info)s "
            "ORDER BY memory DESC LIMIT 1",
            npc=npc,
            info_type=info_type,
            player_info=PLAYER_INFO,
        )

    def newest(self, npc: int, count: int, min_importance: int) -> list[Record]:
        return self._records(
            f"{_OF_NPC} AND importance >= %(min_importance)s "
            "ORDER BY timestamp DESC, memory DESC LIMIT %(count)s",
            npc=npc,
            count=count,
            min_importance=min_importance,
        )

    def repeatable(self, npc: int, event_type: str, text: str) -> list[Record]:
        return self._records(
            f"{_OF_NPC} AND digest = %(digest)s AND event_type = %(event_type)s "
            "AND document_full = %(text)s AND superseded_by = '' ORDER BY memory",
            npc=npc,
            digest=digest_of(event_type, text),
            event_type=event_type,
            text=text,
        )

    def last_key(self, npc: int) -> int:
        return self._number(
            "SELECT max(memory) FROM memories WHERE save = %(save)s AND npc = %(npc)s", npc=npc
        )

    def importance_after(self, npc: int, key: int) -> int:
        return self._number(
            "SELECT sum(importance)::bigint FROM memories WHERE save = %(save)s AND npc = %(npc)s "
            "AND memory > %(key)s AND kind NOT IN (%(reflection)s, %(fact)s)",
            npc=npc,
            key=key,
            reflection=REFLECTION,
            fact=FACT,
        )

    def texts(self, keys: Sequence[int]) -> list[str]:
        by_key = {record.key: record.document_full for record in self.by_keys(keys)}
        return [by_key[key] for key in keys]
