"""Long work in slices: generators that report how far they are and return their result at the end."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import NamedTuple, TypeVar

_T = TypeVar("_T")
_WAITING_SECONDS = 0.01


class Step(NamedTuple):
    """Progress of a long job: `done` of `total`, and what is being done. With `is_waiting` the job waits for
    something else.
    """

    done: int
    total: int
    what: str
    is_waiting: bool = False


def run(steps: Generator[Step, None, _T]) -> _T:
    """Run sliced work to its end and return its result."""
    while True:
        try:
            step = next(steps)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        if step.is_waiting:
            time.sleep(_WAITING_SECONDS)
