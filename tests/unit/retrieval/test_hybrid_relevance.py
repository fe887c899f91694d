from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from rag_memory import MemoryConfig, Npc, RelevanceMode, Save, ScoreMode
from rag_memory.index.columns import Columns, SearchedRow
from rag_memory.index.conversations import Conversations
from rag_memory.index.exact_index import ExactIndex
from rag_memory.index.postings import Postings
from rag_memory.retrieval.channels import KeywordScores, TimeScores, keyword_scores
from rag_memory.retrieval.hybrid_relevance import GENERAL, PERSONAL, HybridRelevance, RankingWeights
from rag_memory.text.gazetteer import name_words, parse_query
from rag_memory.text.terms import SPEAKER, WORD
from rag_memory.vectors import Keys, unit_rows

DENSE = MemoryConfig(relevance_mode=RelevanceMode.DENSE)


def test_known_names_are_left_out_of_the_question() -> None:
    names = name_words(["npc_aldric", "Caroline", "Iron Hollow", "Will"])

    def asked(text: str) -> tuple[list[str], str]:
        return parse_query(text, names.__contains__)

    assert asked("What did Caroline's sister tell Aldric?") == (
        ["caroline", "aldric"],
        "What did sister tell ?",
    )
    assert asked("the iron gate") == ([], "the iron gate")
    assert asked("Caroline?") == (["caroline"], "Caroline?")
    assert asked("Will you come with Will?") == (["will"], "Will you come with ?")


def test_a_name_that_tells_memories_apart_stays_in_the_sentence(npc: Npc) -> None:
    for number in range(40):
        npc.memories.store(f"Greta asked for bread, {number}.", 5, {"participants": ["Greta"]})
    npc.memories.store("Harlan asked for beer.", 5, {"participants": ["Harlan"]})
    told = npc.recall.explain("Did Greta and Harlan ask for ale?")
    assert told["names"] == ["greta", "harlan"]
    assert told["embedded_context"] == "Did and Harlan ask for ale?"


def scores(
    times: list[float], keys: dict[str, list[int]], question: str, window: int = 2, gap: float = 60.0
) -> KeywordScores:
    columns = Columns([SearchedRow(n + 1, 5, time, 2, "general") for n, time in enumerate(times)])

    def look_up(kind: str, term: str) -> Keys:
        return np.array(keys.get(kind + term, []), dtype=np.int64)

    conversations = Conversations(columns, gap)
    postings = Postings(columns, look_up, lambda keys: [])
    return keyword_scores(postings, conversations, question, ["ann"], window, 0.5)


def test_a_window_counts_the_neighbours_of_the_same_conversation_only() -> None:
    times = [0.0, 10.0, 20.0, 90000.0, 90010.0]
    found = {window: scores(times, {"wmill": [3]}, "mill", window).keyword for window in (0, 1, 2)}
    assert [score > 0 for score in found[0]] == [False, False, True, False, False]
    assert [score > 0 for score in found[1]] == [False, True, True, False, False]
    assert [score > 0 for score in found[2]] == [True, True, True, False, False]
    assert found[2][0] < found[2][1] < found[2][2]
    assert (scores(times, {"wmill": [3]}, "mill", 1, gap=5000.0).keyword > 0).tolist()[3]


@pytest.mark.parametrize("window", [0, 1, 3])
def test_dense_and_keyword_channels_are_what_is_documented(window: int) -> None:
    """Against plain loops over every memory and its neighbours."""
    source = np.random.default_rng(window)
    count, gap, weight = 300, 30.0, 0.6
    times = np.cumsum(source.choice([60.0, 900.0, 2400.0], count)).tolist()
    columns = Columns([SearchedRow(n + 1, 5, time, 2, "general") for n, time in enumerate(times)])
    conversations = Conversations(columns, gap)
    vectors = unit_rows(source.standard_normal((count, 24)) + 0.5)
    index = ExactIndex(24)
    index.add(columns.keys, vectors)
    posted = {f"w{term}": np.flatnonzero(source.random(count) < 0.1) + 1 for term in ("mill", "fire")}
    config = MemoryConfig(neighbour_window=window, neighbour_weight=weight)
    nothing = np.empty(0, dtype=np.int64)
    postings = Postings(columns, lambda kind, term: posted.get(kind + term, nothing), lambda keys: [])
    found = keyword_scores(postings, conversations, "mill fire", [], window, weight)
    events, moments = (source.random(count).astype(np.float32) for _ in range(2))
    times_asked = TimeScores(moments, moments - 0.5)
    weights = RankingWeights(14.0, 6.0, 4.0, 1.2, 1.1, 5.0, 2.0)
    relevance = HybridRelevance(
        config, columns, index, conversations, weight, vectors[1], found, events, times_asked, weights
    )

    def near(n: int) -> list[tuple[int, float]]:
        around = [(n, 1.0)]
        for far in range(1, window + 1):
            for other in (n - far, n + far):
                if 0 <= other < count and abs(times[other] - times[n]) <= gap * 60:
                    around.append((other, weight**far))
        return around

    cosines = np.clip(vectors.astype(np.float64) @ vectors[1].astype(np.float64), 0.0, 1.0)
    has = {term: set((keys - 1).tolist()) for term, keys in posted.items()}
    counts = {
        term: [sum(share for other, share in near(n) if other in places) for n in range(count)]
        for term, places in has.items()
    }
    rarity = {
        term: np.log1p((count - (df := sum(c > 0 for c in each)) + 0.5) / (df + 0.5))
        for term, each in counts.items()
    }
    unique = np.log1p((count - 0.5) / 1.5)
    """The rarity of a word that one memory has."""
    matches = relevance.measure(columns.keys.tolist())
    for n, match in enumerate(matches):
        mean = sum(share * cosines[other] for other, share in near(n)) / sum(share for _, share in near(n))
        assert match.parts["dense_channel"] == pytest.approx(0.7 * cosines[n] + 0.3 * mean, abs=1e-6)
        keyword = sum(2.2 * rarity[term] * each[n] / (each[n] + 1.2) for term, each in counts.items())
        assert match.parts["keyword_channel"] == pytest.approx(keyword / unique, abs=1e-5)
        assert match.parts["event_channel"] == pytest.approx(events[n])
        assert match.parts["time_channel"] == pytest.approx(moments[n])
        assert match.parts["order_channel"] == pytest.approx(moments[n] - 0.5)
    best = sorted(matches, key=lambda match: (-match.parts["sum"], -match.key))[:30]
    assert relevance.search(30, np.ones(count, dtype=np.bool_)) == best


def test_a_repeated_memory_between_two_others_does_not_part_them() -> None:
    found = scores([0.0, 500000.0, 20.0], {"wmill": [1]}, "mill").keyword
    assert [score > 0 for score in found] == [True, False, True]


def test_keyword_scores_say_how_much_of_the_question_is_there() -> None:
    times = [n * 90000.0 for n in range(9)]
    found = scores(times, {"wmill": [2, 5], "wfire": [5]}, "the mill and the fire and the dragon")
    assert found.known_terms == 2
    assert found.keyword[4] > found.keyword[1] > 0 == found.keyword[0]
    assert found.episode[4] == 1.0
    assert found.keyword.max() == found.keyword[4] == pytest.approx(found.whole)
    once = scores(times, {"wmill": [2]}, "the mill").keyword
    assert once[1] == pytest.approx(1.0), "a word that only one memory has"


def test_the_one_who_speaks_counts_more_than_one_who_is_present() -> None:
    found = scores([0.0, 1.0, 2.0], {"sann": [1], "nann": [1, 2]}, "What did Ann say?")
    assert found.names.tolist() == [1.0, 0.5, 0.0]
    assert scores([0.0], {}, "What did Ann say?").names.tolist() == [0.0]


def test_keywords_find_what_similarity_misses(npc: Npc) -> None:
    npc.memories.store_batch(
        [{"text": f"We talked about the weather on day {n}.", "timestamp": n * 90000} for n in range(30)]
    )
    id = npc.memories.store("Zephyrine keeps the key.", 5, {"timestamp": 9e6})
    (memory,) = npc.recall.retrieve_relevant_raw(
        "Where did Zephyrine put that key of the weather?", {"limit": 1}
    )
    assert memory["id"] == id


@pytest.mark.parametrize(
    ("question", "weights"),
    [
        ("Who is Caroline, who sold the mill last?", GENERAL),
        ("Did I ever give you a present, Caroline, before yesterday?", PERSONAL),
    ],
)
def test_every_part_of_the_sum_is_in_the_breakdown(npc: Npc, question: str, weights: RankingWeights) -> None:
    npc.memories.store("Caroline sold the mill.", 5, {"participants": ["Caroline"], "event_type": "trade"})
    npc.memories.store('Caroline said, "I sold the mill."')
    npc.memories.store(
        "The player gave me a rose.", 5, {"event_type": "gift_received", "timestamp": 1_702_400_000}
    )
    memories = npc.recall.retrieve_relevant_raw(question)
    assert len(memories) == 3
    highest = max(memory["breakdown"]["sum"] for memory in memories)
    assert sorted(memory["breakdown"]["names_channel"] for memory in memories) == [0.0, 0.5, 1.0]
    for memory in memories:
        parts = memory["breakdown"]
        total = (
            weights.dense * parts["dense_channel"]
            + weights.keyword * parts["keyword_channel"]
            + weights.event * parts["event_channel"]
            + weights.names * parts["names_channel"]
            + weights.episode * parts["episode_channel"]
            + weights.time * parts["time_channel"]
            + weights.time_order * parts["order_channel"]
        )
        assert parts["sum"] == pytest.approx(total, abs=1e-5)
        assert parts["odds"] == pytest.approx(math.exp(parts["sum"] - max(3.0, highest)), abs=1e-5)
        assert parts["relevance"] == parts["odds"]
        assert 0.0 < parts["odds"] <= 1.0


def test_what_was_asked_for_comes_before_what_only_weighs_more(npc: Npc) -> None:
    day = 86400.0
    now = 1_702_500_000.0
    deeds = (
        "robbed the chapel",
        "poisoned the well",
        "burned the barn",
        "cheated the ferryman",
        "hid a thief",
    )
    for number, deed in enumerate(deeds):
        npc.memories.store(
            f"The player {deed}.",
            8,
            {"timestamp": now - (3 + number / 9) * day, "event_type": "promise_made"},
        )
    asked = npc.memories.store("Caroline told me about a copper kettle that turned up near the mill.", 5)
    first = next(
        m for m in npc.recall.retrieve_scored("What did Caroline say about the mill?") if not m["protected"]
    )
    assert first["id"] == asked
    npc.config = MemoryConfig(score_mode=ScoreMode.PRODUCT)
    small_talk = next(m for m in npc.recall.retrieve_scored("Good evening to you!") if not m["protected"])
    assert small_talk["id"] != asked


def test_a_filter_changes_no_relevance(npc: Npc) -> None:
    for number in range(200):
        npc.memories.store(
            f"Caroline sold sack {number} at the {('mill', 'harbour', 'chapel')[number % 3]}.",
            number % 10 + 1,
        )
    npc.memories.store("Caroline sold the mill.", 1)
    question = "Who sold the mill?"
    everything = {m["id"]: m["breakdown"] for m in npc.recall.retrieve_relevant_raw(question, {"limit": 201})}
    for least in (2, 6, 10):
        found = npc.recall.retrieve_relevant_raw(question, {"limit": 5, "min_importance": least})
        assert len(found) == 5
        for memory in found:
            assert memory["breakdown"] == pytest.approx(everything[memory["id"]])


def test_without_a_known_word_similarity_counts_alone(npc: Npc) -> None:
    npc.memories.store("The mill stands.")
    (memory,) = npc.recall.retrieve_relevant_raw("Zephyrine")
    assert memory["breakdown"]["sum"] == pytest.approx(
        GENERAL.dense * memory["breakdown"]["dense_channel"], abs=1e-5
    )


def test_similarity_is_the_cosine_with_what_is_embedded(npc: Npc) -> None:
    npc.memories.store("Caroline burned the mill.", 5, {"participants": ["Caroline"]})
    npc.memories.store("The bread was stale.")
    question = "Why did Caroline burn the mill?"
    hybrid = npc.recall.retrieve_relevant_raw(question)
    embedded = npc.recall.explain(question)["embedded_context"]
    npc.config = DENSE
    dense = npc.recall.retrieve_relevant_raw(embedded)
    assert {memory["id"]: memory["similarity"] for memory in dense} == {
        memory["id"]: memory["similarity"] for memory in hybrid
    }
    assert all(memory["breakdown"]["dense"] == memory["similarity"] for memory in hybrid)
    for memory in dense:
        assert memory["breakdown"]["relevance"] == pytest.approx(0.3 + 0.7 * (1 - memory["distance"]))


def test_new_memories_are_found_at_once(npc: Npc) -> None:
    npc.memories.store("The mill stands.")
    assert npc.recall.retrieve_relevant("Zephyrine") == ["The mill stands."]
    id = npc.memories.store("Zephyrine came.")
    assert npc.recall.retrieve_relevant("Zephyrine", {"limit": 1}) == ["Zephyrine came."]
    npc.memories.update_memory(id, {"text": "Nobody came."})
    npc.memories.store("Zephyrine went.")
    (memory,) = npc.recall.retrieve_relevant_raw("Zephyrine", {"limit": 1})
    assert memory["document"] == "Zephyrine went."


def test_a_filter_changes_no_number(npc: Npc) -> None:
    npc.memories.store_batch(
        [
            {"text": f"The miller sold sack {n} to Ann.", "importance": n % 10 + 1, "timestamp": n * 1000.0}
            for n in range(400)
        ]
    )
    question = "Which sack did Ann buy from the miller, 7 or 17?"
    all_found = npc.recall.retrieve_relevant_raw(question, {"limit": 400})
    numbers = {memory["id"]: memory["breakdown"] for memory in all_found}
    for options in ({"min_importance": 8, "limit": 20}, {"filter": {"importance": 3}, "limit": 5}):
        for memory in npc.recall.retrieve_relevant_raw(question, options):
            assert memory["breakdown"] == numbers[memory["id"]]
    best = [memory["id"] for memory in all_found]
    assert [memory["id"] for memory in npc.recall.retrieve_relevant_raw(question, {"limit": 20})] == best[:20]


def test_the_players_name_is_known_from_its_slot(npc: Npc) -> None:
    npc.memories.store("The player told me their name is Theron.", 8, {"slot_type": "player_name"})
    npc.memories.store("Theron burned the mill.")
    bare, named = (
        npc.recall.retrieve_relevant_raw(q) for q in ("Who burned the mill?", "Who, Theron, burned the mill?")
    )
    channel = {memory["id"]: memory["breakdown"]["dense_channel"] for memory in named}
    assert channel == pytest.approx(
        {memory["id"]: memory["breakdown"]["dense_channel"] for memory in bare}, abs=0.05
    )


def test_another_npcs_words_are_not_looked_up(opened: Callable[..., Save]) -> None:
    save = opened()
    save.npc("marcus").memories.store("Zephyrine came.", 5, {"participants": ["Zephyrine"]})
    elena = save.npc("elena")
    elena.memories.store("It rained.")
    store = save.store
    numbers = [store.npcs.number("marcus") or 0, store.npcs.number("elena") or 0]
    assert [len(store.terms.keys_with(number, WORD, "zephyrin")) for number in numbers] == [1, 0]
    (memory,) = elena.recall.retrieve_relevant_raw("Zephyrine")
    assert memory["breakdown"]["keyword_channel"] == 0.0


def test_registered_names_of_several_scripts(opened: Callable[..., Save]) -> None:
    save = opened()
    npc = save.npc("elena")
    npc.memories.store("It rained.")
    questions = {
        "Theron": ("What did Theron do?", "What did do?"),
        "Мирослава": ("Что сделала Мирослава вчера?", "Что сделала вчера?"),
        "Ελένη": ("Τι έκανε η Ελένη χθες;", "Τι έκανε η χθες;"),
        "田中": ("田中さんは何をしましたか", "さんは何をしましたか"),
        "김철수": ("김철수는 무엇을 했나요", "는 무엇을 했나요"),
        "ليلى": ("ماذا فعلت ليلى أمس", "ماذا فعلت أمس"),
        "मीरा": ("मीरा ने क्या किया", "ने क्या किया"),
    }
    for question, _ in questions.values():
        assert parse_query(question, save.context.names.words().__contains__).nameless == question
    save.register_names(questions)
    for name, (question, nameless) in questions.items():
        assert tuple(parse_query(question, save.context.names.words().__contains__)) == (
            list(name_words([name])),
            nameless,
        )


def test_one_who_speaks_is_known_in_a_script_without_spaces(npc: Npc) -> None:
    npc.memories.store("火事は水車小屋で起きた。", 5, {"speaker": "さくら"})
    spoken = npc.memories.store("パンは市場で売られている。", 5, {"speaker": "太郎"})
    assert npc.recall.explain("さくらは何を見た?")["names"] == ["さくら"]
    assert npc.recall.explain("花子は何を見た?")["names"] == []
    found = npc.recall.retrieve_relevant_raw("太郎は?", {"limit": 2})
    assert {memory["id"]: memory["breakdown"]["names_channel"] for memory in found}[spoken] == 1.0
    npc.memories.store("川で魚を釣った。", 5, {"speaker": "花子"})
    assert npc.recall.explain("花子は何を見た?")["names"] == ["花子"]


def test_who_is_known_by_name_follows_every_change(opened: Callable[..., Save]) -> None:
    save = opened()
    npcs = [save.npc(f"npc_{number}") for number in range(12)]
    for number, npc in enumerate(npcs):
        npc.memories.store(
            "Bread is sold here.", 5, {"speaker": f"Baker{number}", "participants": ["Мирослава"]}
        )

    def names(npc: Npc, asked: str = "Baker0 Baker1 Baker11 Мирослава Ghost Otto") -> list[str]:
        found: list[str] = npc.recall.explain(asked)["names"]
        return found

    assert names(npcs[0]) == ["baker0", "мирослава"]
    assert names(npcs[1]) == ["baker1", "мирослава"]
    assert names(npcs[11]) == ["baker11", "мирослава"]
    assert save.store.terms.of_kind(save.store.npcs.number("npc_1") or 0, SPEAKER) == ["baker1"]
    id = npcs[0].memories.store("A ghost came.", 5, {"speaker": "Ghost"})
    assert names(npcs[0]) == ["baker0", "мирослава", "ghost"]
    npcs[0].memories.update_memory(id, {"participants": ["Otto"]})
    assert names(npcs[0]) == ["baker0", "мирослава", "ghost", "otto"]
    npcs[0].memories.forget(id)
    assert names(npcs[0]) == ["baker0", "мирослава"]
    npcs[0].clear_all_memories()
    assert names(npcs[0]) == []
    npcs[0].memories.store("Bread is sold here.", 5, {"speaker": "Otto"})
    assert names(npcs[0]) == ["otto"]


@pytest.mark.parametrize("window", range(6))
def test_what_a_memory_is_worth_does_not_depend_on_how_many_are_looked_at(npc: Npc, window: int) -> None:
    npc.config = MemoryConfig(neighbour_window=window, neighbour_weight=0.7)
    sacks = ("oats", "rye", "wheat", "barley", "spelt", "millet", "hops", "peas", "beans", "salt", "malt")
    ids = [npc.memories.store(f"Ann sold {what} at the mill with the {what} scale.", 5) for what in sacks]
    question = "Who sold the barley scale?"
    every = {memory["id"]: memory for memory in npc.recall.retrieve_relevant_raw(question, {"limit": 100})}
    for id, what in zip(ids, sacks, strict=True):
        (alone,) = npc.recall.retrieve_relevant_raw(question, {"filter": {"id": id}})
        assert alone["breakdown"] == every[id]["breakdown"], what
