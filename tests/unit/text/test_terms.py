"""Words of any script as terms of the keyword index, found again by other forms of them."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_memory import Npc
from rag_memory.text.terms import question_terms, stem, terms, words

SUFFIXES = (
    "",
    "s",
    "ed",
    "ing",
    "ation",
    "ational",
    "iveness",
    "fulness",
    "ness",
    "ment",
    "ies",
    "able",
    "ly",
)
ENGLISH = st.builds(
    "".join,
    st.tuples(st.text("abcdehilnorstu", min_size=1, max_size=8), st.sampled_from(SUFFIXES)),
)


@given(st.lists(ENGLISH, max_size=50))
def test_stems_are_those_of_fts5(found: list[str]) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE stems USING fts5 (word, tokenize = 'porter ascii')")
    connection.execute("CREATE VIRTUAL TABLE vocabulary USING fts5vocab (stems, 'instance')")
    connection.executemany("INSERT INTO stems (rowid, word) VALUES (?, ?)", list(enumerate(found)))
    rows = connection.execute("SELECT doc, term FROM vocabulary ORDER BY doc").fetchall()
    connection.close()
    assert [term for _, term in rows] == [stem(word) for word in found]


@given(st.text())
def test_a_text_finds_itself(text: str) -> None:
    found = terms(text)
    assert set(question_terms(text)) <= set(found)
    assert len(found) == len(set(found))
    assert all(term and not any(character.isspace() for character in term) for term in found)
    assert words(text.upper()) == words(text.lower()) or not text.isascii()


LANGUAGES = {
    "Latin": ("Zoë burned Müller's mills.", "Why was the Muller mill burning?", "It rained all day."),
    "Cyrillic": (
        "Мирослава сожгла старую мельницу.",
        "Кто сжёг мельницы? Мирославу видели?",
        "Весь день шёл дождь.",
    ),
    "Greek": ("Η Ελένη έκαψε τον παλιό μύλο.", "Ποιος έκαψε τον ΜΥΛΟ;", "Έβρεχε όλη μέρα."),
    "Han and Kana": (
        "田中さんは古い水車小屋を燃やした。",
        "水車小屋を燃やしたのは誰",
        "一日中雨が降っていた。",
    ),
    "Hangul": ("김철수가 낡은 방앗간을 태웠다.", "방앗간은 누가 태웠나요", "하루 종일 비가 내렸다."),
    "Arabic": ("أحرقت ليلى الطاحونة القديمة.", "من أحرق طاحونة القرية", "هطل المطر طوال اليوم."),
    "Devanagari": ("मीरा ने पुरानी चक्की जला दी।", "चक्की किसने जलाई", "दिन भर बारिश हुई।"),
    "Thai": ("มีราเผาโรงสีเก่า", "ใครเผาโรงสี", "ฝนตกทั้งวัน"),
    "Hebrew": ("מרים שרפה את הטחנה הישנה.", "מי שרף את הטחנה", "ירד גשם כל היום."),
}


@pytest.mark.parametrize("script", LANGUAGES)
def test_keywords_of_every_script_are_found(npc: Npc, script: str) -> None:
    memory, question, other = LANGUAGES[script]
    npc.memories.store(memory, 5, {"timestamp": 0.0})
    npc.memories.store(other, 5, {"timestamp": 1e6})
    for text in LANGUAGES:
        if text != script:
            npc.memories.store(LANGUAGES[text][2])
    best = npc.recall.retrieve_relevant_raw(question)[0]
    assert best["document"] == memory
    assert best["breakdown"]["keyword_channel"] > 0.1


@pytest.mark.parametrize(
    ("memory", "question"),
    [
        ("меч", "мечи"),
        ("мост", "мосту"),
        ("Ян", "Яне"),
        ("кольцо", "кольцом"),
        ("سيف", "السيوف"),
        ("ذئب", "ذئاب"),
        ("شريط", "شرائط"),
        ("السقف", "سقفك"),
        ("وردة", "ورود"),
        ("أليكسي", "بأليكسي"),
        ("مدرسة", "المدرسه"),
        ("كِتَاب", "كتـــاب"),
    ],
)
def test_short_words_are_found_by_their_other_forms(memory: str, question: str) -> None:
    assert set(terms(question)) & set(terms(memory))


@pytest.mark.parametrize(("one", "other"), [("мост", "меч"), ("سيف", "سقف"), ("وزير", "زير")])
def test_different_short_words_stay_apart(one: str, other: str) -> None:
    assert not set(terms(one)) & set(terms(other))


def test_vowel_signs_stay_and_accents_go() -> None:
    assert words("Élan vital, ÉLAN!") == ["elan", "vital", "elan"]
    assert words("हिन्दी में") == ["हिन्दी", "में"]
    assert words("straße STRASSE") == ["strasse", "strasse"]
    assert words("") == words(" .,;") == []
