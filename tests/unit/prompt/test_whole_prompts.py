"""Whole prompts stay as they are, to the letter; see tests/golden/__init__.py."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests import golden
from tests.unit.conftest import GameClock
from tests.unit.prompt.games import GAMES

from rag_memory import Save


@pytest.mark.parametrize("name", GAMES)
def test_a_prompt_reads_as_it_did(
    pytestconfig: pytest.Config, opened: Callable[..., Save], clock: GameClock, name: str
) -> None:
    clock.now = 0.0
    prompt = GAMES[name](opened(), lambda now: setattr(clock, "now", now))
    golden.check(pytestconfig, f"writer_{name}", f"{prompt['prompt']}\n")
