"""What the columns of a table mean, guessed or said by the game, and its rows as memories."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rag_memory.config.calendar import CALENDAR
from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.record import MOST_IMPORTANT
from rag_memory.portable import csv_io
from rag_memory.portable.import_plan import ImportPlan, NotKept, id_of
from rag_memory.portable.json_io import DEFAULT_IMPORTANCE
from rag_memory.portable.table_io import Table
from rag_memory.validation import clean_text, shown, to_json, validate_text, wrong_type

_HEADINGS = {
    "text": "document_full text memory document content description note message fact event summary sentence",
    "npc": "npc_id npc character character_id owner who name speaker",
    "importance": "importance weight priority salience poignancy score",
    "timestamp": "timestamp time created_at created date when",
    "day": "day game_day created_day",
    "topics": "topics tags tag keywords labels categories category",
    "participants": "participants people with involved",
    "location": "location place where location_id",
    "event_type": "event_type type",
    "emotion": "emotion mood feeling",
    "id": "id memory_id",
}
"""The headings that are taken for each key of a memory, the better one first."""
_OWN = tuple(name for name in csv_io.COLUMNS if name not in ("text", "game_time"))
_MADE_ANEW = ("document", "distance", "similarity", "embedding", "embeddings", "rendered_text", "game_time")
"""Headings of what is made from a memory: nobody misses them."""
_SHOWN_ROWS = 5
_LONGEST_SHOWN = 200
_LEVELS = {"low": 3, "medium": 5, "normal": 5, "high": 8, "critical": 10}
_MILLISECONDS = 1e11
"""A time above this is no number of seconds."""
_SENTENCES = {
    "text": "{count} rows have no text and are left out.",
    "npc": "{count} rows name no NPC and are left out.",
    "importance": f"The importance of {{count}} rows is no number: it becomes {DEFAULT_IMPORTANCE}.",
    "timestamp": "The time of {count} rows cannot be read: they happen at the game's time of the import.",
}


def table_plan(call: str, table: Table, npc_id: str, columns: Any) -> ImportPlan:
    """What a table brings in: a memory of each row.

    Args:
        npc_id: the NPC of rows that name none.
        columns: the heading for keys of a memory, and for `npc` and `day`; "" for none. Other keys are
            guessed.

    Raises:
        InvalidArgumentError: there is no such column, or a cell holds what its column cannot.
    """
    chosen = {**_guessed(table), **_validated(call, table, columns)}
    chosen = {key: heading for key, heading in chosen.items() if heading}
    not_kept = NotKept(_SENTENCES)
    npc_id = npc_id or table.npc_id
    has_npcs = bool(npc_id) or "npc" in chosen
    memories: list[dict[str, Any]] = []
    scale = _scale(row.get(chosen.get("importance", "")) for row in table.rows)
    for number, row in enumerate(table.rows, 1):
        memory = _memory(f"{call}, row {number}", row, chosen, scale, not_kept)
        memory["npc_id"] = memory.pop("npc", "") or npc_id
        missing = [key for key in ("text", "npc") if not memory.get("npc_id" if key == "npc" else key)]
        if "text" in missing or (missing and has_npcs):
            not_kept.note(missing[0])
        else:
            memories.append(memory)
    left_out = [heading for heading in table.headings if heading not in {*chosen.values(), *_MADE_ANEW}]
    lines = not_kept.lines()
    if left_out:
        names = ", ".join(left_out[:20]) + (", ..." if len(left_out) > 20 else "")
        lines.append(f"Columns are left out, because nothing says what they hold: {names}.")
    if table.left_out:
        lines.append(f"Lists beside the rows are left out: {', '.join(table.left_out[:20])}.")
    shown_rows = [[_shown(row.get(heading)) for heading in table.headings] for row in table.rows]
    about = {"headings": list(table.headings), "columns": chosen, "rows": shown_rows[:_SHOWN_ROWS]}
    return ImportPlan(table.format, "", memories=memories, not_kept=lines, npc_id=npc_id, table=about)


def refuse_unusable(call: str, plan: ImportPlan) -> None:
    """Refuse a table whose memories cannot be stored, because something isn't said.

    Raises:
        InvalidArgumentError: no row has a text, or an NPC.
    """
    if not plan.table:
        return
    headings = ", ".join(plan.table["headings"])[:_LONGEST_SHOWN] or "nothing"
    if not plan.memories:
        raise InvalidArgumentError(
            f"{call}: no row of the table becomes a memory",
            "no column with texts is known" if "text" not in plan.table["columns"] else plan.not_kept[0],
            f'Name the column in the option "columns": {{"text": ...}}. The headings are {headings}',
        )
    if not all(memory["npc_id"] for memory in plan.memories):
        raise InvalidArgumentError(
            f"{call}: the table does not say whose memories these are",
            "no column names an NPC",
            f'Pass the option "npc", or "columns": {{"npc": ...}}. The headings are {headings}',
        )


def _guessed(table: Table) -> dict[str, str]:
    """The heading for each key; none is taken twice."""
    own = {heading: heading for heading in table.headings if heading in _OWN}
    by_name: dict[str, str] = {}
    for heading in table.headings:
        by_name.setdefault("_".join(heading.casefold().replace("-", " ").split()), heading)
    chosen: dict[str, str] = {}
    for key, names in _HEADINGS.items():
        free = (by_name[name] for name in names.split() if name in by_name)
        heading = next((heading for heading in free if heading not in chosen.values()), "")
        if heading:
            chosen[key] = heading
    if "text" not in chosen and (wordy := _wordy(table, set(chosen.values()))):
        chosen["text"] = wordy
    if "timestamp" in chosen:
        chosen.pop("day", None)
    return chosen | {key: heading for key, heading in own.items() if heading not in chosen.values()}


def _wordy(table: Table, used: set[str]) -> str:
    """The column with the longest texts; "" without one of several words."""
    lengths: dict[str, int] = {}
    for row in table.rows[:100]:
        for heading, value in row.items():
            if isinstance(value, str) and " " in value.strip() and heading not in used:
                lengths[heading] = lengths.get(heading, 0) + len(value)
    return max(lengths, key=lambda heading: lengths[heading], default="")


def _validated(call: str, table: Table, columns: Any) -> dict[str, str]:
    if not isinstance(columns, Mapping):
        raise wrong_type(call, "columns", columns, "a Dictionary")
    chosen: dict[str, str] = {}
    for key, heading in columns.items():
        name = validate_text(call, f"columns.{key}", heading)
        if name and name not in table.headings:
            raise InvalidArgumentError(
                f"{call}: columns.{key} is {shown(heading)}",
                "the table has no such column",
                f"Pass one of its headings: {', '.join(table.headings)[:_LONGEST_SHOWN]}",
            )
        chosen[validate_text(call, "columns", key)] = name
    return chosen


def _memory(
    call: str, row: Mapping[str, Any], chosen: Mapping[str, str], scale: float, not_kept: NotKept
) -> dict[str, Any]:
    """The memory of a row, with the id of its NPC as `npc`."""
    memory: dict[str, Any] = {}
    for key, heading in chosen.items():
        value = row.get(heading)
        if value in (None, ""):
            continue
        reader = _READERS.get(key)
        if reader is None:
            memory[key] = _cell(call, key, value)
        elif (read := reader(value, heading)) is not None:
            memory[key] = read
        else:
            not_kept.note("timestamp" if key == "day" else key)
    if isinstance(memory.get("importance"), float):
        memory["importance"] = max(1, min(MOST_IMPORTANT, round(memory["importance"] * scale)))
    if "day" in memory:
        memory["timestamp"] = memory.pop("day") * CALENDAR.seconds_per_day
    metadata = memory.pop("metadata", {})
    return {**metadata, **memory} if isinstance(metadata, Mapping) else memory


def _cell(call: str, key: str, value: Any) -> Any:
    """A value for a key that has the type of its column in a table of ours."""
    if not isinstance(value, str):
        return value
    try:
        return csv_io.cell_value(key, value)
    except (ValueError, RecursionError) as error:
        raise InvalidArgumentError(
            f"{call}: {key} is {shown(value)}",
            str(error),
            f'Correct it, or leave the column out: "columns": {{"{key}": ""}}',
        ) from error


def _text(value: Any, _heading: str) -> str | None:
    text = value if isinstance(value, str) else to_json(value) if isinstance(value, int | float) else ""
    return clean_text(text).strip() or None


def _npc(value: Any, heading: str) -> str | None:
    """An id as it is, and one made of a name."""
    name = _text(value, heading)
    is_id = heading.casefold().replace("-", "_").replace(" ", "_") in ("npc", "npc_id", "character_id")
    return name if name is None or is_id else id_of(name)


def _number(value: Any) -> float | None:
    try:
        number = float(value.strip().replace(",", ".") if isinstance(value, str) else value)
    except (AttributeError, TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and not isinstance(value, bool) else None


def _importance(value: Any, _heading: str = "") -> float | None:
    if isinstance(value, str) and value.strip().casefold() in _LEVELS:
        return _LEVELS[value.strip().casefold()]
    return _number(value)


def _time(value: Any, _heading: str) -> float | None:
    """A time in seconds; a date counts as one of the real calendar."""
    number = _number(value)
    if number is None and isinstance(value, str):
        try:
            date = datetime.datetime.fromisoformat(value.strip())
        except ValueError:
            return None
        return (date if date.tzinfo else date.replace(tzinfo=datetime.UTC)).timestamp()
    return number / 1000.0 if number is not None and number > _MILLISECONDS else number


def _texts(value: Any, _heading: str) -> list[str] | None:
    if isinstance(value, str) and not value.lstrip().startswith("["):
        value = value.replace(";", ",").split(",")
    elif isinstance(value, str):
        try:
            value = csv_io.cell_value("topics", value)
        except (ValueError, RecursionError):
            return None
    if not isinstance(value, Sequence):
        return None
    texts = [_text(item, "") for item in value]
    return [text for text in texts if text]


_READERS: Mapping[str, Callable[[Any, str], Any]] = {
    "text": _text,
    "npc": _npc,
    "importance": _importance,
    "timestamp": _time,
    "day": lambda value, _heading: _number(value),
    "topics": _texts,
    "participants": _texts,
    "location": _text,
    "event_type": _text,
    "emotion": _text,
    "id": _text,
}


def _scale(values: Iterable[Any]) -> float:
    """What numbers are multiplied with to be importances from 1 to 10: they may be shares or percentages."""
    numbers = [number for value in values if (number := _importance(value)) is not None]
    most = max(numbers, default=1.0)
    if most <= 1.0 and any(number != int(number) for number in numbers):
        return float(MOST_IMPORTANT)
    return 1.0 if most <= MOST_IMPORTANT else MOST_IMPORTANT / max(100.0, most)


def _shown(value: Any) -> str:
    text = "" if value is None else value if isinstance(value, str) else to_json(value)
    return text[:_LONGEST_SHOWN]
