"""Saves with many interactions of which a bit, or a row, has changed: feelings outlive it."""

from __future__ import annotations

import contextlib
import math
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.unit.storage.damaged_saves import (
    DAY,
    NOW,
    healed,
    opened_at,
    with_changed_bits,
    with_statements,
)

from rag_memory import Save

NAMES = ("elena", "bjorn", "mira")
COUNT = 250
FLIPS = 40
Told = dict[str, tuple[str, str]]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, Told]:
    """The file of a save, and what was said by whom, by NPC and number."""
    path = tmp_path_factory.mktemp("whole") / "village.sqlite3"
    with opened_at(path, NOW) as save:
        for name in NAMES:
            mind = save.npc(name).mind
            for number in range(COUNT):
                action = "helped" if number % 25 == 0 else "waved"
                source = f"c{number % 5}"
                content = f"{name} {number}: hello! " + "Well met. " * 3
                mind.perceive({"action": action, "content": content, "source_id": source, "lantern": "lit"})
            mind.feelings.feel("sad", 60.0, "rain", 90 * DAY)
        told = known(save)
    assert len(told) == len(NAMES) * COUNT
    return path.read_bytes(), told


def known(save: Save) -> Told:
    return {
        " ".join(str(each["content"]).split()[:2]): (each["source_id"], each["content"])
        for name in save.overview.list_npcs()
        for each in save.npc(str(name["npc_id"])).mind.get_interactions(count=10_000)
        if each["content"]
    }


def used(save: Save) -> Iterator[Callable[[], object]]:
    """Calls of a game about feelings; the last ones change a lot."""
    for name in NAMES:
        npc = save.npc(name)
        yield npc.mind.feelings.get_dispositions
        yield npc.mind.feelings.get_emotion
        yield npc.mind.reflections.get_importance_since_reflection
        yield lambda npc=npc: npc.mind.get_interactions(count=10_000)  # type: ignore[misc]
        yield lambda npc=npc: npc.mind.listeners.build_listener_context(["c1", "c2"], "hello")  # type: ignore[misc]
        yield lambda npc=npc: npc.mind.perceive({"action": "gifted", "source_id": "c1"})  # type: ignore[misc]
        yield lambda npc=npc: npc.mind.reflections.reflect(True)  # type: ignore[misc]
        yield npc.tools.export_json


def changed(save: Save) -> Iterator[Callable[[], object]]:
    for name in NAMES:
        mind = save.npc(name).mind
        yield lambda mind=mind: [mind.perceive({"action": "waved"}) for _ in range(400)]  # type: ignore[misc]
    yield lambda: save.marks.rollback_to(NOW + 20 * DAY)
    yield save.npc("elena").clear_all_memories


def check_feelings(save: Save) -> None:
    for name in NAMES:
        mind = save.npc(name).mind
        emotion = mind.feelings.get_emotion()
        assert 0.0 <= emotion["intensity"] <= 100.0 and math.isfinite(emotion["expires_at"])
        for each in mind.feelings.get_dispositions().values():
            assert 0.0 <= each["strength"] <= 100.0
            assert math.isfinite(each["last_interaction_at"])


def check_healed(path: Path, told: Told, most_lost: int = 1) -> Told:
    with healed(path, used) as save:
        left = known(save)
        check_feelings(save)
    with healed(path, changed):
        pass
    lost = [key for key, said in told.items() if left.get(key) != said]
    assert len(lost) <= most_lost, lost[:5]
    return left


def test_a_save_with_a_changed_bit_keeps_its_interactions(whole: tuple[bytes, Told], tmp_path: Path) -> None:
    content, told = whole
    for bit, path in with_changed_bits(content, tmp_path, 19, FLIPS):
        try:
            check_healed(path, told)
        except BaseException as error:
            error.add_note(f"bit {bit}")
            raise


OF_ONE = "WHERE interaction = (SELECT max(interaction) FROM interactions WHERE source_id = 'c1')"
OF_ALL = "WHERE source_id = ''"
ROWS = {
    "an NPC that is none": "npc = 99",
    "details that are none": "details = '{'",
    "details of another kind": "details = '[1]'",
    "a detail of another kind": 'details = \'{"memory_id": [1], "why": 3}\'',
    "a text that is none": "content = CAST(x'ff80' AS TEXT)",
    "a text with a zero": "reason = CAST(x'410042' AS TEXT)",
    "a kind that is none": "kind = 'evenu'",
    "a source that is none": "source_id = x'63ff', source_name = 5",
    "a strength that is none": "strength = 1e300",
    "a strength below all": "strength = -9e999",
    "a time that is none": "timestamp = 9e999, stored_at = 9e999",
    "a strength of text": "strength = 'much'",
    "an emotion without an end": 'emotion = \'["sad", 9e999, "", 1.0, Infinity]\'',
    "an emotion of nothing": 'emotion = \'["sad", NaN, "", NaN, NaN]\'',
    "no emotion": "emotion = '{'",
    "an emotion that is a blob": "details = x'00ff', emotion = x'00'",
}


@pytest.mark.parametrize("row", ROWS)
def test_one_unreadable_interaction_costs_no_other(
    whole: tuple[bytes, Told], tmp_path: Path, row: str
) -> None:
    content, told = whole
    where = OF_ALL if "emotion" in row else OF_ONE
    path = with_statements(content, tmp_path, f"UPDATE interactions SET {ROWS[row]} {where}")
    check_healed(path, told)


@pytest.mark.parametrize("is_without_memories", [False, True])
def test_interactions_outlive_the_row_of_their_npc(
    whole: tuple[bytes, Told], tmp_path: Path, is_without_memories: bool
) -> None:
    content, told = whole
    path = with_statements(
        content,
        tmp_path,
        "PRAGMA foreign_keys = OFF",
        *(["DELETE FROM memories WHERE npc = 2"] if is_without_memories else []),
        "DELETE FROM npcs WHERE npc = 2",
        # So that the damage is seen at once.
        "UPDATE memories SET document_short = CAST(x'ff80' AS TEXT) WHERE rowid = 3",
    )
    with healed(path, used) as save:
        assert known(save) == told
        assert save.npc("bjorn").mind.feelings.get_disposition("c0")["strength"] == 100.0


def test_a_damaged_save_of_feelings_alone_keeps_them(tmp_path: Path) -> None:
    path = tmp_path / "village.sqlite3"
    with opened_at(path, NOW) as save:
        for number in range(100):
            save.npc("mira").mind.perceive({"action": "waved", "content": f"n {number}", "source_id": "kael"})
        save.npc("mira").mind.feelings.adjust_disposition("kael", 12.5)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE treasure (gold)")
    with healed(path, used) as save:
        assert save.npc("mira").mind.feelings.get_disposition("kael")["strength"] == 62.5
