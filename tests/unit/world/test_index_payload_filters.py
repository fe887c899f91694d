"""A filter of a search leaves exactly those that meet it, whatever is asked, and changes no relevance."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from rag_memory import Save
from rag_memory.text.file_text import FileText

PLACES, PEOPLE = ("Ford", "Norhold", "Carrow"), ("elena", "kael", "mira")
FACTIONS, TYPES = ("north", "south"), ("raid", "feast")
QUESTION = "Who burned the mill?"


def events(dice: random.Random) -> list[dict[str, Any]]:
    return [
        {
            "id": f"event {number}",
            "summary": f"The mill number {number} burned.",
            "event_type": dice.choice(TYPES),
            "location": dice.choice(PLACES),
            "actor": dice.choice(PEOPLE),
            "target": dice.choice(PEOPLE),
            "actor_faction": dice.choice(FACTIONS),
            "importance": dice.randint(1, 10),
            "visibility": dice.choice(("global", "private")),
            "day": float(dice.randint(1, 30)),
        }
        for number in range(200)
    ]


def meets(event: Mapping[str, Any], filter: Mapping[str, Any]) -> bool:
    """The keys of a filter, as the documents describe them."""
    conditions: dict[str, Callable[[Any], bool]] = {
        "min_importance": lambda value: bool(event["importance"] >= value),
        "since_day": lambda value: bool(event["day"] >= value),
        "until_day": lambda value: bool(event["day"] <= value),
        "faction": lambda value: bool(event["actor_faction"] == value),
        "participant": lambda value: value in (event["actor"], event["target"]),
    }
    return all(
        conditions[key](value) if key in conditions else event[key] == value for key, value in filter.items()
    )


@pytest.mark.parametrize("seed", range(3))
def test_index_payload_filters(opened: Callable[..., Save], seed: int) -> None:
    dice, world = random.Random(seed), opened().world
    told = events(dice)
    world.events.record_events(told)
    relevance = {
        each["id"]: each["relevance"] for each in world.events.search_events("", QUESTION, {"limit": 500})
    }
    assert len(relevance) == len(told)
    values: dict[str, tuple[Any, ...]] = {
        "event_type": TYPES,
        "location": PLACES,
        "actor": PEOPLE,
        "target": PEOPLE,
        "faction": FACTIONS,
        "participant": PEOPLE,
        "visibility": ("global", "private"),
        "min_importance": (1, 4, 8),
        "since_day": (5, 20),
        "until_day": (10, 25),
    }
    for _ in range(60):
        filter = {key: dice.choice(values[key]) for key in dice.sample(sorted(values), dice.randint(1, 3))}
        wanted = [each for each in told if meets(each, filter)]
        found = world.events.search_events("", QUESTION, {**filter, "limit": 500})
        assert {each["id"] for each in found} == {each["id"] for each in wanted}, filter
        for each in found:
            assert each["relevance"] == pytest.approx(relevance[each["id"]])
        npc = dice.choice(PEOPLE)
        known = world.events.search_events(npc, QUESTION, {**filter, "limit": 500})
        assert {each["id"] for each in known} == {
            each["id"]
            for each in wanted
            if each["visibility"] == "global" or npc in (each["actor"], each["target"])
        }


def test_index_payload_filters_of_lore(opened: Callable[..., Save]) -> None:
    world = opened().world
    said = {}
    for source in ("realm", "law", "songs"):
        towns = [f"The mill of {source} town {number} burned. " * 20 for number in range(12)]
        tags = ["war" if number % 3 else "trade" for number in range(12)]
        chunks = enumerate(zip(towns, tags, strict=True))
        text = "".join(f"# {number}\n\n{town}#{tag}\n\n" for number, (town, tag) in chunks)
        world.lore.import_lore(FileText(text), {"key": source, "tags": [f"from {source}"]})
        said[source] = tags
    for sources in (["realm"], ["law", "songs"], ["nothing"]):
        for asked in (["war"], ["Trade"], ["war", "trade"], ["from law"], ["peace"]):
            hits = world.lore.search_lore(QUESTION, {"sources": sources, "tags": asked, "limit": 100})
            wanted = {tag.casefold() for tag in asked}
            count = sum(bool({tag, f"from {key}"} & wanted) for key in sources for tag in said.get(key, []))
            assert len(hits) == count
            assert {hit["source"] for hit in hits} <= set(sources)
            assert all({tag.casefold() for tag in hit["tags"]} & wanted for hit in hits)
