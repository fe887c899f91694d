"""A relationship in sentences."""

from __future__ import annotations

import math
from typing import Any

import pytest

from rag_memory.config import MemoryConfig
from rag_memory.prompt.relationship_words import guidance, relationship_sentences

CONFIG = MemoryConfig()


@pytest.mark.parametrize(
    ("numbers", "keys"),
    [
        ({}, []),
        ({"trust": 50, "fear": 0}, []),
        ({"trust": 90}, ["trust_with_life"]),
        ({"trust": 89.9}, ["trust_deeply"]),
        ({"trust": -1, "respect": -41}, ["trust_not", "respect_despised"]),
        ({"affection": -20, "familiarity": 29}, ["affection_disliked", "familiarity_hardly"]),
        ({"familiarity": 30, "fear": 75, "respect": 0}, ["fear_terrified", "familiarity_known"]),
        ({"trust": math.nan, "respect": "80", "fear": True, "affection": None}, []),
    ],
)
def test_sentences(numbers: dict[str, Any], keys: list[str]) -> None:
    assert relationship_sentences(numbers, CONFIG) == [CONFIG.sentence(key) for key in keys]


@pytest.mark.parametrize(
    ("relationship", "keys"),
    [
        ({}, ["guidance_always"]),
        ({"met": False}, ["guidance_stranger", "guidance_always"]),
        ({"met": True, "status": "friendly"}, ["guidance_friendly", "guidance_always"]),
        ({"status": "rival of old"}, ["guidance_always"]),
    ],
)
def test_guidance(relationship: dict[str, Any], keys: list[str]) -> None:
    assert guidance(relationship, CONFIG) == [CONFIG.sentence(key) for key in keys]
