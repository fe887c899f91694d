"""The way GDScript tests become pytest tests: what passes must pass, what fails must fail, and say why."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.engine.game import ROOT
from tests.engine.gdscript_tests import PASSES_OBJECTS

pytestmark = pytest.mark.slow

FILE = ROOT / "tests" / "engine" / "calls" / "test_of_the_runner.gd"

SOURCE = """# Runs typed and untyped.
# Passes objects, null or threads: its twins always run.
extends "res://tests/engine/case.gd"


func test_that_passes() -> void:
	check_equal(1 + 1, 2)
	await frames(1)
	expect_error("announced")
	push_error("an announced error")


func test_that_fails() -> void:
	check_equal(1, 1.0, "types count")


func test_with_an_error_nobody_announced() -> void:
	check(true, "")
	push_error("a surprise")


func test_with_a_script_error() -> void:
	check(true, "")
	await frames(1)
	var nothing: Variant = null
	nothing.explode()


func test_whose_announced_error_does_not_come() -> void:
	check(true, "")
	expect_error("never printed")


func test_that_checks_nothing() -> void:
	await frames(1)


func test_that_is_typed() -> void:
	var number: Variant = 1
	var text: String = number
	check_equal(text, "1")


func test_that_crashes() -> void:
	OS.crash("on purpose")


func test_after_the_crash() -> void:
	check(true, "")
"""


def run_pytest(folder: Path, *arguments: str) -> str:
    words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", "--no-header", *arguments]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    return done.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tests' folder with a file of its own, as a project's root."""
    folder = tmp_path_factory.mktemp("runner")
    engine_tests = folder / "tests" / "engine"
    shutil.copytree(
        ROOT / "tests" / "engine", engine_tests, ignore=shutil.ignore_patterns("__pycache__", "test_*")
    )
    (engine_tests / "calls" / FILE.name).write_text(SOURCE, encoding="utf-8")
    for name in ("tests/conftest.py", "addons", "python", "pyproject.toml"):
        (folder / name).symlink_to(ROOT / name)
    return folder


def test_every_result_is_reported(copy: Path) -> None:
    output = run_pytest(copy, "tests/engine")
    for form in ("", "[untyped]"):
        results = {
            "test_that_passes": "PASSED",
            "test_that_fails": "FAILED",
            "test_with_an_error_nobody_announced": "FAILED",
            "test_with_a_script_error": "FAILED",
            "test_whose_announced_error_does_not_come": "FAILED",
            "test_that_checks_nothing": "FAILED",
            "test_that_crashes": "FAILED",
            "test_after_the_crash": "FAILED",
            "exits_cleanly": "FAILED",
        }
        for name, result in results.items():
            line = f"{result} tests/engine/calls/{FILE.name}::{name}{form}"
            found = [text.split(" - ")[0].strip() for text in output.split("\n")]
            assert line in found, f"{line}\n{output}"
    for name in ("test_that_fails", "test_with_an_error_nobody_announced", "test_that_crashes"):
        assert f"FAILED tests/engine/calls/{FILE.name}::{name}[release]" in output, output
    assert f"PASSED tests/engine/calls/{FILE.name}::test_that_passes[release]" in output, output
    for message in (
        "test_of_the_runner.gd:14: types count",
        "ERROR: a surprise",
        "Nonexistent function 'explode'",
        "announced errors that did not come: ['never printed']",
        "the test checked nothing",
        "Trying to assign value of type 'int' to a variable of type 'String'",
        "during this test",
        "not run: the engine died in test_that_crashes",
    ):
        assert message in output, f"{message}\n{output}"


def test_one_test_runs_alone(copy: Path) -> None:
    chosen = f"tests/engine/calls/{FILE.name}::test_after_the_crash"
    assert "1 passed" in run_pytest(copy, f"{chosen}[untyped]")
    assert "2 passed" in run_pytest(copy, "tests/engine", "-k", "passes and not untyped")


def test_tests_are_listed_without_an_engine(copy: Path) -> None:
    output = run_pytest(copy, "tests/engine", "--collect-only")
    assert output.count(f"{FILE.name}::") == 30, output


def test_twins_of_other_files_are_collected_with_all(copy: Path) -> None:
    file = copy / "tests" / "engine" / "calls" / "test_without_objects.gd"
    file.write_text(SOURCE.replace(f"{PASSES_OBJECTS}\n", ""), encoding="utf-8")
    path = f"tests/engine/calls/{file.name}"
    assert run_pytest(copy, path, "--collect-only").count(f"{file.name}::") == 10
    assert run_pytest(copy, path, "--collect-only", "--all").count(f"{file.name}::") == 30
    chosen = f"{path}::test_that_passes[release]"
    assert run_pytest(copy, chosen, "--collect-only").count(f"{file.name}::") == 1


def test_files_that_start_threads_run_their_twins() -> None:
    """Not all that pass objects can be recognized; those with threads can."""
    for file in (ROOT / "tests" / "engine").rglob("test_*.gd"):
        text = file.read_text(encoding="utf-8")
        if re.search(r"\bThread\.new\(|\bWorkerThreadPool\.", text) or file.parent.name == "calls":
            assert PASSES_OBJECTS in text.partition("\n\n")[0], file
