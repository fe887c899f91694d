"""An exchange of one NPC between its beginning and its end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rag_memory.conversation.recording_options import RecordingOptions
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
    has_met: bool = False
    """The two had met before."""
    stored: list[dict[str, Any]] = field(default_factory=list)
    """What was stored of it so far."""
    is_heard: bool = False
    answer: Mapping[str, Any] | None = None
    """What was read of the model's text, once that has ended."""
    is_perceived: bool = False
    """The NPC has perceived the line."""
