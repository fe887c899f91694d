"""A person with several names is found by each of them: aliases, and the former names of the player."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.conftest import GameClock

from rag_memory import Npc, Save
from rag_memory.searchable.player_names import player_names
from rag_memory.text.file_text import FileText

DAY = 86400.0
NAME = {"slot_type": "player_name"}


@pytest.fixture
def save(opened: Callable[..., Save], save_path: Path) -> Save:
    return opened(save_path)


@pytest.fixture
def bren(save: Save, clock: GameClock) -> Npc:
    """Bren met the player as Kestrel, who calls herself Odile now."""
    bren = save.npc("bren")
    for text in (
        "The bridge was mended.",
        "A trader sold salt.",
        "It rained all day.",
        "The old well is dry.",
        "Gunnar sang at the fair.",
    ):
        bren.memories.store(text, 5)
    bren.memories.store_with_conflict_check("The player's name is Kestrel.", 9, NAME)
    clock.now += DAY
    bren.memories.store("Kestrel pulled my son out of the river.", 8, {"participants": ["Kestrel"]})
    clock.now += DAY
    bren.memories.store_with_conflict_check("The player's name is Odile.", 9, NAME)
    return bren


def texts(memories: list[dict[str, Any]]) -> list[str]:
    return [memory["document_full"] for memory in memories]


def test_a_former_name_of_the_player_is_the_player(bren: Npc, save: Save) -> None:
    best = texts(bren.recall.retrieve_relevant_raw("What did Odile do?", {"limit": 2}))
    assert "Kestrel pulled my son out of the river." in best
    assert bren.recall.knows("Odile pulled my son out of the river")
    assert bren.recall.knows_event({"event_type": "general", "participants": ["Odile"]})
    filtered = {"filter": {"participants": {"contains": "Odile"}}}
    assert texts(bren.recall.retrieve_relevant_raw("river", filtered)) == [
        "Kestrel pulled my son out of the river."
    ]
    # Another NPC does not know that they are one.
    assert player_names(save.npc("vera").records) == []
    assert player_names(bren.records) == ["Odile", "Kestrel"]


def test_a_prompt_says_who_the_former_name_is(bren: Npc) -> None:
    prompt = bren.prompts.build_prompt("line", "Do you remember the river?", {}, {})["prompt"]
    assert "The player is called Odile (Kestrel)." in prompt


def test_a_forgotten_name_is_no_name(bren: Npc, save: Save) -> None:
    for version in bren.archive.get_archived():
        bren.memories.forget(version["id"])
    assert player_names(bren.records) == ["Odile"]


def test_a_name_that_is_taken_back_leaves_no_alias(bren: Npc, save: Save) -> None:
    with save.context.exchange("x1", "bren"):
        bren.memories.store_with_conflict_check("The player's name is Tamsin.", 9, NAME)
    assert player_names(bren.records) == ["Tamsin", "Odile", "Kestrel"]
    bren.exchange_undo.undo_exchange("x1")
    assert player_names(bren.records) == ["Odile", "Kestrel"]


@pytest.fixture
def crow(save: Save) -> Save:
    save.world.characters.register_character(
        "smuggler_2", {"name": "Halvar", "aliases": ["the Magpie"], "faction": "smugglers"}
    )
    save.world.characters.register_character("bren", {"name": "Bren", "faction": "guard"})
    for text in ("The harvest was good.", "The mayor is ill.", "The bridge is closed."):
        save.world.events.record_event({"summary": text, "visibility": "global"})
    save.world.events.record_event(
        {"summary": "Halvar burned the customs house.", "visibility": "global", "actor": "smuggler_2"}
    )
    lore = "# Halvar\n\nHalvar grew up in the marsh.\n\n# Salt\n\nSalt is dear.\n"
    save.world.lore.import_lore(FileText(lore), {"key": "lore"})
    return save


def test_world_events_and_lore_are_found_by_an_alias(crow: Save) -> None:
    events = crow.world.events.search_events("bren", "What did the Magpie do?", {"limit": 1})
    assert events[0]["summary"] == "Halvar burned the customs house."
    lore = crow.world.lore.search_lore("Where did the Magpie grow up?", {"limit": 1})
    assert "marsh" in lore[0]["text"]


def test_a_filter_by_participant_finds_every_name(crow: Save) -> None:
    bren = crow.npc("bren")
    bren.memories.store("Halvar paid me in silver.", 5, {"participants": ["Halvar"]})
    bren.memories.store("He hid a chest.", 5, {"participants": ["smuggler_2"]})
    bren.memories.store("Gunnar sang.", 5, {"participants": ["Gunnar"]})
    for name in ("the Magpie", "The Magpie", "Halvar", "smuggler_2"):
        filter = {"participants": {"contains": name}}
        memories = bren.recall.retrieve_relevant_raw("", {"filter": filter, "limit": 9})
        assert sorted(texts(memories)) == ["Halvar paid me in silver.", "He hid a chest."], name
        assert bren.tools.browse({"filter": filter})["total"] == 2
    assert bren.memories.forget_where({"participants": {"contains": "the Magpie"}}) == 2
    assert texts(bren.recall.get_recent(5)) == ["Gunnar sang."]


def test_a_dossier_knows_a_character_by_an_alias(crow: Save) -> None:
    bren = crow.npc("bren")
    bren.memories.store("The stranger paid me.", 5, {"participants": ["the Magpie"]})
    bren.memories.store("He hid a chest in the barn.", 5, {"participants": ["smuggler_2"]})
    by_alias = bren.dossiers.build_dossier("What of the Magpie?", {"present": ["the Magpie"]})
    by_name = bren.dossiers.build_dossier("What of Halvar?", {"present": ["smuggler_2"]})
    assert "Halvar burned the customs house." in by_alias["text"]
    for dossier in (by_alias, by_name):
        first = dossier["sections"]["memories"]["text"].splitlines()[1]
        assert first.startswith("- He hid a chest in the barn.")
    assert by_alias["sources"]["memories"] == by_name["sources"]["memories"]
    assert by_alias["sources"]["events"][0] == by_name["sources"]["events"][0]
