"""Memories of one NPC as CSV, for a spreadsheet and back: RFC 4180, UTF-8, one row per memory.

Lists and the caller's own metadata are JSON inside their cells, so that a table that nobody has changed
comes back exactly.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.memory_view import moment_text
from rag_memory.memory.record import Record
from rag_memory.validation import shown, validate_text

COLUMNS = (
    *("id", "text", "importance", "timestamp", "game_time", "memory_tier", "event_type", "kind", "emotion"),
    *("participants", "location", "topics", "interaction_type", "is_milestone", "milestone_type"),
    *("info_type", "slot_type", "entities", "superseded_by", "superseded_at", "repeat_count"),
    *("first_timestamp", "last_accessed", "document_short", "metadata"),
)
_GAME_TIME = "game_time"
"""The only column that is not read again."""
_LISTS = frozenset({"participants", "topics", "entities"})
_INTEGERS = frozenset({"importance", "memory_tier", "repeat_count"})
_NUMBERS = frozenset({"timestamp", "superseded_at", "first_timestamp", "last_accessed"})
_FLAGS = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}
_CALL = "import_csv()"
_DELIMITERS = (",", ";", "\t")
_BYTE_ORDER_MARK = "\ufeff"


def to_csv(records: Sequence[Record], config: MemoryConfig) -> str:
    """The memories as CSV with a line of headings; lines end in CR LF. `game_time` says the timestamp in the
    game's calendar, for who reads the table.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for record in records:
        writer.writerow([_cell(record, name, config) for name in COLUMNS])
    return text.getvalue()


def from_csv(text: Any) -> list[dict[str, Any]]:
    """The memories of a table, as import_json() takes them. Fields may be parted by commas, semicolons or
    tabs; an empty cell says nothing, and a column with another heading is metadata of that name.

    Raises:
        InvalidArgumentError: there is no column "text", or a cell holds what its column cannot.
    """
    headings, rows = read_rows(_CALL, validate_text(_CALL, "text", text))
    if "text" not in headings:
        raise InvalidArgumentError(
            f'{_CALL}: the table has no column "text"',
            f"its first line is {', '.join(headings)[:200] or 'empty'}",
            "Begin with a line of headings as export_csv() does",
        )
    return [_memory(line, headings, row) for line, row in rows]


def read_rows(call: str, text: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The headings of a table, and its other rows that are not empty, with the numbers of their last lines.

    Raises:
        InvalidArgumentError: it cannot be read, or two columns have the same heading.
    """
    rows = _rows(call, text.removeprefix(_BYTE_ORDER_MARK))
    headings = [heading.strip() for heading in rows[0][1]] if rows else []
    repeated = sorted(heading for heading, times in Counter(headings).items() if heading and times > 1)
    if repeated:
        raise InvalidArgumentError(
            f"{call}: the column {repeated[0]!r} comes twice", "", "Remove or rename one of them"
        )
    for line, row in rows[1:]:
        if len(row) > len(headings):
            raise _unreadable(call, line, f"it has {len(row)} cells and the headings {len(headings)}")
    return headings, rows[1:]


def _rows(call: str, text: str) -> list[tuple[int, list[str]]]:
    """Return the rows that are not empty, with the numbers of their last lines."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    # The limit is the process's, and lower than what a memory may hold.
    usual = csv.field_size_limit()
    csv.field_size_limit(max(usual, len(text)))
    try:
        return [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise _unreadable(call, reader.line_num, str(error)) from error
    finally:
        csv.field_size_limit(usual)


def _cell(record: Record, name: str, config: MemoryConfig) -> str | int | float:
    if name == "text":
        return record.document_full
    if name == _GAME_TIME:
        return moment_text(config, record.timestamp)
    if name == "metadata":
        return "" if record.extra == "{}" else record.extra
    value: str | int | float = getattr(record, name)
    if name in _LISTS:
        return "" if value == "[]" else value
    if name == "is_milestone":
        return "true" if value else "false"
    if name == "superseded_at":
        return value or ""
    return value


def _delimiter(text: str) -> str:
    """Return the separator of the headings: spreadsheets write semicolons where the comma is the decimal
    sign.
    """
    heading = text.lstrip().partition("\n")[0]
    return max(_DELIMITERS, key=heading.count)


def _memory(line: int, headings: Sequence[str], row: Sequence[str]) -> dict[str, Any]:
    memory: dict[str, Any] = {}
    for heading, cell in zip(headings, row, strict=False):
        if heading in ("", _GAME_TIME) or (cell == "" and heading != "text"):
            continue
        try:
            value = cell_value(heading, cell)
        except RecursionError as error:
            raise _unreadable(_CALL, line, f"{heading} is nested too deeply") from error
        except ValueError as error:
            raise _unreadable(_CALL, line, f"{heading} is {shown(cell)} ({error})") from error
        if heading == "metadata":
            memory = {**value, **memory}
        else:
            memory[heading] = value
    return memory


def cell_value(heading: str, cell: str) -> Any:
    """The value in a cell of a column of to_csv(). Raises ValueError when it cannot be one."""
    if heading in _INTEGERS:
        return _number(cell, int, "a whole number")
    if heading in _NUMBERS:
        return _number(cell, float, "a number")
    if heading == "is_milestone":
        if cell.strip().lower() not in _FLAGS:
            raise ValueError("it has to be true or false")
        return _FLAGS[cell.strip().lower()]
    if heading in _LISTS:
        return _list(cell)
    if heading == "metadata":
        value = json.loads(cell)
        if not isinstance(value, dict):
            raise ValueError("it has to be a JSON object")
        return value
    return cell


def _number(cell: str, kind: type[int] | type[float], wanted: str) -> float:
    try:
        return kind(cell)
    except ValueError:
        raise ValueError(f"it has to be {wanted}") from None


def _list(cell: str) -> list[Any]:
    """A JSON array, or names parted by commas as a person types them."""
    if cell.lstrip().startswith("["):
        value = json.loads(cell)
        if not isinstance(value, list):
            raise ValueError("it has to be an Array")
        return value
    return [name.strip() for name in cell.split(",") if name.strip()]


def _unreadable(call: str, line: int, why: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"{call}: the table cannot be read near its line {line}", why, "Correct the cell and import again"
    )
