"""Configs that inherit: defaults are those of the other config."""

from __future__ import annotations

from rag_memory.config.inheritance import with_inherited
from rag_memory.config.memory_config import MemoryConfig
from rag_memory.config.mind_config import NPCMindConfig, mind_config_from

DEFAULTS = {"memory_token_budget": 2500, "consolidate_target": 20, "inherits": None}


def test_values_come_from_the_nearest_config_that_has_changed_them() -> None:
    everybody = {**DEFAULTS, "memory_token_budget": 900, "consolidate_target": 10}
    guards = {**DEFAULTS, "memory_token_budget": 800, "inherits": everybody}
    captain = {**DEFAULTS, "inherits": guards}
    assert with_inherited(MemoryConfig, captain) == {"memory_token_budget": 800, "consolidate_target": 10}
    assert with_inherited(MemoryConfig, {**captain, "memory_token_budget": 40})["memory_token_budget"] == 40
    assert with_inherited(MemoryConfig, everybody)["consolidate_target"] == 10


def test_a_config_alone_has_its_own_values() -> None:
    assert with_inherited(MemoryConfig, DEFAULTS) == {"memory_token_budget": 2500, "consolidate_target": 20}
    assert mind_config_from(None) == NPCMindConfig().validated()


def test_tables_are_inherited_whole() -> None:
    brave = {"action_sentiments": {"sang": 5.0}, "inherits": None}
    usual = NPCMindConfig().action_sentiments
    assert mind_config_from({"action_sentiments": usual, "inherits": brave}).action_sentiments == {
        "sang": 5.0
    }
