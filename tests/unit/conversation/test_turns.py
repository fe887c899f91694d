"""Turns stay word for word, in order, with their NPC and player, and are removed by a rollback."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.conftest import NOW, GameClock

from rag_memory import Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.errors import InvalidArgumentError
from rag_memory.step import Step, run

DAY = 86400.0
SHORT = {"turns_kept_raw": 2, "turns_before_summary": 3}
ROOF = 'The player promised me: "I promise to fix your roof."'


def test_turns_come_back_as_they_were_said_the_newest_last(opened: Callable[..., Save]) -> None:
    mira = opened().npc("mira")
    first = mira.conversation.store_turn("Hello.", "Good day.", {"location": "Oakvale", "quest": 3})
    second = mira.conversation.store_turn("", "Are you still there?", {"day": 4.5})
    told = mira.conversation.get_turns()
    assert [each["id"] for each in told] == [first, second]
    assert told[0] == {
        "id": first,
        "exchange_id": "",
        "player_message": "Hello.",
        "npc_message": "Good day.",
        "location": "Oakvale",
        "speaker": "player",
        "day": NOW / DAY,
        "quest": 3,
    }
    assert told[1]["day"] == 4.5
    assert mira.conversation.get_turns(1) == told[1:]
    assert mira.conversation.get_turns(0) == []


def test_a_turn_is_no_memory(opened: Callable[..., Save]) -> None:
    mira = opened().npc("mira")
    mira.conversation.store_turn("Nice weather.", "It is.")
    assert mira.memories.get_memory_count() == 0
    assert mira.recall.retrieve_relevant_raw("weather") == []


def test_players_have_conversations_of_their_own(opened: Callable[..., Save]) -> None:
    mira = opened().npc("mira")
    for number in range(30):
        mira.conversation.store_turn(f"Line {number}", "", {"speaker": "ann" if number % 10 == 0 else "bob"})
    assert [each["player_message"] for each in mira.conversation.get_turns(2, "ann")] == [
        "Line 10",
        "Line 20",
    ]
    assert [each["player_message"] for each in mira.conversation.get_turns(2, "bob")] == [
        "Line 28",
        "Line 29",
    ]
    assert mira.conversation.get_turns() == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("", " "), "empty"),
        (("x" * 20001, ""), "20001 characters"),
        (("a", "b", {"day": "today"}), "day"),
        (("a", "b", {"location": 3}), "location"),
        (("a", "b", {"speaker": ""}), "speaker"),
        (("a", "b", {"id": "x"}), "id"),
        (("a", "b", {"own": "x" * 20001}), "metadata"),
        (("a", "b", {"memories": "none"}), "memories"),
        (("a", "b", {"facts": ["He knows."]}), 'key "facts".*Rename the key to "memories"'),
        (("a", "b", {"memories": [{"importance": 3}]}), "a memory"),
        (("a", "b", {"memories": [{"text": "He knows.", "event_type": 3}]}), "event_type"),
    ],
)
def test_what_cannot_be_kept_is_refused_and_nothing_stored(
    opened: Callable[..., Save], arguments: tuple[Any, ...], told: str
) -> None:
    mira = opened().npc("mira")
    with pytest.raises(InvalidArgumentError, match=told):
        mira.conversation.store_turn(*arguments)
    assert mira.conversation.get_turns() == []


def test_facts_of_a_turn_become_memories_that_name_the_turn(opened: Callable[..., Save]) -> None:
    mira = opened().npc("mira")
    turn = mira.conversation.store_turn(
        "My name is Theron. I promise to fix your roof.", "Thank you.", {"location": "Oakvale"}
    )
    memories = mira.recall.retrieve_relevant_raw("", {"limit": 5})
    assert {each["document_full"] for each in memories} == {
        "The player told me their name: Theron.",
        ROOF,
    }
    assert {each["metadata"]["turn"] for each in memories} == {turn}
    assert {each["metadata"]["location"] for each in memories} == {"Oakvale"}


def test_a_new_name_replaces_the_old_and_a_kept_promise_ends_it(opened: Callable[..., Save]) -> None:
    mira = opened().npc("mira")
    mira.conversation.store_turn("My name is Theron. I promise to fix your roof.", "")
    mira.conversation.store_turn("Call me Karl. I have kept my promise.", "")
    names = mira.recall.retrieve_relevant_raw("", {"filter": {"slot_type": "player_name"}})
    assert [each["metadata"]["entities"] for each in names] == [["Karl"]]
    (promise,) = mira.recall.retrieve_relevant_raw("", {"filter": {"event_type": "promise_made"}})
    assert promise["metadata"]["superseded_by"]


def test_what_is_known_of_one_player_stays_when_another_says_as_much(opened: Callable[..., Save]) -> None:
    mira = opened().npc("mira")
    for player, name in (("player", "Theron"), ("ann", "Ann"), ("bob", "Bob"), ("ann", "Anna")):
        mira.conversation.store_turn(f"My name is {name}.", "", {"speaker": player})
    memories = mira.recall.retrieve_relevant_raw("", {"limit": 9})
    named = {each["metadata"]["participants"][0]: each["metadata"]["entities"] for each in memories}
    assert named == {"player": ["Theron"], "ann": ["Anna"], "bob": ["Bob"]}
    assert len(memories) == 3


def test_facts_that_the_game_tells_are_taken_instead(opened: Callable[..., Save]) -> None:
    mira = opened().npc("mira")
    mira.conversation.store_turn("I promise to fix your roof.", "", {"memories": []})
    assert mira.memories.get_memory_count() == 0
    mira.conversation.store_turn(
        "Hm.", "", {"memories": ["He mumbles.", {"text": "He is sad.", "importance": 9, "mood": "sad"}]}
    )
    told = {
        each["document_full"]: each["metadata"]
        for each in mira.recall.retrieve_relevant_raw("", {"limit": 5})
    }
    assert set(told) == {"He mumbles.", "He is sad."}
    assert told["He is sad."]["importance"] == 9
    assert told["He is sad."]["mood"] == "sad"


def test_no_facts_are_extracted_where_the_config_says_so(opened: Callable[..., Save]) -> None:
    save = opened()
    _change(save, extract_memories=False)
    save.npc("mira").conversation.store_turn("My name is Theron.", "")
    assert save.npc("mira").memories.get_memory_count() == 0


def test_an_extractor_of_the_game_is_asked_and_may_wait(opened: Callable[..., Save]) -> None:
    save = opened()
    asked: list[dict[str, Any]] = []

    def extractor(request: dict[str, Any]) -> Generator[Step, None, Any]:
        asked.append(request)
        yield Step(0, 1, "thinking", is_waiting=True)
        return [{"text": "The player is called Theron.", "category": "name"}]

    save.context.extractor = extractor
    mira = save.npc("mira")
    turn = mira.conversation.store_turn("My name is Theron.", "Welcome.", {"location": "Oakvale"})
    (request,) = asked
    assert (request["npc_id"], request["turn_id"], request["location"]) == ("mira", turn, "Oakvale")
    assert [fact["category"] for fact in request["memories"]] == ["name"]
    (memory,) = mira.recall.retrieve_relevant_raw("")
    assert memory["document_full"] == "The player is called Theron."


@pytest.mark.parametrize(
    "answer", ["text", [3], [{"importance": 3}], [{"text": "x", "importance": "high"}], 7]
)
def test_a_broken_answer_of_the_extractor_falls_back_with_a_warning(
    opened: Callable[..., Save], caplog: pytest.LogCaptureFixture, answer: Any
) -> None:
    save = opened()
    save.context.extractor = lambda request: answer
    mira = save.npc("mira")
    mira.conversation.store_turn("My name is Theron.", "")
    (memory,) = mira.recall.retrieve_relevant_raw("")
    assert memory["document_full"] == "The player told me their name: Theron."
    assert "extractor" in caplog.text


def test_older_turns_are_summarised_in_idle_time(opened: Callable[..., Save]) -> None:
    save = opened()
    _change(save, **SHORT)
    mira = save.npc("mira")
    mira.conversation.store_turn("I promise to fix your roof.", "")
    for number in range(3):
        mira.conversation.store_turn(
            f"Line {number} is about the old mill by the river.", "", {"day": float(number)}
        )
    _idle(save)
    assert mira.conversation.get_conversation_summary() == {
        "summary": "",
        "turn_count": 0,
        "last_turn_day": -1.0,
    }
    mira.conversation.store_turn("Goodbye.", "")
    _idle(save)
    summary = mira.conversation.get_conversation_summary()
    assert summary["turn_count"] == 3
    assert summary["last_turn_day"] == 1.0
    assert ROOF in summary["summary"]
    assert 'The player said: "Line 1 is about the old mill by the river."' in summary["summary"]
    assert "Line 2" not in summary["summary"]
    assert len(mira.conversation.get_turns(10)) == 5


def test_a_summary_of_turns_keeps_answers_with_what_they_answer(opened: Callable[..., Save]) -> None:
    save = opened()
    _change(save, **SHORT)
    mira = save.npc("mira")
    exchanges = [
        ("Is it far to the abbey of Lorch? My feet hurt.", "Two hours. Take the mule."),
        ("The mule is asleep. Who owns it anyway?", "My cousin Ute does. She is kind."),
        ("What a storm! The roof of the barn flew away.", "It was rotten. Nobody was in it."),
    ]
    for number in range(4):
        for player, npc in exchanges:
            mira.conversation.store_turn(f"{player} So {number}.", f"{npc} Yes {number}.")
        _idle(save)
    summary = mira.conversation.get_conversation_summary()["summary"]
    pieces = re.findall(r'The player said: "([^"]*)" I answered: "([^"]*)"(?: |$)', summary)
    assert pieces
    assert summary == " ".join(f'The player said: "{player}" I answered: "{npc}"' for player, npc in pieces)
    for player, npc in pieces:
        number = npc[-2]
        said = [(f"{one} So {number}.", f"{other} Yes {number}.") for one, other in exchanges]
        assert (player, npc) in said


def test_what_was_left_unsummarised_is_taken_in_after_a_start(clock: GameClock, save_path: Path) -> None:
    with open_save(save_path, HashingEmbedder(64), clock) as save:
        for number in range(9):
            save.npc("mira").conversation.store_turn(f"Line {number} is about the old mill.", "")
    with open_save(save_path, HashingEmbedder(64), clock) as save:
        _change(save, **SHORT)
        assert save.npc("mira").conversation.get_conversation_summary()["turn_count"] == 0
        _idle(save)
        assert save.npc("mira").conversation.get_conversation_summary()["turn_count"] == 7


def test_a_summary_of_everybody_is_made_at_once(opened: Callable[..., Save]) -> None:
    save = opened()
    _change(save, **SHORT)
    for name in ("mira", "kael"):
        for number in range(6):
            save.npc(name).conversation.store_turn(f"Line {number} is about the old mill.", "")
    assert run(save.npcs.turns.summarize_all_steps()) == 8
    assert save.npc("kael").conversation.get_conversation_summary()["turn_count"] == 4


@pytest.mark.parametrize("answer", [None, "", 3, "x" * 30000])
def test_a_summarizer_that_fails_falls_back(opened: Callable[..., Save], answer: Any) -> None:
    save = opened()
    _change(save, **SHORT)
    save.summarizer = lambda request: answer
    mira = save.npc("mira")
    for _ in range(5):
        mira.conversation.store_turn("I promise to fix your roof.", "")
    _idle(save)
    assert mira.conversation.get_conversation_summary()["summary"] == ROOF


def test_a_summarizer_writes_and_is_cut_at_the_limit(opened: Callable[..., Save]) -> None:
    save = opened()
    _change(save, **SHORT, max_summary_chars=100)
    asked: list[dict[str, Any]] = []

    def summarizer(request: dict[str, Any]) -> str:
        asked.append(request)
        return "They talked of the roof. " * 20

    save.summarizer = summarizer
    mira = save.npc("mira")
    for _ in range(8):
        mira.conversation.store_turn("The roof leaks, and the rain is coming.", "I know.")
        _idle(save)
    summary = mira.conversation.get_conversation_summary()["summary"]
    assert summary.startswith("They talked of the roof.")
    assert len(summary) <= 100
    assert asked[0]["previous_summary"] == ""
    assert asked[1]["previous_summary"] == summary
    assert asked[0]["max_chars"] == 100
    assert [each["id"] for each in asked[0]["sources"]] == ["mira_turn_1", "mira_turn_2", "mira_turn_3"]
    assert "The roof leaks" in asked[0]["sources"][0]["document_full"]


def test_going_back_in_time_takes_turns_and_brings_the_older_summary_back(
    opened: Callable[..., Save], clock: GameClock
) -> None:
    save = opened()
    _change(save, **SHORT)
    mira = save.npc("mira")
    summaries = []
    for number in range(12):
        clock.now = NOW + number
        mira.conversation.store_turn(f"Line {number} is about the old mill by the river.", "")
        _idle(save)
        summaries.append(mira.conversation.get_conversation_summary())
    save.marks.rollback_to(NOW + 6)
    assert mira.conversation.get_turns(100)[-1]["player_message"].startswith("Line 6 ")
    assert mira.conversation.get_conversation_summary() == summaries[6]
    clock.now = NOW + 7
    mira.conversation.store_turn("Line 7 is another one.", "")
    assert len({each["id"] for each in mira.conversation.get_turns(100)}) == 8


def test_a_summary_that_was_being_written_when_the_game_went_back_is_dropped(
    opened: Callable[..., Save], clock: GameClock
) -> None:
    save = opened()
    _change(save, **SHORT)
    mira = save.npc("mira")
    for number in range(6):
        clock.now = NOW + number
        mira.conversation.store_turn(f"Line {number} is about the old mill.", "")

    def summarizer(request: dict[str, Any]) -> Generator[Step, None, str]:
        yield Step(0, 1, "writing")
        save.marks.rollback_to(NOW + 1)
        return "Too late."

    save.summarizer = summarizer
    steps = save.npcs.turns.summarize_steps("mira")
    assert sum(1 for _ in steps) > 0
    assert mira.conversation.get_conversation_summary()["turn_count"] == 0


def test_who_talks_while_a_summary_is_being_written_is_not_forgotten(opened: Callable[..., Save]) -> None:
    save = opened()
    _change(save, **SHORT)
    mira = save.npc("mira")
    for number in range(6):
        for player in ("ann", "bob"):
            mira.conversation.store_turn(f"Line {number} is about the old mill.", "", {"speaker": player})

    def summarizer(request: dict[str, Any]) -> Generator[Step, None, str]:
        yield Step(0, 1, "writing")
        if request["sources"][0]["metadata"]["participants"] == ["bob"]:  # ann's turn is over
            for number in range(6):
                mira.conversation.store_turn(
                    f"Another line {number} is about the well.", "", {"speaker": "ann"}
                )
        return "They talked."

    save.summarizer = summarizer
    run(save.npcs.turns.summarize_steps("mira"))
    save.summarizer = None
    _idle(save)
    assert mira.conversation.get_conversation_summary("ann")["turn_count"] == 10


_TURN = st.tuples(
    st.sampled_from(["mira", "kael"]),
    st.sampled_from(["player", "ann"]),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=30),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(_TURN, max_size=25), st.integers(0, 25), st.integers(0, 8), st.integers(1, 5))
def test_turns_are_a_list_for_each_npc_and_player(
    said: list[tuple[str, str, str]], back: int, kept: int, before: int
) -> None:
    clock = GameClock()
    with open_save(":memory:", HashingEmbedder(16), clock) as save:
        _change(save, turns_kept_raw=kept, turns_before_summary=before, max_summary_chars=200)
        for number, (npc, player, text) in enumerate(said):
            clock.now = NOW + number
            if text.strip():
                save.npc(npc).conversation.store_turn(text, "", {"speaker": player})
            _idle(save)
        save.marks.rollback_to(NOW + back)
        left = [each for number, each in enumerate(said) if number <= back and each[2].strip()]
        _idle(save)
        for npc in ("mira", "kael"):
            for player in ("player", "ann"):
                told = [text for who, to, text in left if (who, to) == (npc, player)]
                for count in (0, 1, 3, 100):
                    turns = save.npc(npc).conversation.get_turns(count, player)
                    assert [each["player_message"] for each in turns] == told[max(0, len(told) - count) :]
                summary = save.npc(npc).conversation.get_conversation_summary(player)
                assert summary["turn_count"] <= max(0, len(told) - kept)
                assert len(told) - summary["turn_count"] < kept + before
                assert len(summary["summary"]) <= 200


def _change(save: Save, **values: Any) -> None:
    save.world.config = dataclasses.replace(save.world.config, **values)


def _idle(save: Save) -> None:
    for _ in range(10_000):
        if save.idle_step() is None:
            return
