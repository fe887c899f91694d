"""Letting somebody else write the text of a summary: the game, with a language model."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator
from types import GeneratorType
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.step import Step
from rag_memory.validation import shown

Summarizer = Callable[[dict[str, Any]], Any]
"""Takes what is known of the memories to be merged (consolidation.request()) and returns the summary's text,
or a generator of Steps that does; None when it does not want to write it.
"""

_LOG = logging.getLogger("rag_memory")


def written_steps(
    summarizer: Summarizer | None, request: dict[str, Any], config: MemoryConfig
) -> Generator[Step, None, str]:
    """The text that the summarizer writes; "" when there is none, none in time, or a longer one than a memory
    may have, which is logged.
    """
    if summarizer is None:
        return ""
    try:
        text = summarizer(request)
        if isinstance(text, GeneratorType):
            text = yield from in_time(text, config.summarizer_timeout_seconds)
        if text is None:
            return ""
        if not isinstance(text, str):
            raise TypeError(f"it returned {shown(text)}, which is no text")
        if not text.strip():
            raise ValueError("it returned an empty text")
        if len(text) > config.max_text_chars:
            raise ValueError(
                f"it returned {len(text)} characters, and MemoryConfig.max_text_chars allows "
                f"{config.max_text_chars}"
            )
    except Exception as error:  # whatever the game does, the memories are merged
        _LOG.warning(
            "The summarizer wrote no summary of %d memories of %s: %s. The summary consists of their own "
            "sentences.",
            len(request["sources"]),
            request["npc_id"],
            error,
        )
        return ""
    return text


def in_time(steps: Generator[Step, None, Any], timeout_seconds: float) -> Generator[Step, None, Any]:
    """The result of the steps.

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
