"""The selection of candidates within a token budget, best first, and the form of each."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from itertools import chain

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.memory.memory_view import FULL, SHORT, is_shown_in_full
from rag_memory.memory.record import Record
from rag_memory.retrieval.candidates import Candidate, CandidateRanker, TierLimits, distinct

_LOG = logging.getLogger("rag_memory")
CHARS_PER_TOKEN = 3


def estimate_tokens(text: str) -> int:
    """The number of tokens a language model needs for a text, estimated as one per three characters, rounded
    up.

    That is high for English and most languages in Latin letters. Other scripts may need more: Chinese,
    Japanese, Korean and Thai about one token a character.
    """
    return -(-len(text) // CHARS_PER_TOKEN)


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
    for candidate in ranked:
        text, form = _rendered(config, candidate, tokens_left, chars_left)
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
    config: MemoryConfig, candidate: Candidate, tokens_left: float, chars_left: float
) -> tuple[str, str]:
    full = candidate.document_full
    if not config.use_dual_representation:
        return full, FULL
    fits = estimate_tokens(full) <= tokens_left and len(full) <= chars_left
    if fits and is_shown_in_full(config, candidate.similarity):
        return full, FULL
    return candidate.document_short, SHORT
