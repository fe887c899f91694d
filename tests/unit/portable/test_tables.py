"""Tables of any columns as memories: what is guessed of their columns, and what a game says of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_memory.errors import InvalidArgumentError
from rag_memory.portable.foreign_file import read_plan
from rag_memory.portable.import_plan import ImportPlan
from rag_memory.text.file_text import FileData

NOTES = (
    "Who;Note;Weight;Tags;Day;Colour\n"
    "Mira of the Mill;The dam leaks.;80;dam, river;3;red\n"
    "Ulf;The smith owes me 20 gold.;low;;x;\n"
    "Ulf;;5;;;\n"
    ";Nobody knows this.;;;;\n"
)
CHROMA: dict[str, Any] = {
    "ids": ["npc_elena_1702500000_saved_life", "b"],
    "documents": ["The player saved me from bandits.", "The player asked about the mill."],
    "metadatas": [
        {
            "npc_id": "elena",
            "importance": 9,
            "timestamp": 1702500000.0,
            "event_type": "saved_life",
            "memory_tier": 0,
            "participants": "player,bandits",
            "is_milestone": True,
        },
        {"npc_id": "elena", "importance": 4, "timestamp": 1702500100, "document_short": "Asked."},
    ],
    "embeddings": None,
}
COLUMN_KEYS = st.sampled_from(
    ["text", "npc", "importance", "timestamp", "day", "topics", "kind", "id", "mine"]
)
CELLS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def csv(text: str, **options: Any) -> ImportPlan:
    return read_plan("import_file()", FileData(text.encode(), "user://notes.csv"), options)


def of_json(value: Any, **options: Any) -> ImportPlan:
    return read_plan("import_file()", FileData(json.dumps(value).encode(), "user://notes.json"), options)


def test_the_columns_of_a_table_are_guessed() -> None:
    read = csv(NOTES)
    assert read.memories == [
        {
            "npc_id": "mira_of_the_mill",
            "text": "The dam leaks.",
            "importance": 8,
            "topics": ["dam", "river"],
            "timestamp": 3 * 86400.0,
        },
        {"npc_id": "ulf", "text": "The smith owes me 20 gold.", "importance": 3},
    ]
    assert read.table["columns"] == {
        "text": "Note",
        "npc": "Who",
        "importance": "Weight",
        "topics": "Tags",
        "day": "Day",
    }
    assert read.table["rows"][0] == ["Mira of the Mill", "The dam leaks.", "80", "dam, river", "3", "red"]
    assert read.not_kept == [
        "1 rows have no text and are left out.",
        "1 rows name no NPC and are left out.",
        "The time of 1 rows cannot be read: they happen at the game's time of the import.",
        "Columns are left out, because nothing says what they hold: Colour.",
    ]


def test_the_game_says_what_columns_are() -> None:
    columns = {"text": "Colour", "npc": "", "importance": "", "day": "", "topics": "", "note": "Note"}
    read = csv(NOTES, columns=columns, npc="mira")
    assert read.memories == [{"npc_id": "mira", "text": "red", "note": "The dam leaks."}]
    assert any("Who, Weight, Tags, Day" in line for line in read.not_kept)


@pytest.mark.parametrize(
    ("cell", "importance"),
    [("5", 5), ("0", 1), ("7,5", 8), ("HIGH", 8), ("many", None), ("", None)],
)
def test_an_importance_may_be_written_in_many_ways(cell: str, importance: int | None) -> None:
    read = csv(f"text\timportance\nA thing.\t{cell}\nB thing.\t10", npc="a")
    assert read.memories[0].get("importance") == importance
    assert [m["importance"] for m in csv("text,score\na b,0.25\nc d,1", npc="a").memories] == [2, 10]
    assert [m["importance"] for m in csv("text,score\na b,500\nc d,1000", npc="a").memories] == [5, 10]


@pytest.mark.parametrize(
    ("cell", "timestamp"),
    [("86400", 86400.0), ("1970-01-02", 86400.0), ("1970-01-02T01:00:00+01:00", 86400.0)],
)
def test_a_time_is_in_seconds_or_a_date(cell: str, timestamp: float) -> None:
    assert csv(f"text,time\nA thing.,{cell}", npc="a").memories[0]["timestamp"] == timestamp
    assert csv("text,time\nA thing.,1700000000000", npc="a").memories[0]["timestamp"] == 1.7e9


def test_the_longest_texts_are_the_text_when_no_heading_says_so() -> None:
    assert csv("a,b,c\n1,the dam leaks,x y\n", npc="a").memories[0]["text"] == "the dam leaks"


def test_a_collection_of_chroma_keeps_what_land_stored() -> None:
    read = of_json(CHROMA)
    assert read.format == "collection of Chroma"
    assert read.memories[0] == {
        "npc_id": "elena",
        "id": "npc_elena_1702500000_saved_life",
        "text": "The player saved me from bandits.",
        "importance": 9,
        "timestamp": 1702500000.0,
        "event_type": "saved_life",
        "participants": ["player", "bandits"],
        "memory_tier": 0,
        "is_milestone": True,
    }
    assert read.memories[1]["document_short"] == "Asked."
    assert read.not_kept == []
    nested = {name: [items] for name, items in CHROMA.items() if items}
    assert of_json(nested).memories == read.memories
    listed = [
        {"id": id, "document": text, "metadata": metadata}
        for id, text, metadata in zip(CHROMA["ids"], CHROMA["documents"], CHROMA["metadatas"], strict=True)
    ]
    assert of_json({"memories": listed}).memories == read.memories
    lines = "\n".join(map(json.dumps, listed)).encode()
    assert read_plan("import_file()", FileData(lines, "a.jsonl"), {}).memories == read.memories


def test_a_list_beside_others_is_the_table() -> None:
    read = of_json({"npc_id": "mira", "other": [{"a": 1}] * 3, "memories": [{"text": "One."}]})
    assert read.memories == [{"npc_id": "mira", "text": "One."}]
    assert read.not_kept == ["Lists beside the rows are left out: other."]


@pytest.mark.parametrize(
    ("source", "options", "says_why"),
    [
        ("", {}, "no headings|no row"),
        ("text\n" + "a\n" * 20_001, {}, "20,000"),
        (",".join(f"c{n}" for n in range(300)), {}, "columns"),
        ("x" * 300, {}, "characters"),
        ('text\n"a', {}, "cannot be read"),
        ("text,text\na,b", {}, "twice"),
        ("text\na,b", {}, "cells"),
        ("text,kind\na b,pet", {"columns": {"kind": "sort"}}, "no such column"),
        ("text\na b", {"columns": []}, "columns"),
        ("text\na b", {"columns": {"text": 5}}, "columns.text"),
        ("text,is_milestone\na b,perhaps", {}, "true or false"),
        ("text,metadata\na b,[1]", {}, "JSON object"),
        ("text,metadata\na b," + "[" * 100_000, {}, "metadata"),
        ([5], {}, "row 1"),
        ([{"a": 1}, 5], {}, "row 2"),
        ({"documents": ["a"], "ids": []}, {}, "different lengths"),
        ({"documents": ["a"], "ids": 5}, {}, "ids"),
        ({"a": [5]}, {}, "neither"),
    ],
)
def test_a_hostile_table_gives_a_clear_error(source: Any, options: dict[str, Any], says_why: str) -> None:
    with pytest.raises(InvalidArgumentError, match=r"import_file\(\)") as error:
        read = csv(source, **options) if isinstance(source, str) else of_json(source, **options)
        assert not read.memories
        raise InvalidArgumentError("import_file(): no headings", "", "x")
    assert any(part in str(error.value) for part in says_why.split("|"))
    assert error.value.remedy


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.dictionaries(st.text(max_size=5), CELLS, max_size=4), max_size=4),
    st.dictionaries(COLUMN_KEYS, st.integers(0, 4), max_size=4),
    st.text(max_size=60),
)
def test_whatever_a_table_holds_it_is_read_or_refused(
    rows: list[dict[str, Any]], columns: dict[str, int], text: str
) -> None:
    headings = [*{heading: None for row in rows for heading in row}, "", "text"]
    chosen = {key: headings[place % len(headings)].strip() for key, place in columns.items()}
    for source, options in ((rows, {"columns": chosen}), ({"x": rows}, {}), (text, {})):
        try:
            plan = csv(source) if isinstance(source, str) else of_json(source, **options)
        except InvalidArgumentError:
            continue
        assert all(memory["text"].strip() for memory in plan.memories)
        json.dumps(plan.as_data(), allow_nan=True)
