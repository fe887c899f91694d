"""Frame times while answers are streamed: `python3 build.py bench talk`.

The real main loop runs at 60 frames a second. In turns, NPCs answer with text that a server in another
process streams at an even pace, and nothing happens. The server is not a language model, which would use the
game's processors.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from measurement import command, machine
from measurement.bootstrap import percentile_difference
from measurement.game import Game
from measurement.result import percentile

from rag_memory_build import engine
from rag_memory_build.console import step

_WORDS_PER_SECOND = 50
_WORDS = 200
_BLOCK = 60
_MS_PER_USEC = 0.001
_TARGET_MS = 1.0


def main(arguments: list[str]) -> int:
    options = command.parser("talk", __doc__, seed_of="the bootstrap")
    options.add_argument("--seconds", type=float, default=15.0, help="of each turn (default 15)")
    options.add_argument("--turns", type=int, default=4, help="of each kind (default 4)")
    options.add_argument("--streams", type=int, default=2, help="answers at the same time (default 2)")
    given = options.parse_args(arguments)
    return command.end(lambda: _measured(given.seed, given.seconds, given.turns, given.streams))


def _measured(seed: int, seconds: float, turns: int, streams: int) -> str:
    load = machine.load()
    script = Path(__file__).parent / "measurement" / "token_server.py"
    words = [sys.executable, str(script), str(_WORDS_PER_SECOND), str(_WORDS)]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server,
        step(f"{2 * turns * (seconds + 1):.0f} s of frames") as progress,
    ):
        assert server.stdout is not None
        try:
            values = {
                "url": f"http://127.0.0.1:{server.stdout.readline().strip()}/v1",
                "seconds": seconds,
                "turns": turns,
                "streams": streams,
            }
            game = Game(engine.find().path, Path(folder) / "game", with_addon=True)
            samples = game.measure("streaming_frames", values, progress)
        finally:
            server.terminate()
    return "\n".join([*machine.conditions(load), *_lines(samples, seed, streams)])


def _lines(samples: dict[str, Any], seed: int, streams: int) -> list[str]:
    runs = {
        kind: [[usec * _MS_PER_USEC for usec in run] for run in samples[kind]]
        for kind in ("without", "streaming")
    }
    lines = [
        f"* {samples['engine']}; seed {seed}; {streams} answers at a time, {_WORDS_PER_SECOND} words a "
        f"second each; {samples['texts']} pieces of text, {samples['answers']} answers, "
        f"{samples['failed']} of them failed",
        "",
        "| | frames | median | 99 % | 99.9 % | longest |",
        "|---|---|---|---|---|---|",
    ]
    for kind, label in (("without", "nothing"), ("streaming", "answers stream")):
        frames = [frame for run in runs[kind] for frame in run]
        shares = [percentile(frames, share) for share in (0.5, 0.99, 0.999)]
        cells = " | ".join(f"{milliseconds:.2f} ms" for milliseconds in [*shares, max(frames)])
        lines.append(f"| {label} | {len(frames)} | {cells} |")
    more = percentile_difference(runs["streaming"], runs["without"], 0.999, block=_BLOCK, seed=seed)
    verdict = "" if more.value <= _TARGET_MS else f" (target missed: {_TARGET_MS:g} ms)"
    lines += [
        "",
        f"At the 99.9th percentile a frame takes {more.value:+.2f} ms{verdict}; 95 % interval "
        f"{more.low:+.2f} to {more.high:+.2f} ms.",
    ]
    return lines


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
