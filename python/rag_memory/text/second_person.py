"""English sentences about "the player", said to the player, where that is safe."""

from __future__ import annotations

import re

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.english_verbs import BASE_VERBS, PASTS

_SUBJECT = lazy_pattern(
    r"(?:the )?player ((?:(?:never|always|still|already|often|once|now|also|just) )?)"
    r"([a-z]+(?:n't)?)(?= |$|[.!,])",
    re.IGNORECASE,
)
_OWN = lazy_pattern(r"(?:I|we) ", re.IGNORECASE)
_OBJECT = lazy_pattern(r"\bthe player(?!['’])\b", re.IGNORECASE)
_BEGINNING = lazy_pattern(r"(?<=[.!?…] )you\b")
_QUOTED = lazy_pattern(r"\"[^\"]*\"|“[^”]*”|«[^»]*»")
_ABSENT = lazy_pattern(
    r"\b(?:player|he|she|they|him|her|them|his|hers|their|theirs|himself|herself|themselves)\b",
    re.IGNORECASE,
)
_NEXT_VERB = lazy_pattern(
    r"(?:\b(?:and|but|or|nor|then|yet)|,) (?:(?:[a-z]+ly|never|now|still|also|always) )?([a-z]+(?:n't)?)"
)
_PAST_AND_MORE = frozenset(
    {"did", "had", "can", "could", "will", "would", "must", "may", "might", "should", "cannot"}
    | {"didn't", "hadn't", "can't", "couldn't", "won't", "wouldn't", "mustn't", "shouldn't"}
)
_UNLIKE = {
    "is": "are",
    "was": "were",
    "has": "have",
    "does": "do",
    "isn't": "aren't",
    "wasn't": "weren't",
    "hasn't": "haven't",
    "doesn't": "don't",
    "goes": "go",
}
_REGULAR_VERBS = """
    ask bake believe belong call carry collect cook count cross dance deserve dislike enjoy expect fear guard
    hate help hope hunt intend like live look love move need open owe own play plan prefer promise refuse
    remember repair rescue search serve smile smoke snore stay study suffer suspect talk trade train travel
    trust visit wait walk want watch wish work worry
"""
_NO_DEEDS = frozenset("named called known dressed armed born bed indeed need red seed sled".split())  # noqa: SIM905
"""Words after a subject that are no verb of it, or may be none."""


def to_second_person(text: str) -> str:
    """Return a sentence about the player with "you" for a subject, or "" where it might come out wrong.

    So it does for an own deed: "I gave the player a coin". Words within quotation marks stay as they are.
    """
    if _OWN.match(text):
        return _own_deed(text)
    match = _SUBJECT.match(text)
    if match is None:
        return ""
    adverb, verb = match.groups()
    rest = text[match.end() :]
    bare = _QUOTED.sub(" ", rest)
    inflected = _for_you(verb)
    if (
        not inflected
        or _ABSENT.search(bare)
        or any(_is_third_person(word) for word in _NEXT_VERB.findall(bare))
    ):
        return ""
    is_participle = verb not in _PAST_AND_MORE and inflected == verb and bare.startswith(" by ")
    return "" if is_participle else f"You {adverb}{inflected}{rest}"


def begins_with_deed(text: str) -> bool:
    """Return True if a text goes on after "The player": with an English verb."""
    match = _SUBJECT.match(f"player {text}")
    return match is not None and _for_you(match[2]) != ""


def _own_deed(text: str) -> str:
    if '"' in text or "“" in text or "«" in text:
        return ""
    said, count = _OBJECT.subn("you", text)
    said = _BEGINNING.sub(lambda match: match[0].capitalize(), said)
    is_wrong = _ABSENT.search(said) or any(_is_third_person(word) for word in said.lower().split())
    return said if count and not is_wrong else ""


def _for_you(verb: str) -> str:
    """The form of a verb after "you"; "" for a word that may be no verb."""
    if verb in _UNLIKE:
        return _UNLIKE[verb]
    if verb in PASTS or verb in _PAST_AND_MORE or (verb.endswith("ed") and verb not in _NO_DEEDS):
        return verb
    return _base_of(verb)


def _base_of(verb: str) -> str:
    endings = (("ies", "y"), ("es", ""), ("s", ""))
    bases = (verb.removesuffix(ending) + new for ending, new in endings if verb.endswith(ending))
    return next((base for base in bases if base in BASE_VERBS or base in _REGULAR_VERBS.split()), "")


def _is_third_person(word: str) -> bool:
    return word in _UNLIKE or bool(_base_of(word))
