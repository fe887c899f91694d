"""Six prompts stay as they are, to the letter; see tests/golden/__init__.py."""

from __future__ import annotations

import pytest
from tests import golden
from tests.engine.game import Home, Project, run

PROMPTS = ("line", "small_budget", "greeting", "reaction", "listeners", "dossier")


def test_prompts_are_the_same_to_the_letter(
    pytestconfig: pytest.Config, project: Project, home: Home
) -> None:
    game = run(project, home, "golden_prompts")
    for name in PROMPTS:
        golden.check(pytestconfig, f"prompt_{name}", game.value(name) + "\n")
