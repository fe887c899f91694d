"""The selection of candidates within a budget, best first or tier by tier, and the form of each."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

from rag_memory.config.memory_config import TIER_IMPORTANT, TIER_PINNED, TIER_REGULAR, MemoryConfig
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.memory_view import FULL, SHORT, full_from
from rag_memory.memory.record import Record
from rag_memory.memory.secrecy import validate_listeners
from rag_memory.retrieval.candidate import Candidate, distinct
from rag_memory.retrieval.candidates import CandidateRanker, TierLimits
from rag_memory.text.token_width import token_width, tokens_of_width
from rag_memory.validation import validate_count, validate_integer, validate_options
from rag_memory.vectors import Mask

_LOG = logging.getLogger("rag_memory")


def estimate_tokens(text: str) -> int:
    """The number of tokens a language model needs for a text, estimated by its script and rounded up."""
    return tokens_of_width(token_width(text))


def select(
    config: MemoryConfig,
    npc_id: str,
    ranker: CandidateRanker,
    protected: Sequence[Record],
    token_budget: int,
) -> tuple[list[Candidate], list[Candidate]]:
    """The candidates of a question in their order, and those of them that fit: by score, or with
    use_score_based_selection off tier by tier, within max_memory_chars too.
    """
    if config.use_score_based_selection:
        ranked, chars = ranker.by_score(protected), None
    else:
        tiers = ranker.by_tier(protected, TierLimits.configured(config))
        ranked, chars = distinct(chain(*tiers)), config.max_memory_chars
    return ranked, fill_budget(config, npc_id, ranked, token_budget, chars)


def fill_budget(
    config: MemoryConfig,
    npc_id: str,
    ranked: Sequence[Candidate],
    token_budget: int | None,
    max_chars: int | None = None,
) -> list[Candidate]:
    """The candidates that fit, in their order, each with its rendered text.

    Protected candidates (they come first) are always taken, with a logged warning when they alone exceed the
    budget. Of the others each that fits is taken; one that does not fit is skipped. The full text is used
    where it fits, else the short form. With the score mode PRODUCT the full text has to be highly relevant,
    too, as in the design documents.

    Args:
        token_budget: None for no such limit.
        max_chars: on the characters of all rendered texts together; None for no such limit.
    """
    taken: list[Candidate] = []
    tokens_left = math.inf if token_budget is None else token_budget
    chars_left = math.inf if max_chars is None else max_chars
    least_similarity = full_from(config)
    for candidate in ranked:
        in_full = candidate.similarity >= least_similarity
        text, form = _rendered(config, candidate, in_full, tokens_left, chars_left)
        tokens = estimate_tokens(text)
        fits = tokens <= tokens_left and len(text) <= chars_left
        if not fits and not candidate.protected:
            continue
        candidate.rendered_text, candidate.used_form = text, form
        taken.append(candidate)
        tokens_left -= tokens
        chars_left -= len(text)
        if not fits:
            budgets = [] if token_budget is None else [f"the token budget of {token_budget}"]
            budgets += [] if max_chars is None else [f"max_memory_chars, {max_chars} characters"]
            _LOG.warning(
                "%s: the protected memory %s exceeds %s; it is returned all the same. Raise the budget or "
                "shorten the protected memories.",
                npc_id,
                candidate.id,
                " or ".join(budgets),
            )
    return taken


def _rendered(
    config: MemoryConfig, candidate: Candidate, in_full: bool, tokens_left: float, chars_left: float
) -> tuple[str, str]:
    full = candidate.render(config, FULL)
    if not config.use_dual_representation:
        return full, FULL
    fits = estimate_tokens(full) <= tokens_left and len(full) <= chars_left
    if fits and in_full:
        return full, FULL
    return candidate.render(config, SHORT), SHORT


_TIER_LIMITS = ("max_pinned_memories", "max_important_memories", "max_regular_memories", "max_memory_chars")
TIER_LISTS = {"pinned": TIER_PINNED, "important": TIER_IMPORTANT, "relevant": TIER_REGULAR}
_TIER_OPTIONS = (*_TIER_LIMITS, "min_importance", "filter", "listeners", "speaker")


class Tiered(NamedTuple):
    """An answer tier by tier, and the keys of what is in it without being protected."""

    memories: dict[str, Any]
    keys: list[int]


class TierOptions(NamedTuple):
    """The limits of a tiered answer, its filter, and who hears it."""

    limits: TierLimits
    chars: int
    min_importance: int
    filter: Any
    listeners: list[str] | None
    """None for who asks."""
    speaker: Any
    """The id of who asks, not checked."""


def tier_options(config: MemoryConfig, options: Any) -> TierOptions:
    """The options of a retrieve_tiered() call; what is left out is as configured.

    Raises:
        InvalidArgumentError: an option that does not exist, or a value of the wrong type or below 0.
    """
    call = "retrieve_tiered()"
    options = validate_options(call, options, _TIER_OPTIONS)
    limits = [validate_count(call, name, options.get(name, getattr(config, name))) for name in _TIER_LIMITS]
    pinned, important, relevant, chars = limits
    least = options.get("min_importance")
    if least is not None:
        least = validate_integer(call, "min_importance", least)
    listeners = options.get("listeners")
    return TierOptions(
        TierLimits(pinned, important, relevant, config.min_tiered_importance if least is None else least),
        chars,
        least or 0,
        options.get("filter", {}),
        validate_listeners(call, listeners) if "listeners" in options else None,
        options.get("speaker", PLAYER),
    )


def select_by_tier(
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
        for (name, tier), candidates in zip(TIER_LISTS.items(), tiers, strict=True)
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
    return Tiered(
        memories,
        [candidate.record.key for candidate in taken if not candidate.protected and not candidate.is_shared],
    )
