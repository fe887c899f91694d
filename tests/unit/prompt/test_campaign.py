"""Questions to the people of a campaign, with the real model: the right facts, and none out of reach."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from tests.unit.prompt.campaign import CAST, TODAY, Campaign, Question, unanswerable
from tests.unit.world.test_world_event_visibility import DAY

from rag_memory import open_save
from rag_memory.config.dossier_config import SECTIONS, DossierPreset, NPCDossierConfig
from rag_memory.retrieval.selection import estimate_tokens

CONFIGS = (
    *(NPCDossierConfig(preset=each) for each in DossierPreset),
    NPCDossierConfig(total_tokens=300),
    NPCDossierConfig(total_tokens=90, section_tokens=dict.fromkeys(SECTIONS, 30)),
)


@pytest.fixture(scope="module")
def campaign() -> Iterator[Campaign]:
    with open_save(":memory:", clock=lambda: TODAY * DAY) as save:
        yield Campaign(save, events=300, memories=8, lore=9_000)


def dossier_of(campaign: Campaign, npc: str, asked: str, config: NPCDossierConfig) -> dict[str, Any]:
    """The dossier of a character at home, with a neighbour."""
    home = next(each.location for each in CAST if each.id == npc)
    near = [each.id for each in CAST if each.location == home][:2]
    scene = {"location": home, "nearby": near, "time": "dusk", "weather": {"rain": True, "wind": [1, 2]}}
    return campaign.save.npc(npc).dossiers.build_dossier(asked, scene, config.validated())


def is_right(dossier: Mapping[str, Any], question: Question) -> bool:
    """True if the expected item is there. An item that fits two sections is in one of them."""
    if any(question.right in ids for ids in dossier["sources"].values()):
        return True
    if {"id": question.right, "section": question.section, "reason": "duplicate"} in dossier["left_out"]:
        return True
    return question.right in dossier["sections"][question.section]["text"]


def problems(campaign: Campaign, npc: str, dossier: Mapping[str, Any], config: NPCDossierConfig) -> list[str]:
    """Faults of a dossier, whatever the question."""
    config, text, sources = config.validated(), dossier["text"], dossier["sources"]
    known = campaign.known(npc)
    may_be_said = {campaign.secrets[id] for id in known}
    found = [f"{npc} cannot know of {id}" for id in sources.get("events", ()) if id not in known]
    found += [
        f"{npc} cannot know of {id}: {secret}"
        for id, secret in campaign.secrets.items()
        if secret in text and secret not in may_be_said
    ]
    found += [
        f"{id} is no task of {npc}" for id in sources.get("tasks", ()) if npc not in campaign.parties[id]
    ]
    found += [
        f"{name} has {estimate_tokens(each['text'])} tokens"
        for name, each in dossier["sections"].items()
        if estimate_tokens(each["text"]) > config.budget(name) or each["tokens"] > each["budget"]
    ]
    if not dossier["tokens"] == estimate_tokens(text) <= config.total_tokens:
        found.append(f"{dossier['tokens']} tokens")
    if re.search(r"[{}\[\]]|\": ", text):
        found.append("raw JSON")
    ids = [
        id for name, ids in sources.items() if name not in ("profile", "backstory", "summary") for id in ids
    ]
    lines = [re.sub(r" \([^)]*\)$", "", line) for line in text.splitlines() if line.startswith("- ")]
    if len(set(ids)) < len(ids) or len(set(lines)) < len(lines):
        found.append("something is said twice")
    for name, each in dossier["sections"].items():
        if name != "scene" and bool(each["text"]) != bool(sources.get(name)):
            found.append(f"{name} has text without sources, or the other way round")
    for each in dossier["left_out"]:
        if each["id"] in sources.get(each["section"], ()):
            found.append(f"{each['id']} is said to be left out of {each['section']}")
    return found


def hits(campaign: Campaign, config: NPCDossierConfig) -> tuple[dict[str, list[bool]], list[Question]]:
    """By section which of the answers are there; and the questions without."""
    right: dict[str, list[bool]] = defaultdict(list)
    missing = []
    for each in campaign.questions:
        is_there = is_right(dossier_of(campaign, each.npc, each.asked, config), each)
        right[each.section].append(is_there)
        if not is_there:
            missing.append(each)
    return right, missing


def test_the_answers_are_in_the_dossier(campaign: Campaign) -> None:
    right, missing = hits(campaign, NPCDossierConfig())
    assert len(campaign.questions) >= 60
    for section, found in right.items():
        assert sum(found) >= 0.7 * len(found), (section, missing)
    everything = [each for found in right.values() for each in found]
    assert sum(everything) >= 0.82 * len(everything), missing


@pytest.mark.parametrize(("place", "config"), list(enumerate(CONFIGS)))
def test_budgets_hold_and_nothing_leaks(campaign: Campaign, place: int, config: NPCDossierConfig) -> None:
    asked = [(each.npc, each.asked) for each in campaign.questions]
    asked += [(npc, question) for question, npc, _ in unanswerable(campaign)[::9]]
    for npc, question in asked[place :: len(CONFIGS)]:
        assert problems(campaign, npc, dossier_of(campaign, npc, question, config), config) == []


def test_nobody_finds_what_she_cannot_know(campaign: Campaign) -> None:
    world = campaign.save.world
    for question, npc, _ in unanswerable(campaign)[::9]:
        known = campaign.known(npc)
        assert {each["id"] for each in world.events.search_events(npc, question, {"limit": 10_000})} == known
        assert {each["id"] for each in world.events.get_events({"known_to": npc})} == known
        for each in world.debates.search_debates(question, {"npc_id": npc, "limit": 100}):
            assert npc in each["participants"]
