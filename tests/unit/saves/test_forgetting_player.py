"""Everything that a save has of a player is deleted: from memories, the world, and the file itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.conftest import GameClock
from tests.unit.sqlite_access import reading

from rag_memory import Save
from rag_memory.errors import InvalidArgumentError

ID, NAME = "steam_4711", "Wilhelmina"
TRACES = (ID.encode(), NAME.encode(), b"granary")


def fill(save: Save, clock: GameClock) -> None:
    """A village in which one player has left traces everywhere, and others some of the same kinds."""
    elena, bo = save.npc("elena"), save.npc("bo")
    world = save.world
    for player, name, deed in ((ID, NAME, "granary"), ("steam_2", "Rowan", "chapel")):
        clock.now += 60
        said = f"My name is {name}, and I promise to mend the {deed}."
        with save.context.exchange(f"x_{player}", "elena"):
            elena.conversation.store_turn(said, f"Thank you, {name}.", {"player_id": player})
            elena.mind.perceive(
                {"action": "helped", "source_id": player, "source_name": name, "content": f"with the {deed}"}
            )
        elena.memories.store(f"{name} mended the {deed}.", 6, {"participants": [player]})
        elena.memories.store(f"I saw {name} at the well.", 4)
        bo.memories.store(f"Elena spoke of the {deed}.", 4, {"heard_from": "elena", "about": [player]})
        elena.relationship.store_relationship(player, {"trust_level": 30})
        world.events.record_event({"summary": f"{name} mended the {deed}.", "actor": player})
        world.characters.register_character(player, {"name": name})
        world.facts.set_facts({f"f_{player}": {"text": f"{name} is kind."}})
        world.tasks.add_task({"assignee": "bo", "issuer": player, "summary": f"Pay {name}."})
        save.marks.add()
    world.characters.register_character("elena", {"name": "Elena"})
    elena.memories.store("It rains.", 4)


def tables(save: Save) -> dict[str, list[Any]]:
    """Every row of every table, by the name of the table."""
    with reading(save.store) as connection:
        names = [
            str(name) for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        return {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in names}


def tables_with(save: Save, traces: tuple[bytes, ...]) -> list[str]:
    return [
        name
        for name, rows in tables(save).items()
        if any(trace.decode().lower() in repr(rows).lower() for trace in traces)
    ]


def test_nothing_of_a_player_is_left_in_any_table_or_in_the_file(
    opened: Callable[..., Save], save_path: Path, clock: GameClock
) -> None:
    save = opened(save_path)
    fill(save, clock)
    assert {"memories", "documents", "interactions", "earlier_documents"} <= {
        *tables_with(save, TRACES),
        "earlier_documents",
    }
    done = save.player_data.forget(ID)
    assert all(done[name] > 0 for name in ("memories", "interactions", "turns", "documents"))
    assert done["snapshots"] == []
    assert tables_with(save, TRACES) == []
    elena = save.npc("elena")
    assert elena.recall.retrieve_scored(f"Who is {NAME}?") is not None
    assert elena.exchange_undo.get_exchanges() == []
    for path in save_path.parent.rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        assert not any(trace in content for trace in TRACES), path
    save.close()
    save = opened(save_path)
    assert tables_with(save, TRACES) == []


def test_other_players_and_npcs_stay(opened: Callable[..., Save], clock: GameClock) -> None:
    save = opened()
    fill(save, clock)
    save.player_data.forget(ID)
    elena, bo = save.npc("elena"), save.npc("bo")
    texts = [memory["document_full"] for memory in [*elena.recall.get_recent(50), *bo.recall.get_recent(9)]]
    for text in (
        "Rowan mended the chapel.",
        "I saw Rowan at the well.",
        "Elena spoke of the chapel.",
        "It rains.",
    ):
        assert text in texts
    assert len(elena.conversation.get_turns(9, "steam_2")) == 1
    assert elena.mind.feelings.get_disposition("steam_2")["strength"] > 50
    assert [event["actor"] for event in save.world.events.get_events()] == ["steam_2"]
    assert save.world.characters.get_character("elena")["name"] == "Elena"
    assert [*save.world.facts.get_facts()] == ["f_steam_2"]
    assert elena.recall.recall_best("Who mended the chapel?")["document_full"].startswith("Rowan")


def test_the_one_player_of_a_game(opened: Callable[..., Save], clock: GameClock) -> None:
    save = opened()
    elena = save.npc("elena")
    elena.conversation.store_turn("My name is Wilhelmina.", "Well met.")
    elena.memories.store("The player saved me from the wolves.", 9)
    elena.memories.store("Wilhelmina sings well.", 5)
    elena.memories.store("It rains.", 4)
    elena.relationship.store_relationship("player", {"trust_level": 40})
    save.world.facts.set_player_info({"name": "Wilhelmina", "titles": ["Dragonslayer"]})
    save.player_data.forget("player")
    assert [memory["document_full"] for memory in elena.recall.get_recent(9)] == ["It rains."]
    assert elena.conversation.get_turns() == []
    assert save.world.facts.get_player_info() == {}
    assert tables_with(save, (b"Wilhelmina", b"Dragonslayer", b"wolves")) == []


def test_a_rollback_and_another_call_bring_nothing_back(
    opened: Callable[..., Save], save_path: Path, clock: GameClock
) -> None:
    save = opened(save_path)
    fill(save, clock)
    save.snapshots.take("before")
    done = save.player_data.forget(ID)
    assert done["snapshots"] == ["before"]
    save.marks.rollback_to(clock.now - 30)
    assert tables_with(save, TRACES) == []
    again = save.player_data.forget(ID)
    assert [again[name] for name in ("memories", "interactions", "turns", "documents")] == [0, 0, 0, 0]


@pytest.mark.parametrize("id", ["", "  ", "elena"])
def test_an_id_that_is_no_players_is_refused(id: str, opened: Callable[..., Save], clock: GameClock) -> None:
    save = opened()
    fill(save, clock)
    before = tables(save)
    with pytest.raises(InvalidArgumentError, match="player"):
        save.player_data.forget(id)
    assert tables(save) == before


def test_all_or_nothing(
    opened: Callable[..., Save], clock: GameClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = opened()
    fill(save, clock)
    save.context.accesses.write()
    before = tables(save)

    def fail() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(save.store.marks, "forget_all", fail)
    with pytest.raises(ZeroDivisionError):
        save.player_data.forget(ID)
    assert tables(save) == before


def test_a_former_hero_stays_when_the_player_is_forgotten(
    opened: Callable[..., Save], clock: GameClock
) -> None:
    save = opened()
    elena = save.npc("elena")
    elena.memories.store("The player saved me from the wolves.", 9, {"participants": ["player"]})
    save.identities.retire_player("falk", "Falk")
    elena = save.npc("elena")
    elena.memories.store("The player gave me a rose.", 5, {"participants": ["player"]})
    save.player_data.forget("player")
    assert ["wolves" in memory["document_full"] for memory in elena.recall.get_recent(9)] == [True]
    save.player_data.forget("falk")
    assert elena.recall.get_recent(9) == []
