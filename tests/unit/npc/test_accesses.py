"""When a memory last entered an answer: what counts as that, and that no question writes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.conftest import NOW, GameClock
from tests.unit.sqlite_access import reading

from rag_memory import MemoryConfig, Npc, Save, open_save
from rag_memory.errors import InvalidArgumentError, StoreError
from rag_memory.godot.game_functions import GameFunction
from rag_memory.godot.open_saves import OpenSaves
from rag_memory.godot.save_folder import Folders

HOUR = 3600.0


def accessed(npc: Npc, id: str) -> float:
    found: float = npc.memories.get_memory(id)["metadata"]["last_accessed"]
    return found


def kept(save: Save) -> dict[str, float]:
    """The accesses stored in the file."""
    with reading(save.store) as connection:
        return dict(connection.execute("SELECT id, last_accessed FROM memories"))


@pytest.fixture
def wolf(npc: Npc, clock: GameClock) -> str:
    """A memory of an hour ago."""
    id = npc.memories.store("The wolf came to the river.", 5)
    clock.now += HOUR
    return id


ANSWERS: dict[str, Callable[[Npc], Any]] = {
    "retrieve_scored": lambda npc: npc.recall.retrieve_scored("wolf"),
    "retrieve_scored, of nothing": lambda npc: npc.recall.retrieve_scored(""),
    "retrieve_tiered": lambda npc: npc.recall.retrieve_tiered("wolf"),
    "retrieve_relevant": lambda npc: npc.recall.retrieve_relevant("wolf"),
    "retrieve_relevant_raw": lambda npc: npc.recall.retrieve_relevant_raw("wolf"),
}
NO_ANSWERS: dict[str, Callable[[Npc], Any]] = {
    "retrieve_relevant_raw, of nothing": lambda npc: npc.recall.retrieve_relevant_raw(""),
    "explain": lambda npc: npc.recall.explain("wolf"),
    "browse": lambda npc: npc.tools.browse({"similar_to": "wolf"}),
    "get_recent": lambda npc: npc.recall.get_recent(),
    "get_memory": lambda npc: npc.memories.get_memory(npc.recall.get_recent(1)[0]["id"]),
    "export_json": lambda npc: npc.tools.export_json(),
    "left out": lambda npc: npc.recall.retrieve_scored("wolf", 0),
    "filtered": lambda npc: npc.recall.retrieve_relevant("wolf", {"min_importance": 6}),
}


@pytest.mark.parametrize("call", ANSWERS)
def test_what_enters_an_answer_is_accessed(npc: Npc, clock: GameClock, wolf: str, call: str) -> None:
    assert accessed(npc, wolf) == NOW
    ANSWERS[call](npc)
    assert accessed(npc, wolf) == clock.now
    (memory,) = npc.recall.retrieve_relevant_raw("wolf", {"filter": {"last_accessed": clock.now}})
    assert memory["metadata"]["last_accessed"] == clock.now
    assert npc.recall.get_recent()[0]["metadata"]["last_accessed"] == clock.now


@pytest.mark.parametrize("call", NO_ANSWERS)
def test_what_is_only_looked_at_is_not(npc: Npc, wolf: str, call: str) -> None:
    NO_ANSWERS[call](npc)
    assert accessed(npc, wolf) == NOW


def test_what_is_always_in_the_answer_is_not_accessed_by_it(npc: Npc, clock: GameClock) -> None:
    name = npc.memories.store("The player's name is Falk.", 9, {"slot_type": "player_name"})
    clock.now += HOUR
    assert npc.recall.retrieve_scored("wolf")[1]["id"] == name
    npc.recall.retrieve_tiered("wolf")
    assert accessed(npc, name) == NOW
    npc.recall.retrieve_relevant("What is the player's name?")
    assert accessed(npc, name) == clock.now


def test_an_answer_tells_when_it_was_accessed_before(npc: Npc, clock: GameClock, wolf: str) -> None:
    told = []
    for _ in range(3):
        told += [npc.recall.retrieve_relevant_raw("wolf")[0]["metadata"]["last_accessed"]]
        clock.now += HOUR
    assert told == [NOW, NOW + HOUR, NOW + 2 * HOUR]


def test_a_question_writes_nothing(npc: Npc, wolf: str) -> None:
    store = npc.records.store
    before = store.change_count
    for _ in range(3):
        npc.recall.retrieve_scored("wolf")
        npc.recall.retrieve_tiered("river")
    assert store.change_count == before


@pytest.mark.parametrize("way", ["close", "idle", "store", "snapshot", "browse"])
def test_it_is_written_when_nobody_waits(
    opened: Callable[..., Save], save_path: Path, clock: GameClock, way: str
) -> None:
    save = opened(save_path)
    npc = save.npc("elena")
    wolf = npc.memories.store("The wolf came to the river.")
    save.context.accesses._written_at = float("-inf")
    clock.now += HOUR
    npc.recall.retrieve_scored("wolf")
    assert kept(save) == {wolf: NOW}
    match way:
        case "close":
            save.close()
            save = opened(save_path)
        case "idle":
            while save.idle_step():
                pass
        case "store":
            npc.memories.store("It rained.")
        case "snapshot":
            save.snapshots.take("one")
        case "browse":
            assert npc.tools.browse({"filter": {"last_accessed": {">": NOW}}})["total"] == 1
    assert kept(save)[wolf] == clock.now


def test_many_are_written_soon_and_few_after_seconds(opened: Callable[..., Save], clock: GameClock) -> None:
    save = opened()
    npc = save.npc("elena", MemoryConfig(memory_token_budget=1_000_000))
    ids = npc.memories.store_batch([{"text": f"Sack {number} was sold."} for number in range(300)])
    clock.now += HOUR
    npc.recall.retrieve_relevant("sack", {"limit": 10})
    save.idle_step()
    assert list(kept(save).values()).count(clock.now) == 0, "they were just written"
    npc.recall.retrieve_relevant("sack", {"limit": 300})
    save.idle_step()
    assert kept(save) == dict.fromkeys(ids, clock.now)


def test_a_killed_game_loses_only_what_was_not_written(
    opened: Callable[..., Save], save_path: Path, tmp_path: Path, clock: GameClock
) -> None:
    save = opened(save_path)
    npc = save.npc("elena")
    wolf, rain = npc.memories.store("The wolf came."), npc.memories.store("It rained.")
    clock.now += HOUR
    npc.recall.retrieve_relevant("wolf", {"limit": 1})
    npc.memories.store("A boat came.")
    clock.now += HOUR
    npc.recall.retrieve_relevant("rained", {"limit": 1})
    for file in save_path.parent.glob("village.sqlite3*"):
        shutil.copy(file, tmp_path / f"killed{file.name.removeprefix('village')}")
    after = opened(tmp_path / "killed.sqlite3").npc("elena")
    assert (accessed(after, wolf), accessed(after, rain)) == (NOW + HOUR, NOW)
    assert after.memories.get_memory_count() == 3


def test_letting_go_of_an_index_loses_nothing(npc: Npc, clock: GameClock, wolf: str) -> None:
    npc.recall.retrieve_scored("wolf")
    npc.unload()
    assert accessed(npc, wolf) == clock.now
    assert npc.recall.retrieve_relevant_raw("", {"filter": {"last_accessed": clock.now}})


def test_a_full_disk_fails_no_question(
    npc: Npc, wolf: str, monkeypatch: pytest.MonkeyPatch, clock: GameClock, caplog: Any
) -> None:
    save = npc.records.save
    with reading(save.store) as connection:
        connection.execute("PRAGMA query_only = ON")
    for _ in range(3):
        npc.recall.retrieve_scored("wolf")
        assert npc.tools.browse()["total"] == 1
        save.accesses.write()
    assert accessed(npc, wolf) == clock.now
    assert len([each for each in caplog.messages if "last recalled" in each]) == 1
    with pytest.raises(StoreError):
        npc.memories.store("It rained.")
    with reading(save.store) as connection:
        connection.execute("PRAGMA query_only = OFF")
    npc.memories.store("It rained.")
    assert not save.accesses.waiting and accessed(npc, wolf) == clock.now


def test_a_group_that_fails_loses_none(npc: Npc, wolf: str, clock: GameClock) -> None:
    npc.recall.retrieve_scored("wolf")
    with pytest.raises(InvalidArgumentError), npc.records.save.together():
        npc.memories.store("It rained.")
        npc.memories.store("")
    assert accessed(npc, wolf) == clock.now
    npc.memories.store("A boat came.")
    (memory,) = npc.recall.retrieve_relevant_raw("wolf", {"filter": {"last_accessed": clock.now}, "limit": 1})
    assert memory["id"] == wolf
    npc.records.save.accesses.forget()
    assert accessed(npc, wolf) == clock.now, "it is written"


def test_after_a_rollback_nothing_was_accessed_later(opened: Callable[..., Save], clock: GameClock) -> None:
    save = opened()
    npc = save.npc("elena")
    early, late = npc.memories.store("The wolf came."), npc.memories.store("It rained.")
    slot = npc.memories.store("The bridge is safe.", 5, {"slot_type": "player_home"})
    npc.recall.retrieve_relevant("wolf", {"limit": 1})
    clock.now += HOUR
    npc.recall.retrieve_relevant("wolf", {"limit": 1})
    moment = clock.now + HOUR
    clock.now += 2 * HOUR
    npc.recall.retrieve_relevant("rained", {"limit": 1})
    npc.recall.retrieve_relevant("bridge", {"limit": 1})
    npc.memories.store("The bridge is out.", 5, {"slot_type": "player_home"})
    save.marks.rollback_to(moment)
    assert [accessed(npc, id) for id in (early, late, slot)] == [NOW + HOUR, moment, moment]
    assert not npc.recall.retrieve_relevant_raw("", {"filter": {"last_accessed": {">": moment}}})
    assert len(npc.recall.retrieve_relevant_raw("", {"filter": {"last_accessed": moment}})) == 2


def test_the_columns_of_an_npc_that_nothing_happened_to_go_back_too(
    opened: Callable[..., Save], clock: GameClock
) -> None:
    save = opened()
    npc = save.npc("elena")
    npc.memories.store("The wolf came.")
    clock.now += 2 * HOUR
    npc.recall.retrieve_scored("wolf")
    save.marks.rollback_to(NOW + HOUR)
    assert npc.records.index.loaded_count == 1, "nothing has to be loaded again"
    assert npc.recall.retrieve_relevant_raw("", {"filter": {"last_accessed": NOW + HOUR}})


def test_a_restored_snapshot_has_what_it_had(
    opened: Callable[..., Save], save_path: Path, clock: GameClock
) -> None:
    save = opened(save_path)
    npc = save.npc("elena")
    wolf = npc.memories.store("The wolf came.")
    clock.now += HOUR
    npc.recall.retrieve_scored("wolf")
    save.snapshots.take("one")
    clock.now += HOUR
    npc.recall.retrieve_scored("wolf")
    assert save.snapshots.compare("one")["changed"] == 0, "being recalled changes no memory"
    save.snapshots.restore("one")
    assert accessed(npc, wolf) == NOW + HOUR
    save.close()
    assert accessed(opened(save_path).npc("elena"), wolf) == NOW + HOUR


@pytest.mark.parametrize("form", ["json", "csv"])
def test_an_export_carries_it_with_the_kind(opened: Callable[..., Save], clock: GameClock, form: str) -> None:
    npc = opened().npc("elena")
    wolf = npc.memories.store("The wolf came.", 5, {"kind": "observation"})
    clock.now += HOUR
    npc.recall.retrieve_scored("wolf")
    other = opened().npc("elena")
    if form == "json":
        assert other.tools.import_json(npc.tools.export_json()) == 1
    else:
        assert other.tools.import_csv(npc.tools.export_csv()) == 1
    assert other.memories.get_memory(wolf)["metadata"] == npc.memories.get_memory(wolf)["metadata"]
    assert f'"last_accessed":{clock.now}' in npc.tools.dump_all_memories()


def test_a_changed_memory_keeps_it(npc: Npc, clock: GameClock, wolf: str) -> None:
    npc.recall.retrieve_scored("wolf")
    at = clock.now
    clock.now += HOUR
    npc.memories.update_memory(wolf, {"text": "Two wolves came.", "timestamp": NOW - HOUR})
    npc.memories.pin_memory(wolf)
    assert accessed(npc, wolf) == at
    rain = npc.memories.store("It rained.")
    npc.memories.update_memory(rain, {"timestamp": NOW - HOUR})
    assert accessed(npc, rain) == NOW - HOUR, "it was never asked for"
    assert npc.recall.retrieve_relevant_raw("", {"filter": {"last_accessed": NOW - HOUR}})
    npc.memories.store("It rained.")
    assert accessed(npc, rain) == clock.now, "it was told again"


def test_captured_memories_come_back_with_it(npc: Npc, clock: GameClock, wolf: str) -> None:
    npc.recall.retrieve_scored("wolf")
    captured = json.loads(json.dumps(npc.tools.capture_memories([wolf])))
    npc.memories.forget(wolf)
    npc.tools.put_back_memories(captured)
    assert accessed(npc, wolf) == clock.now


def test_a_summary_has_its_own_and_recalling_keeps_nothing_from_merging(
    opened: Callable[..., Save], clock: GameClock
) -> None:
    npc = opened().npc("elena")
    for number in range(6):
        npc.memories.store(f"Falk talked of his {number + 3} cows.", 3, {"event_type": "conversation"})
        clock.now += 60
    clock.now += 40 * 24 * HOUR
    steps = npc.archive.consolidate.steps()
    next(steps)
    npc.recall.retrieve_scored("cows")
    for _step in steps:
        pass
    (summary,) = npc.recall.get_recent(9)
    assert summary["metadata"]["last_accessed"] == summary["metadata"]["timestamp"]
    assert {each["metadata"]["last_accessed"] for each in npc.archive.get_archived()} == {clock.now}


def _no_answer(_which: GameFunction, _request: dict[str, Any]) -> Generator[Any, None, None]:
    yield from ()


def test_a_question_in_the_editor_is_none_of_the_game(tmp_path: Path) -> None:
    folders = Folders(tmp_path / "saves", tmp_path / "models", tmp_path / "prepared", tmp_path)
    for is_editor in (True, False):
        saves = OpenSaves(folders, lambda: 2 * HOUR, lambda *_: None, _no_answer, is_editor)
        npc = saves.for_node(False).npc("elena")
        id = npc.memories.store("The wolf came.", 5, {"timestamp": HOUR})
        npc.recall.retrieve_scored("wolf")
        assert accessed(npc, id) == (HOUR if is_editor else 2 * HOUR)
        saves.shut_down()


def test_the_game_does_not_set_it(npc: Npc) -> None:
    with pytest.raises(InvalidArgumentError, match="last_accessed"):
        npc.memories.store("The wolf came.", 5, {"last_accessed": 5.0})


def test_a_kind_is_kept_found_and_changed(npc: Npc) -> None:
    ids = {
        kind: npc.memories.store(f"This is of the kind {kind}.", 5, {"kind": kind})
        for kind in ("", "observation", "episode", "reflection", "fact")
    }
    for kind, id in ids.items():
        (found,) = npc.recall.retrieve_relevant_raw("kind", {"filter": {"kind": kind}})
        assert found["id"] == id and found["metadata"]["kind"] == kind
        assert [row["id"] for row in npc.tools.browse({"filter": {"kind": kind}})["rows"]] == [id]
    wanted = {"kind": {"in": ["fact", "episode"]}}
    assert len(npc.recall.retrieve_relevant_raw("kind", {"filter": wanted})) == 2
    npc.memories.update_memory(ids["fact"], {"kind": "reflection", "importance": 8})
    assert len(npc.recall.retrieve_relevant_raw("kind", {"filter": {"kind": "reflection"}})) == 2
    npc.memories.update_memory(ids["fact"], {"importance": 7})
    assert npc.memories.get_memory(ids["fact"])["metadata"]["kind"] == "reflection"


@pytest.mark.parametrize("kind", ["Reflection", "dream", 3, None])
def test_an_unknown_kind_is_refused(npc: Npc, kind: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="kind"):
        npc.memories.store("The wolf came.", 5, {"kind": kind})
    assert npc.memories.get_memory_count() == 0


def test_another_kind_is_another_memory(npc: Npc) -> None:
    for kind in ("observation", "episode", "observation"):
        npc.memories.store("The wolf came.", 5, {"kind": kind})
    assert npc.memories.get_memory_count() == 2


def test_a_repetition_that_is_taken_back_leaves_the_kind(
    opened: Callable[..., Save], clock: GameClock
) -> None:
    save = opened()
    npc = save.npc("elena")
    id = npc.memories.store("The wolf came.", 5, {"kind": "observation"})
    clock.now += HOUR
    npc.memories.store("The wolf came.", 5, {"kind": "observation"})
    assert accessed(npc, id) == NOW + HOUR
    save.marks.rollback_to(NOW)
    metadata = npc.memories.get_memory(id)["metadata"]
    assert (metadata["kind"], metadata["last_accessed"], metadata["repeat_count"]) == ("observation", NOW, 1)


def test_the_index_is_there_when_the_save_is_opened_again(
    opened: Callable[..., Save], save_path: Path
) -> None:
    with open_save(save_path, clock=lambda: NOW) as save:
        save.npc("elena").memories.store("I can rely on Rowan.", 8, {"kind": "reflection"})
    with open_save(save_path, clock=lambda: NOW) as save:
        assert save.npc("elena").recall.retrieve_relevant("Rowan", {"filter": {"kind": "reflection"}})
