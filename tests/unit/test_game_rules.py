"""Rules that a game brings in Python files: what they may say, and what is told of bad ones."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator

import pytest

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.game_rules import GAME_RULES, GameRules
from rag_memory.memory.importance import calculate_importance

PATH = "res://rules/tavern.py"


@pytest.fixture(autouse=True)
def _without_rules() -> Iterator[None]:
    yield
    GAME_RULES.load([])


def loaded(source: str, *more: str) -> GameRules:
    rules = GameRules(loading_seconds=0.3, answer_seconds=0.3)
    sources = {PATH: source} | {f"res://rules/more_{number}.py": each for number, each in enumerate(more)}
    rules.load([{"path": path, "bytes": text.encode()} for path, text in sources.items()])
    return rules


BAD_FILES = {
    "syntax": (
        "x = 1\ndef importance(:\n",
        f"{PATH}, line 2: the file of rules cannot be loaded: SyntaxError",
    ),
    "import": ("import no_such_module\n", f"{PATH}, line 1: .*ModuleNotFoundError: No module named"),
    "endless": ("x = 1\nwhile True:\n    x = 2\n", f"{PATH}, line [23]: .*took longer than 0.3 s"),
    "exit": ("raise SystemExit(1)\n", f"{PATH}, line 1: .*SystemExit: 1"),
    "nulls": ("x = 1\0\n", f"{PATH}.*: the file of rules cannot be loaded: "),
    "typo": ("def importence(a, b, c):\n    return 1\n", f'{PATH}, line 1: .*Did you mean "importance"'),
    "arguments": ("def tier(event_type):\n    return 1\n", f"{PATH}, line 1: tier\\(\\) has to take"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_one_error_and_the_next_file_holds(name: str, caplog: pytest.LogCaptureFixture) -> None:
    source, told = BAD_FILES[name]
    with caplog.at_level(logging.ERROR):
        rules = loaded(source, "def sentiment(content, action):\n    return 5\n")
    assert len(caplog.messages) == 1
    assert re.match(told, caplog.messages[0]), caplog.messages[0]
    assert rules.ask("importance", "gift", {}, {}) is None
    assert rules.ask("sentiment", "", "") == 5


BAD_ANSWERS = {
    "raises": ("1 / 0", "line 2: importance\\(\\) failed: ZeroDivisionError: division by zero"),
    "exits": ("raise SystemExit", "line 2: importance\\(\\) failed: SystemExit"),
    "recursion": ("return importance(a, b, c)", "line [12]: .*RecursionError"),
    "eleven": ("return 11", "line 1: importance\\(\\) returned 11, and it has to be a whole number"),
    "text": ("return '5'", "line 1: importance"),
    "bool": ("return True", "line 1: importance"),
    "endless": ("while True: pass", "line 2: importance.* took longer than 0.3 s"),
}


@pytest.mark.parametrize("name", BAD_ANSWERS)
def test_a_bad_answer_is_told_once_and_the_own_rule_holds(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    body, told = BAD_ANSWERS[name]
    with caplog.at_level(logging.ERROR):
        rules = loaded(f"def importance(a, b, c):\n    {body}\n")
        assert [rules.ask("importance", "gift", {}, {}) for _ in range(3)] == [None] * 3
    assert len(caplog.messages) == 1
    assert re.match(f"{PATH}, {told}", caplog.messages[0]), caplog.messages[0]


def test_the_first_file_that_says_something_decides_and_may_be_imported() -> None:
    first = "HEROES = ['mira']\ndef sentiment(content, action):\n    return None\n"
    second = "from game_rules.tavern import HEROES\ndef sentiment(content, action):\n    return len(HEROES)\n"
    assert loaded(first, second).ask("sentiment", "", "") == 1


def test_what_a_rule_changes_is_a_copy() -> None:
    rules = loaded("def extractor(request):\n    request.clear()\n    return ['It rains.']\n")
    request = {"npc_id": "mira"}
    assert rules.ask("extractor", request) == ["It rains."]
    assert request == {"npc_id": "mira"}


def test_importance_and_tier_of_the_core_ask_the_rules() -> None:
    source = "def importance(a, b, c):\n    return 2\ndef tier(a, b, c):\n    return 1\n"
    config = MemoryConfig()
    before = calculate_importance(config, "betrayal", {}, {}), config.get_tier_for_event("meeting", 1)
    GAME_RULES.load([{"path": PATH, "bytes": source.encode()}])
    assert (calculate_importance(config, "betrayal", {}, {}), config.get_tier_for_event("chat", 1)) == (2, 1)
    GAME_RULES.load([])
    assert (
        calculate_importance(config, "betrayal", {}, {}),
        config.get_tier_for_event("meeting", 1),
    ) == before


def test_relevance_has_one_number_for_each_memory(caplog: pytest.LogCaptureFixture) -> None:
    rules = loaded("def relevance(query, memories):\n    return [0.5]\n")
    assert rules.ask("relevance", "Who?", [{}]) == [0.5]
    with caplog.at_level(logging.ERROR):
        assert rules.ask("relevance", "Who?", [{}, {}]) is None
    assert "a list of 2 numbers from -1 to 1" in caplog.text
