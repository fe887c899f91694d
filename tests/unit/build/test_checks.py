"""Which tests `build.py test` runs, and in which order."""

from __future__ import annotations

from pathlib import Path

from rag_memory_build.checks import test_folders as folders_of

TESTS = Path(__file__).resolve().parents[2]


def test_every_file_of_tests_is_in_one_folder_and_the_engine_comes_first() -> None:
    folders = folders_of(TESTS)
    files = [file for found in folders.values() for file in found]
    assert sorted(files) == sorted(file for file in TESTS.rglob("test_*") if file.suffix in (".gd", ".py"))
    assert len(set(files)) == len(files) and Path(__file__).resolve() in files
    are_unit = [name.startswith("tests/unit") for name in folders]
    assert are_unit == sorted(are_unit) and not are_unit[0] and are_unit[-1]
