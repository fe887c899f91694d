"""Transactions, copies and closing of any storage."""

from __future__ import annotations

import pytest
from tests.unit.storage.contract.conftest import Kept, OpenStorage, record_of

from rag_memory.errors import InvalidArgumentError, StoreError
from rag_memory.memory.archived import SLOT_UPDATE, Archived
from rag_memory.step import run
from rag_memory.storage.backends import open_storage
from rag_memory.storage.fleeting_paths import MEMORY_PATH
from rag_memory.text.terms import WORD


def change_everything(kept: Kept) -> None:
    storage, npc = kept.storage, kept.npc
    storage.npcs.add("bjorn")
    kept.put(record_of("New."))
    storage.records.update(npc, storage.records.by_keys([1])[0]._replace(importance=9))
    storage.archive.move([2], Archived(5.0, SLOT_UPDATE, "New."))
    storage.records.supersede([1], "New.", 5.0)
    storage.npcs.touch(npc)


def test_syncing_changes_nothing(kept: Kept) -> None:
    kept.storage.sync()
    kept.put(record_of("Mill."))
    before = kept.all(), kept.storage.change_count
    kept.storage.sync()
    kept.storage.sync()
    assert (kept.all(), kept.storage.change_count) == before


def test_a_transaction_is_done_whole_or_not_at_all(kept: Kept) -> None:
    storage, npc = kept.storage, kept.npc
    kept.put(record_of("Mill."), record_of("Inn."))
    before = kept.all(), storage.npcs.revision(npc), storage.npcs.ids()
    with pytest.raises(KeyError), storage.transaction():
        change_everything(kept)
        raise KeyError
    assert (kept.all(), storage.npcs.revision(npc), storage.npcs.ids()) == before
    assert storage.archive.find(npc) == [] and storage.terms.keys_with(npc, WORD, "new").tolist() == []
    assert storage.terms.keys_with(npc, WORD, "inn").tolist() == [2]
    with storage.transaction():
        change_everything(kept)
    assert [record.id for record in kept.all()] == ["Mill.", "New."] and len(storage.archive.find(npc)) == 1
    assert storage.npcs.ids() == ["bjorn", "elena"]


def test_a_transaction_inside_another_is_a_part_of_it(kept: Kept) -> None:
    with pytest.raises(KeyError), kept.storage.transaction():
        kept.put(record_of("Mill."))
        assert len(kept.all()) == 1
        raise KeyError
    assert kept.all() == []


def test_the_change_count_grows_with_what_is_written(kept: Kept) -> None:
    before = kept.storage.change_count
    kept.storage.records.find(kept.npc)
    assert kept.storage.change_count == before
    kept.put(record_of("Mill."))
    assert kept.storage.change_count > before


def test_a_copy_is_the_same_and_changes_on_its_own(kept: Kept, open_one: OpenStorage) -> None:
    kept.put(record_of("Mill."), record_of("Inn."))
    with kept.storage.transaction():
        kept.storage.archive.move([2], Archived(5.0, SLOT_UPDATE, ""))
    copy = open_one()
    Kept(copy).put(record_of("Gone."))
    copy.replace_all(kept.storage)
    assert copy.records.find(kept.npc) == kept.all() and copy.archive.find(
        kept.npc
    ) == kept.storage.archive.find(kept.npc)
    assert copy.is_current and copy.vectors.keys_of_other_models(kept.model) == []
    assert copy.npcs.revision(kept.npc) == kept.storage.npcs.revision(kept.npc)
    with copy.transaction():
        copy.records.delete([1])
    assert len(kept.all()) == 1 and copy.records.count() == 0


def test_a_save_in_memory_has_no_snapshots_and_no_folder() -> None:
    storage = open_storage(MEMORY_PATH)
    assert storage.snapshots.slots() == [] and storage.folder(".index") is None
    with pytest.raises(InvalidArgumentError, match="kept in memory only"):
        run(storage.snapshots.write_steps("a"))
    with (
        pytest.raises(InvalidArgumentError, match="kept in memory only"),
        storage.snapshots.opened("x()", "a"),
    ):
        pass
    with pytest.raises(InvalidArgumentError, match="cannot be the name of a snapshot"):
        run(storage.snapshots.write_steps("a/b"))
    storage.close()


def test_a_closed_storage_answers_no_more(kept: Kept) -> None:
    kept.put(record_of("Mill."))
    kept.storage.close()
    with pytest.raises(StoreError):
        kept.storage.records.find(kept.npc)
    with pytest.raises(StoreError):
        kept.storage.records.count()
    with pytest.raises(StoreError), kept.storage.transaction():
        pass
