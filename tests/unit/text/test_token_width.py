"""The tokens of a text, estimated by its script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_memory.prompt.item import Item, ShownTexts
from rag_memory.prompt.section import Section
from rag_memory.prompt.text_section import TextSection
from rag_memory.retrieval.selection import estimate_tokens
from rag_memory.text.token_width import WIDTH_PER_TOKEN, length_within, token_width

TEXTS = st.text(alphabet="ab .é—Яжαש狼は約한🐺\n", max_size=60)


@pytest.mark.parametrize("text", ["The wolf ate three sheep.", "Der König trägt Grün.", "“Why?” — she left…"])
def test_three_latin_characters_are_a_token(text: str) -> None:
    assert estimate_tokens(text) == -(-len(text) // 3)


@pytest.mark.parametrize("text", ["狼咬死了三只羊。", "狼が羊を殺した。", "늑대가양을죽였다"])
def test_each_ideograph_is_a_token(text: str) -> None:
    assert estimate_tokens(text) == len(text)


@pytest.mark.parametrize("word", ["Волки", "λύκος", "الذئاب"])
def test_other_letters_are_between_the_two(word: str) -> None:
    assert len(word) / 3 < estimate_tokens(word) < len(word)


@given(TEXTS, st.integers(0, 200))
def test_the_beginning_within_a_width_is_the_longest(text: str, width: int) -> None:
    length = length_within(text, width)
    assert token_width(text[:length]) <= width
    assert length == len(text) or token_width(text[: length + 1]) > width


@given(st.lists(TEXTS, max_size=5), st.integers(0, 60))
def test_a_section_of_any_script_is_within_its_budget(lines: list[str], budget: int) -> None:
    section = TextSection("狼", budget)
    for line in lines:
        section.add_beginning(line)
        section.add_shortened(line, "”")
    section.add_newest(lines, "")
    assert estimate_tokens(section.text) <= section.tokens <= budget
    items = [Item(str(number), f"{line}.", score=1.0) for number, line in enumerate(lines)]
    dossier = Section("lore", "狼", items, 8)
    dossier.fill(budget, ShownTexts())
    assert dossier.tokens <= budget


def test_a_long_line_is_cut_where_its_script_is_full() -> None:
    section = TextSection("t", 40)
    section.add_shortened("狼" * 100)
    assert 20 < section.lines[0].count("狼") < 40
    assert section.tokens <= 40
    assert WIDTH_PER_TOKEN * section.tokens >= token_width(section.text)
