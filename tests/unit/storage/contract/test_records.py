"""Records, NPCs, vectors and terms in any storage."""

from __future__ import annotations

import numpy as np
import pytest
from tests.unit.storage.contract.conftest import DIMENSION, Kept, record_of, vector_of

from rag_memory.errors import StoreError
from rag_memory.index.columns import SearchedRow
from rag_memory.memory.archived import SLOT_UPDATE, Archived
from rag_memory.step import run
from rag_memory.storage.filter import Condition
from rag_memory.storage.listing import Listing
from rag_memory.storage.protocol import Storage
from rag_memory.storage.sql.records import newest_in_slot, newest_of, of_info, repetitions_of
from rag_memory.text.terms import NAMED, SPEAKER, WORD
from rag_memory.validation import to_json


def test_an_npc_has_a_number_once_it_is_added(storage: Storage) -> None:
    assert storage.npcs.number("elena") is None and storage.npcs.ids() == []
    with storage.transaction():
        elena, bjorn = storage.npcs.add("elena"), storage.npcs.add("bjorn")
    assert elena != bjorn and storage.npcs.number("bjorn") == bjorn
    assert storage.npcs.ids() == ["bjorn", "elena"]


def test_a_touched_npc_has_another_revision(kept: Kept) -> None:
    storage = kept.storage
    with storage.transaction():
        other = storage.npcs.add("bjorn")
        storage.npcs.touch(kept.npc)
        storage.npcs.touch(other)
    before = storage.npcs.revision(kept.npc), storage.npcs.revision(other)
    with storage.transaction():
        storage.npcs.touch(kept.npc)
    assert storage.npcs.revision(kept.npc) != before[0] and storage.npcs.revision(other) == before[1]


def test_a_record_is_read_as_it_was_written(kept: Kept) -> None:
    record = record_of("Mill burned.", participants=["player"], topics=["fire"], location="mill", mood="sad")
    (key,) = kept.put(record)
    stored = record._replace(key=key)
    storage = kept.storage
    assert storage.records.get(kept.npc, "Mill") == stored
    assert (
        storage.records.by_keys([key, key + 1])
        == storage.records.by_keys([key], is_read_again=False)
        == kept.all()
        == [stored]
    )
    assert storage.records.is_used(kept.npc, "Mill") and not storage.records.is_used(kept.npc, "Inn")


def test_keys_grow_and_are_never_given_twice(kept: Kept) -> None:
    first, second = kept.put(record_of("A."), record_of("B."))
    assert second > first
    with kept.storage.transaction():
        kept.storage.records.delete([second])
    (third,) = kept.put(record_of("C."))
    assert third > second
    assert [record.key for record in kept.storage.records.by_keys([third, second, first])] == [first, third]


def test_an_id_is_given_once_to_an_npc(kept: Kept) -> None:
    kept.put(record_of("Mill."))
    with pytest.raises(StoreError):
        kept.put(record_of("Inn."), record_of("Mill again.", id="Mill."))
    assert [record.document_full for record in kept.all()] == ["Mill."]
    with kept.storage.transaction():
        other = kept.storage.npcs.add("bjorn")
    kept.put(record_of("Mill."), npc=other)
    assert kept.storage.records.count() == 2 and kept.storage.records.count(kept.npc) == 1


def test_records_are_found_by_slot_event_and_time(kept: Kept) -> None:
    storage, npc = kept.storage, kept.npc
    kept.put(
        record_of("Old.", 3.0, slot_type="mood", event_type="war"),
        record_of("New.", 9.0, slot_type="mood", event_type="war"),
        record_of("Info.", 5.0, event_type="player_info", info_type="name"),
        record_of("Weak.", 7.0, importance=2),
    )

    def newest(*found: object) -> list[str]:
        return [each.document_full for each in storage.records.find(npc, newest_of(*found))]  # type: ignore[arg-type]

    assert [each.id for each in storage.records.in_slot(npc, "mood")] == ["Old.", "New."]
    current = storage.records.first(npc, newest_in_slot("mood"))
    assert current is not None and current.id == "New."
    assert storage.records.in_slot(npc, "") == [] and storage.records.first(npc, newest_in_slot("")) is None
    assert [each.id for each in storage.records.valid_of_event(npc, "war", 3.0)] == ["Old."]
    told = storage.records.first(npc, of_info("name"))
    assert told is not None and told.id == "Info." and storage.records.first(npc, of_info("")) is None
    assert newest(2, 0) == ["New.", "Weak."] and newest(9, 3) == ["New.", "Info.", "Old."]
    assert list(storage.records.key_pages(npc)) == [[1, 3, 4, 2]]


def test_pages_of_keys_go_on_within_one_moment(kept: Kept) -> None:
    keys = kept.put(*(record_of(f"{number} sheep.", float(number % 1300 == 0)) for number in range(2600)))
    pages = list(kept.storage.records.key_pages(kept.npc))
    assert [len(page) for page in pages] == [1000, 1000, 600]
    late = [keys[0], keys[1300]]
    assert [key for page in pages for key in page] == [key for key in keys if key not in late] + late


def test_what_is_superseded_is_valid_again_when_its_end_is_taken_back(kept: Kept) -> None:
    storage, npc = kept.storage, kept.npc
    (key,) = kept.put(record_of("Promise.", event_type="promise_made"))
    with storage.transaction():
        storage.records.supersede([key], "Breach.", 7.0)
    ended = kept.all()[0]
    assert (ended.superseded_by, ended.superseded_at) == ("Breach.", 7.0)
    assert storage.records.valid_of_event(npc, "promise_made", 1e9) == []
    assert storage.records.find(npc, repetitions_of("promise_made", "Promise.")) == []
    with storage.transaction():
        storage.records.unsupersede(npc, "Breach.")
    assert kept.all()[0].superseded_by == ""
    assert storage.records.find(npc, repetitions_of("promise_made", "Promise.")) == kept.all()


def test_an_access_changes_nothing_else(kept: Kept) -> None:
    storage = kept.storage
    keys = kept.put(*(record_of(text, kind="episode") for text in ("Mill burned.", "Inn closed.")))
    before = storage.records.by_keys(keys)
    assert [(record.last_accessed, record.kind) for record in before] == [(100.0, "episode")] * 2
    with pytest.raises(ValueError, match="given up"), storage.transaction():
        storage.records.access({keys[0]: 150.0})
        raise ValueError("given up")
    assert storage.records.by_keys(keys) == before
    with storage.transaction():
        storage.records.access({keys[0]: 200.0, 999: 200.0})
    after = [before[0]._replace(last_accessed=200.0), before[1]]
    assert storage.records.by_keys(keys) == storage.records.find(kept.npc) == after
    rows, _ = storage.vectors.searched(keys, kept.model, DIMENSION)
    assert [(row.last_accessed, row.kind) for row in rows] == [(200.0, "episode"), (100.0, "episode")]
    condition = Condition("last_accessed", ">", 100.0)
    assert storage.lists.keys_where(kept.npc, condition).tolist() == keys[:1]
    assert storage.lists.keys_where(kept.npc, Condition("kind", "=", "episode")).tolist() == keys
    with storage.transaction():
        storage.archive.move(keys[:1], Archived(250.0, SLOT_UPDATE, "Inn"))
        storage.records.access({keys[1]: 300.0})
        storage.marks.roll_back(220.0)
    assert [record.last_accessed for record in storage.records.find(kept.npc)] == [200.0, 220.0]


def test_a_revised_record_keeps_its_vector_and_a_replaced_one_does_not(kept: Kept) -> None:
    storage, npc = kept.storage, kept.npc
    (key,) = kept.put(record_of("Mill burned."))
    record = kept.all()[0]
    with storage.transaction():
        storage.records.update(npc, record._replace(importance=9))
    (row,), vectors = storage.vectors.searched([key], kept.model, DIMENSION)
    assert row == SearchedRow(key, 9, 100.0, record.memory_tier, "general", 100.0)
    assert np.array_equal(vectors, vector_of(record)[None])
    other = record_of("Inn closed.")._replace(key=key)
    with storage.transaction():
        storage.records.update(npc, other, vector_of(other), kept.model)
    assert np.array_equal(storage.vectors.of([key], kept.model)[key], vector_of(other))
    assert kept.all() == [other]


def test_a_deleted_memory_is_gone_everywhere(kept: Kept) -> None:
    storage, npc = kept.storage, kept.npc
    first, _ = kept.put(record_of("Mill burned."), record_of("Inn closed."))
    with storage.transaction():
        storage.records.delete([first])
    assert storage.records.by_keys([first]) == [] and storage.vectors.of([first], kept.model) == {}
    assert storage.terms.keys_with(npc, WORD, "mill").tolist() == []
    with storage.transaction():
        assert storage.records.delete_all(npc) == 1
    assert storage.records.count() == 0 and kept.all() == []


def test_another_model_has_a_number_and_vectors_of_its_own(kept: Kept) -> None:
    storage = kept.storage
    first, second = kept.put(record_of("A."), record_of("B."))
    assert storage.vectors.model_number("model-1", "Model 1", DIMENSION) == kept.model
    other = storage.vectors.model_number("model-2", "Model 2", DIMENSION)
    assert other != kept.model and storage.vectors.keys_of_other_models(other) == [first, second]
    before = storage.npcs.revision(kept.npc)
    with storage.transaction():
        storage.vectors.put([second], np.eye(1, DIMENSION, dtype=np.float32), other)
    assert storage.vectors.keys_of_other_models(other) == [first]
    assert storage.vectors.of([first, second], other).keys() == {second}
    assert storage.npcs.revision(kept.npc) != before
    rows, vectors = storage.vectors.searched([first, second], other, DIMENSION)
    assert [row.key for row in rows] == [first, second]
    np.testing.assert_array_equal(vectors, np.eye(2, DIMENSION, k=-1, dtype=np.float32))


def test_a_rebuilt_keyword_index_is_what_it_was(kept: Kept) -> None:
    storage = kept.storage
    keys = kept.put(*(record_of(f"{number} The mill of {number} burned.") for number in range(250)))
    before = storage.terms.of(kept.npc, keys)
    run(storage.terms.rebuild_steps())
    assert storage.terms.of(kept.npc, keys) == before
    assert storage.terms.keys_with(kept.npc, WORD, "mill").tolist() == keys
    with storage.transaction():
        storage.records.delete([keys[0]])
    assert storage.terms.keys_with(kept.npc, WORD, "mill").tolist() == keys[1:]


def test_vectors_of_nothing_have_the_shape_of_no_rows(kept: Kept) -> None:
    rows, vectors = kept.storage.vectors.searched([], kept.model, DIMENSION)
    assert rows == [] and vectors.shape == (0, DIMENSION) and vectors.dtype == np.float32


def test_terms_find_the_memories_of_their_own_npc(kept: Kept) -> None:
    storage, npc = kept.storage, kept.npc
    with storage.transaction():
        other = storage.npcs.add("bjorn")
    first, second = kept.put(
        record_of("The mills burned.", participants=["Theron"]), record_of("Theron said: the mill!", id="b")
    )
    kept.put(record_of("The mill."), npc=other)
    assert storage.terms.keys_with(npc, WORD, "mill").tolist() == [first, second]
    assert storage.terms.keys_with(npc, SPEAKER, "theron").tolist() == [second]
    assert storage.terms.of_kind(npc, NAMED) == ["theron"]
    assert storage.terms.of(npc, [second, first]) == [record.index_terms() for record in kept.all()]
    changed = kept.all()[0]._replace(document_full="The inn.")
    with storage.transaction():
        storage.records.update(npc, changed, vector_of(changed), kept.model)
    assert storage.terms.keys_with(npc, WORD, "mill").tolist() == [second]
    assert storage.terms.keys_with(npc, WORD, "inn").tolist() == [first]


HOSTILE = ["'; DROP TABLE memories; --", "%s %(save)s %%", "{}", '"$1', "\\", "a\u0301\U0001f409", "\n\t"]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_is_never_more_than_a_text(kept: Kept, text: str) -> None:
    storage = kept.storage
    with storage.transaction():
        npc = storage.npcs.add(text)
    record = record_of(f"mill {text}", id=text, location=text, topics=[text], slot_type=text)
    record = record._replace(extra=to_json({text: text, "list": [text]}))
    (key,) = kept.put(record, npc=npc)
    stored = record._replace(key=key)
    assert storage.npcs.number(text) == npc and storage.records.find(npc) == [stored]
    assert storage.records.get(npc, text) == storage.records.first(npc, newest_in_slot(text)) == stored
    for field, operator in ((text, "="), ("location", "="), ("topics", "contains"), ("list", "contains")):
        assert storage.lists.keys_where(npc, Condition(field, operator, text)).tolist() == [key]
    assert storage.lists.keys_where(npc, Condition(text, "in", [text])).tolist() == [key]
    with storage.transaction():
        storage.records.supersede([key], text, 1.0)
    assert storage.archive.capture(npc, [text])[0].supersedes == [(text, 1.0)]
    listing = Listing((), (text,), True, "id", False)
    with storage.transaction():
        storage.archive.move([key], Archived(5.0, SLOT_UPDATE, text))
    assert len(storage.lists.find(npc, text, listing)) == 1
