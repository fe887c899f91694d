"""run_maintenance() repeats nothing, and a rollback undoes all of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.world.lore_texts import paragraph

from rag_memory import MemoryConfig, Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.errors import EmbedderError
from rag_memory.memory.owners import LORE, WORLD
from rag_memory.step import run
from rag_memory.text.file_text import FileText
from rag_memory.vectors import FloatMatrix

DAY = 86400.0
STEPS = {
    "events_expired",
    "tasks_expired",
    "turns_summarised",
    "importances_decayed",
    "orphans_mended",
    "vectors_made",
    "versions_pruned",
}
KEPT: list[dict[str, Any]] = [
    {"memory_tier": 0},
    {"is_milestone": True, "milestone_type": "wedding"},
    {"slot_type": "player_name"},
    {"event_type": "player_info", "info_type": "home"},
    {"event_type": "promise_made"},
    {"secret": True},
    {"memory_tier": 1},
]
"""Data of memories that never fade, however little importance they have."""


@pytest.fixture
def opened(opened: Callable[..., Save]) -> Callable[..., Save]:
    """Saves in which what is stored with store() fades, too."""

    def open_it(*arguments: Any, **options: Any) -> Save:
        save = opened(*arguments, **options)
        save.npcs.set_default_config(MemoryConfig(lasting_kinds=[]))
        return save

    return open_it


class Broken(HashingEmbedder):
    """A model that does not run."""

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        raise EmbedderError("The model failed")


def idle(save: Save) -> None:
    while save.idle_step() is not None:
        pass


def done(save: Save) -> dict[str, int]:
    told = save.world.maintenance.run_maintenance()
    assert told.keys() == STEPS | {"day", "took_ms"}
    assert all(told[step].keys() == {"done", "took_ms"} for step in STEPS)
    return {step: told[step]["done"] for step in STEPS if told[step]["done"]}


def importances(save: Save) -> dict[str, int]:
    npc = save.npc("elena")
    return {each["id"]: each["metadata"]["importance"] for each in npc.recall.get_recent(100, 0, [])}


def test_what_nobody_asks_for_fades_and_comes_back_with_a_rollback(
    opened: Callable[..., Save], clock: Any
) -> None:
    save, start = opened(), clock.now
    npc = save.npc("elena")
    id = npc.memories.store("A crow sat on the fence.", 6)
    asked_for = npc.memories.store("The miller sneezed at dawn.", 6)
    least = [
        npc.memories.store("A dog barked.", 4),
        npc.memories.store("A cat slept.", 3),
        npc.memories.store("It rained.", 1),
    ]
    telling = npc.memories.store("The bridge is out.", 7)
    kept = [npc.memories.store(f"Told {place}.", 6, data) for place, data in enumerate(KEPT)]
    before = importances(save)
    assert done(save) == {}
    clock.now = start + 20 * DAY
    assert npc.recall.retrieve_relevant("Who sneezed at dawn?", {"limit": 1}) == [
        "The miller sneezed at dawn."
    ]
    clock.now = start + 31 * DAY
    assert done(save) == {"importances_decayed": 1}
    assert importances(save) == before | {id: 5}
    assert done(save) == {}, "not twice on a day"
    found = npc.recall.retrieve_relevant_raw("crow on the fence", {"limit": 1})[0]
    assert found["id"] == id and found["metadata"]["importance"] == 5, "the loaded index knows it, too"
    assert npc.archive.get_archived() == [], "what it weighed before is no version that anybody wants to see"
    for month in range(3, 9):
        clock.now = start + month * 31 * DAY
        run(save.world.maintenance.run_maintenance.steps())
    assert importances(save)[id] == importances(save)[asked_for] == npc.config.min_tiered_importance
    assert all(importances(save)[each] == before[each] for each in (telling, *least, *kept))
    save.marks.rollback_to(start + 35 * DAY)
    assert importances(save) == before | {id: 5}
    save.marks.rollback_to(start + 1 * DAY)
    assert importances(save) == before


def test_fading_can_be_set_and_switched_off(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    save.npc("elena").memories.store("The bridge is out.", 5)
    config = save.world.config
    clock.now += 100 * DAY
    save.world.config = replace(config, importance_decay_days=0.0, importance_decay_most=10)
    assert done(save) == {}
    save.world.config = replace(config, importance_decay_days=50.0, importance_decay_most=5)
    assert done(save) == {"importances_decayed": 1}
    assert list(importances(save).values()) == [4]


def test_it_runs_by_itself_once_a_day_but_not_in_the_editor(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    save.npc("elena").memories.store("A crow sat on the fence.", 6)
    save.context.notes_accesses = False
    idle(save)
    assert save.overview.counts()["maintenance"] == {}
    save.context.notes_accesses = True
    idle(save)
    first = save.overview.counts()["maintenance"]
    assert first["importances_decayed"]["done"] == 0
    idle(save)
    assert save.overview.counts()["maintenance"] is first
    clock.now += 31 * DAY
    idle(save)
    assert save.overview.counts()["maintenance"]["importances_decayed"]["done"] == 1
    save.world.config = replace(save.world.config, auto_maintenance=False)
    clock.now += 31 * DAY
    idle(save)
    assert list(importances(save).values()) == [5]


def test_events_tasks_and_turns_are_seen_to(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    day = clock.now / DAY
    save.world.events.record_event({"title": "Fair", "summary": "There is a fair.", "expires_day": day + 1})
    save.world.tasks.add_task(
        {"summary": "Mend the mill.", "assignee": "elena", "status": "active", "due_day": day + 1}
    )
    for number in range(20):
        save.npc("elena").conversation.store_turn(f"Is this road number {number}?", "It is.")
    clock.now += 3 * DAY
    found = done(save)
    assert (found["events_expired"], found["tasks_expired"]) == (1, 1) and found["turns_summarised"] > 0
    assert done(save) == {}


def test_vectors_that_are_missing_are_made(save_path: Path, clock: Any) -> None:
    with open_save(save_path, HashingEmbedder(64), clock, vector_index="disabled") as save:
        save.npc("elena").memories.store_batch([{"text": f"Sack {number} came."} for number in range(30)])
        assert done(save) == {}
    with open_save(save_path, HashingEmbedder(64), clock) as save:
        assert done(save) == {"vectors_made": 30} and save.overview.health()["missing_vectors"] == 0


@pytest.mark.parametrize("lost", ["memories", "documents"])
def test_orphans_are_mended_or_removed(save_path: Path, clock: Any, lost: str) -> None:
    with open_save(save_path, HashingEmbedder(64), clock) as save:
        ids = [
            save.world.events.record_event(
                {"summary": f"The mill number {n} burned.", "visibility": "global"}
            )
            for n in range(5)
        ]
        ids.append(
            save.world.debates.record_debate(
                {
                    "topic": "Who burned the mills?",
                    "participants": ["elena", "kael"],
                    "outcome": "Nobody knows.",
                }
            )
        )
        ids.append(save.world.events.get_events({"event_type": "debate"})[0]["id"])
        text = "\n\n".join(f"# Mill {n}\n\nThe mill number {n} stands by the river." for n in range(5))
        save.world.lore.import_lore(FileText(text), {"key": "mills"})
        events, lore = (set(save.world.searched(owner).keys()) for owner in (WORLD, LORE))
        assert events == set(ids) and lore and done(save) == {}
    with closing(sqlite3.connect(save_path)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        if lost == "memories":
            connection.execute(
                "DELETE FROM memories WHERE npc IN (SELECT npc FROM npcs WHERE npc_id LIKE '@%')"
            )
        else:
            connection.execute("DELETE FROM documents")
        connection.commit()
    with open_save(save_path, HashingEmbedder(64), clock) as save:
        assert done(save)["orphans_mended"] == len(events) + len(lore)
        left = [set(save.world.searched(owner).keys()) for owner in (WORLD, LORE)]
        assert left == ([events, lore] if lost == "memories" else [set(), set()])
        if lost == "memories":
            found = save.world.events.search_events("elena", "Did mill number 3 burn?")
            assert found[0]["summary"] == "The mill number 3 burned."
            assert save.world.debates.search_debates("Who burned the mills?")[0]["outcome"] == "Nobody knows."
            assert "number 2" in save.world.lore.search_lore("Where does mill number 2 stand?")[0]["text"]
        assert done(save) == {}


def test_lore_may_be_imported_and_removed_meanwhile(opened: Callable[..., Save]) -> None:
    save = opened()
    save.world.lore.import_lore(FileText("# Mill\n\nThe mill stands by the river."), {"key": "first"})
    for number, _ in enumerate(save.world.maintenance.run_maintenance.steps()):
        save.world.lore.import_lore(FileText(f"# Inn {number}\n\nThe inn burned."), {"key": f"inn_{number}"})
        if number % 3 == 0:
            save.world.lore.remove_lore(f"inn_{number - 1}")
    assert save.world.maintenance.last["orphans_mended"]["done"] == 0
    told = sum(source["chunks"] for source in save.world.lore.list_lore())
    assert told == len(save.world.searched(LORE).keys()) == save.store.documents.counts()["lore_chunk"]


def test_old_versions_are_pruned_and_a_rollback_finds_the_others(
    opened: Callable[..., Save], clock: Any
) -> None:
    save = opened()
    for number in range(12):
        clock.now += 10
        save.world.characters.register_character("elena", {"location": f"Mill {number}"})
    save.world.config = replace(save.world.config, kept_versions=3)
    assert done(save)["versions_pruned"] >= 9
    assert save.world.characters.get_character("elena")["location"] == "Mill 11"
    save.marks.rollback_to(clock.now - 15)
    assert save.world.characters.get_character("elena")["location"] == "Mill 9"


def test_what_has_faded_for_years_is_found_all_the_same(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    npc = save.npc("elena")
    texts = [f"The {thing} stands by the {place}." for thing in ("mill", "inn") for place in ("oak", "ford")]
    for text in texts:
        for importance in range(3, 7):
            npc.memories.store(f"{text} Said {importance} times.", importance)
    questions = {text: npc.recall.retrieve_relevant(text, {"limit": 16}) for text in texts}
    tiered = {text: len(npc.recall.retrieve_tiered(text)["relevant"]) for text in texts}
    save.context.notes_accesses = False
    for _ in range(20):
        clock.now += 31 * DAY
        save.world.maintenance.run_maintenance()
    for text in texts:
        assert sorted(npc.recall.retrieve_relevant(text, {"limit": 16})) == sorted(questions[text])
        assert {each["id"] for each in npc.recall.retrieve_scored(text)} >= {
            each["id"] for each in npc.recall.retrieve_relevant_raw(text, {"limit": 1})
        }
        assert len(npc.recall.retrieve_tiered(text)["relevant"]) == tiered[text]


def test_what_a_killed_import_left_goes_without_another_import(opened: Callable[..., Save]) -> None:
    save = opened()
    save.world.lore.import_lore(FileText(f"# Town\n\n{paragraph(99, 150)}"), {"key": "realm"})
    before = save.world.lore.search_lore("market", {"limit": 100})
    longer = "".join(f"# Town {number}\n\n{paragraph(number, 150)}\n\n" for number in range(40))
    under_way = [
        save.world.lore.import_lore.steps(FileText(longer), {"key": key}) for key in ("realm", "ruins")
    ]
    for number, steps in enumerate(under_way, 1):
        while len(save.store.documents.find("lore_chunk")) <= number * 10:
            next(steps)
    half = len(save.store.documents.find("lore_chunk"))
    assert half > 20 and done(save) == {}, "who is at work is left alone"
    for steps in under_way:
        steps.close()
    assert done(save) == {"orphans_mended": half - 1}
    assert (
        len(save.store.documents.find("lore_chunk"))
        == save.store.records.count(save.store.npcs.number(LORE))
        == 1
    )
    assert save.world.lore.search_lore("market", {"limit": 100}) == before
    assert done(save) == {}


def test_a_model_that_fails_keeps_nothing_else_from_being_done(
    save_path: Path, clock: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with open_save(save_path, HashingEmbedder(64), clock, vector_index="disabled") as save:
        save.npc("elena").memories.store("A sack came.")
    with open_save(save_path, Broken(64), clock) as save:
        for number in range(12):
            clock.now += 10
            save.world.characters.register_character("elena", {"location": f"Mill {number}"})
        save.world.config = replace(save.world.config, kept_versions=3)
        told = save.world.maintenance.run_maintenance()
        assert told["vectors_made"]["done"] == 0 and told["vectors_made"]["error"] == "The model failed."
        assert told["versions_pruned"]["done"] >= 9
        assert "vectors_made was not finished: The model failed." in caplog.text
        clock.now += DAY
        idle(save)
        assert "error" in save.overview.counts()["maintenance"]["vectors_made"]
