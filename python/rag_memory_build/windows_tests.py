"""Runs the core's tests on Windows: tests/unit/, and tests/windows/core_*.py, which are for Windows only."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import windows_python, windows_recall
from .console import Progress, say
from .paths import ROOT

UNIT = ROOT / "tests" / "unit"
_LANES = 2
_OPTIONS = ("-m", "pytest", "-p", "no:cacheprovider")
_UNHURRIED = "--hypothesis-profile=slow_machine"
"""Defined in tests/unit/conftest.py."""

_FAILURE = "storage/test_sqlite_failure.py"
_GONE = "storage/test_gone_file.py"
_REPLACED = "storage/test_replaced_file.py"
_CRAFTED = "saves/test_crafted_saves.py::test_what_is_no_file_or_leads_elsewhere_is_refused"
_WAYS = ("rename_over", "delete_and_write", "copy_with_a_tool")
_CALLS = ("snapshot", "restore", "mark", "forget", "copy", "close")
EXCLUDED = {
    "are about build, benchmarks, sources and documents": (
        *("build", "bench", "test_architecture.py", "test_documents.py", "test_testing_strategy.py"),
        "test_inventory.py",
    ),
    "need this project's Valkey, which runs on Linux": ("server/bus",),
    "need a PostgreSQL, which is fetched for Linux only": ("server/postgres",),
    "kill a forked process; test_save.py and test_conflicts.py kill processes there, too": (
        *("world/test_killed_people.py", "world/test_killed_world.py", "world/test_killed_import.py"),
        "npc/test_killed_mind.py",
        "npc/test_exchanges.py::test_a_killed_process_has_whole_exchanges",
        "storage/test_copied_saves.py::test_a_killed_process_leaves_a_whole_copy_or_none",
        "storage/test_copied_saves.py::test_a_process_killed_at_any_step_leaves_the_old_save_or_the_new_one",
        "storage/test_foreign_logs.py::test_a_killed_process_leaves_a_log_that_is_applied",
        "saves/test_beginnings.py::test_a_killed_process_leaves_the_former_state_or_the_snapshot",
        f"{_REPLACED}::test_a_game_that_is_killed_after_it_loses_nothing",
        f"{_REPLACED}::test_a_game_that_is_killed_before_it_notices_mixes_nothing",
    ),
    "limit the size of files, which Windows cannot": (
        "storage/test_copied_saves.py::test_a_full_disk_leaves_no_part_of_a_copy",
        f"{_FAILURE}::test_a_disk_that_refuses_is_not_called_full",
        f"{_FAILURE}::test_a_snapshot_of_a_save_that_cannot_be_written_says_why",
        f"{_FAILURE}::test_a_restore_without_room_for_its_temporary_file_says_where",
    ),
    "remove an open file, which Windows refuses: see tests/windows/core_files.py": (
        f"{_GONE}::test_the_next_memory_is_refused_and_the_others_are_rescued",
        f"{_GONE}::test_closing_tells_it_as_well",
        f"{_GONE}::test_no_snapshot_is_taken_of_it",
        "godot/test_save_folder.py::test_a_lock_that_is_given_back_takes_no_other_lock_file_away",
        *(
            f"{_REPLACED}::test_the_game_goes_on_and_both_are_kept[{count}-{way}]"
            for count in (0, 1, 800)
            for way in _WAYS
        ),
        *(
            f"{_REPLACED}::test_every_call_that_writes_notices_it[{call}-{way}]"
            for call in _CALLS
            for way in _WAYS
        ),
        f"{_REPLACED}::test_a_file_that_arrives_slowly_is_whole_in_the_end",
        f"{_REPLACED}::test_what_is_no_save_is_put_aside_too",
        f"{_REPLACED}::test_a_large_save_that_is_written_over_keeps_the_other_file_and_its_log",
    ),
    "read or damage a save and its log while they are open, which Windows locks": (
        "storage/test_foreign_logs.py::test_a_save_has_a_record_before_it_is_migrated",
        "storage/test_damage.py::test_a_word_of_the_schema_that_is_no_text_ends_nothing",
    ),
    "make a file with a name that Windows refuses": (
        "godot/test_save_folder.py::test_only_files_whose_names_are_ids_are_saves",
        "godot/test_memory_server.py::test_a_save_with_the_name_of_a_device_can_be_used_where_there_is_one",
    ),
    "fetch the language pack's package": ("embedding/test_unigram_pieces.py",),
    "make a pipe, a device or a sparse file": (
        *(f"{_CRAFTED}[{name}]" for name in ("fifo", "fifo_beside", "device", "sparse", "sparse_tail")),
        "saves/test_crafted_saves.py::test_what_somebody_changed_in_a_save_fails_at_most_once[fifo_snapshot]",
    ),
    "make a link to a file, for which Windows requires an administrator": (
        *(f"{_CRAFTED}[{name}]" for name in ("links", "linked_folders")),
        "storage/test_save_lock.py::test_a_lock_file_that_leads_elsewhere_is_not_written_through",
    ),
}
"""Folders, files and tests of tests/unit/ that don't run on Windows, by the reason."""

_NAMES = {name for names in EXCLUDED.values() for name in names}


def unit_tests(arguments: Sequence[str] = ()) -> int:
    """Run the core's tests under Wine, or those chosen by pytest arguments; return the exit code."""
    for reason, names in EXCLUDED.items():
        say(f"Not on Windows: tests that {reason} ({', '.join(names)})")
    with windows_python.started(Progress("Python for Windows")) as run:
        if arguments:
            return run(*_OPTIONS, *_without_excluded(), *arguments, is_shown=True)[0]
        folders = {str(folder.relative_to(ROOT)): _files(folder) for folder in _folders()}
        with ThreadPoolExecutor(_LANES) as lanes:
            passed = [*lanes.map(lambda name: _passes(name, folders[name], run), folders)]
        is_same_recall = windows_recall.is_same(run, conversations=1)
    failed = [] if is_same_recall else ["recall"]
    failed += [name for name, has_passed in zip(folders, passed, strict=True) if not has_passed]
    say(f"Failed on Windows: {', '.join(failed)}" if failed else "The core's tests passed on Windows.")
    return 1 if failed else 0


def _folders() -> list[Path]:
    """The folders with tests, in the order to run them: large ones first."""
    folders = {file.parent for file in UNIT.rglob("test_*.py")} - {UNIT / name for name in _NAMES}
    by_size = sorted(folders, key=lambda folder: -sum(file.stat().st_size for file in _files(folder)))
    return [*by_size, ROOT / "tests" / "windows"]


def _files(folder: Path) -> list[Path]:
    if folder.name == "windows":
        return sorted(folder.glob("core_*.py"))
    names = {file: str(file.relative_to(UNIT)) for file in sorted(folder.glob("test_*.py"))}
    return [file for file, name in names.items() if name not in _NAMES]


def _without_excluded() -> list[str]:
    return [f"--deselect=tests/unit/{name}" for name in sorted(_NAMES)]


def _passes(name: str, files: Sequence[Path], run: Callable[..., tuple[int, str]]) -> bool:
    begun = time.monotonic()
    words = [str(file.relative_to(ROOT)) for file in files]
    hurry = [] if name == "tests/windows" else [_UNHURRIED]
    code, output = run(*_OPTIONS, *hurry, *_without_excluded(), *words)
    last = output.rstrip().rpartition("\n")[2]
    if code == 0 and re.search(r"\d+ passed", last):
        say(f"{name} on Windows: {last}")
        return True
    say(f"{name} on Windows: FAILED in {time.monotonic() - begun:.1f} s, exit code {code}\n{output.rstrip()}")
    return False
