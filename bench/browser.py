"""Measures the editor's memory browser with 100,000 memories: `python3 build.py bench browser`.

A project in a temporary folder, with its own user data, is opened in the real editor, headless. Frames are
timed on the main thread, separately for everything the browser does.
"""

from __future__ import annotations

import contextlib
import sqlite3
import sys
import tempfile
from pathlib import Path

from measurement import command, machine
from measurement.editor_game import EditorGame
from measurement.result import Result, measured, percentile, table

import rag_memory
from rag_memory.text.terms import keyword_entry
from rag_memory_build import engine
from rag_memory_build.console import step

_SAVE = "bench"
_NPC = "mira"
_STEPS = 600
_MS_PER_USEC = 0.001
_TEXT = "'Barrel ' || n || ' of the cart that came from ' || n % 97 || '.'"


def _fill(path: Path, count: int) -> None:
    """Store a memory, and copy its row and vector with other texts: embedding all takes minutes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with rag_memory.open_save(path) as save:
        save.npc(_NPC).memories.store("Barrel 0 of the cart.", 3)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        names = [row[1] for row in connection.execute("PRAGMA table_info(memories)")]
        changed = ("memory", "id", "document_full", "keywords", "importance", "timestamp")
        others = ", ".join(name for name in names if name not in changed)
        connection.create_function(
            "keywords_of", 2, lambda npc, text: keyword_entry(npc, text, "", "[]", "[]", "[]", "")
        )
        connection.execute(
            "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?) "
            f"INSERT INTO memories (id, document_full, keywords, importance, timestamp, {others}) "
            f"SELECT 'mira_' || n, {_TEXT}, keywords_of(npc, {_TEXT}), "
            f"n % 10 + 1, timestamp + n * 60, {others} FROM n, memories m WHERE m.rowid = 1",
            (count - 1,),
        )
        connection.execute(
            "INSERT INTO vectors SELECT m.rowid, model, embedding FROM memories m, vectors v "
            "WHERE v.memory = 1 AND m.rowid > 1"
        )
        connection.execute("UPDATE npcs SET revision = random()")


def _results(taken: dict[str, list[float]]) -> list[Result]:
    frames = [
        ("frame at rest", "rest_usec"),
        ("frame while a list is made", "waiting_usec"),
        ("frame that shows the next row", "walking_usec"),
        ("frame that shows another place", "jumping_usec"),
    ]
    results = []
    for name, key in frames:
        results.append(measured(name, taken[key], "ms", scale=_MS_PER_USEC))
        longest = percentile(taken[key], 0.99) * _MS_PER_USEC
        results.append(Result("  the 99th percentile", longest, "ms", 16.7))
    lists = [
        ("another order, until it is shown", "sorted_usec"),
        ("search for words", "words_usec"),
        ("search by meaning", "meaning_usec"),
        ("timeline", "timeline_usec"),
        ("a page", "page_usec"),
    ]
    return [*results, *(measured(name, taken[key], "ms", scale=_MS_PER_USEC) for name, key in lists)]


def _measured(memories: int) -> str:
    load = machine.load()
    with tempfile.TemporaryDirectory(prefix="rag_memory_bench_") as folder:
        game = EditorGame(engine.find().path, Path(folder) / "project")
        with step(f"Writing a save of {memories:,} memories"):
            _fill(game.save_path(_SAVE), memories)
        values = {
            "save": _SAVE,
            "word": "barrel",
            "question": "Where did the cart come from",
            "steps": _STEPS,
        }
        with step("Using the browser") as progress:
            taken = game.measure_in_editor("browser", values, progress)
    rows = int(taken["rows_made"][0])
    conditions = (
        f"{memories:,} memories, {rows} rows made for drawing, load {load:.1f}, {machine.described()}"
    )
    return f"{conditions}\n\n{table(_results(taken))}"


def main() -> int:
    """Measure and print."""
    parser = command.parser("browser", __doc__)
    parser.add_argument("--memories", type=int, default=100_000, help="of one NPC (default 100000)")
    options = parser.parse_args()
    return command.end(lambda: _measured(options.memories))


if __name__ == "__main__":
    sys.exit(main())
