"""Long work in slices: generators that report how far they are and return their result at the end."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Generator
from typing import Any, Concatenate, Generic, NamedTuple, ParamSpec, TypeVar

_P = ParamSpec("_P")
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


Steps = Generator[Step, None, _T]
"""Work in slices that returns a `_T`."""


class SlicedCall(Generic[_P, _T]):
    """A bound method that works in slices: calling it does all of the work, `steps()` returns the slices."""

    def __init__(self, steps: Callable[_P, Steps[_T]]) -> None:
        self.steps = steps

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return run(self.steps(*args, **kwargs))


class InSlices(Generic[_P, _T]):
    """The descriptor of a method that works in slices."""

    def __init__(self, function: Callable[Concatenate[Any, _P], Steps[_T]]) -> None:
        self.function = function

    def __get__(self, instance: object, owner: type) -> SlicedCall[_P, _T]:
        return SlicedCall(functools.partial(self.function, instance))


def in_slices(function: Callable[Concatenate[Any, _P], Steps[_T]]) -> InSlices[_P, _T]:
    """Make a method of a generator function: `x()` does all of its work, `x.steps()` returns the slices."""
    return InSlices(function)
