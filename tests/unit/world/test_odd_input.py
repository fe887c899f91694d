"""Invalid arguments of the world's calls: errors name the key and the expected value; nothing is stored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.sqlite_access import reading
from tests.unit.world.lore_texts import paragraph

from rag_memory import Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.errors import InvalidArgumentError, StoreError
from rag_memory.memory.owners import WORLD
from rag_memory.text.file_text import FileText

Call = Callable[[Save, float], Any]


@pytest.mark.parametrize("day", [1e308, -1e10, 1_764_000_000.0])
@pytest.mark.parametrize(
    "call",
    [
        lambda save, day: save.world.events.record_event({"summary": "It burned.", "day": day}),
        lambda save, day: save.world.tasks.add_task(
            {"assignee": "mira", "summary": "Go.", "created_day": day}
        ),
        lambda save, day: save.world.debates.record_debate(
            {"topic": "Peace", "participants": ["mira"], "outcome": "None.", "day": day}
        ),
        lambda save, day: save.npc("mira").conversation.store_turn("Hello.", "Hello.", {"day": day}),
    ],
)
def test_seconds_are_no_day(opened: Callable[..., Save], call: Call, day: float) -> None:
    save = opened()
    changes = save.store.change_count
    with pytest.raises(InvalidArgumentError, match=r"day is .* divided by 86,400"):
        call(save, day)
    assert save.store.change_count == changes


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        ({"traits": "proud"}, "an Array of Strings"),
        ({"traits": ["proud", 3]}, r"traits\[1\].*a String"),
        ({"last_seen_day": "today"}, "a number"),
        ({"relation_to_player": "good"}, "a number"),
    ],
)
def test_what_tells_nothing_of_a_character_is_an_error(
    opened: Callable[..., Save], data: dict[str, Any], wanted: str
) -> None:
    world = opened().world
    for call in (
        world.characters.register_character,
        world.profiles.ensure_profile,
        world.profiles.regenerate_profile,
    ):
        with pytest.raises(InvalidArgumentError, match=wanted):
            call("mira", data)
    assert world.characters.list_characters() == [] and world.profiles.get_profile("mira") == {}


def test_an_option_of_the_wrong_type_or_with_an_endless_name(opened: Callable[..., Save]) -> None:
    with pytest.raises(InvalidArgumentError, match=r"include_expired.*a bool"):
        opened().world.events.get_events({"include_expired": "yes"})
    with pytest.raises(InvalidArgumentError) as raised:
        opened().world.events.get_events({"x" * 100_000: 1})
    assert len(str(raised.value)) < 500


def _lore(version: int, towns: int) -> FileText:
    return FileText(
        "".join(f"# Town {town}\n\n{paragraph(town + 100 * version, 150)}\n\n" for town in range(towns))
    )


def _texts(save: Save) -> set[str]:
    return {each["text"] for each in save.world.lore.search_lore("Which town is it?", {"limit": 100})}


def test_a_full_disk_leaves_the_old_lore_and_whole_events(tmp_path: Path) -> None:
    path = tmp_path / "full.sqlite3"
    with open_save(path, HashingEmbedder(64), clock=lambda: 1000.0) as save:
        world = save.world
        world.lore.import_lore(_lore(0, 20), {"key": "realm"})
        world.events.record_event({"id": "first", "summary": "It burned."})
        before = _texts(save)
        with reading(save.store) as connection:
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
            connection.execute(f"PRAGMA max_page_count = {pages + 20}").fetchall()
        with pytest.raises(StoreError, match=r"SQLITE_FULL.*Free room"):
            world.lore.import_lore(_lore(1, 200), {"key": "realm"})
        assert _texts(save) == before
        events = [{"id": f"e{number}", "summary": f"Raid {number}. " + "x" * 500} for number in range(2000)]
        with pytest.raises(StoreError, match=r"are stored, the others are not|None of 2000 is stored"):
            world.events.record_events(events)
        with pytest.raises(StoreError, match=r"^It is not stored"):
            for number in range(1000):
                world.events.record_event({"summary": f"One more, {number}. " + "y" * 900})
        assert {each["id"] for each in world.events.get_events()} == {
            each.id for each in world.searched(WORLD).records()
        }
        with reading(save.store) as connection:
            connection.execute("PRAGMA max_page_count = 1000000").fetchall()
        assert world.lore.import_lore(_lore(1, 20), {"key": "realm"})["chunks"] == 20
        assert not _texts(save) & before
