"""Asking a function of the game for a text, a number or a decision, usually by a language model."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from types import GeneratorType
from typing import Any, TypeVar

from rag_memory.errors import GameLoadedError
from rag_memory.step import Steps

_T = TypeVar("_T")
_LOG = logging.getLogger("rag_memory")

GameFunction = Callable[[dict[str, Any]], Any]
"""Takes a request and returns an answer, None for none, or a generator of Steps that does."""


def answered_steps(
    function: GameFunction | None,
    request: dict[str, Any],
    timeout_seconds: float,
    read: Callable[[Any], _T],
    failed: str,
    remedy: str,
) -> Steps[_T | None]:
    """Call a function of the game and return its answer as `read` parses it. None when there is no function,
    when it returns null, or when it fails or takes too long, which is logged.

    Args:
        read: raises an error that describes a wrong answer.
        failed: what did not happen, for the log.
        remedy: what happens instead, for the log.

    Raises:
        GameLoadedError: another state of the save was loaded meanwhile.
    """
    if function is None:
        return None
    try:
        answer = function(request)
        if isinstance(answer, GeneratorType):
            answer = yield from _in_time(answer, timeout_seconds)
        return None if answer is None else read(answer)
    except GameLoadedError:
        raise
    except Exception as error:  # An error in the game's code must not stop the addon's work.
        _LOG.warning("%s: %s. %s", failed, error, remedy)
        return None


def _in_time(steps: Steps[Any], timeout_seconds: float) -> Steps[Any]:
    """Return the result of the steps.

    Raises:
        TimeoutError: they took longer.
    """
    give_up_at = time.monotonic() + timeout_seconds
    try:
        while True:
            try:
                step = next(steps)
            except StopIteration as end:
                return end.value
            if time.monotonic() > give_up_at:
                raise TimeoutError(
                    f"it took longer than {timeout_seconds:g} s (MemoryConfig.summarizer_timeout_seconds)"
                )
            yield step
    finally:
        steps.close()
