"""Which memories leave when an NPC may keep no more of them (MemoryConfig.max_memories)."""

from __future__ import annotations

from collections.abc import Sequence

from rag_memory.config.conflicts import open_kind
from rag_memory.config.memory_config import TIER_PINNED, MemoryConfig
from rag_memory.memory.record import Record
from rag_memory.mind.consolidation import is_ordinary, scores_steps
from rag_memory.mind.meeting import FIRST_MEETING
from rag_memory.step import Steps


def leaving_steps(config: MemoryConfig, records: Sequence[Record], now: float) -> Steps[list[Record]]:
    """Return the memories that may leave, in slices, in the order in which they do: first what consolidation
    may merge, then the others, each by its score without a question, the lowest first.
    """
    free = [record for record in records if not _stays(record)]
    scored = yield from scores_steps(config, free, now)
    leaving = sorted(scored, key=lambda entry: (not is_ordinary(config, entry[-1]), entry))
    return [record for *_, record in leaving]


def _stays(record: Record) -> bool:
    return bool(
        record.memory_tier == TIER_PINNED
        or record.is_milestone
        or record.slot_type
        or record.info_type
        or record.event_type == FIRST_MEETING
        or (open_kind(record.event_type) and not record.superseded_by)
    )
