"""Old saves, archived values, rollbacks and snapshots: what a reloaded game still knows, and what not."""

from __future__ import annotations

import contextlib
import random
import re
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.storage.next_schema import NEXT_VERSION, next_schema

from rag_memory import MemoryConfig, Npc, Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.errors import (
    EmbedderError,
    InvalidArgumentError,
    SaveDamagedError,
    SaveError,
    SaveNotFoundError,
    SaveTooNewError,
    SaveTooOldError,
)
from rag_memory.memory.archived import SLOT_UPDATE, Archived
from rag_memory.step import run
from rag_memory.storage.sqlite.schema import SCHEMA_VERSION
from rag_memory.text.terms import WORD

NOW = 1_702_500_000.0
DAY = 86400.0
DATA = Path(__file__).parent / "data"
KEPT_SAVE = DATA / "save_schema_1.sqlite3"
MARK_IN_KEPT_SAVE = "mark:6684a9502aeba735:save_schema_1"
MARKS_IN_KEPT_SAVES = {2: "mark:8960248e8c7f6497:save_schema_2", 3: "mark:95ec04b3058acf60:save_schema_3"}
PLAYER_NAME = {"event_type": "player_info", "info_type": "player_name", "slot_type": "player_name"}


@pytest.fixture
def old_save(save_path: Path) -> Path:
    shutil.copy(KEPT_SAVE, save_path)
    return save_path


def test_a_save_of_schema_1_opens_with_all_it_holds(
    opened: Callable[..., Save], old_save: Path, clock: Any
) -> None:
    clock.now = 1_702_090_000.0
    save = opened(old_save, 8)
    elena = save.npc("elena")
    assert [memory["document_full"] for memory in elena.recall.get_recent(9)] == [
        "Theron broke the promise about the bells.",
        "Theron promised to find 3 silver bells for Father Gregor.",
        "The player's name is Theron.",
        "We met at the well in Thornhaven.",
    ]
    assert elena.recall.get_recent(9)[1]["metadata"]["own_key"] == {"bells": 3}
    assert [memory["document_full"] for memory in elena.archive.get_archived()] == [
        "The player's name is Teron."
    ]
    assert elena.mind.feelings.get_disposition("player")["strength"] == 58.0
    assert [character["name"] for character in save.world.characters.list_characters()] == ["Elena"]
    assert save.npc("bjorn").memories.get_memory_count() == 1
    assert elena.recall.retrieve_relevant("silver bells")
    assert save.overview.health()["schema_version"] == SCHEMA_VERSION
    assert save.marks.rollback_to(MARK_IN_KEPT_SAVE) == 1
    assert [memory["metadata"]["event_type"] for memory in elena.recall.get_recent(1)] == ["promise_made"]


@pytest.mark.parametrize("version", range(2, SCHEMA_VERSION + 1))
def test_a_save_of_every_later_schema_opens_with_all_it_holds(
    opened: Callable[..., Save], save_path: Path, clock: Any, version: int
) -> None:
    shutil.copy(DATA / f"save_schema_{version}.sqlite3", save_path)
    clock.now = 1_702_172_900.0
    save = opened(save_path, 8, campaign="the long winter")
    elena = save.npc("elena")
    texts = [memory["document_full"] for memory in elena.recall.get_recent(9)]
    assert texts[1:] == [
        "Theron broke the promise about the bells.",
        'player helped me: "I carried the wood for you."',
        "Theron promised to find 3 silver bells for Father Gregor.",
        "The player's name is Theron.",
        "We met at the well in Thornhaven.",
    ]
    assert [memory["document_full"] for memory in elena.archive.get_archived()] == [
        "The player's name is Teron."
    ]
    assert [character["name"] for character in save.world.characters.list_characters()] == ["Elena"]
    assert elena.recall.retrieve_relevant("silver bells")
    assert save.overview.health()["schema_version"] == SCHEMA_VERSION
    before = len(texts)
    elena.exchange_undo.undo_exchange()
    assert len(elena.recall.get_recent(9)) < before
    save.marks.rollback_to(MARKS_IN_KEPT_SAVES[version])
    assert [memory["document_full"] for memory in elena.recall.get_recent(9)] == texts[2:]
    elena.memories.store("The mill burned down.")
    save.close()
    (newest,) = opened(save_path, 8).npc("elena").recall.get_recent(1)
    assert newest["document_full"] == "The mill burned down."


def test_a_save_of_an_unreleased_version_is_refused_and_left_alone(
    opened: Callable[..., Save], save_path: Path
) -> None:
    content = (DATA / "save_unreleased.sqlite3").read_bytes()
    save_path.write_bytes(content)
    with pytest.raises(SaveTooOldError, match=r"unreleased version.*version 1 of a format.*export_json\(\)"):
        opened(save_path, 8)
    assert save_path.read_bytes() == content
    assert [path.name for path in save_path.parent.iterdir()] == [save_path.name]


def test_a_snapshot_of_an_unreleased_version_is_refused_and_left_alone(
    opened: Callable[..., Save], save_path: Path
) -> None:
    save = opened(save_path, 8)
    save.npc("elena").memories.store("The wolf came.")
    save.snapshots.take("old")
    snapshot = save_path.with_name("village.snapshots") / "old.sqlite3"
    content = (DATA / "save_unreleased.sqlite3").read_bytes()
    snapshot.write_bytes(content)
    with pytest.raises(SaveTooOldError, match="unreleased version"):
        save.snapshots.restore("old")
    assert save.npc("elena").memories.get_memory_count() == 1 and snapshot.read_bytes() == content


def test_a_snapshot_of_an_older_schema_is_compared_and_restored(
    opened: Callable[..., Save], old_save: Path, save_path: Path
) -> None:
    (save_path.parent / "village.snapshots").mkdir()
    shutil.copy(KEPT_SAVE, save_path.parent / "village.snapshots" / "old.sqlite3")
    with next_schema():
        save = opened(old_save, 8)
        assert (save.snapshots.compare("old")["changed"], save.snapshots.compare("old")["added"]) == (0, 0)
        save.npc("elena").memories.store("The wolf came.")
        assert save.snapshots.compare("old")["added"] == 1
        save.snapshots.restore("old")
        assert save.npc("elena").memories.get_memory_count() == 4


def test_a_save_that_was_migrated_stays_migrated(opened: Callable[..., Save], old_save: Path) -> None:
    with next_schema():
        opened(old_save, 8).close()
        with contextlib.closing(sqlite3.connect(old_save)) as connection:
            assert connection.execute("PRAGMA user_version").fetchone() == (NEXT_VERSION,)
        assert opened(old_save, 8).npc("elena").memories.get_memory_count() == 4


def test_what_was_stored_later_is_forgotten_by_every_npc(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    for name in ("elena", "bjorn"):
        save.npc(name).memories.store("The mill burned down.")
    moment = clock.now
    clock.now += DAY
    for name in ("elena", "bjorn"):
        save.npc(name).memories.store("The mill was built anew by 7 masons.")
        save.npc(name).memories.store("Long ago a bell fell into the river.", 5, {"timestamp": moment - DAY})
    assert save.marks.rollback_to(moment) == 4
    for name in ("elena", "bjorn"):
        npc = save.npc(name)
        assert npc.memories.get_memory_count() == 1
        assert npc.recall.retrieve_relevant("the masons at the mill") == ["The mill burned down."]
        assert npc.recall.retrieve_relevant("the bell in the river") == ["The mill burned down."]


def test_what_was_stored_at_the_moment_itself_stays(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    save.npc("elena").memories.store("Now.")
    assert save.marks.rollback_to(clock.now) == 0
    assert save.marks.rollback_to(clock.now - 0.001) == 1


def test_what_is_dated_later_is_forgotten_too(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    save.npc("elena").memories.store("The fair begins.", 5, {"timestamp": clock.now + DAY})
    assert save.marks.rollback_to(clock.now) == 1


def test_the_name_known_before_is_known_again(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    npc = save.npc("elena")
    moments = []
    for name in ("Theron", "Marcus", "Falk"):
        npc.memories.store(f"The player's name is {name}.", 10, PLAYER_NAME)
        moments.append(clock.now)
        clock.now += DAY
    assert npc.memories.get_memory_count() == 1
    assert not any(
        "Theron" in text for text in npc.recall.retrieve_relevant("Theron Marcus Falk", {"limit": 9})
    )
    assert save.marks.rollback_to(moments[1]) == 0, "the memory is still there"
    assert npc.recall.get_recent()[0]["document_full"] == "The player's name is Marcus."
    assert save.marks.rollback_to(moments[0]) == 0
    (known,) = npc.recall.get_recent(9)
    assert known["document_full"] == "The player's name is Theron."
    assert [memory["document_full"] for memory in npc.recall.retrieve_scored("your name?")][1:] == [
        "The player's name is Theron."
    ]


def test_a_rollback_counts_what_is_gone(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    npc = save.npc("elena")
    id = npc.memories.store("The bridge is safe.")
    npc.memories.store("Rain fell.")
    moment = clock.now
    clock.now += 60
    npc.memories.update_memory(id, {"text": "The bridge is out."})
    npc.memories.pin_memory(id)
    npc.memories.store("Rain fell.")
    npc.memories.store("Snow fell.")
    npc.memories.update_memory(npc.memories.store("Hail fell."), {"importance": 6})
    assert npc.memories.get_memory_count() == 4
    assert save.marks.rollback_to(moment) == 2
    assert npc.memories.get_memory_count() == 2
    assert npc.memories.get_memory(id)["document"] == "The bridge is safe."


def test_an_archived_memory_is_seen_by_nothing_public(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    npc = save.npc("elena")
    id = npc.memories.store("The player serves Thornhaven.", 6, {"slot_type": "player_allegiance"})
    (row,) = save.store.records.find(1)
    with save.store.transaction():
        save.store.archive.move([row.key], Archived(clock.now, SLOT_UPDATE, "later"))
    npc.reload()
    assert npc.memories.get_memory(id) == {}
    assert npc.memories.get_memory_count() == save.overview.health()["memory_count"] == 0
    assert npc.recall.get_recent() == []
    assert npc.recall.retrieve_relevant("serves Thornhaven") == []
    assert not save.store.terms.keys_with(1, WORD, "thornhaven").size
    assert save.marks.rollback_to(clock.now - 1) == 0
    assert npc.memories.get_memory(id) == {}, "it was stored later than that"


def test_forgotten_memories_do_not_come_back(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    npc = save.npc("elena")
    npc.memories.store("The player's name is Theron.", 10, PLAYER_NAME)
    moment = clock.now
    clock.now += DAY
    id = npc.memories.store("The player's name is Falk.", 10, PLAYER_NAME)
    npc.memories.forget(id)
    save.marks.rollback_to(moment)
    assert npc.memories.get_memory_count() == 0
    npc.memories.store("The player's name is Theron.", 10, {**PLAYER_NAME, "timestamp": moment})
    npc.clear_all_memories()
    assert save.store.archive.find(1) == []


def test_a_supersession_of_later_is_undone(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    npc = save.npc("elena")
    promise = npc.memories.store("The player promised 3 bells.", 6, {"event_type": "promise_made"})
    moment = clock.now
    clock.now += DAY
    broken = npc.memories.store("The player broke the promise.", 8, {"event_type": "promise_broken"})
    record = save.store.records.get(1, promise)
    assert record
    with save.store.transaction():
        superseded = record._replace(superseded_by=broken, superseded_at=clock.now)
        save.store.records.update(
            1, superseded, save.embedder.embed([record.document_full])[0], save.context.model
        )
    save.marks.rollback_to(moment)
    metadata = npc.memories.get_memory(promise)["metadata"]
    assert (metadata["superseded_by"], metadata["superseded_at"]) == ("", 0.0)


def test_a_rollback_that_fails_changes_nothing(
    opened: Callable[..., Save], clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = opened()
    npc = save.npc("elena")
    npc.memories.store("The player's name is Theron.", 10, PLAYER_NAME)
    clock.now += DAY
    npc.memories.store("The player's name is Falk.", 10, PLAYER_NAME)

    def fail(*_: Any) -> int:
        raise sqlite3.OperationalError("disk is full")

    monkeypatch.setattr("rag_memory.storage.sql.archive.Archive.return_version", fail)
    with pytest.raises(Exception, match="disk is full"):
        save.marks.rollback_to(clock.now - 1)
    assert npc.recall.get_recent()[0]["document_full"] == "The player's name is Falk."
    assert len(save.store.archive.find(1)) == 1


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), "yesterday", None])
def test_a_moment_is_a_finite_number(opened: Callable[..., Save], wrong: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        opened().marks.rollback_to(wrong)


def test_a_snapshot_brings_everything_back(opened: Callable[..., Save], save_path: Path, clock: Any) -> None:
    save = opened(save_path)
    npc = save.npc("elena")
    first = npc.memories.store("The player's name is Theron.", 10, PLAYER_NAME)
    save.snapshots.take("before the mill")
    clock.now += DAY
    npc.memories.store("The player's name is Falk.", 10, PLAYER_NAME)
    save.npc("bjorn").memories.store("The anvil broke.")
    save.snapshots.restore("before the mill")
    assert npc.memories.get_memory(first)["document_full"] == "The player's name is Theron."
    assert save.npc("bjorn").memories.get_memory_count() == 0
    assert save.store.archive.find(1) == []
    npc.memories.store("Something new happened.")
    save.npc("bjorn").memories.store("The anvil is whole again.")
    save.close()
    again = opened(save_path)
    assert again.npc("elena").memories.get_memory_count() == 2
    assert again.npc("bjorn").recall.retrieve_relevant("anvil") == ["The anvil is whole again."]
    assert again.snapshots.slots() == ["before the mill"]


def test_a_snapshot_holds_what_is_in_the_write_ahead_log_and_nothing_stored_later(
    opened: Callable[..., Save], save_path: Path
) -> None:
    save = opened(save_path)
    npc = save.npc("elena")
    for number in range(50):
        npc.memories.store(f"Memory number {number}.")
    steps = save.snapshots.take.steps("a")
    next(steps)
    for number in range(300):
        npc.memories.store(f"A later memory, number {number}. " + "x" * 4000)
    assert list(steps) is not None
    folder = save_path.with_name("village.snapshots")
    uri = f"{(folder / 'a.sqlite3').as_uri()}?immutable=1"
    with contextlib.closing(sqlite3.connect(uri, uri=True)) as copy:
        assert copy.execute("SELECT count(*) FROM memories").fetchone() == (50,)
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert [file.name for file in folder.iterdir()] == ["a.sqlite3"]


def test_a_slot_holds_its_newest_snapshot(opened: Callable[..., Save], save_path: Path) -> None:
    save = opened(save_path)
    for number in range(3):
        save.npc("elena").memories.store(f"Day {number}.")
        save.snapshots.take("quick")
    save.npc("elena").clear_all_memories()
    save.snapshots.restore("quick")
    assert save.npc("elena").memories.get_memory_count() == 3


def test_a_snapshot_that_cannot_be_written_leaves_the_former_one(
    opened: Callable[..., Save], save_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = opened(save_path)
    save.npc("elena").memories.store("Day 1.")
    save.snapshots.take("quick")
    save.npc("elena").memories.store("Day 2.")

    def fail(*_: Any) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("rag_memory.storage.sqlite.copying.copy_part", fail)
    with pytest.raises(SaveError, match="No space left"):
        save.snapshots.take("quick")
    save.snapshots.restore("quick")
    assert save.npc("elena").memories.get_memory_count() == 1
    assert len(list(save_path.with_name("village.snapshots").iterdir())) == 1


@pytest.mark.parametrize("slot", ["", " ", "../up", "a/b", ".hidden", "x" * 300, "a:b", 7])
def test_a_slot_is_a_file_name(opened: Callable[..., Save], save_path: Path, slot: Any) -> None:
    save = opened(save_path)
    for call in (save.snapshots.take, save.snapshots.restore):
        with pytest.raises(InvalidArgumentError):
            call(slot)


def test_an_unknown_slot_says_which_there_are(opened: Callable[..., Save], save_path: Path) -> None:
    save = opened(save_path)
    with pytest.raises(SaveNotFoundError, match=r"snapshot\(\) makes one"):
        save.snapshots.restore("a")
    save.snapshots.take("b")
    with pytest.raises(SaveNotFoundError, match="snapshots are b"):
        save.snapshots.restore("a")


def test_a_save_in_memory_has_no_snapshots(opened: Callable[..., Save]) -> None:
    save = opened()
    with pytest.raises(InvalidArgumentError, match="memory only"):
        save.snapshots.take("a")
    assert save.snapshots.slots() == []


@pytest.mark.parametrize("damage", ["cut", "overwritten", "not SQLite", "newer", "without a table"])
def test_a_bad_snapshot_leaves_the_save_alone(
    opened: Callable[..., Save], save_path: Path, damage: str
) -> None:
    save = opened(save_path)
    for number in range(30):
        save.npc("elena").memories.store(f"Memory {number} " + "x" * 2000)
    save.snapshots.take("a")
    file = save_path.with_name("village.snapshots") / "a.sqlite3"
    content = bytearray(file.read_bytes())
    if damage == "cut":
        content = content[: len(content) // 2]
    elif damage == "overwritten":
        content[4096:20000] = b"\xaa" * 15904
    elif damage == "not SQLite":
        content[:16] = b"x" * 16
    elif damage == "newer":
        content[60:64] = (SCHEMA_VERSION + 1).to_bytes(4, "big")
    file.write_bytes(content)
    if damage == "without a table":
        with contextlib.closing(sqlite3.connect(file)) as connection:
            connection.execute("DROP TABLE embedding_models")
        content = bytearray(file.read_bytes())
    save.npc("elena").memories.store("One more.")
    with pytest.raises(SaveTooNewError if damage == "newer" else SaveDamagedError):
        save.snapshots.restore("a")
    assert save.npc("elena").memories.get_memory_count() == 31
    assert file.read_bytes() == content


def test_a_save_goes_on_after_a_snapshot_of_an_older_schema_was_restored(
    opened: Callable[..., Save], save_path: Path
) -> None:
    with next_schema():
        save = opened(save_path, 8)
        folder = save_path.with_name("village.snapshots")
        folder.mkdir()
        shutil.copy(KEPT_SAVE, folder / "old.sqlite3")
        save.snapshots.restore("old")
        assert save.npc("elena").memories.get_memory_count() == 4
        save.npc("elena").memories.store("And it goes on.")
        assert save.marks.rollback_to(1_702_000_000.0) == 6


class FailingEmbedder(HashingEmbedder):
    """Fails when it has embedded so many batches more."""

    left = -1

    def batches(self, texts: Any) -> Any:
        for batch in super().batches(texts):
            if self.left == 0:
                raise EmbedderError("The model failed")
            self.left -= 1
            yield batch


_LAST_ACCESSED = re.compile(r'\s*"last_accessed": ([-0-9.e+]+),?')


@pytest.mark.parametrize("call", ["restore", "rollback_to"])
def test_what_comes_back_with_vectors_of_another_model_is_embedded_again(
    opened: Callable[..., Save], save_path: Path, clock: Any, call: str, caplog: pytest.LogCaptureFixture
) -> None:
    old = opened(save_path, 32)
    npc = old.npc("elena")
    npc.memories.store_batch([{"text": f"Old memory {number} of the mill."} for number in range(60)])
    old.snapshots.take("old")
    for number in range(60):
        clock.now += 1
        npc.memories.update_memory(
            npc.recall.get_recent(60)[number]["id"], {"text": f"Told again {number}, of the mill."}
        )
    old.close()
    embedder = FailingEmbedder(64)
    save = open_save(save_path, embedder=embedder, clock=clock)
    npc = save.npc("elena")
    assert (
        run(save.missing.make_steps()) == 60
        and len(npc.recall.retrieve_relevant("mill", {"limit": 100})) == 60
    )
    if call == "restore":
        save.snapshots.restore("old")
    else:
        save.marks.rollback_to(NOW)
    expected = sorted(f"Old memory {number} of the mill." for number in range(60))
    assert sorted(npc.recall.retrieve_relevant("mill", {"limit": 100})) == expected
    assert save.context.missing_vectors == 60
    embedder.left = 2
    while save.idle_step() is not None:
        pass
    assert "found by their words alone" in caplog.text and 0 < save.context.missing_vectors < 60
    assert sorted(npc.recall.retrieve_relevant("mill", {"limit": 100})) == expected
    embedder.left = -1
    run(save.missing.make_steps())
    assert save.context.missing_vectors == 0
    (found,) = npc.recall.retrieve_relevant_raw("Old memory 7 of the mill.", {"limit": 1})
    assert found["similarity"] == pytest.approx(1.0, abs=1e-5)
    save.close()


def test_a_snapshot_made_with_another_model_is_embedded_again(
    opened: Callable[..., Save], save_path: Path
) -> None:
    first = opened(save_path, 32)
    first.npc("elena").memories.store("The mill burned down.")
    first.snapshots.take("a")
    first.close()
    second = opened(save_path, 64)
    second.npc("elena").clear_all_memories()
    second.snapshots.restore("a")
    assert second.npc("elena").recall.retrieve_relevant("the mill") == ["The mill burned down."]


@pytest.mark.parametrize("seed", range(12))
def test_after_a_rollback_everything_is_as_it_was_then(
    opened: Callable[..., Save], clock: Any, seed: int
) -> None:
    """Random play, with a state noted after each step, then reloads further and further back."""
    chance = random.Random(seed)
    save = opened()
    config = MemoryConfig(max_memories_before_consolidate=12, lasting_kinds=[])
    npcs = [save.npc(name, config) for name in ("elena", "bjorn")]
    states: list[tuple[float, list[str]]] = []

    def play(npc: Npc) -> None:
        text = (
            f"It was told that {chance.choice(['Falk', 'Mira', 'Theron'])} has {chance.randint(1, 99)} coins."
        )
        known = [memory["id"] for memory in npc.recall.get_recent(999)]
        match chance.randint(0, 9):
            case 0:
                npc.memories.store(text, 9, {"slot_type": "player_name"})
            case 1:
                npc.memories.store(text, 9, {"event_type": "player_info", "info_type": "home"})
            case 2:
                npc.memories.store(text, 6, {"event_type": "promise_made"})
            case 3:
                npc.memories.store(text, 8, {"event_type": "promise_broken"})
            case 4 if known:
                npc.memories.update_memory(chance.choice(known), {"text": text, "mood": chance.random()})
            case 5 if known:
                npc.memories.pin_memory(chance.choice(known))
            case 6:
                npc.archive.consolidate()
            case 7:
                npc.relationship.store_relationship("player", {"trust": chance.randint(-100, 100)})
            case _:
                npc.memories.store(text, chance.randint(1, 7), {"event_type": "conversation"})

    for step in range(80):
        clock.now += chance.choice([0.25, 60.0, DAY])
        play(chance.choice(npcs))
        states.append((clock.now, [npc.tools.export_json() for npc in npcs]))
        if step % 20 == 19:
            back = chance.randrange(len(states))
            moment, state = states[back]
            save.marks.rollback_to(moment)
            exported = [npc.tools.export_json() for npc in npcs]
            assert [_LAST_ACCESSED.sub("", each) for each in exported] == [
                _LAST_ACCESSED.sub("", each) for each in state
            ]
            assert all(float(at) <= moment for each in exported for at in _LAST_ACCESSED.findall(each))
            for npc in npcs:
                found = npc.recall.retrieve_relevant_raw("coins", {"limit": 999})
                assert {memory["id"] for memory in found} == {m["id"] for m in npc.recall.get_recent(999)}
            del states[back + 1 :]
            clock.now = moment
