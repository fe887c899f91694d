"""Letting the game decide something, with a language model: who does not answer well is not waited for."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from types import GeneratorType
from typing import Any, TypeVar

from rag_memory.mind.summarizer import in_time
from rag_memory.searchable.save_context import GameFunction
from rag_memory.step import Step

_T = TypeVar("_T")
_LOG = logging.getLogger("rag_memory")


def answered_steps(
    function: GameFunction | None,
    request: dict[str, Any],
    timeout_seconds: float,
    read: Callable[[Any], _T],
    failed: str,
) -> Generator[Step, None, _T | None]:
    """What a function of the game answers, as `read` understands it; None when there is no function, when it
    does not want to answer, or when it fails, which is logged.

    Args:
        read: raises a ValueError that says in words what is wrong with an answer.
        failed: what to log with a reason for "%s".
    """
    if function is None:
        return None
    try:
        answer = function(request)
        if isinstance(answer, GeneratorType):
            answer = yield from in_time(answer, timeout_seconds)
        return None if answer is None else read(answer)
    except Exception as error:  # whatever the game does, the world goes on
        _LOG.warning(failed, error)
        return None
