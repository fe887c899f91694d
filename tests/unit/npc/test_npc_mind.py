"""Feelings after many events equal those of a second implementation, written from the document alone."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_memory import Save, open_save
from rag_memory.config.mind_config import EmotionFading, NPCMindConfig, SentimentMode
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.mind.sentiment import sentiment_of
from rag_memory.npc.npc_mind import NpcMind

EXACT = NPCMindConfig(sentiment_mode=SentimentMode.RULES, emotion_fading=EmotionFading.EXACT)
ACTIONS = ("attacked", "gifted", "helped", "spoke", "waved", "traded")
WORDS = (
    "",
    "Thank you!",
    "You idiot",
    "How stupid",
    "I love it",
    "my friend",
    "I hate you",
    "an enemy came",
    "Thanks, you stupid friend",
)


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def opened(clock: Clock, path: str = ":memory:") -> Save:
    return open_save(path, HashingEmbedder(), clock)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def mind(clock: Clock) -> Iterator[NpcMind]:
    with opened(clock) as save:
        yield save.npc("mira").mind


def specified_sentiment(content: str, action: str) -> int:
    """The document's analyzeSentiment()."""
    lower = content.lower()
    if action == "attacked":
        return -30
    if action == "gifted":
        return 20
    if action == "helped":
        return 15
    if "thank" in lower:
        return 10
    if "idiot" in lower or "stupid" in lower:
        return -15
    if "love" in lower or "friend" in lower:
        return 10
    if "hate" in lower or "enemy" in lower:
        return -15
    return 0


SAID = st.text() | st.lists(
    st.sampled_from(
        [
            *(
                "thank",
                "Thanks",
                "THANK",
                "idiot",
                "Stupid",
                "STUPIDLY",
                "love",
                "glove",
                "friend",
                "unfriendly",
            ),
            *(
                "hate",
                "whatever",
                "chateau",
                "enemy",
                "Enemy's",
                "not",
                "no",
                "you",
                "I",
                "?",
                "!",
                "ſtupid",
                "İ",
            ),
        ]
    )
).map(" ".join)


@settings(deadline=None, max_examples=500)
@given(SAID, st.sampled_from((*ACTIONS, "")))
def test_the_rules_are_exactly_those_of_the_document(content: str, action: str) -> None:
    assert sentiment_of(EXACT, content, action) == specified_sentiment(content, action)


def specified_feeling(strength: float) -> str:
    return "friendly" if strength >= 70 else "hostile" if strength <= 30 else "neutral"


EVENTS = st.lists(
    st.tuples(
        st.sampled_from(ACTIONS), st.sampled_from(WORDS), st.sampled_from("abc"), st.floats(0.0, 400.0)
    ),
    max_size=60,
)


@settings(deadline=None, max_examples=60)
@given(EVENTS)
def test_dispositions_are_those_of_the_document(events: list[tuple[str, str, str, float]]) -> None:
    clock = Clock()
    strengths: dict[str, int] = {}
    with opened(clock) as save:
        mind = save.npc("mira").mind
        mind.config = EXACT
        for action, words, who, pause in events:
            clock.now += pause
            felt = mind.perceive({"action": action, "content": words, "source_id": who})
            sentiment = specified_sentiment(words, action)
            strengths[who] = max(0, min(100, strengths.get(who, 50) + sentiment))
            assert felt["sentiment"] == sentiment
            assert felt["emotion"]["intensity"] == 75.0
            assert felt["emotion"]["expires_at"] == clock.now + 300.0
        found = mind.feelings.get_dispositions()
        assert {who: each["strength"] for who, each in found.items()} == strengths
        assert all(each["feeling"] == specified_feeling(each["strength"]) for each in found.values())


@settings(deadline=None, max_examples=40)
@given(EVENTS, st.integers(0, 59))
def test_a_rollback_and_a_reopened_save_have_the_old_feelings(
    events: list[tuple[str, str, str, float]], back_to: int
) -> None:
    clock = Clock()
    with opened(clock) as save:
        mind = save.npc("mira").mind
        states: list[tuple[float, Any]] = [(clock.now, state(mind))]
        for action, words, who, pause in events:
            clock.now += pause + 0.001
            mind.perceive({"action": action, "content": words, "source_id": who})
            states.append((clock.now, state(mind)))
        moment, before = states[min(back_to, len(states) - 1)]
        save.marks.rollback_to(moment)
        clock.now = moment
        assert state(mind) == before
        save.npc("mira").reload()
        assert state(mind) == before


def state(mind: NpcMind) -> Any:
    return (
        mind.feelings.get_dispositions(),
        mind.feelings.get_emotion(),
        mind.get_interactions(count=100),
        mind.reflections.get_importance_since_reflection(),
    )


def test_an_emotion_fades_evenly_and_ends(mind: NpcMind, clock: Clock) -> None:
    mind.perceive({"action": "attacked", "source_id": "kael"})
    assert mind.feelings.get_emotion()["intensity"] == 75.0
    clock.now += 150.0
    assert mind.feelings.get_emotion()["intensity"] == pytest.approx(37.5)
    clock.now += 150.0
    assert mind.feelings.get_emotion() == {
        "mood": "neutral",
        "intensity": 0.0,
        "reason": "",
        "since": 0.0,
        "expires_at": 0.0,
    }


def test_an_exact_emotion_holds_in_full_and_ends_at_once(mind: NpcMind, clock: Clock) -> None:
    mind.config = EXACT
    mind.perceive({"action": "attacked", "source_id": "kael"})
    clock.now += 299.0
    assert mind.feelings.get_emotion()["intensity"] == 75.0
    clock.now += 1.0
    assert mind.feelings.get_emotion()["mood"] == "neutral"


def test_a_feeling_fades_by_half_in_its_half_life(mind: NpcMind, clock: Clock) -> None:
    mind.config = NPCMindConfig(disposition_half_life_days=2.0)
    mind.feelings.adjust_disposition("kael", 40.0)
    clock.now += 2 * 86400.0
    assert mind.feelings.get_disposition("kael")["strength"] == pytest.approx(70.0)
    mind.feelings.adjust_disposition("kael", 10.0)
    clock.now += 2 * 86400.0
    assert mind.feelings.get_disposition("kael")["strength"] == pytest.approx(65.0)


def test_five_hundred_interactions_are_kept(tmp_path: Path, clock: Clock) -> None:
    path = str(tmp_path / "a.sqlite3")
    with opened(clock, path) as save:
        mind = save.npc("mira").mind
        for number in range(700):
            clock.now += 1.0
            mind.perceive({"action": "waved", "content": str(number), "source_id": f"c{number % 7}"})
        assert [each["content"] for each in mind.get_interactions(count=3)] == ["699", "698", "697"]
        many = mind.get_interactions(count=1000)
        assert 500 <= len(many) <= 550
        assert [int(each["content"]) for each in many] == list(range(699, 699 - len(many), -1))
        assert len(mind.feelings.get_dispositions()) == 7
        assert save.npc("mira").memories.get_memory_count() == 0
        assert len(mind.get_interactions("c3", 10)) == 10
    with opened(clock, path) as save:
        assert len(save.npc("mira").mind.get_interactions(count=1000)) == len(many)


def test_two_minds_on_one_memory_are_one(clock: Clock) -> None:
    with opened(clock) as save:
        save.npc("mira").mind.feelings.feel("sad", 40.0, "rain")
        assert save.npc("mira").mind.feelings.get_emotion()["reason"] == "rain"
        assert save.npc("tom").mind.feelings.get_emotion()["mood"] == "neutral"


def test_the_minds_that_are_told_of_are_those_in_memory_with_the_latest_feelings(clock: Clock) -> None:
    with opened(clock) as save:
        save.npc("quiet").memories.store("The mill burned down.")
        assert save.overview.feelings() == {}
        for number in range(120):
            clock.now += 1.0
            save.npc(f"npc {number}").mind.feelings.adjust_disposition("kael", 1.0)
        mira = save.npc("npc 3").mind
        for number in range(30):
            mira.feelings.adjust_disposition(f"c{number}", number - 20.0, "gossip")
        clock.now += 1.0
        save.npc("npc 2").mind.feelings.feel("sad", 40.0, "rain")
        told = save.overview.feelings()
        assert set(told) == {"npc 2", "npc 3", *(f"npc {number}" for number in range(22, 120))}
        assert told["npc 2"]["emotion"]["mood"] == "sad"
        strengths = [each["strength"] for each in told["npc 3"]["dispositions"]]
        assert len(strengths) == 20 and strengths[:3] == [30.0, 31.0, 32.0]
        assert told["npc 3"]["dispositions"][0]["reason"] == "gossip"


def test_an_event_of_the_future_happens_now(
    mind: NpcMind, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    mind.perceive({"action": "gifted", "source_id": "kael", "timestamp": clock.now + 99.0})
    assert mind.get_interactions()[0]["timestamp"] == clock.now
    assert "counts as happening now" in caplog.text


def test_an_event_of_the_past_keeps_its_date(mind: NpcMind, clock: Clock) -> None:
    felt = mind.perceive({"action": "gifted", "source_id": "kael", "timestamp": 10.0})
    assert mind.get_interactions()[0]["timestamp"] == 10.0
    assert felt["emotion"]["expires_at"] == clock.now + 300.0


def test_forgetting_everything_forgets_feelings(clock: Clock) -> None:
    with opened(clock) as save:
        npc = save.npc("mira")
        npc.mind.perceive({"action": "gifted", "source_id": "kael"})
        npc.clear_all_memories()
        assert npc.mind.feelings.get_dispositions() == {}
        assert npc.mind.feelings.get_emotion()["mood"] == "neutral"
        assert npc.mind.get_interactions() == []


def test_what_came_of_an_event_is_not_what_the_event_says(clock: Clock) -> None:
    with opened(clock) as save:
        mira = save.npc("mira")
        told = {"action": "helped", "source_id": "kael", "kind": "fact", "why": "fate", "memory_id": "none"}
        felt = mira.mind.perceive(told)
        assert mira.memories.get_memory(felt["memory_id"])["metadata"]["kind"] == felt["kind"] == "episode"
        mira.mind.perceive({"action": "waved", "kind": "fact", "memory_id": "none"})
        ignored, kept = mira.mind.get_interactions()
        assert [kept[name] for name in ("memory_id", "kind", "why")] == [
            felt[name] for name in ("memory_id", "kind", "why")
        ]
        assert (ignored["memory_id"], ignored["kind"]) == ("", "")


def test_a_mood_for_ever_can_be_told(mind: NpcMind, clock: Clock) -> None:
    mind.feelings.feel("devoted", 75.0, "", 1e308)
    clock.now += 10.0
    assert mind.feelings.get_emotion()["intensity"] == 75.0
    assert "You feel devoted." in mind.listeners.build_listener_context(["kael"])["text"]


def test_feelings_of_a_damaged_file_are_within_their_range(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "a.sqlite3"
    with opened(clock, str(path)) as save:
        save.npc("mira").mind.perceive({"action": "helped", "source_id": "kael"})
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "UPDATE interactions SET strength = 1e300, emotion = ?", ('["sad", 1e300, "", 0, 9e9]',)
        )
    with opened(clock, str(path)) as save:
        mind = save.npc("mira").mind
        assert mind.feelings.get_disposition("kael")["strength"] == 100.0
        assert 99.0 < mind.feelings.get_emotion()["intensity"] <= 100.0


@pytest.mark.parametrize(
    ("action", "same", "kind"),
    [
        ("theft", "stole", "episode"),
        ("Steal", "stole", "episode"),
        ("gift", "gave", "episode"),
        ("insult", "insulted", "episode"),
        ("hit", "attacked", "observation"),
        ("help", "helped", "episode"),
        ("kill", "killed", "observation"),
        ("lie", "lied", "observation"),
    ],
)
def test_other_words_for_an_action_mean_the_same(clock: Clock, action: str, same: str, kind: str) -> None:
    outcomes = []
    for word in (action, same):
        with opened(clock) as save:
            npc = save.npc("mira")
            perceived = npc.mind.perceive({"action": word, "source_id": "player", "source_name": "Rowan"})
            assert npc.mind.analyze_sentiment("", word) == perceived["sentiment"]
            (text,) = [memory["document_full"] for memory in npc.recall.get_recent(5)]
            outcomes.append((perceived["kind"], perceived["sentiment"], perceived["emotion"]["mood"], text))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0] == kind


def test_the_games_own_word_for_an_action_is_the_type_of_the_event(clock: Clock) -> None:
    with opened(clock) as save:
        npc = save.npc("mira")
        for word in ("theft", "hit", "gift"):
            npc.mind.perceive({"action": word, "source_id": "player"})
            assert npc.recall.knows_event({"event_type": word, "participants": ["player"]})


def test_a_rule_of_the_game_for_another_word_holds(mind: NpcMind) -> None:
    mind.config = NPCMindConfig(action_sentiments={"theft": 5.0})
    assert mind.perceive({"action": "theft", "source_id": "player"})["sentiment"] == 5
