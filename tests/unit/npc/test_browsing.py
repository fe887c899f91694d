"""Paging through memories: what a list holds, in which order, and that it follows every change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.unit.conftest import NOW, GameClock
from tests.unit.sqlite_access import reading

from rag_memory import Npc, Save
from rag_memory.errors import InvalidArgumentError


def texts(page: dict[str, Any]) -> list[str]:
    return [row["document_full"] for row in page["rows"]]


@pytest.fixture
def village(npc: Npc) -> Npc:
    npc.memories.store_batch(
        [
            {"text": "The bridge is out.", "importance": 4, "event_type": "rumor", "timestamp": NOW - 40},
            {"text": "Bjorn promised a sword.", "importance": 7, "event_type": "promise_made"},
            {"text": "The mill burned down.", "importance": 9, "timestamp": NOW - 20, "location": "mill"},
            {"text": "A bridged 100% gap.", "importance": 4, "timestamp": NOW - 10, "topics": ["bridges"]},
        ]
    )
    return npc


def test_the_newest_come_first_and_rows_are_whole_memories(village: Npc) -> None:
    page = village.tools.browse()
    assert (page["total"], page["position"]) == (4, -1)
    assert texts(page)[0] == "Bjorn promised a sword."
    assert page["rows"][0] == village.memories.get_memory(page["rows"][0]["id"])


@pytest.mark.parametrize(
    ("sort", "first"),
    [
        ("timestamp", "The bridge is out."),
        ("importance", "The bridge is out."),
        ("memory_tier", "The mill burned down."),
        ("event_type", "The mill burned down."),
        ("text", "A bridged 100% gap."),
        ("id", "The bridge is out."),
    ],
)
def test_every_sort_in_both_directions(village: Npc, sort: str, first: str) -> None:
    rising = texts(village.tools.browse({"sort": sort, "descending": False}))
    falling = texts(village.tools.browse({"sort": sort, "descending": True}))
    assert rising[0] == first
    assert falling == rising[::-1]


def test_pages_follow_each_other_without_gap_or_repetition(npc: Npc) -> None:
    npc.memories.store_batch(
        [{"text": f"Memory {number}.", "importance": number % 3 + 1} for number in range(57)]
    )
    whole = texts(npc.tools.browse({"sort": "importance", "limit": 1000}))
    pages = [npc.tools.browse({"sort": "importance", "offset": at, "limit": 10}) for at in range(0, 70, 10)]
    assert [text for page in pages for text in texts(page)] == whole
    assert len(set(whole)) == 57
    assert {page["total"] for page in pages} == {57}


def test_filters_are_those_of_retrieval(village: Npc) -> None:
    for conditions in (
        {"importance": {">=": 7}},
        {"event_type": {"in": ["rumor", "promise_made"]}},
        {"topics": {"contains": "bridges"}},
        {"location": "mill"},
        {"npc_id": "elena"},
        {"npc_id": {"!=": "elena"}},
        {"memory_tier": {"in": [1]}},
        {"superseded_by": {"!=": ""}},
    ):
        found = village.recall.retrieve_relevant_raw("", {"filter": conditions, "limit": 10})
        page = village.tools.browse({"filter": conditions})
        assert sorted(texts(page)) == sorted(each["document_full"] for each in found), conditions


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("bridge", 2),
        ("BRID", 2),
        ("bridge out", 1),
        ("bridges", 2),
        ("mill", 1),
        ("100%", 1),
        ('"bridge" AND (', 0),
        ("- ! ...", 4),
        ("zeppelin", 0),
    ],
)
def test_full_text_search(village: Npc, text: str, count: int) -> None:
    assert village.tools.browse({"text": text})["total"] == count


def test_full_text_search_stays_with_the_npc(opened: Callable[..., Save]) -> None:
    save = opened()
    save.npc("elena").memories.store("The bridge is out.")
    save.npc("bjorn").memories.store("The bridge is mended.")
    assert texts(save.npc("elena").tools.browse({"text": "bridge"})) == ["The bridge is out."]


def test_similar_memories_come_best_first_and_obey_the_filter(village: Npc) -> None:
    page = village.tools.browse({"similar_to": "The mill burned down.", "filter": {"importance": {">=": 5}}})
    assert texts(page) == ["The mill burned down.", "Bjorn promised a sword."]
    similarities = [row["similarity"] for row in page["rows"]]
    assert similarities[0] == pytest.approx(1.0, abs=1e-3)
    assert similarities[1] < similarities[0]
    second = village.tools.browse({"similar_to": "The mill burned down.", "offset": 1, "limit": 1})
    assert second["total"] == 4
    assert second["rows"][0]["similarity"] < 1


def test_a_memory_is_located(village: Npc) -> None:
    rows = village.tools.browse({"limit": 10})["rows"]
    page = village.tools.browse({"locate": rows[2]["id"], "limit": 1})
    assert page["position"] == 2
    assert village.tools.browse({"locate": rows[0]["id"], "filter": {"importance": 4}})["position"] == -1
    assert village.tools.browse({"locate": "nobody"})["position"] == -1


def test_a_list_follows_every_change(village: Npc) -> None:
    first = village.tools.browse({"sort": "text", "descending": False})["rows"][0]["id"]
    village.memories.forget(first)
    assert village.tools.browse({"sort": "text", "descending": False})["total"] == 3
    id = village.memories.store("A new rumor.")
    assert texts(village.tools.browse({"sort": "text", "descending": False}))[0] == "A new rumor."
    village.memories.update_memory(id, {"text": "Zounds."})
    assert texts(village.tools.browse({"sort": "text", "descending": False}))[-1] == "Zounds."
    village.clear_all_memories()
    assert village.tools.browse({"sort": "text", "descending": False}) == {
        "total": 0,
        "rows": [],
        "position": -1,
    }


def test_a_page_reads_only_its_own_rows(npc: Npc) -> None:
    npc.memories.store_batch([{"text": f"Memory {number}."} for number in range(300)])
    npc.tools.browse({"limit": 10})
    statements: list[str] = []
    with reading(npc.records.store) as connection:
        connection.set_trace_callback(statements.append)
        npc.tools.browse({"offset": 200, "limit": 10})
        connection.set_trace_callback(None)
    assert not [each for each in statements if "ORDER BY" in each], statements


def test_archived_memories_are_browsed(npc: Npc, clock: GameClock) -> None:
    id = npc.memories.store("The bridge is out.", 4)
    clock.now += 60
    npc.memories.update_memory(id, {"text": "The bridge is 50% mended."})
    clock.now += 60
    npc.memories.update_memory(id, {"text": "The bridge is mended."})
    page = npc.tools.browse({"archived": True, "sort": "archived_at"})
    assert texts(page) == ["The bridge is 50% mended.", "The bridge is out."]
    archived = page["rows"][1]["archived"]
    assert archived == {"number": archived["number"], "at": NOW + 60, "reason": "updated", "by": id}
    assert npc.tools.browse({"archived": True, "text": "50%"})["total"] == 1
    assert npc.tools.browse({"archived": True, "text": "OUT"})["total"] == 1
    assert npc.tools.browse({"archived": True, "filter": {"importance": 9}})["total"] == 0
    assert npc.tools.browse({"archived": True, "locate": id})["position"] == 0


def test_an_npc_without_memories(npc: Npc) -> None:
    empty = {"total": 0, "rows": [], "position": -1}
    assert (
        npc.tools.browse()
        == npc.tools.browse({"archived": True})
        == npc.tools.browse({"similar_to": "a"})
        == empty
    )


@pytest.mark.parametrize(
    "options",
    [
        {"order": "id"},
        {"sort": "colour"},
        {"sort": "archived_at"},
        {"limit": 1001},
        {"limit": -1},
        {"offset": -1},
        {"offset": "2"},
        {"descending": 1},
        {"text": 5},
        {"filter": {"importance": {"~": 2}}},
        {"archived": True, "similar_to": "mill"},
        {"locate": 3},
    ],
)
def test_wrong_options_are_refused(npc: Npc, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError, match=r"browse\(\)"):
        npc.tools.browse(options)
