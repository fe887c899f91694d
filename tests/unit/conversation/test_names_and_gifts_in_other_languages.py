"""Names and gifts in what the player says, in other languages than English."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rag_memory import MemoryConfig, Save
from rag_memory.conversation.extraction import findings_in

NAMES = {
    "Je m'appelle Aurélien.": "Aurélien",
    "je m'appelle aurélien": "aurélien",
    "Moi, c'est Aurélien.": "Aurélien",
    "Bonjour, je m’appelle Aurélien et je viens de Bretagne.": "Aurélien",
    "Mon nom est Jean-Luc d'Artagnan, mousquetaire.": "Jean-Luc d'Artagnan",
    "On m'appelle le Corbeau.": "Corbeau",
    "Enchanté, je suis Aurélien.": "Aurélien",
    "Ich heiße Aurel.": "Aurel",
    "Guten Tag, mein Name ist Aurel von Falkenstein.": "Aurel von Falkenstein",
    "Ich heiße Aurel und komme aus Köln.": "Aurel",
    "Me llamo Ana.": "Ana",
    "Hola, soy Diego de la Vega.": "Diego de la Vega",
    "Eu me chamo João.": "João",
    "Sou o Pedro.": "Pedro",
    "Меня зовут Иван.": "Иван",
    "Моё имя — Анна.": "Анна",
    "你好，我叫林冲，是个铁匠。": "林冲",
    "我的名字是王小虎。": "王小虎",
    "私の名前はタロウです。": "タロウ",
    "太郎と申します。": "太郎",
}
GIFTS = """
Tiens, je t'offre ce marteau en argent. | Voici un cadeau pour toi : une bague en or.
Je t'ai apporté une bouteille de vin.
Prends cette dague, elle est à toi. | Tiens, c'est pour toi. | Ce collier est pour toi.
Voilà une pomme pour toi.
Hier, ich schenke dir diesen Hammer. | Ich habe dir einen Kuchen mitgebracht.
Nimm diesen Ring als Geschenk. | Das ist für dich.
Te regalo esta espada. | Toma este anillo. | Te he traído una manzana. | Este collar es para ti.
Aquí tienes un regalo.
Eu te dou este anel. | Tome esta espada. | Trouxe um bolo para você. | Isto é um presente para você.
Я дарю тебе этот меч. | Возьми это кольцо. | Я принёс тебе яблоко. | Вот подарок для тебя.
这是送给你的礼物。 | 这把剑送给你。 | 我给你带了一壶酒。 | 送你一朵花。
これはあなたへのプレゼントです。 | この剣をあげます。 | お土産を持ってきました。
"""
NEITHER = """
Je m'appelle pas comme ça. | Mon nom ne te regarde pas. | Je suis Français. | Je suis fatigué.
Je suis Maître forgeron. | Il s'appelle Aurélien.
Mon frère s'appelle Gaspard. | Tu t'appelles Odile. | Moi, c'est le vin que je préfère.
Je m'appelle comment ?
Je te donne ma parole. | Je te donne raison. | Prends ce chemin.
Prends mon cheval et va chercher le médecin. | Je t'offre un verre.
Je t'ai apporté de mauvaises nouvelles. | Je te donne cette épée contre ton cheval.
C'est pour toi que je me bats. | Je te donne une heure.
Ich heiße dich willkommen. | Ich heiße nicht Aurel. | Ich bin Schmied. | Ich gebe dir mein Wort.
Nimm diesen Weg.
Ich schenke dir keinen Glauben. | Ich schenke dir das Leben. | Das ist für dich zu schwer.
Me llamo igual que mi padre. | Soy herrero. | Te doy mi palabra. | Te doy las gracias.
Toma este camino. | Te traigo malas noticias.
Sou ferreiro. | Eu te dou minha palavra. | Pegue este caminho.
Меня зовут не так. | Я кузнец. | Возьми эту дорогу. | Я даю тебе слово. | Я принёс тебе новости.
我叫你来。 | 我叫他走。 | 送你一程。 | 我是铁匠。 | 这是给你的教训。
名前は秘密です。 | なんと申します。 | これはあなたの剣です。 | この道を行きます。
"""


def types_in(said: str) -> list[str]:
    return [finding["event_type"] for finding in findings_in(MemoryConfig(), said, "")]


def lines(text: str) -> list[str]:
    return [line.strip() for row in text.strip().splitlines() for line in row.split(" | ")]


@pytest.mark.parametrize(("said", "name"), NAMES.items())
def test_the_player_says_a_name(opened: Callable[..., Save], said: str, name: str) -> None:
    save = opened()
    save.npc("mira").conversation.store_turn(said, "")
    (memory,) = save.npc("mira").recall.get_recent(1)
    assert memory["document_full"] == f"The player told me their name: {name}."
    assert memory["metadata"]["slot_type"] == "player_name"
    assert name in save.npc("mira").unaided_answers.answer_from_memory("line", "Who am I?")["response"]


@pytest.mark.parametrize("said", lines(GIFTS))
def test_the_player_gives_something(said: str) -> None:
    assert types_in(said) == ["gift_received"]


@pytest.mark.parametrize("said", lines(NEITHER))
def test_other_words_neither_name_nor_give(said: str) -> None:
    assert not {"gift_received", "player_info"}.intersection(types_in(said))


def test_where_somebody_is_in_german_is_no_name() -> None:
    german = MemoryConfig(wording={"first_person": "Ich Mein Meine"})
    assert findings_in(german, "Im Wald.", "") == []
    assert findings_in(MemoryConfig(), "im Theron", "")[0]["category"] == "name"


def test_a_gift_ends_the_promise_of_it(opened: Callable[..., Save]) -> None:
    npc = opened().npc("mira")
    npc.conversation.store_turn("Je t'apporterai une bouteille de vin demain.", "")
    npc.conversation.store_turn("Je t'ai apporté une bouteille de vin.", "")
    assert [matter["state"] for matter in npc.get_open_matters("player", True)] == ["kept"]
    assert npc.recall.get_recent(1)[0]["metadata"]["event_type"] == "gift_received"


@pytest.mark.parametrize(
    ("promise", "deed"),
    [
        ("I promise to mend the roof.", "I mended the roof."),
        ("Je te promets de réparer le toit.", "J'ai réparé le toit."),
        ("Ich verspreche dir, das Dach zu flicken.", "Ich habe das Dach geflickt."),
    ],
)
def test_the_npc_sees_at_once_that_a_promise_is_kept(
    opened: Callable[..., Save], promise: str, deed: str
) -> None:
    npc = opened().npc("mira")
    assert npc.unaided_answers.answer_from_memory("line", deed)["kind"] != "kept"
    npc.conversation.store_turn(promise, "")
    assert npc.unaided_answers.answer_from_memory("line", deed)["kind"] == "kept"
