"""The tier of a memory, and whether it is a milestone."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from rag_memory.config.memory_config import TIER_PINNED, MemoryConfig
from rag_memory.lazy_pattern import lazy_pattern

FIRST_MILESTONES = {
    "meeting": "first_meeting",
    "conversation": "first_meeting",
    "gift_given": "first_gift",
    "gift_received": "first_gift",
    "quest": "first_quest",
    "quest_started": "first_quest",
    "quest_accepted": "first_quest",
    "quest_completed": "first_quest",
    "quest_failed": "first_quest",
    "quest_related": "first_quest",
}

FAMILY_DEATH = "family_death"

_FAMILY = (
    "wife|husband|mother|father|mum|mom|dad|mama|papa|parents?|sister|brother|siblings?|son|daughter|"
    "child|children|baby|twins?|grand(?:mother|father|ma|pa|son|daughter|child|children|parents?)|aunt|"
    "uncle|cousin|niece|nephew|family|spouse|betrothed|fianc[eé]e?"
)
_OWN = rf"\b(?:my|our)(?: [\w'’-]+){{0,3}}? (?:{_FAMILY})\b"
_WORDS_TO_THE_VERB = r"(?:,? (?!(?:that|how|when|saw|watched|heard|told|said|says)\b)[\w'’-]+){0,8}?,?"
_WORDS_TO_THE_VICTIM = r"(?: (?!(?:by|near|with|for|before|beside|from|of|to|in|at)\b)[\w'’-]+){0,4}?"
_DIED = (
    r"died|dies|drowned|perished|passed away|"
    r"(?:is|are|was|were|be|been|being|got|lies|lay|found)(?: \w+ly| now| already| both| all)? "
    r"(?:dead|killed|murdered|slain|hanged|executed|drowned)"
)
_KILLED = "killed|murdered|slew|slain|executed|hanged|drowned|death of|lost|buried"
_TELLS_OF_FAMILY_DEATH = lazy_pattern(
    rf"{_OWN}{_WORDS_TO_THE_VERB} (?:{_DIED})\b"
    rf"|\b(?:{_KILLED}){_WORDS_TO_THE_VICTIM} {_OWN}(?!['’])"
    rf"|{_OWN}['’]s? death\b",
    re.IGNORECASE,
)
_DID_NOT_HAPPEN = lazy_pattern(
    r"\b(?:not|never|nearly|almost|could|would|might|may|if|whether|unless|want(?:s|ed)? to|will|"
    r"fear(?:s|ed)?|afraid|dream(?:s|ed|t)?|threaten(?:s|ed)?)\b|n['’]t\b",
    re.IGNORECASE,
)
_SENTENCE_END = lazy_pattern(r"[.!?…\n。！？؟।]+")
_CONSIDERED_CHARS = 4000


class Milestone(NamedTuple):
    """The milestone of a memory, its type, and whether the caller set it."""

    is_milestone: bool
    type: str
    is_explicit: bool


def detect_milestone(
    config: MemoryConfig,
    event_type: str,
    is_milestone: bool | None,
    milestone_type: str,
    is_first: bool,
    text: str,
) -> Milestone:
    """The milestone of an event: what the caller said, else what its event type implies, else the death of
    one of the NPC's own family that the text tells of.

    A caller says it with `is_milestone`, with a `milestone_type`, or with `is_first` (the first gift, the
    first quest). `is_milestone=False` overrules all of them.
    """
    if is_milestone is False:
        return Milestone(False, "", False)
    if is_milestone or milestone_type or is_first:
        return Milestone(True, milestone_type or (_first_of(event_type) if is_first else event_type), True)
    if event_type in config.milestone_event_types:
        return Milestone(True, event_type, False)
    if tells_of_family_death(text) or _tells_in_own_words(config, text):
        return Milestone(True, FAMILY_DEATH, False)
    return Milestone(False, "", False)


def tells_of_family_death(text: str) -> bool:
    """Return True if a sentence says, in English, that one of "my" or "our" family died. Feared and denied
    deaths do not count.
    """
    return any(
        _TELLS_OF_FAMILY_DEATH.search(sentence) and not _DID_NOT_HAPPEN.search(sentence)
        for sentence in _SENTENCE_END.split(text[:_CONSIDERED_CHARS])
    )


def _tells_in_own_words(config: MemoryConfig, text: str) -> bool:
    """Return True if a sentence has one of the game's words for family and one for dying, and none that
    denies it.
    """
    if not config.family_words or not config.death_words:
        return False
    family, death = _any_of(tuple(config.family_words)), _any_of(tuple(config.death_words))
    denial = _any_of(tuple(config.death_denial_words)) if config.death_denial_words else None
    return any(
        family.search(sentence) and death.search(sentence) and not (denial and denial.search(sentence))
        for sentence in _SENTENCE_END.split(text[:_CONSIDERED_CHARS])
    )


@functools.lru_cache(64)
def _any_of(phrases: tuple[str, ...]) -> re.Pattern[str]:
    # Scripts without upper case mostly write without spaces, or join words to others: there a part will do.
    parts = [
        rf"(?<!\w){re.escape(phrase)}(?!\w)" if phrase.lower() != phrase.upper() else re.escape(phrase)
        for phrase in phrases
        if phrase.strip()
    ]
    return re.compile("|".join(parts) or r"(?!)", re.IGNORECASE)


def detect_tier(
    config: MemoryConfig, milestone: Milestone, event_type: str, interaction_type: str, importance: int
) -> int:
    """The tier by seven priorities, the first that applies:

    1 explicit milestone: PINNED; 2 pinned interaction: PINNED; 3 pinned event type: PINNED; 4 important
    interaction: IMPORTANT; 5 important event type: IMPORTANT; 6 importance at the threshold: IMPORTANT; 7
    otherwise REGULAR.
    """
    if milestone.is_explicit:
        return TIER_PINNED
    return config.get_tier_for_event(event_type, importance, interaction_type)


def _first_of(event_type: str) -> str:
    if event_type.startswith("first_"):
        return event_type
    return FIRST_MILESTONES.get(event_type, f"first_{event_type}")
