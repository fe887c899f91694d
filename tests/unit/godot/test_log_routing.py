"""Python's output and logs reach the engine's output."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator

import pytest

from rag_memory import MemoryConfig
from rag_memory.godot.output import WARNING, route


@pytest.fixture
def restored() -> Iterator[None]:
    root = logging.getLogger()
    development = logging.getLogger("rag_memory.development")
    before = (sys.stdout, sys.stderr, root.handlers[:], root.level, development.disabled)
    yield
    sys.stdout, sys.stderr, root.handlers[:], level, development.disabled = before
    root.setLevel(level)
    logging.captureWarnings(False)


@pytest.mark.usefixtures("restored")
@pytest.mark.parametrize("is_debug_build", [True, False])
def test_only_a_debug_build_names_what_an_interaction_type_resembles(is_debug_build: bool) -> None:
    lines: list[tuple[int, str]] = []
    route(lambda level, line: lines.append((level, line)), is_debug_build)
    assert MemoryConfig().validate_interaction_type("gifts_given") == "casual_conversation"
    assert [level for level, _ in lines] == [WARNING] * (1 + is_debug_build)
    assert "'gifts_given'" in lines[0][1]
    assert ("resembles gift_given" in lines[-1][1]) == is_debug_build
