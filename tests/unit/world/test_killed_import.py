"""A process killed while it imports lore leaves the old lore or the new one, and never a part of both."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from pathlib import Path

from tests.unit.killed_process import told_before_killed
from tests.unit.world.lore_texts import paragraph

from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.memory.owners import LORE
from rag_memory.opening import open_save
from rag_memory.save import Save
from rag_memory.text.file_text import FileText
from rag_memory.world.world import World

KILLS = 12
_TOWNS = 40


def _text(version: int) -> str:
    """Lore of which every version has other texts, but for a quarter of the towns."""
    return "".join(
        f"# Town {town}\n\n{paragraph(town, 150)} Version {version if town % 4 else 0} it is.\n\n"
        for town in range(_TOWNS)
    )


def _opened(path: Path) -> Save:
    return open_save(path, HashingEmbedder(), clock=lambda: 1000.0)


def _version(world: World) -> int:
    """The version that all towns are of."""
    hits = world.lore.search_lore("Which version is the town?", {"limit": 100})
    found = {hit["title"]: hit["text"].split(" Version ")[1] for hit in hits}
    assert len(found) == len(hits) == _TOWNS == world.lore.list_lore()[0]["chunks"]
    version = int(found["Town 1"].split()[0])
    assert found == {f"Town {town}": f"{version if town % 4 else 0} it is." for town in range(_TOWNS)}
    return version


def _import_until_killed(path: Path, first: int, tell: Callable[[], object]) -> None:
    world = _opened(path).world
    version = first
    while True:
        for _ in world.lore.import_lore.steps(FileText(_text(version)), {"key": "realm"}):
            tell()
        version += 1


def test_a_killed_import_leaves_the_old_lore_or_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "killed.sqlite3"
    dice = random.Random(5)
    with _opened(path) as save:
        save.world.lore.import_lore(FileText(_text(0)), {"key": "realm"})
    last = 0
    for _ in range(KILLS):
        work = functools.partial(_import_until_killed, path, last + 1)
        told_before_killed(work, dice.randint(1, 40), dice)
        with _opened(path) as save:
            version = _version(save.world)
            assert version >= last
            last = version
    with _opened(path) as save:
        save.world.lore.import_lore(FileText(_text(99)), {"key": "realm"})
        assert len(save.store.documents.find("lore_chunk")) == _TOWNS
        assert save.store.records.count(save.store.npcs.number(LORE)) == _TOWNS
