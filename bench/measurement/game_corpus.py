"""A made-up life of one innkeeper, and questions whose answers are known: the same ones for the same seed.

What public conversations do not test is here: facts that change, promises that are kept or broken, names that
collide, memories that matter among gossip about the same people. Background is that of game_text.py.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from . import game_text

NOW = 1_750_000_000.0
LEAST_MEMORIES = 2000
LATEST, HISTORY, WEIGHT, EVENT = "latest", "history", "weight", "event"

_DAY = 86_400.0
_DAYS = 180
_FIRST = (
    *("Aldwin", "Berta", "Conrad", "Dagmar", "Egil", "Frida", "Gunnar", "Hilda", "Ivar", "Jutta"),
    *("Kaspar", "Lena", "Mirko", "Nora", "Oswin"),
)
_SECOND = ("Stone", "Rivers", "Brandt", "of the Vale")
_WHERE = (
    *("the mill", "the harbour", "Rose Cottage", "the old watchtower", "the tannery", "Miller's Row"),
    *("the north gate", "the orchard", "the convent", "the ferry house", "Stone Bridge", "the apiary"),
)
_JOBS = (
    *("a tanner", "a night guard", "a herbalist", "a carter", "a bell founder", "a scribe", "a fisher"),
    *("a charcoal burner", "a midwife", "a tax collector", "a rope maker", "a cook"),
)
_GOODS = (
    *("a silver comb", "a barrel of pitch", "two goats", "a saddle", "a winter coat", "a lute", "seed corn"),
    *("a mirror", "a set of knives", "a psalter", "a copper kettle", "a fishing boat"),
)
_MOVES = (
    "{person} moved to {value}.",
    "{person} has taken a room at {value}.",
    "I heard that {person} lives at {value} now.",
)
_WORKS = (
    "{person} found work as {value}.",
    "{person} told me about being {value} now.",
    "They say {person} earns a living as {value}.",
)
_DEBTS = (
    "{person} owes the player {value} crowns.",
    "The debt of {person} to the player stands at {value} crowns.",
    "{person} and the player agreed on {value} crowns of debt.",
)
_ASK = {
    "home": ("Where does {person} live now?", "Where would I find {person} these days?"),
    "work": ("What does {person} do for a living now?", "What work does {person} have these days?"),
    "debt": ("How much does {person} owe me now?", "How many crowns of debt does {person} have?"),
}
_ASK_HISTORY = {
    "home": "Where has {person} lived all this time?",
    "work": "Which jobs has {person} had?",
    "debt": "How did the debt of {person} change?",
}
_DEEDS = (
    ("betrayal", 10, "{person} sold me to the tax men for a purse of silver.", "Can I trust {person}?"),
    ("saved_life", 10, "{person} pulled me out of the burning stable.", "What do you think of {person}?"),
    ("secret_revealed", 9, "{person} confessed to me to have poisoned the well.", "Tell me about {person}."),
)
_CHATTER = (
    "{person} complained about the price of salt.",
    "{person} sang off key at the counter.",
    "{person} asked for more gravy.",
    "{person} praised the new ale.",
    "{person} dozed by the hearth until closing.",
    "{person} lost at dice and laughed about it.",
)


@dataclass(frozen=True)
class Question:
    """A question at the end of the story. `wanted` are places in the list of memories; for a fact that
    changed the last one is what holds now.
    """

    kind: str
    text: str
    wanted: tuple[int, ...]


@dataclass(frozen=True)
class Corpus:
    """Memories in the order in which they happened, as store_batch() takes them; and the questions."""

    memories: list[dict[str, Any]]
    questions: list[Question]


def corpus(memories: int, seed: int) -> Corpus:
    """At least `memories` memories and 300 questions."""
    source = random.Random(f"game corpus {seed}")
    stored: list[tuple[float, dict[str, Any], str]] = []
    asked: list[tuple[str, str, str]] = []
    people = [f"{first} {second}" for first in _FIRST for second in source.sample(_SECOND, 3)]
    for person in people:
        for topic, texts, values in (("home", _MOVES, _WHERE), ("work", _WORKS, _JOBS)):
            _tell_changes(source, stored, asked, person, topic, texts, values)
        if source.random() < 0.5:
            amounts = [str(amount) for amount in range(10, 100, 7)]
            _tell_changes(source, stored, asked, person, "debt", _DEBTS, amounts)
        _tell_promise(source, stored, asked, person)
        for chatter in source.sample(_CHATTER, 4):
            stored.append((source.random(), _memory(chatter.format(person=person), person, 3), ""))
    for number, person in enumerate(people):
        event_type, importance, text, question = _DEEDS[number % len(_DEEDS)]
        key = f"deed of {person}"
        deed = _memory(text.format(person=person), person, importance, event_type)
        stored.append((0.3 * source.random(), deed, key))
        asked.append((WEIGHT, question.format(person=person), key))
    background = game_text.memories(max(0, memories - len(stored)), seed, NOW)
    stored += [(source.random(), {**memory, "slot_type": ""}, "") for memory in background[1:]]
    stored.append((0.0, _memory("The inn opened its doors for the first time.", "", 6), ""))
    stored.sort(key=lambda entry: entry[0])
    places: dict[str, list[int]] = {}
    for place, (_, _, key) in enumerate(stored):
        places.setdefault(key, []).append(place)
    return Corpus(
        [{**memory, "timestamp": NOW - (1 - moment) * _DAYS * _DAY - _DAY} for moment, memory, _ in stored],
        [Question(kind, text, tuple(places[key])) for kind, text, key in asked],
    )


def _tell_changes(
    source: random.Random,
    stored: list[tuple[float, dict[str, Any], str]],
    asked: list[tuple[str, str, str]],
    person: str,
    topic: str,
    texts: tuple[str, ...],
    values: Any,
) -> None:
    key = f"{topic} of {person}"
    count = source.randint(2, 4)
    for value, moment in zip(
        source.sample(list(values), count), sorted(source.random() for _ in range(count)), strict=True
    ):
        text = source.choice(texts).format(person=person, value=value)
        stored.append((moment, _memory(text, person, source.randint(4, 6)), key))
    asked.append((LATEST, source.choice(_ASK[topic]).format(person=person), key))
    asked.append((HISTORY, _ASK_HISTORY[topic].format(person=person), key))


def _tell_promise(
    source: random.Random,
    stored: list[tuple[float, dict[str, Any], str]],
    asked: list[tuple[str, str, str]],
    person: str,
) -> None:
    thing = source.choice(_GOODS)
    key = f"promise to {person}"
    given = source.random() * 0.8
    promise = f"The player promised {person} to bring {thing} before the first snow."
    stored.append((given, _memory(promise, person, 7, "promise_made"), key))
    if source.random() < 0.5:
        broken = f"The player broke the promise to {person}: {thing} never came."
        stored.append((given + 0.2 * source.random(), _memory(broken, person, 7, "promise_broken"), key))
    asked.append((EVENT, f"What was promised to {person}, and what came of it?", key))


def _memory(text: str, person: str, importance: int, event_type: str = "general") -> dict[str, Any]:
    named = {"participants": [person]} if person else {}
    return {"text": text, "importance": importance, "event_type": event_type, **named}
