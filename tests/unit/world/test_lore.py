"""Lore through the calls of a game: imported, searched by words and by meaning, listed, chosen, removed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.conftest import GameClock
from tests.unit.world.lore_texts import REALM, paragraph

from rag_memory import InvalidArgumentError, Save
from rag_memory.memory.owners import LORE
from rag_memory.step import run
from rag_memory.text.file_text import FileText
from rag_memory.world.campaign import SaveLabels
from rag_memory.world.lore_chunks import LONGEST_SUMMARY
from rag_memory.world.world import World


@pytest.fixture
def world(opened: Callable[..., Save]) -> World:
    return opened().world


def imported(world: World, text: str = REALM, key: str = "realm", **options: Any) -> dict[str, Any]:
    return world.lore.import_lore(FileText(text), {"key": key, **options})


def titles_of(world: World) -> set[str]:
    return {hit["title"] for hit in world.lore.search_lore("market", {"limit": 10})}


def chunk_count(save: Save) -> tuple[int, int]:
    """How many chunks and memories of lore a save holds, also those that no search finds."""
    npc = save.store.npcs.number(LORE)
    return len(save.store.documents.find("lore_chunk")), 0 if npc is None else save.store.records.count(npc)


def test_an_import_says_what_it_did(world: World) -> None:
    told: list[tuple[str, tuple[Any, ...]]] = []
    world.on_event = lambda name, arguments: told.append((name, arguments))
    first = world.lore.import_lore(
        FileText(REALM, "res://lore/realm.md"), {"name": "The realm", "tags": ["mine"]}
    )
    assert {name: first[name] for name in ("key", "chunks", "added", "embedded", "skipped")} == {
        "key": "realm",
        "chunks": 4,
        "added": 4,
        "embedded": 4,
        "skipped": False,
    }
    (listed,) = world.lore.list_lore()
    assert listed == {
        "key": "realm",
        "name": "The realm",
        "title": "The Realm",
        "path": "res://lore/realm.md",
        "tags": ["mine", "canon", "north"],
        "words": first["words"],
        "chunks": 4,
        "is_active": True,
    }
    assert told == [("lore_imported", ("realm", 4))]


def test_every_chunk_has_a_short_summary_of_its_own_words(opened: Callable[..., Save]) -> None:
    save = opened()
    imported(save.world)
    hits = save.world.lore.search_lore("the realm, its nobles and its trade", {"limit": 10})
    assert hits
    for hit in hits:
        text = " ".join(hit["text"].split())
        assert 0 < len(hit["summary"]) <= LONGEST_SUMMARY < len(text)
        assert hit["summary"].removesuffix("...") in text
    (stored,) = [doc for doc in save.store.documents.find("lore_chunk") if doc.id == hits[0]["id"]]
    assert stored.content["summary"] == hits[0]["summary"]


def test_what_has_not_changed_is_skipped_and_of_the_rest_only_what_is_new_is_embedded(world: World) -> None:
    first = imported(world)
    again = imported(world)
    assert again["skipped"]
    assert (again["unchanged"], again["words"], again["embedded"]) == (4, first["words"], 0)
    changed = imported(world, REALM.replace("feudal oaths", "old oaths"))
    assert (changed["changed"], changed["unchanged"], changed["added"], changed["removed"]) == (1, 3, 0, 0)
    assert changed["embedded"] == 1
    without = imported(world, REALM[: REALM.index("# Trade")])
    assert (without["chunks"], without["removed"], without["embedded"]) == (3, 1, 1)
    more = imported(world, REALM + f"\n# Law\n\n{paragraph(9, 130)}")
    assert (more["added"], more["unchanged"], more["chunks"]) == (2, 3, 5)


def test_other_tags_for_the_same_text_cost_nothing(world: World) -> None:
    imported(world, tags=["old"])
    assert imported(world, tags=["new"])["skipped"]
    assert world.lore.list_lore()[0]["tags"] == ["new", "canon", "north"]


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("Who rules from Greywater?", "Norhold"),
        ("What do nobles think of cavalry?", "Nobles"),
        ("Brannoc", "Carrow"),
        ("Where is amber sold?", "Trade"),
        ("carrow", "Carrow"),
    ],
)
def test_fts_search_finds_lore_by_its_words_and_headings(world: World, question: str, title: str) -> None:
    imported(world)
    best = world.lore.search_lore(question, {"limit": 1})[0]
    assert best["title"] == title
    assert best["source"] == "realm"
    assert 0 < best["relevance"] <= 1


def test_a_hit_tells_where_it_stands_and_whom_it_names(world: World) -> None:
    imported(world)
    hit = world.lore.search_lore("cavalry and feudal oaths")[0]
    assert hit["heading_path"] == ["Norhold", "Nobles"]
    assert hit["tags"] == ["canon", "north", "nobility"]
    assert "cavalry above gold" in hit["text"]
    assert set(hit) == {
        "id",
        "source",
        "heading_path",
        "title",
        "text",
        "summary",
        "tags",
        "entities",
        "known_by",
        "relevance",
    }
    assert "Aldwin" in world.lore.search_lore("Aldwin")[0]["entities"]


def test_tags_leave_others_out_and_names_come_earlier(world: World) -> None:
    imported(world)
    assert [hit["title"] for hit in world.lore.search_lore("castle", {"tags": ["TRADE"]})] == ["Trade"]
    assert world.lore.search_lore("castle", {"tags": ["unknown"]}) == []
    assert len(world.lore.search_lore("castle", {"tags": ["north"]})) == 4
    plain = {hit["title"]: hit["relevance"] for hit in world.lore.search_lore("market in winter")}
    boosted = {
        hit["title"]: hit["relevance"]
        for hit in world.lore.search_lore("market in winter", {"culture": "Carrow", "entities": ["Brannoc"]})
    }
    boost = 2 * world.config.lore_boost
    assert boosted["Carrow"] == pytest.approx(min(1.0, plain["Carrow"] + boost))
    assert boosted["Trade"] == plain["Trade"]


def test_only_active_lore_is_searched_unless_sources_are_named(world: World) -> None:
    imported(world)
    imported(world, f"# Law\n\n{paragraph(7, 120)} Brannoc made a law.", "law")
    assert {hit["source"] for hit in world.lore.search_lore("Brannoc")} == {"realm", "law"}
    world.lore.set_active_lore(["law"])
    assert {hit["source"] for hit in world.lore.search_lore("Brannoc")} == {"law"}
    assert {hit["source"] for hit in world.lore.search_lore("Brannoc", {"sources": ["realm"]})} == {"realm"}
    assert [each["is_active"] for each in world.lore.list_lore()] == [False, True]
    world.lore.set_active_lore([])
    assert world.lore.search_lore("Brannoc") == []


def test_the_lore_that_a_save_is_opened_with_is_what_it_searches(
    opened: Callable[..., Save], save_path: Path
) -> None:
    def searched(save: Save) -> list[str]:
        active = [each["key"] for each in save.world.lore.list_lore() if each["is_active"]]
        assert {hit["source"] for hit in save.world.lore.search_lore("Brannoc")} == set(active)
        return active

    save = opened(save_path, lore=["law", "later"])
    imported(save.world)
    imported(save.world, "# Law\n\nBrannoc made a law.", "law")
    assert searched(save) == ["law"]
    imported(save.world, "# Later\n\nBrannoc came home.", "later")
    assert searched(save) == ["law", "later"]
    save.world.lore.set_active_lore(["realm"])
    assert searched(save) == ["realm"]
    save.enter(SaveLabels())
    assert searched(save) == ["realm"], "no option leaves it as it is"
    save.enter(SaveLabels(lore=["later"]))
    assert searched(save) == ["later"]
    save.close()
    for options, keys in (({}, ["later"]), ({"lore": ["law"]}, ["law"]), ({"lore": []}, []), ({}, [])):
        again = opened(save_path, **options)
        assert searched(again) == keys
        again.close()


def test_removed_lore_leaves_nothing(opened: Callable[..., Save]) -> None:
    save = opened()
    imported(save.world)
    imported(save.world, REALM, "copy")
    save.world.lore.remove_lore("realm")
    assert [each["key"] for each in save.world.lore.list_lore()] == ["copy"]
    assert chunk_count(save) == (4, 4)
    assert {hit["source"] for hit in save.world.lore.search_lore("Brannoc")} == {"copy"}
    save.world.lore.remove_lore("nothing")


def test_lore_and_what_is_active_stay_when_time_goes_back_and_when_a_save_is_opened_again(
    opened: Callable[..., Save], clock: GameClock, save_path: Path
) -> None:
    save = opened(save_path)
    save.npc("mira").memories.store("The bridge fell.", 5)
    clock.now += 1000
    imported(save.world)
    imported(save.world, REALM.replace("oaths", "vows"))
    imported(save.world, REALM, "other")
    save.world.lore.set_active_lore(["realm"])
    assert save.marks.rollback_to(clock.now - 500) == 0
    assert [each["is_active"] for each in save.world.lore.list_lore()] == [True, False]
    assert "vows" in save.world.lore.search_lore("feudal vows")[0]["text"]
    save.close()
    again = opened(save_path).world
    assert [each["is_active"] for each in again.lore.list_lore()] == [True, False]
    assert "vows" in again.lore.search_lore("feudal vows")[0]["text"]


def test_lore_is_no_npc_and_yet_every_npc_knows_it(opened: Callable[..., Save]) -> None:
    save = opened()
    imported(save.world)
    assert save.overview.list_npcs() == []
    assert "Brannoc" in save.npc("mira").recall.retrieve_relevant("Brannoc")[0]
    assert save.npc("mira").memories.get_memory_count() == 0


@pytest.mark.parametrize(
    ("source", "options", "why"),
    [
        (FileText("# A\n\nText."), {}, "no key"),
        (FileText("# A\n\nText."), {"key": "a/b"}, "contains '/'"),
        (FileText("# A\n\nText."), {"key": 3}, "has to be a String"),
        (FileText("# A\n\nText."), {"key": "a", "tag": "b"}, "no option 'tag'"),
        (FileText("# A\n\nText."), {"key": "a", "tags": "b"}, "an Array of Strings"),
        (FileText(""), {"key": "realm"}, "has no words"),
        (FileText(" \n\n---\n<!-- only this -->\n"), {"key": "realm"}, "has no words"),
        (FileText("PNG\0\0\1", "res://a.png"), {"key": "realm"}, "it is no text"),
        (7, {"key": "realm"}, "has to be a String"),
    ],
)
def test_what_is_no_lore_is_refused_and_the_old_lore_stays(
    world: World, source: Any, options: dict[str, Any], why: str
) -> None:
    imported(world)
    with pytest.raises(InvalidArgumentError) as told:
        world.lore.import_lore(source, options)
    assert why in str(told.value)
    assert world.lore.search_lore("Brannoc")[0]["title"] == "Carrow"
    assert len(world.lore.list_lore()) == 1


@pytest.mark.parametrize(
    "options", [{"limit": 0}, {"limit": 101}, {"tags": "a"}, {"culture": 3}, {"kind": "x"}, {"sources": [1]}]
)
def test_wrong_options_of_a_search_are_refused(world: World, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError, match=r"search_lore\(\)"):
        world.lore.search_lore("a", options)


def test_lore_of_every_language_is_found(world: World) -> None:
    text = "# Königreich\n\nDie Brücke ist alt.\n\n# 王国\n\n王国の北に古い城がある。城主は源義経。\n"
    imported(world, text)
    assert "Brücke" in world.lore.search_lore("Brücke")[0]["text"]
    assert "義経" in world.lore.search_lore("源義経")[0]["text"]


def test_a_cancelled_import_leaves_the_old_lore_and_the_next_one_goes_on(opened: Callable[..., Save]) -> None:
    save = opened()
    imported(save.world)
    before = titles_of(save.world)
    longer = "".join(f"# Town {number}\n\n{paragraph(number, 150)}\n\n" for number in range(60))
    steps = save.world.lore.import_lore.steps(FileText(longer), {"key": "realm"})
    while chunk_count(save)[0] < 30:
        next(steps)
    assert titles_of(save.world) == before, "nothing of it is found before its end"
    steps.close()
    assert titles_of(save.world) == before
    done = imported(save.world, longer)
    assert done["added"] == 60
    assert done["embedded"] <= 30, "what was embedded is not embedded again"
    assert chunk_count(save) == (60, 60)


def test_what_a_cancelled_import_left_goes_with_the_next(opened: Callable[..., Save]) -> None:
    save = opened()
    longer = "".join(f"# Town {number}\n\n{paragraph(number, 150)}\n\n" for number in range(60))
    steps = save.world.lore.import_lore.steps(FileText(longer), {"key": "realm"})
    while chunk_count(save)[0] < 30:
        next(steps)
    steps.close()
    assert save.world.lore.list_lore() == []
    assert save.world.lore.search_lore("market") == []
    imported(save.world)
    assert chunk_count(save) == (4, 4)


def test_two_imports_of_one_key_follow_each_other(opened: Callable[..., Save]) -> None:
    save = opened()
    first = save.world.lore.import_lore.steps(FileText(REALM), {"key": "realm"})
    second = save.world.lore.import_lore.steps(FileText(REALM.replace("Brannoc", "Ergeon")), {"key": "realm"})
    running = [first, second]
    while running:
        for steps in list(running):
            if next(steps, None) is None:
                running.remove(steps)
    assert chunk_count(save) == (4, 4)
    assert save.world.lore.search_lore("Ergeon hates every king")[0]["entities"][0] == "Ergeon"
    assert [hit for hit in save.world.lore.search_lore("x", {"limit": 9}) if "Brannoc" in hit["text"]] == []


def test_a_snapshot_restored_in_the_middle_of_an_import_takes_nothing_of_it(
    opened: Callable[..., Save], save_path: Path
) -> None:
    save = opened(save_path)
    imported(save.world, f"# Old\n\n{paragraph(99, 150)}")
    save.snapshots.take("before")
    longer = "".join(f"# Town {number}\n\n{paragraph(number, 150)}\n\n" for number in range(40))
    steps = save.world.lore.import_lore.steps(FileText(longer), {"key": "realm"})
    while chunk_count(save)[0] < 20:
        next(steps)
    save.snapshots.restore("before")
    assert titles_of(save.world) == {"Old"}
    assert run(steps)["chunks"] == 40
    assert chunk_count(save) == (40, 40)
    assert len(save.world.lore.search_lore("market", {"limit": 100})) == 40
