"""Memories and questions of a village, any number of them, the same ones for the same seed."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PERSONAS_NAME = "light_characters.json"

_SECONDS_PER_DAY = 86_400.0
_REMEMBERED_DAYS = 60
_PERSONA_SHARE = 0.4
"""Share of memories from personas, if there are any."""

_PEOPLE = (
    *("Aldric", "Brenna", "Cedany", "Doran", "Edda", "Fenwick", "Greta", "Harlan", "Isolde", "Jorund"),
    *("Katla", "Leofric", "Maren", "Nils", "Odila", "Perrin", "Quill", "Rosamund", "Sigrid", "Tobias"),
    *("Ulla", "Viktor", "Wenna", "Ysolt", "Zeno", "the miller", "the old ferryman", "the captain's widow"),
)
_PLACES = (
    *("the mill", "the inn", "the harbour", "the chapel", "the smithy", "the north gate", "the apiary"),
    *("the charcoal huts", "the sunken road", "the ferry landing", "the orchard", "the tithe barn"),
    *(
        "the watchtower",
        "the tannery",
        "the salt cellar",
        "the quarry",
        "the herb garden",
        "the gallows hill",
    ),
)
_THINGS = (
    *("a silver ring", "a sack of barley", "a letter with a broken seal", "a lame grey mare", "a lantern"),
    *("a rusted key", "three jars of honey", "a map of the marshes", "a wedding dress", "a keg of cider"),
    *("a broken oar", "a hunting horn", "a child's wooden knight", "a debt of forty crowns", "a fishing net"),
    *("a book of hymns", "a bag of seed", "a dagger with a bone handle", "a cracked bell", "a blue cloak"),
)
_FEELINGS = ("joy", "anger", "fear", "sadness", "surprise", "trust", "disgust", "calm")
_HOW = (
    *("quietly", "in front of everyone", "with shaking hands", "for the second time", "before sunrise"),
    *("after the storm", "during the harvest feast", "without being asked", "against the elders' advice"),
    *("while the bells rang", "on the last market day", "as if it were nothing", "with tears in the eyes"),
)

_Event = tuple[str, int, tuple[str, ...]]
_EVENTS: tuple[_Event, ...] = (
    (
        "conversation",
        4,
        (
            'The player asked {how} about {thing} that {person} had left at {place}, and said, "{line}"',
            'At {place} the player told me that {person} was looking for {thing}. "{line}"',
            "{person} and I spoke {how} about {thing}; the player listened from the door of {place}.",
        ),
    ),
    ("general", 3, ("{person} carried {thing} to {place} {how}.", "I saw {person} at {place} {how}.")),
    (
        "gift_received",
        7,
        ("The player gave me {thing} {how}, near {place}; {person} had said I would like it.",),
    ),
    (
        "promise_made",
        8,
        ("The player promised {person} {how} to bring {thing} back to {place} within a week.",),
    ),
    (
        "promise_broken",
        8,
        ("The player had promised {person} {thing}, and came to {place} {how} with empty hands.",),
    ),
    ("quest_completed", 8, ("The player found {thing} of {person} and brought it to {place} {how}.",)),
    ("betrayal", 9, ("The player sold {thing} of {person} {how}, and lied about it to my face at {place}.",)),
    ("secret_revealed", 9, ("{person} confided to me {how} that {thing} lies hidden below {place}.",)),
)
_EVENT_WEIGHTS = (40, 30, 8, 6, 4, 8, 2, 2)
_LINES = (
    *(
        "Nobody here tells the truth about it.",
        "I will pay you back, I swear.",
        "Who else was there that day?",
    ),
    *("You can trust me with this.", "It was already broken when I found it.", "Keep it between us."),
    *("My sister would have known what to do.", "There is no hurry.", "Have you ever been across the river?"),
)
_QUESTIONS = (
    "What do you know about {thing} at {place}?",
    "Did {person} ever come to {place}?",
    "I met {person} {how}. Should I trust them?",
    "Do you remember who brought {thing} to {place}?",
    "Hello again! {person} sent me because of {thing}.",
    "What happened at {place} {how}?",
    "You promised to tell me about {person} and {thing}.",
    "Is it true that {person} hides something at {place}?",
)


def read_personas(folder: Path) -> list[str]:
    """Statements of the characters in the shared data; empty if there are none."""
    file = folder / PERSONAS_NAME
    if not file.is_file():
        return []
    characters = json.loads(file.read_text(encoding="utf-8"))
    return sorted({text.strip() for character in characters for text in character["persona"] if text.strip()})


def memories(count: int, seed: int, now: float, personas: Sequence[str] = ()) -> list[dict[str, Any]]:
    """`count` memories of one NPC, no two alike, as store_batch() takes them; in the order they happened."""
    source = random.Random(f"memories {seed}")
    texts: set[str] = set()
    made: list[dict[str, Any]] = []
    for number in range(count):
        age_days = _REMEMBERED_DAYS * (1 - number / count)
        memory = _memory(source, personas)
        while memory["text"] in texts:
            memory["text"] += f" {source.choice(_LINES)}"
        texts.add(memory["text"])
        made.append({**memory, "timestamp": now - age_days * _SECONDS_PER_DAY})
    if made:
        made[0] = {
            "text": "The player's name is Theron.",
            "importance": 10,
            "event_type": "player_info",
            "info_type": "player_name",
            "slot_type": "player_name",
            "timestamp": now - _REMEMBERED_DAYS * _SECONDS_PER_DAY,
        }
    return made


def questions(count: int, seed: int) -> list[str]:
    """`count` things the player says, no two alike."""
    source = random.Random(f"questions {seed}")
    made: dict[str, None] = {}
    while len(made) < count:
        made[_filled(source, source.choice(_QUESTIONS))[0]] = None
    return list(made)


def _memory(source: random.Random, personas: Sequence[str]) -> dict[str, Any]:
    if personas and source.random() < _PERSONA_SHARE:
        person = source.choice(_PEOPLE)
        text = f'{person} said, "{source.choice(personas)}"'
        return {
            "text": text,
            "importance": source.randint(2, 6),
            "event_type": "conversation",
            "participants": [person],
        }
    (event_type, importance, texts) = source.choices(_EVENTS, _EVENT_WEIGHTS)[0]
    text, person, place = _filled(source, source.choice(texts))
    return {
        "text": text,
        "importance": max(1, min(10, importance + source.randint(-2, 2))),
        "event_type": event_type,
        "emotion": source.choice(_FEELINGS),
        "location": place,
        "participants": [person],
    }


def _filled(source: random.Random, template: str) -> tuple[str, str, str]:
    person, place = source.choice(_PEOPLE), source.choice(_PLACES)
    text = template.format(
        person=person,
        place=place,
        thing=source.choice(_THINGS),
        how=source.choice(_HOW),
        line=source.choice(_LINES),
    )
    return text[0].upper() + text[1:], person, place
