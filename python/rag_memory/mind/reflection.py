"""Insights that follow from an NPC's memories without a language model: who treats it how, and where.

An insight states only what its evidence says: how often somebody was kind or unkind to her, or a place good
or bad. At least two events stand behind each: two memories, or one that was repeated.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.config.wording import Wording
from rag_memory.memory.game_time import SECONDS_PER_DAY
from rag_memory.memory.kind import FACT, REFLECTION
from rag_memory.memory.occurrences import times_in
from rag_memory.memory.record import Record, digest_of
from rag_memory.validation import clean_text, mapping_in, to_json

PERSON, PLACE, DEBT = "person", "place", "debt"
GOOD, MIXED, BAD = 1, 0, -1
LEAST_EVIDENCE = 2

_SPECIAL = {"helped": "insight_helped", "gift_received": "insight_gifts", "attacked": "insight_attacked"}
"""The keys of what is concluded from memories of one event type alone."""
_ROOM_FOR_ABOUT = 10
"""`about` of an insight may take the room for metadata divided by this."""
_RETURNED = ("repaid", "returned_favour", "favour_returned")
"""Event types that settle a debt."""


class Insight(NamedTuple):
    """A conclusion. `subject` is what it is about, such as "person:kael"; of one subject, another `stance` is
    the opposite. `evidence` are ids of memories. `is_told`: a game's reflector said so, in words of its own.
    """

    text: str
    subject: str
    stance: int
    about: tuple[str, ...]
    evidence: tuple[str, ...]
    is_told: bool = False


class Seen(NamedTuple):
    """An event as evidence: what a memory tells, once for each time it happened."""

    id: str
    who: str
    """The id of whoever did it, or the name."""
    name: str
    sentiment: float
    event_type: str
    location: str
    timestamp: float
    times: int
    """More than 1 only for the first of more events than a memory has the times of."""


def seen(records: Sequence[Record]) -> list[Seen]:
    """Return what an insight may follow from, oldest first."""
    events = [event for record in records for event in _events(record)]
    return sorted(events, key=lambda event: event.timestamp)


def _events(record: Record) -> list[Seen]:
    times = sorted(times_in(record.extra))[-record.repeat_count :]
    if not times:
        times = [record.first_timestamp, record.timestamp][-record.repeat_count :]
    event = _seen(record)
    unlisted = record.repeat_count - len(times)
    return [
        event._replace(timestamp=at, times=1 + (unlisted if number == 0 else 0))
        for number, at in enumerate(times)
    ]


def _seen(record: Record) -> Seen:
    extra = mapping_in(record.extra)
    people = record.metadata("")["participants"]
    name = str(people[0]) if people else str(extra.get("source_id", ""))
    sentiment = extra.get("sentiment", 0)
    is_number = isinstance(sentiment, int | float) and not isinstance(sentiment, bool)
    return Seen(
        record.id,
        str(extra.get("source_id") or name),
        name,
        float(sentiment) if is_number else 0.0,
        record.event_type,
        record.location.strip(),
        record.timestamp,
        1,
    )


def is_evidence(record: Record) -> bool:
    """Return whether a memory tells of something that happened, and is no conclusion."""
    return record.kind not in (REFLECTION, FACT) and not record.superseded_by


def insights_from(config: Wording, evidence: Sequence[Seen]) -> list[Insight]:
    """Draw insights from memories, given oldest first; the insight from the most events comes first."""
    by_person: dict[str, list[Seen]] = defaultdict(list)
    by_place: dict[str, list[Seen]] = defaultdict(list)
    for memory in evidence:
        if memory.sentiment and memory.who:
            by_person[memory.who].append(memory)
        if memory.sentiment and memory.location:
            by_place[memory.location.casefold()].append(memory)
    candidates = [(_of_person(config, who, group), len(group)) for who, group in by_person.items()]
    candidates += [(_of_place(config, group), len(group)) for group in by_place.values()]
    ranked = sorted(candidates, key=lambda candidate: -candidate[1])
    return [insight for insight, _ in ranked if insight is not None]


def debts_from(config: Wording, evidence: Sequence[Seen]) -> list[Insight]:
    """Conclude whom the NPC owes a favour: everybody who has helped more than once, and got nothing back
    since. A returned favour is an insight of the opposite stance.
    """
    by_person: dict[str, list[Seen]] = defaultdict(list)
    returned: dict[str, Seen] = {}
    for memory in evidence:
        if memory.event_type in _RETURNED:
            by_person[memory.who].clear()
            returned[memory.who] = memory
        elif memory.event_type == "helped" and memory.sentiment > 0 and memory.who:
            by_person[memory.who].append(memory)
    debts = [
        _insight(config, "insight_debt", f"{DEBT}:{who}", GOOD, who, group)
        for who, group in by_person.items()
        if len(group) >= LEAST_EVIDENCE
    ]
    return debts + [
        _insight(config, "insight_settled", f"{DEBT}:{who}", BAD, who, [memory])
        for who, memory in returned.items()
        if len(by_person[who]) < LEAST_EVIDENCE
    ]


def _of_person(config: Wording, who: str, group: Sequence[Seen]) -> Insight | None:
    good = [memory for memory in group if memory.sentiment > 0]
    bad = [memory for memory in group if memory.sentiment < 0]
    subject = f"{PERSON}:{who}"
    if len(good) >= LEAST_EVIDENCE and len(bad) >= LEAST_EVIDENCE:
        if bad[-1].timestamp < good[0].timestamp:
            return _insight(config, "insight_better", subject, GOOD, who, group)
        if good[-1].timestamp < bad[0].timestamp:
            return _insight(config, "insight_worse", subject, BAD, who, group)
        return None
    for side, other, stance, usual, special in (
        (good, bad, GOOD, "insight_kind", ("helped", "gift_received")),
        (bad, good, BAD, "insight_unkind", ("attacked",)),
    ):
        if len(side) >= LEAST_EVIDENCE and not other:
            types = {memory.event_type for memory in side}
            said = next((_SPECIAL[type_] for type_ in special if types == {type_}), usual)
            return _insight(config, said, subject, stance, who, side)
    return None


def _of_place(config: Wording, group: Sequence[Seen]) -> Insight | None:
    stances = {memory.sentiment > 0 for memory in group}
    if len(group) < LEAST_EVIDENCE or len(stances) > 1:
        return None
    name = group[-1].location
    subject = f"{PLACE}:{name.casefold()}"
    said, stance = ("insight_good_place", GOOD) if stances == {True} else ("insight_bad_place", BAD)
    return _insight(config, said, subject, stance, name, group, name)


def _insight(
    config: Wording,
    said: str,
    subject: str,
    stance: int,
    about: str,
    group: Sequence[Seen],
    name: str = "",
) -> Insight:
    text = config.sentence(said, name=name or group[-1].name, often=_often(config, group))
    return Insight(text, subject, stance, (about,), tuple(dict.fromkeys(memory.id for memory in group)))


def _often(config: Wording, group: Sequence[Seen]) -> str:
    count = sum(memory.times for memory in group)
    often = config.often(count)
    days = (
        max(memory.timestamp for memory in group) - min(memory.timestamp for memory in group)
    ) / SECONDS_PER_DAY
    if days <= 1.0:
        return config.sentence("often_in_a_day", often=often)
    return config.sentence("often_in_a_week", often=often) if days <= 7.0 else often


def request(npc_id: str, evidence: Sequence[Record], count: int) -> dict[str, Any]:
    """Make the request to a game's reflector: the memories, and how many insights are wanted."""
    return {
        "npc_id": npc_id,
        "insights": count,
        "memories": [
            {
                "id": record.id,
                "text": record.document_full,
                "importance": record.importance,
                "timestamp": record.timestamp,
                "repeat_count": record.repeat_count,
                **{
                    name: record.metadata(npc_id).get(name, "")
                    for name in ("source_id", "emotion", "location")
                },
                "participants": record.metadata(npc_id)["participants"],
            }
            for record in evidence
        ],
    }


def answered(answer: Any, evidence: Sequence[Seen], count: int, config: MemoryConfig) -> list[Insight]:
    """Read the insights that a game's reflector returned: Strings, or Dictionaries with `text`, `evidence`
    (ids), `about` (ids of characters) and `stance` (-1, 0 or 1).

    Raises:
        ValueError: it is no such Array; says what is wrong.
    """
    if not isinstance(answer, list | tuple):
        raise ValueError("it returned no Array")
    ids = list(dict.fromkeys(memory.id for memory in evidence))
    insights = []
    for item in list(answer)[:count]:
        fields: Mapping[str, Any] = {"text": item} if isinstance(item, str) else item
        text = fields.get("text") if isinstance(fields, Mapping) else None
        if not isinstance(text, str) or not text.strip():
            raise ValueError("an insight is no String, and no Dictionary with a text")
        if len(text) > config.max_text_chars:
            raise ValueError(
                f"an insight has {len(text)} characters, and MemoryConfig.max_text_chars allows "
                f"{config.max_text_chars}"
            )
        named = fields.get("evidence", ids)
        if not isinstance(named, list | tuple) or not all(id in ids for id in named):
            raise ValueError("the evidence of an insight names other memories than it was given")
        if sum(memory.id in named for memory in evidence) < LEAST_EVIDENCE:
            raise ValueError("an insight has less than two events as its evidence")
        about = fields.get("about") or []
        if not isinstance(about, list | tuple) or not all(isinstance(name, str) for name in about):
            raise ValueError("`about` of an insight is no Array of Strings")
        if sum(len(to_json(name)) for name in about) > config.max_metadata_chars // _ROOM_FOR_ABOUT:
            raise ValueError("`about` of an insight is too long for MemoryConfig.max_metadata_chars")
        stance = fields.get("stance", MIXED)
        if stance not in (GOOD, MIXED, BAD):
            raise ValueError("the stance of an insight is none of -1, 0 and 1")
        text = clean_text(text.strip())
        subject = f"{PERSON}:{about[0]}" if about else f"text:{digest_of('', text.casefold())}"
        insights.append(Insight(text, subject, int(stance), tuple(about), tuple(dict.fromkeys(named)), True))
    return insights
