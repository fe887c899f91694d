from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.conftest import GameClock

from rag_memory import MemoryConfig, Npc, Save, StoreError
from rag_memory.memory import subject
from rag_memory.storage.sql.archive import Archive
from rag_memory.storage.sql.records import Records
from rag_memory.text.clauses import Clause
from rag_memory.text.participants import Narrator

PROMISE = {"event_type": "promise_made"}
BREACH = {"event_type": "promise_broken"}


def metadata_of(npc: Npc, id: str) -> dict[str, Any]:
    metadata: dict[str, Any] = npc.memories.get_memory(id)["metadata"]
    return metadata


def watched(npc: Npc) -> list[tuple[str, tuple[Any, ...]]]:
    events: list[tuple[str, tuple[Any, ...]]] = []
    npc.on_event = lambda name, arguments: events.append((name, arguments))
    return events


@pytest.mark.parametrize("slot_type", MemoryConfig().slot_types)
def test_a_slot_holds_one_value(npc: Npc, slot_type: str) -> None:
    events = watched(npc)
    data = {"slot_type": slot_type}
    npc.recall.retrieve_scored("load the index")
    old = npc.memories.store("It is the first one.", 8, data)
    new = npc.memories.store("It is the second one.", 8, data)
    assert old != new
    assert npc.memories.get_memory(old) == {} and npc.memories.get_memory_count() == 1
    for ask in ("first", "second"):
        found = [memory["id"] for memory in npc.recall.retrieve_scored(ask) if memory["id"] in (old, new)]
        assert found == [new]
        assert npc.recall.retrieve_relevant(ask, {"limit": 9}) == ["It is the second one."]
    assert not [event for event in events if event[0] == "memory_superseded"]
    assert metadata_of(npc, new)["superseded_by"] == ""


def test_any_slot_that_a_game_names_holds_one_value(npc: Npc) -> None:
    name = {"slot_type": "player_name"}
    npc.memories.store("They are Theron.", 8, name)
    npc.memories.store("They are Thoren.", 8, name)
    assert [memory["document"] for memory in npc.recall.get_recent()] == ["They are Thoren."]
    old = npc.memories.store("My favourite colour is blue.", 5, {"slot_type": "colour"})
    new = npc.memories.store_with_conflict_check("My favourite colour is red.", 5, {"slot_type": "colour"})
    assert new["superseded"] == [old] and metadata_of(npc, old)["superseded_by"] == new["id"]
    assert npc.memories.get_memory_count() == 3


@pytest.mark.parametrize("by_score", [True, False])
@pytest.mark.parametrize("slot_type", ["player_name", "player_allegiance"])
def test_the_latest_value_of_a_slot_counts_in_whatever_order_they_were_stored(
    npc: Npc, clock: GameClock, by_score: bool, slot_type: str
) -> None:
    npc.config = MemoryConfig(use_score_based_selection=by_score)
    data = {"slot_type": slot_type, "memory_tier": 0}
    new = npc.memories.store("The player is called Thoren of the south.", 9, data)
    earlier = {**data, "timestamp": clock.now - 60}
    old = npc.memories.store("The player is called Theron of the north.", 9, earlier)
    answer = npc.recall.retrieve_scored("What is the player called? Theron?")
    assert [memory["document_full"] for memory in answer[1:]] == ["The player is called Thoren of the south."]
    tiers = npc.recall.retrieve_tiered("What is the player called? Theron?")
    texts = [
        memory["document_full"] for name in ("pinned", "important", "relevant") for memory in tiers[name]
    ]
    assert texts == ["The player is called Thoren of the south."]
    explained = npc.recall.explain("Theron?", old)
    assert (explained["reason"], explained["is_returned"]) == ("not_candidate", False)
    assert f"A later memory holds its slot, {slot_type};" in explained["text"]
    npc.memories.forget(new)
    assert (
        npc.recall.retrieve_scored("What?")[1]["document_full"] == "The player is called Theron of the north."
    )


@pytest.mark.parametrize("ending", ["promise_kept", "promise_fulfilled", "promise_broken"])
def test_a_promise_ends_when_it_is_kept_as_when_it_is_broken(npc: Npc, ending: str) -> None:
    promise = npc.memories.store("The player promised a rope.", 7, PROMISE)
    end = npc.memories.store_player_action(ending, "brought the rope, or did not")
    assert metadata_of(npc, promise)["superseded_by"] == end
    assert npc.config.get_superseded_event_type(ending) == "promise_made"
    assert npc.config.get_superseding_event_type("promise_made") == "promise_broken"


def test_slots_of_other_npcs_stay(opened: Callable[..., Save]) -> None:
    save = opened()
    data = {"slot_type": "player_name"}
    elena, marcus = save.npc("elena"), save.npc("marcus")
    id = marcus.memories.store("They are Theron.", 8, data)
    elena.memories.store("They are Thoren.", 8, data)
    assert marcus.memories.get_memory(id)


def test_a_slot_and_player_info_together_keep_their_id(npc: Npc) -> None:
    data = {"slot_type": "player_name", "event_type": "player_info", "info_type": "player_name"}
    stray = npc.memories.store("They call themselves a ghost.", 5, {"slot_type": "player_name"})
    first = npc.memories.store("They are Theron.", 8, data)
    assert npc.memories.get_memory(stray) == {}
    assert npc.memories.store("They are Thoren.", 8, data) == first
    assert npc.memories.get_memory(first)["document"] == "They are Thoren."
    assert npc.memories.get_memory_count() == 1


@pytest.mark.parametrize(("before", "after"), MemoryConfig().supersession_pairs.items())
def test_a_supersession_keeps_the_old_memory_and_says_by_what(
    npc: Npc, clock: GameClock, before: str, after: str
) -> None:
    events = watched(npc)
    things = ("roof", "fence", "ring", "wedding")
    olds = [npc.memories.store(f"The player and the {thing}.", 7, {"event_type": before}) for thing in things]
    npc.recall.retrieve_scored("before")
    clock.now += 60.0
    new = npc.memories.store("The player and the fence again.", 8, {"event_type": after})
    is_of_person = before in ("trust_gained", "alliance_formed")
    ended = olds if is_of_person else [olds[1]]
    for old in olds:
        mark = (new, clock.now) if old in ended else ("", 0.0)
        metadata = metadata_of(npc, old)
        assert (metadata["superseded_by"], metadata["superseded_at"]) == mark
    assert [event for event in events if event[0] == "memory_superseded"] == [
        ("memory_superseded", (old, new)) for old in ended
    ]
    names = [name for name, _ in events]
    assert names.index("memory_superseded") > len(names) - 1 - names[::-1].index("memory_added")
    by_id = {memory["id"]: memory for memory in npc.recall.retrieve_relevant_raw("the fence", {"limit": 20})}
    assert by_id[olds[1]]["breakdown"]["supersession"] == 0.1
    assert by_id[new]["breakdown"]["supersession"] == 1.0


def test_a_mark_stays_and_a_later_promise_is_not_superseded(npc: Npc, clock: GameClock) -> None:
    first = npc.memories.store("I will mend the roof.", 7, PROMISE)
    later = npc.memories.store("I will mend the fence.", 7, {**PROMISE, "timestamp": clock.now + 100})
    breach = npc.memories.store("They broke their word.", 8, BREACH)
    assert metadata_of(npc, later)["superseded_by"] == ""
    clock.now += 200
    again = npc.memories.store("They broke their word again.", 8, BREACH)
    assert metadata_of(npc, first)["superseded_by"] == breach
    assert metadata_of(npc, later)["superseded_by"] == again


def test_a_new_promise_supersedes_nothing(npc: Npc) -> None:
    old = npc.memories.store("I will mend the roof.", 7, PROMISE)
    assert npc.memories.store_with_conflict_check("I will mend it now.", 7, PROMISE)["superseded"] == []
    assert metadata_of(npc, old)["superseded_by"] == ""


def test_a_promise_is_valid_again_when_its_breach_is_forgotten(npc: Npc) -> None:
    old = npc.memories.store("I will mend the roof.", 7, PROMISE)
    breach = npc.memories.store("They broke their word.", 8, BREACH)
    npc.recall.retrieve_scored("the roof")
    npc.memories.forget(breach)
    metadata = metadata_of(npc, old)
    assert (metadata["superseded_by"], metadata["superseded_at"]) == ("", 0.0)
    assert npc.recall.retrieve_scored("the roof")[1]["breakdown"]["supersession"] == 1.0


def test_pairs_of_the_config_hold(npc: Npc) -> None:
    npc.config = MemoryConfig(supersession_pairs={"war": "peace", "feud": "peace"}, slot_types=["temper"])
    olds = [npc.memories.store(f"A {event}.", 5, {"event_type": event}) for event in ("war", "feud")]
    new = npc.memories.store("Peace at last.", 9, {"event_type": "peace"})
    assert [metadata_of(npc, old)["superseded_by"] for old in olds] == [new, new]
    npc.memories.store("Sad.", 5, {"slot_type": "temper"})
    npc.memories.store("Glad.", 5, {"slot_type": "temper"})
    assert npc.memories.get_memory_count() == 4


@pytest.mark.parametrize(
    ("data", "part", "name"),
    [(BREACH, Records, "supersede"), ({"slot_type": "player_name"}, Archive, "move")],
)
def test_a_write_that_fails_changes_nothing(
    opened: Callable[..., Save],
    data: dict[str, Any],
    part: type,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    save = opened()
    npc = save.npc("elena")
    old = npc.memories.store("The old state.", 7, {**PROMISE, "slot_type": "player_name"})
    before = npc.memories.get_memory(old)
    original = getattr(part, name)

    def failing(self: Any, *arguments: Any) -> None:
        original(self, *arguments)
        raise StoreError("the disk is full")

    with monkeypatch.context() as patch, pytest.raises(StoreError):
        patch.setattr(part, name, failing)
        npc.memories.store("The new state.", 8, data)
    assert npc.memories.get_memory(old) == before and npc.memories.get_memory_count() == 1
    assert npc.recall.retrieve_relevant("The new state.") == ["The old state."]


_KILLED = """
import os, sys
from rag_memory import open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.storage.sql.archive import Archive
from rag_memory.storage.sql.records import Records
from rag_memory.text.clauses import Clause
from rag_memory.text.participants import Narrator
part, name = {"supersede": (Records, "supersede"), "archive": (Archive, "move")}[sys.argv[2]]
original = getattr(part, name)
def killed(self, *arguments):
    original(self, *arguments)
    os.kill(os.getpid(), 9)
setattr(part, name, killed)
npc = open_save(sys.argv[1], embedder=HashingEmbedder(64), clock=lambda: 1.0).npc("elena")
npc.memories.store("The old state.", 7, {"event_type": "promise_made", "slot_type": "player_name"})
data = {"event_type": "promise_broken"} if sys.argv[2] == "supersede" else {"slot_type": "player_name"}
npc.memories.store("The new state.", 8, data)
"""


@pytest.mark.parametrize("part", ["supersede", "archive"])
def test_a_process_killed_in_between_leaves_the_old_state(
    opened: Callable[..., Save], save_path: Path, part: str
) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    code = subprocess.run([sys.executable, "-c", _KILLED, save_path, part], env=environment).returncode
    assert code in (-9, 9), "the signal, which Windows has as an exit code"
    (memory,) = opened(save_path).npc("elena").recall.get_recent()
    assert memory["document"] == "The old state."
    assert memory["metadata"]["superseded_by"] == ""


def test_a_subject_is_read_once(npc: Npc, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each kept promise is compared with all open ones, and there may be thousands."""
    for thing in ("barrel", "sack", "rope"):
        npc.memories.store(f"The player promised to bring a {thing}.", 5, PROMISE)
    read: list[str] = []

    def clauses_of(text: str, narrator: Narrator) -> tuple[Clause, ...]:
        read.append(text)
        return ()

    monkeypatch.setattr(subject, "clauses_of", clauses_of)
    npc.memories.store("The player brought a lamp.", 5, {"event_type": "promise_kept"})
    earlier = len(read)
    npc.memories.store("The player brought a cup.", 5, {"event_type": "promise_kept"})
    assert earlier
    assert read[earlier:] == ["The player brought a cup."]


_PEOPLE = ("miller", "baker", "smith", "priest", "hunter", "tanner", "cook", "widow")
_THINGS = ("fence", "roof", "bridge", "letter", "barrel", "wagon", "boat", "candle", "saddle", "gate")


def _many_promises(npc: Npc, clock: GameClock) -> None:
    """Promises of two players, far more than a new memory may end."""
    promises: list[dict[str, Any]] = []
    for number in range(500):
        what = f"{_THINGS[number % 10]} of the {_PEOPLE[number // 10 % 8]}, number {number}"
        who = ("player", "player_2")[number % 2]
        promises.append(
            {
                "text": f"The player promised me to mend the {what}.",
                "event_type": "promise_made",
                "participants": [who],
                "quest_id": f"quest_{number}",
            }
        )
    npc.memories.store_batch(promises)
    clock.now += 60.0


@pytest.mark.parametrize(
    ("text", "data", "ended"),
    [
        ("The player has mended the roof of the baker, number 11.", {"participants": ["player_2"]}, 11),
        ("The player has mended the roof of the baker, number 11.", {"participants": ["player"]}, 330),
        ("The player kept a promise.", {"quest_id": "quest_402", "participants": ["player"]}, 402),
        ("The player brought the moon.", {"participants": ["player"]}, None),
    ],
)
def test_of_very_many_the_closest_of_the_same_player_ends(
    npc: Npc, clock: GameClock, text: str, data: dict[str, Any], ended: int | None
) -> None:
    _many_promises(npc, clock)
    stored = npc.memories.store_with_conflict_check(text, 6, {"event_type": "promise_kept", **data})
    superseded = [
        memory["document_full"]
        for memory in npc.recall.get_recent(600)
        if memory["id"] in stored["superseded"]
    ]
    numbers = [int(old.rstrip(".").split()[-1]) for old in superseded]
    assert numbers == ([] if ended is None else [ended])
