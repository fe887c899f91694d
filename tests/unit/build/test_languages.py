"""The translations that the addon ships: complete, with the same places for values, and understood."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from rag_memory import MemoryConfig, Npc
from rag_memory.config.sentences import GROUPS
from rag_memory.config.wording import TRANSLATION_PREFIX, usable
from rag_memory.prompt.memory_evidence import Inquiry
from rag_memory.prompt.player_line import (
    APOLOGY,
    FAREWELL,
    GREETING,
    HEARD,
    HOW_ARE_YOU,
    INSULT,
    ORDER,
    QUESTION,
    REQUEST,
    THANKS,
    THING,
    WHO_ARE_YOU,
    kind_of,
)
from rag_memory_build.paths import ADDON

FILES = sorted((ADDON / "languages").glob("*.po"))
_ENTRY = re.compile(r"^msgid ((?:\".*\"\n)+)msgstr ((?:\".*\"\n?)+)", re.MULTILINE)
_PLACE = re.compile(r"\{\w+\}")
LINES = {
    "de": (
        "Hallo!",
        "Wer bist du?",
        "Danke dir!",
        "Auf Wiedersehen!",
        "Es tut mir leid.",
        "Wo ist die Mühle?",
    ),
    "es": ("¡Hola!", "¿Quién eres?", "Gracias.", "Adiós.", "Lo siento.", "¿Dónde está el molino?"),
    "fr": ("Bonjour !", "Qui es-tu ?", "Merci.", "Au revoir.", "Pardon.", "Où est le moulin ?"),
    "ja": (
        "こんにちは。",
        "あなたは誰ですか？",
        "ありがとう。",
        "さようなら。",
        "ごめんなさい。",
        "水車小屋はどこ？",
    ),
    "pt_BR": ("Olá!", "Quem é você?", "Obrigado.", "Tchau.", "Desculpa.", "Onde fica o moinho?"),
    "ru": ("Привет!", "Кто ты?", "Спасибо.", "До свидания.", "Прости меня.", "Где мельница?"),
    "zh_CN": ("你好！", "你是谁？", "谢谢。", "再见。", "对不起。", "磨坊在哪里？"),
}
"""What a player says, by language: the kinds below."""
OF_ONESELF = {
    "de": ("Ich komme aus Greywater.", "Woher komme ich?", "Ich bin ein Ritter.", "Was bin ich?"),
    "es": ("Vengo de Greywater.", "¿De dónde vengo?", "Soy un caballero.", "¿Qué soy?"),
    "fr": ("Je viens de Greywater.", "D'où je viens ?", "Je suis un chevalier.", "Quel est mon métier ?"),
    "ja": ("灰水から来ました。", "私はどこから来ましたか？", "騎士として働いています。", "私は何者ですか？"),
    "pt_BR": ("Venho de Greywater.", "De onde eu venho?", "Sou um cavaleiro.", "O que eu sou?"),
    "ru": ("Я родом из Грейвотера.", "Откуда я родом?", "Я служу рыцарем.", "Кто я по профессии?"),
    "zh_CN": ("我来自灰水镇。", "我来自哪里？", "我是一名骑士。", "我的职业是什么？"),
}
"""What a player tells, and asks later."""
DEEDS = {
    "de": (
        "Der Spieler hat meinen Hammer gestohlen.",
        "Was habe ich getan?",
        "Du hast meinen Hammer gestohlen.",
    ),
    "es": ("El jugador robó mi martillo.", "¿Qué he hecho?", "Robaste mi martillo."),
    "fr": ("Le joueur a volé mon marteau.", "Qu'ai-je fait ?", "Tu as volé mon marteau."),
    "ja": ("プレイヤーが私のハンマーを盗んだ。", "私は何をしましたか？", "あなたが私のハンマーを盗んだ。"),
    "pt_BR": ("O jogador roubou meu martelo.", "O que eu fiz?", "Você roubou meu martelo."),
    "ru": ("Игрок украл мой молот.", "Что я сделал?", "Ты украл мой молот."),
    "zh_CN": ("玩家偷了我的锤子。", "我做过什么？", "你偷了我的锤子。"),
}
HAPPENED = {
    "de": (
        "Die Brücke ist am Dienstag eingestürzt.",
        "Was ist mit der Brücke los?",
        "Was ist an der Brücke geschehen?",
    ),
    "es": (
        "El puente de piedra se hundió el martes.",
        "¿Qué le ha ocurrido al puente?",
        "¿Hay noticias del puente?",
    ),
    "fr": (
        "Le pont de pierre s'est effondré mardi.",
        "Qu'est-il arrivé au pont ?",
        "Qu'est devenu le pont ?",
    ),
    "pt_BR": ("A ponte de pedra caiu na terça.", "O que aconteceu com a ponte?", "Há novidades da ponte?"),
    "ru": ("Каменный мост рухнул во вторник.", "Что стряслось с мостом?", "Что нового насчёт моста?"),
}
KINDS = (GREETING, WHO_ARE_YOU, THANKS, FAREWELL, APOLOGY, QUESTION)


def translation(file: Path) -> dict[str, str]:
    def text(lines: str) -> str:
        return "".join(ast.literal_eval(line) for line in lines.splitlines())

    entries = {
        text(key): text(value) for key, value in _ENTRY.findall(file.read_text(encoding="utf-8") + "\n")
    }
    header = entries.pop("")
    assert f"Language: {file.stem}\n" in header
    return {key.removeprefix(TRANSLATION_PREFIX): value for key, value in entries.items()}


def test_there_is_a_file_for_each_language() -> None:
    assert [file.stem for file in FILES] == sorted(LINES)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_sentence_is_translated(file: Path) -> None:
    english = {key: text for sentences in GROUPS.values() for key, text in sentences.items()}
    texts = translation(file)
    assert list(texts) == list(english)
    assert [key for key, text in texts.items() if not text.strip()] == []
    places = {key: set(_PLACE.findall(text)) for key, text in texts.items()}
    assert places == {key: set(_PLACE.findall(text)) for key, text in english.items()}
    assert usable("MemoryConfig.wording", texts) == texts


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_a_player_says_is_understood(file: Path) -> None:
    config = MemoryConfig(wording=translation(file))
    assert tuple(kind_of(config, line, [], 0.0) for line in LINES[file.stem]) == KINDS


@pytest.mark.parametrize(
    ("locale", "line", "kind"),
    [
        ("ja", "水を一杯ください。", THING),
        ("ja", "この薬を売ってくれないか？", THING),
        ("ja", "鍵を開けてくれ。", ORDER),
        ("ja", "門を直してくれませんか？", REQUEST),
        ("ja", "宿の場所を教えてください。", QUESTION),
        ("ja", "手伝ってくれてありがとう。", THANKS),
        ("ja", "昨日兵士が来て、家を調べて帰った。", HEARD),
        ("ja", "そうですか。", HEARD),
        ("de", "Na, wie geht's?", HOW_ARE_YOU),
        ("de", "Wie geht es meinem Hund?", QUESTION),
        ("ru", "Как дела у твоей дочери?", QUESTION),
        ("fr", "Rendez-vous à la taverne ce soir.", HEARD),
        ("de", "Du bist ein Dummkopf!", INSULT),
        ("de", "Geh zum Teufel!", INSULT),
        ("de", "Hilfe!", ORDER),
        ("fr", "Tu peux compter sur moi.", HEARD),
        ("fr", "Tu peux réparer le toit.", ORDER),
        ("es", "Puedes contar conmigo.", HEARD),
        ("pt_BR", "Você pode contar comigo.", HEARD),
        ("ru", "Можешь на меня положиться.", HEARD),
        ("es", "¡Socorro!", ORDER),
        ("es", "Devuélveme mi espada.", ORDER),
        ("pt_BR", "Devolva minha espada.", ORDER),
        ("ru", "На помощь!", ORDER),
        ("zh_CN", "你妹妹身体好吗？", QUESTION),
        ("zh_CN", "我的狗最近好吗？", QUESTION),
        ("zh_CN", "米拉，最近好吗？", HOW_ARE_YOU),
        ("zh_CN", "我帮你好吗？", QUESTION),
        ("zh_CN", "国王为什么生气？", QUESTION),
        ("ja", "私の犬は元気ですか？", QUESTION),
        ("ja", "兄は元気？", QUESTION),
        ("ja", "ミラ、元気？", HOW_ARE_YOU),
        ("ja", "ミラさんは元気ですか？", HOW_ARE_YOU),
        ("ja", "ミラのお父さんは元気ですか？", QUESTION),
        ("zh_CN", "米拉你好吗？", HOW_ARE_YOU),
        ("ja", "今日は元気ですか？", HOW_ARE_YOU),
        ("ja", "王様はなぜ怒っているの？", QUESTION),
        ("de", "Wie steht's um meinen Bruder?", QUESTION),
        ("es", "¿Qué tal está mi hermano?", QUESTION),
        ("es", "Hola, ¿qué tal?", HOW_ARE_YOU),
        ("fr", "Comment ça va avec ton frère ?", QUESTION),
        ("pt_BR", "Tudo bem com o meu irmão?", QUESTION),
        ("pt_BR", "Oi, tudo bem?", HOW_ARE_YOU),
        ("ru", "Как жизнь у моего брата?", QUESTION),
        ("ru", "Ну, как жизнь?", HOW_ARE_YOU),
    ],
)
def test_a_phrase_stands_where_the_language_has_it(locale: str, line: str, kind: str) -> None:
    config = MemoryConfig(wording=translation(ADDON / "languages" / f"{locale}.po"))
    assert kind_of(config, line, [], 0.0, {"ja": "ミラ", "zh_CN": "米拉"}.get(locale, "Mira")) == kind


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_player_hears_what_they_told_of_themselves(file: Path, npc: Npc) -> None:
    npc.config = MemoryConfig(wording=translation(file))
    origin, where, trade, what = OF_ONESELF[file.stem]
    for line in (origin, trade):
        npc.exchanges.record_exchange(line, {"response": "…"})
    answers = [npc.unaided_answers.answer_from_memory("line", line)["response"] for line in (where, what)]
    assert origin in answers[0] and trade in answers[1]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_the_player_did_is_no_talk(file: Path, npc: Npc) -> None:
    npc.config = MemoryConfig(wording=translation(file))
    deed, question, said = DEEDS[file.stem]
    npc.memories.store(deed, 8, {"event_type": "theft", "participants": ["player"]})
    line = OF_ONESELF[file.stem][0]
    npc.exchanges.record_exchange(line, {"response": "…"})
    response = npc.unaided_answers.answer_from_memory("line", question)["response"]
    assert said in response and line not in response


@pytest.mark.parametrize("locale", HAPPENED)
def test_words_of_asking_are_no_matter(locale: str) -> None:
    empty = translation(ADDON / "languages" / f"{locale}.po")["line_empty"]
    memory, *questions = HAPPENED[locale]
    covered = {asked: Inquiry(asked, [], "", empty).coverage(memory) for asked in questions}
    assert covered == dict.fromkeys(questions, 1.0)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_name_stands_in_the_place_of_the_player(file: Path) -> None:
    config = MemoryConfig(wording=translation(file)).towards("Kael")
    assert "Kael" in config.sentence("player_told_me", message="...")
    assert "Kael" in config.sentence("i_told_player", message="...")
