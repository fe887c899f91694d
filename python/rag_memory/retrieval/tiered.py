"""Retrieval by tier: so many pinned, important and relevant memories, within a number of characters."""

from __future__ import annotations

from itertools import chain
from typing import Any, NamedTuple

from rag_memory.config.memory_config import TIER_IMPORTANT, TIER_PINNED, TIER_REGULAR, MemoryConfig
from rag_memory.memory.record import Record
from rag_memory.retrieval.candidates import CandidateRanker, TierLimits, distinct
from rag_memory.retrieval.selection import fill_budget
from rag_memory.validation import validate_count, validate_integer, validate_options
from rag_memory.vectors import Mask

LIMITS = ("max_pinned_memories", "max_important_memories", "max_regular_memories", "max_memory_chars")
LISTS = {"pinned": TIER_PINNED, "important": TIER_IMPORTANT, "relevant": TIER_REGULAR}
OPTIONS = (*LIMITS, "min_importance", "filter")


class Tiered(NamedTuple):
    """An answer tier by tier, and the keys of what is in it without being protected."""

    memories: dict[str, Any]
    keys: list[int]


class TierOptions(NamedTuple):
    """The limits of a tiered answer, and its filter."""

    limits: TierLimits
    chars: int
    min_importance: int
    filter: Any


def tier_options(config: MemoryConfig, options: Any) -> TierOptions:
    """The options of a retrieve_tiered() call; what is left out is as configured.

    Raises:
        InvalidArgumentError: an option that does not exist, or a value of the wrong type or below 0.
    """
    call = "retrieve_tiered()"
    options = validate_options(call, options, OPTIONS)
    limits = [validate_count(call, name, options.get(name, getattr(config, name))) for name in LIMITS]
    pinned, important, relevant, chars = limits
    least = options.get("min_importance")
    if least is not None:
        least = validate_integer(call, "min_importance", least)
    return TierOptions(
        TierLimits(pinned, important, relevant, config.min_tiered_importance if least is None else least),
        chars,
        least or 0,
        options.get("filter", {}),
    )


def retrieve(
    config: MemoryConfig,
    npc_id: str,
    ranker: CandidateRanker,
    options: TierOptions,
    allowed: Mask,
    protected: list[Record],
) -> Tiered:
    """{pinned, important, relevant, total_chars, budget_remaining}.

    A memory is in its form that fits, or left out; none is cut. Protected memories are in the list of their
    tier, first and always.

    Args:
        allowed: which memories the filter and the least importance let through.
        protected: the stored ones; the generated header is not among them.
    """
    first, *tiers = ranker.by_tier(protected, options.limits, allowed)
    taken = fill_budget(config, npc_id, distinct(chain(first, *tiers)), None, options.chars)
    fitting = {candidate.id for candidate in taken}
    total = sum(len(candidate.rendered_text) for candidate in taken)
    lists = {
        name: [*(candidate for candidate in first if candidate.record.memory_tier == tier), *candidates]
        for (name, tier), candidates in zip(LISTS.items(), tiers, strict=True)
    }
    memories = {
        **{
            name: [
                candidate.as_dictionary(npc_id, config) for candidate in candidates if candidate.id in fitting
            ]
            for name, candidates in lists.items()
        },
        "total_chars": total,
        "budget_remaining": max(0, options.chars - total),
    }
    return Tiered(memories, [candidate.record.key for candidate in taken if not candidate.protected])
