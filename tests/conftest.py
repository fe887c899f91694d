"""Options of all tests, and what is left out of a run without --all."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Times = Callable[[int, int], int]


@pytest.fixture(scope="session")
def times(pytestconfig: pytest.Config) -> Times:
    """The number of repetitions of what a test repeats: `times(few, many)` is `many` with --all."""
    return lambda few, many: many if pytestconfig.getoption("--all") else few


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all", action="store_true", help="also run the tests marked with `repeated`, and repeat more often"
    )
    parser.addoption(
        "--rewrite-golden", action="store_true", help="write the texts of tests/golden instead of comparing"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what repeats other tests, unless all are wanted or tests are chosen by their ids."""
    if config.getoption("--all") or any("::" in argument for argument in config.args):
        return
    left_out = [item for item in items if item.get_closest_marker("repeated")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if not item.get_closest_marker("repeated")]
