"""Fills a save on PostgreSQL fast, with COPY of the rows that the store would write.

The texts are real ones, embedded once each; every NPC has some of them, at times of her own.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import psycopg
from psycopg.types import TypeInfo

from measurement import game_text, locomo
from rag_memory.config.memory_config import MemoryConfig
from rag_memory.embedding.embedder import Embedder
from rag_memory.embedding.registry import default_embedder
from rag_memory.memory.record import Record, digest_of, new_record
from rag_memory.opening import open_save
from rag_memory.save import Save
from rag_memory.vectors import FloatVector
from rag_memory_build.console import Progress, SetupError
from rag_memory_build.paths import MODELS, SHARED
from rag_memory_server.postgres_storage import MemoryPostgresStorage

NOW = 1_750_000_000.0
_LONGEST = 200
_TEXTS = 10_000
__MEMORY_AT_ONCE = 20_000
_SECONDS_PER_DAY = 86_400.0
_OWN = ("text", "importance", "timestamp")
_TIMES = ("timestamp", "first_timestamp", "stored_at", "last_accessed")
_MEMORY = ("save", "memory", "npc", *(name for name in Record._fields if name != "key"), "terms", "digest")
_VECTOR = ("save", "memory", "npc", "model", "embedding")


class Template(NamedTuple):
    """A memory shared by many NPCs, at different times."""

    record: Record
    columns: Mapping[str, Any]
    vector: FloatVector


def embedder() -> Embedder:
    """The built model."""
    return default_embedder(MODELS)


def texts(count: int, seed: int) -> list[dict[str, Any]]:
    """Make different memories, half of them from real conversations if these are present."""
    data: Path = SHARED / "data"
    said = [turn.text for conversation in locomo.read_conversations(data) for turn in conversation.turns]
    memories = [{"text": text} for text in dict.fromkeys([*game_text.read_personas(data), *said])]
    memories = [memory for memory in memories if len(memory["text"]) <= _LONGEST]
    random.Random(f"texts {seed}").shuffle(memories)
    made = game_text.memories(count + 1, seed, NOW)[1:]  # The first is the player's name: one for each NPC.
    return [*memories[: count // 2], *made][:count]


def templates(model: Embedder, count: int, seed: int, progress: Progress) -> list[Template]:
    """The memories that NPCs have, embedded."""
    made = []
    memories = texts(min(count, _TEXTS), seed)
    for memory in memories:
        data = {name: value for name, value in memory.items() if name not in _OWN}
        importance = memory.get("importance", 5)
        made.append(new_record("bench", "", MemoryConfig(), NOW, memory["text"], importance, data))
    vectors: dict[int, FloatVector] = {}
    for positions, embedded in model.batches([record.document_full for record in made]):
        vectors.update(zip(positions.tolist(), embedded, strict=True))
        progress.update(f"{len(vectors):,} of {len(made):,} texts embedded")
    return [Template(record, _columns(record), vectors[place]) for place, record in enumerate(made)]


def _columns(record: Record) -> dict[str, Any]:
    """The columns of a memory but its save, its key and its NPC."""
    digest = digest_of(record.event_type, record.document_full)
    return {**record._asdict(), "terms": record.index_terms(), "digest": digest}


def her_records(npc_id: str, chosen: Sequence[Template]) -> Iterator[tuple[Template, str, float]]:
    """The memories of an NPC, oldest first: text, ID and time."""
    for number, template in enumerate(chosen):
        timestamp = NOW - _SECONDS_PER_DAY * 60 * (1 - number / len(chosen))
        yield template, f"{npc_id}_{int(timestamp)}_{template.record.event_type}_{number}", timestamp


def fill(
    where: MemoryPostgresStorage, name: str, npcs: Sequence[str], memories: int, seed: int, progress: Progress
) -> None:
    """Make a save in which these NPCs share the memories evenly.

    Raises:
        SetupError: what was written is not what the store writes.
    """
    model = embedder()
    made = templates(model, memories, seed, progress)
    source = random.Random(f"cluster {seed}")
    with open_save(name, model, storage=where, clock=lambda: NOW) as save:
        numbers = _npc_numbers(save, npcs)
        store: Any = save.store
        with psycopg_beside(where) as connection:
            first = _reserved(save, memories)
            rows: list[tuple[int, int, Template, str, float]] = []
            for index, npc_id in enumerate(npcs):
                count = memories // len(npcs) + (index < memories % len(npcs))
                chosen = source.sample(made, min(count, len(made)))
                chosen += source.choices(made, k=count - len(chosen))
                for template, id, timestamp in her_records(npc_id, chosen):
                    rows.append((first, numbers[npc_id], template, id, timestamp))
                    first += 1
                if len(rows) >= __MEMORY_AT_ONCE or index == len(npcs) - 1:
                    _copy(connection, store._save.save, save.context.model, rows)
                    rows.clear()
                    progress.update(f"{index + 1:,} of {len(npcs):,} NPCs")
            connection.execute("ANALYZE")
        for npc_id in (npcs[0], npcs[-1]):
            _check(save, npc_id, {template.record.document_full: template for template in made})


def psycopg_beside(where: MemoryPostgresStorage) -> psycopg.Connection[tuple[Any, ...]]:
    """A connection to the tables of all saves, with the store's forms of values."""
    from rag_memory_server.postgres.connecting import connected

    return connected(where, "bench")


def _npc_numbers(save: Save, npcs: Sequence[str]) -> dict[str, int]:
    with save.store.transaction():
        return {npc_id: save.store.npcs.add(npc_id) for npc_id in npcs}


def _reserved(save: Save, count: int) -> int:
    """Reserve numbers for memories; return the first one."""
    store: Any = save.store
    statement = "SELECT setval('memory_numbers', nextval('memory_numbers') + :count)"
    return int(store.npcs._database.number(statement, count=count)) - count + 1


def _copy(
    connection: psycopg.Connection[tuple[Any, ...]],
    save: int,
    model: int,
    rows: Sequence[tuple[int, int, Template, str, float]],
) -> None:
    vector = TypeInfo.fetch(connection, "vector")
    assert vector is not None, "the save has vectors"
    with connection.transaction(), connection.cursor() as cursor:
        cursor.execute("SELECT nextval('write_numbers')")  # the order number of everything that is copied
        with cursor.copy(f"COPY memories ({', '.join(_MEMORY)}) FROM STDIN".encode()) as copy:
            for memory, npc, template, id, timestamp in rows:
                own = {"save": save, "memory": memory, "npc": npc, "id": id}
                values = {**template.columns, **own, **dict.fromkeys(_TIMES, timestamp)}
                copy.write_row([values[name] for name in _MEMORY])
        with cursor.copy(f"COPY vectors ({', '.join(_VECTOR)}) FROM STDIN (FORMAT BINARY)".encode()) as copy:
            copy.set_types(["int8", "int8", "int8", "int8", vector.oid])
            for memory, npc, template, _id, _timestamp in rows:
                copy.write_row((save, memory, npc, model, template.vector))


class _UndoneError(Exception):
    """Raised to roll back rows that were written for comparison."""


def _check(save: Save, npc_id: str, made: Mapping[str, Template]) -> None:
    """Check that the store reads copied rows like its own."""
    store: Any = save.store
    npc = store.npcs.number(npc_id)
    record = store.records.find(npc)[0]
    template = made[record.document_full]
    with contextlib.suppress(_UndoneError), store.transaction():
        key = store.records.insert(
            npc, record._replace(id="written", key=0), template.vector, save.context.model
        )
        (written,) = store.records.by_keys([key])
        same = written._replace(key=record.key, id=record.id) == record
        terms = store.terms.of(npc, [record.key]) == store.terms.of(npc, [key])
        stored = store.comparing.of([record.key, key], save.context.model)
        if not same or not terms or not np.array_equal(stored[record.key], stored[key]):
            raise SetupError(
                "The filled save cannot be used",
                f"the store writes {written}, and it was filled with {record}",
                "correct bench/measurement/cluster_save.py",
            )
        raise _UndoneError
