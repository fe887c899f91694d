"""Values that no save has, because its file was changed: they are mended when it is opened, and named.

Whatever reads a save relies on this: numbers are finite and in their range, lists are JSON lists of texts,
metadata is JSON that can be written again, and a document has the keys of its kind.
"""

from __future__ import annotations

import contextlib
import functools
import json
import logging
import math
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rag_memory import files
from rag_memory.memory.document import Document
from rag_memory.memory.kind import KINDS
from rag_memory.memory.owners import is_valid_owner
from rag_memory.storage.fleeting_paths import MEMORY_PATH, TEMPORARY_PATH
from rag_memory.storage.sqlite.file_check import is_large
from rag_memory.storage.sqlite.mark_schema import WATCHED
from rag_memory.storage.sqlite.open_save import OpenSave
from rag_memory.storage.sqlite.save_paths import unused
from rag_memory.storage.sqlite.schema import HIGHEST_KEY
from rag_memory.storage.sqlite.sqlite_failure import damage
from rag_memory.storage.stored_value import storable
from rag_memory.validation import clean_text, mapping_in, to_json

MendFunction = Callable[[Document], Document | None]
"""Returns a document with what its readers need, or None when it says nothing any more."""

MOST_TEXT = 1_000_000
"""Characters: no setting allows more."""
FTS_VERSION = 4

_LOG = logging.getLogger("rag_memory")
_NAMED = 5
_KINDS = ", ".join(f"'{kind}'" for kind in KINDS)
_TEXTS = ("document_full", "document_short")
_LISTS = ("participants", "topics", "entities")
_RANGES = {
    "importance": (1, 10),
    "memory_tier": (0, 2),
    "is_milestone": (0, 1),
    "repeat_count": (1, HIGHEST_KEY),
    "occurrences": (1, HIGHEST_KEY),
}
_MEMORY_TIMES = ("timestamp", "superseded_at", "stored_at", "first_timestamp", "last_accessed")


class _Repair(NamedTuple):
    """The value that one column gets where its condition holds."""

    column: str
    condition: str
    value: str


def _is_stored(column: str, empty: str) -> str:
    """The condition of a value other than the usual empty one; the archive has repetitions without any."""
    return f"{column} <> '{empty}' AND ({column} <> '' OR document_full <> '')"


def _finite(*columns: str) -> list[_Repair]:
    return [_Repair(name, f"abs({name}) = 9e999", "0.0") for name in columns]


_MEMORY_REPAIRS = (
    *(
        _Repair(name, f"{name} NOT BETWEEN {least} AND {most}", f"max({least}, min({most}, {name}))")
        for name, (least, most) in _RANGES.items()
    ),
    *_finite(*_MEMORY_TIMES, "last_told"),
    _Repair("kind", f"kind NOT IN ({_KINDS})", "''"),
    *(
        _Repair(
            name,
            f"(length({name}) > {MOST_TEXT} OR instr({name}, char(0)))",
            f"substr(mended_text({name}), 1, {MOST_TEXT})",
        )
        for name in _TEXTS
    ),
    _Repair("id", "(id = '' OR instr(id, char(0)) OR length(id) > 10000)", "'lost_' || memory"),
    *(
        _Repair(name, f"{_is_stored(name, '[]')} AND NOT is_text_list({name})", f"mended_list({name})")
        for name in _LISTS
    ),
    _Repair("extra", f"{_is_stored('extra', '{}')} AND NOT is_object(extra)", "mended_object(extra)"),
)
_REPAIRS = {
    "npcs": (_Repair("npc_id", "NOT is_valid_owner(npc_id)", "'lost_' || npc || '_' || hex(randomblob(4))"),),
    "memories": _MEMORY_REPAIRS,
    "archived_memories": _MEMORY_REPAIRS,
    "interactions": (
        *_finite("timestamp", "stored_at", "sentiment", "strength", "known_since"),
        _Repair("details", "details <> '{}' AND NOT is_object(details)", "mended_object(details)"),
    ),
    "documents": tuple(_finite("timestamp", "stored_at")),
}
_KEYS = {**WATCHED, "npcs": "npc"}
_DOCUMENT = "kind, id, owner, content, timestamp, stored_at, exchange_id"


def _odd_settings(connection: sqlite3.Connection) -> list[str]:
    """The statements that mend the few values that every write depends on."""
    statements = []
    if connection.execute("SELECT k, v FROM memories_fts_config").fetchall() != [("version", FTS_VERSION)]:
        statements = [
            "DELETE FROM memories_fts_config",
            f"INSERT INTO memories_fts_config VALUES ('version', {FTS_VERSION})",
        ]
    for table, key in WATCHED.items():
        condition = f"name = '{table}' AND (seq NOT BETWEEN 0 AND {HIGHEST_KEY} OR typeof(seq) <> 'integer')"
        if connection.execute(f"SELECT 1 FROM sqlite_sequence WHERE {condition}").fetchone():
            last = f"coalesce((SELECT max({key}) FROM {table}), 0)"
            statements.append(f"UPDATE sqlite_sequence SET seq = {last} WHERE {condition}")
    return statements


def mend_values(save: OpenSave, mend: MendFunction) -> None:
    """Mend every value that no save has, or remove what says nothing any more; all of it or nothing.

    The file as it was is kept beside it, and the output names the first rows. Nobody may use the save.

    Args:
        mend: mends a document.

    Raises:
        StoreError: the save cannot be read or written, or a text in it is none.
    """
    with save.errors("be checked"):
        try:
            _mend(save, mend)
        except sqlite3.OperationalError as error:
            if "user-defined function" in str(error):
                raise damage("a text in it is no text") from error
            raise


def _mend(save: OpenSave, mend: MendFunction) -> None:
    connection = save.connection
    _add_functions(connection)
    settings = _odd_settings(connection)
    if settings:
        with save.transaction():
            for statement in settings:
                connection.execute(statement)
    rows = ["a setting of a table"] if settings else []
    tables = [] if is_large(Path(save.path)) else [*_REPAIRS, *(f"earlier_{table}" for table in WATCHED)]
    documents = {
        table: list(_odd_documents(connection, table, mend)) for table in tables if "documents" in table
    }
    aside = ""
    if any(documents.values()) or any(_has_odd_rows(connection, table) for table in tables):
        aside = _kept_aside(save)
        if not aside and save.path not in (MEMORY_PATH, TEMPORARY_PATH):
            return
        with save.transaction():
            # Earlier rows last: those of now go there, as they were.
            for table in tables:
                rows += _mended_rows(connection, table)
                rows += _mended_documents(connection, table, documents.get(table, ()))
    if rows:
        _LOG.error(
            "The save %s has values that no save has, because its file was changed: %s%s. They were mended, "
            "or removed where nothing was left of them%s. Restore a copy of the save if you miss anything",
            save.name,
            ", ".join(dict.fromkeys(rows[:_NAMED])),
            f" and {len(rows) - _NAMED} more" if len(rows) > _NAMED else "",
            f", and the file as it was is kept as {aside}" if aside else "",
        )


def _kept_aside(save: OpenSave) -> str:
    """Copy the file as it is; return the copy's path, "" for a save in memory or when it cannot be copied."""
    if save.path in (MEMORY_PATH, TEMPORARY_PATH):
        return ""
    aside = unused(f"{save.path}.damaged")
    try:
        with contextlib.closing(sqlite3.connect(aside)) as copy:
            save.connection.backup(copy)
        files.sync_file(aside)
    except (OSError, sqlite3.Error) as error:
        _LOG.error(
            "The save %s has values that no save has, because its file was changed. They were not mended, "
            "because it could not be copied to %s: %s. Make room on the disk, then open the save again",
            save.name,
            aside,
            error,
        )
        with contextlib.suppress(OSError):
            files.delete(aside)
        return ""
    return str(aside)


def _has_odd_rows(connection: sqlite3.Connection, table: str) -> bool:
    return connection.execute(f"SELECT 1 FROM {table} WHERE {_is_odd(table)} LIMIT 1").fetchone() is not None


def _is_odd(table: str) -> str:
    return " OR ".join(f"({repair.condition})" for repair in _repairs(table))


def _repairs(table: str) -> Sequence[_Repair]:
    return _REPAIRS[table.removeprefix("earlier_")]


def _mended_rows(connection: sqlite3.Connection, table: str) -> list[str]:
    changes = ", ".join(
        f"{repair.column} = CASE WHEN {repair.condition} THEN {repair.value} ELSE {repair.column} END"
        for repair in _repairs(table)
    )
    key = _KEYS[table.removeprefix("earlier_")]
    rows = connection.execute(
        f"UPDATE {table} SET {changes} WHERE {_is_odd(table)} RETURNING {key}"
    ).fetchall()
    return [f"{key} {number}" for (number,) in rows]


class _OddDocument(NamedTuple):
    key: int
    mark: int | None
    name: str
    mended: Document | None


def _odd_documents(connection: sqlite3.Connection, table: str, mend: MendFunction) -> Iterator[_OddDocument]:
    mark = "mark" if table.startswith("earlier_") else "NULL"
    rows = connection.execute(f"SELECT {mark}, document, {_DOCUMENT} FROM {table} WHERE content <> '{{}}'")
    for mark_number, key, kind, id, owner, content, *rest in rows:
        value = storable(mapping_in(content))
        document = Document(key, kind, id, owner, value, *rest)
        mended = mend(document) if value else None
        if mended is None or mended != document or not is_object(content):
            name = f"the {str(kind)[:40]} {str(id)[:40]!r}"
            yield _OddDocument(key, mark_number, name, mended)


def _mended_documents(
    connection: sqlite3.Connection, table: str, documents: Sequence[_OddDocument]
) -> list[str]:
    for document in documents:
        where, values = ("document = ?", [document.key])
        if document.mark is not None:
            where, values = "document = ? AND mark = ?", [document.key, document.mark]
        if document.mended is None:
            connection.execute(f"DELETE FROM {table} WHERE {where}", values)
        else:
            content = to_json(document.mended.content)
            connection.execute(f"UPDATE {table} SET content = ? WHERE {where}", (content, *values))
    return [document.name for document in documents]


def _add_functions(connection: sqlite3.Connection) -> None:
    for function in (is_valid_owner, is_text_list, is_object, mended_text, mended_list, mended_object):
        connection.create_function(function.__name__, 1, function, deterministic=True)


@functools.lru_cache(4096)
def is_text_list(text: str) -> bool:
    """Return whether a stored text is a JSON list of texts."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def is_object(text: str) -> bool:
    """Return whether a stored text is a JSON object that can be written as JSON again."""
    try:
        value = json.loads(text, parse_constant=_refuse, parse_float=_finite_number, parse_int=_whole_number)
    except (ValueError, RecursionError):
        return False
    # Hardly any is nested so deeply that it has to be looked at.
    is_flat = text.count("[") + text.count("{") <= _FLAT and len(text) < _SHORT
    return isinstance(value, dict) and (is_flat or storable(value) == value)


_FLAT = 60
_SHORT = 5000


def mended_text(text: str) -> str:
    """Return a text without what Godot cannot hold."""
    return clean_text(text)


def mended_list(text: str) -> str:
    """Return the texts in a JSON list as one; of what is no list, an empty one."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return "[]"
    return to_json([item for item in value if isinstance(item, str)] if isinstance(value, list) else [])


def mended_object(text: str) -> str:
    """Return a JSON object with values that can be written again; of what is none, an empty one."""
    return to_json(storable(mapping_in(text)))


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number")


def _whole_number(text: str) -> int:
    number = int(text)
    if not -(2**63) <= number < 2**63:
        raise ValueError(f"{text[:20]} does not fit in 64 bits")
    return number


def _finite_number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is too large")
    return number
