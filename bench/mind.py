"""Measures the mind of NPCs: `python3 build.py bench mind [PART ...]`.

`sentiment`: how often an NPC understands the intention of labelled lines of game characters.
`calls`: times of perceiving, reflecting and speaking to several NPCs.
`company`: times of one line that nobody, one and ten others overhear.
`memory`: memory of 2,000 NPCs with their last 30 interactions.
`events`: frame times with 10,000 perceived events a minute, and without the addon.
`square`: the same with a line each second that all of 50 NPCs overhear.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"

from measurement import command, game_text, machine, mind_costs
from measurement.confusion import Confusion
from measurement.game import Game
from measurement.result import Result, percentile
from measurement.sentiment_lines import FRESH, HELD_OUT, TUNING, label_of, read_lines

from rag_memory.config.mind_config import NPCMindConfig, SentimentMode
from rag_memory.mind.sentiment import sentiment_of
from rag_memory_build import engine
from rag_memory_build.console import step

_MODES = (SentimentMode.RULES, SentimentMode.LEXICON)
_MICROSECONDS = 1e6
_SEED = 1
_NPCS = 50
_EVENTS_A_MINUTE = 10_000.0
_LINES_A_MINUTE = 60.0
"""In a square where 50 NPCs stand and hear every one of them."""
_SECONDS = 15.0
_TURNS = 2


def sentiment() -> str:
    """Confusion tables of all modes with all parts of the lines."""
    return "\n\n".join(_confused(part, mode) for part in (TUNING, HELD_OUT, FRESH) for mode in _MODES)


def _confused(part: str, mode: SentimentMode) -> str:
    config, lines = NPCMindConfig(sentiment_mode=mode), read_lines(part)
    sentiment_of(config, "Hello.", "")  # reads the lexicon
    started = time.perf_counter()
    confusion = Confusion(lines, lambda text: label_of(round(sentiment_of(config, text, ""))))
    microseconds = (time.perf_counter() - started) / len(lines) * _MICROSECONDS
    return (
        f"{mode.name}, {len(lines)} lines ({part}): {confusion.right:.1%} right, "
        f"{confusion.opposite:.1%} taken for the opposite, {microseconds:.0f} us each\n\n{confusion.table()}"
    )


def calls() -> str:
    """Times of single calls."""
    return _listed(mind_costs.call_costs(_SEED))


def company() -> str:
    """Times of one line that others overhear."""
    return _listed(mind_costs.company_costs(_SEED))


def memory() -> str:
    """Memory of many minds."""
    return _listed([mind_costs.memory_of_many()])


def events() -> str:
    """Frame times with and without events, in turns."""
    return _frames(_EVENTS_A_MINUTE, is_heard_by_all=False)


def square() -> str:
    """Frame times with and without lines that everybody overhears, in turns."""
    return _frames(_LINES_A_MINUTE, is_heard_by_all=True)


def _frames(events_a_minute: float, is_heard_by_all: bool) -> str:
    taken: dict[float, list[float]] = {0.0: [], events_a_minute: []}
    asked, failed, backlog = 0, 0, 0.0
    with tempfile.TemporaryDirectory(prefix="rag_memory_mind_") as folder:
        program = engine.find()
        games = {
            0.0: Game(program.path, Path(folder) / "bare", with_addon=False),
            events_a_minute: Game(program.path, Path(folder) / "game", with_addon=True),
        }
        for _ in range(_TURNS):
            for rate, game in games.items():
                values: dict[str, Any] = {
                    "events_a_minute": rate,
                    "npcs": _NPCS,
                    "is_heard_by_all": is_heard_by_all,
                    "seconds": _SECONDS,
                    "texts": game_text.questions(500, _SEED),
                }
                with step(f"{_SECONDS:.0f} s with {rate:,.0f} events a minute") as progress:
                    samples = game.measure("mind_events", values, progress)
                taken[rate] += [usec / 1000.0 for usec in samples["frames_usec"]]
                asked += samples["asked"]
                failed += samples["failed"]
                backlog = max(backlog, samples["backlog_ms"])
    lines = [f"{asked:,} events of {_NPCS} NPCs, {failed} failed, the last answered after {backlog:.0f} ms"]
    for share in (0.5, 0.99, 0.999):
        bare, busy = (percentile(taken[rate], share) for rate in (0.0, events_a_minute))
        lines.append(
            f"{share:.1%} of the frames within {busy:.2f} ms (without us {bare:.2f}, {busy - bare:+.2f})"
        )
    return "\n".join(lines)


def _listed(results: list[Result]) -> str:
    return "\n".join(
        f"{result.name}: {result.value:.2f} {result.unit}"
        + (f" (95 % within {result.p95:.2f})" if result.p95 is not None else "")
        + (f", at most {result.target:g}: {result.verdict}" if result.target is not None else "")
        for result in results
    )


_PARTS: dict[str, Callable[[], str]] = {
    "sentiment": sentiment,
    "calls": calls,
    "company": company,
    "memory": memory,
    "events": events,
    "square": square,
}


def main() -> int:
    """Measure and print the chosen parts."""
    parser = command.parser("mind", __doc__)
    parser.add_argument("parts", metavar="PART", nargs="*", help=f"of {', '.join(_PARTS)} (default: all)")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(_PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are: {', '.join(_PARTS)}")

    def report() -> str:
        parts = [_PARTS[part]() for part in options.parts or _PARTS]
        return "\n\n".join([f"{machine.described()}; seed {_SEED}", *parts])

    return command.end(report)


if __name__ == "__main__":
    sys.exit(main())
