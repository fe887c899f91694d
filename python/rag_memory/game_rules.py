"""Rules that a game brings itself, in Python files of its own: docs/rules_in_python.md tells games how."""

from __future__ import annotations

import copy
import logging
import math
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from types import CodeType, FunctionType, ModuleType, TracebackType
from typing import Any, NamedTuple

from rag_memory.python_library import advice
from rag_memory.time_limit import TookTooLongError, call_within
from rag_memory.validation import shown

PACKAGE = "game_rules"
"""The parent package of the rule modules. A module may import those before it in the list."""
_LOADING_SECONDS = 10.0
_SETTING = "rag_memory/python/rules"
_ANSWER_SECONDS = 5.0
_SLOW_SECONDS = 0.5
_STRONGEST_SENTIMENT = 100.0

_LOG = logging.getLogger("rag_memory")


class _WrongResultError(Exception):
    """Says what a result has to be."""


class _Hook(NamedTuple):
    """A function that a file may define: its arguments, and what reads its result or raises
    _WrongResultError.
    """

    arguments: tuple[str, ...]
    read: Callable[[Any, tuple[Any, ...]], Any]


class _Rule(NamedTuple):
    function: FunctionType
    path: str
    line: int


def _whole_number(least: int, most: int, result: Any) -> int:
    if isinstance(result, bool) or not isinstance(result, int) or not least <= result <= most:
        raise _WrongResultError(f"a whole number from {least} to {most}")
    return int(result)


def _number(result: Any, bound: float, wanted: str) -> float:
    if isinstance(result, bool) or not isinstance(result, int | float) or not math.isfinite(result):
        raise _WrongResultError(wanted)
    return max(-bound, min(bound, float(result)))


def _relevances(result: Any, memories: list[Any]) -> list[float]:
    wanted = f"a list of {len(memories)} numbers from -1 to 1, one for each memory"
    if not isinstance(result, list | tuple) or len(result) != len(memories):
        raise _WrongResultError(wanted)
    return [_number(relevance, 1.0, wanted) for relevance in result]


def _texts(result: Any, _arguments: tuple[Any, ...]) -> list[Any]:
    if not isinstance(result, list | tuple) or not all(map(_is_text, result)):
        raise _WrongResultError('a list of texts, or of dictionaries with a "text"')
    return list(result)


def _is_text(value: Any) -> bool:
    return isinstance(value.get("text") if isinstance(value, dict) else value, str)


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
    "relevance": _Hook(("query", "memories"), lambda result, arguments: _relevances(result, arguments[1])),
    "reflector": _Hook(("request",), _texts),
    "extractor": _Hook(("request",), _texts),
}
"""The functions that a file may define."""


class GameRules:
    """The rules of this game; without any, every answer is None at once."""

    def __init__(
        self,
        loading_seconds: float = _LOADING_SECONDS,
        answer_seconds: float = _ANSWER_SECONDS,
        slow_seconds: float = _SLOW_SECONDS,
    ) -> None:
        self._loading_seconds = loading_seconds
        self._answer_seconds = answer_seconds
        self._slow_seconds = slow_seconds
        self._rules: dict[str, list[_Rule]] = {}
        self._reported: set[tuple[str, int, str]] = set()
        self._slow: set[str] = set()

    def load(self, files: Iterable[Mapping[str, Any]]) -> None:
        """Take in files in place of those before: `path`, as errors call it, and `bytes`, or `error`, why it
        cannot be read. Whatever is wrong with one is logged, and the others hold.
        """
        self._rules.clear()
        self._reported.clear()
        self._slow.clear()
        for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
            del sys.modules[name]
        for file in files:
            self._load(file)

    def has(self, hook: str) -> bool:
        """Return True if there is a rule for this hook."""
        return bool(self._rules.get(hook))

    def ask(self, hook: str, *arguments: Any) -> Any:
        """Return the first result that a rule gives, or None when the addon's own rule applies."""
        for rule in self._rules.get(hook, ()):
            answer = self._answer(hook, rule, arguments)
            if answer is not None:
                return answer
        return None

    def _answer(self, hook: str, rule: _Rule, arguments: tuple[Any, ...]) -> Any:
        begun = time.monotonic()
        answer = None
        copies = copy.deepcopy(arguments)  # what a rule changes is its own
        try:
            answer = call_within(self._answer_seconds, _asked, hook, rule, arguments, copies)
        except TookTooLongError as error:
            self._rules[hook] = [other for other in self._rules[hook] if other is not rule]
            line = _line_of(rule.path, error.__traceback__) or rule.line
            why = f"{hook}() took longer than {self._answer_seconds:g} s. It is not asked again."
            self._tell(rule.path, line, why, "ended")
        except _WrongResultError as error:
            self._tell(
                rule.path,
                rule.line,
                f"{hook}() returned {error}, or None. The addon's own rule is used.",
                "result",
            )
        except BaseException as error:  # whatever a rule does, the NPC remembers
            line = _line_of(rule.path, error.__traceback__) or rule.line
            why = f"{hook}() failed: {_in_words(error)}. The addon's own rule is used."
            self._tell(rule.path, line, why, "failed")
        else:
            self._warn_if_slow(hook, rule, time.monotonic() - begun)
        return answer

    def _warn_if_slow(self, hook: str, rule: _Rule, seconds: float) -> None:
        if seconds > self._slow_seconds and hook not in self._slow:
            self._slow.add(hook)
            _LOG.warning(
                "%s, line %d: %s() took %.1f s. No other memory call runs while it does. Make it quicker.",
                rule.path,
                rule.line,
                hook,
                seconds,
            )

    def _load(self, file: Mapping[str, Any]) -> None:
        path = file["path"]
        if "error" in file:
            why = (
                f"the file of rules cannot be read: {file['error']}. Correct the project setting {_SETTING}."
            )
            self._tell(path, 0, why)
            return
        stem = path.rpartition("/")[2].removesuffix(".py")
        name = f"{PACKAGE}.{stem}"
        if name in sys.modules:
            other = getattr(sys.modules[name], "__file__", name)
            why = f"another file of rules has this name, too: {other}. Rename one of them."
            self._tell(path, 0, why)
            return
        package = sys.modules.setdefault(PACKAGE, ModuleType(PACKAGE))
        package.__path__ = []  # what is below it is not looked for
        module = ModuleType(name)
        module.__file__ = path
        sys.modules[name] = module
        try:
            code = compile(file["bytes"], path, "exec", dont_inherit=True)
            call_within(self._loading_seconds, _run, code, module)
        except BaseException as error:  # a rule that cannot be loaded must not keep the game from starting
            sys.modules.pop(name, None)
            line = _line_of(path, error.__traceback__)
            if isinstance(error, SyntaxError) and error.filename == path:
                line = error.lineno or 0
            why = _in_words(error)
            if isinstance(error, TookTooLongError):
                why = f"it took longer than {self._loading_seconds:g} s"
            self._tell(path, line, f"the file of rules cannot be loaded: {why}. None of its rules is used.")
            return
        setattr(package, stem, module)
        for key, value in list(vars(module).items()):
            is_own = isinstance(value, FunctionType) and value.__module__ == name and not key.startswith("_")
            if is_own:
                self._take(path, key, value)
            elif key in HOOKS and not isinstance(value, FunctionType):
                self._tell(path, 0, f"{key} is no function that begins with def. It is not used.")

    def _take(self, path: str, name: str, function: FunctionType) -> None:
        # Only a game with rules needs these.
        import difflib
        import inspect

        line = inspect.unwrap(function).__code__.co_firstlineno
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
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            self._tell(path, line, f"{name}() has to return its result: without async and without yield.")
            return
        try:
            inspect.signature(function).bind(*hook.arguments)
        except TypeError:
            wanted = ", ".join(hook.arguments)
            self._tell(path, line, f"{name}() has to take ({wanted}). It is not used.")
            return
        self._rules.setdefault(name, []).append(_Rule(function, path, line))

    def _tell(self, path: str, line: int, what: str, kind: str = "") -> None:
        """One error of a kind for each line of a file: rules are asked very often."""
        if not kind or (path, line, kind) not in self._reported:
            self._reported.add((path, line, kind))
            _LOG.error("%s%s: %s", path, f", line {line}" if line else "", what)


GAME_RULES = GameRules()
"""The rules of the game in this process."""


def _run(code: CodeType, module: ModuleType) -> None:
    exec(code, vars(module))


def _asked(hook: str, rule: _Rule, arguments: tuple[Any, ...], copies: tuple[Any, ...]) -> Any:
    result = rule.function(*copies)
    if result is None:
        return None
    try:
        return HOOKS[hook].read(result, arguments)
    except _WrongResultError as wanted:
        raise _WrongResultError(f"{shown(result)}, and it has to be {wanted}") from None


def _line_of(path: str, traceback: TracebackType | None) -> int:
    """The innermost line of a file where something was raised; 0: nowhere in it."""
    line = 0
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename == path:
            line = max(traceback.tb_lineno or 0, code.co_firstlineno)  # an instruction may belong to no line
        traceback = traceback.tb_next
    return line


def _in_words(error: BaseException) -> str:
    try:
        text = (error.msg if isinstance(error, SyntaxError) else str(error)).strip()
    except Exception:  # of an error of the game's own
        text = ""
    if isinstance(error, ModuleNotFoundError) and (what_next := advice(error.name or "")):
        text = f"{text}: {what_next}"
    return f"{type(error).__name__}: {text}".removesuffix(": ").rstrip(".")
