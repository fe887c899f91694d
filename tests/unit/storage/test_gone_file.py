"""A save whose file goes away while it is open: it is said, and nothing is lost."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from rag_memory import Save, StoreError
from rag_memory.storage.sqlite.save_files import SqliteFiles

Open = Callable[..., Save]


def delete(path: Path) -> None:
    path.unlink()


def move_folder(path: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))


def delete_folder(path: Path) -> None:
    shutil.rmtree(path.parent)


GONE = (delete, move_folder, delete_folder)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "saves" / "village.sqlite3"


def rescued(path: Path, opened: Open) -> list[str]:
    (file,) = (each for each in path.parent.glob("village.sqlite3.rescued-*") if each.suffix != ".index")
    assert SqliteFiles().conflicts_of(path) == [file]
    with opened(file) as save:
        return [memory["document_full"] for memory in save.npc("elena").recall.get_recent(9)]


@pytest.mark.parametrize("gone", GONE)
def test_the_next_memory_is_refused_and_the_others_are_rescued(
    opened: Open, path: Path, gone: Callable[[Path], None]
) -> None:
    npc = (save := opened(path)).npc("elena")
    npc.memories.store("The bridge is out.")
    gone(path)
    for _ in range(2):
        with pytest.raises(StoreError, match=r"has gone while it was open.*is in .*rescued-.* now"):
            npc.memories.store("Rain fell.")
    with pytest.raises(StoreError, match="has gone"):
        save.close()
    assert rescued(path, opened) == ["The bridge is out."]


@pytest.mark.parametrize("gone", GONE)
def test_closing_tells_it_as_well(opened: Open, path: Path, gone: Callable[[Path], None]) -> None:
    save = opened(path)
    save.npc("elena").memories.store("The bridge is out.")
    gone(path)
    with pytest.raises(StoreError, match="has gone"):
        save.close()
    assert rescued(path, opened) == ["The bridge is out."]


def test_a_lock_file_that_cannot_be_removed_locks_nothing(
    opened: Open, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = opened(path)
    with monkeypatch.context() as refused:
        refused.setattr(Path, "unlink", _refuse)
        save.close()
    opened(path).npc("elena").memories.store("It is open again.")


def _refuse(path: Path, missing_ok: bool = False) -> None:
    raise PermissionError(f"{path} may not be removed")


@pytest.mark.parametrize("gone", GONE)
def test_no_snapshot_is_taken_of_it(opened: Open, path: Path, gone: Callable[[Path], None]) -> None:
    save = opened(path)
    save.npc("elena").memories.store("The bridge is out.")
    gone(path)
    with pytest.raises(StoreError, match="has gone while it was open"):
        save.snapshots.take("evening")
    with pytest.raises(StoreError, match="has gone"):
        save.close()
    assert not [*path.parent.glob("*.snapshots/*")]
