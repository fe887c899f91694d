"""The people and things that a phrase of an English sentence names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rag_memory.text.english_verbs import BASE_VERBS, base_term
from rag_memory.text.grammar import (
    ADVERBS,
    ANYBODY,
    AUXILIARIES,
    PREPOSITIONS,
    SINGULARS,
    STOPS,
    Word,
    is_mark,
)
from rag_memory.text.name_check import is_common_word
from rag_memory.text.terms import STOP_WORDS

PLAYER, NPC, WE = "@player", "@npc", "@we"
"""Participants of a clause without a name. Others are "@" and a name, or the term of a noun."""
_REAL_PLAYER = "@the player"
SOMEBODY = "@somebody"
UNRESOLVED = "@unresolved"
"""A pronoun that may stand for several people."""


class Narrator(NamedTuple):
    """The narrator of the sentences, and the narrator's names for the player; words in lower case."""

    player: frozenset[str] = frozenset()
    """The words of the player's name."""
    npc: frozenset[str] = frozenset()
    """The words of the NPC's own name."""
    is_player: bool = True
    """False if another character is in the player's place: "the player" is somebody else then."""


def _is_name(words: Sequence[Word], place: int, narrator: Narrator) -> bool:
    word = words[place]
    if not word.text[:1].isupper() or word.lower in STOP_WORDS or word.lower in ANYBODY:
        return False
    if place and words[place - 1].lower not in STOPS:
        return True
    return word.lower in narrator.npc or not (
        is_common_word(word.lower) or word.lower in PREPOSITIONS or word.lower in BASE_VERBS
    )


def participants_in(words: Sequence[Word], narrator: Narrator, last: set[str]) -> list[str]:
    """The people and things of a phrase; a pronoun stands for the one person who was named before."""
    participants: list[str] = []
    for place, word in enumerate(words):
        lower = word.lower
        if word.owner or is_mark(word):
            continue
        if lower in ("i", "me", "myself"):
            participants.append(NPC)
        elif lower in ("we", "us"):
            participants.append(WE)
        elif lower in ("it", "itself"):
            participants.append(UNRESOLVED)
        elif lower in SINGULARS:
            participants.append(next(iter(last)) if len(last) == 1 else UNRESOLVED)
        elif lower in ANYBODY:
            participants.append(SOMEBODY)
        elif lower in narrator.player and _names_player(words, place, narrator):
            participants.append(PLAYER)
        elif lower == "player":
            participants.append(PLAYER if narrator.is_player else _REAL_PLAYER)
        elif lower in narrator.npc and word.text[:1].isupper():
            participants.append(NPC)
        elif _is_name(words, place, narrator):
            participants.append("@" + lower)
        elif (
            lower not in STOP_WORDS
            and lower not in AUXILIARIES
            and lower not in PREPOSITIONS
            and lower not in ADVERBS
        ):
            participants.append(base_term(lower))
    return participants


def _names_player(words: Sequence[Word], place: int, narrator: Narrator) -> bool:
    """Return True if a word of the player's name means the player: "Captain Doyle" is not Captain Ash."""
    for neighbour in (place - 1, place + 1):
        if 0 <= neighbour < len(words) and not words[place].owner and not words[neighbour].owner:
            other = words[neighbour]
            if _is_name(words, neighbour, narrator) and other.lower not in narrator.player:
                return False
    if words[place].text[:1].isupper():
        return True
    return len(narrator.player) > 1 and place > 0 and words[place - 1].lower == "the"
