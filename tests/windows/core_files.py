"""Files as Windows has them: held by others, in long paths, of names that differ in case only."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rag_memory import MemoryConfig, RelevanceMode, Save, SaveError, files, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.godot import save_folder

LOOKED_AT_SECONDS = 0.2
Open = Callable[[Path], Save]


@pytest.fixture
def opened() -> Iterator[Open]:
    saves: list[Save] = []

    def open_it(path: Path) -> Save:
        saves.append(open_save(path, embedder=HashingEmbedder(64)))
        return saves[-1]

    yield open_it
    for save in saves:
        save.close()


def look_for_a_moment(path: Path) -> None:
    """Have a file open as a virus scanner does: until it is closed nobody may rename or delete it."""
    threading.Timer(LOOKED_AT_SECONDS, path.open("rb").close).start()


def test_a_file_that_is_looked_at_for_a_moment_is_replaced(tmp_path: Path) -> None:
    for name in ("new", "old"):
        (tmp_path / name).write_text(name)
    look_for_a_moment(tmp_path / "old")
    files.replace(tmp_path / "new", tmp_path / "old")
    assert (tmp_path / "old").read_text() == "new" and not (tmp_path / "new").exists()


def test_a_file_that_is_looked_at_for_a_moment_is_deleted(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name in ("a", "folder/b"):
        (tmp_path / name).write_text(name)
        look_for_a_moment(tmp_path / name)
    files.delete(tmp_path / "a")
    files.delete_folder(tmp_path / "folder")
    assert list(tmp_path.iterdir()) == []


def test_a_snapshot_that_somebody_keeps_open_stays_and_is_named(opened: Open, tmp_path: Path) -> None:
    save = opened(tmp_path / "a.sqlite3")
    save.npc("elena").memories.store("The bridge is out.")
    save.snapshots.take("evening")
    with (tmp_path / "a.snapshots" / "evening.sqlite3").open("rb"):
        save.npc("elena").memories.store("Rain fell.")
        with pytest.raises(SaveError, match=r"evening\.sqlite3 could not be written: .*Check"):
            save.snapshots.take("evening")
        with pytest.raises(SaveError, match=r"evening\.sqlite3 could not be deleted: .*Close what has"):
            save.store.snapshots.delete("evening")
    assert sorted(file.name for file in (tmp_path / "a.snapshots").iterdir()) == ["evening.sqlite3"]
    save.snapshots.restore("evening")
    assert save.npc("elena").memories.get_memory_count() == 1


def test_a_save_of_which_somebody_keeps_a_file_open_is_not_deleted_in_part(tmp_path: Path) -> None:
    with open_save(tmp_path / "a.sqlite3", embedder=HashingEmbedder(64)) as save:
        save.npc("elena").memories.store("The bridge is out.")
    with (
        (tmp_path / "a.sqlite3").open("rb"),
        pytest.raises(SaveError, match=r"'a' could not be deleted: .*Close what has its files open"),
    ):
        save_folder.delete_save(tmp_path, "a")
    assert save_folder.list_saves(tmp_path) == ["a"]
    save_folder.delete_save(tmp_path, "a")
    assert list(tmp_path.iterdir()) == []


def test_a_foreign_log_that_somebody_keeps_open_is_named_and_not_applied(tmp_path: Path) -> None:
    path, backup, log = tmp_path / "a.sqlite3", tmp_path / "backup", tmp_path / "a.sqlite3-wal"
    with open_save(path, embedder=HashingEmbedder(64)) as save:
        save.npc("elena").memories.store("The bridge is out.")
    shutil.copyfile(path, backup)
    with open_save(path, embedder=HashingEmbedder(64)) as save:
        save.npc("elena").memories.store("Rain fell.")
        content = log.read_bytes()
    shutil.copyfile(backup, path)
    log.write_bytes(content)
    with (
        log.open("rb"),
        pytest.raises(SaveError, match=r"cannot be opened: .*a\.sqlite3-wal belongs.*Close the program"),
    ):
        open_save(path, embedder=HashingEmbedder(64))
    assert (path.read_bytes(), log.read_bytes()) == (backup.read_bytes(), content)
    look_for_a_moment(log)
    with open_save(path, embedder=HashingEmbedder(64)) as save:
        assert save.npc("elena").memories.get_memory_count() == 1
    (aside,) = tmp_path.glob("a.sqlite3-wal.of-another-save-*")
    assert aside.read_bytes() == content


def test_nobody_takes_an_open_save_away(opened: Open, tmp_path: Path) -> None:
    save = opened(tmp_path / "saves" / "a.sqlite3")
    save.npc("elena").memories.store("The bridge is out.")
    with pytest.raises(PermissionError):
        (tmp_path / "saves" / "a.sqlite3").unlink()
    with pytest.raises(PermissionError):
        (tmp_path / "saves" / "a.sqlite3").rename(tmp_path / "b.sqlite3")
    save.npc("elena").memories.store("Rain fell.")
    assert save.npc("elena").memories.get_memory_count() == 2


@pytest.mark.parametrize("folder", ["Grüße 名前", "/".join(["a long name of a folder"] * 14)])
def test_everything_of_a_save_works_in_such_a_folder(opened: Open, tmp_path: Path, folder: str) -> None:
    path = save_folder.path_of(tmp_path / folder, "slot 1")
    config = MemoryConfig(relevance_mode=RelevanceMode.DENSE, exact_search_limit=50)
    save = opened(path)
    npc = save.npc("elena", config)
    npc.memories.store_batch(
        [{"text": f"The miller sold sack number {n} to a stranger."} for n in range(200)]
    )
    save.snapshots.take("evening")
    npc.memories.store("Rain fell.")
    assert save.snapshots.slots() == ["evening"]
    save.snapshots.restore("evening")
    found = npc.recall.retrieve_relevant("sack number 7")
    while (step := save.idle_step()) is not None and not step.is_waiting:
        pass
    save.close()
    assert list(path.parent.rglob("*.json")), "the search graph is written"
    save_folder.copy_save_steps(path.parent, "slot 1", "slot 2", None).close()
    assert save_folder.info_of(path.parent, "slot 1", None)["memories"] == 200
    save = opened(path)
    npc = save.npc("elena", config)
    assert npc.recall.retrieve_relevant("sack number 7") == found
    assert npc.records.index.pending_vectors == 0, "and read again"
    save.close()
    save_folder.delete_save(path.parent, "slot 1")
    assert save_folder.list_saves(path.parent) == []
