"""A mark of a save that several games write to: each transaction is before it or after it as a whole."""

from __future__ import annotations

import threading

from tests.unit.server.postgres.conftest import OpenSave
from tests.unit.storage.contract.conftest import Kept, record_of, vector_of

from rag_memory.storage.mark import new_code


def test_a_mark_waits_for_what_another_game_is_writing(open_save: OpenSave) -> None:
    writing, marking = Kept(open_save()), open_save()
    code, is_marked = new_code(), threading.Event()

    def mark() -> None:
        marking.marks.add(code, 5.0)
        is_marked.set()

    thread = threading.Thread(target=mark)
    with writing.storage.transaction():
        record = record_of("Mill burned.", 5.0)
        writing.storage.records.insert(writing.npc, record, vector_of(record), writing.model)
        thread.start()
        assert not is_marked.wait(0.5)
    assert is_marked.wait(10)
    thread.join()
    writing.put(record_of("Inn burned.", 5.0))
    found = writing.storage.marks.get(code)
    assert found is not None
    with writing.storage.transaction():
        writing.storage.marks.return_to(found)
    assert [record.document_full for record in writing.all()] == ["Mill burned."]


def test_each_game_keeps_what_it_changes_after_the_others_mark(open_save: OpenSave) -> None:
    one, other = Kept(open_save()), open_save()
    one.put(record_of("Mill burned."))
    code = new_code()
    other.marks.add(code, 5.0)
    with one.storage.transaction():
        one.storage.records.delete_all(one.npc)
    mark = other.marks.get(code)
    assert mark is not None
    with one.storage.transaction():
        one.storage.marks.return_to(mark)
    (record,) = one.all()
    assert record.document_full == "Mill burned."
    assert one.storage.vectors.of([record.key], one.model)[record.key].tolist() == vector_of(record).tolist()
