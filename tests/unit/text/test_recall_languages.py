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
        ("pt", "Como está o teu braço?"),
        ("pt", "Você me deu a espada?"),
        ("pt", "O que eu te prometi?"),
        ("pt", "Te lembras de mim?"),
        ("ko", "무엇을 약속했지?"),
        ("ar", "بماذا وعدتني؟"),
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
        "คุณสัญญาอะไรไว้",
        "چه کسی را دیدی؟",
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
        ("Lembras-te do presente que te dei?", "Lembro-me do presente que me Kit deu?"),
        ("Quando foi que eu menti?", "Quando foi que Kit mentiu?"),
        ("Como vai a sua filha?", "Como vai a minha filha?"),
        ("나한테 뭘 줬더라?", "Kit에게 뭘 줬더라?"),
        ("당신은 나한테 뭘 선물했지?", "내가 Kit에게 뭘 선물했지?"),
        ("بماذا وعدتني؟", "بماذا وعدت Kit؟"),
        ("كيف حال ابنتك؟", "كيف حال ابنتي؟"),
        ("هل أهديتك شيئا؟", "هل أهداني Kit شيئا؟"),
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
        ("Alguma vez te enganei?", "lie"),
        ("내가 남을 속인 적 있나?", "lie"),
        ("هل قدمت لك هدية من قبل؟", "gift"),
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
        ("O que é que eu te dei anteontem?", 38),
        ("O que você fez há três dias?", 37),
        ("어제 내가 무슨 말을 했지?", 39),
        ("사흘 전에 무슨 일이 있었어?", 37),
        ("ماذا قلت لك أمس؟", 39),
        ("ماذا حدث قبل ثلاثة أيام؟", 37),
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


@pytest.mark.parametrize(
    "question",
    [
        "Who robbed Jörg Müller yesterday?",
        "Who robbed Señora Muñoz yesterday?",
        "Who betrayed Hélène d'Orléans?",
        "Did Götz Möller die?",
        "Tell me about El Niño de la Peña yesterday",
        "Che cosa hai fatto?",
        "Chi è il re?",
        "Vad har du lovat mig?",
        "Är du här?",
        "Hva har jeg gitt deg?",
        "Wie ben je?",
        "Sen bana ne söz verdin?",
        "Què m'has dit ahir?",
        "Ce mi-ai promis ieri și ce nu?",
        "Какво ти обещах вчера?",
        "Кой си ти?",
        "Who said gestern?",
        "Is the rendez-vous today?",
        "Do you know 王小明?",
        "Who is 司馬相如?",
        "What does 剣 mean?",
    ],
)
def test_names_and_neighbour_languages_choose_no_table(question: str) -> None:
    assert recall_words(question) is None


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("de", "Kennst du Anna?"),
        ("de", "Liebst du Anna?"),
        ("de", "Wann kommst du?"),
        ("de", "Wer starb gestern?"),
        ("de", "Was passierte gestern?"),
        ("de", "Was passierte gestern in der Stadt?"),
        ("de", "Bist du müde?"),
        ("de", "Wer ist Jörg Müller?"),
        ("de", "Was hast du Götz Möller versprochen?"),
        ("es", "¿Me mentiste?"),
        ("es", "¿Me quieres?"),
        ("es", "¿Conoces a Mira?"),
        ("es", "¿Llovió ayer?"),
        ("es", "¿Me has mentido?"),
        ("fr", "Tu mens ?"),
        ("fr", "Que veux-tu ?"),
        ("fr", "Où est Tibaud ?"),
        ("fr", "Qu'a fait Hélène d'Orléans hier ?"),
        ("zh", "约翰・史密斯是谁？"),
        ("zh", "Christopher什么时候来的？"),
        ("ja", "クリス・スミスは誰ですか？"),
    ],
)
def test_short_questions_and_foreign_names_leave_the_language(language: str, question: str) -> None:
    assert recall_words(question) is TABLES[language]


@pytest.mark.parametrize(
    ("question", "english"),
    [
        ("Кто приходил двадцать три дня назад?", ""),
        ("Кто приходил два-три дня назад?", ""),
        ("Кто приходил три дня назад?", "3 days ago"),
        ("十五天前发生了什么？", "15 days ago"),
        ("百二十天前？", ""),
        ("两三天前发生了什么？", ""),
        ("二十日前に何があった？", "20 days ago"),
        ("2、3日前に何があった？", ""),
        ("目前天气怎么样？", ""),
        ("大前天发生了什么？", "3 days ago"),
        ("以前天天下雨吗？", ""),
        ("离这里最近的村庄在哪里？", ""),
        ("最近一次见面是什么时候？", "the last time"),
        ("你的きょうだいは誰？", ""),
        ("さっきのうわさは本当？", ""),
        ("今日は！元気？", ""),
        ("今日は何をした？", "today"),
        ("きょうは何をした？", "today"),
        ("いつ働きはじめて、どうだった？", ""),
        ("はじめて会ったのはいつ？", "the first time"),
        ("Was isst du jeden Tag ein wenig?", ""),
        ("Was machst du den ganzen Tag ein wenig?", ""),
        ("Was ist am Tag ein Brot wert für dich?", ""),
        ("Was war an Tag zwölf mit dir?", "on day 12"),
        ("Qui es-tu chaque jour une femme ?", ""),
        ("Un jour un voyageur t'a parlé ?", ""),
        ("Qui est venu le jour 12 ?", "on day 12"),
        ("¿Cada día un mendigo?", ""),
        ("¿Vino el otro día una mujer?", "recently"),
        ("¿Qué pasó el día 12?", "on day 12"),
        ("L'autre jour un homme t'a vu ?", "recently"),
        ("兩個禮拜前發生了什麼？", "2 weeks ago"),
        ("上週你做了什麼？", "last week"),
        ("三個月前呢？", "3 months ago"),
        ("這個禮拜誰來了？", "this week"),
        ("前幾天誰來了？", "recently"),
        ("一開始誰來了？", "the first time"),
        ("天上月亮圆吗？", ""),
        ("晚上周围有人吗？", ""),
    ],
)
def test_a_time_is_read_whole_or_not_at_all(question: str, english: str) -> None:
    table = recall_words(question)
    assert table is not None
    assert table.english_time(question)[0] == english


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("de", "Wo liegt hier der Stahl?"),
        ("de", "Ist der Turm total kaputt?"),
        ("de", "Was steht denn hier im Logbuch?"),
        ("de", "Wem gehört die Drohne?"),
        ("de", "Was trinkst du lieber?"),
        ("de", "Wo ist die Schenke?"),
        ("de", "Warum bist du so freundlich?"),
        ("de", "Wo ist die Gabel?"),
        ("ru", "Спасибо, где ложка?"),
        ("ru", "Кто другой здесь был?"),
        ("ru", "Любой может войти?"),
        ("ru", "Что тут любопытного?"),
        ("ru", "Где ворота?"),
        ("ru", "Ты видел воробья или ворона?"),
        ("ru", "Кто должен идти?"),
        ("ru", "Она вернулась?"),
        ("ru", "Была гроза?"),
        ("ru", "Где словарь?"),
        ("ru", "Ты словно спишь?"),
        ("ru", "Долго ещё идти?"),
        ("ru", "Что он убирал?"),
        ("ru", "Чем ты занимаешься?"),
        ("es", "¿Qué negocio es este?"),
        ("es", "¿De quién es el gato negro?"),
        ("es", "¿Qué quieres comer?"),
        ("es", "¿Quién quiere pan?"),
        ("es", "¿Qué hay debajo?"),
        ("es", "¿Quién debe ir?"),
        ("es", "¿Qué dios es?"),
        ("es", "¿Es un robot?"),
        ("es", "¿De qué es el ladrillo?"),
        ("es", "¿Es amable?"),
        ("es", "¿Es amarillo?"),
        ("es", "¿Al amanecer?"),
        ("es", "¿Dónde está el amo?"),
        ("es", "¿Y el vendaje?"),
        ("es", "¿Es tu cumpleaños?"),
        ("es", "¿Qué falta?"),
        ("es", "¿Qué pasó mientras dormía?"),
        ("es", "¿No comprendes?"),
        ("es", "¿Un animal salvaje?"),
        ("fr", "Es-tu prêt ?"),
        ("fr", "Qui est le prêtre ?"),
        ("fr", "Où est le volcan ?"),
        ("fr", "Qui a la volonté de le faire ?"),
        ("fr", "Tu viens vendredi ?"),
        ("fr", "Où est la confiture ?"),
        ("fr", "Qui est l'amiral ?"),
        ("fr", "Où est la menthe ?"),
        ("fr", "Que fais-tu à présent ?"),
        ("fr", "Que dois-je faire ?"),
        ("fr", "Dois-je partir avec toi ?"),
        ("zh", "谁偷偷进来了？"),
        ("zh", "这只猫可爱吗？"),
        ("zh", "他找了什么借口？"),
        ("zh", "谁是你的死党？"),
        ("zh", "谁把你吵醒了？"),
        ("zh", "你的爱人是谁？"),
        ("ja", "もうそろそろ行く？"),
        ("ja", "もうその話は終わった？"),
        ("ja", "誰の命令？"),
        ("ja", "運命とは何？"),
        ("ja", "使命は何？"),
        ("ja", "仕返しはある？"),
        ("ja", "誰の判断？"),
        ("ja", "油断した？"),
        ("ja", "可愛い猫は誰の？"),
        ("pt", "Há um animal selvagem por aqui?"),
        ("pt", "Onde fica o morro?"),
        ("pt", "Você compreende?"),
        ("pt", "Quanto custa o vendaval?"),
        ("ko", "욕조가 어디 있어?"),
        ("ko", "죽 먹었어?"),
        ("ko", "사과나무는 어디 있어?"),
        ("ar", "أين المدينة؟"),
        ("ar", "كم دينارا معه؟"),
        ("ar", "ماذا يوجد خلف الباب؟"),
        ("ar", "هل حان وقت الصلاة؟"),
        ("ar", "من القاضي؟"),
    ],
)
def test_words_that_only_begin_like_an_event_ask_for_none(language: str, question: str) -> None:
    asked = {term for english in TABLES[language].event_words for term in question_terms(english)}
    assert recall_words(question) is TABLES[language]
    assert not asked & set(event_terms(question))


@pytest.mark.parametrize(
    ("question", "rewritten"),
    [
        ("¿Dónde está el jabalí?", None),
        ("¿Tiene un bebé?", None),
        ("¿Quién robó el rubí?", None),
        ("¿Qué haré?", None),
        ("¿En qué consiste?", None),
        ("¿Por qué insiste?", None),
        ("¿Qué hiciste?", "¿Qué hice?"),
        ("¿Qué te juré?", "¿Qué me Kit juró?"),
        ("¿Mentiste ayer?", "¿Mentí ayer?"),
        ("¿Qué te compré?", "¿Qué me Kit compró?"),
        ("¿Qué te daré?", "¿Qué me daré?"),
        ("太郎君は元気？", None),
        ("姫君はどこ？", None),
        ("暴君は誰？", None),
        ("剣をわたしたのは誰？", None),
        ("ぼくじょうはどこ？", None),
        ("オレの剣はどこ？", "Kitの剣はどこ？"),
        ("キミは誰？", "私は誰？"),
        ("オレンジはどこ？", None),
        ("他的自我在哪里？", None),
        ("Was meinen die Leute hier mit Stahl?", None),
        ("Wo hast du meinen Hut?", "Wo habe ich Kits Hut?"),
        ("Pourquoi le ton de la lettre est-il dur ?", None),
        ("Vous m'avez menti ?", "J'ai Kit menti ?"),
        ("Quem foi o rei?", None),
        ("Quem mandou a lei?", None),
        ("나라의 왕은 누구야?", None),
        ("내일 올 거야?", None),
        ("أين الملك؟", None),
        ("من شريك الحداد؟", None),
    ],
)
def test_what_only_looks_like_a_pronoun_or_a_verb_stays(question: str, rewritten: str | None) -> None:
    assert recall_words(question) is not None
    assert from_npc_view(question, "Kit") == rewritten


def test_a_german_name_that_ends_like_its_genitive_gets_an_apostrophe() -> None:
    assert from_npc_view("Wo steht mein Schiff?", "Max") == "Wo steht Max' Schiff?"
