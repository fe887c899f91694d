"""Shared statements in the words of PostgreSQL; see storage/sql/database.py."""

from __future__ import annotations

import functools
import re

_NUMBERS = re.compile(r"\$in\((\w+)\)")
_TEXTS = re.compile(r"\$in_texts\((\w+)\)")
_WHOLE = re.compile(r"\$whole\(((?:[^()]|\([^()]*\))*)\)")
_NEXT = re.compile(r"\$next\((\w+)\)")
_TABLE = re.compile(r"\$(\w+)(?: AS (\w+))?")
_VALUE = re.compile(r"(?<![:\w]):(\w+)")
_WORDS = {
    "$owner ": "save, npc, ",
    "$own": "save = %(save)s",
    "$save ": "save, ",
    "$least(": "least(",
    "$row": "save",
    "$new": "%(save)s",
}


@functools.lru_cache(1000)
def translated(statement: str) -> str:
    """A shared statement as PostgreSQL has it."""
    text = _WHOLE.sub(r"trunc(\1)::bigint", statement)
    text = _VALUE.sub(r"%(\1)s", text)
    text = _NUMBERS.sub(r"= ANY(%(\1)s::bigint[])", text)
    text = _TEXTS.sub(r"= ANY(%(\1)s::text[])", text)
    text = _NEXT.sub(r"nextval('\1_numbers')", text)
    for mark, words in _WORDS.items():
        text = text.replace(mark, words)
    return _TABLE.sub(lambda match: _of_save(match[1], match[2] or match[1]), text)


def _of_save(table: str, alias: str) -> str:
    """The rows of one save. The planner makes no difference between this and a condition."""
    return f"(SELECT * FROM {table} WHERE save = %(save)s) AS {alias}"


@functools.cache
def insert_statement(table: str, columns: tuple[str, ...], key: str = "") -> str:
    """The statement that adds a row of the save.

    Args:
        key: the column that gets the next number of its kind, which the statement returns unless the row is
            there already; "" when it has a value.
    """
    places = ", ".join(f"%({name})s" for name in columns)
    if not key:
        return f"INSERT INTO {table} (save, {', '.join(columns)}) VALUES (%(save)s, {places})"
    return (
        f"INSERT INTO {table} (save, {key}, {', '.join(columns)}) "
        f"VALUES (%(save)s, nextval('{key}_numbers'), {places}) ON CONFLICT DO NOTHING RETURNING {key}"
    )
