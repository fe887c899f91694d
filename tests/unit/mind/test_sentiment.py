"""Sentiment of labelled lines of game characters, and words that the lexicon must have."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_memory.config.mind_config import NPCMindConfig, SentimentMode
from rag_memory.mind.sentiment import sentiment_of
from rag_memory_build.paths import ROOT

sys.path.append(str(ROOT / "bench"))

from measurement.confusion import Confusion
from measurement.sentiment_lines import FRESH, HELD_OUT, LABELS, TUNING, label_of, read_lines

PIECES = (
    "you",
    "hate",
    "love",
    "not",
    "never",
    "no",
    "!",
    "?",
    ".",
    "\n",
    "but",
    "kind",
    "of",
    "$:)",
    "or die",
)


def felt(content: str, action: str = "", **settings: object) -> int:
    return round(sentiment_of(NPCMindConfig(**settings).validated(), content, action))  # type: ignore[arg-type]


def confusion(part: str, mode: SentimentMode) -> Confusion:
    return Confusion(read_lines(part), lambda text: label_of(felt(text, sentiment_mode=mode)))


@pytest.mark.parametrize(
    ("part", "right", "opposite"), [(HELD_OUT, 0.75, 0.05), (FRESH, 0.56, 0.09)], ids=["held out", "fresh"]
)
def test_the_lexicon_understands_what_was_meant_far_better_than_the_rules(
    part: str, right: float, opposite: float
) -> None:
    lexicon, rules = (confusion(part, mode) for mode in (SentimentMode.LEXICON, SentimentMode.RULES))
    assert lexicon.right >= right, lexicon.table()
    assert lexicon.opposite <= opposite, lexicon.table()
    assert lexicon.right >= rules.right + 0.2, rules.table()


def test_there_are_lines_of_every_kind_and_none_twice() -> None:
    parts = [read_lines(part) for part in (TUNING, HELD_OUT, FRESH)]
    lines = [line for part in parts for line in part]
    assert len(parts[0]) + len(parts[1]) >= 400
    assert len({line.text for line in lines}) == len(lines)
    assert {line.label for line in lines} == set(LABELS)
    assert {line.setting for line in lines} == {"fantasy", "modern", "sci-fi", "horror", "romance", "farm"}


@pytest.mark.parametrize(
    "line",
    [
        *("Good morning.", "Hello there!", "Good evening, sir.", "How are you?", "Where do you live?"),
        *(
            "Do you love me?",
            "He hates me.",
            "She is an idiot.",
            "I love apples.",
            "The wolf killed two sheep.",
        ),
        *(
            "",
            " ",
            "...",
            "?!",
            "7",
            "I would like a loaf of bread, please.",
            "They say that the king is a liar.",
        ),
    ],
)
def test_greetings_questions_and_gossip_are_neutral(line: str) -> None:
    assert felt(line) == 0


@pytest.mark.parametrize(
    "line",
    [
        *("I will burn your house down.", "Give me your gold or die.", "I'll kill you!", "You coward!"),
        *(
            "You are a liar.",
            "Traitor!",
            "You are no friend of mine.",
            "You’re not my friend.",
            "“Oathbreaker!”",
        ),
        *("You are not welcome here.", "Nobody likes you.", "Are you stupid?", "I do not love you."),
        *("I HATE YOU", "you're useless", "You're dead!", "You call me a liar, coward?"),
        "Mira says you are a filthy liar and I agree",
        "I poisoned you, old hag",
    ],
)
def test_threats_insults_and_denied_kindness_are_hostile(line: str) -> None:
    assert -15 <= felt(line) < 0


@pytest.mark.parametrize(
    "line",
    [
        *("Thank you.", "Many thanks!", "You fought bravely.", "Well done!", "I love you.", "I am so sorry."),
        *(
            "Blessings on your house, m'lady.",
            "You are not a coward.",
            "You did nothing wrong.",
            "Splendid work!",
        ),
    ],
)
def test_thanks_praise_and_denied_harm_are_friendly(line: str) -> None:
    assert 0 < felt(line) <= 15


@pytest.mark.parametrize(
    ("sign", "lines"),
    [
        (1, ("Thank you for the bread.", "We thank the smith for his work.", "Many thanks, old man!")),
        (1, ("I love this village.", "We love the harvest here.", "Much love to you.", "I love it!")),
        (1, ("You are my friend.", "My friend, come in.", "I come as a friend.", "Well met, friend.")),
        (-1, ("You idiot!", "An idiot did this.", "Only an idiot would pay that.", "Idiot.")),
        (-1, ("That was stupid.", "What a stupid idea!", "This is stupid, Mira.", "You are stupid.")),
        (-1, ("I hate you.", "I hate this place.", "We hate it here.", "I hate it.", "Hate!")),
        (-1, ("You are my enemy.", "We have an enemy in common.", "Enemy!", "Your enemy is here.")),
        (0, ("I hate him, he lives here.", "They hate this place.", "Does he love it here?", "I love rain.")),
    ],
)
def test_the_words_of_the_document_have_its_sign(sign: int, lines: tuple[str, ...]) -> None:
    felt_signs = {line: (felt(line, "spoke") > 0) - (felt(line, "spoke") < 0) for line in lines}
    assert felt_signs == dict.fromkeys(lines, sign)
    assert [felt("", action) for action in ("attacked", "gifted", "helped")] == [-30, 20, 15]


def test_what_is_stronger_counts_more() -> None:
    assert felt("You are a very bad smith.") < felt("You are a bad smith.") < 0
    assert felt("Thank you so very much!!!") > felt("Thank you.") > 0
    assert felt("You stupid, filthy, greedy liar and traitor!") == -15
    assert 0 < felt("I do not hate you.") < felt("I love you.")


def test_words_and_phrases_of_the_game_count_and_are_negated() -> None:
    words = {"Frak": -7.0, "moon child": 9.0, "child of the new moon": -12.0, "Scheiße": -6.0, "": 5.0}
    assert felt("You frak!", sentiment_words=words) == pytest.approx(-7, abs=2)
    assert felt("You are a Moon  Child.", sentiment_words=words) == 9
    assert felt("You are not a moon child.", sentiment_words=words) == round(-0.74 * 9)
    assert felt("You are a child of the new moon.", sentiment_words=words) == -12, "the longer phrase"
    assert felt("Child of the moon.", sentiment_words=words) == 0
    assert felt("SCHEISSE", sentiment_words=words) == felt("„Scheiße“", sentiment_words=words) == -6
    assert felt("A waterfrakking mill.", sentiment_words=words) == 0, "a part of a word is none"
    assert felt("You coward", sentiment_words={"coward": 10.0}) == 10, "the game's word holds"
    assert felt("You frak", sentiment_words={"frak": -100.0}) == -15
    rules = SentimentMode.RULES
    assert felt("A waterfrakking mill.", sentiment_words=words, sentiment_mode=rules) == -7
    assert felt("Nothing.", sentiment_words=words, sentiment_mode=rules) == 0


def test_an_action_without_words_is_weighed_by_its_name() -> None:
    for action in ("insulted", "robbed", "stole_from", "betrayed", "Threatened", "lied to"):
        assert felt("", action) < 0 and felt("Good morning.", action) < 0
    for action in ("praised", "rescued", "thanked", "comforted"):
        assert felt("", action) > 0
    for action in (
        "spoke",
        "talked",
        "asked",
        "traded",
        "sold",
        "greeted",
        "waved",
        "entered",
        "left",
        "x" * 9999,
    ):
        assert felt("", action) == 0
    assert felt("You are a brave woman.", "insulted") > 0, "the words decide"
    assert felt("I love you.", "attacked") == -30, "a known action decides first"
    assert felt("", "insulted", sentiment_mode=SentimentMode.RULES) == 0
    assert felt("", "frakked", sentiment_words={"frakked": -5.0}) == -5


def test_of_a_very_long_text_the_beginning_counts() -> None:
    assert felt("You are a liar. " + "x " * 5_000_000) == felt("You are a liar.")
    assert felt("x " * 5000 + "You are a liar.") == 0
    assert felt("I hate you and I hate you " * 1000) == -15


@settings(deadline=None)
@given(st.text() | st.lists(st.sampled_from(PIECES)).map(" ".join))
def test_whatever_is_said_is_a_whole_number_in_range(content: str) -> None:
    assert -15 <= felt(content, "whatever") <= 15


def test_the_lexicon_is_not_loaded_before_words_are_weighed() -> None:
    code = (
        "import sys; from rag_memory.godot import bridge; from rag_memory.config.mind_config import *;"
        "from rag_memory.mind.sentiment import sentiment_of;"
        "sentiment_of(NPCMindConfig(sentiment_mode=SentimentMode.RULES), 'I hate you', 'spoke');"
        "sentiment_of(NPCMindConfig(), 'I hate you', 'attacked'); assert 'vaderSentiment' not in sys.modules;"
        "sentiment_of(NPCMindConfig(), 'I hate you', 'spoke'); assert 'vaderSentiment' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_numbers_say_nothing() -> None:
    config = NPCMindConfig()
    assert {sentiment_of(config, f"I have {number} sacks.", "") for number in range(200)} == {0}


@pytest.mark.parametrize(
    "line",
    [
        "Wer hat die Mühle niedergebrannt?",
        "Die Wölfe kommen!",
        "Kannst du die Axt schärfen?",
        "¿Me gusta la casa sin pan, y a ti?",
    ],
)
def test_words_of_another_language_are_no_english_words(line: str) -> None:
    assert felt(line) == 0
    assert felt(f"{line} Du Dummkopf.", sentiment_words={"dummkopf": -7.0}) == -7


@pytest.mark.parametrize("line", ["Die, you dog!", "Die! I hate you.", "You will die, Bjorn."])
def test_whom_the_player_wants_dead_hears_a_threat(line: str) -> None:
    assert felt(line) < 0
