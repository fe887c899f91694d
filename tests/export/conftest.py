"""Fixtures of the tests of exported and packed games."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.game import Home
from tests.export.exported import KEY, KEY_VARIABLE, Exported, make_exported_game


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An empty home folder."""
    return Home(tmp_path / "home")


@pytest.fixture(scope="session")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    """The demo with the tests' own scene in it, exported once with the release template. A key is set
    meanwhile, as one for a language model.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(KEY_VARIABLE, KEY)
        return make_exported_game(tmp_path_factory.mktemp("export"))
