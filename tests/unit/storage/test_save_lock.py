"""The lock of an open save, the messages to others, and how a game gets a save from the editor."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from rag_memory import Save, SaveError, SaveLockedError, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.storage.backends import SAVE_FILES
from rag_memory.storage.sqlite import save_lock

HOLDER = """
import sys, time
from pathlib import Path
from rag_memory import open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.storage.backends import SAVE_FILES

SAVE_FILES.introduce(sys.argv[2])
save = open_save(sys.argv[1], embedder=HashingEmbedder(64))
save.npc("elena").memories.store("The bridge is out.")
print("open", flush=True)
lets_go = sys.argv[3] == "lets go"
while not (lets_go and Path(sys.argv[1] + ".wanted").exists()):
    time.sleep(0.01)
save.close()
"""


@pytest.fixture(autouse=True)
def roles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(save_lock.ThisProcess, "role", save_lock.PROGRAM)
    monkeypatch.setattr(save_lock.ThisProcess, "is_debug", False)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "slot_1.sqlite3"


@contextmanager
def held(path: Path, role: str, manner: str = "keeps it") -> Iterator[int]:
    """Another process that has the save open; the number of it."""
    command = [sys.executable, "-c", HOLDER, str(path), role, manner]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        try:
            yield process.pid
        finally:
            process.kill()


def opened(path: Path) -> Save:
    return open_save(path, embedder=HashingEmbedder(64))


def test_the_editor_lets_go_of_a_save_that_a_game_wants(path: Path) -> None:
    SAVE_FILES.introduce(save_lock.GAME)
    with held(path, save_lock.EDITOR, "lets go"), opened(path) as save:
        assert save.npc("elena").memories.get_memory_count() == 1
        assert sorted(file.name for file in path.parent.glob("*.wanted")) == []


def test_an_editor_that_does_not_let_go_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(save_lock, "_MOST_ASKING_SECONDS", 0.1)
    SAVE_FILES.introduce(save_lock.GAME)
    with held(path, save_lock.EDITOR) as process:
        with pytest.raises(SaveLockedError) as told:
            opened(path)
        assert f"the Godot editor (process {process}) has it open. Press Close" in str(told.value)
        assert list(path.parent.glob("*.wanted")) == []


@pytest.mark.parametrize("asking", [save_lock.GAME, save_lock.EDITOR, save_lock.PROGRAM])
def test_a_game_keeps_its_save(path: Path, asking: str) -> None:
    SAVE_FILES.introduce(asking)
    with held(path, save_lock.GAME, "lets go") as process:
        with pytest.raises(SaveLockedError, match=rf"a running game \(process {process}\).*Stop that game"):
            opened(path)
        with pytest.raises(SaveLockedError, match="a running game"):
            SAVE_FILES.delete(path)


@pytest.mark.parametrize(
    ("asking", "is_debug", "holder", "named"),
    [
        (save_lock.GAME, True, save_lock.GAME, True),
        (save_lock.GAME, False, save_lock.GAME, False),
        (save_lock.PROGRAM, True, save_lock.GAME, False),
        (save_lock.GAME, True, save_lock.PROGRAM, False),
    ],
)
def test_a_second_instance_that_the_editor_runs_is_told_which_menu_starts_it(
    path: Path, asking: str, is_debug: bool, holder: str, named: bool
) -> None:
    SAVE_FILES.introduce(asking, is_debug)
    with held(path, holder), pytest.raises(SaveLockedError) as refused:
        opened(path)
    assert ("Debug > Customize Run Instances... > Enable Multiple Instances" in str(refused.value)) is named


def test_a_killed_process_keeps_nobody_out(path: Path) -> None:
    SAVE_FILES.introduce(save_lock.GAME)
    with held(path, save_lock.EDITOR):
        pass
    assert path.with_name("slot_1.sqlite3.lock").exists()
    opened(path).close()
    assert not path.with_name("slot_1.sqlite3.lock").exists()


@pytest.mark.parametrize("note", [b"", b"editor", b"\xff\xfe 12", b"game many"])
def test_a_lock_file_that_says_nothing_locks_all_the_same(path: Path, note: bytes) -> None:
    with opened(path):
        path.with_name("slot_1.sqlite3.lock").write_bytes(note)
        with pytest.raises(SaveLockedError, match="another process, or another open_save"):
            opened(path)


def test_a_lock_file_that_leads_elsewhere_is_not_written_through(tmp_path: Path) -> None:
    (diary := tmp_path / "diary.txt").write_text("Dear diary")
    (tmp_path / "village.sqlite3.lock").symlink_to(diary)
    with pytest.raises(SaveError, match=r"village\.sqlite3\.lock is a link.*Delete it"):
        open_save(tmp_path / "village.sqlite3", embedder=HashingEmbedder(64))
    assert diary.read_text() == "Dear diary"
