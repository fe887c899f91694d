"""Questions of any length: only the part that the model reads is used, by all calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from tests.unit.conftest import NOW

from rag_memory import Npc, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.godot import classes
from rag_memory.vectors import FloatMatrix

ASKED = "Who mended the roof of the mill, dear Mira? "
BOOK = "Zephyrine asked Gregor about the harbour. "
FIVE_MILLION = 5_000_000 // len(BOOK)
CHARS_READ = 400
MEMORY = {"document_full": "Zephyrine came.", "metadata": {"importance": 5}}


class Reader(HashingEmbedder):
    """Looks at 400 characters, and notes what it was given to read."""

    max_chars = CHARS_READ

    def __init__(self) -> None:
        super().__init__(64)
        self.read: list[str] = []

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        self.read += texts
        return super().embed(texts)


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.fixture
def village(reader: Reader) -> Iterator[Npc]:
    with open_save(":memory:", embedder=reader, clock=lambda: NOW) as save:
        npc = save.npc("mira")
        npc.memories.store("Gregor mended the roof of the mill.", 5, {"participants": ["Gregor"]})
        npc.memories.store("Zephyrine came to the harbour.", 5, {"speaker": "Zephyrine"})
        npc.memories.store("Zephyrine told nobody about it.", 5)
        reader.read.clear()
        yield npc


ASKING = (
    *("retrieve_scored", "retrieve_tiered", "retrieve_relevant", "retrieve_relevant_raw"),
    *("explain", "calculate_memory_score"),
)
"""The calls of a game that are given a question as `context`."""


def ask(npc: Npc, call: str, question: str) -> Any:
    given = {"memory": MEMORY} if call == "calculate_memory_score" else {}
    return getattr(npc.recall, call)(context=question, **given)


def test_every_call_that_is_asked_is_tried() -> None:
    declared = {
        method.name
        for game_class in classes.declared_classes()
        if game_class.name == "RAGMemory"
        for method in game_class.methods
        if any(argument.name == "context" and argument.type is str for argument in method.arguments)
    }
    assert declared == set(ASKING)


@pytest.mark.parametrize("call", ASKING)
def test_a_book_is_the_question_that_it_begins_with(village: Npc, reader: Reader, call: str) -> None:
    book = ASKED + "so " * CHARS_READ + BOOK * FIVE_MILLION
    assert ask(village, call, book) == ask(village, call, book[:CHARS_READ])
    assert max(map(len, reader.read)) <= CHARS_READ
    assert not any("Zephyrine" in text for text in reader.read if text != MEMORY["document_full"])


ODD = {
    "one word": "a" * 2_000_000,
    "capitals": "A" * 2_000_000,
    "spaces": " " * 2_000_000,
    "lines": "\n" * 2_000_000,
    "dots": "." * 2_000_000,
    "Han": "水" * 2_000_000,
    "emoji": "😀" * 2_000_000,
    "accents": "a" + "\u0301\u0327" * 1_000_000,
    "ligatures": "ﷺ" * 2_000_000,
}


@pytest.mark.parametrize("name", ODD)
def test_odd_books_are_answered(village: Npc, name: str) -> None:
    assert len(village.recall.retrieve_relevant_raw(ODD[name])) == 3
    assert village.tools.browse({"similar_to": ODD[name]})["rows"]
    assert village.tools.browse({"text": ODD[name]})["total"] <= 3


def test_spaces_before_a_question_are_not_what_is_read(village: Npc) -> None:
    told = village.recall.explain(" " * 1_000_000 + ASKED)
    assert told["context"] == ASKED
    assert "roof" in told["keywords"]


def test_a_list_by_similarity_is_of_what_the_model_reads(village: Npc, reader: Reader) -> None:
    book = ASKED + "so " * CHARS_READ + BOOK * FIVE_MILLION
    by_book, by_question = (village.tools.browse({"similar_to": text}) for text in (book, book[:CHARS_READ]))
    assert by_book == by_question and by_book["total"] == 3
    assert max(map(len, reader.read)) <= CHARS_READ


def test_a_list_by_words_looks_for_64_different_ones(village: Npc) -> None:
    assert village.tools.browse({"text": "harbour " * 20_000})["total"] == 1
    known = " ".join(["harbour", *(f"harbour{'.' * dots}" for dots in range(1, 11))])
    assert village.tools.browse({"text": f"{known} zephyr"})["total"] == 1
    assert village.tools.browse({"text": f"{known} unheard"})["total"] == 0
