"""Chats of other programs taken in as turns and memories of an NPC, and taken back by one call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rag_memory import InvalidArgumentError, Save
from rag_memory.text.file_text import FileData

Open = Callable[..., Save]
CHAT = FileData(
    b"Ada: I promise to mend your roof by Friday.\n"
    b"Mira: Good. The rain gets in.\n"
    b"Ada: My name is Ada.\n"
    b"Mira: I owe you 20 gold for the nails.\n"
    b"Ada: I mended your roof today.",
    "user://chat.txt",
)
NAMES = {"character": "Mira", "player": "Ada"}


def contents(save: Save) -> dict[str, Any]:
    npcs = [npc_id for npc_id in save.store.npcs.ids() if not npc_id.startswith("@")]
    return {id: (save.npc(id).tools.export_json(), save.npc(id).conversation.get_turns(99)) for id in npcs}


def texts(save: Save, npc_id: str = "mira") -> list[str]:
    return [memory["document_full"] for memory in save.npc(npc_id).recall.get_recent(50)]


def test_a_chat_becomes_the_turns_and_the_memories_that_it_would_have_left(opened: Open) -> None:
    said, brought = opened(), opened()
    made = brought.world.imports.import_file(CHAT, NAMES)
    for turn in made["turns"]:
        said.npc("mira").conversation.store_turn(turn["player_message"], turn["npc_message"])
    assert (made["id"], len(made["turns"])) == ("mira", 3)
    assert len(texts(brought)) > 2
    assert texts(brought) == texts(said)
    messages = [turn["player_message"] for turn in brought.npc("mira").conversation.get_turns()]
    assert messages == [
        "I promise to mend your roof by Friday.",
        "My name is Ada.",
        "I mended your roof today.",
    ]
    assert "roof" in brought.npc("mira").recall.retrieve_relevant("Who mends the roof?")[0]


def test_the_npc_of_a_chat_is_the_one_that_is_named(opened: Open) -> None:
    save = opened()
    save.world.imports.import_file(CHAT, {**NAMES, "npc": "mira_of_the_mill"})
    assert list(contents(save)) == ["mira_of_the_mill"]
    save.world.imports.import_file(FileData(b"Ada: Hello.\nmira: Hm."), {"npc": "mira"})
    assert save.npc("mira").conversation.get_turns()[0]["npc_message"] == "Hm."


def test_a_chat_is_taken_back_and_what_it_superseded_is_as_before(opened: Open, tmp_path: Any) -> None:
    save = opened(tmp_path / "save.sqlite3")
    empty = contents(save)
    first = save.world.imports.import_file(CHAT, NAMES)
    before = contents(save)
    second = save.world.imports.import_file(FileData(b"Ada: My name is Eda.\nMira: Ah.", "a.txt"), NAMES)
    assert contents(save) != before
    with pytest.raises(InvalidArgumentError, match="cannot be taken back"):
        save.world.imports.undo_import("another")
    save.close()
    save = opened(tmp_path / "save.sqlite3")
    save.world.imports.undo_import()
    assert contents(save) == before
    with pytest.raises(InvalidArgumentError, match="cannot be taken back"):
        save.world.imports.undo_import(second["import"])
    save.world.imports.undo_import(first["import"])
    assert contents(save) == empty


def test_an_undone_chat_leaves_what_was_said_since_and_no_summary_of_it(opened: Open) -> None:
    save = opened()
    chat = "\n".join(
        f"Ada: Wheel {number} of the old mill by the river is broken.\nMira: Hm." for number in range(40)
    )
    save.world.imports.import_file(FileData(chat.encode(), "a.txt"), NAMES)
    save.npc("mira").conversation.store_turn("I like the sea.", "So do I.")
    for _ in range(10_000):
        if save.idle_step() is None:
            break
    assert "Wheel" in save.npc("mira").conversation.get_conversation_summary()["summary"]
    save.world.imports.undo_import()
    assert [turn["player_message"] for turn in save.npc("mira").conversation.get_turns(99)] == [
        "I like the sea."
    ]
    assert save.npc("mira").conversation.get_conversation_summary()["summary"] == ""


TABLE = FileData(
    b"npc_id,text,importance,timestamp\n"
    b"mira,I hid the silver key.,9,50\n"
    b"ulf,The smith owes me 20 gold.,6,60\n"
    b"mira,The dam leaks.,3,\n",
    "user://notes.csv",
)


def test_a_table_becomes_memories_of_several_npcs_and_is_taken_back(opened: Open) -> None:
    save = opened()
    save.npc("ulf").memories.store("I was here before.", 5)
    before = contents(save)
    save.world.imports.import_file(TABLE)
    assert sorted(texts(save)) == ["I hid the silver key.", "The dam leaks."]
    assert texts(save, "ulf")[-1] == "The smith owes me 20 gold."
    assert save.npc("ulf").recall.retrieve_relevant("Who owes you gold?")[0].endswith("20 gold.")
    assert save.npc("mira").recall.get_recent(5)[-1]["metadata"]["timestamp"] == 50.0
    save.world.imports.undo_import()
    assert contents(save) == before


def test_what_one_save_exported_comes_into_another_and_only_once(opened: Open) -> None:
    save, other = opened(), opened()
    save.world.imports.import_file(TABLE)
    exported = save.npc("mira").tools.export_json()
    other.world.imports.import_file(FileData(exported.encode(), "mira.json"))
    assert other.npc("mira").tools.export_json() == exported
    other.world.imports.import_file(FileData(exported.encode(), "mira.json"))
    assert other.npc("mira").tools.export_json() == exported
    table = save.npc("mira").tools.export_csv()
    other.world.imports.import_file(FileData(table.encode(), "mira.csv"), {"npc": "sera"})
    assert sorted(texts(other, "sera")) == sorted(texts(save))


@pytest.mark.parametrize(
    ("table", "options", "says_why"),
    [
        (b"text\nThe dam leaks.", {}, "whose memories"),
        (b"Who,Level\nMira,3", {}, "no row"),
        (b"text,kind\nThe dam leaks.,pet", {"npc": "mira"}, "kind"),
        (b"text,id\nThe dam leaks.,a\nThe weir leaks.,a", {"npc": "mira"}, "unique"),
        (b"text,memory_tier\nOne thing.,1\nThe dam leaks.,7", {"npc": "mira"}, "memory_tier"),
        (b"npc_id,text\nmira,One thing.\n@lore,The dam leaks.", {}, "@lore"),
        (b"npc_id,text\nmira,One thing.\nulf," + b"very " * 500_000, {}, "text"),
    ],
)
def test_a_table_that_cannot_be_stored_changes_nothing(
    opened: Open, table: bytes, options: dict[str, Any], says_why: str
) -> None:
    save = opened()
    save.npc("mira").memories.store("I was here before.", 5)
    before = contents(save)
    with pytest.raises(InvalidArgumentError, match=says_why) as error:
        save.world.imports.import_file(FileData(table, "notes.csv"), options)
    assert error.value.remedy
    assert contents(save) == before


@pytest.mark.parametrize(
    "chat", [b"Ada: Hello.", b"Mira: " + b"very " * 500_000, b"Ada: Hm.\nMira: Hm.\n" * 20_001, b"Mira: a\0"]
)
def test_a_chat_that_cannot_be_stored_changes_nothing(opened: Open, chat: bytes) -> None:
    save = opened()
    before = contents(save)
    with pytest.raises(InvalidArgumentError, match=r"import_file\(\)"):
        save.world.imports.import_file(FileData(chat, "a.txt"), NAMES)
    assert contents(save) == before


def test_a_failing_write_leaves_nothing_of_a_chat(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    save = opened()
    save.world.imports.import_file(CHAT, NAMES)
    before = contents(save)

    def refuse(*_arguments: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(save.store.exchanges, "end", refuse)
    with pytest.raises(OSError, match="full"):
        save.world.imports.import_file(CHAT, NAMES)
    monkeypatch.undo()
    assert contents(save) == before
    assert len(texts(save)) == len(before["mira"][0].split('"text"')) - 1
