"""A secret stays one, by every way of asking: until everybody who listens may know it, no answer has it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rag_memory import Npc, Save, open_save
from rag_memory.config import MemoryConfig
from rag_memory.config.memory_config import ScoreMode
from rag_memory.conversation.summary_shelf import SummaryShelf
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.memory.secrecy import PLAYER_ALONE
from rag_memory.npc.player_relationship import PlayerRelationship
from rag_memory.npc.retriever import Retriever

DAY = 86400.0
WORD = "sepulchre"
"""A word that only the secret has."""
SECRET = f"Gregor hid the crown in the {WORD}."
SECRET_EVENT = {"event_type": "crown_hidden", "location": "mill"}
QUESTIONS = (
    SECRET,
    "Where did Gregor hide the crown?",
    "Do you know who took the king's crown?",
    "Wo hat Gregor die Krone versteckt?",
    "Tell me everything about Gregor.",
    "",
)
CONFIG = MemoryConfig(
    protected_slot_types=["relationship_header", "great_truth"], slot_types=["great_truth"], check_names=False
)

HIDDEN: dict[str, dict[str, Any]] = {
    "for nobody": {"secret": True},
    "a number": {"secret": 1},
    "a text": {"secret": "yes"},
    "for an empty list": {"secret": True, "known_to": []},
    "for another": {"secret": True, "known_to": ["bjorn"]},
    "for another, as a text": {"secret": True, "known_to": "bjorn"},
    "of its source": {"secret": True, "source_id": "gregor"},
    "with the player in it": {"secret": True, "participants": ["player", "gregor"]},
    "pinned": {"secret": True, "memory_tier": 0},
    "a milestone": {"secret": True, "is_milestone": True},
    "protected": {"secret": True, "slot_type": "great_truth"},
    "a fact": {"secret": True, "kind": "fact"},
    "high signal": {"secret": True, "event_type": "betrayal"},
}
TELLABLE: dict[str, dict[str, Any]] = {
    "no secret": {},
    "none any more": {"secret": False},
    "for the player": {"secret": True, "known_to": ["player"]},
    "for the player among others": {"secret": True, "known_to": ["bjorn", "Player"]},
    "for the player, as a text": {"secret": True, "known_to": "player"},
    "from the player": {"secret": True, "source_id": "player"},
    "said by the player": {"secret": True, "speaker": "player"},
}


Way = Callable[[Npc, str, list[str]], Any]


def _dossier(npc: Npc, question: str, listeners: list[str]) -> Any:
    scene = {"player": listeners[0], "listeners": listeners[1:]} if listeners else {}
    dossier = npc.dossiers.build_dossier(question, scene)
    return dossier["text"], dossier["sections"]


def _prompt(role: str, has_dossier: bool) -> Way:
    """Return a way to ask by a prompt: the first who listens speaks, the others have a role in the talk."""

    def prompt(npc: Npc, question: str, listeners: list[str]) -> Any:
        options = {"speaker": listeners[0], role: listeners[1:], "dossier": has_dossier}
        sections = npc.prompts.build_prompt("line", question or "Well?", options)["sections"]
        return {name: section for name, section in sections.items() if name != "player_input"}

    return prompt


def _listener_context(npc: Npc, question: str, listeners: list[str]) -> Any:
    return npc.mind.listeners.build_listener_context(listeners, question, 5000, False)


WAYS: dict[str, Way] = {
    "retrieve_relevant()": lambda npc, question, listeners: npc.recall.retrieve_relevant(
        question, {"listeners": listeners}
    ),
    "retrieve_relevant_raw()": lambda npc, question, listeners: npc.recall.retrieve_relevant_raw(
        question, {"listeners": listeners, "limit": 50}
    ),
    "retrieve_tiered()": lambda npc, question, listeners: npc.recall.retrieve_tiered(
        question, {"listeners": listeners, "max_memory_chars": 5000, "max_regular_memories": 50}
    ),
    "recall_best()": lambda npc, question, listeners: npc.recall.recall_best(question or "Gregor", listeners),
    "get_recent()": lambda npc, question, listeners: npc.recall.get_recent(50, 0, listeners),
    "build_dossier()": _dossier,
    "build_listener_context()": _listener_context,
    "build() with bystanders": _prompt("bystanders", False),
    "build() with addressees": _prompt("addressees", False),
    "build() with bystanders and a dossier": _prompt("bystanders", True),
    "build() with addressees and a dossier": _prompt("addressees", True),
}
"""Every call whose answer may be shown or told to somebody."""
BY_DEFAULT: dict[str, Callable[[Npc, str], Any]] = {
    "retrieve_relevant()": lambda npc, question: npc.recall.retrieve_relevant(question),
    "retrieve_relevant_raw()": lambda npc, question: npc.recall.retrieve_relevant_raw(
        question, {"limit": 50}
    ),
    "retrieve_tiered()": lambda npc, question: npc.recall.retrieve_tiered(question),
    "recall_best()": lambda npc, question: npc.recall.recall_best(question or "Gregor"),
    "get_recent()": lambda npc, question: npc.recall.get_recent(50),
    "build_dossier()": lambda npc, question: npc.dossiers.build_dossier(question)["text"],
    "get_conversation_summary()": lambda npc, question: npc.conversation.get_conversation_summary(),
    "build()": lambda npc, question: [
        npc.prompts.build_prompt(occasion, question or "Well?")["sections"]["memories"]
        for occasion in ("line", "greeting", "reaction")
    ],
    "build() with a dossier": lambda npc, question: _prompt("bystanders", True)(npc, question, ["player"]),
    "answer_from_memory()": lambda npc, question: npc.unaided_answers.answer_from_memory("line", question),
    "generate_relationship_header()": lambda npc, question: npc.relationship.generate_relationship_header(),
    "get_disposition()": lambda npc, question: npc.mind.feelings.get_dispositions(),
    "get_emotion()": lambda npc, question: npc.mind.feelings.get_emotion(),
}
"""The same, and calls that name no listeners, without any."""


class Game:
    """A save in a file, with an NPC who knows a secret among other things."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.now = 10 * DAY
        self._save: Save | None = None

    @property
    def save(self) -> Save:
        if self._save is None:
            self._save = open_save(str(self._path), HashingEmbedder(), lambda: self.now)
        return self._save

    @property
    def npc(self) -> Npc:
        return self.save.npc("mira", CONFIG)

    def restart(self) -> None:
        self.close()
        assert self.npc.memories.get_memory_count()

    def close(self) -> None:
        if self._save is not None:
            self._save.close()
        self._save = None

    def live_on(self) -> None:
        """Fill the NPC's life, so that old memories are merged and conclusions drawn."""
        for number in range(30):
            self.npc.memories.store_conversation("player", f"Good day number {number}. The harvest was poor.")
            self.npc.mind.perceive(
                {"action": "helped", "source_id": "gregor", "source_name": "Gregor", "content": "the harvest"}
            )
        self.now += 40 * DAY
        self.npc.archive.consolidate()
        self.npc.mind.reflections.reflect(True)

    def travel(self) -> None:
        """Take the NPC to another save."""
        exported = self.npc.tools.export_json()
        self.close()
        self._path = self._path.with_name("other.sqlite3")
        self.npc.tools.import_json(exported)

    def load_snapshot(self) -> None:
        self.save.snapshots.take("before")
        self.npc.memories.store("The harvest was poor.", 3)
        self.save.snapshots.restore("before")


@pytest.fixture
def game(tmp_path: Path) -> Any:
    game = Game(tmp_path / "save.sqlite3")
    game.npc.memories.store("Gregor sells bread at the mill.", 5)
    game.npc.memories.store("The player bought bread of Gregor.", 5, {"participants": ["player", "gregor"]})
    yield game
    game.close()


def tell(game: Game, data: dict[str, Any]) -> str:
    return game.npc.memories.store(SECRET, 8, {**SECRET_EVENT, **data})


AGES: dict[str, Callable[[Game], None]] = {
    "at once": lambda game: None,
    "after a restart": Game.restart,
    "after consolidation and reflection": Game.live_on,
    "in another save": Game.travel,
    "after restore()": Game.load_snapshot,
}


@pytest.mark.parametrize("age", AGES)
@pytest.mark.parametrize("form", HIDDEN)
def test_nobody_named_is_the_player_who_may_not_know_it(game: Game, form: str, age: str) -> None:
    tell(game, HIDDEN[form])
    AGES[age](game)
    npc = game.npc
    for name, ask in BY_DEFAULT.items():
        for question in QUESTIONS:
            assert WORD not in str(ask(npc, question)), f"{name}: {question}"
    event = {"event_type": [SECRET_EVENT["event_type"], "betrayal"], "location": "mill"}
    assert not npc.recall.knows_event(event)
    assert npc.recall.knows_event({**event, "listeners": []})
    for condition in (SECRET, f"Gregor hid something in the {WORD}", "the crown is hidden"):
        assert npc.recall.how_sure(condition) < npc.recall.how_sure(condition, [])
        assert not npc.recall.knows(condition)
    assert npc.recall.knows(SECRET, 0.5, [])


@pytest.mark.parametrize("form", TELLABLE)
def test_the_player_hears_what_is_no_secret_to_them(game: Game, form: str) -> None:
    tell(game, TELLABLE[form])
    for name, ask in WAYS.items():
        if name != "build_listener_context()":
            assert WORD in str(ask(game.npc, SECRET, ["player"])), name
    assert game.npc.recall.knows(SECRET)
    assert game.npc.recall.knows_event(SECRET_EVENT)


@pytest.mark.parametrize("way", WAYS)
def test_everybody_who_listens_has_to_be_allowed_to(game: Game, way: str) -> None:
    tell(game, {"secret": True, "known_to": ["bjorn"], "participants": ["bjorn"], "source_id": "gregor"})
    ask = WAYS[way]
    for listeners, may_hear in (
        (["bjorn"], True),
        (["Bjorn"], True),
        (["gregor"], True),
        (["bjorn", "gregor"], True),
        (["player"], False),
        (["bjorn", "player"], False),
        (["bjorn2"], False),
    ):
        if way == "build_listener_context()" and "Bjorn" in listeners:
            continue
        assert (WORD in str(ask(game.npc, SECRET, listeners))) == may_hear, listeners


@pytest.mark.parametrize("has_dossier", [False, True])
@pytest.mark.parametrize(
    "company", [{"speaker": "rowan"}, {"bystanders": ["rowan"]}, {"addressees": ["rowan"]}], ids=str
)
def test_what_is_felt_for_a_listener_is_no_secret_to_others(
    game: Game, company: dict[str, Any], has_dossier: bool
) -> None:
    secret = {"content": f"I hid the crown in the {WORD}.", "secret": True}
    game.npc.mind.perceive({"action": "confided", "source_id": "gregor", "source_name": "Gregor", **secret})
    mind = {"class": "NPCMind", "values": {"npc_id": "mira", "nearby": [], "config": None}}
    options = {"mind": mind, "listeners": ["gregor"], "dossier": has_dossier}
    alone = {**options, "speaker": "gregor"}
    assert WORD in game.npc.prompts.build_prompt("line", "Where is the crown?", alone)["prompt"]
    heard = game.npc.prompts.build_prompt("line", "Where is the crown?", {**options, **company})["prompt"]
    assert WORD not in heard


def test_who_is_near_hears_an_answer_without_a_model(game: Game) -> None:
    tell(game, {"secret": True, "known_to": ["player"]})
    for nearby, may_hear in (([], True), (["rowan"], False)):
        mind = {"class": "NPCMind", "values": {"npc_id": "mira", "nearby": nearby, "config": None}}
        begun = game.npc.exchanges.begin_exchange("line", QUESTIONS[1], {"mind": mind})
        answer = game.npc.exchanges.finish_exchange(begun["exchange"])["response"]
        assert (WORD in answer) == may_hear, answer


def test_knowing_for_a_listener(game: Game) -> None:
    tell(game, {"secret": True, "known_to": ["bjorn"]})
    recall = game.npc.recall
    assert recall.knows(SECRET, 0.5, ["bjorn"]) and not recall.knows(SECRET, 0.5, ["bjorn", "player"])
    assert recall.how_sure(SECRET, ["bjorn"]) > 0.5 > recall.how_sure(SECRET, ["player"])
    assert recall.knows_event({**SECRET_EVENT, "listeners": ["bjorn"]})
    assert recall.knows_event({**SECRET_EVENT, "listeners": "bjorn"})
    assert not recall.knows_event({**SECRET_EVENT, "listeners": ["bjorn", "player"]})


def test_a_secret_outcome_is_as_if_it_had_not_come(game: Game) -> None:
    memories, recall = game.npc.memories, game.npc.recall
    people = {"participants": ["gregor"]}
    memories.store("Gregor promised to guard the crown.", 7, {"event_type": "promise_made", **people})
    memories.store(
        "Gregor broke his promise to guard the crown.",
        8,
        {"event_type": "promise_broken", "secret": True, **people},
    )
    promise = {"event_type": "promise_made"}
    assert recall.knows_event(promise) and not recall.knows_event({**promise, "status": "broken"})
    assert not recall.knows_event({**promise, "listeners": []})
    assert recall.knows_event({**promise, "status": "broken", "listeners": []})
    assert recall.knows("Gregor promised to guard the crown")


def test_retrieve_scored_has_everything_and_marks_it(game: Game) -> None:
    hidden = tell(game, {"secret": True})
    answer = game.npc.recall.retrieve_scored(SECRET)
    assert {memory["id"]: memory["may_be_told"] for memory in answer}[hidden] is False
    assert sum(not memory["may_be_told"] for memory in answer) == 1
    assert game.npc.memories.get_memory(hidden)["may_be_told"] is False
    game.npc.memories.update_memory(hidden, {"known_to": ["player"]})
    assert game.npc.memories.get_memory(hidden)["may_be_told"] is True
    assert WORD in str(game.npc.recall.retrieve_relevant(SECRET))


def test_a_memory_becomes_a_secret(game: Game) -> None:
    id = tell(game, {})
    assert WORD in str(game.npc.recall.retrieve_relevant(SECRET))
    game.npc.memories.update_memory(id, {"secret": True})
    for name, ask in BY_DEFAULT.items():
        assert WORD not in str(ask(game.npc, SECRET)), name


def test_a_secret_takes_no_place_of_what_may_be_told(game: Game) -> None:
    for number in range(40):
        game.npc.memories.store(f"Gregor hid crown {number} in the {WORD}.", 9, {"secret": True})
    recall = game.npc.recall
    assert len(recall.retrieve_relevant("Where did Gregor hide the crown?", {"limit": 2})) == 2
    assert len(recall.get_recent(2)) == 2
    assert "Gregor" in recall.recall_best("Where did Gregor hide the crown?")["document"]
    tiers = recall.retrieve_tiered("Where did Gregor hide the crown?")
    assert sum(len(tiers[name]) for name in ("pinned", "important", "relevant")) == 2


@pytest.mark.parametrize(
    "changes",
    [
        {"score_mode": ScoreMode.STREAM},
        {"use_bounded_collection": False},
        {"use_score_based_selection": False},
    ],
)
def test_what_a_prompt_asks_for_in_any_mode(game: Game, changes: dict[str, Any]) -> None:
    tell(game, {"secret": True})
    npc = game.save.npc("mira", dataclasses.replace(CONFIG, **changes).validated())
    retriever = Retriever(
        npc.records,
        PlayerRelationship(npc.records, dict, lambda _id: False),
        game.save.world,
        SummaryShelf(npc.records, game.save.npcs.turns),
    )
    for question in QUESTIONS:
        assert WORD not in str(retriever.scored("build()", question, -1, PLAYER_ALONE))
        assert "bread" in str(retriever.scored("build()", question, -1, PLAYER_ALONE))


def test_what_was_confided_to_a_mind_stays_with_its_source(game: Game) -> None:
    npc = game.npc
    npc.mind.perceive(
        {
            "action": "confided",
            "source_id": "gregor",
            "source_name": "Gregor",
            "content": f"I hid the crown in the {WORD}, that was an evil deed.",
            "secret": True,
            "importance": 9,
        }
    )
    game.live_on()
    for name, ask in BY_DEFAULT.items():
        for question in QUESTIONS:
            assert WORD not in str(ask(npc, question)), f"{name}: {question}"
    assert WORD in str(npc.mind.listeners.build_listener_context(["gregor"], SECRET, 5000, False))
    assert WORD not in str(npc.mind.listeners.build_listener_context(["player"], SECRET, 5000, False))


def test_a_turn_told_in_secret_makes_secret_memories(game: Game) -> None:
    npc = game.npc
    npc.conversation.store_turn(
        f"I promise to bring you the crown from the {WORD}.", "I shall wait.", {"secret": True}
    )
    assert WORD in str(npc.recall.retrieve_relevant(SECRET))
    assert WORD not in str(npc.recall.retrieve_relevant(SECRET, {"listeners": ["player", "bjorn"]}))
