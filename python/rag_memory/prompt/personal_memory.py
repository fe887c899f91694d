"""Which memory answers what a player asks everybody: where they come from, and whether a promise was kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rag_memory.config.wording import Wording
from rag_memory.memory.record import PLAYER_INFO
from rag_memory.prompt.player_line import WHAT_AM_I, WHERE_FROM, tells, tells_of_oneself
from rag_memory.prompt.spoken_memory import FACT, Passage, SpokenMemory

_QUOTES = frozenset('"“„«「')
_INFO_TYPES = {WHERE_FROM: "player_origin", WHAT_AM_I: "player_work"}
_OF_PROMISES = {
    "promise_kept": "says_kept",
    "debt_paid": "says_kept",
    "promise_broken": "says_broken",
    "promise_made": "",
}
"""Event types of memories of a promise, and what is said of them."""


def of_oneself(
    config: Wording, key: str, spoken: SpokenMemory, memories: Iterable[Mapping[str, Any]]
) -> tuple[Mapping[str, Any], Passage] | None:
    """Return the memory in which an NPC tells of itself what the phrases of a key say, and its passage."""
    for memory in memories:
        passage = spoken.passage(memory, lambda _text: 0.0)
        is_own = passage is not None and passage.voice == FACT and _QUOTES.isdisjoint(passage.text)
        if passage is not None and is_own and tells(config, key, passage.text):
            return memory, passage
    return None


def of_the_player(
    config: Wording, kind: str, asker: str, spoken: SpokenMemory, memories: Iterable[Mapping[str, Any]]
) -> tuple[Mapping[str, Any], Passage] | None:
    """Return the newest memory in which whoever asks told that of themselves, a fact before other talk."""
    pairs = [(memory["metadata"], memory) for memory in memories]
    pairs.sort(key=lambda pair: (pair[0]["event_type"] != PLAYER_INFO, -pair[0]["timestamp"]))
    for metadata, memory in pairs:
        passage = spoken.passage(memory, lambda _text: 0.0) if metadata.get("speaker") == asker else None
        is_fact = kind in _INFO_TYPES and metadata.get("info_type") == _INFO_TYPES[kind]
        if passage and (is_fact or tells_of_oneself(config, kind, passage.text)):
            return memory, passage
    return None


def of_a_promise(
    asker: str, spoken: SpokenMemory, memories: Iterable[Mapping[str, Any]]
) -> tuple[Mapping[str, Any], Passage, str] | None:
    """Return the newest memory of a promise of whoever asks, its passage, and the key of what an NPC says to
    one that was kept or broken; "" for one that is open.
    """
    for memory in sorted(memories, key=lambda memory: -memory["metadata"]["timestamp"]):
        metadata = memory["metadata"]
        event_type = metadata["event_type"]
        fact = metadata.get("fact")
        fact = fact if isinstance(fact, Mapping) else {}
        is_payment = event_type == "debt_paid" and not fact.get("settles")
        if event_type not in _OF_PROMISES or is_payment:
            continue
        bound = fact.get("by") or metadata.get("speaker")
        if bound != asker if bound else not spoken.is_done_by_asker(memory):
            continue
        passage = spoken.passage(memory, lambda _text: 0.0)
        if passage is not None:
            return memory, passage, _OF_PROMISES[event_type]
    return None
