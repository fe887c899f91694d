"""A profile without a language model: what is known of an NPC, in sentences from the table of wordings.

It says nothing but what it was given. Which of several ways to say something is taken follows from the id of
the NPC, so that two of them do not sound alike, and the same one always does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.config.people_wording import TEMPERS
from rag_memory.config.sentences import ENGLISH
from rag_memory.config.wording import Wording
from rag_memory.text.leaning import leans
from rag_memory.text.short_form import sentences_of, short_form
from rag_memory.world.profile import SEED, cut

LIKED = 20
"""A relation to the player from which on, or down to its negative, the backstory tells of it."""
_LONGEST_NAME = 100
_MOST_TRAITS = 8
_MOST_WISHES = 3
_QUOTED_CHARS = (120, 200)

_TRUST, _RESPECT, _SUSPICION = 50.0, 30.0, 10.0
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
"""What a temper adds to trust, respect and suspicion."""


class Known(NamedTuple):
    """What is known of an NPC; "" and nothing for what is not."""

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


def known_of(npc_id: str, stats: Mapping[str, Any]) -> Known:
    """What a character's record and numbers tell."""

    def text(name: str) -> str:
        value = stats.get(name)
        return cut(value, _LONGEST_NAME) if isinstance(value, str) else ""

    told = stats.get("traits")
    traits = (
        [cut(each, _LONGEST_NAME) for each in told if isinstance(each, str)] if isinstance(told, list) else []
    )
    relation = stats.get("relation_to_player")
    is_number = isinstance(relation, int | float) and not isinstance(relation, bool)
    return Known(
        npc_id,
        text("name") or npc_id,
        text("occupation"),
        text("culture"),
        text("clan"),
        text("faction"),
        text("location"),
        [each for each in traits if each][:_MOST_TRAITS],
        max(-100.0, min(100.0, float(relation))) if is_number and relation is not None else 0.0,
    )


def draft_of(wording: Wording, known: Known) -> dict[str, Any]:
    """The profile of what is known."""
    tempers = _tempers(wording, known.traits)
    traits = list(known.traits) or _some(wording, known, "trait_plain", 2)
    speech = [wording.sentence(f"speech_{each}") for each in tempers[:1]]
    return {
        "backstory": " ".join(_backstory(wording, known)),
        "personality": traits,
        "speech_style": (speech or _some(wording, known, "speech_plain", 1))[0],
        "goals": _wishes(wording, known, "goal", tempers),
        "fears": _wishes(wording, known, "fear", tempers),
        "loyalties": list(dict.fromkeys(each for each in (known.faction, known.clan) if each)),
        SEED: _seed(known, tempers),
    }


def _backstory(wording: Wording, known: Known) -> Iterator[str]:
    parts = list(_parts(known))
    for key, values in parts:
        yield _sentence(_varied(wording, known, key, values))
    if known.relation >= LIKED:
        yield wording.sentence("profile_liked", name=known.name)
    elif known.relation <= -LIKED:
        yield wording.sentence("profile_disliked", name=known.name)
    elif not parts:
        yield _varied(wording, known, "profile_nothing", {"name": known.name})


def _parts(known: Known) -> Iterator[tuple[str, dict[str, str]]]:
    """The keys of the sentences that can be told, with their values."""
    name, place, occupation = known.name, known.place, known.occupation
    if place and occupation:
        yield "profile_at_work", {"name": name, "occupation": occupation, "place": place}
    elif occupation:
        yield "profile_work", {"name": name, "occupation": occupation}
    elif place:
        yield "profile_place", {"name": name, "place": place}
    for kind in ("culture", "clan", "faction"):
        if value := getattr(known, kind):
            yield f"profile_{kind}", {"name": name, kind: value}
    if known.traits:
        yield "profile_traits", {"name": name, "traits": ", ".join(known.traits)}
    if lore := _told_of(known, known.lore):
        yield "profile_lore", {"name": name, "lore": short_form(lore, *_QUOTED_CHARS)}
    if known.events:
        yield "profile_event", {"name": name, "event": short_form(known.events[0], *_QUOTED_CHARS)}


def _told_of(known: Known, texts: Sequence[str]) -> str:
    """The first sentence that names where the NPC belongs; "" when there is none."""
    names = [each.casefold() for each in (known.culture, known.faction, known.clan, known.place) if each]
    sentences = (sentence.strip() for text in texts for sentence in sentences_of(text))
    return next(
        (each for each in sentences if any(name in each.casefold() for name in names) and not leans(each)), ""
    )


def _wishes(wording: Wording, known: Known, kind: str, tempers: Sequence[str]) -> list[str]:
    told = [
        wording.sentence(f"{kind}_{name}", **{name: value})
        for name in ("faction", "clan")
        if (value := getattr(known, name))
    ]
    if kind == "goal" and known.occupation:
        told.append(wording.sentence("goal_work"))
    own = [wording.sentence(f"{kind}_{each}") for each in tempers[:1]]
    return [*own, *told][:_MOST_WISHES] or _some(wording, known, f"{kind}_plain", 1)


def _tempers(wording: Wording, traits: Sequence[str]) -> list[str]:
    """The tempers that the traits speak of, the first trait's first."""
    words = {temper: wording.sentence(f"words_{temper}").casefold().split() for temper in TEMPERS}
    found = [
        temper
        for trait in traits
        for word in trait.casefold().replace(",", " ").split()
        for temper in TEMPERS
        if word in words[temper]
    ]
    return list(dict.fromkeys(found))


def _seed(known: Known, tempers: Sequence[str]) -> dict[str, float]:
    trust, respect, suspicion = _TRUST + known.relation / 2, _RESPECT + known.relation / 4, _SUSPICION
    suspicion -= known.relation / 10
    for temper in tempers:
        more = _SEED_OF_TEMPER[temper]
        trust, respect, suspicion = trust + more[0], respect + more[1], suspicion + more[2]
    return {
        "trust": max(-100.0, min(100.0, trust)),
        "respect": max(-100.0, min(100.0, respect)),
        "suspicion": max(0.0, min(100.0, suspicion)),
    }


def _varied(wording: Wording, known: Known, key: str, values: Mapping[str, str]) -> str:
    (chosen,) = _keys(known, key, 1)
    return wording.sentence(chosen, **values)


def _some(wording: Wording, known: Known, key: str, count: int) -> list[str]:
    return [wording.sentence(each) for each in _keys(known, key, count)]


def _keys(known: Known, key: str, count: int) -> list[str]:
    """Some of the sentences `key_1`, `key_2` ..., always the same of an NPC."""
    ways = sum(1 for number in range(1, 10) if f"{key}_{number}" in ENGLISH)
    digest = hashlib.blake2b(f"{known.npc_id}\0{key}".encode(), digest_size=8).digest()
    first = int.from_bytes(digest, "big") % ways
    return [f"{key}_{(first + number) % ways + 1}" for number in range(min(count, ways))]


def _sentence(text: str) -> str:
    return text if text.rstrip("\"'”“»)]").endswith((".", "!", "?", "…", "。")) else f"{text}."
