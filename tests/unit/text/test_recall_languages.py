"""Questions in other languages: which table they are read by, and what it says of them."""

from __future__ import annotations

import numpy as np
import pytest

from rag_memory.text.languages.tables import TABLES, recall_words
from rag_memory.text.query_time import query_time
from rag_memory.text.questions import event_terms, from_npc_view, is_personal, speaks_to_npc
from rag_memory.text.terms import question_terms

DAY = 86_400.0
NOW = 40 * DAY + 0.5 * DAY


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("de", "Was habe ich dir versprochen?"),
        ("de", "Worüber haben wir uns gestritten?"),
        ("fr", "Qu'est-ce que tu m'as offert ?"),
        ("fr", "C'est qui, Tibaud ?"),
        ("es", "¿Te he mentido?"),
        ("ru", "Что ты мне пообещал?"),
        ("zh", "你送过我东西吗？"),
        ("ja", "俺に何を誓ってくれた？"),
    ],
)
def test_a_question_is_read_by_the_table_of_its_language(language: str, question: str) -> None:
    assert recall_words(question) is TABLES[language]


@pytest.mark.parametrize(
    "question",
    [
        "Did you die in the war?",
        "Who is Señor Müller?",
        "Do you remember the Café des Amis?",
        "Die, you rat!",
        "Kit gave me a medal",
        "Peer has a boat.",
        "What does 剣 mean?",
        "Wat heb ik je beloofd?",
        "Що ти мені обіцяв?",
        "무엇을 약속했지?",
        "",
    ],
)
def test_english_and_languages_without_a_table_have_none(question: str) -> None:
    assert recall_words(question) is None


@pytest.mark.parametrize(
    ("question", "rewritten"),
    [
        ("Was hast du mir versprochen?", "Was habe ich Kit versprochen?"),
        ("Wo steht mein Schiff?", "Wo steht Kits Schiff?"),
        ("Wie geht es deiner Tochter?", "Wie geht es meiner Tochter?"),
        ("Tu te rappelles de ça ?", "Je me rappelles de ça ?"),
        ("Qui t'a soigné ?", "Qui m'a soigné ?"),
        ("¿Cuándo te salvé?", "¿Cuándo me Kit salvó?"),
        ("¿Qué me juraste?", "¿Qué Kit juré?"),
        ("Что ты мне пообещал?", "Что я Kit пообещал?"),
        ("Я тебя обманывал?", "Kit меня обманывал?"),
        ("你送过我东西吗？", "我送过Kit东西吗？"),
        ("我们什么时候认识的？", "Kit和我什么时候认识的？"),
        ("俺に何を誓ってくれた？", "Kitに何を誓ってくれた？"),
        ("君をだましたことある？", "私をだましたことある？"),
    ],
)
def test_a_question_is_put_as_the_npc_would_put_it(question: str, rewritten: str) -> None:
    assert is_personal(question)
    assert from_npc_view(question, "Kit") == rewritten


def test_a_player_without_a_name_is_called_as_in_that_language() -> None:
    assert from_npc_view("Что я тебе дарил?", "the player") == "Что игрок мне дарил?"


@pytest.mark.parametrize(
    "question", ["Wer leitet die Station?", "Кто теперь главный?", "现在谁说了算？", "今のリーダーは誰？"]
)
def test_a_question_without_pronouns_stays_as_it_is(question: str) -> None:
    assert not is_personal(question)
    assert from_npc_view(question, "Kit") is None


def test_a_question_may_address_the_npc() -> None:
    assert speaks_to_npc("Hast du Angst vor dem Wolf?")
    assert not speaks_to_npc("Wo ist denn mein Pferd?")
    assert speaks_to_npc("你害怕吗？")
    assert not speaks_to_npc("我的马在哪里？")


@pytest.mark.parametrize(
    ("question", "english"),
    [
        ("Hab ich dir mal was geschenkt?", "gift"),
        ("Was hat die Wirtin dir vorgelogen, hat sie gelogen?", "lie"),
        ("Est-ce que je t'ai déjà fait un cadeau ?", "gift"),
        ("¿Te he mentido?", "lie"),
        ("Я тебе что-нибудь дарил?", "gift"),
        ("我什么时候骗过人？", "lie"),
        ("約束を破ったことがあったかな？", "promise"),
    ],
)
def test_a_question_asks_for_a_kind_of_event(question: str, english: str) -> None:
    assert set(question_terms(english)) <= set(event_terms(question))


def test_a_german_article_asks_for_no_death() -> None:
    assert "die" not in event_terms("Was hat die Wirtin mit dir gemacht?")


def test_words_of_the_game_count_in_any_language() -> None:
    assert "kalfatert" in event_terms("Wer hat das Boot kalfatert?")


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("Was ist gestern zwischen uns passiert?", 39),
        ("Was ist mir vorgestern misslungen?", 38),
        ("Was habe ich dir vor drei Tagen gegeben?", 37),
        ("Was ist am Tag 12 mit dir passiert?", 12),
        ("Qu'est-ce que je t'ai dit avant-hier ?", 38),
        ("Qu'as-tu fait il y a trois jours ?", 37),
        ("¿Qué compré ayer?", 39),
        ("¿Qué hiciste hace dos días?", 38),
        ("Что я вчера сделал?", 39),
        ("Что было три дня назад?", 37),
        ("昨天我收了什么？", 39),
        ("两天前发生了什么？", 38),
        ("昨日、何が届いた？", 39),
        ("三日前に何があった？", 37),
    ],
)
def test_a_time_in_a_question(question: str, day: int) -> None:
    time = query_time(question, NOW)
    assert time is not None
    fit = time.inside(np.array([(day + 0.5) * DAY, (day - 5.5) * DAY]))
    assert fit[0] > 0.9
    assert fit[1] < 0.1


@pytest.mark.parametrize(
    ("question", "order"),
    [
        ("Wann habe ich dich zum ersten Mal gesehen?", -1.0),
        ("Когда мы виделись в последний раз?", 1.0),
        ("我们第一次见面是什么时候？", -1.0),
        ("最後に会ったのはいつ？", 1.0),
    ],
)
def test_the_first_and_the_last_time(question: str, order: float) -> None:
    time = query_time(question, NOW)
    assert time is not None
    assert time.order == order


def test_the_words_of_a_time_are_not_searched_for() -> None:
    time = query_time("Что я вчера сделал?", NOW)
    assert time is not None
    assert time.words == "Что я сделал?"


@pytest.mark.parametrize("language", TABLES)
def test_every_pattern_of_a_table_can_be_read(language: str) -> None:
    """Reading a question that fits nothing compiles all of them; every English time is one that is read."""
    table = TABLES[language]
    table.event_terms("x")
    assert table.english_time("x") == ("", "x")
    for _, english in table.times:
        assert query_time(english.replace("{n}", "3"), NOW) is not None
    for english in table.event_words:
        assert question_terms(english)
