"""Sentiment by a lexicon: VADER weighs the words of a sentence with their negations and intensities. Here is
decided which sentences are meant for the one who hears them: "I hate you" is, "He hates her" is not.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections import ChainMap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from vaderSentiment import vaderSentiment

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.mind import game_words
from rag_memory.text.language import looks_english
from rag_memory.text.languages.tables import recall_words

STRONGEST = 15.0
_POINTS = 4.0
"""Points of sentiment for one of valence. VADER's words reach 4, so that one word can reach the strongest."""

_LONGEST = 4000
_LONGEST_SENTENCE_WORDS = 50
"""VADER looks at all words of a sentence for each of them."""

_SENTENCE_END = lazy_pattern(r"""(?<=[.!?])["')*]*\s+|\n+""")
_MY_FRIEND = lazy_pattern(r"^(?:my )?friends?[,!]|, (?:my )?friends?\b", re.IGNORECASE)
_GERMAN_ARTICLE = lazy_pattern(r"\b[Dd]ie [A-ZÄÖÜ][a-zäöüß]")
_AROUND_A_WORD = '.,!?;:"()[]*'
_PLAIN = str.maketrans(dict.fromkeys("“”„«»", '"') | dict.fromkeys("—–", " ") | {"’": "'", "…": "... "})
_LARGEST_COMPOUND = 0.99


def sentiment_by_words(content: str, words: Mapping[str, float]) -> float:
    """Return the sentiment of words for their listener: -15 to 15, 0 for neutral.

    Args:
        content: of a very long text the first 4,000 characters count. In another language than English only
            the game's own words do.
        words: words and phrases of the game, in lower case, and their sentiments.
    """
    content = content[:_LONGEST]
    lexicon = _lexicon(tuple(words.items()), not _is_foreign(content))
    return _points(sum(map(lexicon.heard, _sentences(content))))


def sentiment_by_name(action: str, words: Mapping[str, float]) -> float:
    """Return the sentiment of an action for its victim or receiver, such as "stole_from": -15 to 15."""
    name = " ".join(re.split(r"[\W_]+", action[:_LONGEST_SENTENCE_WORDS]))
    return _points(_lexicon(tuple(words.items())).meant(name.split()))


def _is_foreign(content: str) -> bool:
    """Return True for another language: "die" is an article in German, and "pan" is bread in Spanish."""
    is_german = _GERMAN_ARTICLE.search(content) is not None and not looks_english([content])
    return is_german or recall_words(content) is not None


class _Lexicon:
    """VADER with the words and phrases of games, and of one game."""

    def __init__(self, own: Mapping[str, float], english: dict[str, float]) -> None:
        self._valences = ChainMap({word.replace(" ", "_"): value for word, value in own.items()}, english)
        self._phrases: dict[str, list[list[str]]] = {}
        for phrase in sorted((word.split() for word in own if " " in word), key=len, reverse=True):
            self._phrases.setdefault(phrase[0], []).append(phrase)
        # Its constructor would read its word list once more, and one of emojis that is not shipped.
        self._vader: Any = vaderSentiment.SentimentIntensityAnalyzer.__new__(
            vaderSentiment.SentimentIntensityAnalyzer
        )
        self._vader.lexicon = self._valences
        self._vader.emojis = {}

    def heard(self, sentence: str) -> float:
        """The valence of a sentence for the one who hears it: 0 when it is about something else."""
        words = self._joined(sentence.split())
        bare = [_bare(word) for word in words]
        parts = {part for word in bare for part in word.split("_")}
        is_to_the_listener = not parts.isdisjoint(game_words.SPOKEN_TO)
        first = next((word for word in bare if word not in game_words.OPENERS), "")
        if first in game_words.HEARSAY:
            return 0.0
        if "?" in words[-1] and first.partition("_")[0] in game_words.QUESTIONS:
            is_insult = is_to_the_listener and not game_words.INSULTS.isdisjoint(bare)
            return min(0.0, self.meant(words)) if is_insult else 0.0
        if _is_passed_on(bare) or _is_confessed(bare) or (not is_to_the_listener and _is_of_others(bare)):
            return 0.0
        is_told = first.partition("_")[0] in game_words.TELLING or not parts.isdisjoint(game_words.OTHERS)
        is_said = is_to_the_listener or not game_words.SAID_TO_SOMEBODY.isdisjoint(bare)
        is_here = parts.isdisjoint(game_words.ABSENT) and not (
            parts.isdisjoint(game_words.STRONG) or parts.isdisjoint(game_words.AROUND)
        )
        is_heard = is_said or is_here or bool(_MY_FRIEND.search(sentence))
        return 0.0 if is_told and not is_heard else self.meant(words)

    def meant(self, words: list[str]) -> float:
        """The valence of words, whomever they are meant for."""
        valences = [self._valences.get(_bare(word), 0.0) for word in words]
        if not any(valences):
            return 0.0
        compound = float(self._vader.polarity_scores(" ".join(words))["compound"])
        compound = max(-_LARGEST_COMPOUND, min(_LARGEST_COMPOUND, compound))
        valence = compound * math.sqrt(15.0 / (1.0 - compound * compound))  # undoes VADER's normalize()
        # "I do not hate you" is no declaration of love.
        return valence / 2 if valence > 0 and max(valences) <= 0 else valence

    def _joined(self, words: list[str]) -> list[str]:
        """The words, phrases as one of them."""
        bare = [_bare(word) for word in words]
        joined: list[str] = []
        at = 0
        while at < len(words):
            phrase = next(
                (words for words in self._phrases.get(bare[at], ()) if bare[at : at + len(words)] == words),
                None,
            )
            # VADER looks for the capitals of English words, and folds no others.
            word = words[at] if words[at].isascii() else bare[at]
            if phrase:
                at += len(phrase)
                end = words[at - 1]
                joined.append("_".join(phrase) + end[len(end.rstrip(_AROUND_A_WORD)) :])
            else:
                joined.append(game_words.NEGATIONS.get(bare[at], word))
                at += 1
        return joined


def _is_passed_on(bare: list[str]) -> bool:
    """Return True if a sentence begins with what somebody else said, or the player heard, and not as the
    player's own view.
    """
    if ("i", "agree") in itertools.pairwise(bare):
        return False
    verb = next((at for at, word in enumerate(bare[:5]) if word in game_words.REPORTING), 0)
    before = bare[:verb]
    is_players = bool(verb) and not {"i", "we"}.isdisjoint(before) and bare[verb] != "heard"
    return bool(verb) and not is_players and game_words.SPOKEN_TO.isdisjoint(before)


def _is_confessed(bare: list[str]) -> bool:
    """Return True if a sentence begins with what the player has done, and not to the listener: news, and no
    insult.
    """
    spoken = [word for word in bare if word not in game_words.OPENERS]
    if not spoken or spoken[0] not in ("i", "we", "i've", "we've", "i'd"):
        return False
    deed = [word for word in spoken[1:] if word not in game_words.BEFORE_A_VERB]
    verb = deed[0] if deed and deed[1:2] != ["you"] else ""
    return verb.partition("_")[0] in game_words.CONFESSED and game_words.INSULTS.isdisjoint(bare)


def _is_of_others(bare: list[str]) -> bool:
    """Return True if a sentence that addresses nobody is about the weather or the like, or about what befell
    the player.
    """
    is_of_weather = not game_words.OF_THE_WORLD.isdisjoint(bare) and game_words.PRAISING.isdisjoint(bare)
    befell = not {"me", "my"}.isdisjoint(bare[1:]) and not game_words.CONFESSED.isdisjoint(bare)
    return (is_of_weather or befell) and game_words.INSULTS.isdisjoint(bare)


def _points(valence: float) -> float:
    return max(-STRONGEST, min(STRONGEST, valence * _POINTS))


def _bare(word: str) -> str:
    return word.strip(_AROUND_A_WORD).casefold()


def _sentences(content: str) -> Iterator[str]:
    for sentence in _SENTENCE_END.split(content.translate(_PLAIN)):
        words = sentence.split()
        for at in range(0, len(words), _LONGEST_SENTENCE_WORDS):
            yield " ".join(words[at : at + _LONGEST_SENTENCE_WORDS])


@functools.lru_cache(maxsize=64)
def _lexicon(words: tuple[tuple[str, float], ...], has_english: bool = True) -> _Lexicon:
    of_the_game = {word.translate(_PLAIN): sentiment / _POINTS for word, sentiment in words}
    if not has_english:
        return _Lexicon(of_the_game, {})
    return _Lexicon(game_words.GAME_WORDS | of_the_game, _vader_words())


@functools.cache
def _vader_words() -> dict[str, float]:
    file = Path(vaderSentiment.__file__).with_name("vader_lexicon.txt")
    rows = (line.split("\t") for line in file.read_text(encoding="utf-8").splitlines() if line)
    # Slang has numbers for words ("86" is to throw out); a game counts with them.
    return {row[0]: float(row[1]) for row in rows if not row[0].isdigit()}
