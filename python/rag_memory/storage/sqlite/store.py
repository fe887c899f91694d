"""The SQLite side of a save: every statement that reads or writes memories is here.

Those for what is no longer in force are in archive.py and rollback.py.
"""

from __future__ import annotations

import contextlib
import math
import os
import sqlite3
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np

from rag_memory.errors import StoreError
from rag_memory.memory.record import PLAYER_INFO, Record, digest_of
from rag_memory.step import Step
from rag_memory.storage.sqlite import archive, capture, rollback
from rag_memory.storage.sqlite.archive import Archived, ArchivedRecord
from rag_memory.storage.sqlite.capture import Captured
from rag_memory.storage.sqlite.copying import copy_part, sync_steps
from rag_memory.storage.sqlite.database import TEMPORARY_PATH, open_database
from rag_memory.storage.sqlite.schema import SCHEMA_VERSION, migrate
from rag_memory.storage.sqlite.sqlite_failure import cause, remedy
from rag_memory.text.index_terms import entered_terms, entry
from rag_memory.validation import to_json
from rag_memory.vectors import FloatMatrix, FloatVector, Keys

_COLUMNS = ", ".join("rowid" if name == "key" else name for name in Record._fields)
_LAST = chr(sys.maxunicode)
"""Behind every character that a term can have."""
_INSERTED = tuple(name for name in Record._fields if name != "key")
_INSERT = (
    f"INSERT INTO memories (npc, keywords, digest, {', '.join(_INSERTED)}) "
    f"VALUES (?, ?, ?, {', '.join('?' for _ in _INSERTED)})"
)
_UPDATE = (
    f"UPDATE memories SET keywords = ?, digest = ?, {', '.join(f'{name} = ?' for name in _INSERTED)} "
    "WHERE rowid = ?"
)
_SET_VECTOR = "INSERT OR REPLACE INTO vectors (memory, model, embedding) VALUES (?, ?, ?)"

# IN lists come in a few lengths only, so that their statements stay prepared.
_IN_LENGTHS = (1, 4, 8, 16, 24, 32, 48, 64, 128, 256)

_COPIED_BYTES = 4 * 1024 * 1024
_CHECKPOINT_PAGES = 1000

_ROWIDS_AT_ONCE = 1000

_READ_LIMIT = 4096
"""Records kept after they were read: the same few memories answer most questions."""


class Store:
    """One open database. Everything is written in transactions; what a method has written survives a killed
    process.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._database = open_database(path)
        self._connection = self._database.connection
        self._read: dict[int, Record] = {}
        self._main_file: FileIO | None = None

    @property
    def name(self) -> str:
        """What messages call it."""
        return "in a temporary file" if self.path == TEMPORARY_PATH else self.path

    def close(self) -> None:
        """Put everything into the main file and release it."""
        try:
            with self._errors("close"):
                self._database.close()
        finally:
            if self._main_file is not None:
                self._main_file.close()

    def copy_steps(self, target: Path) -> Generator[Step, None, None]:
        """Write a copy of the whole database as it is now, in slices; it is on the disk at the end.

        Raises:
            OSError: the copy could not be written.
            StoreError: the save itself could not be.
        """
        if self._main_file is None:
            # Kept open until the database is closed: POSIX drops all of a process's locks on a file with the
            # first handle to it that is closed.
            self._main_file = open(self.path, "rb", buffering=0)  # noqa: SIM115
        # The main file holds still while nothing is moved into it from the write-ahead log.
        self._pragma("wal_autocheckpoint = 0")
        try:
            self._pragma("wal_checkpoint(TRUNCATE)")
            total = self._main_file.seek(0, os.SEEK_END)
            with open(target, "wb", buffering=0) as copy:
                done = 0
                while done < total:
                    done += copy_part(self._main_file, copy, done, min(_COPIED_BYTES, total - done))
                    yield Step(done, total, "copying the save")
                yield from sync_steps(copy)
        finally:
            self._pragma(f"wal_autocheckpoint = {_CHECKPOINT_PAGES}")

    def replace_all(self, source: sqlite3.Connection) -> None:
        """Become a copy of another save, all of it or nothing. One of an older schema version becomes a
        current one afterwards.
        """
        with self._errors("write"):
            (version,) = source.execute("PRAGMA user_version").fetchone()
            self._read.clear()
            source.backup(self._connection)
            migrate(self._connection, version)
        # What stays in the write-ahead log is as safe, only the log is long.
        with contextlib.suppress(StoreError):
            self._pragma("wal_checkpoint(TRUNCATE)")

    def _pragma(self, text: str) -> None:
        with self._errors("write"):
            self._connection.execute(f"PRAGMA {text}").fetchall()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All writes inside become one commit, or none of them when an exception leaves it. One inside
        another is a part of that.
        """
        with self._errors("write"):
            is_part = self._connection.in_transaction
            if is_part:
                yield self._connection
                return
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                self._read.clear()
                # On a full disk SQLite has rolled back by itself.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, for a module that has statements of its own; it may only read."""
        with self._errors("read"):
            yield self._connection

    # NPCs

    def npc_number(self, npc_id: str) -> int | None:
        """The NPC's number in this save, or None when nothing was ever stored for it."""
        row = self._row("SELECT npc FROM npcs WHERE npc_id = ?", (npc_id,))
        return None if row is None else int(row[0])

    def add_npc(self, npc_id: str) -> int:
        """The number of a new NPC. Inside a transaction."""
        return int(self._write("INSERT INTO npcs (npc_id) VALUES (?)", (npc_id,)).lastrowid or 0)

    def npc_ids(self) -> list[str]:
        """Every NPC that has a number in this save, in alphabetical order."""
        return [str(row[0]) for row in self._rows("SELECT npc_id FROM npcs ORDER BY npc_id", ())]

    def revision(self, npc: int) -> int:
        """A number that no other state of the NPC's vectors has, not even in a copy of the save."""
        row = self._row("SELECT revision FROM npcs WHERE npc = ?", (npc,))
        return 0 if row is None else int(row[0])

    def touch(self, npc: int) -> None:
        """Note that the NPC's vectors have changed. Inside a transaction."""
        self._write("UPDATE npcs SET revision = random() WHERE npc = ?", (npc,))

    # Memories

    def insert(self, npc: int, record: Record, vector: FloatVector, model: int) -> int:
        """Add a memory with its vector; its rowid. Inside a transaction."""
        values = (npc, *record.derived(npc), *record[1:])
        rowid = int(self._write(_INSERT, values).lastrowid or 0)
        self._write(_SET_VECTOR, (rowid, model, _blob(vector)))
        return rowid

    def replace(self, npc: int, record: Record, vector: FloatVector, model: int) -> None:
        """Give the memory with `record.key` new content and a new vector. Inside a transaction."""
        self.revise(npc, record)
        self._write(_SET_VECTOR, (record.key, model, _blob(vector)))

    def revise(self, npc: int, record: Record) -> None:
        """Give the memory with `record.key` new metadata; its text, and so its vector, stays. Inside a
        transaction.
        """
        self._read.pop(record.key, None)
        self._write(_UPDATE, (*record.derived(npc), *record[1:], record.key))

    def supersede(self, rowids: Sequence[int], by: str, at: float) -> None:
        """Mark memories as superseded by the one with the id `by`. Inside a transaction."""
        for rowid in rowids:
            self._read.pop(rowid, None)
            self._write(
                "UPDATE memories SET superseded_by = ?, superseded_at = ? WHERE rowid = ?", (by, at, rowid)
            )

    def unsupersede(self, npc: int, by: str) -> None:
        """Take the mark from what the memory with the id `by` has superseded. Inside a transaction."""
        self._read.clear()
        self._write(
            "UPDATE memories SET superseded_by = '', superseded_at = 0 WHERE npc = ? AND superseded_by = ?",
            (npc, by),
        )

    def archive(self, rowids: Sequence[int], archived: Archived) -> None:
        """Move memories and their vectors into the archive. Inside a transaction."""
        self.archive_copy(rowids, archived)
        for rowid in rowids:
            self.delete(rowid)

    def archive_copy(self, rowids: Sequence[int], archived: Archived) -> None:
        """Keep in the archive what memories say now, before they are replaced. Inside a transaction."""
        archive.copy(self._connection, rowids, archived)

    def archive_repeated(self, npc: int, record: Record, at: float, model: int) -> None:
        """Keep in the archive when and with what weight a memory was told before it is told again. Inside a
        transaction.
        """
        archive.keep_repeated(self._connection, npc, record, at, model)

    def archive_new(
        self, npc: int, archived: Archived, record: Record, vector: FloatVector, model: int
    ) -> None:
        """Add a memory to the archive that was never in force in this save. Inside a transaction."""
        archive.insert(self._connection, npc, archived, record, model, _blob(vector))

    def archived(self, npc: int) -> list[ArchivedRecord]:
        """What the NPC has archived that holds no longer, in the order in which it was archived."""
        with self._errors("read"):
            return archive.records(self._connection, npc)

    def forget_archived(self, npc: int, id: str | None = None) -> None:
        """Delete what the archive holds of the NPC, or of one of its memories. Inside a transaction."""
        archive.forget(self._connection, npc, id)

    def capture(self, npc: int | None, id: str) -> Captured:
        """Everything there is under an id, to be put back."""
        with self._errors("read"):
            return capture.capture(self._connection, npc, id)

    def put_back(self, npc: int, captured: Sequence[Captured]) -> list[Record]:
        """Make these ids again what they were when they were captured; the records that there are of them.
        Inside a transaction.

        Raises:
            InvalidArgumentError: they were captured from a save with other embedding models.
        """
        self._read.clear()
        return capture.put_back(self._connection, npc, captured)

    def roll_back(self, moment: float) -> rollback.Rollback:
        """Go back to a moment, all NPCs together. Inside a transaction."""
        self._read.clear()
        return rollback.roll_back(self._connection, moment)

    def delete(self, rowid: int) -> None:
        """Delete a memory and its vector. Inside a transaction."""
        self._read.pop(rowid, None)
        self._write("DELETE FROM memories WHERE rowid = ?", (rowid,))

    def delete_all(self, npc: int) -> int:
        """Delete every memory of the NPC; how many there were. Inside a transaction."""
        self._read.clear()
        return self._write("DELETE FROM memories WHERE npc = ?", (npc,)).rowcount

    def id_exists(self, npc: int, id: str) -> bool:
        """Whether the NPC has, or has archived, a memory with this id."""
        row = self._row(
            "SELECT 1 FROM memories WHERE npc = :npc AND id = :id "
            "UNION ALL SELECT 1 FROM archived_memories WHERE npc = :npc AND id = :id",
            {"npc": npc, "id": id},
        )
        return row is not None

    def by_id(self, npc: int, id: str) -> Record | None:
        """The memory with this id."""
        return self._record(f"SELECT {_COLUMNS} FROM memories WHERE npc = ? AND id = ?", (npc, id))

    def by_keys(self, rowids: Sequence[int]) -> list[Record]:
        """The memories with these rowids, in ascending order of rowid; unknown ones are left out."""
        read = self._read
        missing = [rowid for rowid in rowids if rowid not in read]
        if len(read) + len(missing) > _READ_LIMIT:
            read.clear()
            missing = list(rowids)
        found = [] if len(missing) == len(rowids) else [read[rowid] for rowid in rowids if rowid in read]
        records = self.read_once(missing)
        found += records
        if len(missing) <= _READ_LIMIT:
            read.update((record.key, record) for record in records)
        found.sort(key=_key_of)
        return found

    def all(self, npc: int) -> list[Record]:
        """Every memory of the NPC, in the order in which they were stored first."""
        rows = self._rows(f"SELECT {_COLUMNS} FROM memories WHERE npc = ? ORDER BY rowid", (npc,))
        return [Record._make(row) for row in rows]

    def key_pages(self, npc: int) -> Iterator[list[int]]:
        """The rowids of all(), in the order of the memories' times, a millisecond or two at a time."""
        last: tuple[float, int] = (-math.inf, -1)
        while rows := self._rows(
            "SELECT timestamp, rowid FROM memories WHERE npc = ? AND (timestamp, rowid) > (?, ?) "
            "ORDER BY timestamp, rowid LIMIT ?",
            (npc, *last, _ROWIDS_AT_ONCE),
        ):
            yield [row[1] for row in rows]
            last = rows[-1]

    def read_once(self, rowids: Sequence[int]) -> list[Record]:
        """by_keys() of memories that are not asked for again soon: they are not kept."""
        rows = self._rows_in(f"SELECT {_COLUMNS} FROM memories WHERE rowid", rowids)
        return sorted((Record._make(row) for row in rows), key=_key_of)

    def newest_in_slot(self, npc: int, slot_type: str) -> Record | None:
        """The current value of a slot."""
        return self._record(
            f"SELECT {_COLUMNS} FROM memories WHERE npc = ? AND slot_type = ? AND slot_type <> '' "
            "ORDER BY timestamp DESC, rowid DESC LIMIT 1",
            (npc, slot_type),
        )

    def in_slot(self, npc: int, slot_type: str) -> list[Record]:
        """Every memory in a slot, in the order in which they were stored."""
        rows = self._rows(
            f"SELECT {_COLUMNS} FROM memories WHERE npc = ? AND slot_type = ? AND slot_type <> '' "
            "ORDER BY rowid",
            (npc, slot_type),
        )
        return [Record._make(row) for row in rows]

    def valid_of_event(self, npc: int, event_type: str, until: float) -> list[Record]:
        """The NPC's memories of an event type that nothing has superseded, dated `until` or earlier."""
        rows = self._rows(
            f"SELECT {_COLUMNS} FROM memories WHERE npc = ? AND event_type = ? AND timestamp <= ? "
            "AND superseded_by = '' ORDER BY rowid",
            (npc, event_type, until),
        )
        return [Record._make(row) for row in rows]

    def statistics(self, npc: int) -> dict[str, Any]:
        """Counts and means over the NPC's memories, by the names that get_memory_stats() gives them."""
        row = self._row(
            "SELECT count(*), coalesce(avg(importance), 0.0), coalesce(min(timestamp), 0.0), "
            "coalesce(max(timestamp), 0.0), coalesce(sum(is_milestone), 0), "
            "coalesce(sum(superseded_by <> ''), 0) FROM memories WHERE npc = ?",
            (npc,),
        )
        assert row is not None
        names = ("total", "average_importance", "oldest", "newest", "milestones", "superseded")
        return dict(zip(names, row, strict=True))

    def counts_by(self, npc: int, column: str) -> dict[Any, int]:
        """How many memories the NPC has of each value of a column, which is one of the Record's fields."""
        assert column in Record._fields
        rows = self._rows(
            f"SELECT {column}, count(*) FROM memories WHERE npc = ? GROUP BY {column} ORDER BY {column}",
            (npc,),
        )
        return {row[0]: int(row[1]) for row in rows}

    def player_info(self, npc: int, info_type: str) -> Record | None:
        """The memory that holds this piece of information about the player."""
        return self._record(
            f"SELECT {_COLUMNS} FROM memories WHERE npc = ? AND info_type = ? AND info_type <> '' "
            f"AND event_type = '{PLAYER_INFO}' ORDER BY rowid DESC LIMIT 1",
            (npc, info_type),
        )

    def first_of_event(self, npc: int, event_type: str) -> float | None:
        """The timestamp of the NPC's oldest memory of this event type."""
        row = self._row(
            "SELECT min(timestamp) FROM memories WHERE npc = ? AND event_type = ?", (npc, event_type)
        )
        return None if row is None or row[0] is None else float(row[0])

    def newest(self, npc: int, count: int, min_importance: int) -> list[Record]:
        """The newest memories of at least this importance, newest first."""
        rows = self._rows(
            f"SELECT {_COLUMNS} FROM memories WHERE npc = ? AND importance >= ? "
            "ORDER BY timestamp DESC, rowid DESC LIMIT ?",
            (npc, min_importance, count),
        )
        return [Record._make(row) for row in rows]

    def keys_where(self, npc: int, condition: str, values: Sequence[Any]) -> Keys:
        """The rowids of the NPC's memories for which an SQL condition, with its values bound, holds;
        ascending.
        """
        rows = self._rows(
            f"SELECT rowid FROM memories WHERE npc = ? AND ({condition}) ORDER BY rowid", (npc, *values)
        )
        return np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))

    def keys_with_term(self, npc: int, kind: str, term: str) -> Keys:
        """The rowids of the NPC's memories that the keyword index has under a term; ascending."""
        # As one text: a quarter of the time of a row for each of thousands.
        ((text,),) = self._rows(
            "SELECT group_concat(rowid) FROM memories_fts WHERE memories_fts MATCH ?",
            (f'"{entry(npc, kind, term)}"',),
        )
        return np.sort(np.fromstring(text or "", dtype=np.int64, sep=","))

    def terms_of_kind(self, npc: int, kind: str) -> list[str]:
        """Every term of a kind that the keyword index has of the NPC's memories."""
        self._rows(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.keyword_terms USING fts5vocab (main, memories_fts, row)",
            (),
        )
        first = entry(npc, kind, "")
        rows = self._rows(
            "SELECT term FROM temp.keyword_terms WHERE term >= ? AND term <= ?", (first, first + _LAST)
        )
        return [term.removeprefix(first) for (term,) in rows]

    def index_terms(self, npc: int, rowids: Sequence[int]) -> list[list[str]]:
        """What the keyword index has of these memories of the NPC: kinds and terms, in ascending order of
        rowid.
        """
        rows = self._rows(
            "SELECT keywords FROM memories WHERE rowid IN (SELECT value FROM json_each(?)) ORDER BY rowid",
            (to_json(list(rowids)),),
        )
        return [entered_terms(npc, row[0]) for row in rows]

    @property
    def change_count(self) -> int:
        """A number that grows with everything that is written."""
        return self._connection.total_changes

    def repeatable(self, npc: int, event_type: str, text: str) -> list[Record]:
        """The NPC's memories of this event type and text that nothing has superseded, by rowid."""
        rows = self._rows(
            f"SELECT {_COLUMNS} FROM memories WHERE npc = ? AND digest = ? AND event_type = ? "
            "AND document_full = ? AND superseded_by = '' ORDER BY rowid",
            (npc, digest_of(event_type, text), event_type, text),
        )
        return [Record._make(row) for row in rows]

    def count(self, npc: int | None = None) -> int:
        """The number of memories of one NPC, or of all."""
        sql = "SELECT count(*) FROM memories"
        row = self._row(sql, ()) if npc is None else self._row(f"{sql} WHERE npc = ?", (npc,))
        return 0 if row is None else int(row[0])

    def searched(
        self, rowids: Sequence[int], dimension: int
    ) -> tuple[list[tuple[int, int, float, int, str]], FloatMatrix]:
        """What these memories, ascending, are searched by: rowid, importance, timestamp, memory_tier and
        event_type of each, and their vectors in the same order.
        """
        rows = self._rows_in(
            "SELECT m.rowid, m.importance, m.timestamp, m.memory_tier, m.event_type, v.embedding "
            "FROM memories m JOIN vectors v ON v.memory = m.rowid WHERE m.rowid",
            rowids,
            "ORDER BY m.rowid",
        )
        joined = b"".join(row[-1] for row in rows)
        vectors = np.frombuffer(joined, dtype="<f4").astype(np.float32).reshape(len(rows), dimension)
        return [row[:-1] for row in rows], vectors

    def texts(self, rowids: Sequence[int]) -> list[str]:
        """The full texts of these memories, in the order asked for."""
        by_rowid = {record.key: record.document_full for record in self.by_keys(rowids)}
        return [by_rowid[rowid] for rowid in rowids]

    # Vectors

    def model_number(self, fingerprint: str, name: str, dimension: int) -> int:
        """The number under which vectors of this embedding model are kept; noted as the save's current
        model.
        """
        with self.transaction():
            self._write(
                "INSERT INTO embedding_models (fingerprint, name, dimension) VALUES (?, ?, ?) "
                "ON CONFLICT (fingerprint) DO NOTHING",
                (fingerprint, name, dimension),
            )
            self.set_meta("embedding_fingerprint", fingerprint)
        with self._errors("read"):
            return model_in(self._connection, fingerprint)

    def keys_of_other_models(self, model: int) -> list[int]:
        """The memories whose vector is missing or was made by another model, ascending."""
        with self._errors("read"):
            if _all_are_of_model(self._connection, model):
                return []
        rows = self._rows(
            "SELECT m.rowid FROM memories m LEFT JOIN vectors v ON v.memory = m.rowid "
            "WHERE v.model IS NULL OR v.model <> ? ORDER BY m.rowid",
            (model,),
        )
        return [int(row[0]) for row in rows]

    def set_vectors(self, rowids: Sequence[int], vectors: FloatMatrix, model: int) -> None:
        """Give memories new vectors. Inside a transaction."""
        self._connection.executemany(
            _SET_VECTOR,
            [(rowid, model, _blob(vector)) for rowid, vector in zip(rowids, vectors, strict=True)],
        )
        self._connection.execute(
            "UPDATE npcs SET revision = random() WHERE npc IN (SELECT DISTINCT npc FROM memories "
            "WHERE rowid IN (SELECT value FROM json_each(?)))",
            (to_json(list(rowids)),),
        )

    def vectors_of(self, rowids: Sequence[int], model: int) -> dict[int, FloatVector]:
        """The vectors of those of these memories that have one of this model, by rowid."""
        rows = self._rows(
            "SELECT memory, embedding FROM vectors WHERE model = ? "
            "AND memory IN (SELECT value FROM json_each(?))",
            (model, to_json(list(rowids))),
        )
        return {int(row[0]): np.frombuffer(row[1], dtype="<f4").astype(np.float32) for row in rows}

    # Meta

    def set_meta(self, key: str, value: str) -> None:
        """Note a fact about the save. Inside a transaction."""
        self._write("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))

    def meta(self, key: str) -> str:
        """A fact noted about the save, or ""."""
        row = self._row("SELECT value FROM meta WHERE key = ?", (key,))
        return "" if row is None else str(row[0])

    def _record(self, sql: str, values: Sequence[Any]) -> Record | None:
        row = self._row(sql, values)
        return None if row is None else Record._make(row)

    def _row(self, sql: str, values: Sequence[Any] | dict[str, Any]) -> tuple[Any, ...] | None:
        try:
            row: tuple[Any, ...] | None = self._connection.execute(sql, values).fetchone()
        except sqlite3.Error as error:
            raise self._failed("read", error) from error
        return row

    def _rows(self, sql: str, values: Sequence[Any] | dict[str, Any]) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise self._failed("read", error) from error

    def _rows_in(self, select: str, rowids: Sequence[int], order: str = "") -> list[tuple[Any, ...]]:
        """What `select`, which ends with a rowid, finds of these, some at a time, each part in this order."""
        found: list[tuple[Any, ...]] = []
        for start in range(0, len(rowids), _IN_LENGTHS[-1]):
            part = list(rowids[start : start + _IN_LENGTHS[-1]])
            length = next(each for each in _IN_LENGTHS if each >= len(part))
            places = "?" + ",?" * (length - 1)
            part += [-1] * (length - len(part))
            found += self._rows(f"{select} IN ({places}) {order}", part)
        return found

    def _write(self, sql: str, values: Iterable[Any]) -> sqlite3.Cursor:
        return self._connection.execute(sql, tuple(values))

    @contextlib.contextmanager
    def _errors(self, doing: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._failed(doing, error) from error

    def _failed(self, doing: str, error: sqlite3.Error) -> StoreError:
        what_next = remedy(error, is_temporary=self.path == TEMPORARY_PATH)
        return StoreError(f"The save {self.name} could not {doing}", cause(error), what_next)


def is_embedded(source: sqlite3.Connection, fingerprint: str) -> bool:
    """Whether a save can be used with this embedding model as it is: of the current schema version, with a
    vector of the model for every memory.
    """
    (version,) = source.execute("PRAGMA user_version").fetchone()
    if version != SCHEMA_VERSION:
        return False
    model = model_in(source, fingerprint)
    return model > 0 and _all_are_of_model(source, model)


def model_in(source: sqlite3.Connection, fingerprint: str) -> int:
    """The number under which a save keeps vectors of this embedding model; 0 when it never had any."""
    row = source.execute(
        "SELECT model FROM embedding_models WHERE fingerprint = ?", (fingerprint,)
    ).fetchone()
    return 0 if row is None else int(row[0])


def _all_are_of_model(connection: sqlite3.Connection, model: int) -> bool:
    """Whether every memory has a vector of this model."""
    # Answered from indexes alone: reading every row of a large save would take seconds.
    others, missing = connection.execute(
        "SELECT (SELECT count(*) FROM vectors WHERE model < :model OR model > :model), "
        "(SELECT count(*) FROM memories) - (SELECT count(*) FROM vectors)",
        {"model": model},
    ).fetchone()
    return bool(others == missing == 0)


def _blob(vector: FloatVector) -> bytes:
    return vector.astype("<f4", copy=False).tobytes()


def _key_of(record: Record) -> int:
    return record.key
