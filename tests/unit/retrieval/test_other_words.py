"""The numbers by which knows() decides in languages whose sentences are not parsed."""

from __future__ import annotations

import pytest

from rag_memory.retrieval.evidence import Account
from rag_memory.retrieval.other_words import NUMBERS, evidence, is_restated
from rag_memory.text.languages.condition_words import condition_words

OTHERS = ("Die Katze schläft im Heu.", "Der Wirt hat zwei Söhne.")


def numbers(memory: str, condition: str, similarity: float = 0.6, event_type: str = "") -> dict[str, float]:
    """The numbers of the memory that is meant, beside two others."""
    table = condition_words(f"{condition} {memory}")
    assert table is not None
    memories = [
        Account(memory, similarity, event_type, 0.0, False, frozenset()),
        *(Account(text, 0.1, "", 0.0, False, frozenset()) for text in OTHERS),
    ]
    row = evidence(condition, memories, table, ["Falk", "Тимофей", "柳青", "蓮", "도윤"])[0]
    return dict(zip(NUMBERS, row, strict=True))


@pytest.mark.parametrize(
    ("memory", "same_side", "other_side"),
    [
        (
            "Falk schenkte mir gestern ein Wolltuch.",
            "der Spieler gab mir gestern ein Wolltuch",
            "ich habe dem Spieler ein Wolltuch geschenkt",
        ),
        (
            "Тимофей подарил мне платок с ярмарки.",
            "игрок принёс мне платок",
            "я подарила Тимофею платок",
        ),
        ("柳青送了我一罐今年的龙井。", "玩家给了我一罐龙井", "我送给玩家一罐龙井"),
        (
            "도윤이 나에게 비녀를 주었다.",
            "플레이어가 나에게 비녀를 주었다",
            "나는 플레이어에게 비녀를 팔았다",
        ),
    ],
)
def test_who_acts_is_read(memory: str, same_side: str, other_side: str) -> None:
    assert not numbers(memory, same_side)["roles_reversed"]
    assert numbers(memory, other_side)["roles_reversed"]


def test_who_buys_from_the_npc_is_whom_it_sold_to() -> None:
    memory = "Ich habe Falk einen alten Karren verkauft."
    assert not numbers(memory, "der Spieler hat mir einen Karren abgekauft")["roles_reversed"]


def test_the_player_is_the_same_by_name_and_without() -> None:
    row = numbers("Der Spieler hat mir das Leben gerettet.", "Falk hat mir das Leben gerettet")
    assert row["words_found"] == pytest.approx(1.0)
    assert row["order_reversed"] == 0.0


def test_a_word_of_the_event_type_counts_as_found() -> None:
    condition = "der Spieler hat sich bei mir entschuldigt"
    memory = "Falk kam am Sonntag mit gesenktem Kopf."
    assert numbers(memory, condition)["words_found"] == 0.0
    assert numbers(memory, condition, event_type="apology")["words_found"] == pytest.approx(1.0)


def test_one_other_word_and_a_word_of_another_memory_speak_against() -> None:
    memory = "Falk hat mir das Dach der Scheune geflickt."
    assert numbers(memory, "Falk hat mir das Dach der Scheune geflickt")["one_word_differs"] == 0.0
    assert numbers(memory, "Falk hat mir das Tor der Scheune geflickt")["one_word_differs"] > 0.2
    assert numbers(memory, "der Wirt hat mir das Dach geflickt")["words_elsewhere"] > 0.0


def test_what_has_the_words_is_restated_unless_it_is_denied_or_turned_round() -> None:
    memory = "Falk hat Lorenz im Wald bestohlen."

    def restated(condition: str, similarity: float = 0.6) -> bool:
        return is_restated(list(numbers(memory, condition, similarity).values()))

    assert restated("der Spieler hat Lorenz bestohlen")
    assert not restated("der Spieler hat Lorenz nicht bestohlen")
    assert not restated("Lorenz hat Falk bestohlen")
    assert not restated("der Spieler hat Lorenz geschlagen")
    assert not restated("der Spieler hat Lorenz bestohlen", similarity=0.3)


def test_a_language_without_a_table_is_not_read() -> None:
    assert condition_words("de speler heeft mijn leven gered") is None
    assert condition_words("the player saved my life") is None
