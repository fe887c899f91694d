"""Fixtures of the core's tests: a game clock, an embedder without a model, and saves that are closed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from rag_memory import Npc, Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder

NOW = 1_702_500_000.0

# For runs in an emulator: how fast a test is says nothing there.
settings.register_profile("slow_machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])


class GameClock:
    """Game time that a test sets."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> GameClock:
    return GameClock()


@pytest.fixture
def save_path(tmp_path: Path) -> Path:
    return tmp_path / "village.sqlite3"


@pytest.fixture
def opened(clock: GameClock) -> Iterator[Callable[..., Save]]:
    saves: list[Save] = []

    def open_it(path: Any = ":memory:", dimension: int = 64, **options: Any) -> Save:
        saves.append(open_save(path, embedder=HashingEmbedder(dimension), clock=clock, **options))
        return saves[-1]

    yield open_it
    for save in saves:
        save.close()


@pytest.fixture
def npc(opened: Callable[..., Save]) -> Npc:
    return opened().npc("elena")
