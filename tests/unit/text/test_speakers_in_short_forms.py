"""Nobody's words become another's in a short form, in the quotes of any language."""

from __future__ import annotations

import itertools
import re
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_memory.text.short_form import ELLIPSIS, short_form
from rag_memory.text.statements import Speech, passages_of, statements_of


class Wording(NamedTuple):
    """The words of a language for who said what. `sentence` has the number that makes a sentence unique."""

    turns: tuple[str, str]
    sentences: tuple[str, ...]
    space: str = " "


LATIN = (
    "Tom was at mill N{n}.",
    "Will you come to house N{n}?",
    "I hid the duke's ring, don't ask, under the miners' bench N{n} by the river!",
    "No N{n}.",
)
UMLAUTS = ("Grüße aus Köln N{n}.", "Kommst du über die Brücke N{n}?", "Der Wolf fraß Schaf N{n}, sagt man!")
CYRILLIC = ("Я видел волка N{n}.", "Ты придёшь к мельнице N{n}?", "Нет N{n}!")
JAPANESE = ("昨日N{n}の川で狼を見た。", "N{n}の家へ行くの？", "いやN{n}だ！")
CHINESE = ("我昨天在N{n}号磨坊看到了狼。", "你会来N{n}号房子吗？", "不N{n}！")

WORDINGS = {
    "straight": Wording(('The player said: "{}"', 'I answered: "{}"'), LATIN),
    "curly": Wording(("The player said: “{}”", "I answered: “{}”"), LATIN),
    "single": Wording(("The player said: '{}'", "I answered: '{}'"), LATIN[:2] + LATIN[3:]),
    "afterwards": Wording(('"{}" said the player.', '"{}" replied the old miller.'), LATIN),
    "with a comma": Wording(('Tom of Oak Hill said, "{}"', 'And I said, "{}"'), LATIN),
    "no quotes": Wording(("The player said: {}", "I answered: {}"), LATIN),
    "lines": Wording(("Mira: {}", "Tom: {}"), LATIN, "\n"),
    "German": Wording(("Der Spieler sagte: „{}“", "Ich antwortete: „{}“"), UMLAUTS),
    "German guillemets": Wording(("Der Spieler sagte: »{}«", "Ich antwortete: »{}«"), UMLAUTS),
    "French": Wording(("Le joueur a dit : « {} »", "J’ai répondu : « {} »"), LATIN[:2]),
    "French singles": Wording(("Le joueur a dit : ‹ {} ›", "J’ai répondu : ‹ {} ›"), LATIN[:2]),
    "Spanish": Wording(("El jugador dijo: «{}»", "Respondí: «{}»"), ("¿Vienes N{n}?", "Estuve en N{n}.")),
    "Swedish": Wording(("Spelaren sade: ”{}”", "Jag svarade: ”{}”"), UMLAUTS),
    "Russian": Wording(("Игрок сказал: «{}»", "Я ответил: «{}»"), CYRILLIC),
    "Japanese": Wording(("旅人は言った：「{}」", "私は答えた：「{}」"), JAPANESE, ""),
    "Japanese, verb last": Wording(("旅人は「{}」と言った。", "私は「{}」と答えた。"), JAPANESE, ""),
    "Japanese doubles": Wording(("旅人は言った：『{}』", "私は答えた：『{}』"), JAPANESE, ""),
    "Chinese": Wording(("玩家说：“{}”", "我回答：“{}”"), CHINESE, ""),
    "Chinese, straight": Wording(('玩家说:"{}"', '我回答:"{}"'), CHINESE, ""),
}


class Exchange(NamedTuple):
    """A memory of an exchange: what statement turn says, by its speaker."""

    text: str
    turns: tuple[tuple[int, str], ...]


def exchange_of(wording: Wording, lengths: list[int], choice: list[int]) -> Exchange:
    numbers = itertools.count(100)
    turns = []
    for place, length in enumerate(lengths):
        said = []
        for _ in range(length):
            number = next(numbers)
            said.append(wording.sentences[choice[number % len(choice)] % len(wording.sentences)])
            said[-1] = said[-1].format(n=number)
        turns.append((place % 2, wording.space.strip("\n").join(said) or " ".join(said)))
    if wording.space == "\n":
        turns = [(speaker, re.sub(r"(?<=[.!?])(?=\S)", " ", said)) for speaker, said in turns]
    text = wording.space.join(wording.turns[speaker].format(said) for speaker, said in turns)
    return Exchange(text, tuple(turns))


@st.composite
def exchanges(draw: st.DrawFn) -> tuple[Wording, Exchange]:
    wording = WORDINGS[draw(st.sampled_from(sorted(WORDINGS)))]
    lengths = draw(st.lists(st.integers(1, 5), min_size=1, max_size=5))
    return wording, exchange_of(wording, lengths, draw(st.lists(st.integers(0, 9), min_size=3, max_size=7)))


def spoken(wording: Wording, short: str) -> list[tuple[int, str]]:
    """By its speaker, what is said in a short form. Fails where something is not in a speaker's words."""
    patterns = [re.escape(turn).replace(re.escape("{}"), "(.*?)") for turn in wording.turns]
    ends = "|".join(pattern.split("(.*?)")[0] or pattern for pattern in patterns)
    pieces = []
    rest = short
    while rest:
        matches = [
            (match.end(), speaker, match[1])
            for speaker, pattern in enumerate(patterns)
            for match in [re.match(rf"{pattern}(?=\s*$|\s*(?:{ends}))\s*", rest, re.DOTALL)]
            if match is not None
        ]
        assert matches, f"{rest!r} has no speaker in {short!r}"
        end, speaker, said = min(matches)
        pieces.append((speaker, said))
        rest = rest[end:]
    return pieces


def without_marks(said: str) -> str:
    return said.removeprefix(ELLIPSIS).removesuffix(ELLIPSIS).strip()


@given(exchanges(), st.integers(40, 160))
@settings(max_examples=600, deadline=None)
def test_whatever_is_quoted_is_one_piece_of_what_that_speaker_said(
    exchange: tuple[Wording, Exchange], length: int
) -> None:
    wording, memory = exchange
    short = short_form(memory.text, length, length)
    assert len(short) <= length or short == memory.text
    if short == memory.text:
        return
    pieces = spoken(wording, short)
    assert any(
        all(
            speaker == its_speaker and is_piece(said, whole)
            for (speaker, said), (its_speaker, whole) in zip(pieces, memory.turns[first:], strict=False)
        )
        for first in range(len(memory.turns) - len(pieces) + 1)
    ), (short, pieces)


def is_piece(said: str, whole: str) -> bool:
    """True if the quote in a short form is one piece of the whole quote, with marks at its cuts."""
    piece = without_marks(said)
    begins = said.startswith(ELLIPSIS) or whole.startswith(piece)
    ends = said.endswith(ELLIPSIS) or whole.endswith(piece)
    return piece != "" and piece in whole and begins and ends


@given(exchanges(), st.integers(20, 200))
@settings(max_examples=300, deadline=None)
def test_sentences_that_do_not_follow_one_another_are_not_joined(
    exchange: tuple[Wording, Exchange], length: int
) -> None:
    short = short_form(exchange[1].text, length, length)
    for before, after in itertools.pairwise(re.finditer(r"N(\d{3})", short)):
        between = short[before.end() : after.start()]
        assert int(after[1]) == int(before[1]) + 1 or ELLIPSIS in between, short


@pytest.mark.parametrize("name", sorted(WORDINGS))
def test_an_exchange_keeps_both_speakers_and_the_answer_has_the_room(name: str) -> None:
    wording = WORDINGS[name]
    memory = exchange_of(wording, [4, 1], [2, 1, 0])
    short = short_form(memory.text, len(memory.text) - 1, len(memory.text) - 1)
    assert len(short) < len(memory.text)
    assert spoken(wording, short)[-1] == memory.turns[-1]
    assert [speaker for speaker, _ in spoken(wording, short)] == [0, 1]


@given(exchanges())
def test_a_text_within_the_target_stays_as_it_is(exchange: tuple[Wording, Exchange]) -> None:
    text = exchange[1].text
    assert short_form(text, len(text), len(text)) == text


@given(exchanges())
def test_the_statements_of_a_text_are_the_text(exchange: tuple[Wording, Exchange]) -> None:
    text = exchange[1].text
    assert "".join(statement.gap + statement.text for statement in statements_of(text)) == text


@given(st.text(alphabet=" ab.!?\n\"'“”„‘’«»「」—:：", max_size=60))
def test_any_marks_in_any_order_make_statements(text: str) -> None:
    statements = statements_of(text)
    letters = "".join(statement.text for statement in statements)
    assert re.sub(r"[\W_]", "", letters) == re.sub(r"[\W_]", "", text)
    short_form(text, 20, 20)


EXCHANGES = [
    (
        "The sea is rough today. My ship sank off Gull Rock. I swam ashore.",
        "Sit down. I will bring you soup.",
    ),
    ("Do you sell maps? I lost mine in Blackwood.", "One is left. It shows the pass to Tarn."),
    ("I am a spy of the queen. Burn this letter when you have read it.", "I burn nothing that I can sell."),
    ("My brother is in gaol. He stole a goose. Can you help him?", "The judge owes me a favour."),
    ("Wait! I pieces your hen. It laid two eggs on the way.", "Keep the eggs. Give me the hen."),
    ("The priest lies. He drank the wine himself. I saw it.", "Hush. He baptised my sons."),
    (
        "I was born in Harlow. My father shod horses there.",
        "I knew a smith in Harlow. He was called Bertram.",
    ),
    (
        "Lend me ten crowns. I will pay them back on Sunday.",
        "I lent you five in May. I never saw them again.",
    ),
    ("It was me who let the wolves in. I left the gate open.", "Then you pay for the six lambs."),
    (
        "Nice weather. By the way, the mayor is dead. Poison, they say.",
        "I cooked for him. I had no part in it.",
    ),
    ("My name is Ottilie. I come from Senn. I seek work.", "I need a maid. The pay is two silver a week."),
    ("You look tired. I slept badly, too. There were rats.", "The cat died in March. I have no other."),
    ("I love Fenn. He does not know it yet. Tell him nothing.", "I tell nobody. My lips are sealed."),
    ("They burned my house in Kerr. I fled with two children.", "My barn is dry. You three can sleep there."),
    ("A witch lives in the fen. She cursed my left hand.", "She is my aunt. She means no harm."),
    ("I killed a man once. It was in the war. I was seventeen.", "I killed two. I do not speak of it."),
    (
        "The bridge is out. I had to wade. My boots are ruined.",
        "Old Hob mends boots. He lives behind the well.",
    ),
    ("What a feast! I have not eaten since Tuesday. More bread?", "There is no more. The flour ran out."),
    ("I will marry Lisbet in May. You must come and play.", "My fiddle is broken. I can sing."),
    (
        "I dug up the chest. It was empty. Somebody was faster.",
        "It was me. I needed the money for my mother.",
    ),
    ("Good morning. I want my sword back. I left it here.", "I sold it. You were gone for a year."),
    ("The well is sweet again. I cleaned it with my own hands.", "Then I owe you a barrel of beer."),
]


@pytest.mark.parametrize(("player", "npc"), EXCHANGES)
def test_a_remembered_exchange_says_who_said_what(player: str, npc: str) -> None:
    text = f'The player said: "{player}" I answered: "{npc}"'
    short = short_form(text, 80, 100)
    (one, its_words), (other, answer) = spoken(WORDINGS["straight"], short)
    assert (one, other) == (0, 1)
    assert without_marks(its_words).rstrip(".") in player and without_marks(answer) in npc
    assert without_marks(answer) == npc or len(answer) > 40


@pytest.mark.parametrize(
    "text",
    [
        "— Где ты был вчера вечером? — спросила Мира. — На мельнице, — сказал Том. — Сгорел амбар Петра.",
        "—¿Dónde estabas anoche? —preguntó Mira. —En el molino —dijo Tomás—. Quemé el granero de Gaspar.",
        "— Où étais-tu hier soir ? demanda Mira.\n— Au moulin, dit Tom. J’ai brûlé la grange de Gaspard.",
        "Мира спросила:\n— Где ты был вчера?\n— На мельнице.\n— Что ты там делал?\n— Я поджёг амбар Грегора.",
    ],
)
def test_a_dialogue_with_dashes_stays_whole(text: str) -> None:
    assert short_form(text, 60, 80) == text


def test_narration_around_a_dialogue_with_dashes_may_go() -> None:
    text = "Мы встретились у колодца на закате, и шёл дождь.\n\n" + "Снег лежал до весны. " * 3
    text += "\n— Где ты был? — спросила Мира.\n— На мельнице, — сказал Том."
    short = short_form(text, 60, 80)
    assert len(short) <= 80
    assert "—" not in short or short.endswith(text[text.index("—") :])


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (
            'Mira looked up. "Where is the key of the crypt?" Tom shrugged. "I threw it into the sea."',
            r'^"I threw',
        ),
        (
            "The player said: \"Tom told me: 'I killed the duke. I hid the knife in Senn.' He did.\" "
            'I answered: "So do I."',
            r'said: "(\.\.\. )?I (killed|hid)|^I hid',
        ),
        (
            'Gregor said: "I am ill. I was at the healer of Senn." Then I went home and slept until noon.',
            r"^I was",
        ),
        (
            "Mira: I lost my ring at the ford of Senn last night.\nI hid it under the bench of the old mill.",
            r"^I hid",
        ),
        ("Gregor dijo: Voy a matar al duque Alonso. Tengo un cuchillo de Toledo escondido aquí.", r"^Tengo"),
        ('"I am lost. I come from Harrow and have no money," said the girl, who wept and wept.', r"^[^s]*$"),
    ],
)
@pytest.mark.parametrize("length", [40, 60, 80])
def test_words_never_stand_without_who_said_them(text: str, wrong: str, length: int) -> None:
    assert not re.search(wrong, short_form(text, length, length))


def test_a_long_quote_does_not_cost_the_words_that_are_asked_for() -> None:
    small_talk = "We came over the pass in the rain, and the mules would not go on. " * 9
    text = f'The player said: "{small_talk}The key to the crypt is at Harrow." I answered: "I see."'
    short = short_form(text, 80, 100)
    assert 'I answered: "I see."' in short and "crypt is at Harrow" in short


def test_an_answer_and_what_it_answers_are_one_passage() -> None:
    first, second = ('The player said: "Is it you?" I answered: "It is. Come in."', "The wind blew.")
    assert passages_of(f"{first} {second} {first}") == [first, second, first]
    german = Speech(("Ich antwortete:",), ("Ich antwortete:",))
    exchange = "Der Spieler sagte: „Bist du es?“ Ich antwortete: „Ja. Komm herein.“"
    assert passages_of(exchange, german) == [exchange]


@pytest.mark.parametrize(
    "text", ['"' * 3000, "'a " * 1000, "\"a 'b " * 700, "„“" * 1500, "a: " * 1000, "— " * 1500]
)
def test_no_pile_of_marks_takes_long(text: str) -> None:
    short_form(text, 80, 100)
