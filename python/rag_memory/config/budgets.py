"""The limits of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rag_memory.config.config_field import config_field

PROMPT_BUDGETS: Mapping[str, int] = {
    "identity": 500,
    "relationship": 150,
    "guidance": 150,
    "listeners": 600,
    "secrets": 240,
    "world_state": 200,
    "world_facts": 500,
    "memories": 2500,
    "interaction_types": 350,
    "response_schema": 450,
    "recent_turns": 3000,
    "already_told": 150,
    "player_input": 500,
}
"""The sections of a prompt in their order, and the tokens that each may fill: 9290 in all, which leaves room
for the answer in a context of 10000."""


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class ContextBudget:
    """Most characters, memories and tokens of an answer."""

    max_memory_chars: int = config_field(
        10000,
        group="Context Budget",
        range=(0, 1000000, 1),
        doc="Most characters that the tier-by-tier selection may return, whatever the token budget. "
        "Score-based selection uses memory_token_budget instead.",
    )
    max_pinned_memories: int = config_field(
        8,
        group="Context Budget",
        range=(0, 1000, 1),
        doc="Most PINNED memories that the tier-by-tier selection returns.",
    )
    max_important_memories: int = config_field(
        5,
        group="Context Budget",
        range=(0, 1000, 1),
        doc="Most IMPORTANT memories that the tier-by-tier selection returns.",
    )
    max_regular_memories: int = config_field(
        8,
        group="Context Budget",
        range=(0, 1000, 1),
        doc="Most memories that the tier-by-tier selection adds because they are relevant to the question.",
    )
    memory_token_budget: int = config_field(
        2500,
        group="Context Budget",
        range=(0, 1000000, 1),
        doc="Tokens that retrieve_scored() may fill when the call names no budget. A token is estimated as "
        "three characters in Latin letters, two of most other alphabets, and one in Chinese, Japanese and "
        "Korean. Only protected memories may exceed the budget.",
    )
    min_tiered_importance: int = config_field(
        4,
        group="Context Budget",
        range=(1, 10, 1),
        doc="Least importance a memory needs to be listed by retrieve_tiered() for being relevant.",
    )
