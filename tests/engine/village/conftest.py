"""Fixtures of the village's tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.engine.game import Project
from tests.engine.village.village_project import make_village


@pytest.fixture
def village(tmp_path: Path) -> Callable[..., Project]:
    """Makes the game, with or without the embedding model and the language pack."""
    return lambda **options: make_village(tmp_path / "village", **options)
