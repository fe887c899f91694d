"""export_json(), import_json() and dump_all_memories()."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.sqlite_access import reading

from rag_memory import Npc, Save
from rag_memory.errors import InvalidArgumentError, StoreError


@pytest.fixture
def told(npc: Npc, clock: Any) -> Npc:
    npc.memories.store("We met at the well.", 7, {"event_type": "first_meeting", "participants": ["player"]})
    npc.memories.store(
        "The player's name is Theron.", 10, {"event_type": "player_info", "info_type": "player_name"}
    )
    npc.memories.store(
        "„Grüße“ 🗡", 3, {"own": {"list": [1, 2.5, None]}, "memory_tier": 1, "document_short": "Hi."}
    )
    npc.memories.store("The player promised 3 bells.", 6, {"event_type": "promise_made"})
    clock.now += 60
    npc.memories.store("The promise was broken.", 6, {"event_type": "promise_broken"})
    return npc


def test_everything_comes_back_in_another_save(told: Npc, opened: Callable[..., Save]) -> None:
    other = opened().npc("elena")
    assert other.tools.import_json(told.tools.export_json()) == 5
    assert other.recall.get_recent(9) == told.recall.get_recent(9)
    assert other.tools.export_json() == told.tools.export_json()
    assert other.recall.retrieve_relevant("silver bells") == told.recall.retrieve_relevant("silver bells")


def test_what_is_known_already_is_not_repeated(told: Npc) -> None:
    before = told.recall.get_recent(9)
    assert told.tools.import_json(told.tools.export_json()) == 0
    assert told.recall.get_recent(9) == before


INFO = {"event_type": "player_info", "info_type": "player_name"}


def _names(npc: Npc) -> list[str]:
    return [memory["document"] for memory in npc.recall.get_recent(9, 0) if memory["metadata"]["info_type"]]


@pytest.mark.parametrize("form", ["json", "csv"])
def test_the_newest_player_info_holds_however_often_an_older_one_is_taken_in(
    opened: Callable[..., Save], clock: Any, form: str
) -> None:
    save = opened()
    old, new = save.npc("old"), save.npc("new")
    old.memories.store("The player's name is Alice.", 9, INFO)
    clock.now += 60
    new.memories.store("The player's name is Bob.", 9, INFO)
    for source, target, expected in ((old, new, 0), (new, old, 1), (new, old, 0)):
        if form == "json":
            assert target.tools.import_json(source.tools.export_json()) == expected
        else:
            assert target.tools.import_csv(source.tools.export_csv()) == expected
    assert _names(new) == ["The player's name is Bob."] and new.archive.get_archived() == []
    assert _names(old) == ["The player's name is Bob."]
    assert [memory["document"] for memory in old.archive.get_archived()] == ["The player's name is Alice."]


def test_of_several_player_infos_of_a_table_the_newest_holds(npc: Npc, clock: Any) -> None:
    table = "text,event_type,info_type,timestamp\nBob.,player_info,name,20\nAlice.,player_info,name,10\n"
    undated = "text,event_type,info_type\nHill.,player_info,home\nDale.,player_info,home\n"
    for expected in (1, 0):
        assert npc.tools.import_csv(table) == npc.tools.import_csv(undated) == expected
        clock.now += 60
    assert sorted(_names(npc)) == ["Bob.", "Dale."] and npc.archive.get_archived() == []


def test_earlier_values_follow_the_id_of_what_is_known(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    old, new = save.npc("old"), save.npc("new")
    new.memories.store("The player's name is Alice.", 9, INFO)
    for name in ("Bob", "Carl"):
        clock.now += 60
        old.memories.store(f"The player's name is {name}.", 9, INFO)
    assert new.tools.import_json(old.tools.export_json()) == 1
    (current,) = new.recall.get_recent()
    archived = {memory["document"] for memory in new.archive.get_archived(current["id"])}
    assert archived == {"The player's name is Alice.", "The player's name is Bob."}


def test_empty_values_of_the_games_own_come_back(npc: Npc, opened: Callable[..., Save]) -> None:
    npc.memories.store(
        "The mill is old.", 5, {"note": "", "tags": [], "zero": 0, "no": False, "nothing": None}
    )
    other = opened().npc("elena")
    other.tools.import_json(npc.tools.export_json())
    assert other.recall.get_recent() == npc.recall.get_recent()


@pytest.mark.parametrize("count", [1e300, 2**63])
def test_a_count_that_cannot_be_kept_is_refused(npc: Npc, count: Any) -> None:
    memory = {"text": "The bell rang.", "repeat_count": count}
    with pytest.raises(InvalidArgumentError, match=r"memory 0: repeat_count does not fit in 64 bits"):
        npc.tools.import_json(json.dumps({"format": "rag_memory", "version": 1, "memories": [memory]}))
    with pytest.raises(InvalidArgumentError, match=r"repeat_count does not fit in 64 bits"):
        npc.tools.import_csv(f"text,repeat_count\nThe bell rang.,{int(count)}\n")
    assert npc.memories.get_memory_count() == 0


def test_an_id_that_another_memory_has_is_replaced_everywhere(told: Npc, opened: Callable[..., Save]) -> None:
    other = opened().npc("elena")
    exported = json.loads(told.tools.export_json())
    clash = exported["memories"][4]["id"]
    other.tools.import_json(json.dumps({**exported, "memories": [{"id": clash, "text": "Something else."}]}))
    assert other.tools.import_json(told.tools.export_json()) == 5
    promise = other.recall.retrieve_relevant_raw("", {"filter": {"event_type": "promise_made"}})[0]
    assert promise["metadata"]["superseded_by"] == f"{clash}_2"
    assert other.memories.get_memory(f"{clash}_2")["document_full"] == "The promise was broken."


def test_numbers_that_went_through_godots_json_are_taken(told: Npc, opened: Callable[..., Save]) -> None:
    content = json.loads(told.tools.export_json(), parse_int=float)
    content["version"] = 1
    assert opened().npc("elena").tools.import_json(json.dumps(content)) == 5


def test_a_rollback_to_before_the_import_forgets_it(
    told: Npc, opened: Callable[..., Save], clock: Any
) -> None:
    save = opened()
    clock.now += 60
    save.npc("elena").tools.import_json(told.tools.export_json())
    assert save.marks.rollback_to(clock.now - 1) == 5


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "[]",
        "{}",
        '{"format": "rag_memory", "version": 3, "memories": []}',
        '{"format": "rag_memory", "version": 2, "memories": [], "interactions": {}}',
        '{"format": "rag_memory", "version": 1}',
        '{"format": "rag_memory", "version": 1, "memories": [3]}',
        '{"format": "rag_memory", "version": 1, "memories": [{"text": "Good."}, {"id": "x"}]}',
        '{"format": "rag_memory", "version": 1, "memories": [{"text": "Good."}, {"text": "x", "topics": 3}]}',
        "[" * 100_000,
        7,
    ],
)
def test_what_is_not_valid_is_refused_whole(npc: Npc, text: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        npc.tools.import_json(text)
    assert npc.memories.get_memory_count() == 0


def test_the_listing_tells_everything_oldest_first(told: Npc, npc: Npc) -> None:
    lines = told.tools.dump_all_memories().splitlines()
    assert lines[0] == "elena: 5 memories"
    assert lines[1] == "[2023-12-13 20:40:00] PINNED We met at the well."
    details = json.loads(lines[2])
    assert details["participants"] == ["player"]
    assert details["id"] == "elena_1702500000_first_meeting"
    assert json.loads(lines[8])["superseded_by"] == "elena_1702500060_promise_broken"


def test_nobody_has_nothing_to_tell(npc: Npc) -> None:
    assert npc.tools.dump_all_memories() == "elena: 0 memories"
    assert json.loads(npc.tools.export_json())["memories"] == []


def test_an_archive_that_could_not_be_written_costs_a_new_npc_nothing(
    told: Npc, opened: Callable[..., Save], save_path: Path
) -> None:
    told.memories.update_memory(told.memories.store("The bridge is safe."), {"text": "The bridge is out."})
    archive = {**json.loads(told.tools.export_json()), "memories": []}
    save = opened(save_path)
    npc = save.npc("marcus")
    with reading(save.store) as connection:
        connection.execute(
            "CREATE TEMP TRIGGER refused BEFORE INSERT ON main.archived_memories "
            "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
        )
        with pytest.raises(StoreError, match="disk is full"):
            npc.tools.import_json(json.dumps(archive))
        connection.execute("DROP TRIGGER refused")
    assert npc.tools.import_json(json.dumps(archive)) == 0
    npc.memories.store("Theron came.")
    save.close()
    npc = opened(save_path).npc("marcus")
    assert [memory["document_full"] for memory in npc.recall.get_recent()] == ["Theron came."]
    assert [memory["document_full"] for memory in npc.archive.get_archived()] == ["The bridge is safe."]


def test_two_memories_with_one_id_are_refused_by_the_name_of_the_id(npc: Npc) -> None:
    memories = [{"text": "Rain fell.", "id": "a"}, {"text": "Snow fell."}, {"text": "Hail fell.", "id": "a"}]
    text = json.dumps({"format": "rag_memory", "version": 1, "memories": memories})
    with pytest.raises(InvalidArgumentError, match=r"memory 2: memory 0 has the id 'a', too"):
        npc.tools.import_json(text)
    assert npc.memories.get_memory_count() == 0


def test_a_long_export_is_read_in_slices(npc: Npc, opened: Callable[..., Save]) -> None:
    npc.memories.store_batch([{"text": f"Sack {number} was sold."} for number in range(160)])
    other = opened().npc("elena")
    steps = [step.what for step in other.tools.import_json.steps(npc.tools.export_json())]
    assert steps.count("reading memories") == steps.count("comparing memories") == 10
    assert other.memories.get_memory_count() == 160
