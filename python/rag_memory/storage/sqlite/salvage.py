"""A fresh save from everything that can be read of a damaged one; what follows from it is made anew.

Whatever is wrong with a file, its rows are told by their shape, so neither its head nor its schema, indexes
or keyword index are needed, and none of them is trusted.
"""

from __future__ import annotations

import contextlib
import math
import shutil
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rag_memory import files
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.memory.kind import KINDS
from rag_memory.memory.owners import LORE, WORLD
from rag_memory.storage.sqlite.derived import derive
from rag_memory.storage.sqlite.page_reading import PAGE_BYTES, Row, Value, rows
from rag_memory.storage.sqlite.schema import APPLICATION_ID, HIGHEST_KEY, MIGRATIONS, SCHEMA_VERSION, migrate
from rag_memory.storage.sqlite.sqlite_failure import UNREADABLE
from rag_memory.storage.stored_value import storable
from rag_memory.validation import list_in, mapping_in, to_json

_TYPES: Mapping[str, tuple[type, ...]] = {
    "TEXT": (str,),
    "INTEGER": (int,),
    "REAL": (float, int),
    "BLOB": (bytes,),
}
_LISTS = ("participants", "topics", "entities")
_RANGES = {"importance": (1, 10), "memory_tier": (0, 2), "is_milestone": (0, 1), "repeat_count": (1, 1 << 53)}
_TABLES = (
    "npcs",
    "embedding_models",
    "memories",
    "archived_memories",
    "vectors",
    "interactions",
    "documents",
)
_NPC_IN_ID = lazy_pattern(r"(.+?)_-?\d+_")
"""An id begins with the NPC's, as searchable/free_ids.py makes them."""
_MEMORY_IN_DETAILS = lazy_pattern(r'"memory_id": ?"([^"\\]+)"')
_OF_NPCS = ("memories", "archived_memories", "interactions")
_MOST_READ = 1 << 30
_READ_AT_ONCE = 1 << 20
_LONGEST_SQUARE = 4.0
"""Vectors have the length 1."""


class _Table(NamedTuple):
    names: tuple[str, ...]
    types: tuple[tuple[type, ...] | None, ...]
    """None for what is the rowid, which a row does not hold a second time."""


_Rows = dict[str, dict[int, dict[str, Any]]]
"""By table and rowid."""


def salvage(damaged: Path, target: Path) -> int:
    """Write what can be read of a damaged save into a new one; how many memories, interactions and documents
    that are. Without any, nothing is written.

    Args:
        damaged: the file, beside it perhaps its write-ahead log or rollback journal; all stay as they are.
        target: where there is no file.

    Raises:
        OSError: a file cannot be read or written.
        sqlite3.Error: the new save cannot be written.
    """
    copy, new = target.with_name(f"{target.name}.reading"), target.with_name(f"{target.name}.new")
    for path in (copy, new):
        files.delete(path)
    try:
        _copy_whole(damaged, copy)
        version, rows_read = _read(copy)
        if not any(
            rows_read[name] for name in ("memories", "archived_memories", "interactions", "documents")
        ):
            return 0
        files.delete(new)
        with contextlib.closing(sqlite3.connect(new, isolation_level=None)) as connection:
            count = _write(connection, version, rows_read)
        files.sync_file(new)
        files.replace(new, target)
        files.sync_folder(target.parent)
    finally:
        for path in (copy, new):
            for suffix in ("", "-wal", "-journal"):
                files.delete(Path(f"{path}{suffix}"))
    return count


def _copy_whole(damaged: Path, copy: Path) -> None:
    """A copy of the file with what its write-ahead log holds, and without what its rollback journal takes
    back, as far as SQLite can do that.
    """
    _copy_beginning(damaged, copy)
    journal = Path(f"{damaged}-journal")
    if journal.exists() and journal.stat().st_size:
        shutil.copyfile(journal, f"{copy}-journal")
        with contextlib.suppress(*UNREADABLE), contextlib.closing(_connected(copy)) as connection:
            connection.execute("PRAGMA schema_version").fetchall()
    log = Path(f"{damaged}-wal")
    if not log.exists() or not log.stat().st_size:
        return
    shutil.copyfile(log, f"{copy}-wal")
    with copy.open("r+b") as stream:
        head = stream.read(PAGE_BYTES).ljust(PAGE_BYTES, b"\0")
        stream.seek(0)
        # Every save has the same here.
        stream.write(b"SQLite format 3\0\x10\x00\x02\x02\x00\x40\x20\x20" + head[24:])
    with contextlib.suppress(*UNREADABLE), contextlib.closing(_connected(copy)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _copy_beginning(damaged: Path, copy: Path) -> None:
    """Copy what can be a save of a file: what is longer than any would take minutes and fill the disk."""
    with damaged.open("rb") as source, copy.open("wb") as target:
        left = _MOST_READ
        while left and (part := source.read(min(left, _READ_AT_ONCE))):
            target.write(part)
            left -= len(part)


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    return connection


def _read(file: Path) -> tuple[int, _Rows]:
    """The schema version that most memories have, and the rows."""
    tables = {version: _tables(version) for version in MIGRATIONS}
    by_length: dict[int, list[tuple[int, str, _Table]]] = defaultdict(list)
    for version, named in tables.items():
        for name, table in named.items():
            by_length[len(table.names)].append((version, name, table))
    tables_read: dict[int, _Rows] = {version: {name: {} for name in _TABLES} for version in tables}
    for row in rows(file):
        for version, name, table in by_length.get(len(row.values), ()):
            if _fits(row, table):
                values = dict(zip(table.names, row.values, strict=True))
                tables_read[version][name].setdefault(row.rowid, values)
    best = max(tables, key=lambda version: (len(tables_read[version].get("memories", ())), version))
    return best, tables_read[best]


def _tables(version: int) -> dict[str, _Table]:
    """The tables that a save of a version has."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for step in range(1, version + 1):
            MIGRATIONS[step](connection)
        tables = {}
        for name in _TABLES:
            columns = connection.execute(f"PRAGMA table_info({name})").fetchall()
            if columns:
                types = [None if column[5] else _types_of(*column[2:4]) for column in columns]
                if name == "documents":  # Of its texts all can be mended.
                    types = [(str, bytes) if kinds == (str,) else kinds for kinds in types]
                tables[name] = _Table(tuple(column[1] for column in columns), tuple(types))
    return tables


def _types_of(kind: str, is_required: int) -> tuple[type, ...]:
    return _TYPES[kind] if is_required else (*_TYPES[kind], type(None))


def _fits(row: Row, table: _Table) -> bool:
    return row.rowid > 0 and all(
        value is None if types is None else isinstance(value, types)
        for value, types in zip(row.values, table.types, strict=True)
    )


def _write(connection: sqlite3.Connection, version: int, rows_read: _Rows) -> int:
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("BEGIN")
    for step in range(1, version + 1):
        MIGRATIONS[step](connection)
    _mend_npcs(rows_read)
    _renumber(rows_read)
    models = rows_read["embedding_models"]
    for memory in [*rows_read["archived_memories"].values()]:
        models.setdefault(
            memory["model"], {"fingerprint": f"lost {memory['model']}", "name": "", "dimension": 1}
        )
    for name in ("memories", "archived_memories"):
        for memory in rows_read[name].values():
            _mend(memory)
    for entry in rows_read["interactions"].values():
        _mend_texts(entry)
    rows_read["documents"] = {rowid: row for rowid, row in rows_read["documents"].items() if _is_mended(row)}
    rows_read["vectors"] = {
        rowid: row
        for rowid, row in rows_read["vectors"].items()
        if rowid in rows_read["memories"] and _is_vector(row["embedding"], models.get(row["model"]))
    }
    for name in _TABLES:
        _insert(connection, name, rows_read[name])
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {version}")
    connection.execute("COMMIT")
    migrate(connection, version)
    if version == SCHEMA_VERSION:
        derive(connection, "memories")
    # The caches of search graphs belong to the revisions that were.
    connection.execute("UPDATE npcs SET revision = random()")
    counted = ("memories", "interactions", "documents")
    sql = f"SELECT {' + '.join(f'(SELECT count(*) FROM {name})' for name in counted)}"
    return int(connection.execute(sql).fetchone()[0])


def _insert(connection: sqlite3.Connection, name: str, rows_read: Mapping[int, Mapping[str, Any]]) -> None:
    for rowid, values in sorted(rows_read.items()):
        present = {column: value for column, value in values.items() if value is not None}
        # The order of writes begins anew, without marks: a mark needs rows that nobody could read.
        if "write_order" in present:
            present["write_order"] = 0
        # Of two rows that cannot both be there, one is the damaged one.
        with contextlib.suppress(sqlite3.IntegrityError):
            connection.execute(
                f"INSERT INTO {name} (rowid, {', '.join(present)}) "
                f"VALUES (?, {', '.join('?' for _ in present)})",
                (rowid, *present.values()),
            )


def _mend_npcs(rows_read: _Rows) -> None:
    """Give every memory an NPC that there is; of a damaged one the ids of memories still tell the name, and
    that of the world or of the lore the documents that have the same ids.
    """
    names_of: dict[int, Counter[str]] = defaultdict(Counter)
    owned = [row for name in _OF_NPCS for row in rows_read[name].values()]
    of_world = {
        row["id"]: LORE if str(row["kind"]).startswith("lore") else WORLD
        for row in rows_read["documents"].values()
        if not row["owner"] or str(row["kind"]).startswith("lore")
    }

    def name_in(row: Mapping[str, Any]) -> str | None:
        id = _id_in(row)
        named = _NPC_IN_ID.match(id)
        return of_world.get(id) or (named.group(1) if named is not None else None)

    for row in owned:
        name = name_in(row)
        if name is not None:
            names_of[row["npc"]][name] += 1
    npcs = rows_read["npcs"]
    for number, values in npcs.items():
        likely = names_of[number].most_common(1)
        if likely and _differ_by_one(likely[0][0], values["npc_id"]):
            values["npc_id"] = likely[0][0]
    numbers = {values["npc_id"]: number for number, values in npcs.items()}
    for row in owned:
        if row["npc"] in npcs:
            continue
        likely = names_of[row["npc"]].most_common(1)
        npc_id = name_in(row) or (likely[0][0] if likely else f"lost_{row['npc']}")
        if npc_id not in numbers:
            # The number it had, unless that is what was damaged.
            number = row["npc"] if 0 < row["npc"] < 1 << 31 else max(npcs, default=0) + 1
            numbers[npc_id] = number
            npcs[number] = {"npc_id": npc_id, "revision": 0}
        row["npc"] = numbers[npc_id]


def _id_in(row: Mapping[str, Any]) -> str:
    """The id of a memory, or of the one that an interaction became."""
    if "id" in row:
        return str(row["id"])
    match = _MEMORY_IN_DETAILS.search(row["details"])
    return match.group(1) if match else ""


def _differ_by_one(one: str, other: str) -> bool:
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 1


def _mend(memory: dict[str, Any]) -> None:
    """Give what cannot be what it says a value that it can have."""
    _mend_texts(memory)
    for name in _LISTS:
        memory[name] = to_json([item for item in list_in(memory[name]) if isinstance(item, str)])
    memory["extra"] = to_json(storable(mapping_in(memory["extra"])))
    if memory.get("kind", "") not in KINDS:
        memory["kind"] = ""
    for name, (least, most) in _RANGES.items():
        if name in memory:
            memory[name] = max(least, min(most, memory[name]))


def _is_mended(document: dict[str, Any]) -> bool:
    """Mend a version of a document; False when it says nothing any more, so that an earlier one holds."""
    for name, value in document.items():
        # One changed bit makes bytes of a text, and of a number one that is none.
        if isinstance(value, bytes):
            document[name] = value.decode("utf-8", "replace")
        if name in ("timestamp", "stored_at") and not math.isfinite(value):
            document[name] = 0.0
    _mend_texts(document)
    return document["content"] == "{}" or bool(mapping_in(document["content"]))


def _mend_texts(row: dict[str, Any]) -> None:
    for name, value in row.items():
        if isinstance(value, str):
            row[name] = value.replace("\0", "\ufffd")


def _renumber(rows_read: _Rows) -> None:
    """Give rows with numbers that were never given the next ones. Vectors are made again."""
    for table in rows_read.values():
        for number in [number for number in table if number > HIGHEST_KEY]:
            last = max((other for other in table if other <= HIGHEST_KEY), default=0)
            table[last + 1] = table.pop(number)


def _is_vector(embedding: bytes, model: Mapping[str, Value] | None) -> bool:
    """Whether it is a vector of this model; what has none is embedded again."""
    if model is None or len(embedding) != 4 * int(model["dimension"] or 0):
        return False
    with np.errstate(all="ignore"):
        vector = np.frombuffer(embedding, dtype="<f4")
        return bool(np.dot(vector, vector) < _LONGEST_SQUARE)
