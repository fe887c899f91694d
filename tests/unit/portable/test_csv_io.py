"""Memories as CSV: what went out comes back, and what a person or a spreadsheet writes is understood."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.unit.conftest import NOW

from rag_memory import MemoryConfig, Npc, Save
from rag_memory.errors import InvalidArgumentError


def exported(npc: Npc) -> list[dict[str, Any]]:
    memories: list[dict[str, Any]] = json.loads(npc.tools.export_json())["memories"]
    return memories


@pytest.fixture
def full(npc: Npc) -> Npc:
    npc.memories.store('She said "no", twice;\nthen\tleft.\r\nFor good.', 9, {"memory_tier": 0})
    npc.memories.store(
        " =SUM(A1) ünïcode 橋 ", 1, {"topics": ["a,b", "c"], "count": 3, "ratio": 0.1, "deep": {"a": [1]}}
    )
    npc.memories.store(
        "The player promised to come.", 6, {"event_type": "promise_made", "timestamp": NOW - 0.125}
    )
    npc.memories.store("He never came.", 8, {"event_type": "promise_broken"})
    npc.memories.store_milestone("first_meeting", "We met.")
    npc.memories.store("Blue.", 4, {"event_type": "player_info", "info_type": "colour", "zip": "00123"})
    return npc


def test_a_table_comes_back_exactly(full: Npc, opened: Callable[..., Save]) -> None:
    other = opened().npc("elena")
    assert other.tools.import_csv(full.tools.export_csv()) == 6
    assert exported(other) == exported(full)
    assert other.tools.export_csv() == full.tools.export_csv()
    assert other.tools.import_csv(full.tools.export_csv()) == 0


def test_a_memory_of_any_length_comes_back(npc: Npc, opened: Callable[..., Save]) -> None:
    usual = csv.field_size_limit()
    config = MemoryConfig(max_text_chars=1_000_000)
    npc.config = config
    npc.memories.store("The miller told me all his life. " * (usual // 16))
    other = opened().npc("elena", config)
    assert other.tools.import_csv(npc.tools.export_csv()) == 1
    assert exported(other) == exported(npc)
    assert csv.field_size_limit() == usual


def test_a_table_of_very_many_columns_is_read(npc: Npc) -> None:
    headings = ",".join(f"column {number}" for number in range(100_000))
    with pytest.raises(InvalidArgumentError, match="'text' comes twice"):
        npc.tools.import_csv(f"text,{headings},text\nIt rained.\n")


def test_every_row_has_every_column_and_any_reader_understands_it(full: Npc) -> None:
    rows = list(csv.DictReader(io.StringIO(full.tools.export_csv(), newline=""), strict=True))
    assert [row["text"] for row in rows] == [each["text"] for each in exported(full)]
    assert all(None not in row and None not in row.values() for row in rows)
    assert (rows[2]["superseded_by"], rows[4]["is_milestone"]) == (rows[3]["id"], "true")
    assert json.loads(rows[1]["metadata"]) == {"count": 3, "ratio": 0.1, "deep": {"a": [1]}}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_what_a_person_writes(npc: Npc, delimiter: str, line_end: str) -> None:
    lines = [
        ["importance", "text", "topics", "village", "is_milestone", ""],
        ["7", "The mill burned down.", '"fire, mill"', "Oakford", "YES", ""],
        ["", "It rained.", "", "", "", ""],
        ["", "", "", "", "", ""],
    ]
    text = "\ufeff" + line_end.join(delimiter.join(line) for line in lines) + line_end
    assert npc.tools.import_csv(text) == 2
    mill, rain = exported(npc)
    assert (mill["importance"], mill["topics"], mill["village"]) == (7, ["fire", "mill"], "Oakford")
    assert mill["is_milestone"] is True
    assert (rain["importance"], rain["timestamp"]) == (5, NOW)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'no column "text"'),
        ("id,importance\na,1", 'no column "text"'),
        ("text,text\na,b", "twice"),
        ("text,importance\nA.,high", 'line 2.*importance is "high"'),
        ("text,timestamp\nA.,\nB.,yesterday", "line 3.*timestamp"),
        ("text,is_milestone\nA.,perhaps", "true or false"),
        ("text,metadata\nA.,5", "JSON object"),
        ("text,topics\nA.,[1", "topics"),
        ("text,topics\nA.," + "[" * 100_000, "topics is nested too deeply"),
        ("text,metadata\nA.," + '"{""a"":' + '{""a"":' * 100_000 + '"', "metadata is"),
        ("text\nA.,B.", "2 cells"),
        ('text\n"A.', "unexpected end"),
        ("importance,text\n5,", "memory 0: text is empty"),
        (7, "text"),
    ],
)
def test_a_wrong_table_is_refused_whole(npc: Npc, text: Any, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message) as raised:
        npc.tools.import_csv(text)
    assert "import_csv()" in str(raised.value)
    assert npc.memories.get_memory_count() == 0
