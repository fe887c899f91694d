"""Code that never ends by itself is ended, whatever it catches."""

from __future__ import annotations

import sys
import textwrap
from typing import Any

import pytest

from rag_memory.time_limit import TookTooLongError, call_within

ENDLESS = {
    "loop": "while True: pass",
    "comprehension": "return [0 for _ in iter(int, 1)]",
    "generator": "list(0 for _ in iter(int, 1))",
    "caught": """
        while True:
            try:
                while True: pass
            except BaseException: pass
    """,
    "caught and endless": """
        try:
            while True: pass
        except BaseException:
            while True: pass
    """,
    "caught and kept": """
        kept = []
        while True:
            try:
                while True: pass
            except BaseException as error:
                kept.append(error)
    """,
    "finally": """
        try:
            while True: pass
        finally:
            while True: pass
    """,
    "another error": """
        try:
            while True: pass
        except BaseException: raise ValueError
    """,
    "recursion": """
        def again(): again()
        try: again()
        except RecursionError: pass
        while True: pass
    """,
}


def function_of(body: str) -> Any:
    names: dict[str, Any] = {}
    exec("def endless():\n" + textwrap.indent(textwrap.dedent(body).strip("\n"), "    "), names)
    return names["endless"]


@pytest.mark.parametrize("name", ENDLESS)
def test_what_is_endless_is_ended(name: str) -> None:
    before = sys.gettrace()
    with pytest.raises(TookTooLongError):
        call_within(0.1, function_of(ENDLESS[name]))
    assert sys.gettrace() is before


def test_what_ends_in_time_returns_its_result_or_raises_its_error() -> None:
    assert call_within(60.0, max, 3, 4) == 4
    with pytest.raises(ZeroDivisionError):
        call_within(60.0, lambda: 1 / 0)


def test_the_depth_of_calls_is_as_before() -> None:
    before = sys.getrecursionlimit()
    call_within(60.0, sys.setrecursionlimit, before + 1000)
    assert sys.getrecursionlimit() == before
