"""The evidence for a condition of knows() in a language whose sentences are not parsed.

A true condition often says what happened in other words. A false one about the same matter has the memory's
own words but for one: another person, another thing, the opposite. So what supports a condition is similarity
that shared words do not explain, and what speaks against it is a word too many, or people in another order.
`other_words_weights.py` says how much each number counts, per model.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from rag_memory.config.event_words import DEFAULT_EVENT_WORDS
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.retrieval.evidence import Account
from rag_memory.text.languages.condition_words import MASK, ConditionWords
from rag_memory.text.terms import words

NUMBERS = (
    *("similarity", "lift", "words_found", "memory_words_found", "one_word_differs", "words_elsewhere"),
    *("roles_reversed", "order_reversed", "denied"),
)
"""The numbers of a memory, in their order."""

_READ = 3
"""Memories: the most similar ones."""
_HIGHEST = 0.6
_NPC, _PLAYER = "@npc", "@player"
_HAN_OR_KATAKANA = lazy_pattern(r"[\u3400-\u9fff\u30a1-\u30fa]")
_HAN = lazy_pattern(r"[\u3400-\u9fff]")
_ARABIC_PREFIX = lazy_pattern("^(?:وال|بال|ال|و|ب|ل)(?=..)")
_WORD = lazy_pattern(r"[\w'’]+")
_SHORTEST = 3
_CONVERSES = frozenset({"buy", "sell"})
"""What one sells, the other buys."""
_ALL = 0.999
_MOST_DISORDER = 0.3
_RESTATED = 0.5
"""The similarity of what has the same words. A full stop less costs a third of it in the pack's model."""


class _Reading(NamedTuple):
    stems: Mapping[str, int]
    """Where each of them is first."""
    deeds: Mapping[str, frozenset[str]]
    """By kind of event: the stems that speak of it."""
    people: Mapping[str, int]
    """Where the player and the NPC are first."""
    is_denied: bool
    by_npc: bool
    to_npc: bool


def evidence(
    condition: str, memories: Sequence[Account], table: ConditionWords, player: Iterable[str]
) -> list[list[float]]:
    """The `NUMBERS` of the memories most similar to a condition. `player`: names, in lower case."""
    names = list(player)
    wanted = _read(condition, table, names)
    counts = Counter(stem for memory in memories for stem in _stems(table.masked(memory.text, names), table))
    total = sum(memory.similarity for memory in memories)
    nearest = sorted(memories, key=lambda memory: -memory.similarity)[:_READ]
    return [
        _numbers(wanted, _read(memory.text, table, names), memory, (total, len(memories)), counts)
        for memory in nearest
    ]


def is_restated(numbers: Sequence[float]) -> bool:
    """Return True if a memory has every word of the condition, and nothing speaks against it."""
    of = dict(zip(NUMBERS, numbers, strict=True))
    is_contradicted = of["roles_reversed"] or of["denied"] or of["order_reversed"] > _MOST_DISORDER
    is_complete = of["words_found"] >= _ALL and not of["one_word_differs"]
    return is_complete and of["similarity"] >= _RESTATED and not is_contradicted


def _numbers(
    wanted: _Reading, said: _Reading, memory: Account, of_all: tuple[float, int], counts: Counter[str]
) -> list[float]:
    total, number = of_all
    kinds = frozenset(DEFAULT_EVENT_WORDS.get(memory.event_type, "").split()) | said.deeds.keys()
    shared = wanted.stems.keys() & said.stems.keys()
    by_deed = frozenset[str]().union(*(stems for kind, stems in wanted.deeds.items() if kind in kinds))
    missing = wanted.stems.keys() - said.stems.keys()

    def weight(stems: Iterable[str]) -> float:
        return sum(math.log((number + 1) / (counts[stem] + 0.5)) for stem in stems)

    share = weight(shared) / (weight(wanted.stems) or 1.0)
    share_of_memory = weight(shared) / (weight(said.stems) or 1.0)
    is_denied = wanted.is_denied != said.is_denied
    others = (total - memory.similarity) / (number - 1) if number > 1 else memory.similarity
    return [
        min(memory.similarity, _HIGHEST),
        memory.similarity - others,
        weight(shared | by_deed) / (weight(wanted.stems) or 1.0),
        share_of_memory,
        share * share_of_memory if missing else 0.0,
        sum(counts[stem] > 0 for stem in missing) / max(1, len(wanted.stems)),
        float(_is_reversed(wanted, said)),
        _disorder(wanted, said),
        float(is_denied and not missing - by_deed),
    ]


def _read(text: str, table: ConditionWords, player: Sequence[str]) -> _Reading:
    masked = table.masked(text, player)
    by_npc, to_npc = table.is_done_by_npc.search(masked), table.is_done_to_npc.search(masked)
    places = {_PLAYER: masked.find(MASK)} if MASK in masked else {}
    if by_npc or to_npc:
        places[_NPC] = min(match.start() for match in (by_npc, to_npc) if match)
    return _Reading(
        _stems(masked, table),
        {
            kind: frozenset(stem for word in spoken for stem in _stems(word, table))
            for kind, spoken in table.recall.event_matches(masked).items()
        },
        places,
        table.is_denied.search(masked) is not None,
        by_npc is not None,
        to_npc is not None,
    )


def _stems(text: str, table: ConditionWords) -> dict[str, int]:
    """The stems of the words that carry meaning, and where each of them is first."""
    stems: dict[str, int] = {}
    for match in _WORD.finditer(text):
        parts = _spaced_stems(match.group(), table) if table.has_spaces else _pairs(match.group(), table)
        for stem, place in parts:
            stems.setdefault(stem, match.start() + place)
    return stems


def _spaced_stems(written: str, table: ConditionWords) -> Iterator[tuple[str, int]]:
    for word in words(written):
        if word in table.common or word in table.recall.common:
            continue
        bare = _ARABIC_PREFIX.sub("", word)
        if len(bare) >= min(_SHORTEST, table.stem_length):
            yield bare[: table.stem_length], 0


def _pairs(run: str, table: ConditionWords) -> Iterator[tuple[str, int]]:
    """Pairs of neighbours, and single Han characters. In Japanese what is all hiragana is mostly grammar."""
    for place, character in enumerate(run):
        if character in table.common:
            continue
        if _HAN.match(character):
            yield character, place
        pair = run[place : place + 2]
        if len(pair) == 2 and pair[1] not in table.common and _HAN_OR_KATAKANA.search(pair):
            yield pair, place


def _is_reversed(wanted: _Reading, said: _Reading) -> bool:
    """Return True if of the player and the NPC one acts in the condition, and the other in the memory."""
    if _PLAYER not in wanted.people or _PLAYER not in said.people:
        return False
    if wanted.deeds.keys() | said.deeds.keys() >= _CONVERSES:
        return False
    wanted_side, said_side = ((of.by_npc, of.to_npc) for of in (wanted, said))
    return {wanted_side, said_side} == {(True, False), (False, True)}


def _disorder(wanted: _Reading, said: _Reading) -> float:
    """Return the share of the pairs of shared words and people that stand in the opposite order."""
    places, others = {**wanted.stems, **wanted.people}, {**said.stems, **said.people}
    signs = [
        (places[one] - places[other]) * (others[one] - others[other])
        for one, other in combinations(places.keys() & others.keys(), 2)
    ]
    ordered = [sign for sign in signs if sign]
    return sum(sign < 0 for sign in ordered) / len(ordered) if ordered else 0.0
