"""A cloud, or a player, puts another file in the place of a save that is open: neither is lost."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from rag_memory import Save, StoreError, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.godot import save_folder
from rag_memory.step import run

Open = Callable[..., Save]
Replace = Callable[[Path, Path], None]


def texts(save: Save) -> list[str]:
    return sorted(memory["document_full"] for memory in save.npc("elena").recall.get_recent(5000))


def rename_over(other: Path, path: Path) -> None:
    shutil.copyfile(other, path.with_name("arriving"))
    path.with_name("arriving").replace(path)


def write_over(other: Path, path: Path) -> None:
    shutil.copyfile(other, path)


def write_over_with_its_time(other: Path, path: Path) -> None:
    shutil.copy2(other, path)


def delete_and_write(other: Path, path: Path) -> None:
    path.unlink()
    shutil.copyfile(other, path)


def copy_with_a_tool(other: Path, path: Path) -> None:
    subprocess.run(["cp", "-p", str(other), str(path)], check=True)


REPLACED = (rename_over, write_over, write_over_with_its_time, delete_and_write, copy_with_a_tool)


@pytest.fixture
def path(opened: Open, tmp_path: Path) -> Path:
    path = tmp_path / "saves" / "slot.sqlite3"
    with opened(path) as save:
        store(save, "both", 40)
    return path


@pytest.fixture
def other(opened: Open, path: Path, tmp_path: Path) -> Path:
    """The save as another computer went on with it."""
    other = tmp_path / "other" / "slot.sqlite3"
    other.parent.mkdir()
    shutil.copyfile(path, other)
    with opened(other) as save:
        store(save, "other", 60)
    return other


def store(save: Save, who: str, count: int) -> None:
    save.npc("elena").memories.store_batch([{"text": f"Story {number} of {who}."} for number in range(count)])


def stories(*parts: tuple[str, int]) -> list[str]:
    return sorted(f"Story {number} of {who}." for who, count in parts for number in range(count))


def conflict(path: Path) -> Path:
    (aside,) = path.parent.glob(f"{path.name}.of-another-computer-*")
    return aside


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if "has replaced" in record.getMessage()]


def check_both(opened: Open, path: Path, other: Path, own: list[str]) -> None:
    with opened(path) as save:
        assert texts(save) == own
    aside = conflict(path)
    assert aside.read_bytes() == other.read_bytes()
    with opened(aside) as save:
        assert texts(save) == stories(("both", 40), ("other", 60))
    assert not [*path.parent.glob("*.rescued*")] and not [*path.parent.glob("*.damaged*")]


@pytest.mark.parametrize("replace", REPLACED)
@pytest.mark.parametrize("count", [0, 1, 800])
def test_the_game_goes_on_and_both_are_kept(
    opened: Open, path: Path, other: Path, replace: Replace, count: int, caplog: pytest.LogCaptureFixture
) -> None:
    save = opened(path)
    store(save, "own", count)
    replace(other, path)
    for number in range(3):
        save.npc("elena").memories.store(f"After {number}.")
    assert texts(save) == sorted([*stories(("both", 40), ("own", count)), *(f"After {n}." for n in range(3))])
    (warning,) = warnings(caplog)
    assert str(conflict(path)) in warning
    own = texts(save)
    save.close()
    check_both(opened, path, other, own)
    assert len(warnings(caplog)) == 1


@pytest.mark.parametrize("replace", REPLACED)
@pytest.mark.parametrize("notice", ["close", "mark", "snapshot", "copy", "restore", "forget"])
def test_every_call_that_writes_notices_it(
    opened: Open, path: Path, other: Path, replace: Replace, notice: str, tmp_path: Path
) -> None:
    save = opened(path)
    save.snapshots.take("before")
    store(save, "own", 10)
    own = texts(save)
    replace(other, path)
    if notice == "mark":
        token = save.marks.add()
        store(save, "later", 5)
        save.marks.rollback_to(token)
    elif notice == "snapshot":
        save.snapshots.take("after")
        save.npc("elena").memories.store("To be forgotten.")
        save.snapshots.restore("after")
    elif notice == "copy":
        run(save_folder.copy_save_steps(path.parent, "slot", "copy", save))
        with opened(path.with_name("copy.sqlite3")) as copy:
            assert texts(copy) == own
    elif notice == "restore":
        save.snapshots.restore("before")
        own = stories(("both", 40))
    elif notice == "forget":
        save.npc("elena").memories.store("One more.")
        own = sorted([*own, "One more."])
    save.close()
    check_both(opened, path, other, own)


@pytest.mark.parametrize("replace", REPLACED)
def test_a_game_that_is_killed_after_it_loses_nothing(
    opened: Open, path: Path, other: Path, replace: Replace
) -> None:
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            save = open_save(path, HashingEmbedder(64))
            store(save, "own", 20)
            replace(other, path)
            store(save, "later", 20)
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    check_both(opened, path, other, stories(("both", 40), ("own", 20), ("later", 20)))


@pytest.mark.parametrize("replace", [rename_over, write_over])
def test_a_game_that_is_killed_before_it_notices_mixes_nothing(
    opened: Open, path: Path, other: Path, replace: Replace
) -> None:
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            store(open_save(path, HashingEmbedder(64)), "own", 20)
            replace(other, path)
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    with opened(path) as save:
        assert texts(save) == stories(("both", 40), ("other", 60))


def test_a_file_that_arrives_slowly_is_whole_in_the_end(opened: Open, path: Path, other: Path) -> None:
    content = other.read_bytes()
    save = opened(path)
    store(save, "own", 10)
    with open(path, "wb", buffering=0) as arriving:
        for start in range(0, len(content), 20_000):
            arriving.write(content[start : start + 20_000])
            save.npc("elena").memories.store(f"Meanwhile {start}.")
    own = texts(save)
    save.close()
    check_both(opened, path, other, own)


@pytest.mark.parametrize("content", [b"", b"not a save" * 5000, b"\x89PNG\r\n\x1a\n" + b"x" * 90_000])
@pytest.mark.parametrize("replace", [rename_over, write_over])
def test_what_is_no_save_is_put_aside_too(
    opened: Open, path: Path, tmp_path: Path, replace: Replace, content: bytes
) -> None:
    other = tmp_path / "other"
    other.write_bytes(content)
    save = opened(path)
    store(save, "own", 10)
    replace(other, path)
    store(save, "later", 10)
    save.close()
    assert conflict(path).read_bytes() == content
    with opened(path) as save:
        assert texts(save) == stories(("both", 40), ("own", 10), ("later", 10))


def test_what_is_read_of_the_other_file_is_an_error_and_not_damage(
    opened: Open, path: Path, tmp_path: Path
) -> None:
    with opened(path) as save:
        store(save, "all", 6000)  # More than SQLite holds in memory.
    other = tmp_path / "other"
    other.write_bytes(os.urandom(path.stat().st_size))
    save = opened(path)
    write_over(other, path)
    with pytest.raises(StoreError, match=r"another program has changed its file.*again"):
        texts(save)
    assert len(texts(save)) == 5000
    save.close()
    assert not path.with_name("slot.sqlite3.suspect").exists()


def test_a_second_file_gets_a_name_of_its_own(opened: Open, path: Path, other: Path) -> None:
    save = opened(path)
    for number in range(3):
        write_over(other, path)
        save.npc("elena").memories.store(f"Meanwhile {number}.")
    save.close()
    assert len([*path.parent.glob("*.of-another-computer-*")]) == 3


def test_a_large_save_that_is_written_over_keeps_the_other_file_and_its_log(
    opened: Open, path: Path, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag_memory.storage.sqlite.open_file._MOST_COPIED_BYTES", 1000)
    save = opened(path)
    store(save, "own", 10)
    write_over(other, path)
    for _ in range(2):
        with pytest.raises(StoreError, match="Another program has changed the file of the save"):
            save.npc("elena").memories.store("Not this one.")
    with pytest.raises(StoreError, match="Another program has changed"):
        save.close()
    assert path.read_bytes() == other.read_bytes()
    assert [*path.parent.glob("*-wal.of-another-save-*")]
    with opened(path) as save:
        assert texts(save) == stories(("both", 40), ("other", 60))
    save = opened(path)
    store(save, "own", 10)
    rename_over(other, path)
    store(save, "later", 10)
    save.close()
    assert conflict(path).read_bytes() == other.read_bytes()


@pytest.mark.parametrize("touch", [os.utime, lambda path: path.chmod(0o600), Path.read_bytes])
def test_a_file_that_is_only_touched_is_the_same(
    opened: Open, path: Path, touch: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    with opened(path) as save:
        for number in range(3):
            touch(path)
            store(save, f"{number}", 400)
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert not [*path.parent.glob("*.of-*")]
