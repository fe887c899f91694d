"""The values of a dossier: those of the design document, presets, and errors that say what to do."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from rag_memory.config.dossier_config import SECTIONS, DossierPreset, NPCDossierConfig
from rag_memory.errors import ConfigError
from rag_memory.prompt.ranking import BONUSES


def test_budgets_and_bonuses_are_those_of_the_design() -> None:
    config = NPCDossierConfig()
    budgets = {
        name: config.budget(name) for name in ("profile", "scene", "memories", "events", "lore", "turns")
    }
    assert budgets == {
        "profile": 250, "scene": 500, "memories": 500, "events": 400, "lore": 500, "turns": 500,
    }  # fmt: skip
    assert list(BONUSES.values()) == [50, 35, 30, 25, 25, 20, 20, 15, -20, -30]
    assert sum(config.budget(name) for name in SECTIONS) == config.total_tokens


@pytest.mark.parametrize("preset", DossierPreset)
def test_a_preset_is_valid_and_what_is_changed_beside_it_holds(preset: DossierPreset) -> None:
    config = NPCDossierConfig(preset=preset, section_tokens={"lore": 321}, max_items={"lore": 1}).validated()
    assert (config.budget("lore"), config.most("lore"), config.least("lore")) == (321, 1, 2)
    assert config.validated() == config
    assert all(config.budget(name) <= config.total_tokens for name in SECTIONS)


def test_a_smaller_model_gets_a_smaller_dossier() -> None:
    sizes = [NPCDossierConfig(preset=each).validated().total_tokens for each in list(DossierPreset)[1:]]
    assert sizes == [1400, 3200, 5600]


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("total_tokens", -1, "0 to 100000"),
        ("preset", 9, "SMALL_4B (1)"),
        ("flow_order", ["memory"], "profile, backstory"),
        ("bonus_weight", 2.0, "0 to 1"),
        ("section_tokens", {"lore": -1}, "0 to 100000"),
        ("section_tokens", {"news": 1}, "lore"),
        ("max_items", {"scene": 1}, "turns"),
        ("min_items", {"turns": 1}, "memories"),
    ],
)
def test_a_bad_value_names_field_value_and_range(name: str, value: Any, says: str) -> None:
    with pytest.raises(ConfigError) as error:
        dataclasses.replace(NPCDossierConfig(), **{name: value}).validated()
    assert name in str(error.value)
    assert says in str(error.value)
