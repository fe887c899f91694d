"""Feelings after a killed process equal the sum of the acknowledged events."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from pathlib import Path

from tests.unit.killed_process import told_before_killed

from rag_memory import Save, open_save
from rag_memory.config.mind_config import NPCMindConfig, SentimentMode
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.npc.npc_mind import NpcMind

KILLS = 50
_ACTIONS = ("attacked", "gifted", "helped", "spoke", "waved")
_SENTIMENTS = {"attacked": -30, "gifted": 20, "helped": 15, "spoke": 10, "waved": 10}


def _event(number: int) -> tuple[str, str]:
    """Action and source of the event with this number."""
    dice = random.Random(number)
    return dice.choice(_ACTIONS), dice.choice("abc")


def _replayed(count: int) -> dict[str, float]:
    """The dispositions after the first events, by the rules of the document."""
    strengths: dict[str, float] = {}
    for number in range(count):
        action, who = _event(number)
        strengths[who] = max(0.0, min(100.0, strengths.get(who, 50.0) + _SENTIMENTS[action]))
    return strengths


def _opened(path: Path) -> tuple[Save, NpcMind]:
    save = open_save(path, HashingEmbedder(), clock=lambda: 1000.0)
    mind = save.npc("mira").mind
    mind.config = NPCMindConfig(sentiment_mode=SentimentMode.RULES)
    return save, mind


def _strengths(mind: NpcMind) -> dict[str, float]:
    return {who: each["strength"] for who, each in mind.feelings.get_dispositions().items()}


def _perceive_until_killed(path: Path, first: int, tell: Callable[[], object]) -> None:
    _, mind = _opened(path)
    number = first
    while True:
        action, who = _event(number)
        mind.perceive({"action": action, "content": f"Thank you {number}", "source_id": who})
        number += 1
        tell()


def test_a_killed_process_loses_no_acknowledged_event(tmp_path: Path) -> None:
    path = tmp_path / "killed.sqlite3"
    first = 0
    dice = random.Random(7)
    for _ in range(KILLS):
        work = functools.partial(_perceive_until_killed, path, first)
        last = first + told_before_killed(work, dice.randint(1, 12), dice)
        save, mind = _opened(path)
        with save:
            found = _strengths(mind)
            # One more may be written whose acknowledgement was not sent any more.
            assert found in (_replayed(last), _replayed(last + 1))
            log = mind.get_interactions(count=1)[0]
            first = int(str(log["content"]).split()[-1]) + 1
            assert first in (last, last + 1)
            assert found == _replayed(first)
