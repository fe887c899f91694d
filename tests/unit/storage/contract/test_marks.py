"""Going back to a mark: exactly what was there, whatever the clock says."""

from __future__ import annotations

import importlib
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.conftest import GameClock
from tests.unit.sqlite_access import opened as opened_file
from tests.unit.storage.contract.conftest import IN_MEMORY, POSTGRES, SQLITE, TESTED, open_empty, reopened

from rag_memory import MemoryConfig, Npc, Save
from rag_memory.config.world_config import MemoryWorldConfig
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.embedding.index_mode import EMBEDDED, index_mode
from rag_memory.errors import InvalidArgumentError, StoreError
from rag_memory.index.index_cache import IndexCache
from rag_memory.memory.document import HANDLED_EVENT, Document
from rag_memory.memory.interaction import ADJUSTMENT, NO_EMOTION, Interaction
from rag_memory.searchable.save_context import SaveContext
from rag_memory.storage.mark import CERTAIN_MARKS, MOST_MARKS
from rag_memory.storage.protocol import Storage
from rag_memory.storage.sqlite import earlier_rows as sqlite_marks
from rag_memory.storage.sqlite.store import Store as SqliteStore

HOUR = 3600.0
NPCS = ("mira", "bo")
TEXTS = (
    "The player came in.",
    "The player stole my purse.",
    "The barn burned down.",
    "Theron killed the cat.",
)
DEBATE = {"topic": "Peace with Carrow", "participants": ["mira", "bo"], "outcome": "Peace it is."}
Action = Callable[[Save, Any, int], object]


def save_on(storage: Storage, clock: GameClock) -> Save:
    mode = index_mode("open_save()", EMBEDDED, EMBEDDED, False)
    save = Save(SaveContext(storage, HashingEmbedder(64), clock, IndexCache(16), mode))
    save.npcs.set_default_config(
        MemoryConfig(max_memories_before_consolidate=5, consolidate_target=3, lasting_kinds=[])
    )
    return save


@contextmanager
def opened_on(backend: str, clock: GameClock, folder: Path | None = None) -> Iterator[Save]:
    with save_on(open_empty(backend, folder), clock) as save:
        yield save


@pytest.fixture(params=TESTED)
def save(request: pytest.FixtureRequest, clock: GameClock, tmp_path: Path) -> Iterator[Save]:
    clock.now = 100 * HOUR
    with opened_on(request.param, clock, tmp_path) as opened:
        yield opened


def readable(save: Save) -> dict[str, Any]:
    """Everything that a game can read, without changing anything."""
    npcs = {}
    for npc_id in NPCS:
        npc = save.npc(npc_id)
        npcs[npc_id] = {
            "export": npc.tools.export_json(),
            "recent": npc.recall.get_recent(100),
            "archived": npc.archive.get_archived(),
            "timeline": npc.tools.get_timeline(),
            "stats": npc.memories.get_memory_stats(),
            "explained": npc.recall.explain("Who stole the purse?"),
            "dispositions": npc.mind.feelings.get_dispositions(),
            "emotion": npc.mind.feelings.get_emotion(),
            "interactions": npc.mind.get_interactions("", 100),
            "gathered": npc.mind.reflections.get_importance_since_reflection(),
            "header": npc.relationship.generate_relationship_header(),
            "relationship": npc.relationship.get_relationship("player"),
            "state": npc.relationship.get_npc_state(),
            "other": [npc.relationship.check_npc_state(other) for other in NPCS],
            "turns": npc.conversation.get_turns(100),
            "summary": npc.conversation.get_conversation_summary(),
            "profile": save.world.profiles.get_profile(npc_id),
            "bus": [document.id for document in save.store.documents.find(HANDLED_EVENT, npc_id)],
        }
    world = save.world
    return {
        "npcs": npcs,
        "list": save.overview.list_npcs(),
        "world": world.json.export_json(),
        "events": world.events.get_events(),
        "tasks": world.tasks.get_tasks(),
        "flags": world.facts.get_flags(),
        "facts": world.facts.get_facts(),
        "player": world.facts.get_player_info(),
        "characters": world.characters.list_characters(),
        "debates": world.debates.search_debates("peace"),
        "search": world.events.search_events("mira", "Who burned the barn?"),
        "rows": rows(save.store),
    }


def rows(storage: Storage) -> dict[str, list[tuple[Any, ...]]]:
    """Everything that a file holds, but what is made anew: revisions and vectors."""
    if not isinstance(storage, SqliteStore):
        return {}
    return {
        table: opened_file(storage).statements.rows(f"SELECT * FROM {table} ORDER BY 1")
        for table in ("memories", "archived_memories", "interactions", "documents")
    } | {
        "npcs": opened_file(storage).statements.rows(
            "SELECT npc, npc_id FROM npcs WHERE npc_id NOT LIKE '@%'"
        )
    }


def _first_id(npc: Npc) -> str:
    recent = npc.recall.get_recent(20)
    return str(recent[-1]["id"]) if recent else "none"


def _store(save: Save, npc: Any, n: int) -> object:
    return npc.memories.store(TEXTS[n % 4], 3 + n % 7)


def _note_bus_event(save: Save, npc: Any, n: int) -> object:
    now = save.context.now()
    with save.store.transaction():
        return save.store.documents.write(
            Document(0, HANDLED_EVENT, f"e{n}", npc.npc_id, {"entry": str(n)}, now, now)
        )


def _restore_archived(save: Save, npc: Any, n: int) -> object:
    archived = npc.archive.get_archived()
    return npc.archive.restore_archived(archived[n % len(archived)]["id"]) if archived else None


def _update_task(save: Save, npc: Any, n: int) -> object:
    tasks = save.world.tasks.get_tasks()
    status = ("rejected", "active")[n % 2]
    return save.world.tasks.update_task(tasks[n % len(tasks)]["id"], status) if tasks else None


def _put_back(save: Save, npc: Any, n: int) -> object:
    id = _first_id(npc)
    captured = npc.tools.capture_memories([id])
    npc.memories.forget(id)
    return npc.tools.put_back_memories(captured)


ACTIONS: dict[str, Action] = {
    "store": _store,
    "tell_again": lambda save, npc, n: npc.memories.store(TEXTS[0], 5),
    "slot": lambda save, npc, n: npc.memories.store(
        f"The player is called Sir {TEXTS[n % 4]}", 5, {"slot_type": "name"}
    ),
    "conversation": lambda save, npc, n: npc.memories.store_conversation("player", f"My name is Theron {n}."),
    "turn": lambda save, npc, n: npc.conversation.store_turn(
        f"I promise to bring you {n} sacks of salt.", "Good."
    ),
    "fact": lambda save, npc, n: npc.mind.reflections.learn_fact(f"Theron owns {n} cats."),
    "milestone": lambda save, npc, n: npc.memories.store_milestone("first_meeting", f"We met {n} times."),
    "break_promise": lambda save, npc, n: npc.memories.store(
        f"The player broke promise {n}.", 8, {"event_type": "promise_broken"}
    ),
    "relationship": lambda save, npc, n: npc.relationship.store_relationship(
        "player", {"trust_level": n * 9}
    ),
    "death": lambda save, npc, n: npc.relationship.store_npc_state(n % 2 == 0, {"cause": f"fall {n}"}),
    "awareness": lambda save, npc, n: npc.memories.store_npc_awareness("bo", f"Bo is dead, {n}."),
    "perceive": lambda save, npc, n: npc.mind.perceive(
        {"action": ("insult", "gift", "attack")[n % 3], "content": TEXTS[n % 4], "source_id": "player"}
    ),
    "adjust": lambda save, npc, n: npc.mind.feelings.adjust_disposition("player", 7.0 - n, "so"),
    "feel": lambda save, npc, n: npc.mind.feelings.feel(("sad", "angry")[n % 2], 10.0 * n),
    "reflect": lambda save, npc, n: npc.mind.reflections.reflect(True),
    "recall": lambda save, npc, n: npc.recall.retrieve_scored("Who stole the purse and the salt?"),
    "write_accesses": lambda save, npc, n: save.context.accesses.write(),
    "pin": lambda save, npc, n: npc.memories.pin_memory(_first_id(npc)),
    "update": lambda save, npc, n: npc.memories.update_memory(
        _first_id(npc), {"text": f"{TEXTS[n % 4]} Again."}
    ),
    "weigh": lambda save, npc, n: npc.memories.update_memory(_first_id(npc), {"importance": 1 + n}),
    "forget": lambda save, npc, n: npc.memories.forget(_first_id(npc)),
    "clear": lambda save, npc, n: npc.clear_all_memories() if n == 0 else None,
    "consolidate": lambda save, npc, n: npc.archive.consolidate(),
    "restore_archived": _restore_archived,
    "put_back": _put_back,
    "character": lambda save, npc, n: save.world.characters.register_character(
        npc.npc_id, {"name": f"Mira {n}", "is_alive": n % 2 == 0}
    ),
    "event": lambda save, npc, n: save.world.events.record_event(
        {"summary": TEXTS[n % 4], "location": "mill", "witnesses": ["mira"], "visibility": "local"}
    ),
    "task": lambda save, npc, n: save.world.tasks.add_task(
        {"assignee": npc.npc_id, "summary": f"Bring {n} sacks."}
    ),
    "update_task": _update_task,
    "flags": lambda save, npc, n: save.world.facts.set_flags({f"flag_{n % 3}": n}),
    "facts": lambda save, npc, n: save.world.facts.set_facts({"mine": {"text": f"The mine has {n} doors."}}),
    "player": lambda save, npc, n: save.world.facts.set_player_info({"name": f"Theron {n}"}),
    "debate": lambda save, npc, n: save.world.debates.record_debate(DEBATE),
    "profile": lambda save, npc, n: save.world.profiles.set_profile(npc.npc_id, {"backstory": f"Life {n}."}),
    "maintenance": lambda save, npc, n: save.world.maintenance.run_maintenance(),
    "bus": _note_bus_event,
    "idle": lambda save, npc, n: save.idle_step(),
}
STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from([*ACTIONS]), st.sampled_from(NPCS), st.integers(0, 9)),
        st.tuples(st.just("mark"), st.just(""), st.integers(0, 9)),
        st.tuples(st.just("go_back"), st.just(""), st.integers(0, 9)),
        st.tuples(st.just("wait"), st.just(""), st.integers(0, 1)),
    ),
    min_size=8,
    max_size=30,
)


def play(save: Save, clock: GameClock, steps: list[tuple[str, str, int]]) -> Save:
    """Carry out the steps; each return to a mark is compared with what was there."""
    marks: list[tuple[str, float, dict[str, Any]]] = []
    marks.append((save.marks.add(), clock.now, readable(save)))
    for name, npc_id, number in [*steps, ("go_back", "", 0)]:
        if name == "mark":
            marks.append((save.marks.add(), clock.now, readable(save)))
        elif name == "wait":
            clock.now += HOUR * number
        elif name == "go_back":
            place = number % len(marks)
            token, clock.now, then = marks[place]
            # JSON and back, as in a save file of the game.
            save.marks.rollback_to(json.loads(json.dumps(token)))
            now = readable(save)
            for part in then:
                assert now[part] == then[part], part
            for later, _, _ in marks[place + 1 :]:
                with pytest.raises(InvalidArgumentError, match="cannot be reached"):
                    save.marks.rollback_to(later)
            del marks[place + 1 :]
        else:
            with suppress(InvalidArgumentError):
                ACTIONS[name](save, save.npc(npc_id), number)
    return save


_UNHURRIED = settings(deadline=None, suppress_health_check=list(HealthCheck))


@settings(_UNHURRIED, max_examples=60)
@given(steps=STEPS)
def test_a_mark_brings_back_everything_in_a_file(steps: list[tuple[str, str, int]]) -> None:
    clock = GameClock()
    with opened_on(SQLITE, clock) as save:
        play(save, clock, steps)


@settings(_UNHURRIED, max_examples=25)
@given(steps=STEPS)
def test_a_mark_brings_back_everything_in_memory(steps: list[tuple[str, str, int]]) -> None:
    clock = GameClock()
    with opened_on(IN_MEMORY, clock) as save:
        play(save, clock, steps)


@pytest.mark.skipif(POSTGRES not in TESTED, reason="a server for tests can be had on Linux only")
@settings(_UNHURRIED, max_examples=6)
@given(steps=STEPS)
def test_a_mark_brings_back_everything_on_a_server(steps: list[tuple[str, str, int]]) -> None:
    clock = GameClock()
    with opened_on(POSTGRES, clock) as save:
        play(save, clock, steps)


@pytest.mark.parametrize("name", [*ACTIONS])
@pytest.mark.parametrize("backend", TESTED)
def test_each_kind_of_write_is_undone(backend: str, name: str, clock: GameClock) -> None:
    with opened_on(backend, clock) as save:
        for number in range(3):
            for action in ACTIONS:
                if action not in ("clear", "forget", "consolidate"):
                    with suppress(InvalidArgumentError):
                        ACTIONS[action](save, save.npc("mira"), number)
        play(save, clock, [(name, "mira", 0), (name, "mira", 4), (name, "bo", 5)])


def test_the_actions_of_these_tests_succeed(clock: GameClock) -> None:
    with opened_on(SQLITE, clock) as save:
        changing: set[str] = set()
        for number in range(4):
            for name, action in ACTIONS.items():
                before = save.store.change_count
                with suppress(InvalidArgumentError):
                    action(save, save.npc("mira"), number)
                if save.store.change_count > before:
                    changing.add(name)
        assert set(ACTIONS) - changing <= {"recall", "idle", "maintenance"}, "what has nothing to do"


@contextmanager
def few_marks(certain: int, most: int) -> Iterator[None]:
    """Let marks end sooner."""
    modules = [sqlite_marks]
    if POSTGRES in TESTED:
        # Its client is not on Windows.
        modules.append(importlib.import_module("rag_memory_server.postgres.earlier_rows"))
    with pytest.MonkeyPatch.context() as patch:
        for module in modules:
            patch.setattr(module, "CERTAIN_MARKS", certain)
            patch.setattr(module, "MOST_MARKS", most)
        yield


def play_with_ends(save: Save, clock: GameClock, steps: list[tuple[str, str, int]]) -> None:
    """Carry out the steps, with a mark after every fifth one, while marks end because of newer ones and of
    rollbacks to a time. Each that is left is compared with what was there.
    """
    marks: list[tuple[str, float, dict[str, Any]]] = []
    for place, (name, npc_id, number) in enumerate(steps):
        if name == "mark" or place % 5 == 0:
            clock.now += HOUR
            marks.append((save.marks.add(), clock.now, readable(save)))
            ended = [mark for mark in marks if not save.marks.has(mark[0])]
            marks = marks[len(ended) :]
            assert not ended or len(marks) == 2
        elif name == "go_back":
            clock.now -= HOUR * (number % 3) + HOUR / 2
            save.marks.rollback_to(clock.now)
            marks = [mark for mark in marks if mark[1] <= clock.now]
        elif name in ACTIONS:
            with suppress(InvalidArgumentError):
                ACTIONS[name](save, save.npc(npc_id), number)
    for token, now, then in reversed(marks):
        clock.now = now
        save.marks.rollback_to(token)
        state = readable(save)
        for part in then:
            assert state[part] == then[part], part


@settings(_UNHURRIED, max_examples=40)
@given(steps=STEPS)
def test_marks_that_are_left_are_exact_in_a_file(steps: list[tuple[str, str, int]]) -> None:
    clock = GameClock()
    with few_marks(2, 3), opened_on(SQLITE, clock) as save:
        play_with_ends(save, clock, steps)


@settings(_UNHURRIED, max_examples=15)
@given(steps=STEPS)
def test_marks_that_are_left_are_exact_in_memory(steps: list[tuple[str, str, int]]) -> None:
    clock = GameClock()
    with few_marks(2, 3), opened_on(IN_MEMORY, clock) as save:
        play_with_ends(save, clock, steps)


@pytest.mark.skipif(POSTGRES not in TESTED, reason="a server for tests can be had on Linux only")
@settings(_UNHURRIED, max_examples=6)
@given(steps=STEPS)
def test_marks_that_are_left_are_exact_on_a_server(steps: list[tuple[str, str, int]]) -> None:
    clock = GameClock()
    with few_marks(2, 3), opened_on(POSTGRES, clock) as save:
        play_with_ends(save, clock, steps)


def test_the_last_hundred_marks_can_be_reached(save: Save, clock: GameClock) -> None:
    mira = save.npc("mira")
    mira.memories.store("The player has 0 coins.", 5)
    marks = []
    for number in range(MOST_MARKS + 1):
        mira.memories.update_memory(_first_id(mira), {"text": f"The player has {number} coins."})
        marks.append(save.marks.add())
    assert [mark for mark in marks if save.marks.has(mark)] == marks[-CERTAIN_MARKS:]
    with pytest.raises(InvalidArgumentError, match=r"cannot be reached.*more than 100 marks were made since"):
        save.marks.rollback_to(marks[0])
    for place in (-1, -50, -CERTAIN_MARKS):
        save.marks.rollback_to(marks[place])
        (memory,) = mira.recall.get_recent(9)
        assert memory["document_full"] == f"The player has {len(marks) + place} coins."


def test_nothing_is_stored_for_marks_that_have_ended(clock: GameClock) -> None:
    with opened_on(SQLITE, clock) as save:
        connection = opened_file(save.store).connection
        tables = ("memories", "archived_memories", "interactions", "documents", "vectors", "accesses")

        def act(text: str) -> None:
            mira.memories.update_memory(_first_id(mira), {"text": text})
            mira.recall.retrieve_scored("Did it rain?")
            save.context.accesses.write()

        def copies() -> list[int]:
            counts = [f"SELECT count(*) FROM earlier_{table}" for table in tables]
            return [connection.execute(sql).fetchone()[0] for sql in counts]

        def marked() -> int:
            return int(connection.execute("SELECT marked FROM write_orders").fetchone()[0])

        mira = save.npc("mira")
        mira.memories.store("It rained.", 5)
        clock.now += HOUR
        first = save.marks.add()
        act("It snowed.")
        before, number = copies(), marked()
        for text in ("It hailed.", "It was dry."):
            clock.now += HOUR
            save.marks.add()
            act(text)
        clock.now -= HOUR * 1.5
        save.marks.rollback_to(clock.now)
        assert copies() == before and marked() == number
        clock.now -= HOUR
        save.marks.rollback_to(clock.now)
        assert not any(copies()) and marked() == -1
        act("It thundered.")
        assert not any(copies())
        assert connection.execute("SELECT count(*) FROM marks").fetchone() == (0,)
        assert not save.marks.has(first)


def test_a_clock_that_stands_still_loses_nothing(save: Save) -> None:
    mira = save.npc("mira")
    mira.memories.store("The player came in.", 5)
    mark = save.marks.add()
    mira.memories.store("The player stole my purse.", 8)
    mira.mind.perceive({"action": "insult", "content": "Fool!", "source_id": "player"})
    assert save.marks.rollback_to(mark) > 0
    assert [memory["document_full"] for memory in mira.recall.get_recent(9)] == ["The player came in."]
    assert mira.mind.get_interactions() == []


def test_the_same_mark_may_be_used_twice_and_an_older_one_after_it(save: Save, clock: GameClock) -> None:
    mira = save.npc("mira")
    marks = []
    for number in range(3):
        mira.memories.store(f"It rained on day {number}.", 5)
        marks.append(save.marks.add())
    for back in (2, 2, 1, 1, 0):
        mira.memories.store("The sun shone.", 5)
        mira.memories.update_memory(_first_id(mira), {"text": "It did not rain."})
        save.marks.rollback_to(marks[back])
        assert len(mira.recall.get_recent(9)) == back + 1
        assert mira.recall.get_recent(9)[-1]["document_full"] == "It rained on day 0."


def test_a_mark_that_was_passed_is_refused_and_nothing_changes(save: Save) -> None:
    mira = save.npc("mira")
    first = save.marks.add()
    mira.memories.store("It rained.", 5)
    second = save.marks.add()
    save.marks.rollback_to(first)
    mira.memories.store("The sun shone.", 5)
    mira.memories.store("The moon shone.", 5)
    before = readable(save)
    with pytest.raises(InvalidArgumentError, match="cannot be reached any more"):
        save.marks.rollback_to(second)
    assert readable(save) == before


def test_a_rollback_by_time_ends_later_marks_and_leaves_earlier_ones_exact(
    save: Save, clock: GameClock
) -> None:
    mira = save.npc("mira")
    mira.memories.store("The fair begins.", 5, {"timestamp": clock.now})
    mira.memories.store("It rained.", 5)
    early, then = save.marks.add(), readable(save)
    clock.now += HOUR
    mira.memories.store("The sun shone.", 5)
    mira.memories.update_memory(_first_id(mira), {"text": "There is no fair."})
    late = save.marks.add()
    clock.now -= HOUR / 2
    save.marks.rollback_to(clock.now)
    with pytest.raises(InvalidArgumentError, match="cannot be reached"):
        save.marks.rollback_to(late)
    clock.now -= HOUR / 2
    save.marks.rollback_to(early)
    assert readable(save) == then


def test_by_time_goes_to_the_last_mark_of_that_time(
    save: Save, clock: GameClock, caplog: pytest.LogCaptureFixture
) -> None:
    mira = save.npc("mira")
    mira.memories.store("It rained.", 5)
    save.marks.add()
    mira.memories.store("The player stole my purse.", 8)
    clock.now += HOUR
    mira.memories.store("The sun shone.", 5)
    clock.now -= HOUR
    with caplog.at_level(logging.WARNING):
        assert save.marks.rollback_to(clock.now) == 2
    assert [memory["document_full"] for memory in mira.recall.get_recent(9)] == ["It rained."]
    assert caplog.text == ""


def test_by_time_warns_of_several_marks_of_that_time(
    save: Save, clock: GameClock, caplog: pytest.LogCaptureFixture
) -> None:
    mira = save.npc("mira")
    save.marks.add()
    mira.memories.store("It rained.", 5)
    save.marks.add()
    mira.memories.store("The player stole my purse.", 8)
    assert save.marks.rollback_to(clock.now) == 1
    assert "2 marks of the time" in caplog.text and "MemoryServer.mark()" in caplog.text


def test_by_time_warns_of_writes_of_that_time_without_a_mark(
    save: Save, clock: GameClock, caplog: pytest.LogCaptureFixture
) -> None:
    mira = save.npc("mira")
    mira.memories.store("It rained.", 5)
    save.marks.rollback_to(clock.now)
    assert caplog.text == "", "a single one is as good as before the saving"
    mira.memories.store("The player stole my purse.", 8)
    assert save.marks.rollback_to(clock.now) == 0
    assert "several writes have the time" in caplog.text and "MemoryServer.mark()" in caplog.text


@pytest.mark.parametrize("moment", ["12.5", "", "mark:", "mark:12:slot_1", None, [], True, float("nan")])
def test_what_is_neither_mark_nor_time_is_refused(save: Save, moment: Any) -> None:
    save.npc("mira").memories.store("It rained.", 5)
    with pytest.raises(InvalidArgumentError, match=r"rollback_to\(\)"):
        save.marks.rollback_to(moment)
    assert save.npc("mira").memories.get_memory_count() == 1


def test_lore_stays_and_what_it_was_made_of_too(save: Save) -> None:
    from rag_memory.text.file_text import FileText

    mark = save.marks.add()
    save.world.lore.import_lore(
        FileText("# The Mill\n\nThe mill was built by Aldwin the elder."), {"key": "mill"}
    )
    save.npc("mira").memories.store("It rained.", 5)
    save.marks.rollback_to(mark)
    assert len(save.world.lore.search_lore("Who built the mill?")) == 1
    assert save.overview.list_npcs() == []


def test_feelings_that_were_pruned_since_come_back(save: Save, clock: GameClock) -> None:
    store = save.store
    with store.transaction():
        npc = store.npcs.add("mira")
        for number in range(40):
            store.interactions.add(npc, _adjusted(number, clock.now))
    mark, then = save.marks.add(), store.interactions.find(npc)
    with store.transaction():
        for number in range(100):
            store.interactions.add(npc, _adjusted(number, clock.now))
        assert store.interactions.prune(npc, 10) > 0
    save.marks.rollback_to(mark)
    assert store.interactions.find(npc) == then


def _adjusted(number: int, at: float) -> Interaction:
    return Interaction(
        0, ADJUSTMENT, at, at, f"s{number % 3}", "", "", "", {}, 0.0, float(number % 100), "", at, NO_EMOTION
    )


def test_versions_that_were_pruned_since_come_back(save: Save) -> None:
    save.world.config = MemoryWorldConfig(kept_versions=1)
    for number in range(5):
        save.world.facts.set_flags({"mood": number})
    mark = save.marks.add()
    for number in range(5, 15):
        save.world.facts.set_flags({"mood": number})
    save.world.maintenance.run_maintenance()
    save.marks.rollback_to(mark)
    assert save.world.facts.get_flags() == {"mood": 4}


def test_a_failed_rollback_changes_nothing(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    mira = save.npc("mira")
    mira.memories.store("It rained.", 5)
    mark = save.marks.add()
    mira.memories.store("The sun shone.", 5)
    mira.memories.forget(_first_id(mira))
    before = readable(save)
    return_to = save.store.marks.return_to

    def fail(*arguments: Any) -> None:
        return_to(*arguments)
        raise StoreError("The save could not be written", "the disk is full", "")

    with monkeypatch.context() as patch:
        patch.setattr(save.store.marks, "return_to", fail)
        with pytest.raises(StoreError, match="the disk is full"):
            save.marks.rollback_to(mark)
    assert readable(save) == before
    save.marks.rollback_to(mark)
    assert [memory["document_full"] for memory in mira.recall.get_recent(9)] == ["It rained."]


def test_marks_survive_a_restart_and_a_snapshot(kept_backend: str, clock: GameClock, tmp_path: Path) -> None:
    storage = open_empty(kept_backend, tmp_path)
    with save_on(storage, clock) as save:
        save.npc("mira").memories.store("It rained.", 5)
        first = save.marks.add()
        then = readable(save)
        save.npc("mira").memories.store("The sun shone.", 5)
        save.snapshots.take("quick")
        second = save.marks.add()
    with save_on(reopened(kept_backend, storage), clock) as save:
        save.npc("mira").memories.store("The moon shone.", 5)
        save.marks.rollback_to(second)
        assert save.npc("mira").memories.get_memory_count() == 2
        save.npc("mira").memories.forget(_first_id(save.npc("mira")))
        save.snapshots.restore("quick")
        with pytest.raises(InvalidArgumentError, match="cannot be reached"):
            save.marks.rollback_to(second)
        third = save.marks.add()
        assert third != second
        save.npc("mira").memories.update_memory(_first_id(save.npc("mira")), {"text": "It snowed."})
        save.marks.rollback_to(first)
        assert readable(save) == then


def test_a_mark_of_another_save_says_so(kept_backend: str, clock: GameClock, tmp_path: Path) -> None:
    with opened_on(kept_backend, clock, tmp_path) as one, opened_on(kept_backend, clock, tmp_path) as other:
        one.npc("mira").memories.store("It rained.", 5)
        with pytest.raises(InvalidArgumentError, match="the mark is of the save") as raised:
            other.marks.rollback_to(one.marks.add())
        assert Path(one.path).name.removesuffix(".sqlite3") in str(raised.value)
