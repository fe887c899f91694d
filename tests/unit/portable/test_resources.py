"""A MemoryConfig that Godot wrote as a resource file, such as that of the Land game."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_memory.errors import InvalidArgumentError
from rag_memory.portable.foreign_file import read_plan
from rag_memory.portable.import_plan import ImportPlan
from rag_memory.text.file_text import FileData

LAND = """[gd_resource type="Resource" script_class="MemoryConfig" load_steps=2 format=3 uid="uid://x"]

[ext_resource type="Script" path="res://scripts/resources/memory_config.gd" id="1_a"]

[resource]
script = ExtResource("1_a")
tier_weights = Array[float]([4.0, 2.0, 1.0])
recency_half_life_days = 3.5
recency_floor = 7.0
importance_threshold = 6
high_signal_event_types = Array[String](["betrayal",
"a \\"life\\" saved"])
protected_slot_types = PackedStringArray("player_name", "home")
use_score_based_selection = false
of_land_alone = Vector2(1, 2)
"""


def resource(text: str) -> ImportPlan:
    return read_plan("preview_import()", FileData(text.encode(), "res://old.tres"), {})


def test_the_config_of_land_keeps_its_settings() -> None:
    read = resource(LAND)
    assert read.config == {
        "tier_weights": [4.0, 2.0, 1.0],
        "recency_half_life_days": 3.5,
        "importance_threshold_for_tier": 6,
        "high_signal_event_types": ["betrayal", 'a "life" saved'],
        "protected_slot_types": ["player_name", "home"],
        "use_score_based_selection": False,
    }
    assert read.not_kept == [
        "These properties are unknown here, or their values out of range: recency_floor, of_land_alone."
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[resource]",
        "[resource]\nrecency_floor = " + "[" * 100_000,
        "[resource]\ntop = 1",
        "recency_floor = 0.5",
    ],
)
def test_a_hostile_resource_gives_a_clear_error(text: str) -> None:
    with pytest.raises(InvalidArgumentError, match="no property of a MemoryConfig") as error:
        resource(text)
    assert error.value.remedy


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40), st.integers(0, len(LAND)))
def test_whatever_a_resource_holds_it_is_read_or_refused(noise: str, place: int) -> None:
    try:
        read = resource(LAND[:place] + noise.encode(errors="ignore").decode() + LAND[place:])
    except InvalidArgumentError:
        return
    assert read.config
