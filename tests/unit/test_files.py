"""Differences between systems in handling files."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path, PureWindowsPath

import pytest

from rag_memory import Save, files

DEEP = "\\".join(["deep"] * 60)


@pytest.mark.parametrize(
    ("path", "long"),
    [
        (r"C:\Games\Saves", r"C:\Games\Saves"),
        (rf"C:\{DEEP}", rf"\\?\C:\{DEEP}"),
        (rf"\\server\share\{DEEP}", rf"\\?\UNC\server\share\{DEEP}"),
        (rf"\\?\C:\{DEEP}", rf"\\?\C:\{DEEP}"),
    ],
)
def test_a_long_path_gets_the_sign_that_windows_wants(path: str, long: str) -> None:
    assert files.long_windows_path(PureWindowsPath(path)) == long
    assert PureWindowsPath(long).name == PureWindowsPath(path).name


def test_sqlite_takes_no_part_of_a_path_for_a_server_or_an_option() -> None:
    share = PureWindowsPath(r"\\server\share\a b.sqlite3")
    assert files.sqlite_uri(share) == "file:%5C%5Cserver%5Cshare%5Ca%20b.sqlite3"


@pytest.mark.parametrize("name", ["Grüße & %41#x", "名前", "a;b=c"])
def test_a_snapshot_is_read_whatever_its_folder_is_called(
    opened: Callable[..., Save], tmp_path: Path, name: str
) -> None:
    path = tmp_path / name / "village.sqlite3"
    save = opened(path)
    save.npc("elena").memories.store("The bridge is out.")
    save.snapshots.take("evening")
    save.npc("elena").memories.store("Rain fell.")
    save.snapshots.restore("evening")
    assert save.npc("elena").memories.get_memory_count() == 1
    save.close()
    with closing(sqlite3.connect(f"{files.sqlite_uri(path)}?mode=ro", uri=True)) as connection:
        assert connection.execute("SELECT count(*) FROM memories").fetchone() == (1,)


def test_what_is_brought_to_the_disk_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"graph")
    files.sync_file(tmp_path / "a")
    files.sync_folder(tmp_path)
    assert (tmp_path / "a").read_bytes() == b"graph"
