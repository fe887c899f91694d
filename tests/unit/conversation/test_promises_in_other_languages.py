"""What a talk binds somebody to, in other languages than English."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.conftest import GameClock

from rag_memory import MemoryConfig, Save
from rag_memory.conversation.extraction import findings_in
from rag_memory.conversation.languages.talk_tables import TALK_TABLES

SENTENCES = Path(__file__).parent / "data" / "promises"
DAY = 86400.0
TODAY = 10
NOT_DUE = -1


def sentences(language: str, sign: str) -> list[str]:
    """Sentences that bind somebody ("+", with who, to what, and in how many days), or nobody ("-"), or two of
    which the second does not end what the first does ("=").
    """
    lines = (SENTENCES / f"{language}.txt").read_text(encoding="utf-8").splitlines()
    return [line[2:] for line in lines if line.startswith(sign)]


@pytest.fixture
def save(opened: Callable[..., Save], clock: GameClock) -> Save:
    clock.now = (TODAY + 0.3) * DAY
    return opened()


@pytest.mark.parametrize("language", TALK_TABLES)
def test_a_sentence_that_binds_somebody_becomes_an_open_matter(
    opened: Callable[..., Save], clock: GameClock, language: str
) -> None:
    clock.now = (TODAY + 0.3) * DAY
    wrong = []
    for line in sentences(language, "+"):
        expected, said = line.split(" | ")
        kind, by, due = expected.split()
        save = opened()
        turn = ("", said.removeprefix("NPC: ")) if said.startswith("NPC: ") else (said, "")
        save.npc("mira").conversation.store_turn(*turn)
        matters = save.npc("mira").get_open_matters("player")
        days = {"-": [NOT_DUE], "week": range(TODAY + 1, TODAY + 15)}.get(due) or [TODAY + int(due)]
        if [(m["kind"], m["by"], m["due_day"] in days) for m in matters] != [(kind, by, True)]:
            wrong.append((said, matters))
        save.close()
    assert wrong == []


@pytest.mark.parametrize("language", TALK_TABLES)
def test_a_sentence_beside_it_binds_nobody(language: str) -> None:
    findings = {line: findings_in(MemoryConfig(), line, "") for line in sentences(language, "-")}
    assert {line: of[0]["fact"] for line, of in findings.items() if of} == {}


@pytest.mark.parametrize("language", [*TALK_TABLES, "en"])
def test_nothing_a_part_or_something_false_ends_nothing(opened: Callable[..., Save], language: str) -> None:
    wrong = {}
    for pair in sentences(language, "="):
        save = opened()
        for line in pair.split(" | "):
            save.npc("mira").conversation.store_turn(line, "")
        states = [matter["state"] for matter in save.npc("mira").get_open_matters("player", True)]
        if states != ["open"]:
            wrong[pair] = states
        save.close()
    assert wrong == {}


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("Ich bringe dir morgen den Ring.", "Nein, behalt ihn."),
        ("Je t'apporterai l'anneau demain.", "Ce n'est pas la peine."),
        ("Mañana te traigo el anillo.", "No, no hace falta."),
        ("我明天把戒指带给你。", "不用了。"),
        ("明日、指輪を持ってくるよ。", "いいえ、結構です。"),
        ("Amanhã trago o anel para você.", "Não, não precisa."),
        ("Завтра я принесу тебе кольцо.", "Не надо."),
        ("Du schuldest mir zehn Münzen.", "Wofür denn?"),
        ("Tu me dois dix pièces.", "Menteur !"),
        ("Me debes diez monedas.", "¿De qué hablas?"),
        ("你欠我十枚金币。", "我不欠你。"),
        ("あなたは私に金貨を十枚借りている。", "嘘だ。"),
    ],
)
def test_what_the_npc_refuses_or_does_not_confirm_is_not_open(save: Save, said: str, answer: str) -> None:
    save.npc("mira").conversation.store_turn(said, answer)
    assert save.npc("mira").get_open_matters("player") == []


@pytest.mark.parametrize(
    ("first", "then", "answer", "state"),
    [
        ("Ich bringe dir morgen den Ring.", "Hier ist der Ring.", "Danke.", "kept"),
        ("Ich bringe dir morgen den Ring.", "Hier ist eine Rose.", "Danke.", "open"),
        ("Ich bringe dir morgen den Ring.", "Hier ist der Ring, den ich versprach.", "Danke.", "kept"),
        ("Ich schulde dir zehn Münzen.", "Hier ist dein Geld.", "Danke.", "paid"),
        ("我欠你十枚金币。", "这是你的钱。", "谢谢。", "paid"),
        ("Te debo diez monedas.", "Aquí tienes tu dinero.", "Gracias.", "paid"),
        ("Ich repariere morgen dein Dach.", "Dein Dach ist repariert.", "Endlich.", "kept"),
        ("Ich repariere morgen dein Dach.", "Ich habe das Dach repariert.", "Das stimmt nicht!", "open"),
        ("Ich schulde dir zehn Münzen.", "Hier sind deine zehn Münzen.", "Danke.", "paid"),
        ("Ich schulde dir zehn Münzen.", "Hier sind fünf Münzen.", "Danke.", "open"),
        ("Je t'apporterai l'anneau demain.", "Voici l'anneau.", "Merci.", "kept"),
        ("Je t'apporterai l'anneau demain.", "Voici une rose.", "Merci.", "open"),
        ("Je te dois dix pièces.", "Voici tes dix pièces.", "Merci.", "paid"),
        ("Je te dois dix pièces.", "Voici cinq pièces.", "Merci.", "open"),
        ("Mañana te traigo el anillo.", "Aquí tienes el anillo.", "Gracias.", "kept"),
        ("Mañana te traigo el anillo.", "Aquí tienes una rosa.", "Gracias.", "open"),
        ("Te debo diez monedas.", "Aquí tienes tus diez monedas.", "Gracias.", "paid"),
        ("Te debo diez monedas.", "Aquí tienes cinco monedas.", "Gracias.", "open"),
        ("我明天把戒指带给你。", "这是戒指。", "谢谢。", "kept"),
        ("我明天把戒指带给你。", "这是一朵玫瑰。", "谢谢。", "open"),
        ("我欠你十枚金币。", "这是十枚金币。", "谢谢。", "paid"),
        ("我欠你十枚金币。", "这是五枚金币。", "谢谢。", "open"),
        ("明日、指輪を持ってくるよ。", "指輪を持ってきたよ。", "ありがとう。", "kept"),
        ("明日、指輪を持ってくるよ。", "薔薇を持ってきたよ。", "ありがとう。", "open"),
        ("Amanhã trago o anel para você.", "Aqui está o anel.", "Obrigada.", "kept"),
        ("Amanhã trago o anel para você.", "Aqui está uma rosa.", "Obrigada.", "open"),
        ("Eu te devo dez moedas.", "Aqui estão as suas dez moedas.", "Obrigada.", "paid"),
        ("Eu te devo dez moedas.", "Aqui estão cinco moedas.", "Obrigada.", "open"),
        ("Завтра я принесу тебе кольцо.", "Вот кольцо.", "Спасибо.", "kept"),
        ("Завтра я принесу тебе кольцо.", "Вот роза.", "Спасибо.", "open"),
        ("Я должен тебе десять монет.", "Вот твои десять монет.", "Спасибо.", "paid"),
        ("Я должен тебе десять монет.", "Вот пять монет.", "Спасибо.", "open"),
        ("あなたに金貨を十枚借りています。", "借りた金貨十枚を返します。", "ありがとう。", "paid"),
        ("あなたに金貨を十枚借りています。", "借りていた金貨五枚です。", "ありがとう。", "open"),
    ],
)
def test_what_ends_it(save: Save, first: str, then: str, answer: str, state: str) -> None:
    mira = save.npc("mira")
    mira.conversation.store_turn(first, "")
    mira.conversation.store_turn(then, answer)
    assert [matter["state"] for matter in mira.get_open_matters("player", True)] == [state]


@pytest.mark.parametrize(
    ("debts", "then", "rest"),
    [
        (("Ich schulde dir zehn Münzen.", "Ich schulde dir zwanzig Taler."), "Hier ist dein Geld.", 2),
        (("Ich schulde dir zehn Münzen.", "Ich schulde dir drei Hühner."), "Hier sind deine zehn Münzen.", 1),
        (
            ("Ich schulde dir zehn Goldmünzen.", "Ich schulde dir drei Hühner."),
            "Hier sind deine zehn Münzen.",
            1,
        ),
        (("Ich schulde dir zehn Münzen.", "Ich schulde dir drei Hühner."), "Jetzt sind wir quitt.", 0),
        (("Te debo diez monedas.", "Te debo veinte ducados."), "Aquí tienes tu dinero.", 2),
        (("Te debo diez monedas.", "Te debo veinte ducados."), "Aquí tienes todo el dinero que te debo.", 0),
        (("Te debo diez monedas de oro.", "Te debo tres gallinas."), "Aquí tienes tus diez monedas.", 1),
        (("Je te dois dix pièces.", "Je te dois vingt écus."), "Voici ton argent.", 2),
        (("Je te dois dix pièces.", "Je te dois vingt écus."), "Voici tes vingt écus.", 1),
        (("Je te dois dix pièces.", "Je te dois trois poules."), "Nous sommes quittes.", 0),
        (("Eu te devo dez moedas.", "Eu te devo vinte escudos."), "Aqui está o seu dinheiro.", 2),
        (("Eu te devo dez moedas.", "Eu te devo vinte escudos."), "Aqui estão os seus vinte escudos.", 1),
        (("Eu te devo dez moedas.", "Eu te devo três galinhas."), "Agora estamos quites.", 0),
        (("Я должен тебе десять монет.", "Я должен тебе двадцать крон."), "Вот твои деньги.", 2),
        (("Я должен тебе десять монет.", "Я должен тебе трёх кур."), "Вот твои десять монет.", 1),
        (("Я должен тебе десять монет.", "Я должен тебе двадцать крон."), "Теперь мы квиты.", 0),
        (("我欠你十枚金币。", "我欠你二十枚银币。"), "这是你的钱。", 2),
        (("我欠你十枚金币。", "我欠你三只鸡。"), "给你十枚金币。", 1),
        (("我欠你十枚金币。", "我欠你二十枚银币。"), "我们两清了。", 0),
        (
            ("あなたに金貨を十枚借りています。", "あなたに銀貨を二十枚借りています。"),
            "借りたお金を返します。",
            2,
        ),
        (
            ("あなたに金貨を十枚借りています。", "あなたに鶏を三羽借りています。"),
            "借りた金貨十枚を返します。",
            1,
        ),
        (
            ("あなたに金貨を十枚借りています。", "あなたに銀貨を二十枚借りています。"),
            "これで貸し借りなしだ。",
            0,
        ),
    ],
)
def test_of_several_debts_only_what_can_be_meant_is_paid(
    save: Save, debts: tuple[str, str], then: str, rest: int
) -> None:
    mira = save.npc("mira")
    for said in (*debts, then):
        mira.conversation.store_turn(said, "")
    assert len(mira.get_open_matters("player")) == rest


@pytest.mark.parametrize(
    "said",
    [
        "Ti prometto che riparerò il tetto.",
        "Ik beloof je dat ik het dak repareer.",
        "내일 반지를 가져다줄게.",
    ],
)
def test_a_language_without_a_table_binds_nobody(said: str) -> None:
    assert findings_in(MemoryConfig(), said, "") == []
