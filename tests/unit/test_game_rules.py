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
    "caught": (
        "while True:\n    try:\n        while True: pass\n    except BaseException:\n        pass\n",
        f"{PATH}, line [1-5]: .*took longer than 0.3 s",
    ),
    "interrupt": ("raise KeyboardInterrupt\n", f"{PATH}, line 1: .*KeyboardInterrupt"),
    "gone": ("import sys\ndel sys.modules[__name__]\n1 / 0\n", f"{PATH}, line 3: .*ZeroDivisionError"),
    "async": ("async def importance(a, b, c):\n    return 1\n", f"{PATH}, line 1: .*without async"),
    "yield": ("def importance(a, b, c):\n    yield 1\n", f"{PATH}, line 1: .*without yield"),
    "class": ("class importance:\n    pass\n", f"{PATH}: importance is no function"),
    "cached": (
        "import functools\n@functools.cache\ndef importance(a, b, c):\n    return 1\n",
        f"{PATH}: importance is no function",
    ),
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
    "finally": (
        "try: 1 / 0\n    finally:\n        while True: pass",
        "line 4: importance.* took longer than 0.3 s",
    ),
    "nan": ("return float('nan')", "line 1: importance\\(\\) returned nan, and it has to be a whole number"),
    "huge": ("return 10 ** 5000", "line 1: importance\\(\\) "),
    "hostile": (
        "return type('Odd', (int,), {'__le__': None, '__ge__': None, '__repr__': None})(5)",
        "line 1: importance\\(\\) failed: TypeError",
    ),
    "mute": (
        "raise type('Mute', (Exception,), {'__str__': lambda self: 1 / 0})",
        "line 2: importance\\(\\) failed: Mute",
    ),
}


@pytest.mark.parametrize("name", BAD_ANSWERS)
def test_a_bad_answer_is_told_once_and_the_own_rule_holds(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    body, told = BAD_ANSWERS[name]
    with caplog.at_level(logging.ERROR):
        rules = loaded(f"def importance(a, b, c):\n    {body}\n")
        assert [rules.ask("importance", "gift", {}, {}) for _ in range(3)] == [None] * 3
    # On a busy machine the next answer may be late, too.
    (message,) = (text for text in caplog.messages if "took longer" in told or "took longer" not in text)
    assert re.match(f"{PATH}, {told}", message), message


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


def test_what_a_rule_changes_of_the_memories_is_a_copy(caplog: pytest.LogCaptureFixture) -> None:
    memories = [{"metadata": {"tags": ["fire"]}}]
    source = "def relevance(query, memories):\n    memories[0]['metadata']['tags'].clear()\n    return [1]\n"
    assert loaded(source).ask("relevance", "Who?", memories) == [1.0]
    assert memories == [{"metadata": {"tags": ["fire"]}}]
    emptied = "def relevance(query, memories):\n    memories.clear()\n    return []\n"
    with caplog.at_level(logging.ERROR):
        assert loaded(emptied).ask("relevance", "Who?", memories) is None
    assert "a list of 1 numbers" in caplog.text


@pytest.mark.parametrize(
    "result", ["[float('nan')]", "[10 ** 400]", "'1'", "[None]", "{0: 1}", "(1 for _ in '1')"]
)
def test_odd_relevances_are_told_and_not_used(result: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        rules = loaded(f"def relevance(query, memories):\n    return {result}\n")
        assert rules.ask("relevance", "Who?", [{}]) is None
    assert re.match(f"{PATH}, line 1: relevance", caplog.messages[0]), caplog.messages


@pytest.mark.parametrize(
    "result", ["'It rains.'", "[5]", "[{'evidence': []}]", "{'text': 'It rains.'}", "[None]"]
)
def test_what_are_no_texts_is_an_error_of_the_file(result: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        rules = loaded(f"def extractor(request):\n    return {result}\n")
        assert rules.ask("extractor", {}) is None
    assert re.match(f"{PATH}, line 1: extractor.* list of texts", caplog.messages[0]), caplog.messages


def test_an_enum_is_its_number() -> None:
    source = "from enum import IntEnum\nclass _Tier(IntEnum):\n    PINNED = 0\n"
    answer = loaded(source + "def tier(a, b, c):\n    return _Tier.PINNED\n").ask("tier", "", 1, "")
    assert (answer, type(answer)) == (0, int)


def test_a_slow_rule_is_told_once_and_used(caplog: pytest.LogCaptureFixture) -> None:
    rules = GameRules(slow_seconds=-1.0)  # Clocks of Windows may stand still for 15 ms.
    rules.load([{"path": PATH, "bytes": b"def sentiment(content, action):\n    return 5\n"}])
    with caplog.at_level(logging.WARNING):
        assert [rules.ask("sentiment", "", "") for _ in range(3)] == [5, 5, 5]
    assert len(caplog.messages) == 1
    assert re.match(f"{PATH}, line 1: sentiment\\(\\) took", caplog.messages[0])


def test_a_function_that_was_ended_is_not_asked_again_and_the_next_file_answers() -> None:
    rules = loaded(
        "def sentiment(content, action):\n    while True: pass\n",
        "def sentiment(content, action):\n    return 5\n",
    )
    assert rules.ask("sentiment", "", "") == 5
    rules = loaded("def sentiment(content, action):\n    while True: pass\n")
    assert rules.ask("sentiment", "", "") is None
    assert not rules.has("sentiment")


def test_files_may_be_named_like_modules_and_written_in_any_way_python_reads() -> None:
    rule = "def {}:\r\n    return {}\r\n"
    files = {
        "res://rules/json.py": b"\xef\xbb\xbf" + rule.format("importance(a, b, c)", 2).encode(),
        "res://rules/rag_memory.py": rule.format("tier(a, b, c)", 1).encode(),
        "res://r\u00e8gles/d\u00e9bats.py": "# coding: latin-1\nN\u00e9 = 7\n".encode("latin-1"),
        "res://last.py": b"import game_rules.d\xc3\xa9bats\nimport json\n"
        b"def sentiment(a, b):\n    return json.loads(str(game_rules.d\xc3\xa9bats.N\xc3\xa9))\n",
    }
    rules = GameRules()
    rules.load([{"path": path, "bytes": data} for path, data in files.items()])
    assert rules.ask("importance", "", {}, {}) == 2
    assert rules.ask("tier", "", 1, "") == 1
    assert rules.ask("sentiment", "", "") == 7


def test_two_files_of_one_name_are_told(caplog: pytest.LogCaptureFixture) -> None:
    rules = GameRules()
    one, other = "res://a/village.py", "res://b/village.py"
    source = "def sentiment(content, action):\n    return {}\n"
    with caplog.at_level(logging.ERROR):
        rules.load(
            {"path": path, "bytes": source.format(number).encode()}
            for number, path in enumerate((one, other))
        )
    assert caplog.messages == [
        f"{other}: another file of rules has this name, too: {one}. Rename one of them."
    ]
    assert rules.ask("sentiment", "", "") == 0


def test_files_that_are_loaded_again_take_the_place_of_those_before() -> None:
    rules = GameRules()
    for number in (1, 2):
        source = f"def sentiment(content, action):\n    return {number}\n"
        rules.load([{"path": PATH, "bytes": source.encode()}])
    assert rules.ask("sentiment", "", "") == 2
    rules.load([])
    assert not rules.has("sentiment")
