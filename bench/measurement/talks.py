"""The two talks of bench/games as conversations: months of dated sessions, and questions with their
evidence.
"""

from __future__ import annotations

import calendar
import json
import time
from pathlib import Path
from typing import Any

from rag_memory_build.paths import ROOT

from .locomo import Conversation, Question, Turn

FILES = tuple(ROOT / "bench" / "games" / f"talk_{number}.json" for number in (1, 2))
CATEGORIES = {"multi": 1, "time": 2, "open": 3, "single": 4}
_DATE = "%Y-%m-%d %H:%M"
_SECONDS_BETWEEN_TURNS = 30.0


def read_talks() -> list[Conversation]:
    """Both talks."""
    return [_conversation(file) for file in FILES]


def _conversation(file: Path) -> Conversation:
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    turns = [
        Turn(
            _id(number, place),
            turn["speaker"],
            f'{turn["speaker"]} said, "{turn["text"]}"',
            calendar.timegm(time.strptime(session["date"], _DATE)) + _SECONDS_BETWEEN_TURNS * place,
        )
        for number, session in enumerate(content["sessions"])
        for place, turn in enumerate(session["turns"])
    ]
    questions = [
        Question(
            question["question"],
            tuple(_id(*evidence) for evidence in question["evidence"]),
            CATEGORIES[question["category"]],
        )
        for question in content["questions"]
    ]
    return Conversation(file.stem, tuple(turns), tuple(questions))


def _id(session: int, turn: int) -> str:
    return f"{session}:{turn}"
