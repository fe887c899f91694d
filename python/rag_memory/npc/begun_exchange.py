"""An exchange that was begun and is not finished."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rag_memory.conversation.recording import RecordingOptions
from rag_memory.prompt.answer_reader import AnswerReader


@dataclass
class BegunExchange:
    """An exchange that was begun."""

    id: str
    occasion: str
    said: str
    options: RecordingOptions
    reading: Mapping[str, Any]
    """The options of answer_reader()."""
    reader: AnswerReader
    speakers: Mapping[str, Any]
    """The options of UnaidedAnswers.answer()."""
    memories: Sequence[Mapping[str, Any]] = ()
    """Those in the prompt."""
    has_met: bool = False
    """The two had met before."""
    stored: list[dict[str, Any]] = field(default_factory=list)
    """What was stored of it so far."""
    is_heard: bool = False
    answer: Mapping[str, Any] | None = None
    """What was read of the model's text, once that has ended."""
    is_perceived: bool = False
    """The NPC has perceived the line."""
