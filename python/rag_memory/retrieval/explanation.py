"""The explanation of an answer of retrieve_scored(): the path of every memory through its steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rag_memory.config.memory_config import MemoryConfig, ScoreMode
from rag_memory.memory.memory_view import full_from
from rag_memory.memory.record import Record
from rag_memory.retrieval.candidate import Candidate
from rag_memory.retrieval.candidates import CandidateRanker, by_score
from rag_memory.retrieval.relevance import KEYWORD_OVERLAP, RULE_CHANNEL, Match, Relevance
from rag_memory.retrieval.selection import estimate_tokens, select
from rag_memory.text.dedup_key import dedup_key
from rag_memory.vectors import Mask

RETURNED = "returned"
UNKNOWN = "unknown"
FILTERED = "filtered"
NOT_CANDIDATE = "not_candidate"
DUPLICATE = "duplicate"
OUT_SCORED = "out_scored"
BUDGET = "budget"

_CHANNELS = (
    "dense",
    KEYWORD_OVERLAP,
    "dense_channel",
    "keyword_channel",
    "names_channel",
    "episode_channel",
    RULE_CHANNEL,
    "event_channel",
    "time_channel",
    "order_channel",
    "sum",
    "odds",
)


class ExplainedAnswer:
    """An answer with the place of every memory at every step."""

    def __init__(
        self,
        config: MemoryConfig,
        context: str,
        budget: int,
        ranked: list[Candidate],
        taken: list[Candidate],
        most_relevant: list[Match],
        collected: list[Match],
        matches: list[Match],
    ) -> None:
        """Look up everybody's place once, because there may be many candidates.

        Args:
            ranked: the candidates without near-duplicates, best first.
            most_relevant: every memory that may become a candidate for being relevant, most relevant first.
            collected: the same in the order in which they become candidates.
            matches: every memory.
        """
        self.config = config
        self.context = context
        self.budget = budget
        self.ranked = ranked
        self.taken = taken
        self.matches = {match.key: match for match in matches}
        others = [candidate for candidate in ranked if not candidate.protected]
        self.places = _places(others)
        """Of the candidates that are not protected, by key and from 1: where they come."""
        self.score_ranks = _places(sorted(others, key=by_score))
        self.ranks = _places(taken)
        self.protected_texts = [candidate.rendered_text for candidate in taken if candidate.protected]
        """Protected memories, which are always returned."""
        self.relevance_ranks = {match.key: place for place, match in enumerate(most_relevant, 1)}
        self.relevant = _relevant(config, ranked, collected)
        self._values = {
            name: np.sort([match.parts[name] for match in matches])
            for name in _CHANNELS
            if matches and name in matches[0].parts
        }

    def channel_ranks(self, match: Match) -> dict[str, int]:
        """For each channel the rank among all memories; equal values share one."""
        return {
            name: 1 + len(values) - int(np.searchsorted(values, match.parts[name], side="right"))
            for name, values in self._values.items()
        }


def _places(candidates: Sequence[Candidate]) -> dict[int, int]:
    return {candidate.record.key: place for place, candidate in enumerate(candidates, 1)}


def answer_question(
    config: MemoryConfig,
    npc_id: str,
    context: str,
    budget: int,
    ranker: CandidateRanker,
    protected: Sequence[Record],
    relevance: Relevance,
    keys: Sequence[int],
    allowed: Mask,
) -> ExplainedAnswer:
    """Answer a question as retrieve_scored() does, and keep every step.

    Args:
        keys: of all memories.
        allowed: which of them are important enough to become candidates for being relevant.
    """
    ranked, taken = select(config, npc_id, ranker, protected, budget)
    count = int(np.count_nonzero(allowed))
    return ExplainedAnswer(
        config,
        context,
        budget,
        ranked,
        taken,
        relevance.search(count, allowed),
        ranker.collected(count, allowed),
        relevance.measure(keys),
    )


def explain_answer(answer: ExplainedAnswer, query: dict[str, Any]) -> dict[str, Any]:
    """The whole answer: every candidate with its reason, in the order of their scores."""
    candidates = [_of_candidate(answer, candidate) for candidate in answer.ranked]
    for candidate in answer.ranked:
        candidates += [_of_duplicate(answer, duplicate, candidate) for duplicate in candidate.duplicates]
    return {
        "context": answer.context,
        **query,
        **_totals(answer),
        "memories": candidates,
    }


def explain_memory(
    answer: ExplainedAnswer, query: dict[str, Any], id: str, record: Record | None
) -> dict[str, Any]:
    """One memory: where it stood at every step, and what kept it out."""
    head = {"context": answer.context, **query, **_totals(answer)}
    for candidate in answer.ranked:
        if candidate.id == id:
            return {**head, **_of_candidate(answer, candidate)}
        for duplicate in candidate.duplicates:
            if duplicate.id == id:
                return {**head, **_of_duplicate(answer, duplicate, candidate)}
    if record is None:
        text = "This NPC has no memory with this id; it may be archived, or of another NPC."
        return {**head, "memory_id": id, "reason": UNKNOWN, "text": text, "is_returned": False}
    return {**head, **_of_other(answer, record)}


def _totals(answer: ExplainedAnswer) -> dict[str, Any]:
    return {
        "memory_count": len(answer.matches),
        "candidate_count": len(answer.ranked) + sum(len(candidate.duplicates) for candidate in answer.ranked),
        "returned_count": len(answer.taken),
        "token_budget": answer.budget,
        "tokens_used": sum(estimate_tokens(candidate.rendered_text) for candidate in answer.taken),
    }


def _of_candidate(answer: ExplainedAnswer, candidate: Candidate) -> dict[str, Any]:
    key = candidate.record.key
    entry = {**_entry(answer, candidate), "score_rank": answer.score_ranks.get(key, 0)}
    if key in answer.ranks:
        entry["rank"] = answer.ranks[key]
        return {**entry, "reason": RETURNED, "is_returned": True, "text": _why_returned(candidate, entry)}
    config = answer.config
    text = _shortest(config, candidate)
    entry["tokens"] = estimate_tokens(text)
    is_too_long = entry["tokens"] > answer.budget - sum(map(estimate_tokens, answer.protected_texts))
    needed, budget = f"{entry['tokens']} tokens", f"{answer.budget} tokens"
    before, remedy = (
        _counted(entry["score_rank"] - 1, "candidate scores better", "candidates score better"),
        ", or see in the breakdown what lowers its score",
    )
    if not config.use_score_based_selection:
        is_too_long |= len(text) > config.max_memory_chars - sum(map(len, answer.protected_texts))
        needed = f"{needed} ({len(text)} characters)"
        budget = f"{budget} and {config.max_memory_chars} characters (max_memory_chars)"
        came_before = _counted(
            answer.places[key] - 1, "candidate comes before it", "candidates come before it"
        )
        before, remedy = f"{came_before}, tier by tier", ""
    if is_too_long:
        entry["text"] = (
            f"Its shortest form needs {needed}, more than the budget of {budget} leaves beside what is "
            "protected. Raise the budget, or give the memory a shorter document_short."
        )
        return {**entry, "reason": BUDGET}
    entry["text"] = (
        f"{before}, and what they left of {budget} was less than the {needed} it needs. "
        f"Raise the budget{remedy}.{_of_telling(candidate)}"
    )
    return {**entry, "reason": OUT_SCORED}


def _shortest(config: MemoryConfig, candidate: Candidate) -> str:
    full, short = candidate.document_full, candidate.document_short
    if not config.use_dual_representation:
        return full
    may_be_full = candidate.similarity >= full_from(config)
    return min(short, full, key=len) if may_be_full else short


def _of_duplicate(answer: ExplainedAnswer, candidate: Candidate, better: Candidate) -> dict[str, Any]:
    if better.protected:
        place = "is protected"
    elif answer.config.use_score_based_selection:
        place = "scores at least as well"
    else:
        place = "comes before it, tier by tier"
    text = f"{better.id} says the same in nearly the same words and {place}."
    entry = _entry(answer, candidate)
    return {**entry, "reason": DUPLICATE, "duplicate_of": better.id, "text": text}


def _of_other(answer: ExplainedAnswer, record: Record) -> dict[str, Any]:
    config = answer.config
    entry = _entry_of(answer, record, answer.matches[record.key])
    if record.importance < config.min_semantic_importance:
        text = (
            f"Its importance is {record.importance}; to become a candidate for being relevant it has to be "
            f"{config.min_semantic_importance} (min_semantic_importance)."
        )
        return {**entry, "reason": FILTERED, "text": text}
    match = answer.matches[record.key]
    if not match.is_relevant and config.score_mode != ScoreMode.STREAM and config.use_score_based_selection:
        text = (
            f"Its sum is {match.parts['sum']:.1f}, too low to be what was asked for; it is neither in a "
            "protected slot nor a recent high-signal event."
        )
        return {**entry, "reason": NOT_CANDIDATE, "text": text}
    text = (
        "Others have a better sum of recency, importance and relevance, and "
        f"{_counted(config.semantic_top_k, 'becomes a candidate', 'become candidates')} for that "
        "(semantic_top_k); it is neither in a protected slot nor a recent high-signal event."
        if config.use_score_based_selection and config.score_mode == ScoreMode.STREAM
        else f"{_counted(entry['relevance_rank'] - 1, 'memory is', 'memories are')} more relevant, and "
        f"{_counted(config.semantic_top_k, 'becomes a candidate', 'become candidates')} for that "
        "(semantic_top_k); it is neither in a protected slot nor a recent high-signal event."
        if config.use_score_based_selection
        else "The limit of its tier (max_pinned_memories, max_important_memories or max_regular_memories) "
        "was reached before it."
    )
    return {**entry, "reason": NOT_CANDIDATE, "text": text}


def _entry(answer: ExplainedAnswer, candidate: Candidate) -> dict[str, Any]:
    if candidate.record.key < 0:
        return {
            "memory_id": candidate.id,
            "document": candidate.document_short,
            "source": "protected",
            "is_returned": False,
            "ranks": {},
            "breakdown": {},
        }
    entry = _entry_of(answer, candidate.record, candidate.match)
    entry["breakdown"] = candidate.breakdown()
    entry["score"] = candidate.score
    entry["duplicates"] = [duplicate.id for duplicate in candidate.duplicates]
    entry["newer"] = candidate.newer
    entry["earlier"] = list(candidate.earlier)
    entry["source"] = _source(answer, candidate)
    return entry


def _entry_of(answer: ExplainedAnswer, record: Record, match: Match) -> dict[str, Any]:
    return {
        "memory_id": record.id,
        "document": record.document_short,
        "is_returned": False,
        "source": "",
        "similarity": match.similarity,
        "breakdown": dict(match.parts),
        "relevance_rank": answer.relevance_ranks.get(record.key, 0),
        "ranks": answer.channel_ranks(match),
    }


def _source(answer: ExplainedAnswer, candidate: Candidate) -> str:
    if candidate.protected:
        return "protected"
    config = answer.config
    if not config.use_score_based_selection:
        return "tier"
    if not config.use_bounded_collection:
        return "all"
    if candidate.record.key not in answer.relevant:
        return "high_signal"
    return "stream" if config.score_mode == ScoreMode.STREAM else "relevance"


def _relevant(config: MemoryConfig, ranked: list[Candidate], collected: list[Match]) -> set[int]:
    """Return the keys of the candidates that were collected for their relevance, whatever else makes them
    one.
    """
    documents = {
        ranked_one.record.key: ranked_one.document_full
        for candidate in ranked
        for ranked_one in (candidate, *candidate.duplicates)
    }
    texts: set[tuple[str, ...]] = set()
    keys: set[int] = set()
    for match in collected:
        if match.key not in documents:
            if len(texts) == config.semantic_top_k:
                break
            # A later memory holds its slot.
            continue
        text = dedup_key(documents[match.key])
        if len(texts) == config.semantic_top_k and text not in texts:
            break
        texts.add(text)
        keys.add(match.key)
    return keys


def _why_returned(candidate: Candidate, entry: dict[str, Any]) -> str:
    if candidate.protected:
        return "It is protected: always returned, before all others."
    channels = [
        f"{name.removesuffix('_channel')} {rank}"
        for name, rank in entry["ranks"].items()
        if name != "dense" or len(entry["ranks"]) == 1
    ]
    if entry["source"] == "tier":
        return "The limits of the tiers have room for it, and it fits the budget."
    why = {
        "relevance": f"It is the {_ordinal(entry['relevance_rank'])} most relevant (ranks: "
        f"{', '.join(channels)})",
        "stream": f"It is among the best by recency, importance and relevance (ranks: {', '.join(channels)})",
        "high_signal": "It is a recent high-signal event",
        "all": "Every memory is a candidate",
    }[entry["source"]]
    place = _ordinal(entry["score_rank"])
    return f"{why}, has the {place} best score, and fits the budget.{_of_telling(candidate)}"


def _of_telling(candidate: Candidate) -> str:
    if candidate.told_factor == 1.0:
        return ""
    return f" It was told to the listeners in this talk: its score counts {candidate.told_factor:g} times."


def _ordinal(number: int) -> str:
    suffix = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def _counted(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"
