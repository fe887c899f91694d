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
            elena.conversation.store_turn(said, f"Thank you, {name}.", {"speaker": player})
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


def test_a_player_who_was_an_npc_before_is_forgotten_with_its_own_memories(
    opened: Callable[..., Save], save_path: Path
) -> None:
    save = opened(save_path)
    elena, characters = save.npc("elena"), save.world.characters
    characters.register_character(ID, {"name": NAME})
    for line in ("I mended the granary.", "I promise to mend the granary roof."):
        elena.conversation.store_turn(line, "Good.", {"speaker": ID, "bystanders": ["bo"]})
    save.npc(ID).mind.perceive({"action": "helped", "source_id": "bo", "content": "with the granary"})
    elena.memories.store("It rains.", 4)
    with pytest.raises(InvalidArgumentError, match="no player"):
        save.player_data.forget(ID)
    characters.register_character(ID, {"is_player": True})
    assert save.player_data.forget(ID)["memories"] > 4
    assert tables_with(save, TRACES) == []
    assert [memory["document_full"] for memory in elena.recall.get_recent(9)] == ["It rains."]
    assert save.player_data.forget(ID)["memories"] == 0
    elena.memories.store("It snows.", 4)
    save.close()
    assert not any(trace in save_path.read_bytes() for trace in TRACES)
    assert tables_with(opened(save_path), TRACES) == []


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


@pytest.mark.parametrize(
    ("name", "others", "own"),
    [
        (
            "Will",
            (
                "It will rain on the harvest festival.",
                "Bjorn will marry Anna.",
                "Will the bridge open?",
                "Will Anna come? I hope so.",
                "That was against her will.",
            ),
            (
                "I saw Will at the well.",
                "Will mended the chapel.",
                "The chapel is Will's work.",
                "Will said no.",
            ),
        ),
        (
            "Rose",
            (
                "The sun rose over the mill.",
                "Rose petals covered the floor.",
                "The rose is red.",
                "A Rose for you.",
            ),
            ("I danced with Rose.", "Rose kissed me.", "ROSE is here: Rose told me so."),
        ),
        (
            "Hope",
            ("I hope it rains.", "Hope is all that is left."),
            ("Gregor told Hope of it.", "Hope mended the roof.", "Hope smiled."),
        ),
        (
            "Mark",
            ("Mark my words.", "There is a mark on the door."),
            ("Bo hates Mark.", "Mark told me of it."),
        ),
        ("May", ("May the gods help us.", "We may leave."), ("Elena kissed May.", "May sold the cow.")),
    ],
)
def test_a_name_that_is_a_word_is_no_reason_to_delete_the_word(
    name: str, others: tuple[str, ...], own: tuple[str, ...], opened: Callable[..., Save]
) -> None:
    save = opened()
    elena, facts = save.npc("elena"), save.world.facts
    save.world.characters.register_character(ID, {"name": name})
    for number, text in enumerate((*others, *own)):
        elena.memories.store(text, 4)
        facts.set_facts({f"f_{number}": {"text": text}})
        save.world.events.record_event({"summary": text, "actor": "mayor"})
    save.player_data.forget(ID)
    remaining = [memory["document_full"] for memory in elena.recall.get_recent(50)]
    assert sorted(remaining) == sorted(others)
    assert sorted(fact["text"] for fact in facts.get_facts().values()) == sorted(others)
    assert sorted(event["summary"] for event in save.world.events.get_events()) == sorted(others)


@pytest.mark.parametrize("id", ["will", "player"])
def test_an_id_that_is_a_word(id: str, opened: Callable[..., Save]) -> None:
    save = opened()
    elena = save.npc("elena")
    save.world.characters.register_character(id, {"name": "Will"})
    for text, participants in (
        ("It will rain.", ["bo"]),
        ("We will meet again.", [id]),
        ("I like Will.", []),
    ):
        elena.memories.store(text, 5, {"participants": participants})
    save.player_data.forget(id)
    assert [memory["document_full"] for memory in elena.recall.get_recent(9)] == ["It will rain."]


@pytest.mark.parametrize(
    "text", ["I know Wilhelmina.", "WILHELMINA is here!", "wilhelmina  von  Eldham", "Wilhelmina."]
)
def test_a_name_that_is_no_word_is_found_however_a_sentence_begins(
    text: str, opened: Callable[..., Save]
) -> None:
    save = opened()
    elena = save.npc("elena")
    save.world.characters.register_character(ID, {"name": "wilhelmina"})
    elena.memories.store(text, 5)
    save.player_data.forget(ID)
    assert elena.recall.get_recent(9) == []


@pytest.mark.parametrize("name", ["Иван", "Łukasz", "Ælfric", "Ümit", "小明", "Ὀδυσσεύς"])
def test_names_in_other_letters(name: str, opened: Callable[..., Save]) -> None:
    save = opened()
    save.npc("elena").memories.store("It rains.", 5)
    save.world.characters.register_character(ID, {"name": name})
    save.world.facts.set_facts(
        {"f": {"text": f"Hero {name} killed a dragon."}, "g": {"text": "The mill burnt."}}
    )
    save.world.events.record_event({"summary": f"{name.upper()} !", "actor": "mayor"})
    save.player_data.forget(ID)
    assert [*save.world.facts.get_facts()] == ["g"]
    assert save.world.events.get_events() == []


def test_an_id_of_a_million_characters_is_refused_at_once(opened: Callable[..., Save]) -> None:
    save = opened()
    long = "The miller sold it. " * 50_000
    calls: list[Callable[[], object]] = [
        lambda: save.player_data.forget(long),
        lambda: save.npc(long),
        lambda: save.identities.retire_player(long, "Rowan"),
        lambda: save.identities.retire_player("rowan", long),
        lambda: save.identities.rename("elena", long),
        lambda: save.world.characters.register_character(long, {"name": "Elena"}),
    ]
    save.npc("elena").memories.store("It rains.", 4)
    for call in calls:
        with pytest.raises(InvalidArgumentError, match="at most 1,000"):
            call()


def test_a_name_that_is_as_long_as_a_book_does_not_keep_a_player_from_being_forgotten(
    opened: Callable[..., Save],
) -> None:
    save = opened()
    save.world.characters.register_character(ID, {"name": "Wilhelmina " * 9_000})
    save.npc("elena").memories.store("It rains.", 4)
    save.npc("elena").memories.store("A stranger paid.", 4, {"participants": [ID]})
    assert save.player_data.forget(ID)["memories"] == 1
    assert tables_with(save, (ID.encode(),)) == []
