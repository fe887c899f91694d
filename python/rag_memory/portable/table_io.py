"""Tables of any columns: CSV, JSON with a list of objects, JSONL, and what a collection of Chroma returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.errors import InvalidArgumentError
from rag_memory.portable import csv_io
from rag_memory.portable.untrusted_json import MOST_CONTAINERS, parsed
from rag_memory.validation import clean_text, wrong_type

MOST_ROWS = 20_000
_MOST_COLUMNS = 200
_LONGEST_HEADING = 200
_CHROMA = {"ids": "id", "documents": "document", "metadatas": "metadata"}
_METADATA = "metadata"
"""An object in a row whose fields are columns of their own."""
_NPC = ("npc_id", "npc")
REMEDY = "Pass a table as CSV, or JSON with an Array of Dictionaries"


class Table(NamedTuple):
    """The rows of a file, and what is not one of them."""

    format: str
    headings: Sequence[str]
    rows: Sequence[Mapping[str, Any]]
    npc_id: str = ""
    """The NPC of all rows, if the file names one beside them."""
    left_out: Sequence[str] = ()
    """Lists beside the rows."""


def csv_table(call: str, text: str) -> Table:
    """The rows of a text with a line of headings and cells parted by commas, semicolons or tabs.

    Raises:
        InvalidArgumentError: it cannot be read.
    """
    headings, rows = csv_io.read_rows(call, text)
    cells = (dict(zip(headings, row, strict=False)) for _line, row in rows)
    return _checked(call, Table("table (CSV)", headings, [_without_empty(row) for row in cells]))


def json_table(call: str, value: Any) -> Table | None:
    """The rows of parsed JSON; None when there is no list of objects in it.

    Raises:
        InvalidArgumentError: a row is no object, or there are too many.
    """
    if isinstance(value, Mapping) and isinstance(value.get("documents"), list):
        return _checked(call, _chroma(call, value))
    if isinstance(value, list):
        return _of_list(call, value, Table("table (JSON)", (), ()))
    if not isinstance(value, Mapping):
        return None
    lists = {name: items for name, items in value.items() if _has_objects(items)}
    if not lists:
        return None
    name = "memories" if "memories" in lists else max(lists, key=lambda name: len(lists[name]))
    npc_id = next((value[key] for key in _NPC if isinstance(value.get(key), str)), "")
    others = [other for other in lists if other != name]
    return _of_list(call, lists[name], Table("table (JSON)", (), (), clean_text(npc_id), others))


def lines_table(call: str, text: str) -> Table:
    """The rows of a text with a JSON object in each line.

    Raises:
        InvalidArgumentError: a line is no object, or there are too many.
    """
    if text.count("{") + text.count("[") > MOST_CONTAINERS:
        parsed(call, text, REMEDY)  # raises: the lines together are too much as well
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    rows = [parsed(f"{call}, line {number}", line, REMEDY) for number, line in lines]
    return _of_list(call, rows, Table("table (JSONL)", (), ()))


def _has_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], Mapping)


def _of_list(call: str, items: Sequence[Any], table: Table) -> Table:
    rows: list[dict[str, Any]] = []
    for number, item in enumerate(items, 1):
        if not isinstance(item, Mapping):
            raise wrong_type(call, f"row {number}", item, "a Dictionary")
        rows.append(_flat(item))
    headings = dict.fromkeys(heading for row in rows for heading in row)
    return _checked(call, table._replace(headings=list(headings), rows=rows))


def _chroma(call: str, value: Mapping[str, Any]) -> Table:
    """What get() or query() of a collection of Chroma returns: a list for each column."""
    columns: dict[str, Sequence[Any]] = {}
    for key, heading in _CHROMA.items():
        items = value.get(key)
        if isinstance(items, list) and items and all(isinstance(item, list) for item in items):
            items = [item for part in items for item in part]  # of a query: a list for each question
        if items is None:
            continue
        if not isinstance(items, list):
            raise wrong_type(call, key, items, "an Array")
        columns[heading] = items
    if len({len(items) for items in columns.values()}) > 1:
        raise InvalidArgumentError(
            f"{call}: {', '.join(key for key in _CHROMA if key in value)} have different lengths",
            "each memory needs one of each",
            "Write the file again with what collection.get() returns",
        )
    rows = [_flat(dict(zip(columns, cells, strict=True))) for cells in zip(*columns.values(), strict=True)]
    headings = dict.fromkeys(heading for row in rows for heading in row)
    return Table("collection of Chroma", list(headings), rows)


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row with the fields of its metadata as columns; its own come first."""
    inner = row.get(_METADATA)
    if not isinstance(inner, Mapping):
        return _without_empty(row)
    return _without_empty({**inner, **{name: value for name, value in row.items() if name != _METADATA}})


def _without_empty(row: Mapping[str, Any]) -> dict[str, Any]:
    return {clean_text(heading).strip(): value for heading, value in row.items() if value not in (None, "")}


def _checked(call: str, table: Table) -> Table:
    if len(table.rows) > MOST_ROWS:
        raise InvalidArgumentError(
            f"{call}: the table has {len(table.rows):,} rows", f"{MOST_ROWS:,} is the most", "Split the file"
        )
    headings = [clean_text(heading).strip() for heading in table.headings]
    headings = [heading for heading in dict.fromkeys(headings) if heading]
    if len(headings) > _MOST_COLUMNS or any(len(heading) > _LONGEST_HEADING for heading in headings):
        raise InvalidArgumentError(
            f"{call}: the table has {len(headings):,} columns, the longest heading has "
            f"{max(map(len, headings)):,} characters",
            f"{_MOST_COLUMNS} columns and {_LONGEST_HEADING} characters are the most",
            "Pass a table whose first line or whose keys are its headings",
        )
    return table._replace(headings=headings)
