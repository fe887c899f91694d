"""An exchange with the player: everything that comes of it is stored, or nothing is."""

from __future__ import annotations

import functools
import itertools
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.conftest import GameClock
from tests.unit.killed_process import told_before_killed
from tests.unit.sqlite_access import reading

from rag_memory import Npc, Save, open_save
from rag_memory.config.mind_config import SentimentMode
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.errors import GameLoadedError, InvalidArgumentError, StoreError
from rag_memory.npc.exchange_recorder import ExchangeRecorder
from rag_memory.step import Step, Steps, run
from rag_memory.world.campaign import SaveLabels

LINE = "My name is Rowan. I promise to mend your roof."
ANALYSED = (
    '{"response": "[warmly] Well met, Rowan.", "analysis": {"trust_change": 4, "gift": "a rose",'
    ' "interaction_type": "gift_given", "promise_made": "to mend the roof",'
    ' "learned_about_player": {"name": "Rowan", "notable_facts": ["Fears wolves"]}}}'
)
WITH_MIND: dict[str, Any] = {
    "mind": {"class": "NPCMind", "values": {"npc_id": "", "nearby": [], "config": None}}
}
WITH_ANALYZER: dict[str, Any] = {
    "mind": {
        "class": "NPCMind",
        "values": {"npc_id": "", "nearby": [], "config": {"sentiment_mode": SentimentMode.MODEL}},
    }
}
LOADS = ("restore", "mark", "time", "enter", "clear")


def begin(npc: Npc, said: str = LINE, occasion: str = "line", **model: Any) -> str:
    return str(npc.exchanges.begin_exchange(occasion, said, WITH_MIND, {}, model)["exchange"])


def _refusing(_recorder: ExchangeRecorder, _exchange: str) -> None:
    raise StoreError("The save cannot be written", "the disk is full", "Free some room")


def texts(npc: Npc) -> list[str]:
    return [memory["document_full"] for memory in npc.recall.get_recent(50)]


def rows(save: Save) -> list[str]:
    """Everything in the database but the mark of a write."""
    with reading(save.store) as connection:
        return [line for line in connection.iterdump() if "INSERT INTO" in line]


def test_everything_that_was_stored_is_in_the_answer(npc: Npc) -> None:
    for text in (ANALYSED, "I promise to wait for you here."):
        before = npc.memories.get_memory_count()
        answer = npc.exchanges.finish_exchange(begin(npc), {"text": text})
        stored = {memory["id"]: memory["text"] for memory in answer["stored"]}
        assert len(stored) == npc.memories.get_memory_count() - before + (text != ANALYSED)
        assert all(npc.memories.get_memory(id)["document_full"] == text for id, text in stored.items())


def test_a_secret_that_was_told_is_told_again_only_to_those_who_heard_it(npc: Npc) -> None:
    options = {**WITH_MIND, "listeners": ["kael"]}
    begun = npc.exchanges.begin_exchange("line", "What became of Marcus?", options, {}, {})
    text = '{"response": "The wolves did not kill Marcus.", "analysis": {"secret_revealed": "Varn did it"}}'
    npc.exchanges.finish_exchange(begun["exchange"], {"text": text})

    def heard(listeners: list[str]) -> list[str]:
        recalled = npc.recall.retrieve_relevant("Marcus, the wolves and Varn", {"listeners": listeners})
        return [text for text in recalled if "wolves" in text or "Varn" in text]

    assert heard(["player"]) and heard(["player", "kael"])
    assert not heard(["player", "lena"])
    (turn,) = npc.conversation.get_turns()
    assert turn["secret"] and turn["known_to"] == ["player", "kael"]
    for listeners in (["kael"], ["kael", "lena"]):
        prompt = npc.prompts.build_prompt("line", "Good evening.", {**WITH_MIND, "listeners": listeners})
        dossier = npc.dossiers.build_dossier("Good evening.", {"nearby": listeners})
        for text in (prompt["prompt"], dossier["text"]):
            assert ("The wolves did not kill Marcus." in text) == (listeners == ["kael"])


TOLD = "The gold is under the old mill."


@pytest.mark.parametrize("occasion", ["line", "greeting"])
@pytest.mark.parametrize(
    ("text", "unlock_trust"),
    [
        (TOLD, 10),
        (TOLD, 90),
        (f'{{"response": "[quietly] {TOLD}", "analysis": {{"secret_revealed": "none"}}}}', 10),
        (f'{{"response": "{TOLD}", "analysis": {{"secret_revealed": "a hoard"}}}}', 10),
        (f'{{"response": "{TOLD}", "analysis": {{"secret_revealed": "Gold is under a mill"}}}}', 10),
        ("Well, if you must know, the gold lies under the old mill. Tell nobody!", 10),
        ('{"response": "Dig by the old mill.", "analysis": {"secret_revealed": "what Varn hid"}}', 10),
        (
            f'{{"response": "{TOLD}", "analysis": {{"promise_made": "to dig under the old mill",'
            ' "learned_about_player": {"notable_facts": ["Knows of the old mill"]}}}',
            10,
        ),
    ],
)
def test_a_secret_that_the_model_does_not_mark_is_one(
    npc: Npc, text: str, unlock_trust: int, occasion: str
) -> None:
    secrets = [{"secret": TOLD, "unlock_trust": unlock_trust}]
    personality = {"class": "NPCPersonality", "values": {"npc_id": "elena", "secrets": secrets}}
    options = {**WITH_MIND, "personality": personality}
    said = "Where is the gold?" if occasion == "line" else ""
    if occasion == "greeting":
        npc.exchanges.finish_exchange(begin(npc, "Good day."), {"text": "Good day."})
    begun = npc.exchanges.begin_exchange(occasion, said, options, {}, {})
    npc.exchanges.finish_exchange(begun["exchange"], {"text": text})
    for listeners in (["player", "bo"], ["player"]):
        own = {**WITH_MIND, "listeners": listeners}
        prompt = npc.prompts.build_prompt("line", "Where is the gold?", own)["prompt"]
        dossier = npc.dossiers.build_dossier("Where is the gold?", {"nearby": listeners})["text"]
        assert ("old mill" in prompt) == (listeners == ["player"])
        assert "old mill" not in dossier or listeners == ["player"]


def test_a_reply_about_something_else_is_no_secret(npc: Npc) -> None:
    secrets = [{"secret": TOLD, "unlock_trust": 10}, {"secret": ""}, {"secret": "No. I did it."}]
    options = {
        **WITH_MIND,
        "personality": {"class": "NPCPersonality", "values": {"npc_id": "elena", "secrets": secrets}},
    }
    for text in ("No. The bread is on the table.", "The miller grinds my flour.", "Gold? I have none."):
        begun = npc.exchanges.begin_exchange("line", "Where is the gold?", options, {}, {})
        npc.exchanges.finish_exchange(begun["exchange"], {"text": text})
    assert not any("secret" in turn for turn in npc.conversation.get_turns())


@pytest.mark.parametrize(
    ("said", "name", "is_learned"),
    [
        ("My name is rowan.", "Rowan", True),
        ("I'm Jean-Luc O’Brien.", "Jean-Luc O'Brien", True),
        ("Меня зовут Рован.", "Рован", True),
        ("私はローワンです。", "ローワン", True),
        ("मेरा नाम रोहन है।", "रोहन", True),
        ("Good day, Elena.", "Elena", False),
        ("Good day, Elena.", "Elena Brandt", False),
        ("I am a player, the best of all.", "the player", False),
        ("Do you know Rowanna?", "Rowan", False),
        *(
            ("Good day.", name, False)
            for name in (
                "Stranger",
                "Traveler",
                "User",
                "Player",
                "unknown",
                "not mentioned",
                "Not provided.",
            )
        ),
    ],
)
def test_the_players_name_is_one_that_the_player_said(
    npc: Npc, said: str, name: str, is_learned: bool
) -> None:
    npc.exchanges.finish_exchange(begin(npc, "I am Theron."), {"text": analysed("Theron")})
    personality = {"class": "NPCPersonality", "values": {"npc_id": "elena", "display_name": "Elena Brandt"}}
    options = {**WITH_MIND, "personality": personality}
    begun = npc.exchanges.begin_exchange("line", said, options, {}, {})
    answer = npc.exchanges.finish_exchange(begun["exchange"], {"text": analysed(name)})
    (name_memory,) = [text for text in texts(npc) if text.startswith("The player told me their name")]
    assert name_memory == f"The player told me their name: {name if is_learned else 'Theron'}."
    is_nothing = name.lower().removesuffix(".") in ("unknown", "not mentioned", "not provided")
    assert [rejected["text"] for rejected in answer["rejected"]] == (
        [] if is_learned or is_nothing else [name]
    )
    assert not any("mentioned" in text or "none" in text for text in texts(npc))


def analysed(name: str) -> str:
    learned = {"name": name, "notable_facts": ["not mentioned", "none", "Unknown."]}
    return json.dumps({"response": "Well met.", "analysis": {"learned_about_player": learned}})


def test_an_unlocked_secret_is_in_the_prompt_only_while_nobody_else_listens(npc: Npc) -> None:
    secrets = [{"secret": "Varn did it.", "unlock_trust": 0}, {"secret": "Mira saw it.", "unlock_trust": 0}]
    secrets[1]["known_to"] = ["kael"]
    personality = {"class": "NPCPersonality", "values": {"npc_id": "elena", "secrets": secrets}}
    for listeners, expected in (
        (["player"], ["Varn did it.", "Mira saw it."]),
        (["player", "kael"], ["Mira saw it."]),
        (["player", "lena"], []),
    ):
        options = {**WITH_MIND, "personality": personality, "listeners": listeners}
        prompt = npc.prompts.build_prompt("line", "Good evening.", options)
        assert [secret["secret"] for secret in prompt["secrets"]] == expected
        assert all(secret in prompt["sections"]["secrets"]["text"] for secret in expected)


def test_a_secret_of_the_memory_that_was_told_is_told_again_only_to_those_who_heard_it(npc: Npc) -> None:
    npc.memories.store("Otto buried the gold under the old oak.", 8, {"secret": True, "known_to": ["player"]})
    for text in (
        "Otto buried the gold under the old oak.",
        '{"response": "Otto buried gold under that oak."}',
    ):
        begun = begin(npc, "Where is the gold?")
        npc.exchanges.finish_exchange(begun, {"text": text})
    for listeners in (["player"], ["player", "kael"]):
        prompt = npc.prompts.build_prompt("line", "Tell us.", {**WITH_MIND, "listeners": listeners})
        assert ("oak" in prompt["prompt"]) == (listeners == ["player"])


def test_an_exchange_that_cannot_be_begun_leaves_nothing(npc: Npc) -> None:
    for wrong in ({"budgets": {"nope": 1}}, {"recent_turns": [{"speaker": "player"}]}):
        with pytest.raises(InvalidArgumentError):
            npc.exchanges.begin_exchange("line", "I hate you, thief!", {**WITH_MIND, **wrong})
    assert not npc.mind.feelings.get_dispositions()
    assert not npc.exchange_undo.get_exchanges()


def test_the_last_exchange_to_undo_is_a_finished_one(npc: Npc) -> None:
    first = npc.exchanges.finish_exchange(begin(npc), {"text": "Hm."})["exchange"]
    begun = begin(npc, "I hate you, thief!")
    assert [exchange["exchange"] for exchange in npc.exchange_undo.get_exchanges()] == [first]
    assert npc.exchange_undo.undo_exchange()["exchange"] == first
    npc.exchange_undo.undo_exchange(begun)
    with pytest.raises(InvalidArgumentError, match="was undone"):
        npc.exchanges.finish_exchange(begun, {"text": "Go away."})


def test_two_exchanges_at_a_time_are_one_first_meeting_and_both_changes(npc: Npc) -> None:
    text = '{"response": "Yes.", "analysis": {"trust_change": 5}}'
    begun = [begin(npc, said) for said in ("Hello there, Elena.", "Are you here today?")]
    running = [npc.exchanges.finish_exchange.steps(exchange, {"text": text}) for exchange in begun]
    answers = []
    while running:
        for steps in list(running):
            try:
                next(steps)
            except StopIteration as end:
                running.remove(steps)
                answers.append(end.value)
    types = [memory["event_type"] for answer in answers for memory in answer["stored"]]
    assert types.count("first_meeting") == 1
    assert npc.relationship.get_relationship("player")["trust"] == 60


def test_an_exchange_that_could_not_be_written_can_be_finished_again(npc: Npc) -> None:
    begun = begin(npc)
    npc.exchanges.hear_exchange(begun, "Well met.")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ExchangeRecorder, "part_of", _refusing)
        with pytest.raises(StoreError):
            npc.exchanges.finish_exchange(begun, {"text": ""})
    assert npc.exchanges.finish_exchange(begun, {"text": ""})["response"] == "Well met."
    assert len(npc.conversation.get_turns()) == 1


def test_a_long_event_is_remembered_in_part(npc: Npc) -> None:
    begun = begin(npc, "The roof burns. " * 2000, occasion="reaction")
    (memory,) = npc.exchanges.finish_exchange(begun, {"text": "Water!"})["stored"]
    assert "The roof burns." in memory["text"]


def test_without_an_analysis_the_rules_read_both_halves(npc: Npc) -> None:
    answer = npc.exchanges.finish_exchange(begin(npc), {"text": "I promise to wait for you here."})
    assert [memory["event_type"] for memory in answer["stored"]] == [
        *("first_meeting", "player_info", "promise_made", "own_promise")
    ]
    (turn,) = npc.conversation.get_turns()
    assert turn["npc_message"] == answer["response"]
    for memory in answer["stored"][1:]:
        assert npc.memories.get_memory(memory["id"])["metadata"]["turn"] == turn["id"]


def test_an_analysis_takes_the_place_of_the_rules(npc: Npc) -> None:
    answer = npc.exchanges.finish_exchange(begin(npc), {"text": ANALYSED})
    assert [memory["event_type"] for memory in answer["stored"]] == [
        *("first_meeting", "promise_made", "gift_received", "player_info", "player_info"),
        "relationship_state",
    ]
    assert npc.relationship.get_relationship("player")["trust"] == 54
    assert answer["deltas"]["trust_change"] == 4
    assert answer["relationship"]["trust"] == 54


def test_a_line_that_the_mind_remembers_is_in_the_answer(npc: Npc) -> None:
    rule = {"action": "conversed", "kind": "observation", "importance": 4, "condition": ""}
    config = {"encoding_rules": [rule]}
    mind = {"class": "NPCMind", "values": {"npc_id": "", "nearby": [], "config": config}}
    begun = npc.exchanges.begin_exchange("line", LINE, {"mind": mind})
    answer = npc.exchanges.finish_exchange(begun["exchange"], {"text": "Well."})
    ids = {memory["id"] for memory in answer["stored"]}
    assert ids == {memory["id"] for memory in npc.recall.get_recent(50)}


def test_a_greeting_of_somebody_known_stores_the_turn_alone(npc: Npc) -> None:
    first = npc.exchanges.finish_exchange(begin(npc, "", "greeting"), {"text": "Who are you?"})
    assert [memory["event_type"] for memory in first["stored"]] == ["first_meeting"]
    second = npc.exchanges.finish_exchange(
        begin(npc, "", "greeting"), {"text": "Rowan! I promise to stay here."}
    )
    assert second["stored"] == []
    assert npc.conversation.get_turns()[-1]["npc_message"] == second["response"]


def test_a_reaction_stores_what_was_seen(npc: Npc) -> None:
    answer = npc.exchanges.finish_exchange(begin(npc, "A dog barks.", "reaction"), {"text": "Hush!"})
    assert answer["response"] == "Hush!"
    assert [memory["event_type"] for memory in answer["stored"]] == ["witnessed_event"]
    assert "A dog barks." in texts(npc)[0]
    assert npc.conversation.get_turns() == []


def test_without_a_model_the_npc_answers_from_memory(npc: Npc) -> None:
    for result in (None, {"text": "", "error": "no answer"}, {"text": "<think>Hm."}):
        answer = npc.exchanges.finish_exchange(begin(npc), result)
        assert answer["response"]
        assert answer["from_memory"] is True
        assert answer["error"] == (result or {}).get("error", "")
        assert npc.conversation.get_turns()[-1]["from_memory"] is True
        assert not any("answered" in text for text in texts(npc))


@pytest.mark.parametrize("said", ["Hello.", "Good day to you, my dear friend!"])
def test_without_a_model_a_stranger_is_greeted_as_one(npc: Npc, said: str) -> None:
    strangers = {npc.records.config.sentence(f"says_hello_stranger_{number}") for number in (1, 2)}
    perceived = begin(npc, said)
    assert npc.exchanges.finish_exchange(perceived)["response"] in strangers
    assert npc.exchanges.finish_exchange(begin(npc, said))["response"] not in strangers


def test_a_model_that_was_stopped_may_be_asked_once_more(npc: Npc) -> None:
    id = begin(npc, analysis=False, habit=2)
    npc.exchanges.hear_exchange(id, "<think>")
    again = npc.exchanges.finish_exchange(id, {"text": "", "was_stopped": True})
    assert again["again"] is True
    assert npc.memories.get_memory_count() == 0
    npc.exchanges.hear_exchange(id, "<think>Rye.</think>We have rye.")
    answer = npc.exchanges.finish_exchange(id, {"text": ""})
    assert answer["response"] == "We have rye."
    assert "again" not in answer
    with pytest.raises(InvalidArgumentError, match="it has ended"):
        npc.exchanges.finish_exchange(id, {"text": "More."})


@pytest.mark.parametrize("length", (80, 300, 600, 1200, 1900))
def test_what_was_said_is_remembered_to_its_end(npc: Npc, length: int) -> None:
    talk = "We came down the valley in the fog. " * (length // 36)
    answer = npc.exchanges.finish_exchange(
        begin(npc, talk + "My dog is called Rufus."), {"text": talk + "My cat is called Tib."}
    )
    assert "My dog is called Rufus." in answer["stored"][0]["text"]
    assert "My cat is called Tib." in answer["stored"][0]["text"]
    (turn,) = npc.conversation.get_turns()
    assert turn["player_message"].endswith("Rufus.")
    assert turn["npc_message"].endswith("Tib.")


def test_the_extractor_of_the_game_is_asked_when_nobody_waits(opened: Callable[..., Save]) -> None:
    save = opened()
    npc = save.npc("elena")
    requests: list[Any] = []

    def extractor(request: Any) -> Steps[Any]:
        requests.append(request)
        yield from ()
        return [{"text": "The player fears spiders.", "event_type": "fear"}]

    save.context.extractor = extractor
    answer = npc.exchanges.finish_exchange(begin(npc), {"text": "Well."})
    assert [memory["event_type"] for memory in answer["stored"]] == ["first_meeting"]
    assert requests == []
    run(npc.conversation.idle_steps())
    assert [request["turn_id"] for request in requests] == [npc.conversation.get_turns()[0]["id"]]
    assert "The player fears spiders." in texts(npc)
    run(npc.conversation.idle_steps())
    assert len(requests) == 1
    npc.exchanges.finish_exchange(begin(npc), {"text": ANALYSED})
    run(npc.conversation.idle_steps())
    assert len(requests) == 1, "an analysis has told everything"


def test_a_rule_of_the_game_may_find_memories_of_no_kind(opened: Callable[..., Save]) -> None:
    save = opened()
    npc = save.npc("elena")

    def extractor(_request: Any) -> Steps[Any]:
        yield from ()
        return ["The player fears spiders.", {"text": "The well is dry.", "fact": "a rumour"}]

    save.context.extractor = extractor
    save.context.asks_extractor = lambda: False
    npc.exchanges.finish_exchange(begin(npc), {"text": "Well."})
    assert "The player fears spiders." in texts(npc)


def test_the_extractor_writes_nothing_into_a_game_that_was_loaded(
    opened: Callable[..., Save], save_path: Path
) -> None:
    save = opened(save_path)
    npc = save.npc("elena")
    run(save.snapshots.take.steps("before"))

    def extractor(_request: Any) -> Steps[Any]:
        yield from ()
        save.snapshots.restore("before")
        return ["The player fears spiders."]

    save.context.extractor = extractor
    npc.exchanges.finish_exchange(begin(npc), {"text": "Well."})
    run(npc.conversation.idle_steps())
    assert texts(npc) == []
    assert npc.conversation.get_turns() == []


def test_an_undone_exchange_leaves_nothing(npc: Npc) -> None:
    npc.memories.store("I bake bread.")
    before = (texts(npc), npc.mind.feelings.get_dispositions(), npc.relationship.get_relationship("player"))
    for text in (ANALYSED, "I promise to wait for you here.", None):
        answer = npc.exchanges.finish_exchange(begin(npc), None if text is None else {"text": text})
        undone = npc.exchange_undo.undo_exchange(answer["exchange"])
        assert set(undone["removed"]) == {memory["id"] for memory in answer["stored"]}
        assert npc.conversation.get_turns() == []
        assert (
            texts(npc),
            npc.mind.feelings.get_dispositions(),
            npc.relationship.get_relationship("player"),
        ) == before


def finishing(npc: Npc, id: str) -> Steps[dict[str, Any]]:
    return npc.exchanges.finish_exchange.steps(id, {"text": ANALYSED})


def test_cancelled_at_any_step_it_stores_all_or_nothing(opened: Callable[..., Save]) -> None:
    stopped_at = 0
    while True:
        save = opened()
        npc = save.npc("elena")
        id = begin(npc)
        before = rows(save)
        steps = finishing(npc, id)
        done = list(itertools.islice(steps, stopped_at))
        if len(done) < stopped_at:
            break
        steps.close()
        assert rows(save) == before
        stopped_at += 1
    assert stopped_at >= 2
    assert npc.conversation.get_turns() != []


def load(save: Save, clock: GameClock, way: str, mark: str) -> None:
    if way == "restore":
        save.snapshots.restore("before")
    elif way == "mark":
        save.marks.rollback_to(mark)
    elif way == "time":
        save.marks.rollback_to(clock.now - 1.0)
    elif way == "enter":
        save.enter(SaveLabels())
    else:
        save.npc("elena").clear_all_memories()


@pytest.mark.parametrize("way", LOADS)
def test_loaded_at_any_step_it_stores_nothing(
    opened: Callable[..., Save], clock: GameClock, tmp_path: Path, way: str
) -> None:
    loaded_at = 1
    is_finished = False
    while not is_finished:
        save = opened(tmp_path / f"{loaded_at}.sqlite3")
        npc = save.npc("elena")
        clock.now += 10.0
        npc.memories.store("I bake bread.")
        run(save.snapshots.take.steps("before"))
        mark = save.marks.add()
        clock.now += 10.0
        save.context.sentiment_analyzer = analyzer
        working = exchanging(npc)
        is_finished = len(list(itertools.islice(working, loaded_at))) < loaded_at
        if not is_finished:
            load(save, clock, way, mark)
            left = (texts(npc), npc.conversation.get_turns())
            with pytest.raises(GameLoadedError, match="the game was loaded meanwhile"):
                run(working)
            assert (texts(npc), npc.conversation.get_turns()) == left
            assert npc.relationship.get_relationship("player") == {}
        loaded_at += 1
    assert loaded_at >= 5


def analyzer(_request: Any) -> Steps[Any]:
    """Weighs what was said after a while."""
    yield Step(0, 1, "waiting", is_waiting=True)
    return 5.0


def exchanging(npc: Npc) -> Steps[dict[str, Any]]:
    """A whole exchange, which pauses before each of its calls."""
    begun = yield from npc.exchanges.begin_exchange.steps("line", LINE, WITH_ANALYZER)
    yield from npc.records.index.load_steps()
    return (yield from finishing(npc, begun["exchange"]))


class Disk:
    """Makes the write with a number fail."""

    def __init__(self, save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
        self.fails_at = -1
        self._count = 0
        store = save.store
        for part, names in (
            (store.records, ("insert", "update", "supersede")),
            (store.documents, ("write",)),
            (store.archive, ("move", "copy", "add_weight")),
            (store.npcs, ("add", "touch")),
            (store.exchanges, ("begin", "end")),
        ):
            for name in names:
                monkeypatch.setattr(part, name, self._watched(getattr(part, name)))

    def _watched(self, write: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(write)
        def watched(*arguments: Any, **named: Any) -> Any:
            self._count += 1
            if self._count == self.fails_at:
                raise StoreError("The disk is full", "", "")
            return write(*arguments, **named)

        return watched

    def fail_at(self, number: int) -> None:
        self._count, self.fails_at = 0, number

    @property
    def has_failed(self) -> bool:
        return self._count >= self.fails_at


def test_a_full_disk_stores_all_or_nothing(
    opened: Callable[..., Save], monkeypatch: pytest.MonkeyPatch
) -> None:
    save = opened()
    npc = save.npc("elena")
    npc.exchanges.finish_exchange(begin(npc), {"text": ANALYSED})
    disk = Disk(save, monkeypatch)
    for number in itertools.count(1):
        id = begin(npc, f"I promise to bring you apple number {number}.")
        before, texts_before = rows(save), texts(npc)
        disk.fail_at(number)
        try:
            npc.exchanges.finish_exchange(id, {"text": ANALYSED})
        except StoreError:
            disk.fail_at(-1)
            assert rows(save) == before
            assert texts(npc) == texts_before
        else:
            assert not disk.has_failed
            break
    assert number > 8


def _talk_until_killed(path: Path, first: int, tell: Callable[[], object]) -> None:
    npc = open_save(path, HashingEmbedder(64), clock=lambda: 1000.0).npc("elena")
    number = first
    while True:
        id = begin(npc, f"I promise to bring you apple number {number}.")
        npc.exchanges.finish_exchange(id, {"text": f"I promise to wait for apple number {number}."})
        number += 1
        tell()


def test_a_killed_process_has_whole_exchanges(tmp_path: Path) -> None:
    path = tmp_path / "killed.sqlite3"
    dice = random.Random(11)
    first = 0
    for _ in range(8):
        work = functools.partial(_talk_until_killed, path, first)
        last = first + told_before_killed(work, dice.randint(1, 4), dice)
        with open_save(path, HashingEmbedder(64), clock=lambda: 1000.0) as save:
            npc = save.npc("elena")
            turns = npc.conversation.get_turns(1000)
            assert len(turns) in (last, last + 1)
            types = npc.memories.get_memory_stats()["event_types"]
            talks = types["first_meeting"] + types.get("conversation", 0)
            assert talks == types["promise_made"] == types["own_promise"] == len(turns)
            first = len(turns)


def test_what_is_no_exchange_is_refused(npc: Npc) -> None:
    wrong: list[tuple[Any, ...]] = [
        ("shout", "Hello."),
        ("line", " "),
        ("line", "Hello.", {"tempo": 3}),
        ("line", "Hello.", {"timestamp": "noon"}),
        ("line", "Hello.", {}, {}, {"analysis": "no"}),
    ]
    for arguments in wrong:
        with pytest.raises(InvalidArgumentError):
            npc.exchanges.begin_exchange(*arguments)
    for id in ("", "unknown"):
        with pytest.raises(InvalidArgumentError, match="Begin it with begin_exchange"):
            npc.exchanges.finish_exchange(id)
    with pytest.raises(InvalidArgumentError):
        npc.exchanges.finish_exchange(begin(npc), {"texts": "Hello."})


@pytest.fixture(autouse=True)
def _no_warnings(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    assert [record for record in caplog.records if record.exc_info] == []


@pytest.mark.parametrize(
    ("line", "types"),
    [
        ("I promise to bring you flowers tomorrow.", ["promise_made"]),
        ("I will kill you!", ["threat"]),
        ("It rained. I promise to bring you flowers tomorrow.", ["conversation", "promise_made"]),
        ("The mill burned down last night.", ["conversation"]),
    ],
)
@pytest.mark.parametrize("speaker", ["player", "bjorn"])
def test_a_line_that_is_a_promise_is_one_memory(
    opened: Callable[..., Save], line: str, types: list[str], speaker: str
) -> None:
    mira = opened().npc("mira")
    mira.relationship.store_relationship(speaker, {"trust": 10})
    begun = mira.exchanges.begin_exchange("line", line, {"speaker": speaker})
    stored = mira.exchanges.finish_exchange(begun["exchange"])["stored"]
    assert [memory["event_type"] for memory in stored] == types
    assert all(memory["text"].count(line) <= 1 for memory in stored)
