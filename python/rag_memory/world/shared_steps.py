"""Sliced work that several callers wait for: it is done once, by whichever caller has a turn."""

from __future__ import annotations

from typing import Generic, TypeVar

from rag_memory.errors import InvalidArgumentError
from rag_memory.step import Step, Steps

_T = TypeVar("_T")


class SharedSteps(Generic[_T]):
    """Steps with one result for all callers that wait for it. They are closed when no caller is left."""

    def __init__(self, steps: Steps[_T]) -> None:
        self.is_done = False
        self._steps = steps
        self._waiting = 0
        self._is_at_work = False
        self._result: list[_T] = []
        self._error: BaseException | None = None

    def result_steps(self) -> Steps[_T]:
        """The result, or the error. The caller that has a turn does the next step."""
        self._waiting += 1
        try:
            while not self.is_done:
                step = self._next()
                if step is not None:
                    yield step
        finally:
            self._waiting -= 1
            if not self._waiting and not self.is_done:
                self.is_done = True
                self._steps.close()
        if self._error is not None:
            raise self._error
        return self._result[0]

    def _next(self) -> Step | None:
        if self._is_at_work:
            raise InvalidArgumentError(
                "what is being made was asked for by what makes it", "it would never end", "Use what is given"
            )
        self._is_at_work = True
        try:
            return next(self._steps)
        except StopIteration as end:
            self._result.append(end.value)
        except Exception as error:
            self._error = error
        finally:
            self._is_at_work = False
        self.is_done = True
        return None
