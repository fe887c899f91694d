"""An NPC without a language model: short questions about what it has just told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.build.test_languages import FILES, translation
from tests.unit.conftest import GameClock

from rag_memory import MemoryConfig, Npc, Save, open_save
from rag_memory.embedding.model_folder import LANGUAGE_PACK
from rag_memory.embedding.onnx_embedder import OnnxEmbedder
from rag_memory.prompt.player_line import follow_up_of

MODELS = Path(__file__).resolve().parents[3] / "addons" / "rag_memory" / "models"
DAY = 86_400.0
NOW = 100 * DAY + 36_000.0
MILL, WHO = "Bandits burned the old mill.", "Who burned the old mill?"
Life = Callable[[Npc], Any]
Talk = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="module")
def model() -> OnnxEmbedder:
    return OnnxEmbedder(MODELS / "default")


@pytest.fixture(scope="module")
def pack() -> OnnxEmbedder:
    return OnnxEmbedder(MODELS / LANGUAGE_PACK)


@pytest.fixture
def clock() -> GameClock:
    clock = GameClock()
    clock.now = NOW
    return clock


@pytest.fixture
def save(model: OnnxEmbedder, clock: GameClock) -> Iterator[Save]:
    save = open_save(":memory:", embedder=model, clock=clock)
    yield save
    save.close()


@pytest.fixture
def mira(save: Save) -> Npc:
    return save.npc("mira")


def say(npc: Npc, *lines: str, response: str = "", **options: Any) -> dict[str, Any]:
    """The answer to the last of these lines."""
    answer: dict[str, Any] = {}
    for line in lines:
        exchange = npc.exchanges.begin_exchange("line", line, options)["exchange"]
        answer = npc.exchanges.finish_exchange(exchange, {"response": response} if response else {})
    return answer


def stored(text: str, **data: Any) -> Life:
    return lambda npc: npc.memories.store(text, 6, data)


def attack(npc: Npc) -> str:
    return npc.memories.store(MILL, 7, {"event_type": "attack", "timestamp": NOW - 3 * DAY})


def heard(speaker: str, text: str) -> Life:
    return lambda npc: npc.memories.store_conversation(speaker, text)


def player_said(line: str) -> Life:
    return lambda npc: say(npc, line, response="I see.")


DIALOGUES: list[tuple[Life, str, str, str]] = [
    (attack, WHO, "When was that?", "That was 3 days ago."),
    (
        stored("Wolves killed two of Gregor's sheep.", timestamp=NOW - 2 * DAY),
        "Who killed the sheep?",
        "When was that?",
        "That was 2 days ago.",
    ),
    (attack, WHO, "Oh. Why?", "I could not tell you why."),
    (attack, WHO, "Where was that?", "I could not tell you where."),
    (attack, WHO, "How many?", "I could not tell you how much."),
    (attack, WHO, "Who told you?", "I could not tell you where I heard it."),
    (attack, WHO, "Are you sure, Mira?", "As far as I know, it is so."),
    (
        lambda npc: npc.memories.store_witnessed_event("A wolf killed two sheep."),
        "What happened to the sheep?",
        "Really?",
        "I was there myself.",
    ),
    (heard("Bjorn", "The bridge is broken."), "What about the bridge?", "Who told you?", "from Bjorn."),
    (
        heard("Bjorn", "The bridge is broken."),
        "What about the bridge?",
        "When was that?",
        "I heard that today.",
    ),
    (
        player_said("I owe you 40 silver for the horse."),
        "What do I owe you?",
        "How much was it?",
        "40 silver",
    ),
    (player_said("I hid the map in the barn."), "Where did I hide the map?", "Are you sure?", "You said so"),
    (
        stored("The foreman pays twelve credits for each crate of ore."),
        "What does the foreman pay for ore?",
        "How much?",
        "twelve credits",
    ),
    (
        stored("The airlock on deck nine failed.", event_type="accident", location="deck nine"),
        "What about the airlock?",
        "Where was that?",
        "That was at this place: deck nine.",
    ),
    (
        stored("The body was found in the cellar of the Blue Lamp."),
        "Where was the body found?",
        "Where?",
        "the cellar",
    ),
    (
        stored("The mayor left the city because the plague had come."),
        "What did the mayor do?",
        "But why?",
        "the plague",
    ),
    (
        stored("The ship sails at dawn from the north pier."),
        "Which ship sails from the north pier?",
        "When?",
        "at dawn",
    ),
    (stored("Odo sleeps in the boathouse."), "Where does Odo sleep?", "When was that?", "tell you when."),
    (stored("I think that Odo stole the bell."), "Who stole the bell?", "Are you sure?", "I think that"),
    (
        lambda npc: npc.memories.store_player_action("helped", "carried my cans across the marsh"),
        "What did I carry across the marsh?",
        "Are you sure?",
        "You should know that best.",
    ),
]


@pytest.mark.parametrize(("live", "question", "follow_up", "said"), DIALOGUES)
def test_a_short_question_is_about_the_last_answer(
    mira: Npc, clock: GameClock, live: Life, question: str, follow_up: str, said: str
) -> None:
    live(mira)
    clock.now += 2 * 3600.0
    answer = say(mira, question)
    assert len(answer["memory_ids"]) == 1, answer["response"]
    assert said in say(mira, follow_up)["response"]


@pytest.mark.parametrize(("teller", "said"), [("gus", "as a rumour, from Gus."), ("", "as a rumour.")])
def test_a_rumor_is_only_a_rumor(mira: Npc, save: Save, teller: str, said: str) -> None:
    for id, name in (("mira", "Mira"), ("gus", "Gus")):
        save.world.characters.register_character(id, {"name": name})
    event = save.world.events.record_event({"summary": "The judge took a bribe.", "known_by": ["gus"]})
    save.world.rumors.spread_rumor(event, "mira", teller)
    say(mira, "What do you know about the judge?")
    assert say(mira, "Are you sure?")["response"] == f"I only heard it {said}"


def test_one_question_follows_another(mira: Npc) -> None:
    attack(mira)
    say(mira, WHO, "Why?", "Who told you?")
    assert say(mira, "When?")["response"] == "That was 3 days ago."


NEAR_MISSES: list[tuple[str, ...]] = [
    ("When was that?",),
    (WHO, "Hello.", "When was that?"),
    (WHO, "Thank you.", "When was that?"),
    (WHO, "I saw them too.", "When was that?"),
    (WHO, "Who rules the elves of the southern sea?", "When was that?"),
    (WHO, "Where is my sister Roswitha?"),
    (WHO, "How much is an ale?"),
    (WHO, "When will you marry?"),
    (WHO, "Why don't you like me?"),
    (WHO, "Where are you from?"),
    (WHO, "Are you sure that you don't want to sell the boat?"),
    (WHO, "Really? My brother says that the chapel is haunted."),
    (WHO, "Why? Because I said so."),
    (WHO, "That is why I came."),
    (WHO, "Ale? How much?"),
]


@pytest.mark.parametrize("lines", NEAR_MISSES)
def test_another_subject_is_no_question_about_the_last_answer(mira: Npc, lines: tuple[str, ...]) -> None:
    attack(mira)
    answer = say(mira, *lines)
    assert not answer.get("memory_ids") and "could not tell you" not in answer["response"]


def a_pause(npc: Npc, clock: GameClock) -> None:
    clock.now += 2 * 3600.0


def an_undo(npc: Npc, clock: GameClock) -> None:
    npc.exchange_undo.undo_exchange()


def forgetting(npc: Npc, clock: GameClock) -> None:
    npc.memories.forget(npc.conversation.get_turns(1)[0]["memory_ids"][0])


def a_new_state(npc: Npc, clock: GameClock) -> None:
    memory = npc.conversation.get_turns(1)[0]["memory_ids"][0]
    npc.memories.update_memory(memory, {"secret": True, "known_to": ["bjorn"]})


@pytest.mark.parametrize("change", [a_pause, an_undo, forgetting, a_new_state])
def test_the_last_answer_is_forgotten(
    mira: Npc, clock: GameClock, change: Callable[[Npc, GameClock], None]
) -> None:
    attack(mira)
    say(mira, WHO)
    change(mira, clock)
    assert say(mira, "When was that?")["memory_ids"] == []


def test_a_save_that_is_loaded_has_its_own_last_answer(mira: Npc, save: Save, clock: GameClock) -> None:
    attack(mira)
    mark = save.marks.add()
    say(mira, WHO)
    told_then = save.marks.add()
    clock.now += 60.0
    say(mira, "Hello.")
    save.marks.rollback_to(told_then)
    assert mira.unaided_answers.answer_from_memory("line", "When?")["response"] == "That was 3 days ago."
    save.marks.rollback_to(mark)
    assert mira.unaided_answers.answer_from_memory("line", "When?")["kind"] == "unknown"


def test_nobody_asks_about_the_answer_to_another(mira: Npc) -> None:
    attack(mira)
    say(mira, WHO)
    answer = mira.unaided_answers.answer_from_memory("line", "When was that?", {"speaker": "bjorn"})
    assert answer["kind"] == "unknown" and not answer["memory_ids"]


def test_a_secret_is_not_gone_into_before_others(mira: Npc) -> None:
    stored("The duke hides in the crypt.", secret=True, known_to=["player"], location="crypt")(mira)
    assert say(mira, "Where does the duke hide?")["memory_ids"]
    ask = mira.unaided_answers.answer_from_memory
    assert "crypt" in ask("line", "Where was that?")["response"]
    answer = ask("line", "Where was that?", {"listeners": ["bjorn"]})
    assert answer["kind"] == "unknown" and "crypt" not in answer["response"]


def test_of_several_memories_none_is_meant(mira: Npc) -> None:
    for deed in ("stole my ring", "mended my roof", "burned my barn"):
        mira.memories.store_player_action("deed", deed)
    assert len(say(mira, "What do you know about me?")["memory_ids"]) > 1
    assert say(mira, "When was that?")["memory_ids"] == []


LANGUAGES = {
    "de": (
        ("Räuber haben die alte Mühle niedergebrannt.", "Wer hat die alte Mühle niedergebrannt?"),
        ("Wann war das?", "Das war vor 3 Tagen."),
        ("Bist du dir sicher?", "Soviel ich weiß, ist es so."),
        ("Warum?", "Warum, das kann ich dir nicht sagen."),
        ("Ich mag Honigkuchen.", "Was mag ich?"),
    ),
    "es": (
        ("Unos bandidos quemaron el viejo molino.", "¿Quién quemó el viejo molino?"),
        ("¿Cuándo fue eso?", "Eso fue hace 3 días."),
        ("¿Estás segura?", "Que yo sepa, es así."),
        ("¿Por qué?", "No sabría decirte por qué."),
        ("Me gustan los pasteles de miel.", "¿Qué me gusta?"),
    ),
    "fr": (
        ("Des bandits ont brûlé le vieux moulin.", "Qui a brûlé le vieux moulin ?"),
        ("C'était quand ?", "C'était il y a 3 jours."),
        ("Tu es sûre ?", "Pour autant que je sache, c'est vrai."),
        ("Pourquoi ?", "Je ne saurais te dire pourquoi."),
        ("J'aime les gâteaux au miel.", "Qu'est-ce que j'aime ?"),
    ),
    "ja": (
        ("盗賊が古い水車小屋を焼いた。", "誰が水車小屋を焼いたの？"),
        ("それはいつ？", "それは3日前のことです。"),
        ("本当ですか？", "私の知る限りでは、そうです。"),
        ("どうして？", "なぜかは、私にもわかりません。"),
        ("私は蜂蜜の菓子が好きです。", "私は何が好きですか？"),
    ),
    "pt_BR": (
        ("Bandidos queimaram o velho moinho.", "Quem queimou o velho moinho?"),
        ("Quando foi isso?", "Isso foi há 3 dias."),
        ("Tem certeza?", "Até onde eu sei, é verdade."),
        ("Por quê?", "Não sei dizer por quê."),
        ("Eu gosto de bolo de mel.", "Do que eu gosto?"),
    ),
    "ru": (
        ("Разбойники сожгли старую мельницу.", "Кто сжёг старую мельницу?"),
        ("Когда это было?", "Это было 3 суток назад."),
        ("Ты уверена?", "Насколько я знаю, это так."),
        ("Почему?", "Не могу сказать почему."),
        ("Я люблю медовые пряники.", "Что я люблю?"),
    ),
    "zh_CN": (
        ("强盗烧了旧磨坊。", "谁烧了旧磨坊？"),
        ("什么时候的事？", "那是3天前的事。"),
        ("你确定吗？", "据我所知，确实如此。"),
        ("为什么？", "为什么，我说不上来。"),
        ("我喜欢蜂蜜蛋糕。", "我喜欢什么？"),
    ),
}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_language_has_its_short_questions(pack: OnnxEmbedder, clock: GameClock, file: Path) -> None:
    (text, question), *follow_ups, (liking, likes) = LANGUAGES[file.stem]
    save = open_save(":memory:", embedder=pack, clock=clock)
    mira = save.npc("mira")
    mira.config = MemoryConfig(wording=translation(file))
    mira.memories.store(text, 6, {"event_type": "attack", "timestamp": NOW - 3 * DAY})
    assert say(mira, question)["memory_ids"]
    assert [say(mira, line)["response"] for line, _ in follow_ups] == [said for _, said in follow_ups]
    say(mira, liking)
    assert liking in say(mira, likes)["response"]
    save.close()


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Odo roubou o sino por doze moedas.", "Por quanto?"),
        ("Odo verkaufte die Glocke für zwölf Taler.", "Für wie viel?"),
        ("奥多用十二枚铜钱买了钟。", "多少？"),
    ],
)
def test_numbers_of_other_languages_are_known(save: Save, text: str, question: str) -> None:
    code = {"P": "pt_BR", "F": "de"}.get(question[0], "zh_CN")
    mira = save.npc("mira")
    mira.config = MemoryConfig(wording=translation(next(file for file in FILES if file.stem == code)))
    id = mira.memories.store(text, 6)
    mira.conversation.store_turn("…", text, {"memory_ids": [id]})
    assert text in mira.unaided_answers.answer_from_memory("line", question)["response"]


def test_a_language_without_phrases_has_no_short_questions() -> None:
    empty = dict.fromkeys(f"line_{kind}" for kind in ("why", "when", "where", "how_much", "source", "sure"))
    config = MemoryConfig(wording=dict.fromkeys(empty, "-"))
    assert follow_up_of(config, "Why?", "Mira") == "" != follow_up_of(MemoryConfig(), "Why?", "Mira")


@pytest.mark.parametrize("question", ["What do I like?", "Do you remember what I like?"])
def test_a_player_hears_what_they_like(mira: Npc, question: str) -> None:
    say(mira, "I like honey cakes.", "I like you.")
    assert "honey cakes" in say(mira, question)["response"]


def test_nobody_knows_what_the_player_likes_who_was_not_told(mira: Npc) -> None:
    attack(mira)
    assert say(mira, "What do I like?")["memory_ids"] == []


def test_what_everybody_knows_of_the_player_is_the_name(mira: Npc, save: Save) -> None:
    say(mira, "Hello.")
    ask = mira.unaided_answers.answer_from_memory
    assert ask("line", "Who am I?")["kind"] == "unknown"
    save.world.facts.set_player_info({"name": "Rowan"})
    assert "You are Rowan." in ask("line", "Who am I?")["response"]
    mira.memories.store("The player's name is Kit.", 9, {"slot_type": "player_name"})
    assert "Kit" in ask("line", "Who am I?")["response"], "she was told another one"
