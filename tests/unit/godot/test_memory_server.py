from __future__ import annotations

import logging
import time
from collections.abc import Generator
from pathlib import Path
from types import GeneratorType
from typing import Any

import pytest

from rag_memory.errors import InvalidArgumentError, StoreError
from rag_memory.godot.declare import declaration_of
from rag_memory.godot.game_functions import GameFunction
from rag_memory.godot.memory_server import MemoryServer
from rag_memory.godot.open_saves import OpenSaves
from rag_memory.godot.save_folder import Folders
from rag_memory.godot.server_part import NoConnection
from rag_memory.save import Save
from rag_memory.storage.sqlite.store import Store

WORLD_CHANGED: tuple[str, list[Any]] = ("world_changed", [])


CARRY_OUT = {call.name: call.carry_out for call in declaration_of(MemoryServer).methods if call.carry_out}


class Server:
    """A MemoryServer whose calls are carried out to their end, and the signals it has emitted."""

    def __init__(self, folder: Path) -> None:
        self.events: list[tuple[str, list[Any]]] = []

        def emit(_instance: int, name: str, arguments: list[Any]) -> None:
            self.events.append((name, arguments))

        folders = Folders(folder / "saves", folder / "models", folder / "prepared", folder)
        self.saves = OpenSaves(folders, lambda: 1e6, emit, _no_answer)
        self._server = MemoryServer(self.saves, dict, NoConnection())

    def __getattr__(self, name: str) -> Any:
        def call(*arguments: Any) -> Any:
            result = CARRY_OUT[name](self._server, *arguments)
            if not isinstance(result, GeneratorType):
                return result
            while True:
                try:
                    next(result)
                except StopIteration as end:
                    return end.value

        return call


def _no_answer(_which: GameFunction, _request: dict[str, Any]) -> Generator[Any, None, None]:
    yield from ()


@pytest.fixture
def server(tmp_path: Path) -> Server:
    return Server(tmp_path)


@pytest.fixture
def a_cannot_be_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    close = Store.close

    def fail_for_a(store: Store) -> None:
        close(store)
        if store.path.endswith("a.sqlite3"):
            raise StoreError("The save could not close", "the disk is full", "Free room")

    monkeypatch.setattr(Store, "close", fail_for_a)


@pytest.mark.usefixtures("a_cannot_be_closed")
def test_a_save_that_cannot_be_closed_in_order_is_closed(server: Server) -> None:
    server.open_save("a")
    with pytest.raises(StoreError, match="the disk is full"):
        server.close_save()
    assert server.events == [("save_opened", ["a"]), WORLD_CHANGED, ("save_closed", ["a"]), WORLD_CHANGED]
    assert server.close_save() == 0


@pytest.mark.usefixtures("a_cannot_be_closed")
def test_a_save_that_cannot_be_closed_keeps_no_other_from_being_opened(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    server.open_save("a")
    caplog.clear()
    with caplog.at_level(logging.ERROR):
        assert server.open_save("b") == 0
    (message,) = (each.getMessage() for each in caplog.records)
    assert '"a" could not be closed in order for "b"' in message
    assert "the disk is full" in message
    assert server.events == [
        ("save_opened", ["a"]),
        WORLD_CHANGED,
        ("save_closed", ["a"]),
        WORLD_CHANGED,
        ("save_opened", ["b"]),
        WORLD_CHANGED,
    ]
    assert server.open_save("a") == 0  # nobody holds its lock
    assert server.open_save("b") == 0


def test_a_save_keeps_its_name_and_mod_profile_and_says_when_it_was_played(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_800_000_000.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    labels = {"name": "Theron, level 7", "mod_profile": "realm_of_thrones"}
    server.open_save("slot", labels)
    now[0] += 3600
    server.close_save()
    info = server.get_save_info("slot")
    assert {key: info[key] for key in (*labels, "created", "last_played")} == {
        **labels,
        "created": 1_800_000_000.0,
        "last_played": 1_800_003_600.0,
    }
    assert "campaign" not in info["documents"]
    now[0] += 60
    server.open_save("slot")
    assert server.get_save_info("slot") == {
        **server.get_save_info("slot"),
        **labels,
        "created": 1_800_000_000.0,
        "last_played": now[0],
    }
    server.open_save("slot", {"name": "Theron, level 8"})
    server.copy_save("slot", "copy")
    assert (server.get_save_info("copy")["name"], server.get_save_info("slot")["mod_profile"]) == (
        "Theron, level 8",
        "realm_of_thrones",
    )
    assert server.get_save_info("copy")["created"] == 1_800_000_000.0
    for options in ({"name": 7}, {"mod_profile": "x" * 201}):
        with pytest.raises(InvalidArgumentError, match=r"name|mod_profile"):
            server.open_save("other", options)


def test_a_save_that_begins_as_a_prepared_one_is_new(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_800_000_000.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    server.open_save("begin", {"name": "The village"})
    server.close_save()
    (tmp_path / "saves").rename(tmp_path / "prepared")
    now[0] += 1e6
    server.open_save("slot", {"prepared": "begin"})
    info = server.get_save_info("slot")
    assert (info["created"], info["last_played"], info["name"]) == (now[0], now[0], "The village")


def test_only_what_was_played_differs_between_snapshots_when_a_save_was_opened_again(server: Server) -> None:
    server.open_save("slot")
    server.snapshot("one")
    server.close_save()
    server.open_save("slot")
    assert server.compare_snapshots("one", "")["world"] == {}


def test_a_prepared_save_of_another_campaign_leaves_no_copy(server: Server, tmp_path: Path) -> None:
    server.open_save("begin", {"campaign": "winter"})
    server.close_save()
    (tmp_path / "prepared").mkdir()
    (tmp_path / "saves" / "begin.sqlite3").rename(tmp_path / "prepared" / "begin.sqlite3")
    with pytest.raises(InvalidArgumentError, match='belongs to the campaign "winter"'):
        server.open_save("slot", {"prepared": "begin", "campaign": "summer"})
    assert not server.has_save("slot")
    assert server.open_save("slot", {"campaign": "summer"}) == 0
    assert server.open_save("other", {"prepared": "begin", "campaign": "winter"}) == 0
    with pytest.raises(InvalidArgumentError, match='belongs to the campaign "winter"'):
        server.open_save("other", {"campaign": "summer"})
    assert server.has_save("other"), "only what was copied just now is taken away"


def test_a_save_that_cannot_be_used_is_not_left_open(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.open_save("a")
    with monkeypatch.context() as patched:
        patched.setattr(Save, "register_names", _refuse)
        with pytest.raises(InvalidArgumentError):
            server.open_save("b")
    assert server.events == [("save_opened", ["a"]), WORLD_CHANGED]
    assert server.open_save("b") == 0


def _refuse(_save: Save, _names: Any, _check_people: bool) -> None:
    raise InvalidArgumentError("register_names(): a name is no text")


def test_a_save_with_the_name_of_a_device_can_be_used_where_there_is_one(
    server: Server, tmp_path: Path
) -> None:
    with pytest.raises(InvalidArgumentError, match="takes it for a device"):
        server.open_save("con")
    server.open_save("a")
    with pytest.raises(InvalidArgumentError, match="takes it for a device"):
        server.snapshot("con")
    server.snapshot("b")
    server.close_save()
    folder = tmp_path / "saves"
    (folder / "a.snapshots" / "b.sqlite3").rename(folder / "a.snapshots" / "con.sqlite3")
    (folder / "a.snapshots").rename(folder / "con.snapshots")
    (folder / "a.sqlite3").rename(folder / "con.sqlite3")
    assert list(server.list_saves()) == ["con"]
    assert server.open_save("con") == 0
    assert server.restore("con") == 0
    assert server.delete_save("con") == 0
    assert list(server.list_saves()) == []


def test_names_that_windows_takes_for_one_file_are_refused_everywhere(server: Server) -> None:
    server.open_save("Slot")
    server.snapshot("Evening")
    with pytest.raises(InvalidArgumentError, match=r"'evening' cannot be .* there is 'Evening' already"):
        server.snapshot("evening")
    assert server.snapshot("Evening") == 0 and list(server.list_snapshots()) == ["Evening"]
    for call, arguments in (("open_save", ["slot"]), ("copy_save", ["Slot", "SLOT"])):
        with pytest.raises(InvalidArgumentError, match=r"the id of a save.*there is 'Slot' already"):
            getattr(server, call)(*arguments)
    server.close_save()
    assert server.open_save("Slot") == 0
    assert list(server.list_saves()) == ["Slot"]


def test_a_copy_in_memory_has_what_the_open_save_has_and_leaves_it_as_it_is(server: Server) -> None:
    saves = server.saves
    server.open_save("slot")
    elena = saves.for_node(persistent=True).npc("elena")
    elena.memories.store("Rowan promised to mend the roof.", 8)
    saves.world(persistent=True).tasks.add_task({"assignee": "elena", "summary": "Bring straw."})
    before = saves.for_node(persistent=True).store.change_count
    for copied in (1, 2):  # A second copy replaces what happened in the first.
        assert server.copy_save("slot", ":memory:") == 0
        copy = saves.for_node(persistent=False).npc("elena")
        assert [memory["document"] for memory in copy.recall.get_recent(9)] == [
            "Rowan promised to mend the roof."
        ]
        assert copy.recall.retrieve_scored("Who mends the roof?")[-1]["document"].startswith("Rowan")
        assert [task["summary"] for task in saves.world(persistent=False).tasks.get_tasks()] == [
            "Bring straw."
        ]
        copy.memories.store(f"The roof fell in, {copied}.", 8)
        assert len(copy.recall.get_recent(9)) == 2
    assert len(elena.recall.get_recent(9)) == 1
    assert saves.for_node(persistent=True).store.change_count == before


def test_only_the_open_save_is_copied_into_memory(server: Server) -> None:
    server.open_save("closed")
    for opened in ("slot", ""):
        server.open_save(opened) if opened else server.close_save()
        with pytest.raises(InvalidArgumentError, match="only the open save"):
            server.copy_save("closed", ":memory:")
