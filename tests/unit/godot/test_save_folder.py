from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rag_memory import open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.errors import (
    InvalidArgumentError,
    NotASaveError,
    SaveDamagedError,
    SaveError,
    SaveLockedError,
    SaveNotFoundError,
)
from rag_memory.godot import save_folder
from rag_memory.storage.sqlite.save_lock import SaveLock


@pytest.mark.parametrize(
    "save_id", ["slot_1", "Spielstand 3", "存檔", "élan", "a.b", "x" * 200, "console", "com"]
)
def test_ordinary_names_are_ids(save_id: str) -> None:
    save_folder.check_save_id(save_id, is_new=True)


@pytest.mark.parametrize(
    "save_id",
    [
        "",
        " ",
        "..",
        ".hidden",
        "a/b",
        "../x",
        "a\\b",
        "c:",
        "a\nb",
        "a\0b",
        "x ",
        "x.",
        "ä" * 101,
        "CON",
        "nul.txt",
        "Lpt1",
        "com²",
        "conin$",
        "CONOUT$.a",
    ],
)
def test_names_that_are_no_file_names_are_refused(save_id: str) -> None:
    with pytest.raises(InvalidArgumentError, match="cannot be the id of a save"):
        save_folder.check_save_id(save_id, is_new=True)


def test_saves_are_listed_by_name(tmp_path: Path) -> None:
    assert save_folder.list_saves(tmp_path / "absent") == []
    for name in ("b.sqlite3", "a.sqlite3", "a.sqlite3-wal", "notes.txt"):
        (tmp_path / name).touch()
    assert save_folder.list_saves(tmp_path) == ["a", "b"]


def test_only_files_whose_names_are_ids_are_saves(tmp_path: Path) -> None:
    (folder := tmp_path / "saves").mkdir()
    (outside := tmp_path / "outside.sqlite3").touch()
    (folder / "link.sqlite3").symlink_to(outside)
    (folder / "gone.sqlite3").symlink_to(tmp_path / "absent")
    (folder / "folder.sqlite3").mkdir()
    for name in (
        ".sqlite3",
        ".a.sqlite3",
        " b.sqlite3",
        "c..sqlite3",
        "d:.sqlite3",
        "e.SQLITE3",
        "f.sqlite3",
    ):
        (folder / name).touch()
    (folder / os.fsdecode(b"g\xe4.sqlite3")).touch()
    assert save_folder.list_saves(folder) == ["f"]
    for save_id in ("link", "gone", "folder", "e"):
        assert not save_folder.has_save(folder, save_id)
    assert save_folder.has_save(folder, "f")


def test_deleting_takes_everything_of_a_save_and_nothing_else(tmp_path: Path) -> None:
    for name in ("a.sqlite3", "a.sqlite3-wal", "a.sqlite3-shm", "ab.sqlite3"):
        (tmp_path / name).touch()
    (tmp_path / "a.index").mkdir()
    (tmp_path / "a.index" / "graph").touch()
    save_folder.delete_save(tmp_path, "a")
    assert [file.name for file in tmp_path.iterdir()] == ["ab.sqlite3"]
    with pytest.raises(SaveNotFoundError, match="no save 'a'"):
        save_folder.delete_save(tmp_path, "a")


def test_a_save_that_is_open_is_not_deleted(tmp_path: Path) -> None:
    path = save_folder.path_of(tmp_path, "a")
    with open_save(path, embedder=HashingEmbedder(64)) as save:
        npc = save.npc("elena")
        npc.memories.store("The mill burned down.")
        save.snapshots.take("morning")
        found = sorted(tmp_path.rglob("*"))
        with pytest.raises(SaveLockedError, match=r"a\.sqlite3 is locked.*Close it there, then try again"):
            save_folder.delete_save(tmp_path, "a")
        assert sorted(tmp_path.rglob("*")) == found
        npc.memories.store("The bridge is out.")
        with pytest.raises(SaveLockedError):
            open_save(path, embedder=HashingEmbedder(64))
    save_folder.delete_save(tmp_path, "a")
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_is_given_back_takes_no_other_lock_file_away(tmp_path: Path) -> None:
    lock_file = tmp_path / "a.sqlite3.lock"
    lost = SaveLock(str(tmp_path / "a.sqlite3"))
    lock_file.unlink()
    lock = SaveLock(str(tmp_path / "a.sqlite3"))
    lost.release()
    with pytest.raises(BlockingIOError):
        SaveLock(str(tmp_path / "a.sqlite3"))
    lock.release()
    assert not lock_file.exists()


def test_a_save_whose_snapshots_cannot_be_deleted_stays(tmp_path: Path) -> None:
    (tmp_path / "a.sqlite3").touch()
    (tmp_path / "a.snapshots").touch()  # a file in the place of the folder: deleting a folder fails
    with pytest.raises(SaveError, match=r"'a' could not be deleted: .*a\.snapshots.*delete it again"):
        save_folder.delete_save(tmp_path, "a")
    assert save_folder.list_saves(tmp_path) == ["a"]
    (tmp_path / "a.snapshots").unlink()
    save_folder.delete_save(tmp_path, "a")
    assert list(tmp_path.iterdir()) == []


def test_a_save_begins_as_a_copy_of_a_prepared_one(tmp_path: Path) -> None:
    prepared, saves = tmp_path / "prepared", tmp_path / "saves"
    for folder in (prepared, saves):
        folder.mkdir()
    (prepared / "lore.sqlite3").write_bytes(b"memories")
    (prepared / "lore.sqlite3").chmod(0o444)
    path = save_folder.path_of(saves, "slot_1")
    save_folder.begin_as(path, prepared, "lore")
    assert path.read_bytes() == b"memories"
    assert [file.name for file in saves.iterdir()] == ["slot_1.sqlite3"]
    path.write_bytes(b"the copy can be written")


def _killed_save(path: Path, text: str) -> None:
    """A save whose process was killed: everything is still in its write-ahead log."""
    code = (
        "import os, sys; from rag_memory import open_save;"
        "from rag_memory.embedding.hashing_embedder import HashingEmbedder;"
        "save = open_save(sys.argv[1], embedder=HashingEmbedder(64));"
        "save.npc('elena').memories.store(sys.argv[2]); os._exit(0)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code, str(path), text], check=True, env=environment)
    assert path.with_name(f"{path.name}-wal").stat().st_size > 0


def _begun(path: Path, prepared: Path) -> list[str]:
    save_folder.begin_as(path, prepared.parent, prepared.stem)
    with open_save(path, embedder=HashingEmbedder(64)) as save:
        return [memory["document"] for memory in save.npc("elena").recall.get_recent()]


def test_a_prepared_save_that_was_not_closed_is_an_error(tmp_path: Path) -> None:
    prepared, path = tmp_path / "lore.sqlite3", tmp_path / "slot.sqlite3"
    _killed_save(prepared, "The mill is old.")
    with pytest.raises(SaveError, match=r"'lore' was not closed.*lore\.sqlite3-wal.*Open it once"):
        _begun(path, prepared)
    assert not path.exists()
    open_save(prepared, embedder=HashingEmbedder(64)).close()
    assert _begun(path, prepared) == ["The mill is old."]


def test_the_log_of_a_former_save_does_not_come_into_a_prepared_one(tmp_path: Path) -> None:
    prepared, path = tmp_path / "lore.sqlite3", tmp_path / "slot.sqlite3"
    with open_save(prepared, embedder=HashingEmbedder(64)) as save:
        save.npc("elena").memories.store("The mill is old.")
    _killed_save(path, "The player stole my bread.")
    path.unlink()
    with pytest.raises(SaveDamagedError, match=r"write-ahead log is not; it is kept as"):
        _begun(path, prepared)
    assert list(tmp_path.glob("slot.sqlite3.damaged-*-wal"))
    path.with_name("slot.sqlite3-journal").write_bytes(b"of a file that is gone")
    assert _begun(path, prepared) == ["The mill is old."]


def test_a_copy_that_cannot_become_the_save_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "lore.sqlite3").write_bytes(b"memories")
    path = tmp_path / "saves" / "slot_1.sqlite3"
    path.mkdir(parents=True)  # no file can take the place of a folder
    with pytest.raises(OSError, match="slot_1"):
        save_folder.begin_as(path, tmp_path, "lore")
    assert list(path.parent.iterdir()) == [path]


def test_a_prepared_save_that_is_none_is_not_copied(tmp_path: Path) -> None:
    (tmp_path / "lore.sqlite3").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(200))
    with pytest.raises(NotASaveError, match=r"lore.sqlite3 is no save.*a PNG picture"):
        save_folder.begin_as(tmp_path / "slot.sqlite3", tmp_path, "lore")
    assert [file.name for file in tmp_path.iterdir()] == ["lore.sqlite3"]


def test_a_prepared_save_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    (tmp_path / "lore.sqlite3").touch()
    with pytest.raises(SaveNotFoundError, match=r"no prepared save 'lor'.*found there: lore"):
        save_folder.begin_as(tmp_path / "slot.sqlite3", tmp_path, "lor")
    assert not (tmp_path / "slot.sqlite3").exists()
