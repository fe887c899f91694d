"""What an NPC says without a language model in a game that is not in English."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rag_memory import MemoryConfig, Npc, Save, open_save
from rag_memory.embedding.model_folder import LANGUAGE_PACK
from rag_memory.embedding.onnx_embedder import OnnxEmbedder
from rag_memory.prompt.memory_evidence import Inquiry
from rag_memory.text.languages.tables import TABLES, recall_words

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
        "oath": ("Ich habe Lena versprochen, ihr das Käsemachen beizubringen.", "promise_made"),
        "stolen": (
            "Lena fragte nach dem Krug. Ich sagte: Er gehörte dem Boten, von dem nur das Pferd heimkam.",
            "",
        ),
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
        "oath": ("我答应阿青，教她做奶酪。", "promise_made"),
        "stolen": ("阿青问起那只酒杯。我说：那是信使的，回来的只有他的马。", ""),
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
    ("de", "oath"): "Was hast du mir versprochen?",
    ("de", "horse"): "Was weißt du über mein Pferd?",
    ("de", "fever"): "Wer lag mit Fieber im Bett?",
    ("zh", "roof"): "谁修好了酒馆的屋顶？",
    ("zh", RING): "我送过你什么？",
    ("zh", COMB): "你送过我什么？",
    ("zh", "promise"): "我答应过你什么？",
    ("zh", "oath"): "你答应过我什么？",
    ("zh", "horse"): "我的马叫什么名字？",
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


@pytest.mark.parametrize(("asked", "other"), [("promise", "oath"), ("oath", "promise")])
def test_a_promise_of_one_never_answers_for_the_other(
    save: Save, language: str, ids: dict[str, str], asked: str, other: str
) -> None:
    save.npc("mira").memories.forget(ids[asked])
    answer = said(save, language, QUESTIONS[language, asked])
    assert ids[other] not in answer["memory_ids"] and answer["kind"] == "unknown", answer


def test_what_the_player_lent_is_no_debt_of_the_player(
    save: Save, language: str, ids: dict[str, str]
) -> None:
    debt, question = {
        "de": ("Lena schuldet mir zwanzig Taler.", "Hab ich dir meinen Schirm geliehen?"),
        "zh": ("阿青欠我二十枚铜钱。", "我借给过你我的雨伞吗？"),
    }[language]
    save.npc("mira").memories.store(debt, 6, {"event_type": "debt"})
    assert said(save, language, question)["kind"] == "unknown"


@pytest.mark.parametrize(
    ("code", "own", "of_player"),
    [
        (
            "de",
            "Ich habe Lena versprochen, ihr zu helfen.",
            "Lena hat mir versprochen, dass sie kommt, wenn ich rufe.",
        ),
        ("fr", "J'ai promis à Luc de l'aider.", "Luc m'a promis de revenir quand je l'appelle."),
        ("es", "Le prometí a Iker ayudarle.", "Iker me prometió volver."),
        ("pt", "Prometi a Tomé ajudar.", "Tomé prometeu-me voltar."),
        ("ru", "Я дала Глебу слово, что помогу.", "Глеб обещал мне, что вернётся, когда я позову."),
        ("zh", "我对陆沉发誓，绝不说出去。", "陆沉向我保证，一定回来。"),
        ("ja", "誰にも言わないと、ハルトに約束した。", "ハルトは私に、必ず戻ると約束してくれた。"),
        ("ko", "나는 하린에게 돕겠다고 약속했다.", "하린은 꼭 돌아오겠다고 내게 약속했다."),
        ("ar", "وعدت ليلى بأن أصلح محركها.", "وعدتني ليلى بأن تعود."),
    ],
)
def test_a_memory_says_who_promised(code: str, own: str, of_player: str) -> None:
    table = TABLES[code]
    assert table.tells_own_promise(own) and not table.tells_own_promise(of_player)


@pytest.mark.parametrize(
    ("question", "description", "mentioned"),
    [
        ("Wer ist Varn?", "Mein Bruder Varn ist Köhler.", "Gestern fand ich im Stall Varns Säge."),
        ("Qui est Yann ?", "Mon frère Yann est charbonnier.", "Hier, j'ai vu la scie de Yann."),
        ("¿Quién es Lope?", "Lope es el sereno.", "Ayer vi la sierra nueva de Lope."),
        ("Quem é o Gil?", "Meu irmão Gil é carvoeiro.", "Ontem eu vi a serra do Gil."),
        ("Кто такой Фома?", "Мой брат Фома — угольщик.", "Вчера я видела пилу Фомы."),
        ("长顺是谁？", "我哥哥长顺是打更的。", "昨天我在木匠那里看见了长顺的锯子。"),
        ("与平さんって誰？", "与平は夜回りをしている。", "昨日、大工のところで与平の鋸を見かけた。"),
        ("칠복이 누구야?", "우리 오빠 칠복은 야경꾼이다.", "어제 목수네 집 마당에서 칠복의 톱을 보았다."),
        ("من هي سعاد؟", "أختي سعاد تبيع الشموع.", "رأيت أمس عند النجار منشار سعاد."),
    ],
)
def test_who_is_only_mentioned_is_not_told(question: str, description: str, mentioned: str) -> None:
    inquiry = Inquiry(question, ["Lena"], "Mira", "кто|такои")
    assert inquiry.tells_who({"document_full": description})
    assert not inquiry.tells_who({"document_full": mentioned})


@pytest.mark.parametrize(
    ("name", "text", "share"),
    [
        ("Ева", "Он уехал сегодня, девушка молчала.", -1.0),
        ("Аня", "Странник искал океан.", -1.0),
        ("Оля", "Король молчал в школе.", -1.0),
        ("Оля", "Оля пришла на мельницу.", 1.0),
        ("Анна", "Я видел Анну на мельнице.", 1.0),
    ],
)
def test_a_short_name_is_not_found_within_a_word(name: str, text: str, share: float) -> None:
    memory = {"document_full": text, "metadata": {"participants": []}}
    assert Inquiry("Что я тебе подарил?", [name], "", "").share_of_player(memory) == share


def test_particles_and_honorifics_hide_no_korean_or_japanese_word() -> None:
    korean = Inquiry("책임자가 누구야?", ["하린"], "", "")
    assert korean.coverage("정거장의 책임자는 오 소장이다.") == 1.0
    japanese = Inquiry("私の馬はどこ？", ["蓮太郎さん"], "", "")
    memory = {"document_full": "蓮太郎の馬は納屋にいる。", "metadata": {"participants": []}}
    assert japanese.share_of_player(memory) == 1.0 and japanese.is_of_own_thing(memory)


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
        ("Was habe ich dir versprochen?", True),
        ("Was hast du mir versprochen?", False),
        ("¿Qué te prometí?", True),
        ("¿Qué me prometiste tú?", False),
        ("O que você me prometeu?", False),
        ("你当初跟我保证过什么？", False),
        ("俺、君に何を約束したっけ？", True),
        ("君は俺に何を約束した？", False),
        ("내가 너한테 뭘 약속했지?", True),
        ("بماذا وعدتني؟", False),
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
