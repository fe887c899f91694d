"""Several games write of the world of one save at once: nothing that was acknowledged is lost."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from tests.unit.conftest import GameClock
from tests.unit.server.postgres.conftest import Administrator

from rag_memory import Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.errors import InvalidArgumentError
from rag_memory_server.postgres_storage import MemoryPostgresStorage


@pytest.fixture
def opened(where: MemoryPostgresStorage, save_name: str, clock: GameClock) -> Iterator[Callable[[], Save]]:
    """Opens the save once more, as another game does."""
    saves: list[Save] = []

    def open_it() -> Save:
        saves.append(open_save(save_name, HashingEmbedder(8), clock=lambda: clock.now, storage=where))
        saves[-1].npcs._refreshed_at = math.inf  # It refreshes when a test says so.
        return saves[-1]

    yield open_it
    for save in saves:
        save.close()


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """Results or errors of calls that begin at the same time."""
    answers: list[Any] = [None] * len(calls)
    gate = threading.Barrier(len(calls))

    def run(place: int) -> None:
        gate.wait()
        try:
            answers[place] = calls[place]()
        except Exception as error:
            answers[place] = error

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def summaries(save: Save) -> dict[str, str]:
    """Texts of the events, by ID."""
    return {each["id"]: each["summary"] for each in save.world.events.get_events()}


def test_every_event_that_was_acknowledged_is_there(opened: Callable[[], Save]) -> None:
    saves = [opened() for _ in range(3)]

    def record(save: Save, game: int) -> dict[str, str]:
        told: dict[str, str] = {}
        for number in range(10):
            text = f"Game {game} tells {number}."
            told[save.world.events.record_event({"summary": text})] = text
        texts = [f"Game {game} tells {number} of many." for number in range(20)]
        ids = save.world.events.record_events([{"summary": text} for text in texts])
        return told | dict(zip(ids, texts, strict=True))

    told = at_once(*(lambda save=save, game=game: record(save, game) for game, save in enumerate(saves)))
    everything = {id: text for each in told for id, text in each.items()}
    assert len(everything) == 90, "no id is given twice"
    for save in (*saves, opened()):
        save.npcs.refresh()
        assert summaries(save) == everything
    found = saves[0].world.events.search_events("", "Game 2 tells 7.", {"limit": 100})
    assert {each["id"] for each in found} == set(everything)


def test_an_event_that_another_game_has_recorded_is_replaced_by_its_id(opened: Callable[[], Save]) -> None:
    one, other = opened(), opened()
    assert summaries(one) == summaries(other) == {}
    one.world.events.record_event({"id": "siege", "summary": "The siege begins."})
    other.world.events.record_event({"id": "siege", "summary": "The siege is over."})
    one.npcs.refresh()
    assert summaries(one) == summaries(other) == {"siege": "The siege is over."}
    answers = at_once(
        *(
            lambda save=save: save.world.events.record_event({"id": "fair", "summary": "The fair opens."})
            for save in (one, other)
        )
    )
    assert answers == ["fair", "fair"]
    assert summaries(opened()) == {"siege": "The siege is over.", "fair": "The fair opens."}


def test_two_games_change_different_keys_of_one_document(opened: Callable[[], Save]) -> None:
    one, other = opened(), opened()
    for save in (one, other):
        save.world.characters.register_character("kael", {"name": "Kael"})
        assert save.world.facts.get_player_info() == {}
    for number in range(1, 20):
        at_once(
            partial(one.world.characters.register_character, "kael", {"hunger": number}),
            partial(other.world.characters.register_character, "kael", {"thirst": number}),
        )
        at_once(
            partial(one.world.facts.set_player_info, {"wounds": number}),
            partial(other.world.facts.set_player_info, {"horses": number}),
        )
        reader = one if number % 2 else other
        reader.npcs.refresh()
        kael = reader.world.characters.get_character("kael")
        assert (kael["hunger"], kael["thirst"]) == (number, number)
        assert reader.world.facts.get_player_info() == {"wounds": number, "horses": number}


def test_a_place_is_not_forgotten_for_another_one(opened: Callable[[], Save], clock: GameClock) -> None:
    one, other = opened(), opened()
    assert (
        other.world.events.get_events({"known_to": "kael"}) == other.world.characters.list_characters() == []
    )
    event = one.world.events.record_event(
        {"summary": "The mill burns.", "location": "mill", "visibility": "local"}
    )
    for save, place in ((one, "mill"), (other, "inn")):
        clock.now += 60.0
        save.world.characters.register_character("kael", {"location": place})
    clock.now += 60.0
    for save in (one, other):
        save.npcs.refresh()
        assert save.world.characters.get_character("kael")["location"] == "inn"
        assert [each["id"] for each in save.world.events.get_events({"known_to": "kael"})] == [event]


def test_all_who_hear_a_rumor_from_several_games_have_heard_it(opened: Callable[[], Save]) -> None:
    saves = [opened() for _ in range(3)]
    event = saves[0].world.events.record_event({"summary": "The king is ill.", "visibility": "rumor"})
    hearers = ["anna", "bert", "cora"]
    for id in hearers:
        saves[0].world.characters.register_character(id, {"name": id})
    for save in saves:
        save.npcs.refresh()
        assert save.world.events.get_events({"known_to": "anna"}) == []
    answers = at_once(
        *(
            lambda save=save, id=id: save.world.rumors.spread_rumor(event, id)
            for save, id in zip(saves, hearers, strict=True)
        )
    )
    assert answers == [[id] for id in hearers]
    reader = opened()
    assert all(reader.world.events.get_events({"known_to": id}) for id in hearers)


def test_a_task_ends_once(opened: Callable[[], Save]) -> None:
    one, other = opened(), opened()
    task = one.world.tasks.add_task({"assignee": "player", "summary": "Find the ring.", "status": "active"})
    other.npcs.refresh()
    assert other.world.tasks.get_tasks()[0]["status"] == "active"
    ends = ("completed", "failed")
    answers = at_once(
        lambda: one.world.tasks.update_task(task, ends[0]),
        lambda: other.world.tasks.update_task(task, ends[1]),
    )
    refused = [isinstance(each, InvalidArgumentError) for each in answers]
    assert sorted(refused) == [False, True]
    assert opened().world.tasks.get_tasks()[0]["status"] == ends[refused.index(False)]


def test_games_that_come_and_go_leave_no_rows_behind(
    opened: Callable[[], Save],
    administrator: Administrator,
    where: MemoryPostgresStorage,
    save_name: str,
    clock: GameClock,
) -> None:
    reader = opened()
    number = reader.store._save.save  # type: ignore[attr-defined]
    lock = f"hashtextextended('writer 2 of rag_memory {where.schema} {number}', {number})"
    for day in range(5):
        with open_save(save_name, HashingEmbedder(8), clock=lambda: clock.now, storage=where) as game:
            game.world.facts.set_flags({"day": day})
        reader.npcs.refresh()
        assert reader.world.facts.get_flags() == {"day": day}, "a number that is used again hides nothing"
        # The server notices a little later that somebody has gone.
        administrator.execute(f"SELECT pg_advisory_lock({lock}), pg_advisory_unlock({lock})".encode())
    rows = administrator.execute(
        f"SELECT writer, writes FROM {where.schema}.writers WHERE save = {number} ORDER BY writer".encode()
    )
    assert rows.fetchall() == [(1, 1), (2, 10)], "each session notes that it was there, and sets a flag"


def test_what_is_refused_changes_nothing_in_memory(opened: Callable[[], Save]) -> None:
    save = opened()
    told: list[str] = []
    save.world.on_event = lambda name, _: told.append(name)
    save.world.characters.register_character("kael", {"name": "Kael"})
    with pytest.raises(InvalidArgumentError):
        save.world.tasks.update_task("none", "completed")
    assert told == []


def test_what_happened_is_told_when_it_is_written(opened: Callable[[], Save]) -> None:
    one, other = opened(), opened()
    seen: list[tuple[str, int]] = []

    def look(name: str, _arguments: Any) -> None:
        other.npcs.refresh()
        seen.append((name, len(other.world.events.get_events())))

    one.world.on_event = look
    id = one.world.tasks.add_task(
        {"assignee": "player", "summary": "Find it.", "status": "active", "visibility": "global"}
    )
    one.world.tasks.update_task(id, "completed")
    assert seen == [("task_changed", 0), ("event_recorded", 1), ("task_changed", 1)]


def test_a_task_between_npcs_of_two_games_expires_all_the_same(
    opened: Callable[[], Save], clock: GameClock
) -> None:
    one, other = opened(), opened()
    task = {"summary": "Mend the mill.", "assignee": "mira", "issuer": "bran", "status": "active"}
    id = one.world.tasks.add_task({**task, "due_day": clock.now / 86_400.0 + 1.0})
    one.npc("mira")
    other.npc("bran")
    clock.now += 3 * 86_400.0
    for save in (other, one):
        assert [each["status"] for each in save.world.tasks.get_tasks()] == ["expired"]
        save.world.maintenance.run_maintenance()
    with one.store.transaction():
        assert [each.content["status"] for each in one.store.documents.find("task")] == ["expired"]
    assert id


def test_news_that_could_not_be_taken_in_is_taken_in_the_next_time(
    opened: Callable[[], Save], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = opened(), opened()
    assert one.world.characters.get_character("rowan") == {}
    other.world.characters.register_character("rowan", {"name": "Rowan"})
    with monkeypatch.context() as patch:
        patch.setattr(
            one.npcs.world, "reload", lambda: (_ for _ in ()).throw(InvalidArgumentError("x", "", ""))
        )
        with pytest.raises(InvalidArgumentError):
            one.world.characters.get_character("rowan")
    one.world.characters.register_character("rowan", {"clan": "Fell"})
    assert other.world.characters.get_character("rowan")["name"] == "Rowan"
