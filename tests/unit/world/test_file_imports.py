"""Files of other programs taken into the world: written at once, and taken back by one call."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from tests.unit.portable.foreign_files import BOOK, CARD, SHADOWFANGS, SILLY_TAVERN, as_file, card_chunk, png

from rag_memory import InvalidArgumentError, Save
from rag_memory.memory.document import CAMPAIGN
from rag_memory.text.file_text import FileData, FileText

Open = Callable[..., Save]


def hits(save: Save, question: str, **options: Any) -> list[str]:
    return [hit["text"] for hit in save.world.lore.search_lore(question, options)]


def contents(save: Save) -> list[Any]:
    records = save.world.searched("lore").records()
    kinds = [kind for kind in save.store.documents.counts() if kind != CAMPAIGN]
    documents = [document for kind in kinds for document in save.store.documents.find(kind)]
    return [
        sorted((record.id, record.document_full) for record in records),
        sorted((document.kind, document.id, str(document.content)) for document in documents),
        save.world.lore.list_lore(),
    ]


def test_a_lorebook_is_imported_and_found(opened: Open) -> None:
    save = opened()
    result = save.world.imports.import_file(as_file(SILLY_TAVERN))
    assert result["lore"]["key"] == "eldoria"
    assert (result["entries"], bool(result["import"])) == (2, True)
    assert SHADOWFANGS in hits(save, "What do the shadowfangs fear?")[0]


def test_a_book_of_a_card_is_known_to_its_character_alone(opened: Open) -> None:
    save = opened()
    save.world.imports.import_file(png(card_chunk(CARD)))
    assert hits(save, "shadowfangs", known_to="seraphina_vale")
    assert not hits(save, "shadowfangs", known_to="ulf")


def test_an_import_is_taken_back(opened: Open) -> None:
    save = opened()
    before = contents(save)
    made = save.world.imports.import_file(as_file(SILLY_TAVERN))
    assert contents(save) != before
    save.world.imports.undo_import(made["import"])
    assert contents(save) == before
    assert hits(save, "shadowfangs") == []
    for id in (made["import"], ""):
        with pytest.raises(InvalidArgumentError, match="take"):
            save.world.imports.undo_import(id)


def test_taking_back_brings_the_lore_that_was_replaced(opened: Open) -> None:
    save = opened()
    save.world.imports.import_file(as_file(SILLY_TAVERN))
    before, found = contents(save), hits(save, "shadowfangs")
    changed = copy.deepcopy(SILLY_TAVERN)
    changed["entries"]["0"]["content"] = "Shadowfangs are gentle and drink milk."
    second = save.world.imports.import_file(as_file(changed))
    assert second["lore"]["changed"] + second["lore"]["added"] > 0
    assert "milk" in hits(save, "shadowfangs")[0]
    save.world.imports.undo_import()
    assert contents(save) == before
    assert hits(save, "shadowfangs") == found


def test_an_import_that_was_written_over_is_not_taken_back(opened: Open) -> None:
    save = opened()
    made = save.world.imports.import_file(as_file(SILLY_TAVERN))
    assert save.world.imports.import_file(as_file(SILLY_TAVERN))["import"] == "", "nothing was written"
    save.world.lore.import_lore(FileText("# Eldoria\n\nNothing is left of it."), {"key": "eldoria"})
    before = contents(save)
    with pytest.raises(InvalidArgumentError, match="anew"):
        save.world.imports.undo_import(made["import"])
    assert contents(save) == before


def test_imports_are_taken_back_one_after_the_other(opened: Open) -> None:
    save = opened()
    states, ids = [], []
    for number in range(3):
        states.append(contents(save))
        book = copy.deepcopy(SILLY_TAVERN)
        book["entries"]["0"]["content"] = f"Shadowfangs have {number} tails."
        ids.append(save.world.imports.import_file(as_file(book))["import"])
    with pytest.raises(InvalidArgumentError, match="last import first"):
        save.world.imports.undo_import(ids[0])
    for id, before in zip(reversed(ids), reversed(states), strict=True):
        save.world.imports.undo_import(id)
        assert contents(save) == before


def test_an_import_is_taken_back_after_a_restart(opened: Open, tmp_path: Any) -> None:
    path = tmp_path / "save.sqlite3"
    first = opened(path=path)
    before = contents(first)
    first.world.imports.import_file(as_file(SILLY_TAVERN))
    first.close()
    second = opened(path=path)
    assert hits(second, "shadowfangs")
    second.world.imports.undo_import()
    assert contents(second) == before


@pytest.mark.parametrize(
    "source",
    [
        FileData(b'{"entries": [{"content": 5}]}'),
        as_file({"entries": [{"content": "A {known_by: ulf} b"}]}),
        as_file({"name": "con", "entries": BOOK["entries"]}),
        FileData(b"\x89PNG\r\n\x1a\n"),
    ],
)
def test_a_hostile_file_changes_nothing(opened: Open, source: FileData) -> None:
    save = opened()
    save.world.imports.import_file(as_file(SILLY_TAVERN))
    before = contents(save)
    with pytest.raises(InvalidArgumentError):
        save.world.imports.import_file(source)
    assert contents(save) == before


def test_a_failing_write_leaves_nothing(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    save = opened()
    before = contents(save)

    def refuse(*_arguments: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(save.store.exchanges, "end", refuse)
    with pytest.raises(OSError, match="full"):
        save.world.imports.import_file(as_file(SILLY_TAVERN))
    monkeypatch.undo()
    assert contents(save) == before
    assert save.world.imports.import_file(as_file(SILLY_TAVERN))["lore"]["added"] > 0
