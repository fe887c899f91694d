"""The rules that the addon's scripts call by name."""

from __future__ import annotations

import pytest

from rag_memory.config import MemoryConfig
from rag_memory.errors import InvalidArgumentError
from rag_memory.godot import script_rules
from rag_memory.godot.variant_codec import ITEMS_KEY
from rag_memory.validation import EngineValue


def test_a_rule_by_its_name() -> None:
    data = {"secrets": [{"secret": "A.", "unlock_trust": 1}]}
    assert script_rules.apply_rule("personality.unlocked_secrets", [data, {"trust": 2}]) == [0]
    lines = script_rules.apply_sentence_rule(MemoryConfig(), "relationship.sentences", [{"trust": 72}])
    assert lines == ["You trust the player deeply."]


def test_a_key_that_is_no_string_is_named() -> None:
    data = {"initial_relationship": EngineValue("Dictionary", {ITEMS_KEY: [[7, 2], ["trust", 3]]})}
    assert script_rules.apply_rule("personality.relationship_problems", [data]) == [
        "initial_relationship.7 has no String as its key, so it is left out."
    ]


def test_a_slip_is_named() -> None:
    with pytest.raises(InvalidArgumentError, match=r'no rule "personality.activty"'):
        script_rules.apply_rule("personality.activty", [{}, 1])
    with pytest.raises(InvalidArgumentError, match="cannot be applied to these arguments"):
        script_rules.apply_rule("personality.activity", [{}])
