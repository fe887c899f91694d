"""What the tests of exported and packed games share."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.game import Home
from tests.export.exported import Exported, make_exported_game


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An empty home folder."""
    return Home(tmp_path / "home")


@pytest.fixture(scope="session")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    """The demo with the tests' own scene in it, exported once with the release template."""
    return make_exported_game(tmp_path_factory.mktemp("export"))
