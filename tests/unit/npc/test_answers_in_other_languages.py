"""What an NPC says without a language model in a game that is not in English."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rag_memory import MemoryConfig, Npc, Save, open_save
from rag_memory.embedding.model_folder import LANGUAGE_PACK
from rag_memory.embedding.onnx_embedder import OnnxEmbedder
from rag_memory.text.languages.tables import recall_words

MODELS = Path(__file__).resolve().parents[3] / "addons" / "rag_memory" / "models"
DAY = 86_400.0
RING, COMB = "ring", "comb"
MEMORIES: dict[str, dict[str, tuple[str, str]]] = {
    "de": {
        "roof": ("Lena hat das Dach der Schenke neu gedeckt, jetzt regnet es nicht mehr herein.", ""),
        RING: ("Lena hat mir einen silbernen Ring geschenkt.", "gift_received"),
        COMB: ("Ich habe Lena meinen Kamm aus Horn geschenkt.", "gift_given"),
        "fever": ("Der alte Müller lag eine Woche mit Fieber im Bett.", ""),
        "promise": ("Lena hat versprochen, mir vor dem Winter Brennholz zu bringen.", "promise_made"),
        "bell": ("Der Blitz schlug in den Kirchturm, und die Glocke fiel herab.", ""),
        "wolves": ("In der Nacht haben Wölfe drei Schafe gerissen.", ""),
        "horse": ("Lenas Pferd heißt Zwieback und beißt jeden außer ihr.", ""),
        "market": ("Auf dem Markt gab es heute frischen Käse aus den Bergen.", ""),
    },
    "zh": {
        "roof": ("阿青把酒馆的屋顶重新铺好了，现在一滴雨也不漏。", ""),
        RING: ("阿青送了我一枚银戒指。", "gift_received"),
        COMB: ("我把自己的牛角梳子送给了阿青。", "gift_given"),
        "fever": ("磨坊的老张发烧，在床上躺了一个星期。", ""),
        "promise": ("阿青答应我，入冬之前送柴火来。", "promise_made"),
        "bell": ("闪电劈中了钟楼，大钟掉了下来。", ""),
        "wolves": ("夜里狼咬死了三只羊。", ""),
        "horse": ("阿青的马叫黑豆，除了她见谁咬谁。", ""),
        "market": ("今天集市上有山里来的新鲜奶酪。", ""),
    },
}
PLAYERS = {"de": "Lena", "zh": "阿青"}
EMPTY_WORDS = {"de": "wer|was|wo|hat", "zh": "什|么|谁|过|我|你|了|吗|好"}
"""Some of those in the shipped translations."""


@pytest.fixture(scope="module")
def pack() -> OnnxEmbedder:
    return OnnxEmbedder(MODELS / LANGUAGE_PACK)


@pytest.fixture(params=MEMORIES)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def save(pack: OnnxEmbedder) -> Iterator[Save]:
    save = open_save(":memory:", embedder=pack, clock=lambda: 20 * DAY)
    yield save
    save.close()


@pytest.fixture
def ids(save: Save, language: str) -> dict[str, str]:
    npc = save.npc("mira")
    npc.config = MemoryConfig(wording={"line_empty": EMPTY_WORDS[language]})
    return {
        name: npc.memories.store(text, 6, {"event_type": event_type} if event_type else {})
        for name, (text, event_type) in MEMORIES[language].items()
    }


def said(save: Save, language: str, question: str) -> dict[str, Any]:
    npc: Npc = save.npc("mira")
    options = {"player_name": PLAYERS[language]}
    return npc.unaided_answers.answer_from_memory("line", question, options)


QUESTIONS = {
    ("de", "roof"): "Wer hat das Dach gedeckt?",
    ("de", RING): "Was hab ich dir geschenkt?",
    ("de", COMB): "Was hast du mir geschenkt?",
    ("de", "promise"): "Was habe ich dir versprochen?",
    ("de", "fever"): "Wer lag mit Fieber im Bett?",
    ("zh", "roof"): "谁修好了酒馆的屋顶？",
    ("zh", RING): "我送过你什么？",
    ("zh", COMB): "你送过我什么？",
    ("zh", "promise"): "我答应过你什么？",
    ("zh", "fever"): "谁发烧了？",
}
UNKNOWN = {
    "de": ("Wer hat die Bibliothek angezündet?", "Wo wohnt der Drache?", "Hast du mal ein Schiff gesehen?"),
    "zh": ("是谁烧了图书馆？", "龙住在哪里？", "你见过大海里的船吗？"),
}


@pytest.mark.parametrize("name", sorted({name for _, name in QUESTIONS}))
def test_a_question_gets_the_memory_that_answers_it(
    save: Save, language: str, ids: dict[str, str], name: str
) -> None:
    answer = said(save, language, QUESTIONS[language, name])
    assert (answer["kind"], answer["memory_ids"]) == ("memory", (ids[name],)), answer


@pytest.mark.parametrize("number", range(3))
def test_nobody_can_know_what_never_happened(
    save: Save, language: str, ids: dict[str, str], number: int
) -> None:
    answer = said(save, language, UNKNOWN[language][number])
    assert answer["kind"] == "unknown" and not set(answer["memory_ids"]) & set(ids.values()), answer


@pytest.mark.parametrize(
    ("question", "is_players"),
    [
        ("Was hab ich dir geschenkt?", True),
        ("Hast du mir je etwas geschenkt?", False),
        ("Je t'ai fait un cadeau ?", True),
        ("Qu'est-ce que tu m'as offert ?", False),
        ("¿Qué te regalé?", True),
        ("¿Qué me regalaste?", False),
        ("Você lembra do presente que eu te dei?", True),
        ("O que você me deu?", False),
        ("Что я тебе подарил?", True),
        ("Что ты мне подарил?", False),
        ("我送过你礼物吗？", True),
        ("你送过我礼物吗？", False),
        ("私があげた物、覚えてる？", True),
        ("私に何をくれた？", False),
        ("내가 너한테 뭘 줬지?", True),
        ("네가 나한테 뭘 줬지?", False),
        ("ماذا أهديتك؟", True),
        ("ماذا أهديتني؟", False),
        ("Wo ist der Markt?", None),
        ("谁来过？", None),
    ],
)
def test_a_question_says_who_gave_a_gift(question: str, is_players: bool | None) -> None:
    table = recall_words(question)
    assert table is not None
    assert table.is_player_giving(question) == is_players


@pytest.mark.parametrize(
    ("text", "events", "others"),
    [
        ("Wer hat dir den Ring geschenkt?", {"gift"}, {"ring"}),
        ("Qui t'a prêté le cheval ?", {"lend"}, {"cheval"}),
        ("Кто обещал дрова?", {"promis"}, {"дрова"}),
        ("我答应过你什么？", {"promis"}, set()),
    ],
)
def test_what_happened_is_told_from_what_it_was_about(text: str, events: set[str], others: set[str]) -> None:
    table = recall_words(text)
    assert table is not None
    happened, words = table.events_and_words(text)
    assert happened >= events and others <= set(words)
    assert not any(word.startswith(("geschenk", "prete", "обеща", "答应")) for word in words), words
