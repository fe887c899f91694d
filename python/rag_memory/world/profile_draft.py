"""A profile without a language model: sentences from the table of wordings, with the data of an NPC.

The id of the NPC decides which of several sentences is used, so that two NPCs do not sound alike, and one NPC
always sounds the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.config.people_wording import TEMPERS
from rag_memory.config.relationship_scales import DIMENSIONS, RELATION_TO_PLAYER, SUSPICION
from rag_memory.config.sentences import ENGLISH
from rag_memory.config.wording import Wording
from rag_memory.text.leaning import leans
from rag_memory.text.short_form import sentences_of, short_form
from rag_memory.world.profile import SEED, cut

LIKED = 20
"""The relation to the player, or its negative, from which on the backstory mentions it."""
_LONGEST_NAME = 100
_MOST_TRAITS = 8
_MOST_WISHES = 3
_QUOTED_CHARS = (120, 200)

_SEED_OF_TEMPER: Mapping[str, tuple[float, float, float]] = {
    "proud": (0, -10, 0),
    "brave": (0, 5, -5),
    "careful": (0, 0, 15),
    "kind": (5, 5, -10),
    "harsh": (-10, -10, 5),
    "honest": (5, 0, -5),
    "cunning": (-5, 0, 15),
    "merry": (5, 0, -5),
}
"""The changes of trust, respect and suspicion by a temper."""


class Person(NamedTuple):
    """The description of an NPC that a profile is written from; "" and nothing for what is missing."""

    npc_id: str
    name: str
    occupation: str
    culture: str
    clan: str
    faction: str
    place: str
    traits: Sequence[str]
    relation: float
    """To the player, -100 to 100."""
    lore: Sequence[str] = ()
    events: Sequence[str] = ()


def person_of(npc_id: str, stats: Mapping[str, Any]) -> Person:
    """The description of an NPC from its registered data and its stats."""

    def text(name: str) -> str:
        value = stats.get(name)
        return cut(value, _LONGEST_NAME) if isinstance(value, str) else ""

    value = stats.get("traits")
    traits = (
        [cut(trait, _LONGEST_NAME) for trait in value if isinstance(trait, str)]
        if isinstance(value, list)
        else []
    )
    relation = stats.get("relation_to_player")
    is_number = isinstance(relation, int | float) and not isinstance(relation, bool)
    return Person(
        npc_id,
        text("name") or npc_id,
        text("occupation"),
        text("culture"),
        text("clan"),
        text("faction"),
        text("location"),
        [trait for trait in traits if trait][:_MOST_TRAITS],
        RELATION_TO_PLAYER.limited(float(relation)) if is_number and relation is not None else 0.0,
    )


def draft_of(wording: Wording, person: Person) -> dict[str, Any]:
    """The profile of a person."""
    tempers = _tempers(wording, person.traits)
    traits = list(person.traits) or _some(wording, person, "trait_plain", 2)
    speech = [wording.sentence(f"speech_{temper}") for temper in tempers[:1]]
    return {
        "backstory": " ".join(_backstory(wording, person)),
        "personality": traits,
        "speech_style": (speech or _some(wording, person, "speech_plain", 1))[0],
        "goals": _wishes(wording, person, "goal", tempers),
        "fears": _wishes(wording, person, "fear", tempers),
        "loyalties": list(dict.fromkeys(temper for temper in (person.faction, person.clan) if temper)),
        SEED: _seed(person, tempers),
    }


def _backstory(wording: Wording, person: Person) -> Iterator[str]:
    parts = list(_parts(person))
    for key, values in parts:
        yield _sentence(_varied(wording, person, key, values))
    if person.relation >= LIKED:
        yield wording.sentence("profile_liked", name=person.name)
    elif person.relation <= -LIKED:
        yield wording.sentence("profile_disliked", name=person.name)
    elif not parts:
        yield _varied(wording, person, "profile_nothing", {"name": person.name})


def _parts(person: Person) -> Iterator[tuple[str, dict[str, str]]]:
    """The keys of the sentences that apply, with their values."""
    name, place, occupation = person.name, person.place, person.occupation
    if place and occupation:
        yield "profile_at_work", {"name": name, "occupation": occupation, "place": place}
    elif occupation:
        yield "profile_work", {"name": name, "occupation": occupation}
    elif place:
        yield "profile_place", {"name": name, "place": place}
    for kind in ("culture", "clan", "faction"):
        if value := getattr(person, kind):
            yield f"profile_{kind}", {"name": name, kind: value}
    if person.traits:
        yield "profile_traits", {"name": name, "traits": ", ".join(person.traits)}
    if lore := _sentence_about(person, person.lore):
        yield "profile_lore", {"name": name, "lore": short_form(lore, *_QUOTED_CHARS)}
    if person.events:
        yield "profile_event", {"name": name, "event": short_form(person.events[0], *_QUOTED_CHARS)}


def _sentence_about(person: Person, texts: Sequence[str]) -> str:
    """The first sentence that names where the NPC belongs; "" when there is none."""
    belongs_to = (person.culture, person.faction, person.clan, person.place)
    names = [name.casefold() for name in belongs_to if name]
    sentences = (sentence.strip() for text in texts for sentence in sentences_of(text))
    return next(
        (
            sentence
            for sentence in sentences
            if any(name in sentence.casefold() for name in names) and not leans(sentence)
        ),
        "",
    )


def _wishes(wording: Wording, person: Person, kind: str, tempers: Sequence[str]) -> list[str]:
    wishes = [
        wording.sentence(f"{kind}_{name}", **{name: value})
        for name in ("faction", "clan")
        if (value := getattr(person, name))
    ]
    if kind == "goal" and person.occupation:
        wishes.append(wording.sentence("goal_work"))
    own = [wording.sentence(f"{kind}_{temper}") for temper in tempers[:1]]
    return [*own, *wishes][:_MOST_WISHES] or _some(wording, person, f"{kind}_plain", 1)


def _tempers(wording: Wording, traits: Sequence[str]) -> list[str]:
    """The tempers that the traits name, in the order of the traits."""
    words = {temper: wording.sentence(f"words_{temper}").casefold().split() for temper in TEMPERS}
    tempers = [
        temper
        for trait in traits
        for word in trait.casefold().replace(",", " ").split()
        for temper in TEMPERS
        if word in words[temper]
    ]
    return list(dict.fromkeys(tempers))


def _seed(person: Person, tempers: Sequence[str]) -> dict[str, float]:
    trust = DIMENSIONS["trust"].usual + person.relation / 2
    respect = DIMENSIONS["respect"].usual + person.relation / 4
    suspicion = SUSPICION.usual - person.relation / 10
    for temper in tempers:
        more = _SEED_OF_TEMPER[temper]
        trust, respect, suspicion = trust + more[0], respect + more[1], suspicion + more[2]
    return {
        "trust": float(DIMENSIONS["trust"].limited(trust)),
        "respect": float(DIMENSIONS["respect"].limited(respect)),
        "suspicion": float(SUSPICION.limited(suspicion)),
    }


def _varied(wording: Wording, person: Person, key: str, values: Mapping[str, str]) -> str:
    (chosen,) = _keys(person, key, 1)
    return wording.sentence(chosen, **values)


def _some(wording: Wording, person: Person, key: str, count: int) -> list[str]:
    return [wording.sentence(variant) for variant in _keys(person, key, count)]


def _keys(person: Person, key: str, count: int) -> list[str]:
    """Some of the keys `key_1`, `key_2` ..., always the same for an NPC."""
    ways = sum(1 for number in range(1, 10) if f"{key}_{number}" in ENGLISH)
    digest = hashlib.blake2b(f"{person.npc_id}\0{key}".encode(), digest_size=8).digest()
    first = int.from_bytes(digest, "big") % ways
    return [f"{key}_{(first + number) % ways + 1}" for number in range(min(count, ways))]


def _sentence(text: str) -> str:
    return text if text.rstrip("\"'”“»)]").endswith((".", "!", "?", "…", "。")) else f"{text}."
