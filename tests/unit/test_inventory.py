"""No test disappears unnoticed; see tests/inventory/__init__.py."""

from __future__ import annotations

from collections import Counter

from tests import inventory

REMEDY = "run `python3 build.py python -m tests.inventory`"


def test_every_listed_test_function_exists() -> None:
    lost = inventory.gone(inventory.listed_functions(), inventory.functions())
    assert lost == [], f"test functions are gone; if they should be, {REMEDY} --gone"


def test_every_test_function_is_listed() -> None:
    listed, functions = inventory.listed_functions(), inventory.functions()
    assert sorted((functions - listed).elements()) == [], f"these are new or have moved: {REMEDY}"
    assert sorted((listed - functions).elements()) == [], f"these have moved: {REMEDY}"


def test_no_folder_has_lost_items() -> None:
    items = inventory.items()
    smaller = {
        folder: f"{count} -> {items.get(folder, 0)}"
        for folder, count in inventory.listed_items().items()
        if items.get(folder, 0) < count
    }
    assert smaller == {}, f"parameters or forms are gone; if they should be, {REMEDY}"


def test_a_function_that_moved_is_not_gone() -> None:
    before = Counter(["tests/unit/a test_x", "tests/unit/a test_y", "tests/unit/b test_x"])
    after = Counter(["tests/unit/c test_x", "tests/unit/b test_x", "tests/unit/b test_z"])
    assert inventory.gone(before, after) == ["tests/unit/a test_y"]
    assert inventory.gone(before, Counter(["tests/unit/b test_x"])) == [
        "tests/unit/a test_x",
        "tests/unit/a test_y",
    ]
