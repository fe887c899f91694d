"""Letting somebody else draw the conclusions: the game, with a language model."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from types import GeneratorType
from typing import Any

from rag_memory.mind.reflection import Insight
from rag_memory.mind.summarizer import in_time
from rag_memory.step import Step

Reflector = Callable[[dict[str, Any]], Any]
"""Takes reflection.request() and returns what reflection.answered() reads, or a generator of Steps that does;
None when it does not want to draw conclusions.
"""

_LOG = logging.getLogger("rag_memory")


def reflected_steps(
    reflector: Reflector,
    request: dict[str, Any],
    timeout_seconds: float,
    read: Callable[[Any], list[Insight]],
) -> Generator[Step, None, list[Insight] | None]:
    """The insights that the reflector draws; None when there are none, or none in time, which is logged."""
    try:
        answer = reflector(request)
        if isinstance(answer, GeneratorType):
            answer = yield from in_time(answer, timeout_seconds)
        return None if answer is None else read(answer)
    except Exception as error:  # whatever the game does, the NPC reflects
        _LOG.warning(
            "The reflector drew no conclusions for %s: %s. They are drawn without it.",
            request["npc_id"],
            error,
        )
        return None
