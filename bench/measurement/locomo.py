"""The LoCoMo conversations of ../shared/data as memories and questions, by the protocol of its README.

Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM Agents", 2024.
"""

from __future__ import annotations

import calendar
import json
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE_NAME = "locomo_dev.json"
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop", 5: "adversarial"}

_SESSION = re.compile(r"session_(\d+)")
_DATE = "%I:%M %p on %d %B, %Y"


@dataclass(frozen=True)
class Turn:
    """One thing that was said, by its id."""

    id: str
    speaker: str
    text: str
    timestamp: float


@dataclass(frozen=True)
class Question:
    """A question, the ids of the turns that answer it, and which kind it is."""

    text: str
    evidence: tuple[str, ...]
    category: int


@dataclass(frozen=True)
class Conversation:
    """Months of sessions between two people, and questions about them."""

    id: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


def read_conversations(folder: Path) -> list[Conversation]:
    """The conversations, or nothing when the file is not there."""
    file = folder / FILE_NAME
    if not file.is_file():
        return []
    return [_conversation(sample) for sample in json.loads(file.read_text(encoding="utf-8"))]


def _conversation(sample: dict[str, Any]) -> Conversation:
    spoken = sample["conversation"]
    numbers = sorted(int(match.group(1)) for name in spoken if (match := _SESSION.fullmatch(name)))
    turns = [
        Turn(turn["dia_id"], turn["speaker"], _text(turn), _timestamp(spoken[f"session_{number}_date_time"]))
        for number in numbers
        for turn in spoken[f"session_{number}"]
    ]
    questions = [
        Question(str(entry["question"]), tuple(entry.get("evidence", ())), entry["category"])
        for entry in sample["qa"]
    ]
    return Conversation(sample["sample_id"], tuple(turns), tuple(questions))


def _text(turn: dict[str, Any]) -> str:
    text = f'{turn["speaker"]} said, "{turn["text"]}"'
    return f"{text} and shared {turn['blip_caption']}" if turn.get("blip_caption") else text


def _timestamp(date: str) -> float:
    return float(calendar.timegm(time.strptime(date, _DATE)))
