"""Long work in slices: generators that report how far they are and return their result at the end."""

from __future__ import annotations

from collections.abc import Generator
from typing import NamedTuple, TypeVar

_T = TypeVar("_T")


class Step(NamedTuple):
    """How far a long piece of work is: `done` of `total`, and what is being done."""

    done: int
    total: int
    what: str


def run(steps: Generator[Step, None, _T]) -> _T:
    """Run sliced work to its end and return its result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
