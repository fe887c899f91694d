"""knows(): whether the NPC knows something, and the memory that answers best."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_memory import InvalidArgumentError, MemoryConfig, Npc, RelevanceMode, open_save
from rag_memory.embedding.model_folder import LANGUAGE_PACK
from rag_memory.embedding.registry import default_embedder
from rag_memory_build import language_pack

ROOF = "Rowan promised me to mend the roof before the first snow."


FILLER = ["The baker's cat had kittens.", "It rained all day.", "The ferry was late because of the fog."]
MOST = HealthCheck.function_scoped_fixture


def remember(npc: Npc, text: str, event_type: str = "") -> None:
    npc.clear_all_memories()
    for line in FILLER:
        npc.memories.store(line, 2)
    npc.memories.store(text, 7, {"event_type": event_type} if event_type else {})


CONDITIONS = [
    # memory, event type, what is true by it, what is not
    (ROOF, "promise_made", ["Rowan promised to mend the roof", "the roof"], ["Rowan mended the roof"]),
    (ROOF, "promise_made", ["a promise"], ["I promised to mend the roof", "Rowan broke a promise"]),
    ("Theron stabbed the smith.", "witnessed_kill", ["the smith is dead", "Theron killed the smith"], []),
    ("Theron stabbed the smith.", "witnessed_kill", [], ["the smith killed Theron", "Theron is dead"]),
    ("I lent the player ten silver.", "debt", ["the player owes me money"], ["I owe the player money"]),
    ("I gave the baker a cake.", "", ["I gave the baker a cake"], ["I gave the player a cake"]),
    ("The player told the guards the truth.", "", ["the player told the guards the truth"], []),
    ("The player told the guards the truth.", "", [], ["the player told me the truth"]),
    ("I sold my axe to the smith.", "", ["I sold my axe to the smith"], ["I sold my axe to the player"]),
    ("The player killed Kael's dog.", "", ["the player killed Kael's dog"], ["the player killed Kael"]),
    ("Kael fought for the duke.", "", ["Kael fought for the duke"], ["Kael fought against the duke"]),
    ("Rowan came with Kael.", "", ["Rowan came with Kael"], ["Rowan came without Kael"]),
    ("The bandits stole my cow.", "", ["the bandits stole my cow", "my cow was stolen"], []),
    ("Two wolves killed my dog.", "", ["two wolves killed my dog"], ["my dog killed two wolves"]),
    ("My sons left the village.", "", ["my sons left the village"], ["I left the village"]),
    ("The goats died.", "", ["the goats died"], ["the wolves died"]),
    ("The guard arrested Nell.", "", ["Nell was arrested by the guard"], ["Nell arrested the guard"]),
    (
        "My brother Jost drowned.",
        "",
        ["my brother is dead"],
        ["the player's brother is dead", "Jost is alive"],
    ),
    ("The player did not bring the sword.", "promise_broken", ["the player broke a promise"], []),
    ("The player did not bring the sword.", "", [], ["the player brought the sword"]),
    ("Gregor says the player poisoned the well.", "", [], ["the player poisoned the well"]),
    ("If the player pays, I will forget it.", "", [], ["the player paid"]),
    ("The player asked me about the stolen crown.", "", [], ["the player stole the crown"]),
    ("The player almost killed the mayor.", "", [], ["the player killed the mayor"]),
    ("I dreamed that the player kissed me.", "", [], ["the player kissed me"]),
    ("I gave the player a mask.", "gift_given", ["a mask"], ["a gift from the player"]),
    ("The player gave me a mask.", "gift_received", ["a gift from the player"], ["I gave the player a mask"]),
]


@pytest.mark.parametrize(("text", "event_type", "true", "false"), CONDITIONS)
def test_a_condition_is_true_when_a_memory_states_it(
    npc: Npc, text: str, event_type: str, true: list[str], false: list[str]
) -> None:
    remember(npc, text, event_type)
    assert {condition: npc.recall.knows(condition) for condition in true} == dict.fromkeys(true, True)
    assert {condition: npc.recall.knows(condition) for condition in false} == dict.fromkeys(false, False)


def test_what_a_later_memory_undoes_is_not_true(npc: Npc, clock: Any) -> None:
    npc.memories.store("The player borrowed ten silver from me.", 5, {"event_type": "debt"})
    assert npc.recall.knows("the player owes me money")
    clock.now += 86400
    npc.memories.store("The player paid back the ten silver.", 5, {"event_type": "debt_paid"})
    assert not npc.recall.knows("the player owes me money")


def test_an_event_is_known_among_many_memories(npc: Npc, clock: Any) -> None:
    npc.memories.store("The player dug the bullet out of me with pliers.", 9, {"event_type": "life_saved"})
    for number in range(60):
        clock.now += 60
        npc.memories.store(f"The player told me story number {number} about saving a life at sea.", 3)
    assert npc.recall.knows("the player saved my life")


def test_the_player_is_known_by_name_too(npc: Npc) -> None:
    npc.memories.store("The player is called Rowan.", 8, {"slot_type": "player_name"})
    npc.memories.store(ROOF, 7)
    assert npc.recall.knows("the player promised to mend the roof")
    assert not npc.recall.knows("I promised the player to mend the roof")


@settings(suppress_health_check=[MOST], deadline=None, max_examples=25)
@given(
    st.sampled_from(["Elena", "Theron", "the guard", "I", "the player"]),
    st.sampled_from(["Odile", "Gregor", "the smith"]),
    st.sampled_from(["robbed", "saved", "insulted", "warned", "followed", "betrayed", "hit"]),
    st.sampled_from(["", "theft", "betrayal", "insult", "life_saved"]),
)
def test_reversed_roles_and_denials_are_not_true(
    npc: Npc, doer: str, other: str, verb: str, event_type: str
) -> None:
    remember(npc, f"{doer[0].upper()}{doer[1:]} {verb} {other} at the market.", event_type)
    assert npc.recall.knows(f"{doer} {verb} {other}")
    assert not npc.recall.knows(f"{other} {verb} {'me' if doer == 'I' else doer}")
    assert not npc.recall.knows(f"{doer} never {verb} {other}")


@settings(suppress_health_check=[MOST], deadline=None, max_examples=60)
@given(st.text(min_size=1, max_size=80).filter(str.strip), st.text(min_size=1, max_size=80).filter(str.strip))
def test_any_text_is_a_condition(npc: Npc, text: str, condition: str) -> None:
    remember(npc, text)
    assert 0.0 <= npc.recall.how_sure(condition) <= 0.95
    assert npc.recall.knows(condition) == (npc.recall.how_sure(condition) >= 0.5)


_WORDS = (
    "the a my me I Elena player Elena's not never who that to and if said , . is was been by stole promised"
)


@settings(suppress_health_check=[MOST], deadline=None, max_examples=60)
@given(
    st.lists(st.sampled_from([*_WORDS.split(), "gold", "?", '"', "we", "it's", "-"]), min_size=1, max_size=14)
)
def test_any_order_of_words_is_a_condition(npc: Npc, words: list[str]) -> None:
    remember(npc, " ".join(words) + " gold")
    assert 0.0 <= npc.recall.how_sure(" ".join([*reversed(words), "gold"])) <= 0.95


@pytest.mark.parametrize("mode", RelevanceMode)
def test_it_works_in_every_relevance_mode(npc: Npc, mode: RelevanceMode) -> None:
    npc.config = MemoryConfig(relevance_mode=mode)
    remember(npc, ROOF, "promise_made")
    assert npc.recall.knows("Rowan promised to mend the roof")
    assert not npc.recall.knows("a dragon attacked the castle")


def test_she_knows_nothing_without_memories(npc: Npc) -> None:
    assert npc.recall.how_sure("the roof") == 0.0
    assert not npc.recall.knows("the roof")


GERMAN = [
    "Der Spieler hat mir das Leben gerettet.",
    "Es hat den ganzen Tag geregnet.",
    "Die Katze schläft im Heu.",
]


def test_other_languages_go_by_similarity_and_need_more_of_it(npc: Npc) -> None:
    for line in GERMAN:
        npc.memories.store(line, 5)
    assert npc.recall.knows(GERMAN[0])
    memories = npc.recall.retrieve_relevant_raw("Der Hund hat geschlafen.")
    similarity = max(memory["similarity"] for memory in memories)
    assert npc.recall.how_sure("Der Hund hat geschlafen.") == pytest.approx(0.5 * similarity / 0.9)
    assert not npc.recall.knows("Der Spieler hat mein Pferd gestohlen.")


@pytest.mark.parametrize(
    ("models", "memory", "true", "false"),
    [
        (None, "도윤이 장에서 산 비녀를 나에게 주었다.", [], ["내가 상인에게 비녀를 팔았다"]),
        (None, "나루터 배는 물이 불어서 뜨지 않는다.", [], ["바다에서 왜군이 쳐들어왔다"]),
        (LANGUAGE_PACK, "Ночью кто-то унёс из погреба бочонок мёда.", ["кто-то ночью унёс бочонок мёда"], []),
        (LANGUAGE_PACK, "나루터 배는 물이 불어서 뜨지 않는다.", [], ["바다에서 왜군이 쳐들어왔다"]),
    ],
)
def test_each_model_has_its_own_measure_of_alike_sentences(
    models: str | None, memory: str, true: list[str], false: list[str]
) -> None:
    """The model for English finds any two Korean sentences alike; the pack needs fewer shared words."""
    embedder = default_embedder(None if models is None else language_pack.prepare())
    with open_save(":memory:", embedder) as save:
        npc = save.npc("bunrye")
        npc.memories.store(memory, 5)
        assert {text: npc.recall.knows(text) for text in true} == dict.fromkeys(true, True)
        assert {text: npc.recall.knows(text) for text in false} == dict.fromkeys(false, False)


def test_the_best_memory_is_the_most_relevant_one_however_unimportant(npc: Npc) -> None:
    npc.memories.store(ROOF, 10)
    npc.memories.store("The baker's cat had kittens.", 1)
    assert npc.recall.recall_best("the roof")["document"] == ROOF
    best = npc.recall.recall_best("the baker's cat")
    assert best["rendered_text"] == best["document"] == "The baker's cat had kittens."


def test_the_best_memory_is_one_that_still_holds(npc: Npc) -> None:
    old = npc.memories.store("The player promised to mend the roof.", 7, {"event_type": "promise_made"})
    data = {"event_type": "promise_broken"}
    new = npc.memories.store("The player broke the promise to mend the roof.", 8, data)
    assert npc.memories.get_memory(old)["metadata"]["superseded_by"] == new
    assert npc.recall.retrieve_relevant_raw("The player promised to mend the roof.")[0]["id"] == old
    assert npc.recall.recall_best("The player promised to mend the roof.")["id"] == new


def test_a_value_that_was_replaced_is_not_known(npc: Npc) -> None:
    npc.memories.store("The player is called Rowan.", 8, {"slot_type": "player_name"})
    assert npc.recall.knows("the player is called Rowan")
    npc.memories.store("The player's true name is Ash.", 8, {"slot_type": "player_name"})
    assert not npc.recall.knows("the player is called Rowan")


def test_only_recalling_leaves_a_trace(npc: Npc, clock: Any) -> None:
    id = npc.memories.store(ROOF, 7)
    clock.now += 60
    before = npc.memories.get_memory(id)["metadata"]
    npc.recall.knows("the roof")
    npc.recall.how_sure("the roof")
    assert npc.memories.get_memory(id)["metadata"] == before
    npc.recall.recall_best("the roof")
    assert npc.memories.get_memory(id)["metadata"] != before


@pytest.mark.parametrize("query", ["", " \n", 5, None])
def test_a_query_is_a_text_that_is_not_empty(npc: Npc, query: Any) -> None:
    npc.memories.store(ROOF)
    for ask in (npc.recall.knows, npc.recall.how_sure, npc.recall.recall_best):
        with pytest.raises(InvalidArgumentError):
            ask(query)


@pytest.mark.parametrize("least", [-0.1, 1.1, float("nan"), "0.5", True])
def test_a_bound_is_from_0_to_1(npc: Npc, least: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        npc.recall.knows("the roof", least)


@pytest.mark.parametrize(
    ("player", "memories", "true", "false"),
    [
        (
            "Falk",
            [
                ("Falk schenkte mir ein Wolltuch aus dem Süden.", "gift_received"),
                ("Falk kam am Sonntag und bat mich um Verzeihung.", "apology"),
                ("Im Frühjahr mahle ich nur zwei Tage in der Woche.", ""),
                ("Die Brücke nach Hohenau ist vom Hochwasser weggerissen.", ""),
            ],
            ["der Spieler hat sich bei mir entschuldigt", "Falk schenkte mir ein Wolltuch"],
            [
                "ich habe dem Spieler ein Wolltuch geschenkt",
                "Falk schenkte mir kein Wolltuch",
                "der König hat abgedankt",
            ],
        ),
        (
            "蓮",
            [
                ("蓮が町で買った櫛をくれた。", "gift_received"),
                ("蓮は土下座して私に謝った。", "apology"),
                ("峠の道は崖崩れで通れない。", ""),
                ("庄屋の源蔵は宿代をもう半年もためている。", ""),
            ],
            ["プレイヤーは私に謝ってくれた", "峠の道は崖崩れで通れない"],
            ["私は蓮に櫛をあげた", "村に殿様が来た"],
        ),
    ],
)
def test_other_words_count_in_the_languages_of_the_pack(
    player: str, memories: list[tuple[str, str]], true: list[str], false: list[str]
) -> None:
    with open_save(":memory:", default_embedder(language_pack.prepare())) as save:
        npc = save.npc("ulrike")
        for memory, event_type in memories:
            npc.memories.store(memory, 5, {"event_type": event_type} if event_type else {})
        npc.conversation.store_turn(f"My name is {player}.", "Welcome.")
        assert {text: npc.recall.knows(text) for text in true} == dict.fromkeys(true, True)
        assert {text: npc.recall.knows(text) for text in false} == dict.fromkeys(false, False)
