"""The summary of a conversation: an extract, and the request to a summarizer that writes a better one."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.conversation.extraction import findings_in
from rag_memory.memory.document import Document
from rag_memory.memory.event_templates import CONVERSATION
from rag_memory.memory.importance import base_importance
from rag_memory.memory.record import Record, new_record
from rag_memory.memory.speech import speech_of
from rag_memory.mind import consolidation
from rag_memory.step import Step, Steps
from rag_memory.text.short_form import short_form
from rag_memory.text.statements import passages_of

_MOST_QUOTED = 160
_MOST_CONSIDERED = 2000
_LEAST_QUOTED = 25
"""The least characters of a turn that is quoted: a greeting is not worth a place in a summary."""


def extract_steps(config: MemoryConfig, summary: str, turns: Sequence[Document], limit: int) -> Steps[str]:
    """The sentences of the summary so far, and for each turn the findings in it, or else its short form.

    If they are longer than the limit, findings come first, then newer turns. An answer of the NPC stays
    together with the words it answers.
    """
    lines = passages_of(summary, speech_of(config))
    for number, turn in enumerate(turns):
        yield Step(number, len(turns), "summarising a conversation")
        player, npc = turn.content["player_message"], turn.content["npc_message"]
        findings = [finding["text"] for finding in findings_in(config, player, npc)]
        lines += findings or _quotes(config, player, npc)
    lines = list(dict.fromkeys(lines))
    room = limit
    taken: set[int] = set()
    said = tuple(config.before(key, "message") for key in ("player_said", "i_answered"))
    for place in sorted(range(len(lines)), key=lambda place: (lines[place].startswith(said), -place)):
        if len(lines[place]) <= room:
            taken.add(place)
            room -= len(lines[place]) + 1
    return " ".join(lines[place] for place in sorted(taken))


def _quotes(config: MemoryConfig, player: str, npc: str) -> list[str]:
    if max(len(player), len(npc)) < _LEAST_QUOTED:
        return []
    said = _exchange(config, *(text.replace('"', "'")[:_MOST_CONSIDERED] for text in (player, npc)))
    short = short_form(said, _MOST_QUOTED, _MOST_QUOTED, (), speech_of(config), config.own_words())
    return [short] if len(short) <= _MOST_QUOTED else []


def _exchange(config: MemoryConfig, player: str, npc: str) -> str:
    said = [config.sentence("player_said", message=player.strip())] if player.strip() else []
    said += [config.sentence("i_answered", message=npc.strip())] if npc.strip() else []
    return " ".join(said)


def request(
    npc_id: str, config: MemoryConfig, summary: str, turns: Sequence[Document], text: str, limit: int
) -> dict[str, Any]:
    """The request to a summarizer: as for memories that are merged (mind/consolidation.py), with the turns as
    sources, and the summary so far.
    """
    sources = [_as_memory(npc_id, config, turn) for turn in turns]
    about = consolidation.about(npc_id, config, sources)
    merge_request = consolidation.request(npc_id, config, sources, about, text)
    return {**merge_request, "max_chars": limit, "previous_summary": summary}


def _as_memory(npc_id: str, config: MemoryConfig, turn: Document) -> Record:
    player, npc = turn.content["player_message"], turn.content["npc_message"]
    data = {
        "event_type": CONVERSATION,
        "participants": [turn.content["player_id"]],
        "location": turn.content["location"],
        "timestamp": turn.timestamp,
    }
    unlimited = dataclasses.replace(config, max_text_chars=sys.maxsize, max_metadata_chars=sys.maxsize)
    importance = base_importance(config, CONVERSATION)
    text = _exchange(config, player, npc)
    return new_record("a turn", npc_id, unlimited, turn.timestamp, text, importance, data)._replace(
        id=turn.id
    )
