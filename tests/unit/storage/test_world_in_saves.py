"""Documents of the world wherever a save is treated as a whole: snapshots, old saves, damaged ones."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.conftest import GameClock
from tests.unit.storage.damaged_saves import NOW, healed, opened_at, with_changed_bits, with_statements

from rag_memory import Save
from rag_memory.errors import SaveDamagedError
from rag_memory.memory.document import TIMELESS, Document
from rag_memory.memory.owners import LORE, WORLD

FLIPS = 40
COUNT = 150
Told = dict[str, dict[str, Any]]


def write(save: Save, id: str, content: dict[str, Any], kind: str = "tale", at: float = NOW) -> None:
    with save.store.transaction():
        save.store.documents.write(Document(0, kind, id, "", content, at, at))


def events(save: Save) -> Told:
    return {each.id: dict(each.content) for each in save.store.documents.find("tale")}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, Told]:
    """The file of a save without any memory, and its events."""
    path = tmp_path_factory.mktemp("world") / "village.sqlite3"
    with opened_at(path, NOW) as save:
        for number in range(COUNT):
            for version in range(1 + number % 3):
                told = {"title": f"Event {number}", "version": version, "text": "It rained. " * (number % 60)}
                write(save, f"e{number}", told)
        found = events(save)
    return path.read_bytes(), found


def used(save: Save) -> Iterator[Callable[[], object]]:
    yield lambda: events(save)
    yield lambda: save.world.characters.list_characters()
    yield lambda: save.world.characters.register_character("elena", {"name": "Elena"})
    yield lambda: save.npc("elena").memories.store("The bridge is out.")


def check_healed(path: Path, told: Told) -> Told:
    """At most one event is lost; another one may have an earlier version."""
    with healed(path, used) as save:
        left = events(save)
    lost = [id for id, content in told.items() if left.get(id, {}).get("title") != content["title"]]
    assert len(lost) <= 1, lost
    assert len([id for id, content in told.items() if left.get(id) != content]) <= 2
    return left


def test_a_damaged_save_of_documents_alone_keeps_them(whole: tuple[bytes, Told], tmp_path: Path) -> None:
    content, told = whole
    path = with_statements(content, tmp_path, "CREATE TABLE treasure (gold)")
    with pytest.raises(SaveDamagedError, match=r"\d+ memories, interactions and documents of the world"):
        opened_at(path)
    with opened_at(path) as save:
        assert events(save) == told


def test_a_save_with_a_changed_bit_keeps_its_documents(whole: tuple[bytes, Told], tmp_path: Path) -> None:
    content, told = whole
    for bit, path in with_changed_bits(content, tmp_path, 20, FLIPS):
        try:
            check_healed(path, told)
        except BaseException as error:
            error.add_note(f"bit {bit}")
            raise


ROWS = {
    "content that is none": "content = '{'",
    "content of another kind": "content = '[1]'",
    "content without an end": "content = replace(hex(zeroblob(60000)), '00', '[')",
    "content of bytes": "content = CAST(content AS BLOB)",
    "a text that is none": "content = CAST(x'ff80' AS TEXT)",
    "an owner of bytes": "owner = x'00'",
    "times that are none": "timestamp = 9e999, stored_at = -9e999",
    "a time of letters": "timestamp = 'soon'",
    "nothing": "content = ''",
}


@pytest.mark.parametrize("row", ROWS)
def test_one_unreadable_version_costs_no_other(whole: tuple[bytes, Told], tmp_path: Path, row: str) -> None:
    content, told = whole
    newest = "SELECT max(document) FROM documents WHERE id = 'e5'"
    statement = f"UPDATE documents SET {ROWS[row]} WHERE document = ({newest})"
    path = with_statements(content, tmp_path, statement)
    with healed(path, used) as save:
        events(save)
    # What an unreadable version has hidden is there when the save is opened next.
    left = check_healed(path, told)
    assert left["e5"]["title"] == "Event 5"


def test_memories_of_the_world_outlive_the_row_of_their_owner(tmp_path: Path) -> None:
    path = tmp_path / "village.sqlite3"
    with opened_at(path, NOW) as save:
        for number in range(30):
            id = f"battle_{number}_siege"
            write(save, id, {"title": f"Siege {number}"})
            write(save, f"oath_{number}_x", {"text": "Vows."}, "lore_chunk", TIMELESS)
            save.world.searched(WORLD).put("test", id, f"The siege of Greywater, year {number}.", 5, {})
            save.world.searched(LORE).put("test", f"oath_{number}_x", f"The oath number {number}.", 5, {})
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("DELETE FROM npcs")
        # So that the damage is seen at once.
        connection.execute("CREATE TABLE treasure (gold)")
    with healed(path, used) as save:
        assert [each["npc_id"] for each in save.overview.list_npcs()] == ["elena"]
        assert save.world.searched(WORLD).find("test", "the siege of Greywater", 3)
        assert save.world.searched(LORE).find("test", "the oath", 3)


def test_a_snapshot_has_the_world_in_it(
    opened: Callable[..., Save], save_path: Path, clock: GameClock
) -> None:
    save = opened(save_path)
    save.world.characters.register_character("elena", {"name": "Elena"})
    save.world.characters.register_character("kael", {"name": "Kael"})
    write(save, "siege", {"title": "Siege", "day": 3})
    save.world.searched(WORLD).put("test", "siege", "Greywater was besieged.", 5, {})
    save.snapshots.take("before")
    clock.now += 60.0
    save.world.characters.register_character("elena", {"faction": "north"})
    save.world.characters.register_character("bjorn", {"name": "Bjorn"})
    write(save, "siege", {}, at=clock.now)
    write(save, "feast", {"title": "Feast"}, at=clock.now)
    save.world.searched(WORLD).put("test", "feast", "Greywater held a feast.", 5, {})
    found = save.snapshots.compare("before")
    assert found["world"]["character"] == {"added": 1, "removed": 0, "changed": 1}
    assert found["world"]["tale"] == {"added": 1, "removed": 1, "changed": 0}
    assert (found["npcs"], found["added"]) == ({}, 0)
    save.snapshots.take("after")
    assert save.snapshots.compare("after", "before")["world"]["character"] == {
        "added": 0,
        "removed": 1,
        "changed": 1,
    }
    save.snapshots.restore("before")
    assert save.world.characters.get_character("elena") == {"name": "Elena", "id": "elena"}
    assert events(save) == {"siege": {"title": "Siege", "day": 3}}
    assert [each.id for each in save.world.searched(WORLD).find("test", "Greywater", 5)] == ["siege"]


def test_the_order_of_keys_is_no_difference(opened: Callable[..., Save], save_path: Path) -> None:
    save = opened(save_path)
    write(save, "siege", {"title": "Siege", "day": 3})
    save.snapshots.take("before")
    write(save, "siege", {"day": 3, "title": "Siege"})
    assert save.snapshots.compare("before")["world"] == {}


def test_no_list_of_npcs_has_the_world_in_it(opened: Callable[..., Save], save_path: Path) -> None:
    save = opened(save_path)
    save.npc("elena").memories.store("The bridge is out.")
    for owner in (WORLD, LORE):
        save.world.searched(owner).put("test", "siege", "Theron besieged Greywater.", 5, {})
    assert [each["npc_id"] for each in save.overview.list_npcs()] == ["elena"]
    health = save.overview.health()
    assert (health["npc_count"], health["memory_count"]) == (1, 1)
    counts = save.overview.counts()
    assert (counts["npcs"], counts["memories"]) == (1, 1)
    assert save.overview.feelings() == {}
    assert not any("@" in name for name in save.context.names._all())


def test_a_rollback_takes_the_world_back_and_what_was_loaded_of_it(
    opened: Callable[..., Save], save_path: Path, clock: GameClock
) -> None:
    save = opened(save_path)
    save.world.characters.register_character("elena", {"name": "Elena"})
    before = clock.now
    clock.now += 60.0
    save.world.characters.register_character("elena", {"faction": "north"})
    save.world.characters.register_character("kael", {})
    save.marks.rollback_to(before)
    assert save.world.characters.list_characters() == [{"name": "Elena", "id": "elena"}]
