"""Rules that a game brings itself, in Python files of its own: docs/rules_in_python.md tells games how."""

from __future__ import annotations

import copy
import logging
import math
import sys
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from types import CodeType, FrameType, FunctionType, ModuleType, TracebackType
from typing import Any, NamedTuple

from rag_memory.validation import shown

PACKAGE = "game_rules"
"""What the modules of the files are below; one may import another one that stands before it in the list."""
_LOADING_SECONDS = 10.0
_ANSWER_SECONDS = 5.0
_STRONGEST_SENTIMENT = 100.0

_LOG = logging.getLogger("rag_memory")


class _TookTooLongError(BaseException):
    """Raised in a rule; no Exception, so that a rule which catches those ends, too."""


class _Hook(NamedTuple):
    """A function that a file may define: its arguments, and what reads its result or raises ValueError."""

    arguments: tuple[str, ...]
    read: Callable[[Any, tuple[Any, ...]], Any]


class _Rule(NamedTuple):
    function: FunctionType
    path: str


def _whole_number(least: int, most: int, result: Any) -> int:
    if isinstance(result, bool) or not isinstance(result, int) or not least <= result <= most:
        raise ValueError(f"a whole number from {least} to {most}")
    return result


def _number(result: Any, bound: float, wanted: str) -> float:
    if isinstance(result, bool) or not isinstance(result, int | float) or not math.isfinite(result):
        raise ValueError(wanted)
    return max(-bound, min(bound, float(result)))


def _relevances(result: Any, memories: list[Any]) -> list[float]:
    wanted = f"a list of {len(memories)} numbers from -1 to 1, one for each memory"
    if not isinstance(result, list | tuple) or len(result) != len(memories):
        raise ValueError(wanted)
    return [_number(each, 1.0, wanted) for each in result]


def _list(result: Any, _arguments: tuple[Any, ...]) -> list[Any]:
    if not isinstance(result, list | tuple):
        raise ValueError("a list")
    return list(result)


HOOKS = {
    "importance": _Hook(
        ("event_type", "analysis", "state_deltas"), lambda result, _asked: _whole_number(1, 10, result)
    ),
    "tier": _Hook(
        ("event_type", "importance", "interaction_type"), lambda result, _asked: _whole_number(0, 2, result)
    ),
    "sentiment": _Hook(
        ("content", "action"), lambda result, _asked: _number(result, _STRONGEST_SENTIMENT, "a number")
    ),
    "relevance": _Hook(("query", "memories"), lambda result, asked: _relevances(result, asked[1])),
    "reflector": _Hook(("request",), _list),
    "extractor": _Hook(("request",), _list),
}
"""The functions that a file may define."""


class GameRules:
    """The rules of this game; without any, every answer is None at once."""

    def __init__(
        self, loading_seconds: float = _LOADING_SECONDS, answer_seconds: float = _ANSWER_SECONDS
    ) -> None:
        self._loading_seconds = loading_seconds
        self._answer_seconds = answer_seconds
        self._rules: dict[str, list[_Rule]] = {}
        self._told: set[tuple[str, int]] = set()

    def load(self, files: Iterable[Mapping[str, Any]]) -> None:
        """Take in files in place of those before: `path`, as errors call it, and `bytes`, or `error`, why it
        cannot be read. Whatever is wrong with one is logged, and the others hold.
        """
        self._rules.clear()
        self._told.clear()
        for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
            del sys.modules[name]
        for file in files:
            self._load(file)

    def has(self, hook: str) -> bool:
        """Whether there is a rule for it."""
        return hook in self._rules

    def ask(self, hook: str, *arguments: Any) -> Any:
        """What the first rule says that says something; None when the addon's own rule holds."""
        for rule in self._rules.get(hook, ()):
            # What is a rule's to change are copies.
            given = tuple(copy.deepcopy(each) if isinstance(each, dict) else each for each in arguments)
            answer = self._answer(hook, rule, given)
            if answer is not None:
                return answer
        return None

    def _answer(self, hook: str, rule: _Rule, arguments: tuple[Any, ...]) -> Any:
        code = rule.function.__code__
        try:
            with _no_longer_than(self._answer_seconds):
                result = rule.function(*arguments)
        except _TookTooLongError as error:
            self._rules[hook] = [each for each in self._rules[hook] if each is not rule]
            why = f"{hook}() took longer than {self._answer_seconds:g} s. It is not asked again."
            self._tell(rule.path, _line_of(rule.path, error.__traceback__) or code.co_firstlineno, why)
            return None
        except BaseException as error:  # whatever a rule does, the NPC remembers
            line = _line_of(rule.path, error.__traceback__) or code.co_firstlineno
            self._tell(rule.path, line, f"{hook}() failed: {_in_words(error)}. The addon's own rule is used.")
            return None
        if result is None:
            return None
        try:
            return HOOKS[hook].read(result, arguments)
        except ValueError as wanted:
            why = f"{hook}() returned {shown(result)}, and it has to be {wanted}, or None."
            self._tell(rule.path, code.co_firstlineno, f"{why} The addon's own rule is used.")
            return None

    def _load(self, file: Mapping[str, Any]) -> None:
        path = file["path"]
        if "error" in file:
            self._tell(
                path,
                0,
                f"the file of rules cannot be read: {file['error']}. Correct the project setting "
                "rag_memory/python/rules.",
            )
            return
        name = f"{PACKAGE}.{path.rpartition('/')[2].rpartition('.')[0]}"
        package = sys.modules.setdefault(PACKAGE, ModuleType(PACKAGE))
        package.__path__ = []  # what is below it is not looked for
        module = ModuleType(name)
        module.__file__ = path
        sys.modules[name] = module
        try:
            code = compile(file["bytes"], path, "exec", dont_inherit=True)
            with _no_longer_than(self._loading_seconds):
                _run(code, module)
        except BaseException as error:  # a rule that cannot be loaded must not keep the game from starting
            del sys.modules[name]
            line = _line_of(path, error.__traceback__)
            if isinstance(error, SyntaxError) and error.filename == path:
                line = error.lineno or 0
            why = _in_words(error)
            if isinstance(error, _TookTooLongError):
                why = f"it took longer than {self._loading_seconds:g} s"
            self._tell(path, line, f"the file of rules cannot be loaded: {why}. None of its rules is used.")
            return
        for key, value in list(vars(module).items()):
            if isinstance(value, FunctionType) and value.__module__ == name and not key.startswith("_"):
                self._take(path, key, value)

    def _take(self, path: str, name: str, function: FunctionType) -> None:
        # Only a game with rules needs these.
        import difflib
        import inspect

        line = function.__code__.co_firstlineno
        hook = HOOKS.get(name)
        if hook is None:
            close = difflib.get_close_matches(name, HOOKS, 1)
            meant = f'Did you mean "{close[0]}"?' if close else f"There are {', '.join(HOOKS)}."
            self._tell(
                path,
                line,
                f"nothing asks {name}(). {meant} Begin the names of your own functions with an underscore.",
            )
            return
        try:
            inspect.signature(function).bind(*hook.arguments)
        except TypeError:
            wanted = ", ".join(hook.arguments)
            self._tell(path, line, f"{name}() has to take ({wanted}). It is not used.")
            return
        self._rules.setdefault(name, []).append(_Rule(function, path))

    def _tell(self, path: str, line: int, what: str) -> None:
        """One error for each line of a file: rules are asked very often."""
        if (path, line) not in self._told:
            self._told.add((path, line))
            _LOG.error("%s%s: %s", path, f", line {line}" if line else "", what)


GAME_RULES = GameRules()
"""Those of the game that this process runs."""


def _run(code: CodeType, module: ModuleType) -> None:
    exec(code, vars(module))


@contextmanager
def _no_longer_than(seconds: float) -> Generator[None]:
    """Ends what runs longer at its next instruction, by _TookTooLongError."""
    before, ends = sys.gettrace(), time.monotonic() + seconds

    def look(frame: FrameType, _event: str, _argument: Any) -> Any:
        frame.f_trace_opcodes = True  # an empty loop has no next line
        if time.monotonic() > ends:
            raise _TookTooLongError
        return look

    sys.settrace(look)
    try:
        yield
    finally:
        sys.settrace(before)


def _line_of(path: str, traceback: TracebackType | None) -> int:
    """The innermost line of a file where something was raised; 0: nowhere in it."""
    line = 0
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == path:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


def _in_words(error: BaseException) -> str:
    try:
        text = (error.msg if isinstance(error, SyntaxError) else str(error)).strip()
    except Exception:  # of an error of the game's own
        text = ""
    return f"{type(error).__name__}: {text}".removesuffix(": ").rstrip(".")
