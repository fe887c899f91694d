"""Who asks: "I" and "my" in the question of another character are that one, and not the player."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rag_memory import Npc, Save, open_save
from rag_memory.embedding.onnx_embedder import OnnxEmbedder
from rag_memory.errors import InvalidArgumentError

MODEL = Path(__file__).resolve().parents[3] / "addons" / "rag_memory" / "models" / "default"
GIFTS = {"player": "The player gave me a silver ring.", "bjorn": "Bjorn gave me a copper kettle."}
QUESTION = "What did I give you?"


@pytest.fixture(scope="module")
def model() -> OnnxEmbedder:
    return OnnxEmbedder(MODEL)


@pytest.fixture
def save(model: OnnxEmbedder) -> Iterator[Save]:
    save = open_save(":memory:", embedder=model, clock=lambda: 8_640_000.0)
    yield save
    save.close()


@pytest.fixture
def mira(save: Save) -> Npc:
    mira = save.npc("mira")
    for giver, text in GIFTS.items():
        mira.memories.store(text, 6, {"event_type": "gift_received", "participants": [giver]})
    for day in range(20):
        mira.memories.store(f"The mill ground {day + 3} sacks of rye.", 4)
    save.npc("bjorn").memories.store("I keep the smithy.", 5)
    return mira


def texts(memories: Any) -> list[str]:
    return [memory["document_full"] for memory in memories if memory["document_full"] in GIFTS.values()]


@pytest.mark.parametrize("speaker", GIFTS)
def test_every_answer_is_to_the_one_who_asks(mira: Npc, speaker: str) -> None:
    options = {"speaker": speaker}
    tiers = mira.recall.retrieve_tiered(QUESTION, options)
    answers = {
        "retrieve_scored": texts(mira.recall.retrieve_scored(QUESTION, -1, speaker)),
        "retrieve_tiered": texts(tiers["pinned"] + tiers["important"] + tiers["relevant"]),
        "retrieve_relevant": mira.recall.retrieve_relevant(QUESTION, options),
        "retrieve_relevant_raw": texts(mira.recall.retrieve_relevant_raw(QUESTION, options)),
    }
    assert {name: answer[0] for name, answer in answers.items()} == dict.fromkeys(answers, GIFTS[speaker])


@pytest.mark.parametrize(
    ("speaker", "question"),
    [("player", "What did the player give me?"), ("bjorn", "What did Bjorn give me?")],
)
def test_explain_shows_how_the_question_of_another_one_is_read(
    mira: Npc, speaker: str, question: str
) -> None:
    assert mira.recall.explain(QUESTION, "", [], speaker)["embedded_context"] == question


def test_who_asks_is_called_as_the_memories_call_it(save: Save, mira: Npc) -> None:
    save.world.characters.register_character("npc_07", {"name": "Old Gregor"})
    explained = mira.recall.explain("Did I lend you my axe?", "", [], "npc_07")
    assert explained["embedded_context"] == "Did Old Gregor lend me Old Gregor's axe?"


@pytest.mark.parametrize("speaker", GIFTS)
def test_a_prompt_has_first_what_the_speaker_asks_for(mira: Npc, speaker: str) -> None:
    prompt = mira.prompts.build_prompt("line", QUESTION, {"speaker": speaker})
    places = {giver: prompt["prompt"].index(text) for giver, text in GIFTS.items()}
    assert min(places, key=lambda giver: places[giver]) == speaker


@pytest.mark.parametrize(("speaker", "gift"), [("player", "silver ring"), ("bjorn", "copper kettle")])
def test_an_answer_without_a_model_is_to_the_one_who_asks(mira: Npc, speaker: str, gift: str) -> None:
    answer = mira.unaided_answers.answer_from_memory("line", QUESTION, {"speaker": speaker})
    assert gift in answer["response"]


def test_what_the_player_gave_is_no_answer_to_another_one(mira: Npc) -> None:
    answer = mira.unaided_answers.answer_from_memory("line", "Did I give you a ring?", {"speaker": "bjorn"})
    assert "silver" not in answer["response"]


def test_a_dossier_is_for_the_one_who_asks(mira: Npc) -> None:
    for speaker, text in GIFTS.items():
        dossier = mira.dossiers.build_dossier(QUESTION, {"player": speaker})
        assert dossier["sections"]["memories"]["text"].index(text) == min(
            dossier["sections"]["memories"]["text"].index(gift) for gift in GIFTS.values()
        )


def test_who_asks_hears_the_answer_unless_others_are_named(mira: Npc) -> None:
    mira.memories.store(
        "Bjorn hid his gold under the oak.", 6, {"secret": True, "known_to": ["bjorn"], "speaker": "bjorn"}
    )
    ask = mira.recall.retrieve_relevant
    where = "Where did I hide my gold?"
    assert "under the oak" in str(ask(where, {"speaker": "bjorn"}))
    assert "under the oak" not in str(ask(where))
    assert "under the oak" not in str(ask(where, {"speaker": "bjorn", "listeners": ["bjorn", "player"]}))
    assert "under the oak" in str(
        mira.recall.retrieve_tiered(where, {"speaker": "bjorn", "min_importance": 1})
    )
    assert "under the oak" not in str(mira.recall.retrieve_tiered(where, {"min_importance": 1}))


@pytest.mark.parametrize("speaker", ["mira", "", "npc", 7])
def test_nobody_asks_itself(mira: Npc, speaker: Any) -> None:
    for ask in (
        lambda: mira.recall.retrieve_scored(QUESTION, -1, speaker),
        lambda: mira.recall.retrieve_relevant(QUESTION, {"speaker": speaker}),
        lambda: mira.recall.retrieve_tiered(QUESTION, {"speaker": speaker}),
        lambda: mira.recall.explain(QUESTION, "", [], speaker),
    ):
        with pytest.raises(InvalidArgumentError, match="speaker"):
            ask()


PAY, SACKS = "I promise to pay for the flour.", "I will bring you ten sacks."


def answer(mira: Npc, line: str, speaker: str) -> str:
    """What Mira answers without a model; the exchange is stored."""
    begun = mira.exchanges.begin_exchange("line", line, {"speaker": speaker})
    return str(mira.exchanges.finish_exchange(begun["exchange"], {})["response"])


def test_what_one_has_asked_is_no_answer_to_another_one(mira: Npc) -> None:
    mira.memories.store("Bandits burned the old mill during the harvest.", 6)
    for speaker in ("player", "bjorn", "peer_2", "player"):
        assert "Bandits burned the old mill" in answer(mira, "Who burned the mill?", speaker)
    answer(mira, "What do you think of Bjorn?", "player")
    assert "think of" not in answer(mira, "Who am I?", "bjorn")


@pytest.mark.parametrize("speaker", ["player", "bjorn", "peer_2"])
def test_a_promise_is_that_of_who_gave_it_to_whom(mira: Npc, speaker: str) -> None:
    for other in ("player", "bjorn"):
        mira.exchanges.record_exchange(PAY, {"response": SACKS}, {"speaker": other})
    promised = answer(mira, "What did you promise me?", speaker)
    assert PAY not in promised and (SACKS in promised) == (speaker != "peer_2")
    promised = answer(mira, "What did I promise you?", speaker)
    assert SACKS not in promised and (PAY in promised) == (speaker != "peer_2")


def test_another_one_hears_the_name_of_the_player(mira: Npc) -> None:
    mira.exchanges.record_exchange("My name is Rowan.", {"response": "Good day."})
    mira.memories.store("The player stole my brooch.", 8, {"participants": ["player"]})
    assert "Rowan stole my brooch." in answer(mira, "Who stole your brooch?", "bjorn")
    assert "You stole my brooch." in answer(mira, "Who stole your brooch?", "player")


def test_a_secret_makes_no_secret_of_what_is_said_after_it(mira: Npc) -> None:
    promise = "I promise to pay for the flour by tomorrow."
    mira.exchanges.record_exchange(f"{promise} Tell nobody.", {"response": ""}, {"manner": "whisper"})
    mira.memories.store("Varn promised to pay for the flour by tomorrow.", 6)
    answer(mira, "Who promised to pay for the flour?", "bjorn")
    (asked, *_) = mira.recall.get_recent(1, listeners=[])
    assert "Who promised" in asked["document_full"] and "secret" not in asked["metadata"]
    answer(mira, "What did I promise you?", "player")
    (asked, *_) = mira.recall.get_recent(1, listeners=[])
    assert "What did I promise" in asked["document_full"] and asked["metadata"]["secret"]


def test_listeners_and_relationships_have_the_names_that_the_game_gave_them(save: Save, mira: Npc) -> None:
    save.world.characters.register_character("npc_07", {"name": "Old Gregor"})
    heard = mira.mind.listeners.build_listener_context(["npc_07", "bjorn"], "What did I give you?")
    assert "- Old Gregor, towards whom" in heard["text"] and "npc" not in heard["text"]
    mira.relationship.store_relationship("npc_07", {"trust": 20})
    (stored,) = mira.recall.get_recent(1)
    assert stored["document_full"].startswith("How I stand to Old Gregor:")


def test_an_event_without_a_name_has_the_one_that_the_game_registered(save: Save, mira: Npc) -> None:
    save.world.characters.register_character("npc_07", {"name": "Old Gregor"})
    mira.mind.perceive({"action": "stole", "source_id": "npc_07", "importance": 8})
    (stolen,) = mira.recall.get_recent(1)
    assert stolen["document_full"] == "Old Gregor stole from me."
    assert stolen["metadata"]["participants"] == ["npc_07"]
    assert mira.mind.feelings.get_disposition("npc_07")["name"] == "Old Gregor"


@pytest.mark.parametrize("speaker", GIFTS)
def test_the_scene_of_listeners_is_what_the_speaker_says(mira: Npc, speaker: str) -> None:
    tools = {"player": "The player lent me a hammer.", "bjorn": "Bjorn lent me a saw."}
    for text in tools.values():
        mira.memories.store(text, 6, {"participants": list(GIFTS)})
    for sacks in range(30, 50):
        mira.memories.store(f"The mill ground {sacks} sacks of oats.", 4)
    heard = mira.mind.listeners.build_listener_context([speaker], "What did I lend you?", speaker=speaker)
    first, *_ = (line for line in heard["text"].splitlines() if "lent me" in line)
    assert tools[speaker] in first
