"""Conditions on the flags of the story: comparisons, and expressions such as "mill >= 2 and not fled"."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from rag_memory.errors import InvalidArgumentError
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.validation import shown

Flags = Mapping[str, Any]
Test = Callable[[Flags], bool]

COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "is": lambda value, wanted: bool(value == wanted),
    "is_not": lambda value, wanted: bool(value != wanted),
    "at_least": lambda value, wanted: bool(value >= wanted),
    "at_most": lambda value, wanted: bool(value <= wanted),
    "above": lambda value, wanted: bool(value > wanted),
    "below": lambda value, wanted: bool(value < wanted),
}
SIGNS = {"==": "is", "!=": "is_not", ">=": "at_least", "<=": "at_most", ">": "above", "<": "below"}
_MOST_CHARACTERS = 500
_MOST_PARENTHESES = 20
_EXAMPLE = "Write it as in \"quest.mill >= 2 and not (mill_burned or miller == 'dead')\""
_TOKEN = lazy_pattern(
    r"\s*(?:(?P<text>\"[^\"]*\"|'[^']*')|(?P<sign>[=!<>]=|&&|\|\||[<>!()])"
    r"|(?P<number>-?[0-9]+(?:\.[0-9]+)?(?![\w.]))|(?P<name>[^\W\d](?:[\w.-]*\w)?)|(?P<other>\S))"
)
_WORDS = {"&&": "and", "||": "or", "!": "not"}


@dataclass(frozen=True, slots=True)
class Operand:
    """A value, or the flag that has it."""

    value: Any
    is_flag: bool = False

    def of(self, flags: Flags) -> Any:
        """Return the value; None for a flag that was never set."""
        return flags.get(self.value) if self.is_flag else self.value

    def __call__(self, flags: Flags) -> bool:
        return bool(self.of(flags))


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two values that are compared."""

    left: Operand
    name: str
    right: Operand

    def __call__(self, flags: Flags) -> bool:
        value, wanted = self.left.of(flags), self.right.of(flags)
        # A flag that was never set has the value that the type of the other one begins with.
        value = type(wanted)() if value is None and wanted is not None else value
        wanted = type(value)() if wanted is None else wanted
        is_number = [isinstance(item, bool | int | float) for item in (value, wanted)]
        if value is None or any(is_number) != all(is_number):
            return self.name == ("is" if value is None else "is_not")
        return COMPARISONS[self.name](value, wanted)


@functools.lru_cache(maxsize=1024)
def parsed_condition(call: str, text: str) -> Test:
    """Return the test that an expression stands for: names of flags, numbers, texts in quotes, `true` and
    `false`, compared, and joined by `and`, `or`, `not` and parentheses.

    Raises:
        InvalidArgumentError: a part of it is not understood.
    """
    return _Parser(call, text).parse()


class _Token(NamedTuple):
    kind: str
    text: str
    shown: str


class _Parser:
    def __init__(self, call: str, text: str) -> None:
        self._call = call
        self._text = text
        self._depth = 0
        if len(text) > _MOST_CHARACTERS:
            raise self._error(f"it has {len(text)} characters, and at most {_MOST_CHARACTERS} are read")
        self._tokens = list(_tokens(text))
        self._place = 0

    def parse(self) -> Test:
        if not self._tokens:
            raise self._error("it is empty")
        test = self._any_of()
        if self._place < len(self._tokens):
            raise self._unexpected(f"and, or, {', '.join(SIGNS)} or the end")
        return test

    def _any_of(self) -> Test:
        tests = [self._all_of()]
        while self._take("or"):
            tests.append(self._all_of())
        return tests[0] if len(tests) == 1 else lambda flags: any(test(flags) for test in tests)

    def _all_of(self) -> Test:
        tests = [self._one()]
        while self._take("and"):
            tests.append(self._one())
        return tests[0] if len(tests) == 1 else lambda flags: all(test(flags) for test in tests)

    def _one(self) -> Test:
        is_negated = False
        while self._take("not"):
            is_negated = not is_negated
        test = self._group() if self._take("(") else self._compared()
        return (lambda flags: not test(flags)) if is_negated else test

    def _group(self) -> Test:
        self._depth += 1
        if self._depth > _MOST_PARENTHESES:
            raise self._error(f"more than {_MOST_PARENTHESES} parentheses are open at once")
        test = self._any_of()
        if not self._take(")"):
            raise self._unexpected("a closing parenthesis")
        self._depth -= 1
        return test

    def _compared(self) -> Test:
        left = self._operand()
        sign = self._next()
        if sign.text not in SIGNS:
            return left
        self._place += 1
        return Comparison(left, SIGNS[sign.text], self._operand())

    def _operand(self) -> Operand:
        token = self._next()
        if token.kind not in ("name", "number", "text") or token.text in ("and", "or", "not"):
            raise self._unexpected("a flag, a number or a text in quotes")
        self._place += 1
        match token.kind:
            case "text":
                return Operand(token.text[1:-1])
            case "number":
                return Operand(float(token.text) if "." in token.text else int(token.text))
        if token.text in ("true", "false"):
            return Operand(token.text == "true")
        return Operand(token.text, is_flag=True)

    def _next(self) -> _Token:
        at_end = _Token("end", "", "it ends")
        return self._tokens[self._place] if self._place < len(self._tokens) else at_end

    def _take(self, word: str) -> bool:
        token = self._next()
        is_there = token.kind in ("name", "sign") and token.text == word
        self._place += is_there
        return is_there

    def _unexpected(self, wanted: str) -> InvalidArgumentError:
        token = self._next()
        before = f"after {self._tokens[self._place - 1].shown}" if self._place else "at its beginning"
        there = "it ends" if token.kind == "end" else f"{token.shown} stands"
        return self._error(f"{there} {before}, where {wanted} belongs")

    def _error(self, why: str) -> InvalidArgumentError:
        return InvalidArgumentError(f"{self._call} is {shown(self._text)}", why, _EXAMPLE)


def _tokens(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "other"
        written = match[kind]
        word = _WORDS.get(written, written) if kind == "sign" else written
        if kind == "name" and written.lower() in ("and", "or", "not", "true", "false"):
            word = written.lower()
        yield _Token(kind, word, shown(written))
