"""Shared statements in the words of PostgreSQL; see storage/sql/database.py."""

from __future__ import annotations

import functools
import re

_NUMBERS = re.compile(r"\$in\((\w+)\)")
_TEXTS = re.compile(r"\$in_texts\((\w+)\)")
_WHOLE = re.compile(r"\$whole\(((?:[^()]|\([^()]*\))*)\)")
_TABLE = re.compile(r"\$(\w+)(?: AS (\w+))?")
_VALUE = re.compile(r"(?<![:\w]):(\w+)")


@functools.cache
def translated(statement: str) -> str:
    """A shared statement as PostgreSQL has it."""
    text = _WHOLE.sub(r"trunc(\1)::bigint", statement)
    text = _VALUE.sub(r"%(\1)s", text)
    text = _NUMBERS.sub(r"= ANY(%(\1)s::bigint[])", text)
    text = _TEXTS.sub(r"= ANY(%(\1)s::text[])", text)
    text = text.replace("$own", "save = %(save)s").replace("$least(", "least(")
    return _TABLE.sub(lambda match: _of_save(match[1], match[2] or match[1]), text)


def _of_save(table: str, alias: str) -> str:
    """The rows of one save. The planner makes no difference between this and a condition."""
    return f"(SELECT * FROM {table} WHERE save = %(save)s) AS {alias}"


@functools.cache
def insert_statement(table: str, columns: tuple[str, ...]) -> str:
    """The statement that adds a row of the save."""
    places = ", ".join(f"%({name})s" for name in columns)
    return f"INSERT INTO {table} (save, {', '.join(columns)}) VALUES (%(save)s, {places})"
