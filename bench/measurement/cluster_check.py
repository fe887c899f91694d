"""Checks the database at the end of bench cluster: nothing lost, repeated, owned twice or felt wrongly."""

from __future__ import annotations

import bisect
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import psycopg

from rag_memory.config.mind_config import NPCMindConfig
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.memory.document import HANDLED_EVENT
from rag_memory.memory.interaction import Interaction
from rag_memory.mind.disposition import STRANGER, Disposition, changed, disposition_of
from rag_memory.mind.sentiment import sentiment_of
from rag_memory.opening import open_save
from rag_memory_server.postgres_storage import MemoryPostgresStorage

Connection = psycopg.Connection[tuple[Any, ...]]

_NOT_ROUNDED = 1e-9

# Beside what the store keeps: who has written a line of the log, and when.
WATCH = (
    "ALTER TABLE interactions ADD COLUMN written_by int DEFAULT pg_backend_pid(), "
    "ADD COLUMN written_at double precision DEFAULT extract(epoch FROM clock_timestamp())"
)
OWNERS = (
    "SELECT npc, pid, extract(epoch FROM clock_timestamp())::float8 FROM npcs JOIN pg_locks "
    "ON ((classid::bigint << 32) | objid::bigint) = hashtextextended(%(lock)s::text || ' ' || npc_id, 0) "
    "WHERE save = %(save)s AND locktype = 'advisory' AND objsubid = 1 AND granted AND mode = 'ExclusiveLock'"
)
_LOG = (
    "SELECT npc, details::json->>'happening', details::json->>'memory_id', written_by, written_at, "
    "extract(epoch FROM pg_xact_commit_timestamp(xmin))::float8 FROM interactions WHERE save = %(save)s "
    "AND written_by IS NOT NULL ORDER BY interaction"
)
_MEMORIES = (
    "SELECT extra::json->>'happening' FROM memories WHERE save = %(save)s AND extra LIKE '%%happening%%'"
)


class Sample(NamedTuple):
    """Owners at a moment: the number of an NPC and the backends that hold its lock."""

    at: float
    owners: Mapping[int, tuple[int, ...]]


class Line(NamedTuple):
    """One line of the log of an NPC."""

    npc: int
    happening: str
    memory_id: str
    written_by: int
    written_at: float
    committed_at: float


class Verdict(NamedTuple):
    """Counts of problems. All except `checked` have to be 0."""

    checked: int
    """Confirmed events of the bus and completed calls of the zones."""
    lost: int
    doubled: int
    memories_doubled: int
    owned_twice: int
    written_by_others: int
    felt_wrongly: int

    @property
    def is_good(self) -> bool:
        """True if something was checked and nothing was wrong."""
        return self.checked > 0 and not any(self[1:])

    def __str__(self) -> str:
        return (
            f"{self.checked:,} confirmed events: {self.lost} lost, {self.doubled} double, "
            f"{self.memories_doubled} memories double or lost, {self.owned_twice} NPCs owned twice, "
            f"{self.written_by_others} lines not written by the owner, {self.felt_wrongly} dispositions that "
            "are not the replay of the log"
        )


def lines_of(connection: Connection, save: int) -> list[Line]:
    """All lines written into the log."""
    return [Line._make(row) for row in connection.execute(_LOG, {"save": save})]


def sampled(connection: Connection, save: int, lock: str) -> Sample:
    """Read the present owners."""
    owners: defaultdict[int, tuple[int, ...]] = defaultdict(tuple)
    rows = connection.execute(OWNERS, {"save": save, "lock": lock}).fetchall()
    for npc, pid, _at in rows:
        owners[npc] += (pid,)
    return Sample(rows[0][2] if rows else 0.0, dict(owners))


def judged(
    where: MemoryPostgresStorage,
    connection: Connection,
    name: str,
    save: int,
    confirmed: Iterable[str],
    own: Iterable[str],
    samples: Sequence[Sample],
) -> Verdict:
    """Check everything. `confirmed`: events of the bus; `own`: calls of zones that returned."""
    lines = lines_of(connection, save)
    happened = Counter(line.happening for line in lines if line.happening)
    handled = Counter(
        id
        for (id,) in connection.execute(
            "SELECT id FROM documents WHERE save = %(save)s AND kind = %(kind)s",
            {"save": save, "kind": HANDLED_EVENT},
        )
    )
    confirmed, own = set(confirmed), set(own)
    lost = [id for id in confirmed if not happened[id] or not handled[id]]
    lost += [id for id in own if not happened[id]]
    remembered = Counter(id for (id,) in connection.execute(_MEMORIES, {"save": save}))
    wanted = Counter(line.happening for line in lines if line.memory_id)
    return Verdict(
        len(confirmed) + len(own),
        len(lost),
        sum(count > 1 for counts in (happened, handled) for count in counts.values()),
        sum(remembered[id] != wanted[id] for id in remembered.keys() | wanted.keys()),
        sum(len(pids) > 1 for sample in samples for pids in sample.owners.values()),
        sum(not _is_written_by_owner(line, samples) for line in lines),
        _felt_wrongly(where, name),
    )


def _is_written_by_owner(line: Line, samples: Sequence[Sample]) -> bool:
    """True if a line was written by the NPC's owner before or after that moment."""
    place = bisect.bisect(samples, line.written_at, key=lambda sample: sample.at)
    seen = [sample.owners.get(line.npc, ()) for sample in samples[max(0, place - 1) : place + 1]]
    if len(seen) < 2 or not all(seen):
        return True  # Begun before, or nobody had her at a sample: she changed hands.
    return any(line.written_by in pids for pids in seen)


def _felt_wrongly(where: MemoryPostgresStorage, name: str) -> int:
    """Count dispositions that differ from the sum of the log."""
    config, wrong = NPCMindConfig(), 0
    now = [0.0]
    with open_save(name, HashingEmbedder(), storage=where, clock=lambda: now[0], read_only=True) as save:
        for npc_id in save.store.npcs.ids():
            number = save.store.npcs.number(npc_id)
            log = save.store.interactions.find(number or 0)
            if not log:
                continue
            now[0] = log[-1].stored_at
            felt = save.npc(npc_id).mind.feelings.get_dispositions()
            replayed = _replayed(config, log)
            wrong += felt.keys() != replayed.keys()
            wrong += sum(
                abs(disposition["strength"] - replayed[id].strength_at(config, now[0])) > _NOT_ROUNDED
                for id, disposition in felt.items()
                if id in replayed
            )
    return wrong


def _replayed(config: NPCMindConfig, log: Sequence[Interaction]) -> dict[str, Disposition]:
    felt: dict[str, Disposition] = {}
    for entry in log:
        if not entry.source_id:
            continue  # She has reflected.
        disposition = felt.get(entry.source_id)
        strength = STRANGER if disposition is None else disposition.strength_at(config, entry.stored_at)
        delta = round(sentiment_of(config, entry.content, entry.action))
        felt[entry.source_id] = disposition_of(entry)._replace(strength=changed(strength, delta))
    return felt
