"""Asking a function of the game for a decision, usually by a language model; bad answers are logged."""

from __future__ import annotations

import logging
from collections.abc import Callable
from types import GeneratorType
from typing import Any, TypeVar

from rag_memory.mind.summarizer import in_time
from rag_memory.searchable.save_context import GameFunction
from rag_memory.step import Steps

_T = TypeVar("_T")
_LOG = logging.getLogger("rag_memory")


def answered_steps(
    function: GameFunction | None,
    request: dict[str, Any],
    timeout_seconds: float,
    read: Callable[[Any], _T],
    failed: str,
) -> Steps[_T | None]:
    """Call a function of the game and return its answer as `read` parses it. None when there is no function,
    when it returns null, or when it fails, which is logged.

    Args:
        read: raises a ValueError that describes a wrong answer.
        failed: the message to log, with "%s" for the reason.
    """
    if function is None:
        return None
    try:
        answer = function(request)
        if isinstance(answer, GeneratorType):
            answer = yield from in_time(answer, timeout_seconds)
        return None if answer is None else read(answer)
    except Exception as error:  # An error in the game's code must not stop the world.
        _LOG.warning(failed, error)
        return None
