"""Counts, filters, lists, timelines and overviews in any storage."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.storage.contract.conftest import Kept, OpenStorage, record_of

from rag_memory.memory.archived import CONSOLIDATED, SLOT_UPDATE, Archived
from rag_memory.step import run
from rag_memory.storage.comparison import compare_steps
from rag_memory.storage.filter import parse_filter
from rag_memory.storage.listing import Listing
from rag_memory.storage.timeline import SUPERSEDED, span_of


@pytest.fixture
def village(kept: Kept) -> Kept:
    """Three memories, A, B and C, and D in the archive."""
    kept.put(
        record_of(
            "A mill burned.", 10.0, importance=9, location="mill", topics=["fire"], gold=3, tags=["x", 2]
        ),
        record_of("B miller left.", 20.0, importance=4, event_type="exile", gold=2.5, known=True),
        record_of("C inn_1 closed.", 30.0, importance=4, memory_tier=0, is_milestone=True, gold="3", tags=[]),
        record_of("D 100% Old.", 15.0, importance=4, secret=None),
    )
    with kept.storage.transaction():
        kept.storage.archive.move([4], Archived(25.0, SLOT_UPDATE, "C"))
    return kept


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        ({"importance": 4}, "BC"),
        ({"importance": {">": 3.5, "<": 9}}, "BC"),
        ({"importance": {"in": [9, 1]}}, "A"),
        ({"importance": {"not_in": [9]}}, "BC"),
        ({"timestamp": {">=": 20}}, "BC"),
        ({"event_type": {"!=": "exile"}}, "AC"),
        ({"location": {"in": ["mill", "inn"]}}, "A"),
        ({"location": {"nin": ["mill"]}}, "BC"),
        ({"location": {">": ""}}, "A"),
        ({"is_milestone": True}, "C"),
        ({"topics": {"contains": "fire"}}, "A"),
        ({"topics": {"contains": "fir"}}, ""),
        ({"gold": 3}, "A"),
        ({"gold": "3"}, "C"),
        ({"gold": {"!=": 3}}, "BC"),
        ({"gold": {">": 1}}, "AB"),
        ({"gold": {">": "1"}}, "C"),
        ({"gold": {"in": [2.5, "3"]}}, "BC"),
        ({"gold": {"not_in": [2.5, "3"]}}, "A"),
        ({"known": True}, "B"),
        ({"known": 1}, ""),
        ({"known": {"!=": True}}, "AC"),
        ({"tags": {"contains": 2}}, "A"),
        ({"tags": {"contains": "2"}}, ""),
        ({"tags": {"in": []}}, ""),
        ({"nothing": None}, ""),
    ],
)
def test_filters(village: Kept, filter: dict[str, Any], expected: str) -> None:
    conditions = parse_filter("test", filter)
    found = [
        set(village.storage.lists.keys_where(village.npc, condition).tolist()) for condition in conditions
    ]
    assert "".join("ABC"[key - 1] for key in sorted(set.intersection(*found))) == expected
    assert listed(village, filter, sort="timestamp") == expected


def listed(village: Kept, filter: dict[str, Any] | None = None, words: str = "", **other: Any) -> str:
    """The first letters of a list's memories."""
    storage = village.storage
    listing = Listing(
        tuple(parse_filter("test", filter or {})),
        tuple(words.split()),
        other.get("archive", False),
        other.get("sort", "timestamp"),
        other.get("descending", False),
    )
    numbers = storage.lists.find(village.npc, "elena", listing).tolist()
    if listing.is_archive:
        return "".join(each.record.document_full[0] for each in storage.archive.by_numbers(numbers))
    texts = {record.key: record.document_full[0] for record in storage.records.by_keys(numbers)}
    return "".join(texts[number] for number in numbers)


def test_lists_are_sorted_and_what_is_equal_comes_as_it_was_stored(village: Kept) -> None:
    assert listed(village, sort="timestamp", descending=True) == "CBA"
    assert listed(village, sort="importance") == "BCA"
    assert listed(village, sort="importance", descending=True) == "ACB"
    assert listed(village, sort="memory_tier")[0] == "C"
    assert listed(village, sort="event_type") == "BAC"
    assert (
        listed(village, sort="id", descending=True) == listed(village, sort="text", descending=True) == "CBA"
    )


def test_lists_hold_what_has_every_word(village: Kept) -> None:
    assert listed(village, words="mill") == "AB", "a beginning will do"
    assert listed(village, words="MILLS burning") == "A", "and so will another form"
    assert listed(village, words="mill inn") == ""


def test_lists_know_whose_they_are(village: Kept) -> None:
    assert listed(village, {"npc_id": "elena"}) == "ABC"
    assert listed(village, {"npc_id": {"!=": "elena"}}) == ""


def test_lists_of_the_archive_have_letters_anywhere(village: Kept) -> None:
    assert listed(village, archive=True) == listed(village, words="oLD", archive=True) == "D"
    assert listed(village, words="100%", archive=True) == "D"
    assert listed(village, words="1%0", archive=True) == listed(village, words="O_d", archive=True) == ""
    assert listed(village, {"secret": None}, archive=True, sort="archived_at") == "D"
    assert listed(village, {"importance": 9}, archive=True, sort="archived_reason") == ""


def test_statistics_and_counts(village: Kept) -> None:
    storage, npc = village.storage, village.npc
    assert storage.browsing.statistics(npc) == {
        "total": 3,
        "average_importance": 17 / 3,
        "oldest": 10.0,
        "newest": 30.0,
        "milestones": 1,
        "superseded": 0,
    }
    assert storage.browsing.counts_by(npc, "importance") == {4: 2, 9: 1}
    assert list(storage.browsing.counts_by(npc, "event_type")) == ["exile", "general"]
    with storage.transaction():
        other = storage.npcs.add("bjorn")
    assert storage.browsing.statistics(other) == {
        **dict.fromkeys(("total", "milestones", "superseded"), 0),
        **dict.fromkeys(("average_importance", "oldest", "newest"), 0.0),
    }
    assert storage.browsing.counts_by(other, "importance") == {}


def test_a_timeline_counts_marks_and_links(village: Kept) -> None:
    storage, npc = village.storage, village.npc
    with storage.transaction():
        storage.records.supersede([1], "C", 30.0)
        storage.archive.move([2], Archived(40.0, CONSOLIDATED, "C"))
    line = storage.browsing.timeline(npc, span_of({"buckets": 2, "marks": 1}))
    assert (line["begin"], line["end"], line["first"], line["last"]) == (10.0, 30.0, 10.0, 30.0)
    assert line["counts"][0] == [0, 1] and [sum(each) for each in zip(*line["counts"], strict=True)] == [1, 1]
    assert line["archived"] == [1, 1]
    (mark,) = line["marks"]
    assert (mark["id"], mark["is_milestone"], mark["text"]) == ("C", True, "C inn_1 closed.")
    ends = [(link["kind"], link["count"], link["from"]["id"], link["to"]["id"]) for link in line["links"]]
    assert ends == [(SUPERSEDED, 1, "A", "C"), (CONSOLIDATED, 1, "B", "C")]
    assert storage.browsing.timeline(npc, span_of({"begin": 31}))["links"] == []


def test_links_come_newest_first(village: Kept) -> None:
    storage, npc = village.storage, village.npc
    with storage.transaction():
        storage.records.supersede([1], "B", 20.0)
        storage.records.supersede([2], "C", 30.0)
    links = storage.browsing.timeline(npc, span_of({}))["links"]
    assert [(link["from"]["id"], link["to"]["id"]) for link in links] == [("B", "C"), ("A", "B")]
    (link,) = storage.browsing.timeline(npc, span_of({"marks": 1}))["links"]
    assert link["to"]["id"] == "C"


def test_a_timeline_of_nobody_is_empty(village: Kept) -> None:
    line = village.storage.browsing.timeline(None, span_of({"buckets": 2}))
    assert (line["begin"], line["end"], line["archived"], line["links"]) == (0.0, 0.0, [0, 0], [])
    assert line["counts"] == [[0, 0]] * 3 and line["marks"] == []


def test_an_overview_of_every_npc(village: Kept) -> None:
    storage = village.storage
    with storage.transaction():
        storage.npcs.add("Dora")
        storage.records.supersede([1], "C", 30.0)
    dora, elena = storage.browsing.npc_overview()
    assert [*elena.values()][:1] + [*elena.values()][4:] == ["elena", elena["regular"], 1, 1, 10.0, 30.0]
    assert elena["total"] == 3 and elena["pinned"] == 1
    assert [*dora.values()] == ["Dora", 0, 0, 0, 0, 0, 0, 0.0, 0.0]


def test_two_states_are_compared(village: Kept, open_one: OpenStorage) -> None:
    other = open_one()
    other.replace_all(village.storage)
    assert run(compare_steps(village.storage, other, 9)) == {
        "npcs": {},
        "added": 0,
        "removed": 0,
        "changed": 0,
        "world": {},
    }
    with other.transaction():
        other.records.delete([1])
        other.records.update(village.npc, other.records.by_keys([2])[0]._replace(importance=7))
    found = run(compare_steps(village.storage, other, 9))
    assert (found["added"], found["removed"], found["changed"]) == (0, 1, 1)
    (changed,) = found["npcs"]["elena"]["changed"]
    assert changed["id"] == "B" and (changed["before"], changed["after"]) == (
        {"importance": 4},
        {"importance": 7},
    )
    assert run(compare_steps(other, village.storage, 0))["added"] == 1
