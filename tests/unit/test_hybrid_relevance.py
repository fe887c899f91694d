from __future__ import annotations

import numpy as np
import pytest

from rag_memory import MemoryConfig, NpcMemory, RelevanceMode
from rag_memory.columns import Columns
from rag_memory.gazetteer import name_words, without_names
from rag_memory.keyword_channel import KeywordChannel, question_words

HYBRID = MemoryConfig(relevance_mode=RelevanceMode.HYBRID)


def test_known_names_are_left_out_of_the_question() -> None:
    words = name_words(["npc_aldric", "Caroline", "Iron Hollow"])
    assert without_names("What did Caroline's sister tell Aldric?", words) == "What did sister tell ?"
    assert without_names("the iron gate", words) == "the iron gate"
    assert without_names("Caroline?", words) == "Caroline?"


def test_stop_words_are_not_looked_up_unless_there_is_nothing_else() -> None:
    assert question_words("What did the miller do to the mill?") == ["miller", "mill"]
    assert question_words("Who are you?") == ["who", "are", "you"]


def test_a_window_counts_the_neighbours_of_the_same_conversation_only() -> None:
    times = [0.0, 10.0, 20.0, 90000.0, 90010.0]
    columns = Columns([(n + 1, 5, time, 2, "general") for n, time in enumerate(times)])
    channel = KeywordChannel(columns, lambda word: np.array([3], dtype=np.int64))
    assert [score > 0 for score in channel.scores("mill", 1)] == [False, True, True, False, False]
    assert [score > 0 for score in channel.scores("mill", 0)] == [False, False, True, False, False]
    assert [score > 0 for score in channel.scores("mill", 2)] == [True, True, True, False, False]


def test_keywords_find_what_similarity_misses(npc: NpcMemory) -> None:
    npc.config = HYBRID
    npc.store_batch(
        [{"text": f"We talked about the weather on day {n}.", "timestamp": n * 90000} for n in range(30)]
    )
    id = npc.store("Zephyrine keeps the key.", 5, {"timestamp": 9e6})
    (memory,) = npc.retrieve_relevant_raw("Where did Zephyrine go on the day of the weather?", {"limit": 1})
    assert memory["id"] == id
    parts = memory["breakdown"]
    assert parts["keyword_channel"] == 1.0
    assert parts["blended"] == pytest.approx(0.5 * parts["dense_channel"] + 0.5 * parts["keyword_channel"])
    assert parts["relevance"] == pytest.approx(0.3 + 0.7 * parts["blended"])


def test_similarity_stays_the_cosine(npc: NpcMemory) -> None:
    npc.store("Caroline burned the mill.", 5, {"participants": ["Caroline"]})
    npc.store("The bread was stale.")
    question = "Why did Caroline burn the mill?"
    dense = {memory["id"]: memory["similarity"] for memory in npc.retrieve_relevant_raw(question)}
    npc.config = HYBRID
    hybrid = npc.retrieve_relevant_raw(question)
    assert {memory["id"]: memory["similarity"] for memory in hybrid} == dense
    assert all(memory["breakdown"]["dense"] == memory["similarity"] for memory in hybrid)


def test_new_memories_are_found_at_once(npc: NpcMemory) -> None:
    npc.config = HYBRID
    npc.store("The mill stands.")
    assert npc.retrieve_relevant("Zephyrine") == ["The mill stands."]
    npc.store("Zephyrine came.")
    assert npc.retrieve_relevant("Zephyrine", {"limit": 1}) == ["Zephyrine came."]


def test_the_players_name_is_known_from_its_slot(npc: NpcMemory) -> None:
    npc.config = HYBRID
    npc.store("The player told me their name is Theron.", 8, {"slot_type": "player_name"})
    npc.store("Theron burned the mill.")
    bare, named = (
        npc.retrieve_relevant_raw(q) for q in ("Who burned the mill?", "Who, Theron, burned the mill?")
    )
    channel = {memory["id"]: memory["breakdown"]["dense_channel"] for memory in named}
    assert channel == pytest.approx(
        {memory["id"]: memory["breakdown"]["dense_channel"] for memory in bare}, abs=0.05
    )
