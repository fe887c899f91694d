"""Snapshots and names of saves that are kept, be it in a file or on a server."""

from __future__ import annotations

import pytest
from tests.unit.storage.contract.conftest import SQLITE, Kept, OpenStorage, record_of

from rag_memory.errors import InvalidArgumentError, SaveLockedError, SaveNotFoundError
from rag_memory.memory.archived import SLOT_UPDATE, Archived
from rag_memory.memory.document import Document
from rag_memory.step import run
from rag_memory.storage.comparison import compare_steps
from rag_memory.text.terms import WORD


@pytest.fixture
def village(open_kept: OpenStorage) -> Kept:
    kept = Kept(open_kept())
    kept.put(record_of("Mill burned."), record_of("Inn closed."))
    with kept.storage.transaction():
        kept.storage.archive.move([2], Archived(5.0, SLOT_UPDATE, ""))
        kept.storage.documents.write(Document(0, "event", "siege", "", {"n": 1}, 1.0, 1.0))
    return kept


def test_a_snapshot_keeps_what_there_was(village: Kept) -> None:
    storage, npc = village.storage, village.npc
    before = (
        village.all(),
        storage.archive.find(npc),
        storage.documents.find("event"),
        storage.npcs.revision(npc),
    )
    vectors = storage.vectors.of([1], village.model)[1].tolist()
    run(storage.snapshots.write_steps("before"))
    village.put(record_of("Fair began."))
    with storage.transaction():
        storage.records.delete([1])
        storage.archive.forget(npc)
        storage.npcs.touch(npc)
        storage.documents.write(Document(0, "event", "siege", "", {}, 2.0, 2.0))
    with storage.snapshots.opened("restore()", "before") as snapshot:
        found = run(compare_steps(snapshot, storage, 9))
        assert (snapshot.is_current, snapshot.records.count()) == (True, 1)
        assert (found["added"], found["removed"], found["changed"]) == (1, 1, 0)
        assert found["world"] == {"event": {"added": 0, "removed": 1, "changed": 0}}
        storage.replace_all(snapshot)
    assert (
        village.all(),
        storage.archive.find(npc),
        storage.documents.find("event"),
        storage.npcs.revision(npc),
    ) == before
    assert storage.vectors.of([1], village.model)[1].tolist() == vectors
    assert storage.terms.keys_with(npc, WORD, "mill").tolist() == [1]
    (key,) = village.put(record_of("Later."))
    assert key > 2, "a key of what holds again is not free"


def test_slots_are_written_again_listed_and_deleted(village: Kept) -> None:
    storage = village.storage
    for slot in ("b", "a", "b"):
        run(storage.snapshots.write_steps(slot))
        village.put(record_of(f"{slot}{village.storage.records.count()} more."))
    assert storage.snapshots.slots() == ["a", "b"]
    with storage.snapshots.opened("x()", "a") as a, storage.snapshots.opened("x()", "b") as b:
        assert (a.records.count(), b.records.count()) == (2, 3)
    storage.snapshots.delete("a")
    assert storage.snapshots.slots() == ["b"]
    for act in (storage.snapshots.delete, lambda slot: storage.snapshots.opened("x()", slot).__enter__()):
        with pytest.raises(SaveNotFoundError, match="no snapshot 'a'"):
            act("a")


def test_the_name_of_a_slot_is_that_of_a_file_everywhere(village: Kept) -> None:
    storage = village.storage
    run(storage.snapshots.write_steps("mill"))
    for name in ("", "a/b", "Mill"):
        with pytest.raises(InvalidArgumentError, match="cannot be the name of a snapshot"):
            run(storage.snapshots.write_steps(name))
    assert storage.snapshots.slots() == ["mill"]


def test_a_snapshot_that_is_given_up_leaves_the_former_one(village: Kept) -> None:
    storage = village.storage
    run(storage.snapshots.write_steps("a"))
    village.put(record_of("Fair began."))
    steps = storage.snapshots.write_steps("a")
    next(steps)
    steps.close()
    with storage.snapshots.opened("x()", "a") as snapshot:
        assert snapshot.records.count() == 1


def test_what_is_stored_while_a_snapshot_is_taken_is_not_in_it(village: Kept) -> None:
    storage = village.storage
    steps = storage.snapshots.write_steps("a")
    next(steps)
    with storage.transaction():
        storage.records.access({1: 500.0})
        storage.records.update(village.npc, storage.records.by_keys([1])[0]._replace(importance=9))
    village.put(record_of("Fair began."))
    run(steps)
    with storage.snapshots.opened("x()", "a") as snapshot:
        assert run(compare_steps(snapshot, storage, 9))["added"] == 1
    assert storage.records.count() == 2


def test_a_save_keeps_what_was_written(village: Kept, reopen: OpenStorage, kept_backend: str) -> None:
    before = village.all()
    if kept_backend == SQLITE:  # On a server others may have it open, too; tests/unit/server/postgres.
        with pytest.raises(SaveLockedError):
            reopen()
    village.storage.close()
    again = reopen()
    assert again.npcs.number("elena") == village.npc and again.records.find(village.npc) == before
    assert again.contents()["memories"] == 1 and again.versions()["schema_version"] > 0


def test_saves_of_one_place_share_nothing(village: Kept, open_kept: OpenStorage) -> None:
    other = Kept(open_kept())
    other.put(record_of("Other tale."))
    assert [record.id for record in other.all()] == ["Other"]
    with other.storage.transaction():
        other.storage.records.delete_all(other.npc)
        other.storage.marks.roll_back(0.0)
        other.storage.documents.forget("event", ["siege"])
    assert [record.id for record in village.all()] == ["Mill"]
    assert village.storage.documents.get("event", "siege") is not None
    run(other.storage.snapshots.write_steps("mine"))
    assert village.storage.snapshots.slots() == []
