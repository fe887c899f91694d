"""Summaries that the game writes, usually with a language model."""

from __future__ import annotations

import functools
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.mind.asking import GameFunction, answered_steps
from rag_memory.step import Steps
from rag_memory.validation import shown


def written_steps(
    summarizer: GameFunction | None, request: dict[str, Any], config: MemoryConfig
) -> Steps[str]:
    """Return the text that the summarizer writes for consolidation.request(); "" when there is none, none in
    time, or a longer one than a memory may have, which is logged.
    """
    text = yield from answered_steps(
        summarizer,
        request,
        config.summarizer_timeout_seconds,
        functools.partial(_read, config),
        f"The summarizer wrote no summary of {len(request['sources'])} memories of {request['npc_id']}",
        "The summary consists of their own sentences.",
    )
    return text or ""


def _read(config: MemoryConfig, text: Any) -> str:
    if not isinstance(text, str):
        raise TypeError(f"it returned {shown(text)}, which is no text")
    if not text.strip():
        raise ValueError("it returned an empty text")
    if len(text) > config.max_text_chars:
        raise ValueError(
            f"it returned {len(text)} characters, and MemoryConfig.max_text_chars allows "
            f"{config.max_text_chars}"
        )
    return text
