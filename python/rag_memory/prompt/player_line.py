"""What a line of the player is, as far as an NPC without a language model has to know: a greeting, a
question, an order. The phrases are sentences of the game (config/answer_wording.py), so a translation brings
its own.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rag_memory.config.wording import Wording
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.second_person import begins_with_deed
from rag_memory.text.terms import is_spaceless, words
from rag_memory.text.whole_words import without_address

THREAT, INSULT, ORDER, REQUEST, THING = "threat", "insult", "order", "request", "thing"
QUESTION, TOPIC, HEARD, GREETING = "question", "topic", "heard", "greeting"
WHO_AM_I, ABOUT_ME, WHO_ARE_YOU = "who_am_i", "about_me", "who_are_you"
LAST_WORDS, WHAT_ARE_YOU, ORIGIN, FAMILY = "last_words", "what_are_you", "origin", "family"
KEPT_WORD = "promise_kept"
WHERE_FROM, WHAT_AM_I, LIKES = "where_from", "what_am_i", "likes"
WHY, WHEN, WHERE, HOW_MUCH, SOURCE, SURE = "why", "when", "where", "how_much", "source", "sure"
HOW_ARE_YOU, OPINION, FEELING = "how_are_you", "opinion", "feeling"
APOLOGY, THANKS, FAREWELL, KIND = "apology", "thanks", "farewell", "kind"
NAME, PROMISE, GIFT, NOTED = "name", "promise", "gift", "noted"
PROMISE_KEPT, PROMISE_BROKEN = "kept", "broken"

_QUESTIONS = (
    *(LAST_WORDS, KEPT_WORD, WHERE_FROM, WHAT_AM_I, LIKES, WHO_AM_I, OPINION, FEELING, HOW_ARE_YOU, ABOUT_ME),
    *(WHO_ARE_YOU, WHAT_ARE_YOU, ORIGIN, FAMILY),
)
"""The special questions, in the order in which they are looked for."""
TOLD_BY = {WHERE_FROM: "line_told_origin", WHAT_AM_I: "line_told_trade", LIKES: "line_told_likes"}
"""What the player asks about themselves: the phrases by which they have told it."""
_FOLLOW_UPS = (WHY, WHEN, WHERE, HOW_MUCH, SOURCE, SURE)
"""What a short question asks about the last answer."""
_MY_DEEDS = "line_my_deeds"
_FINDINGS = {
    "promise_made": PROMISE,
    "promise_kept": PROMISE_KEPT,
    "promise_broken": PROMISE_BROKEN,
    "gift_received": GIFT,
}
_QUESTION_MARKS = lazy_pattern("[?？؟]")
_BORDER = lazy_pattern(r"[.!?¡¿,;:…。！？、，；：؟\n—–]+")
_NO_TRADE = lazy_pattern(
    r"\b(?:i am|i['’]m) (?:an?|the) (?:little|bit|lot|few|tad|fool|idiot|friend|stranger|one|first|last|same"
    r"|only)\b|\bi (?:like|love) (?:you|it|that|this|him|her|them)\b",
    re.IGNORECASE,
)
"""What the player is, but for no living; whom or what the player likes, without its name."""
_ELLIPSIS = "…"
_NOUN = lazy_pattern(
    r"\b(?:the|an?|this|that|my|your|our|his|her|their) (?:\w+ )?(well|back)\b", re.IGNORECASE
)
"""Words that are nouns after an article or a possessive, and adverbs elsewhere."""
_HARSH, _KIND = -4.0, 6.0
"""Sentiments from which words hurt, or do good."""
_LONGEST_TOPIC = 4
_SENTENCE_ENDS = (".", "!", "。", "！")
_COURTESIES = ("line_greeting", "line_farewell", "line_thanks")
_REQUESTS = ("line_request", "line_order", "line_thing")
_OPENINGS = ("line_question", *_REQUESTS)
_LONGEST_REQUEST = 7
"""Words of a sentence that begins like a request; a longer one may tell something."""
_SHORTEST_CLAUSE = 3
_LONGEST_SOUND = 2
"""Letters of what only sounds, such as "oh"."""


def kind_of(
    config: Wording, line: str, findings: Sequence[Mapping[str, Any]], sentiment: float, npc_name: str = ""
) -> str:
    """Return what a line is, one of the names above.

    Args:
        findings: what the line tells, as from findings_in().
        sentiment: whether it was meant well, as from sentiment_of().
        npc_name: whom the line may call by name.
    """
    line = without_address(line, npc_name)
    phrases = _Phrases(config, line)
    if phrases.has("line_threat") and not phrases.has("line_not"):
        return THREAT
    is_marked = _QUESTION_MARKS.search(line) is not None
    if is_marked or (phrases.begins("line_question") and not phrases.begins("line_exclamation")):
        return _question(phrases)
    if phrases.has("line_apology") or phrases.begins("line_apology"):
        return APOLOGY
    finding = _finding_kind(findings)
    if finding not in (NOTED, ""):
        return finding
    if sentiment <= _HARSH or phrases.has("line_insult"):
        return INSULT
    for kind in (FAREWELL, THANKS):
        if phrases.begins(f"line_{kind}"):
            return kind
    if _asks_for_a_thing(phrases):
        return THING
    is_asked = phrases.begins("line_order") or phrases.begins("line_request")
    if is_asked and not phrases.begins("line_exclamation"):
        return ORDER
    if finding:
        return finding
    if phrases.begins("line_greeting"):
        return GREETING
    if sentiment >= _KIND:
        return KIND
    is_short = 0 < len(words(line)) <= _LONGEST_TOPIC and not line.rstrip().endswith(_SENTENCE_ENDS)
    return TOPIC if is_short and not phrases.is_of_speaker() else HEARD


def is_request(config: Wording, sentence: str) -> bool:
    """Return True if a sentence asks or orders, though it has no question mark, or only greets; but not if it
    also tells something: "Help me, bandits burned my farm."
    """
    phrases = _Phrases(config, sentence)
    if phrases.is_of_speaker() or phrases.tells_after_a_comma():
        return False
    length = len(words(sentence))
    return (
        phrases.opens("line_question")
        or (length <= _LONGEST_REQUEST and any(map(phrases.opens, _REQUESTS)))
        or (length < _LONGEST_TOPIC and any(map(phrases.opens, _COURTESIES)))
    )


def longest_part(line: str) -> int:
    """Return how many words the longest part of a line has, between commas and the like."""
    return max((len(words(part)) for part in _parts(line)), default=0)


def tells(config: Wording, key: str, text: str) -> bool:
    """Return True if one of the phrases of a key is anywhere in a text."""
    return _Phrases(config, text).has(key)


def follow_up_of(config: Wording, line: str, names: str) -> str:
    """Return what a line asks of the last answer, such as WHY; "" if it asks or says anything else.

    Args:
        names: of the NPC, as in "Are you sure, Mira?".
    """
    phrases, kind = _Phrases(config, line), ""
    if not (_QUESTION_MARKS.search(line) or phrases.begins("line_question")):
        return ""
    empty = {*words(names), *config.sentence("line_empty").split("|")}
    for part in phrases.parts:
        asked = next((kind for kind in _FOLLOW_UPS if phrases.is_whole(part, f"line_{kind}")), "")
        if not asked and not all(word in empty or len(word) <= _LONGEST_SOUND for word in words(part)):
            return ""
        kind = asked or kind
    return kind


def empty_words(config: Wording, line: str) -> str:
    """Return the words that say nothing about the subject of a line, with bars between them. A word that is a
    noun in it, as in "the well", is left out.
    """
    nouns = {match[1].lower() for match in _NOUN.finditer(line)}
    return "|".join(word for word in config.sentence("line_empty").split("|") if word not in nouns)


def says_farewell(config: Wording, line: str) -> bool:
    """Return True if the player says goodbye in a line, whatever else is in it."""
    return _Phrases(config, line).begins("line_farewell")


def asks_for_deeds(config: Wording, line: str) -> bool:
    """Return True if a line asks what the player has done."""
    return _Phrases(config, line).has(_MY_DEEDS)


def asks_of_oneself(config: Wording, line: str) -> bool:
    """Return True if a line asks where its speaker is from, or what the speaker is."""
    phrases = _Phrases(config, line)
    return any(phrases.has(f"line_{kind}") for kind in TOLD_BY)


def tells_of_oneself(config: Wording, kind: str, text: str) -> bool:
    """Return True if words of the player may answer a question of this kind, one of TOLD_BY."""
    return _Phrases(config, _NO_TRADE.sub(" ", text)).has(TOLD_BY[kind])


def _question(phrases: _Phrases) -> str:
    for kind in _QUESTIONS:
        if kind == WHAT_ARE_YOU and phrases.has("line_insult"):
            return INSULT
        if phrases.has(f"line_{kind}") or (kind == ABOUT_ME and phrases.has(_MY_DEEDS)):
            return kind
    if phrases.has("line_insult"):
        return INSULT
    if _asks_for_a_thing(phrases):
        return THING
    return REQUEST if phrases.begins("line_request") else QUESTION


def _asks_for_a_thing(phrases: _Phrases) -> bool:
    return phrases.begins("line_thing") and not phrases.has("line_told_thing")


def _finding_kind(findings: Sequence[Mapping[str, Any]]) -> str:
    kinds = [
        NAME if finding.get("slot_type") else _FINDINGS.get(str(finding.get("event_type")), NOTED)
        for finding in findings
        if finding.get("speaker") == "player"
    ]
    return next((kind for kind in kinds if kind != NOTED), kinds[0] if kinds else "")


class _Phrases:
    """A line in which phrases are looked for."""

    def __init__(self, config: Wording, line: str) -> None:
        self._config = config
        self._line = _plain(line)
        self.parts = [_plain(part) for part in _parts(line)]
        self._of_speaker = _pattern(config.sentence("first_person").replace(" ", "|"))

    def has(self, key: str) -> bool:
        """Return True if one of the phrases is anywhere in the line."""
        pattern = _pattern(self._config.sentence(key))
        return pattern is not None and any(map(pattern.search, (self._line, *self.parts)))

    def opens(self, key: str) -> bool:
        """Return True if the line begins with one of the phrases, and goes on with nobody who speaks, as in
        "When I was young, I lived in Oakvale."
        """
        return self._opens(self._line, key)

    def _opens(self, text: str, key: str) -> bool:
        pattern, speaker = _pattern(self._config.sentence(key)), self._of_speaker
        match = None if pattern is None else pattern.match(text)
        return match is not None and not (speaker and speaker.match(text[match.end() :].lstrip()))

    def begins(self, key: str) -> bool:
        """Return True if a sentence or a part of one begins with one of the phrases."""
        pattern = _pattern(self._config.sentence(key))
        return pattern is not None and any(pattern.match(part) for part in self.parts)

    def is_whole(self, part: str, key: str) -> bool:
        """Return True if a part of the line is one of the phrases, and nothing else."""
        pattern = _pattern(self._config.sentence(key))
        return pattern is not None and pattern.fullmatch(part) is not None

    def tells_after_a_comma(self) -> bool:
        """Return True if a later part of the line is a clause that asks and orders nothing."""
        for part in self.parts[1:]:
            spoken = words(part)
            if len(spoken) < _SHORTEST_CLAUSE or any(self._opens(part, key) for key in _OPENINGS):
                continue
            if len(spoken) > _SHORTEST_CLAUSE or any(map(begins_with_deed, spoken)):
                return True
        return False

    def is_of_speaker(self) -> bool:
        """Return True if the line begins with whoever says it."""
        return self._of_speaker is not None and self._of_speaker.match(self._line) is not None


def _parts(line: str) -> Iterator[str]:
    return (part for part in _BORDER.split(line) if part.strip())


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").split())


@functools.lru_cache(256)
def _pattern(phrases: str) -> re.Pattern[str] | None:
    alternatives = [_bordered(_plain(phrase)) for phrase in phrases.split("|") if phrase.strip()]
    return re.compile("|".join(alternatives)) if alternatives else None


def _bordered(phrase: str) -> str:
    """A pattern of a phrase as whole words, in scripts that have spaces between words. After "…" it ends a
    line or a part of one, as verbs do in Japanese; before "…" it begins one.
    """
    if phrase.startswith(_ELLIPSIS):
        return rf"^.*{_bordered(phrase.removeprefix(_ELLIPSIS))}\W*$"
    if phrase.endswith(_ELLIPSIS):
        return f"^{_bordered(phrase.removesuffix(_ELLIPSIS))}"
    before = "" if is_spaceless(phrase[0]) or not phrase[0].isalnum() else r"(?<!\w)"
    after = "" if is_spaceless(phrase[-1]) or not phrase[-1].isalnum() else r"(?!\w)"
    return before + re.escape(phrase) + after
