"""A debate: what it says, and how it ends when nobody but its participants decides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.config.wording import Wording
from rag_memory.errors import InvalidArgumentError
from rag_memory.validation import (
    shown,
    validate_integer,
    validate_metadata,
    validate_text,
    validate_texts,
    wrong_type,
)
from rag_memory.world.days import day_of
from rag_memory.world.event import check_reach, validate_visibility
from rag_memory.world.profile import cut
from rag_memory.world.slips import warn_of_slips
from rag_memory.world.who_knows import PRIVATE

FOR, AGAINST, OPEN = "for", "against", "undecided"
LONGEST = 2000
"""The most characters of a summary or an outcome, from the game or from whom it asks."""
_LONGEST_TOPIC = 300
_TEXTS = ("id", "location", "summary", "outcome", "subject")
_KNOWN = (
    *(*_TEXTS, "topic", "participants", "factions", "sides", "importance", "day"),
    *("visibility", "known_by"),
)
_TAKES_A_STAND = 5.0
"""From this difference on, in points of a disposition, somebody is for something or against it."""
_WORD = re.compile(r"\w[\w'’-]*")


def new_debate(where: str, told: Any, day: float) -> dict[str, Any]:
    """A debate as the game tells it, with everything that it leaves out.

    Raises:
        InvalidArgumentError: it has no topic or participants, or a value that cannot be.
    """
    if not isinstance(told, Mapping):
        raise wrong_type(where, "debate", told, "a Dictionary")
    kept = validate_metadata(where, "debate", told)
    given = {key: value for key, value in kept.items() if value is not None}
    warn_of_slips(where, given, _KNOWN)
    texts = {name: validate_text(where, name, given.get(name, "")).strip() for name in _TEXTS}
    topic = validate_text(where, "topic", given.get("topic", "")).strip()
    participants = validate_texts(where, "participants", given.get("participants", []))
    participants = [each for each in dict.fromkeys(participants) if each.strip()]
    for name, value in (("topic", topic), ("participants", participants)):
        if not value:
            raise InvalidArgumentError(
                f"{where}: the debate has no {name}", "", f'Add the key "{name}" to the Dictionary'
            )
    for name, text, most in (
        ("topic", topic, _LONGEST_TOPIC),
        ("summary", texts["summary"], LONGEST),
        ("outcome", texts["outcome"], LONGEST),
    ):
        if len(text) > most:
            raise InvalidArgumentError(
                f"{where}: {name} has {len(text):,} characters",
                f"it goes into memories and prompts, with at most {most:,}",
                "Give the gist of it",
            )
    sides = validate_texts(where, "sides", given.get("sides", []))
    if len(sides) not in (0, 2) or len(set(sides)) != len(sides):
        raise InvalidArgumentError(
            f"{where}: sides is {shown(sides)}", "a debate has two sides", "Pass two of them, or leave it out"
        )
    importance = validate_integer(where, "importance", given.get("importance", 5))
    if not 1 <= importance <= 10:
        raise InvalidArgumentError(
            f"{where}: importance is {importance}", "it has to be 1 to 10", "Correct it"
        )
    visibility = validate_visibility(where, given.get("visibility", PRIVATE))
    factions = validate_texts(where, "factions", given.get("factions", []))
    first, second = [*factions, "", ""][:2]
    reach = {"visibility": visibility, "actor_faction": first, "target_faction": second}
    check_reach(where, {**texts, **reach}, 'Add the key "factions"')
    return {
        **given,
        **texts,
        "topic": topic,
        "participants": participants,
        "factions": factions,
        "sides": sides,
        "importance": importance,
        "visibility": visibility,
        "known_by": validate_texts(where, "known_by", given.get("known_by", [])),
        "day": day_of(where, given, "day", day),
    }


def subject_in(topic: str, names: Mapping[str, str]) -> str:
    """Which of the known ones a topic is about: the id of the longest name in it, or "".

    Args:
        names: ids by the names that a topic may have for them.
    """
    text = topic.casefold()
    found = [name for name in names if name and re.search(rf"\b{re.escape(name.casefold())}\b", text)]
    return names[max(found, key=lambda name: (len(name), name))] if found else ""


def is_against(wording: Wording, topic: str) -> bool:
    """Whether a topic means its subject ill, as "War against Carrow" does."""
    words = {word.casefold() for word in _WORD.findall(topic)}
    return not words.isdisjoint(wording.sentence("debate_words_against").casefold().split())


class Decision(NamedTuple):
    """How a debate ends: who stood where, and what is told of it."""

    positions: Mapping[str, str]
    """For each participant a side, or "for", "against" or "undecided"."""
    summary: str
    outcome: str


def decided(
    wording: Wording,
    topic: str,
    sides: Sequence[str],
    leanings: Mapping[str, float],
    called: Mapping[str, str],
) -> Decision:
    """What the participants decide.

    Args:
        sides: the two that there are, or none for "for" and "against".
        leanings: how much each is for it, or for the first side, in points of a disposition.
        called: what participants and sides are called.
    """
    first, second = sides or (FOR, AGAINST)
    positions = {
        id: first if leaning >= _TAKES_A_STAND else second if leaning <= -_TAKES_A_STAND else OPEN
        for id, leaning in leanings.items()
    }

    def names(position: str) -> str:
        return ", ".join(called[id] for id, each in positions.items() if each == position)

    def told(key: str, **values: str) -> str:
        return wording.sentence(f"debate_{key}", **values)

    lines = [
        (told("side", side=called[each], names=names(each)) if sides else told(each, names=names(each)))
        for each in (first, second)
        if names(each)
    ]
    lines += [told("open", names=names(OPEN))] if names(OPEN) else []
    counts = {each: list(positions.values()).count(each) for each in (first, second)}
    winner = max(counts, key=lambda each: counts[each])
    if not counts[winner]:
        outcome = told("undecided", topic=topic)
    elif counts[first] == counts[second]:
        outcome = told("split", topic=topic)
    else:
        extent = "all" if counts[winner] == len(positions) else "most"
        outcome = (
            told(f"{extent}_side", topic=topic, side=called[winner])
            if sides
            else told(f"{extent}_{winner}", topic=topic)
        )
    return Decision(positions, " ".join(lines), outcome)


def written_outcome(answer: Any) -> dict[str, Any]:
    """What a debate_writer answers: the outcome, and what else it tells.

    Raises:
        ValueError: there is no outcome in it.
    """
    told = {"outcome": answer} if isinstance(answer, str) else answer
    outcome = told.get("outcome") if isinstance(told, Mapping) else None
    if not isinstance(outcome, str) or not outcome.strip():
        raise ValueError(f'it returned {shown(answer)}, which has no String "outcome"')
    result: dict[str, Any] = {"outcome": cut(outcome, LONGEST)}
    if isinstance(told.get("summary"), str) and told["summary"].strip():
        result["summary"] = cut(told["summary"], LONGEST)
    importance = told.get("importance")
    if isinstance(importance, int | float) and not isinstance(importance, bool) and 1 <= importance <= 10:
        result["importance"] = int(importance)
    return result


def text_of(debate: Mapping[str, Any], names: Iterable[str]) -> str:
    """What a debate is searched by."""
    parts = [debate["topic"], ", ".join(names), debate["summary"], debate["outcome"]]
    return "\n".join(part for part in parts if part)
