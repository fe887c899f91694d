"""A long game in the real engine: `python3 build.py bench playthrough`.

Plays 40 hours (40 days of the game's time) with the seven villagers of the demo: 5,000 interactions with
gifts, promises and betrayals, saved and loaded in between. The exit code is 1 if a budget was exceeded or a
villager remembered something after a load that never happened.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"

from measurement import command, machine, story
from measurement.game import Game

from rag_memory_build import engine
from rag_memory_build.console import SetupError, say, step

_START = 1_700_000_000.0
_FIRST_FEW = 5
_WANTED_SHARE = 0.8
_ORDERS = {
    "PRODUCT": "score_mode PRODUCT",
    "BALANCED": "score_mode BALANCED, the default",
    "relevance": "by relevance alone",
}
_BINS = 20
_BAR = 50


def played(interactions: int, hours: float, questions: int, seed: int) -> tuple[dict[str, Any], story.Story]:
    """Play a story in a new engine process; return the outcome and the story."""
    played_story = story.Story(seed, interactions, hours, questions)
    values = {
        "start": _START,
        "people": story.PEOPLE,
        "villagers": story.VILLAGERS,
        "steps": played_story.steps,
    }
    with (
        tempfile.TemporaryDirectory(prefix="rag_memory_play_") as folder,
        step(f"Playing {hours:g} hours: {interactions:,} interactions") as progress,
    ):
        game = Game(engine.find().path, Path(folder) / "game", with_addon=True, with_demo=True)
        return game.measure("play", values, progress), played_story


def report(outcome: dict[str, Any], played_story: story.Story, seed: int) -> str:
    """Describe the outcome."""
    questions = outcome["questions"]
    memories = outcome["memories"]
    counts = ", ".join(f"{count:,} {kind}" for kind, count in played_story.counts.most_common())
    lines = [
        f"* Played on {date.today().isoformat()}: {machine.described()}; Godot {outcome['engine']}; model "
        f"{outcome['health']['model']}; seed {seed}",
        f"* Story: {counts}",
        f"* Memories at the end: {', '.join(f'{npc} {count}' for npc, count in memories.items())}",
        f"* Budget exceeded: {len(outcome['over_budget'])} times; the longest prompt had "
        f"{outcome['most_tokens']:,} tokens",
        f"* Wrong or future memories after {outcome['loads']} loads: {len(outcome['wrong_after_load'])}",
        f"* The right memory among the first {_FIRST_FEW} of {len(questions)} questions (wanted: over "
        f"{_WANTED_SHARE:.0%}):",
        *(f"  {name}: {_first_share(questions, order)}" for order, name in _ORDERS.items()),
        *_by_kind(questions),
        *_histogram(outcome["scores"]),
    ]
    return "\n".join([*lines, *(f"  {complaint}" for complaint in _complaints(outcome))])


def _complaints(outcome: dict[str, Any]) -> list[str]:
    return [*outcome["over_budget"][:5], *outcome["wrong_after_load"][:5]]


def _first_share(questions: list[dict[str, Any]], order: str) -> str:
    return _share(sum(0 <= question[order] < _FIRST_FEW for question in questions), len(questions))


def _by_kind(questions: list[dict[str, Any]]) -> list[str]:
    lines = []
    for kind, count in Counter(question["kind"] for question in questions).most_common():
        asked = [question for question in questions if question["kind"] == kind]
        shares = ", ".join(f"{order} {_first_share(asked, order)}" for order in _ORDERS)
        lines.append(f"  {kind} ({count}): {shares}")
    return lines


def _histogram(scores: list[float]) -> list[str]:
    """The distribution of scores; equal scores could not order memories."""
    top = max(scores)
    bins = Counter(min(_BINS - 1, int(_BINS * score / top)) for score in scores)
    values = Counter(round(score, 4) for score in scores)
    commonest, times = values.most_common(1)[0]
    most = max(bins.values())
    twentieths = statistics.quantiles(scores, n=20)
    return [
        f"* Scores of {len(scores):,} recalled memories: median {statistics.median(scores):.2f}, nine of ten "
        f"between {twentieths[0]:.2f} and {twentieths[-1]:.2f}; the commonest value ({commonest}) has "
        f"{_share(times, len(scores))}",
        *(
            f"  {top * number / _BINS:5.2f} {'#' * round(_BAR * bins[number] / most)} {bins[number]}"
            for number in range(_BINS)
        ),
    ]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):.1f} %"


def main() -> int:
    """Play and print the outcome."""
    parser = command.parser("playthrough", __doc__, seed_of="the story")
    parser.add_argument("--interactions", type=int, default=5000, help="default 5000")
    parser.add_argument("--hours", type=float, default=40.0, help="of play (default 40)")
    parser.add_argument("--questions", type=int, default=200, help="default 200")
    options = parser.parse_args()
    try:
        outcome, played_story = played(options.interactions, options.hours, options.questions, options.seed)
    except SetupError as error:
        say(f"\n{error}")
        return 1
    print(f"\n{report(outcome, played_story, options.seed)}")
    return 1 if _complaints(outcome) else 0


if __name__ == "__main__":
    sys.exit(main())
