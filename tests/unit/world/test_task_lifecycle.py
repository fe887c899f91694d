"""The life of tasks: what can become of them, what their end leaves behind, and going back in time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from rag_memory import Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.errors import InvalidArgumentError

DAY = 86400.0
POSSIBLE = {
    "proposed": {"active", "rejected"},
    "active": {"completed", "failed", "cancelled", "expired"},
    "completed": set(),
    "failed": set(),
    "cancelled": set(),
    "rejected": set(),
    "expired": set(),
}
FINISHED = POSSIBLE["active"]
PEOPLE = ("mira", "rowan", "player")


class Version(NamedTuple):
    stored_at: float
    status: str
    completed_day: float


class Known(NamedTuple):
    """A task as the test knows it: what was told of it, and each status it was given."""

    assignee: str
    issuer: str
    due_day: float
    versions: list[Version]

    def now(self, day: float) -> tuple[str, float]:
        """Its status and when it ended."""
        _, status, completed = self.versions[-1]
        if status == "active" and 0 <= self.due_day < day:
            return "expired", self.due_day
        return status, completed


class TaskLifecycle(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.seconds = 10 * DAY
        self.save = open_save(":memory:", HashingEmbedder(16), clock=lambda: self.seconds)
        self.known: dict[str, Known] = {}

    def teardown(self) -> None:
        self.save.close()

    @property
    def day(self) -> float:
        return self.seconds / DAY

    @rule(hours=st.integers(1, 60))
    def time_passes(self, hours: int) -> None:
        self.seconds += 3600.0 * hours

    @rule(
        assignee=st.sampled_from(PEOPLE),
        issuer=st.sampled_from([*PEOPLE, ""]),
        status=st.sampled_from(["proposed", "active"]),
        due_in=st.sampled_from([None, -1.0, 0.5, 2.0]),
    )
    def add(self, assignee: str, issuer: str, status: str, due_in: float | None) -> None:
        self.seconds += 60
        due = -1.0 if due_in is None else self.day + due_in
        task = {"assignee": assignee, "issuer": issuer, "status": status, "summary": "Bring bread"}
        id = self.save.world.tasks.add_task({**task, "due_day": due})
        assert id not in self.known
        self.known[id] = Known(assignee, issuer, due, [Version(self.seconds, status, -1.0)])

    @precondition(lambda self: self.known)
    @rule(data=st.data(), status=st.sampled_from([*POSSIBLE]))
    def update(self, data: Any, status: str) -> None:
        self.seconds += 60
        id = data.draw(st.sampled_from(sorted(self.known)))
        before, _ = self.known[id].now(self.day)
        if status in POSSIBLE[before]:
            self.save.world.tasks.update_task(id, status, {"note": "so it was"})
            completed = -1.0 if status == "active" else self.day
            self.known[id].versions.append(Version(self.seconds, status, completed))
            return
        with pytest.raises(InvalidArgumentError) as error:
            self.save.world.tasks.update_task(id, status)
        assert f"is {before} and cannot become {status}" in str(error.value)
        assert all(possible in str(error.value) for possible in POSSIBLE[before])

    @rule(hours=st.integers(1, 100))
    def go_back(self, hours: int) -> None:
        self.seconds -= 3600.0 * hours
        self.save.marks.rollback_to(self.seconds)
        for id, task in list(self.known.items()):
            kept = [each for each in task.versions if each.stored_at <= self.seconds]
            self.known[id] = task._replace(versions=kept)
            if not kept:
                del self.known[id]

    @invariant()
    def tasks_are_as_they_should_be(self) -> None:
        found = {each["id"]: each for each in self.save.world.tasks.get_tasks()}
        expected = {id: task.now(self.day) for id, task in self.known.items()}
        assert {id: (each["status"], each["completed_day"]) for id, each in found.items()} == expected
        for npc_id in PEOPLE:
            memories = self.save.npc(npc_id).recall.get_recent(1000)
            told = {each["metadata"]["task_id"]: each["metadata"]["event_type"] for each in memories}
            ended = {
                id: f"task_{status}"
                for id, (status, _) in expected.items()
                if status in FINISHED and npc_id in (self.known[id].assignee, self.known[id].issuer)
            }
            assert told == ({} if npc_id == "player" else ended)
            assert len(memories) == len(told), "none twice"


TaskLifecycle.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
test_task_lifecycle = TaskLifecycle.TestCase


def _task(save: Save, **changes: Any) -> str:
    told = {"assignee": "mira", "issuer": "rowan", "summary": "Patrol near Greywater", "status": "active"}
    id: str = save.world.tasks.add_task({**told, **changes})
    return id


def _memories(save: Save, npc_id: str) -> list[dict[str, Any]]:
    return save.npc(npc_id).recall.get_recent(10)


def test_the_end_of_a_task_is_remembered_by_both(opened: Callable[..., Save]) -> None:
    save = opened()
    save.world.characters.register_character("mira", {"name": "Mira of Greywater"})
    id = _task(save, priority=7, location="greywater", target="raiders")
    save.world.tasks.update_task(id, "failed", {"summary": "The raid came first."})
    (mine,), (his,) = _memories(save, "mira"), _memories(save, "rowan")
    assert (
        mine["document_full"]
        == "I failed at what rowan asked of me: Patrol near Greywater. The raid came first."
    )
    assert his["document_full"] == (
        "Mira of Greywater failed at what I had asked for: Patrol near Greywater. The raid came first."
    )
    assert mine["metadata"]["event_type"] == his["metadata"]["event_type"] == "task_failed"
    assert mine["metadata"]["participants"] == ["mira", "rowan"]
    assert mine["metadata"]["task_id"] == id
    assert mine["metadata"]["importance"] == 8
    (task,) = save.world.tasks.get_tasks()
    assert task["result"] == {"summary": "The raid came first."}


def test_a_task_of_the_player_and_one_of_her_own(opened: Callable[..., Save]) -> None:
    save = opened()
    save.world.tasks.update_task(_task(save, issuer="player"), "completed")
    save.world.tasks.update_task(_task(save, issuer=""), "cancelled")
    save.world.tasks.update_task(_task(save, assignee="player", issuer="mira"), "completed")
    told = [each["document_full"] for each in _memories(save, "mira")]
    assert sorted(told) == [
        "I did what the player asked of me: Patrol near Greywater.",
        "I gave up what I had set out to do: Patrol near Greywater.",
        "The player did what I had asked for: Patrol near Greywater.",
    ]
    assert save.store.npcs.ids() == ["mira"], "the player has no memory of ours"


def test_a_task_expires_by_itself_on_its_due_day(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    changes: list[Any] = []
    save.world.on_event = lambda name, arguments: changes.append((name, *arguments))
    day = clock.now / DAY
    id = _task(save, due_day=day + 2)
    before = clock.now
    clock.now += 5 * DAY
    (task,) = save.world.tasks.get_tasks({"status": "expired"})
    assert task["completed_day"] == day + 2
    (memory,) = _memories(save, "mira")
    assert memory["metadata"]["timestamp"] == pytest.approx((day + 2) * DAY)
    assert memory["document_full"] == "I did not do in time what rowan asked of me: Patrol near Greywater."
    assert changes[:2] == [("task_changed", id, "active"), ("task_changed", id, "expired")]
    assert [(name, npc, matter["state"]) for name, npc, matter in changes[2:]] == [
        ("matter_overdue", "mira", "overdue")
    ]
    save.marks.rollback_to(before)
    clock.now = before
    assert save.world.tasks.get_tasks()[0]["status"] == "active"
    assert _memories(save, "mira") == []


@pytest.mark.parametrize(
    ("answer", "status", "result"),
    [
        ({"accepted": True}, "active", {}),
        (True, "active", {}),
        ({"accepted": False, "reason": "She is in prison."}, "rejected", {"reason": "She is in prison."}),
        (None, "proposed", {}),
        ({"reason": "perhaps"}, "proposed", {}),
    ],
)
def test_a_proposal_is_decided_by_the_validator(
    answer: Any, status: str, result: dict[str, Any], opened: Callable[..., Save]
) -> None:
    save = opened()
    asked: list[dict[str, Any]] = []

    def decide(request: dict[str, Any]) -> Any:
        asked.append(request)
        return answer

    save.context.task_validator = decide
    id = _task(save, status="proposed")
    (task,) = save.world.tasks.get_tasks()
    assert (task["status"], task["result"]) == (status, result)
    assert [each["task"]["id"] for each in asked] == [id]
    _task(save)
    assert len(asked) == 1, "an active task is the game's own"


def test_a_validator_that_fails_leaves_the_proposal(
    opened: Callable[..., Save], caplog: pytest.LogCaptureFixture
) -> None:
    def broken(request: dict[str, Any]) -> Any:
        raise RuntimeError("no answer")

    save = opened()
    save.context.task_validator = broken
    _task(save, status="proposed")
    assert save.world.tasks.get_tasks()[0]["status"] == "proposed"
    assert "no answer" in caplog.text


@pytest.mark.parametrize(
    ("task", "told"),
    [
        ({}, "no assignee"),
        ({"assignee": "mira"}, "no summary"),
        ({"assignee": "mira", "summary": "x", "status": "completed"}, "begins as"),
        ({"assignee": "mira", "summary": "x", "status": "done"}, "no status"),
        ({"assignee": "mira", "summary": "x", "priority": 11}, "1 to 10"),
        ({"assignee": "mira", "summary": "x" * 2000}, "2,000 characters"),
        ({"assignee": "mira", "summary": "x", "due_day": "soon"}, "due_day"),
        ({"assignee": "@world", "summary": "x"}, "npc_id"),
        ({"assignee": "mira", "summary": "x", "constraints": 3}, "constraints"),
        (3, "a Dictionary"),
    ],
)
def test_what_is_no_task_is_refused(task: Any, told: str, opened: Callable[..., Save]) -> None:
    save = opened()
    with pytest.raises(InvalidArgumentError, match=told):
        save.world.tasks.add_task(task)
    assert save.world.tasks.get_tasks() == []


def test_an_id_of_the_game_and_an_unknown_one(opened: Callable[..., Save]) -> None:
    save = opened()
    assert _task(save, id="patrol") == "patrol"
    with pytest.raises(InvalidArgumentError, match="already"):
        _task(save, id="patrol")
    with pytest.raises(InvalidArgumentError, match="no task"):
        save.world.tasks.update_task("nothing", "active")


def test_tasks_are_found_by_what_is_asked(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    day = clock.now / DAY
    first = _task(save, target="raiders")
    second = _task(save, assignee="rowan", issuer="player", priority=9)
    third = _task(save, assignee="elena", issuer="", status="proposed", due_day=day + 9)
    clock.now += DAY
    save.world.tasks.update_task(first, "completed")
    clock.now += DAY

    def found(**filter: Any) -> list[str]:
        return [each["id"] for each in save.world.tasks.get_tasks(filter)]

    assert found() == [second, third, first], "priority, then what is due"
    assert found(assignee="rowan") == [second]
    assert found(issuer="player") == [second]
    assert found(status="completed") == [first]
    assert found(status=["active", "proposed"]) == [second, third]
    assert found(involves="rowan") == [second, first]
    assert found(involves="raiders") == [first]
    assert found(active_on=day + 0.5) == [second, first]
    assert found(active_on=day + 1.5) == [second]
    with pytest.raises(InvalidArgumentError, match="no option"):
        found(colour="red")


def test_people_who_are_registered_do_not_keep_a_task_from_ending(opened: Callable[..., Save]) -> None:
    save = opened()
    save.register_names(["Rowan"], check_people=True)
    id = _task(save, assignee="Somebody Else", summary="Bring Ulfgar the Old to Greywater")
    save.world.tasks.update_task(id, "completed")
    assert len(_memories(save, "Somebody Else")) == 1


def test_a_task_survives_reopening(opened: Callable[..., Save], save_path: Any) -> None:
    save = opened(save_path)
    id = _task(save)
    save.world.tasks.update_task(id, "completed")
    before = save.world.tasks.get_tasks()
    save.close()
    again = opened(save_path)
    assert again.world.tasks.get_tasks() == before
    assert _task(again) != id


def test_the_end_of_a_task_that_others_may_know_is_an_event(opened: Callable[..., Save]) -> None:
    save = opened()
    save.world.tasks.update_task(_task(save), "completed")
    assert save.world.events.get_events() == [], "a private one is not"
    id = _task(save, visibility="GLOBAL", priority=8)
    save.world.tasks.update_task(id, "completed", {"summary": "No raider was seen"})
    (event,) = save.world.events.search_events("stranger", "the patrol near Greywater")
    assert event["summary"] == "Mira has done this: Patrol near Greywater. No raider was seen."
    assert (event["event_type"], event["task_id"], event["importance"]) == ("task_completed", id, 8)


def test_an_end_that_cannot_be_told_changes_nothing(opened: Callable[..., Save]) -> None:
    save = opened()
    id = _task(save, location="x" * 1_000_000)
    with pytest.raises(InvalidArgumentError, match="metadata"):
        save.world.tasks.update_task(id, "completed")
    assert save.world.tasks.get_tasks()[0]["status"] == "active"
    assert _memories(save, "mira") == []
    assert save.npc("mira").recall.retrieve_relevant_raw("patrol") == [], "nor in what searches"


BAD_REACH: list[dict[str, Any]] = [{"visibility": "locl"}, {"visibility": "local"}, {"visibility": 3}]


@pytest.mark.parametrize("told", BAD_REACH)
def test_who_is_to_hear_of_the_end_is_checked_at_the_beginning(told: dict[str, Any]) -> None:
    with open_save(":memory:", HashingEmbedder(16), clock=lambda: 0.0) as save:
        with pytest.raises(InvalidArgumentError, match=r"add_task\(\)"):
            save.world.tasks.add_task({"assignee": "mira", "summary": "Mend the mill.", **told})
        assert save.world.tasks.get_tasks() == []


def test_a_task_that_nobody_can_be_told_of_holds_up_no_other(caplog: pytest.LogCaptureFixture) -> None:
    seconds = 0.0
    with open_save(":memory:", HashingEmbedder(16), clock=lambda: seconds) as save:
        common = {"assignee": "mira", "summary": "Mend the mill.", "status": "active", "due_day": 1.0}
        save.world.tasks.add_task({**common, "id": "faction", "visibility": "faction"})
        save.world.tasks.add_task({**common, "id": "long", "location": "x" * 1_000_000})
        seconds = 2 * DAY
        assert {task["id"]: task["status"] for task in save.world.tasks.get_tasks()} == {
            "faction": "expired",
            "long": "expired",
        }
        assert [event["visibility"] for event in save.world.events.get_events()] == ["private"]
        assert save.world.maintenance.run_maintenance()["tasks_expired"]["done"] == 0
        assert "long" in caplog.text
        assert save.npc("mira").dossiers.build_dossier("What is new?")["text"]
