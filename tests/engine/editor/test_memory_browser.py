"""The memory browser in the real editor: what it shows, that every edit can be undone, and its size."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.engine.editor.editor_project import EditorProject, check_explained, play
from tests.engine.editor.test_plugin import SCENE
from tests.engine.game import Game, Home
from tests.unit.sqlite_access import reading

from rag_memory import Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.text.terms import keyword_entry

pytestmark = pytest.mark.slow

NOW = 1_702_500_000.0
DAY = 86400.0
PLUGIN_SCRIPT = "res://addons/rag_memory/plugin.gd"


class GameClock:
    """Game time that a test sets."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> GameClock:
    return GameClock()


@pytest.fixture
def editor_project(tmp_path: Path) -> EditorProject:
    return EditorProject(tmp_path / "project", model=False)


@pytest.fixture
def saves(editor_project: EditorProject, home: Home, clock: GameClock) -> Iterator[Path]:
    """The project's folder of saves, with one that has a bit of everything."""
    folder = home.saves(editor_project)
    folder.mkdir(parents=True)
    with opened(folder / "slot_1.sqlite3", clock) as save:
        fill(save, clock)
    yield folder


def opened(path: Path, clock: GameClock) -> Save:
    return open_save(path, embedder=HashingEmbedder(), clock=clock)


def fill(save: Save, clock: GameClock) -> None:
    elena = save.npc("elena")
    elena.memories.store_milestone("first_meeting", "We met at the well.")
    clock.now += DAY
    elena.memories.store("The player promised to come.", 6, {"event_type": "promise_made"})
    flood = elena.memories.store("The ford is flooded.", 3, {"event_type": "rumor"})
    clock.now += DAY
    elena.memories.store("He never came.", 8, {"event_type": "promise_broken"})
    elena.memories.update_memory(flood, {"text": "The ford can be crossed."})
    clock.now += DAY
    elena.memories.store("The player's name is Theron.", 9, {"slot_type": "player_name"})
    clock.now += DAY
    elena.memories.store("The player's name is Theron of Oakford.", 9, {"slot_type": "player_name"})
    clock.now += DAY
    elena.memories.store("The bridge is out.", 4, {"event_type": "rumor", "participants": ["Marcus"]})
    save.npc("Bjorn").memories.store_batch([{"text": f"I sold {n} horseshoes."} for n in range(12)])


HEARD = "I heard from ulf that this happened: Ulf set the fire."
NEWEST_FIRST = [
    "The bridge is out.",
    "The player's name is Theron of Oakford.",
    "He never came.",
    "The ford can be crossed.",
    "The player promised to come.",
    "We met at the well.",
]


def fill_world(save: Save) -> None:
    events = save.world.events
    events.record_event({"summary": "The mill burned down.", "event_type": "fire", "location": "Oakford"})
    events.record_event(
        {"id": "plot", "summary": "Ulf set the fire.", "visibility": "private", "actor": "ulf"}
    )
    save.world.characters.register_character("elena", {"name": "Elena"})
    save.world.rumors.spread_rumor("plot", "elena", "ulf")
    save.world.tasks.add_task({"assignee": "elena", "summary": "Bring straw.", "status": "active"})
    save.world.facts.set_facts(
        {"well": {"text": "The well is dry.", "known_by": ["elena", {"place": "Inn"}]}}
    )
    save.world.facts.set_flags({"mill_burned": True})


def test_what_the_browser_shows(
    editor_project: EditorProject, home: Home, saves: Path, clock: GameClock
) -> None:
    with opened(saves / "slot_1.sqlite3", clock) as save:
        fill_world(save)
    (editor_project.folder / "npc.tscn").write_text(SCENE, encoding="utf-8")
    game = play(editor_project, home, "browser_shows")
    check_explained(game)
    assert game.value("python_before") == "idle", "Python starts when a save is opened, and not before"
    advice, button, is_offered = game.value("advice")
    assert "press Open" in advice and (button, is_offered) == ("Open", True)
    assert game.value("saves") == ["slot_1"]
    assert game.value("of_selection") == "elena", "the NPC of the node that is selected"
    assert game.value("npcs") == {"Bjorn": "12", "elena": "7"}
    newest_first = [text for text in game.value("newest_first") if text != HEARD]
    assert sorted(newest_first) == sorted(NEWEST_FIRST)
    assert newest_first[0] == NEWEST_FIRST[0] and newest_first[-1] == NEWEST_FIRST[-1]
    assert set(game.value("events")) >= {"rumor", "promise_made", "first_meeting"}
    assert game.value("by_importance")[0] == "We met at the well."
    assert game.value("by_importance_rising") == game.value("by_importance")[::-1]
    assert game.value("words") == ["The bridge is out."]
    assert game.value("meaning")[0] == "The bridge is out."
    assert len(game.value("meaning")) == 7
    assert game.value("meaning_columns")[0] == "Similar"
    assert game.value("heading") == "Memory · 1 of 7"
    sentence, button, heading = game.value("no_match")
    assert "No memory matches" in sentence and button == "Clear the filters"
    assert heading == "Memory · 0 of 7"
    assert game.value("all_again") == ["", "Memory · 7", False]
    assert game.value("pinned") == ["We met at the well."]
    assert game.value("superseded") == ["The player promised to come."]
    assert game.value("archived") == ["The ford is flooded.", "The player's name is Theron."]
    assert game.value("archived_columns")[0] == "Archived"
    assert set(game.value("important")) == {NEWEST_FIRST[1], "He never came.", "We met at the well."}
    assert game.value("cursor")[:5] == [0, 1, 6, 5, 0]
    assert game.value("cursor")[5] > 0
    assert game.value("selected") == [0, 1]
    assert game.value("edits_text") is True
    assert game.value("searches") is True, "Ctrl+F"
    assert game.value("to_the_list") == [True, 1], "the arrow down"
    assert game.value("search_cleared") == [True, 7], "Escape"
    assert (game.value("all_selected"), game.value("copies")) == ([0, 6], 1)
    assert game.value("splitter") == -41
    assert game.value("links") == ["superseded"]
    assert game.value("marked") == "We met at the well."
    assert game.value("zoomed") is True
    assert game.value("linked") is True
    assert game.value("closed") == ["", 0, ""]
    _check_world(game)


def _check_world(game: Game) -> None:
    plot, fire = ["Ulf set the fire.", "", "who took part"], ["The mill burned down.", "Oakford", "everybody"]
    world = dict(game.values("world"))
    assert world["Events"] == [plot, fire]
    assert world["Rumors"] == [], "no event is a rumor for everybody"
    assert world["Tasks"] == [["Bring straw.", "elena", "active"]]
    assert [matter[1:] for matter in world["Open matters"]] == [
        ["elena → elena", "open"],
        ["player → elena", "broken"],
    ]
    assert world["Facts"] == [["The well is dry.", "", "elena, place: Inn"]]
    assert world["Flags"] == [["mill_burned", "", "true"]]
    assert game.value("knowers").endswith("Known to Bjorn, elena.")
    assert game.value("knowers_of_rumor").endswith("Known to elena (80 %), ulf.")
    assert game.value("known") == ["Only what Bjorn knows", [fire]]
    assert game.value("known_rumors") == [["Ulf set the fire.", "", "80 %"]]
    assert game.value("filtered") == [fire]
    assert game.value("world_empty") == "None of the 2 rows matches the filter."
    advice, has_help = game.value("no_flags")
    assert "MemoryWorld.set_flags()" in advice and has_help
    assert game.value("table_again") == [True, True]
    assert (game.value("no_filter"), game.value("filter")) == (False, True)
    assert game.value("filtered_npcs") == ["guard_11_of_the_old_mill"]


def test_the_newest_save_is_chosen_until_a_person_chooses(
    editor_project: EditorProject, home: Home, saves: Path, clock: GameClock
) -> None:
    for number, name in enumerate(("slot_3", "slot_2", "slot_1")):
        if name != "slot_1":
            with opened(saves / f"{name}.sqlite3", clock):
                pass
        os.utime(saves / f"{name}.sqlite3", (NOW, NOW + 10 * number))
    (saves / "slot_2.sqlite3-wal").touch()  # what a game has stored last is here
    game = play(editor_project, home, "browser_newest_save")
    assert game.values("chosen") == ["slot_2", "slot_1", "slot_3", "slot_3"]


def test_a_memory_is_added_by_hand(
    editor_project: EditorProject, home: Home, saves: Path, clock: GameClock
) -> None:
    game = play(editor_project, home, "browser_adds")
    assert game.value("button") == [False, True], "there is nothing to add to before a save is open"
    # What is wrong with it is said in the window, which stays open.
    assert [[visible, *text.split(".")[:1]] for visible, text in game.values("bad")] == [
        [True, "The text is empty"],
        [True, "There is no NPC to remember it"],
    ]
    first = "Greta has no memories in this save yet: this is the first."
    assert game.values("news") == ["", "", "", first, ""]
    # It is chosen, whatever was filtered; and so is its NPC.
    assert game.values("added") == [
        ["elena", "The well is dry.", "rumor", 6],
        ["Greta", "I saw a wolf.", "general", 5],
    ]
    again = "elena remembers this already. It now counts as told 2 times."
    assert game.value("again") == ["The well is dry.", again]
    assert game.value("npcs") == {"Bjorn": "12", "elena": "7", "Greta": "1"}
    assert game.value("undone") == {"Bjorn": "12", "elena": "6", "Greta": "0"}
    assert game.value("redone") == {"Bjorn": "12", "elena": "7", "Greta": "1"}
    with opened(saves / "slot_1.sqlite3", clock) as save:
        found = save.npc("elena").tools.browse({"text": "well is dry"})["rows"][0]["metadata"]
        assert (found["importance"], found["event_type"], found["repeat_count"]) == (7, "rumor", 2)
        assert save.npc("Greta").recall.get_recent(1)[0]["document_full"] == "I saw a wolf."


def test_the_browser_shows_kinds_and_what_a_reflection_was_concluded_from(
    editor_project: EditorProject, home: Home, saves: Path, clock: GameClock
) -> None:
    gifts = [f"Rowan gave me {what}." for what in ("bread", "a cloak", "a lantern")]
    with opened(saves / "slot_1.sqlite3", clock) as save:
        mind = save.npc("elena").mind
        for text in gifts:
            clock.now += DAY
            mind.perceive(
                {"action": "gifted", "source_id": "rowan", "source_name": "Rowan", "description": text}
            )
        clock.now += DAY
        save.npc("elena").memories.forget(mind.get_interactions(count=3)[2]["memory_id"])
        (insight,) = mind.reflections.reflect(True)[:1]
        evidence = save.npc("elena").memories.get_memory(insight)["metadata"]["evidence"]
    game = play(editor_project, home, "browser_mind")
    assert sorted(game.value("episodes")) == sorted(gifts[1:])
    assert len(game.value("reflections")) == 1 and "Rowan" in game.value("reflections")[0]
    assert game.value("links") == [f"Concluded from {id}" for id in evidence]
    assert game.value("rest").split("\n")[0] == "kind: reflection"
    assert game.value("followed") in gifts
    rest = game.value("rest_of_evidence").split("\n")
    assert rest[:2] == ["kind: episode", "sentiment: 20"]
    assert game.value("emotion") == "grateful"
    assert game.value("filter_cleared") is True, "the link leads to a memory that the filter hid"


def test_an_exchange_is_shown_and_undone(
    editor_project: EditorProject, home: Home, saves: Path, clock: GameClock
) -> None:
    with opened(saves / "slot_1.sqlite3", clock) as save:
        elena = save.npc("elena")
        clock.now += DAY
        with save.context.exchange("talk_1", "elena"):
            memories = {"memories": ["The player likes plums."]}
            elena.conversation.store_turn("I like plums.", "So do I.", memories)
    game = play(editor_project, home, "browser_undoes")
    assert game.value("before")[0] == "The player likes plums."
    assert "exchange: talk_1" in game.value("rest").split("\n")
    assert '"I like plums."\n"So do I."' in game.value("question")
    assert "memories (1)" in game.value("question")
    assert sorted(game.value("after")) == sorted(NEWEST_FIRST)


def test_what_will_be_merged_is_shown_and_merged(
    editor_project: EditorProject, home: Home, saves: Path, clock: GameClock
) -> None:
    talk = [f"The player asked about the {what}." for what in ("mill", "ford", "roof", "well", "wolf")]
    with opened(saves / "slot_1.sqlite3", clock) as save:
        elena = save.npc("elena")
        for text in talk:
            clock.now += 60.0
            elena.memories.store_conversation("player", text, {"topics": ["village"]})
        clock.now += 60 * DAY
        for _ in range(5):
            clock.now += DAY
            elena.memories.store("The player called me a liar.", 5)
        preview = elena.archive.preview_consolidation()
    sources = [memory["document_full"] for memory in preview[0]["sources"]]
    assert len(preview) == 1 and len(sources) == len(talk)
    game = play(editor_project, home, "browser_merges")
    text, is_listed, is_refused = game.value("nothing")
    assert text.startswith("Nothing to merge: Bjorn has") and not is_listed and is_refused
    rows = game.value("rows")
    assert rows[0] == "×5 The player called me a liar." and "The bridge is out." in rows
    text, is_refused, button, (heading, groups) = game.value("preview")
    assert (text, is_refused, button) == ("", False, "Merge Old Memories")
    assert heading == "5 memories of elena become the following summaries (1), and are archived."
    assert [summary for summary, _ in groups] == [preview[0]["extract"]]
    assert [line.split("  ·  ")[1] for line in groups[0][1]] == sources
    assert game.value("unchanged") == len(NEWEST_FIRST) + len(talk) + 1
    (edit,) = game.values("edit")
    gone, added = edit.pop("difference")
    assert edit == {"name": "merge"} | dict.fromkeys(edit.keys() - {"name"}, True), game.tail()
    assert [len(gone), len(added)] == [len(talk), 1]
    assert preview[0]["extract"] in game.value("merged")
    assert len(game.value("merged")) == len(NEWEST_FIRST) + 2
    assert game.value("nothing_left").startswith("Nothing to merge: elena has")


def test_every_edit_is_undone_and_redone_exactly(
    editor_project: EditorProject, home: Home, saves: Path, clock: GameClock
) -> None:
    game = play(editor_project, home, "browser_edits")
    differences = {}
    for edit in game.values("edit"):
        name = edit.pop("name")
        differences[name] = edit.pop("difference")
        assert edit == dict.fromkeys(edit, True), (name, edit, game.tail())
    out = "The bridge is out."
    assert differences == {
        "add": [[], ["The well is dry.|2|6|[]"]],
        "add again": [["The ford can be crossed.|2|3|[]"], ["The ford can be crossed.|1|9|[]"]],
        "text": [[f'{out}|2|4|["Marcus"]'], ['The bridge is mended.|2|4|["Marcus"]']],
        "importance": [[f'{out}|2|4|["Marcus"]'], [f'{out}|1|9|["Marcus"]']],
        "lists": [[f'{out}|2|4|["Marcus"]'], [f'{out}|2|4|["Bjorn","Tobias"]']],
        "pin": [[f'{out}|2|4|["Marcus"]'], [f'{out}|0|4|["Marcus"]']],
        "unpin": [[f'{out}|2|4|["Marcus"]'], [f'{out}|0|4|["Marcus"]']],
        "forget": [["He never came.|1|8|[]"], []],
        "forget two": [
            ["The player's name is Theron of Oakford.|1|9|[]", f'{out}|2|4|["Marcus"]'],
            [],
        ],
        "restore a version": [["The ford can be crossed.|2|3|[]"], ["The ford is flooded.|2|3|[]"]],
        "restore a slot": [
            ["The player's name is Theron of Oakford.|1|9|[]"],
            ["The player's name is Theron.|1|9|[]"],
        ],
    }
    assert game.value("after_closing") == [5, 6]
    with opened(saves / "slot_1.sqlite3", clock) as save:
        assert save.npc("elena").memories.get_memory_count() == 6


def test_100_000_memories(editor_project: EditorProject, home: Home, saves: Path, clock: GameClock) -> None:
    total = 100_000
    with opened(saves / "large.sqlite3", clock) as save:
        fill_large(save, total)
    game = play(editor_project, home, "browser_large", seconds=1800)
    assert game.value("at_once") == [0, 0], "the list was waited for"
    assert game.value("frames_while_listing") > 1, "no frame was drawn while the worker made the list"
    assert game.value("total") == total
    visible = game.value("visible")
    assert 0 < visible < 100
    looks = {name: rest for name, *rest in game.values("look")}
    assert looks["End"][:3] == [total - 1, True, "Barrel 0 of the cart."]
    assert looks["Home"][:3] == [0, False, f"Barrel {total - 1} of the cart."]
    assert all(0 < made <= 2 * visible for *_, made in (looks["End"], looks["Home"])), looks
    assert looks["Page Down"][3] <= 31 * visible
    assert game.value("held_after_scrolling") <= 16
    assert game.value("found") == ["Barrel 77777 of the cart."]
    assert game.value("sorted") == "Barrel 0 of the cart."
    assert game.value("counted") == total
    assert game.value("marks") <= 100


def fill_large(save: Save, total: int) -> None:
    """One memory, and copies of its row and vector with other texts: embedding them takes minutes."""
    elena = save.npc("elena")
    elena.memories.store("Barrel 0 of the cart.", 3)
    with save.store.transaction(), reading(save.store) as connection:
        names = [row[1] for row in connection.execute("PRAGMA table_info(memories)")]
        own = ("memory", "id", "document_full", "timestamp", "keywords")
        others = [name for name in names if name not in own]
        connection.create_function(
            "keywords_of", 2, lambda npc, text: keyword_entry(npc, text, "", "[]", "[]", "[]", "")
        )
        connection.execute(
            "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?) "
            f"INSERT INTO memories (id, document_full, keywords, timestamp, {', '.join(others)}) "
            "SELECT 'elena_' || n, 'Barrel ' || n || ' of the cart.', "
            "keywords_of(npc, 'Barrel ' || n || ' of the cart.'), "
            f"timestamp + n, {', '.join(others)} FROM n, memories m "
            "WHERE m.rowid = 1",
            (total - 1,),
        )
        connection.execute(
            "INSERT INTO vectors SELECT m.rowid, model, embedding FROM memories m, vectors v "
            "WHERE v.memory = 1 AND m.rowid > 1"
        )
        connection.execute("UPDATE npcs SET revision = random()")
    save.npc("Bjorn").memories.store("I sold a horseshoe.")


PLAYED = """[gd_scene load_steps=2 format=3]

[ext_resource type="Script" path="res://tests/engine/editor/scenarios/waiting_game.gd" id="1"]

[node name="Game" type="Node"]
script = ExtResource("1")
"""


def test_a_save_goes_to_the_game_that_is_played_and_comes_back(
    tmp_path: Path, home: Home, clock: GameClock
) -> None:
    headless = {"editor/run/main_run_args": '"--headless"'}
    editor_project = EditorProject(tmp_path / "project", settings=headless, model=False)
    (editor_project.folder / "played.tscn").write_text(PLAYED, encoding="utf-8")
    saves = home.saves(editor_project)
    saves.mkdir(parents=True)
    with opened(saves / "slot_1.sqlite3", clock) as save:
        fill(save, clock)
    with opened(saves / "played.sqlite3", clock):
        game = play(editor_project, home, "browser_locked", errors=["is locked", "a running game"])
    save_id, message = game.value("locked")
    assert save_id == ""
    assert "played.sqlite3 is locked: another process" in message
    assert "Close it there, then try again." in message
    assert game.value("open") == ["slot_1", "elena", 6]
    # Played from the editor: the game has the save until it is stopped.
    assert game.value("released") == ["", "Open"]
    assert "opens again when you stop the game" in game.value("advice")
    save_id, message = game.value("played")
    assert save_id == ""
    assert "a running game (process " in message and "Stop that game" in message
    assert "Debugger > RAG Memory" in message
    assert game.value("given_back") == ["elena", 7]
    # Played elsewhere: the game asks for it.
    advice, is_still_wanted = game.value("wanted")
    assert "press Open" in advice and not is_still_wanted
    assert game.value("left_to_it") == ""
    assert game.value("open_again") == ["slot_1", "elena", 7]
    # What was still being opened is closed for the game, too.
    assert game.values("open_while_opening") == [False, False]
    assert game.value("late") == ["", False]
    assert "press Open" in game.value("late_advice")
    assert ["Press Open again" in problem for problem in game.value("told")] == [True]


def undated(text: str) -> str:
    """The text with TIME for the time in the name of a snapshot, and without the number after it."""
    return re.sub(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d(_\d+)?", "TIME", text)


def test_files_and_snapshots(
    editor_project: EditorProject, home: Home, saves: Path, clock: GameClock, tmp_path: Path
) -> None:
    with opened(saves / "empty.sqlite3", clock):
        pass
    (tmp_path / "broken.csv").write_text("text,importance\nA.,high\n", encoding="utf-8")
    (tmp_path / "empty.csv").touch()
    notes = "Who,Note,Weight,Colour\nMira,The dam leaks.,80,calm\nUlf,The weir is new.,20,\n"
    (tmp_path / "notes.csv").write_text(notes, encoding="utf-8")
    (tmp_path / "twice.csv").write_text("Note,Note\na,b\n", encoding="utf-8")
    (tmp_path / "sera.json").write_text('{"name": "Sera", "description": "An elf."}', encoding="utf-8")
    game = play(
        editor_project,
        home,
        "browser_exchange",
        str(tmp_path),
        errors=['importance is "high"', "comes twice"],
    )
    check_explained(game)
    with opened(saves / "empty.sqlite3", clock) as save:
        elena = save.npc("elena")
        assert elena.tools.export_csv() == (tmp_path / "elena.csv").read_bytes().decode()
        assert elena.archive.get_archived()[0]["document_full"] == "The player's name is Theron."
    assert [text.split(" are in ")[0] for text in game.values("said")] == ["The memories of elena"] * 2
    said, count = game.value("imported")
    assert (said.split(".")[0], count) == ("6 new memories for Bjorn", 18)
    assert undated(said).endswith('the snapshot "before_import_TIME".')
    assert any("line 2" in error for error in game.values("failed"))
    assert any("missing.csv could not be read" in error for error in game.values("failed"))
    assert any("empty.csv could not be read: it is empty" in error for error in game.values("failed"))
    assert game.value("unchanged") == 12
    added = "6 added, 0 removed, 0 changed"
    before_import, before_restore = "before_import_TIME", "before_restore_TIME"
    assert [[undated(slot) for slot in slots] for slots in game.values("slots")[:3]] == [
        [before_import, before_import],
        [before_import, before_import, "evening"],
        [before_import, before_import, before_restore, "evening"],
    ]
    now, evening, restored = [[undated(root), *rest] for root, *rest in game.values("compared")]
    assert now == [f"{before_import} → now", added, {"Bjorn": [added, 6]}]
    assert evening == [f"{before_import} → evening", added, {"Bjorn": [added, 6]}]
    assert restored[1] == "0 added, 6 removed, 0 changed"
    said, count = game.value("restored")
    assert undated(said).endswith(f'is the snapshot "{before_restore}".')
    assert count == 12
    # What was kept can be restored itself, and every snapshot has a name of its own.
    assert game.value("restored_back") == 18
    kept = game.value("kept")
    assert len(set(kept)) == 2 and undated(kept[0]) == "kept_TIME", kept
    assert len(game.values("slots")[3]) == len(set(game.values("slots")[3])) == 7
    assert "user://rag_memory/slot_1.snapshots" in game.value("hint")
    assert "No NPC" in game.value("nobody")
    assert game.value("new_npc") == ["elena", 6]
    headings = ["Who", "Note", "Weight", "Colour"]
    rows = ["Mira", "The dam leaks.", "80", "calm", "Ulf", "The weir is new.", "20", ""]
    assert game.value("from_outside") == ["user://rag_memory/dropped/notes.csv"], "the window's signal"
    assert game.value("elsewhere") is False, "it was not dropped on the browser"
    assert game.value("asks_for_names") == [True, False, False], "a table has no speakers"
    assert game.value("guess") == ["npc", "text", "importance", "left out", *headings, *rows]
    for words in ("notes.csv, table (CSV): memories: 2", "NPCs: mira, ulf", "what they hold: Colour"):
        assert words in game.value("preview")
    assert game.value("chosen") == ["npc", "text", "importance", "emotion", *headings, *rows]
    assert game.value("brought") == [["The dam leaks."], "calm"]
    assert game.values("undone") == [0, 1, 0]
    problem, is_disabled = game.value("broken")
    assert "comes twice" in problem and is_disabled
    assert "Sera, character card V1" in game.value("card")


FULL_DISK = 'mount -t tmpfs -o size=4k none "$0" && head -c 4096 /dev/zero >"$0/filler" && exec "$@"'


def test_a_file_on_a_full_disk_is_not_called_written(
    editor_project: EditorProject, home: Home, saves: Path, tmp_path: Path
) -> None:
    full = tmp_path / "full"
    full.mkdir()
    rootless = () if os.geteuid() == 0 else ("-r",)
    wrapper = ["unshare", "-m", *rootless, "sh", "-c", FULL_DISK, str(full)]
    if subprocess.run([*wrapper, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("no disk can be mounted here")
    game = play(editor_project, home, "browser_full_disk", str(full), wrapper=wrapper)
    said = game.values("said")
    assert len(said) == 2
    assert all("could not be written: Can't write" in text for text in said), said
