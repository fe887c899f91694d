"""The rules of extraction: sentences that they match, and sentences that they ignore."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.conversation import labelled

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.conversation.extraction import MOST_FINDINGS, findings_in
from rag_memory.memory.event_templates import CLAIM

DOCS = Path(__file__).resolve().parents[3] / "docs" / "world.md"


def texts(player: str, npc: str = "") -> list[str]:
    return [fact["text"] for fact in findings_in(MemoryConfig(), player, npc)]


@pytest.mark.parametrize("name", ["conversations_tuned", "conversations_more"])
def test_the_rules_find_what_they_were_made_for(name: str) -> None:
    measured = labelled.measured(labelled.exchanges(name))
    print(labelled.table(measured))
    assert measured["all"].precision >= 0.95
    assert measured["all"].recall >= 0.85
    for category in labelled.CATEGORIES:
        assert measured[category].precision >= 0.85, measured[category].wrong


def test_the_documents_say_how_well_lines_are_read_for_which_no_rule_was_made() -> None:
    """`build.py python tests/unit/conversation/labelled.py conversations_held_out` prints all figures."""
    of = labelled.exchanges("conversations_held_out")
    assert len(of) >= 80
    every = labelled.measured(of)["all"]
    words = f"a precision of {every.precision:.2f} and a recall of {every.recall:.2f}"
    assert words in " ".join(DOCS.read_text(encoding="utf-8").split())


def test_there_are_as_many_kinds_of_conversations_as_promised() -> None:
    every = [
        each
        for name in ("conversations_tuned", "conversations_more", "conversations_held_out")
        for each in labelled.exchanges(name)
    ]
    assert len(every) >= 240
    assert len(every) / 4 <= sum(not each.facts for each in every) <= len(every) / 2
    assert {fact.category for each in every for fact in each.facts} == set(labelled.CATEGORIES)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (
            "I promise I'll bring you my sword.",
            """The player promised me: "I promise I'll bring you my sword.\"""",
        ),
        (
            "If you are in danger, I swear to help you!",
            'The player promised me: "If you are in danger, I swear to help you!"',
        ),
        ("Here, take these apples.", 'The player gave me a gift: "Here, take these apples."'),
        (
            "Look, I owe you 50 gold, but I have \u201cnothing\u201d.",
            'The player told me: "Look, I owe you 50 gold, but I have \u201cnothing\u201d."',
        ),
        (
            "We\u2019re heading to our camp tomorrow.",
            'The player told me: "We\u2019re heading to our camp tomorrow."',
        ),
        ("My name is xX_Dragon_Xx.", "The player told me their name: xX_Dragon_Xx."),
    ],
)
def test_a_fact_is_told_in_the_words_in_which_it_was_said(said: str, text: str) -> None:
    assert texts(said) == [text]


def test_the_npc_quotes_itself_as_well() -> None:
    assert texts("", "I promise to fix your roof for you and my sister.") == [
        'I promised the player: "I promise to fix your roof for you and my sister."'
    ]


def test_the_frame_of_a_fact_is_in_the_words_of_the_game() -> None:
    config = MemoryConfig(wording={"fact_promise": "The stranger swore: {message}"})
    (fact,) = findings_in(config, "I promise to fix the roof.", "")
    assert fact["text"] == "The stranger swore: I promise to fix the roof."


def test_a_fact_is_data() -> None:
    (finding,) = findings_in(MemoryConfig(), "I owe you fifty gold for the sword until Friday.", "So you do.")
    assert finding["fact"] == {
        "kind": "debt",
        "by": "player",
        "to": "npc",
        "about": "fifty gold for the sword until Friday",
        "amount": 50,
        "unit": "gold",
        "due": "until friday",
        "quote": "I owe you fifty gold for the sword until Friday.",
        "turn": "",
        "settles": [],
    }
    assert finding["event_type"] == "debt"


def test_a_name_goes_into_its_slot() -> None:
    (fact,) = findings_in(MemoryConfig(), "My name is Theron.", "")
    assert fact["entities"] == ["Theron"]
    assert (fact["event_type"], fact["info_type"], fact["slot_type"]) == (
        "player_info",
        "player_name",
        "player_name",
    )


@pytest.mark.parametrize(
    "text",
    [
        "Ik heet Theron en beloof je het dak te repareren.",
        "Ti prometto di riparare il tetto.",
        "지붕을 고치겠다고 약속할게요.",
        "",
        "   \n\n  ",
        "?!?!?!",
    ],
)
def test_other_languages_and_nothing_are_no_facts(text: str) -> None:
    assert texts(text, text) == []


_WORDS = st.sampled_from(
    [
        "I",
        "you",
        "promise",
        "swear",
        "to",
        "not",
        "if",
        "my",
        "name",
        "is",
        "Theron",
        "take",
        "this",
        "owe",
        "gold",
        "for",
        ",",
        ".",
        "?",
        "!",
        '"',
        "*",
        "here",
        "the",
        "well",
        "in",
        "at",
        "tomorrow",
        "will",
        "won't",
        "going",
        "head",
        "and",
        "but",
        "give",
        "have",
        "word",
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(max_size=300), st.lists(_WORDS, max_size=60).map(" ".join)), st.text(max_size=50))
def test_any_text_makes_a_few_whole_sentences(player: str, npc: str) -> None:
    facts = findings_in(MemoryConfig(), player, npc)
    assert len(facts) <= MOST_FINDINGS
    for fact in facts:
        assert fact["text"][-1] in '.!?"'
        assert "\n" not in fact["text"]
        assert len(fact["text"]) < 600
        assert fact["category"] in (*labelled.CATEGORIES, CLAIM)
    assert findings_in(MemoryConfig(), player, npc) == facts


@pytest.mark.parametrize(
    "part",
    [
        "I promise ",
        "take this ",
        '"',
        "*",
        "here is a ",
        "I'll bring you ",
        "a",
        "a ",
        "if ",
        "' ",
        ". ",
        ", and I ",
    ],
)
def test_a_pasted_book_is_read_as_far_as_anybody_would(part: str) -> None:
    assert len(texts(part * (5_000_000 // len(part)))) <= MOST_FINDINGS
