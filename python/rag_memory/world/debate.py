"""A debate: its keys, and its outcome when only its participants decide."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.config.wording import Wording
from rag_memory.errors import InvalidArgumentError
from rag_memory.text.whole_words import whole_words
from rag_memory.validation import (
    shown,
    validate_fields,
    validate_option,
    validate_short_text,
    validate_text,
    validate_texts,
)
from rag_memory.world.days import day_of
from rag_memory.world.event import check_reach, validate_visibility
from rag_memory.world.profile import cut
from rag_memory.world.who_knows import PRIVATE, validate_known_by

FOR, AGAINST, OPEN = "for", "against", "undecided"
LONGEST = 2000
"""The most characters of a summary or an outcome."""
_LONGEST_TOPIC = 300
_TEXTS = ("id", "location", "summary", "outcome", "subject")
_KEYS = (
    *(*_TEXTS, "topic", "participants", "factions", "sides", "importance", "day"),
    *("visibility", "known_by"),
)
_TAKES_A_STAND = 5.0
"""The least difference, in points of a disposition, with which a participant takes a side."""


def new_debate(call: str, debate: Any, day: float) -> dict[str, Any]:
    """Check a debate that the game passed, and fill in the keys that are missing.

    Raises:
        InvalidArgumentError: it has no topic or participants, or a value is not valid.
    """
    values = validate_fields(call, "debate", debate, _KEYS)
    fields = {key: value for key, value in values.items() if value is not None}
    texts = {name: validate_text(call, name, fields.get(name, "")).strip() for name in _TEXTS}
    topic = validate_text(call, "topic", fields.get("topic", "")).strip()
    participants = validate_texts(call, "participants", fields.get("participants", []))
    participants = [id for id in dict.fromkeys(participants) if id.strip()]
    for name, value in (("topic", topic), ("participants", participants)):
        if not value:
            raise InvalidArgumentError(
                f"{call}: the debate has no {name}", "", f'Add the key "{name}" to the Dictionary'
            )
    validate_short_text(call, "topic", topic, _LONGEST_TOPIC)
    for name in ("summary", "outcome"):
        validate_short_text(call, name, texts[name], LONGEST)
    sides = validate_texts(call, "sides", fields.get("sides", []))
    if len(sides) not in (0, 2) or len(set(sides)) != len(sides):
        raise InvalidArgumentError(
            f"{call}: sides is {shown(sides)}", "a debate has two sides", "Pass two of them, or leave it out"
        )
    importance = validate_option(call, fields, "importance", 5, 1, 10)
    visibility = validate_visibility(call, fields.get("visibility", PRIVATE))
    factions = validate_texts(call, "factions", fields.get("factions", []))
    first, second = [*factions, "", ""][:2]
    reach = {"visibility": visibility, "actor_faction": first, "target_faction": second}
    check_reach(call, {**texts, **reach}, 'Add the key "factions"')
    return {
        **fields,
        **texts,
        "topic": topic,
        "participants": participants,
        "factions": factions,
        "sides": sides,
        "importance": importance,
        "visibility": visibility,
        "known_by": validate_known_by(call, validate_texts(call, "known_by", fields.get("known_by", []))),
        "day": day_of(call, fields, "day", day),
    }


def subject_in(topic: str, names: Mapping[str, str]) -> str:
    """The subject of a topic: the id of the longest name in it, or "".

    Args:
        names: ids by the names that a topic may have for them.
    """
    text = topic.casefold()
    matches = [name for name in names if name and re.search(whole_words([name.casefold()]), text)]
    return names[max(matches, key=lambda name: (len(name), name))] if matches else ""


def is_against(wording: Wording, topic: str) -> bool:
    """Return True if a topic is directed against its subject, as "War against Carrow" is."""
    words = wording.sentence("debate_words_against").casefold().split()
    return re.search(rf"(?<!-){whole_words(words)}(?![-'’])", topic.casefold()) is not None


class Decision(NamedTuple):
    """The result of a debate: the positions of the participants, and the texts that describe it."""

    positions: Mapping[str, str]
    """By participant: a side, or "for", "against" or "undecided"."""
    summary: str
    outcome: str


def decided(
    wording: Wording,
    topic: str,
    sides: Sequence[str],
    leanings: Mapping[str, float],
    called: Mapping[str, str],
) -> Decision:
    """Let the participants decide.

    Args:
        sides: the two sides, or none for "for" and "against".
        leanings: how much each participant favours it, or the first side, in points of a disposition.
        called: the names of participants and sides, by id.
    """
    first, second = sides or (FOR, AGAINST)
    positions = {
        id: first if leaning >= _TAKES_A_STAND else second if leaning <= -_TAKES_A_STAND else OPEN
        for id, leaning in leanings.items()
    }

    def names(position: str) -> str:
        return ", ".join(called[id] for id, side in positions.items() if side == position)

    def sentence(key: str, **values: str) -> str:
        return wording.sentence(f"debate_{key}", **values)

    lines = [
        (
            sentence("side", side=called[position], names=names(position))
            if sides
            else sentence(position, names=names(position))
        )
        for position in (first, second)
        if names(position)
    ]
    lines += [sentence("open", names=names(OPEN))] if names(OPEN) else []
    counts = {position: list(positions.values()).count(position) for position in (first, second)}
    winner = max(counts, key=lambda position: counts[position])
    if not counts[winner]:
        outcome = sentence("undecided", topic=topic)
    elif counts[first] == counts[second]:
        outcome = sentence("split", topic=topic)
    else:
        extent = "all" if counts[winner] == len(positions) else "most"
        outcome = (
            sentence(f"{extent}_side", topic=topic, side=called[winner])
            if sides
            else sentence(f"{extent}_{winner}", topic=topic)
        )
    return Decision(positions, " ".join(lines), outcome)


def written_outcome(answer: Any) -> dict[str, Any]:
    """Read the answer of a debate_writer: the outcome, and other keys it may have.

    Raises:
        ValueError: the answer has no outcome.
    """
    fields = {"outcome": answer} if isinstance(answer, str) else answer
    outcome = fields.get("outcome") if isinstance(fields, Mapping) else None
    if not isinstance(outcome, str) or not outcome.strip():
        raise ValueError(f'it returned {shown(answer)}, which has no String "outcome"')
    result: dict[str, Any] = {"outcome": cut(outcome, LONGEST)}
    if isinstance(fields.get("summary"), str) and fields["summary"].strip():
        result["summary"] = cut(fields["summary"], LONGEST)
    importance = fields.get("importance")
    if isinstance(importance, int | float) and not isinstance(importance, bool) and 1 <= importance <= 10:
        result["importance"] = int(importance)
    return result


def text_of(debate: Mapping[str, Any], names: Iterable[str]) -> str:
    """The text by which a debate is searched."""
    parts = [debate["topic"], ", ".join(names), debate["summary"], debate["outcome"]]
    return "\n".join(part for part in parts if part)
