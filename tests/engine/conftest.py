"""Fixtures of the engine's tests: GDScript files as tests, and projects to run scripts in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.engine.game import Home, Project
from tests.engine.gdscript_tests import GDScriptFile


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> GDScriptFile | None:
    if file_path.match("test_*.gd"):
        return GDScriptFile.from_parent(parent, path=file_path)
    return None


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """An empty home folder."""
    made = Home(tmp_path / "home")
    yield made
    made.close()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A game with the addon, the core's sources and the model."""
    return Project(tmp_path / "project")


@pytest.fixture
def quick_project(tmp_path: Path) -> Project:
    """A game without a model: the hashing embedder answers, and the engine starts sooner."""
    return Project(tmp_path / "project", model=False)
