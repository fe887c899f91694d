"""A profile follows how the NPC stands to the player."""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from rag_memory import Save
from rag_memory.step import Step

OPEN = Callable[..., Save]
ROSA = {"name": "Rosa", "occupation": "baker", "location": "Fernhill", "relation_to_player": 60}
HATED = {"trust": 5, "affection": -60, "respect": -20}


def _profile(save: Save) -> dict[str, Any]:
    return save.world.profiles.get_profile("rosa")


def test_a_new_profile_is_up_to_date_and_a_small_change_leaves_it_so(opened: OPEN) -> None:
    save = opened()
    written = save.world.profiles.ensure_profile("rosa", ROSA)
    assert "Rosa thinks well of the player." in written["backstory"]
    assert (written["relationship_to_player"], written["is_outdated"]) == ({}, False)
    save.npc("rosa").relationship.store_relationship("player", {"respect": 50})
    assert _profile(save)["is_outdated"] is False
    assert _profile(save)["backstory"] == written["backstory"]
    assert _profile(save)["relationship_to_player"]["respect"] == 50


def test_a_friend_who_became_an_enemy_is_in_the_profile_and_in_the_dossier(
    opened: OPEN, save_path: Path
) -> None:
    save = opened(save_path)
    save.world.characters.register_character("rosa", ROSA)
    save.world.profiles.ensure_profile("rosa")
    mark = save.marks.add()
    npc = save.npc("rosa")
    npc.relationship.store_relationship("player", HATED)
    profile = _profile(save)
    assert profile["is_outdated"] and profile["relationship_to_player"]["status"] == "hostile"
    assert "thinks well of the player" not in profile["backstory"]
    assert profile["backstory"].endswith("Rosa thinks little of the player.")
    dossier = npc.dossiers.build_dossier("Good morning!")["sections"]["profile"]["text"]
    assert npc.config.sentence("affection_hated") in dossier
    save.close()
    again = opened(save_path)
    assert _profile(again) == profile
    again.marks.rollback_to(mark)
    assert not _profile(again)["is_outdated"]
    assert "Rosa thinks well of the player." in _profile(again)["backstory"]


def test_numbers_that_the_game_keeps_count_and_set_profile_stores_none_of_them(opened: OPEN) -> None:
    save = opened()
    save.world.profiles.set_profile("rosa", {"backstory": "Rosa bakes. Rosa thinks little of the player."})
    save.npc("rosa").relationship.set_relationship_state({"trust": 90, "affection": 70})
    profile = _profile(save)
    assert profile["backstory"] == "Rosa bakes. rosa thinks well of the player."
    assert profile["relationship_to_player"]["status"] == "trusted_ally"
    save.world.profiles.set_profile("rosa", {**profile, "backstory": "Rosa bakes."})
    save.npc("rosa").relationship.set_relationship_state({})
    assert (_profile(save)["relationship_to_player"], _profile(save)["is_outdated"]) == ({}, False)


@pytest.mark.parametrize("has_writer", [False, True])
def test_a_profile_that_is_written_anew_is_of_now(opened: OPEN, has_writer: bool) -> None:
    requests: list[dict[str, Any]] = []

    def write(request: dict[str, Any]) -> Generator[Step, None, Any]:
        requests.append(request)
        yield Step(0, 1, "waiting for the game")
        return {"backstory": "She was robbed by the player."}

    save = opened()
    save.world.profiles.ensure_profile("rosa", ROSA)
    save.npc("rosa").relationship.store_relationship("player", HATED)
    if has_writer:
        save.context.profile_writer = write
    profile = save.world.profiles.regenerate_profile("rosa", {"name": "Rosa"})
    assert not profile["is_outdated"] and profile["relationship_to_player"]["trust"] == 5
    if has_writer:
        assert requests[0]["relationship"]["status"] == "hostile"
        assert profile["backstory"] == "She was robbed by the player."
    else:
        assert "Rosa thinks little of the player." in profile["backstory"]
    save.npc("rosa").relationship.store_relationship("player", {"trust": 95, "affection": 80})
    assert _profile(save)["is_outdated"]
    assert _profile(save)["backstory"].endswith("thinks well of the player.")
