"""The archive, captures and rollbacks in any storage."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from tests.unit.storage.contract.conftest import DIMENSION, Kept, OpenStorage, record_of, vector_of

from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.archived import CONSOLIDATED, REPEATED, SLOT_UPDATE, UPDATED, Archived
from rag_memory.memory.repetition import repeated
from rag_memory.storage.mark import Rollback
from rag_memory.text.terms import WORD


@dataclass
class Told:
    first: int
    second: int


@pytest.fixture
def told(kept: Kept) -> Told:
    return Told(*kept.put(record_of("Mill stands.", 1.0), record_of("Inn closed.", 2.0)))


def archived_texts(kept: Kept) -> list[str]:
    return [each.record.document_full for each in kept.storage.archive.find(kept.npc)]


def test_what_is_archived_is_found_by_nothing_but_the_archive(kept: Kept, told: Told) -> None:
    storage, npc = kept.storage, kept.npc
    before = storage.records.by_keys([told.first])
    with storage.transaction():
        storage.archive.move([told.first], Archived(5.0, SLOT_UPDATE, "Inn"))
    assert [record.key for record in kept.all()] == [told.second]
    assert storage.terms.keys_with(npc, WORD, "mill").tolist() == []
    (archived,) = storage.archive.find(npc)
    assert (archived.archived, [archived.record]) == (Archived(5.0, SLOT_UPDATE, "Inn"), before)
    assert storage.records.is_used(npc, "Mill") and storage.records.get(npc, "Mill") is None
    assert storage.archive.numbers_of(npc, "Mill") == [archived.number]
    assert storage.archive.by_numbers([archived.number]) == [archived]


def test_a_copy_that_says_the_same_as_the_memory_is_not_listed(kept: Kept, told: Told) -> None:
    storage, npc = kept.storage, kept.npc
    with storage.transaction():
        storage.archive.copy([told.first], Archived(5.0, UPDATED, "Mill"))
    assert storage.archive.find(npc) == []
    changed = storage.records.by_keys([told.first])[0]._replace(document_full="Mill burned.")
    with storage.transaction():
        storage.records.update(npc, changed, vector_of(changed), kept.model)
    assert archived_texts(kept) == ["Mill stands."]


def test_a_memory_that_was_never_in_force_is_archived(kept: Kept, told: Told) -> None:
    storage, npc = kept.storage, kept.npc
    record = record_of("Long ago.", id="ago")
    with storage.transaction():
        storage.archive.add(npc, Archived(1.0, CONSOLIDATED, ""), record, vector_of(record), kept.model)
    (archived,) = storage.archive.find(npc)
    assert archived.record.document_full == "Long ago." and archived.record.key > told.second
    (key,) = kept.put(record_of("Next."))
    assert key > archived.record.key


def test_the_archive_of_one_memory_or_of_all_is_forgotten(kept: Kept, told: Told) -> None:
    storage, npc = kept.storage, kept.npc
    for key in (told.first, told.second):
        with storage.transaction():
            storage.archive.move([key], Archived(5.0, SLOT_UPDATE, ""))
    with storage.transaction():
        storage.archive.forget(npc, "Mill")
    assert archived_texts(kept) == ["Inn closed."]
    with storage.transaction():
        storage.archive.forget(npc)
    assert archived_texts(kept) == []


def test_a_captured_memory_is_put_back_as_it_was(kept: Kept, told: Told) -> None:
    storage, npc = kept.storage, kept.npc
    with storage.transaction():
        storage.archive.copy([told.first], Archived(5.0, UPDATED, "Mill"))
        storage.records.supersede([told.second], "Mill", 6.0)
    before = storage.archive.capture(npc, ("Mill", "Inn", "unused"))
    assert before[0].supersedes == [("Inn", 6.0)] and len(before[0].versions) == 1
    assert before[2].memory is None
    with storage.transaction():
        storage.records.delete([told.first])
        storage.records.unsupersede(npc, "Mill")
        storage.archive.forget(npc)
    kept.put(record_of("unused"))
    with storage.transaction():
        records = storage.archive.put_back(npc, before)
    assert [record.key for record in records] == [told.first, told.second]
    assert storage.archive.capture(npc, ("Mill", "Inn", "unused")) == before


def test_what_a_memory_superseded_since_is_valid_again_when_it_is_put_back(kept: Kept, told: Told) -> None:
    storage, npc = kept.storage, kept.npc
    (before,) = storage.archive.capture(npc, ["Mill"])
    with storage.transaction():
        storage.records.supersede([told.second], "Mill", 6.0)
    with storage.transaction():
        storage.archive.put_back(npc, [before])
    assert [record.superseded_by for record in kept.all()] == ["", ""]
    assert storage.archive.capture(npc, ["Mill"]) == [before]


def test_a_key_that_is_taken_is_not_put_back(kept: Kept, told: Told, open_one: OpenStorage) -> None:
    (captured,) = kept.storage.archive.capture(kept.npc, ["Mill"])
    other = Kept(open_one())
    (taken,) = other.put(record_of("Something else."))
    with other.storage.transaction():
        (record,) = other.storage.archive.put_back(other.npc, [captured])
    assert record.key != taken and other.storage.records.get(other.npc, "Mill") == record


def test_a_capture_of_an_unknown_model_is_refused(kept: Kept, told: Told, open_one: OpenStorage) -> None:
    (captured,) = kept.storage.archive.capture(kept.npc, ["Mill"])
    other = open_one()
    other.vectors.model_number("model-2", "Model 2", DIMENSION)
    with other.transaction():
        npc = other.npcs.add("elena")
    with pytest.raises(InvalidArgumentError, match="embedding model model-1 is unknown"), other.transaction():
        other.archive.put_back(npc, [captured])
    assert other.records.find(npc) == []


def test_a_capture_without_an_npc_is_of_nothing(kept: Kept) -> None:
    assert kept.storage.archive.capture(None, ["Mill"])[0][1:] == (None, [], [])


def test_a_rollback_forgets_what_came_later_and_brings_back_what_it_replaced(kept: Kept, told: Told) -> None:
    storage, npc = kept.storage, kept.npc
    (later,) = kept.put(record_of("Mill burned.", 9.0, id="later"))
    with storage.transaction():
        storage.archive.move([told.first], Archived(9.0, SLOT_UPDATE, "later"))
        storage.records.supersede([told.second], "later", 9.0)
    with storage.transaction():
        done = storage.marks.roll_back(5.0)
    assert done == Rollback({npc: 1}, frozenset({npc}))
    assert [(each.key, each.superseded_by) for each in kept.all()] == [(told.first, ""), (told.second, "")]
    assert archived_texts(kept) == [] and storage.records.by_keys([later]) == []
    assert storage.terms.keys_with(npc, WORD, "mill").tolist() == [told.first]
    assert storage.vectors.of([told.first], kept.model).keys() == {told.first}
    with storage.transaction():
        assert storage.marks.roll_back(5.0) == Rollback({}, frozenset())


def test_a_rollback_undoes_a_repetition_without_counting_it(kept: Kept, told: Told) -> None:
    storage, npc = kept.storage, kept.npc
    once = storage.records.by_keys([told.first])[0]
    again = record_of("Mill stands.", 9.0)
    with storage.transaction():
        storage.archive.add_weight(npc, once, 9.0, REPEATED, kept.model)
        storage.records.update(npc, repeated(once, again))
    assert kept.all()[0].repeat_count == 2 and storage.archive.find(npc) == []
    (kept_once,) = storage.archive.capture(npc, ["Mill"])[0].versions
    assert kept_once.archived.reason == REPEATED and kept_once.content.vector == b""
    with storage.transaction():
        assert storage.marks.roll_back(5.0) == Rollback({}, frozenset({npc}))
    assert kept.all()[0] == once
    assert storage.vectors.of([told.first], kept.model).keys() == {told.first}
