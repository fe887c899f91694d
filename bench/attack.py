"""Hostile calls and crafted saves: `python3 build.py bench attack [--minutes N] [--seed N]`.

Every public method, property and signal of every class is called with null, freed, cyclic, huge and wrongly
typed values, from threads, too, in the editor's engine and in the release template, while saves open and
close. It fails when a game crashes, a request never completes, a save does not open any more, a file outside
`user://` is read or changed, or an error inside RAG Memory is printed. The same as
tests/engine/start_and_quit/test_attack.py, longer. Then saves that a stranger has changed are opened
(tests/unit/saves/test_crafted_saves.py), each round with another seed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measurement import command

from rag_memory_build import engine
from rag_memory_build.console import SetupError, say, step
from rag_memory_build.paths import ROOT

sys.path.append(str(ROOT))

from tests.engine.attack import Result, attack

_ROUND_SECONDS = 120.0
_CRAFTED_SAVES = ROOT / "tests" / "unit" / "saves" / "test_crafted_saves.py"
_SEED = "RAG_MEMORY_TEST_SEED"
_SHOWN_LINES = 40


def _attack(seconds: float, seed: int, form: str, batch: int | None) -> Result:
    template = engine.find().release_template if form == "release" else None
    if form == "release" and template is None:
        raise SetupError("No release template", "this engine came without one", "use --engine debug")
    with (
        tempfile.TemporaryDirectory(prefix="rag_memory_bench_") as folder,
        step(f"Seed {seed}, {form} engine, {seconds:.0f} s"),
    ):
        return attack(Path(folder), seconds, seed, template=template, batch=batch)


def _open_crafted_saves(seed: int) -> list[str]:
    """Make saves as a stranger may have changed them, and open each; what went wrong."""
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(_CRAFTED_SAVES)]
    with step(f"Seed {seed}, crafted saves"):
        done = subprocess.run(
            words, cwd=ROOT, env=os.environ | {_SEED: str(seed)}, capture_output=True, text=True, check=False
        )
    return [] if done.returncode == 0 else done.stdout.splitlines()[-_SHOWN_LINES:]


def main() -> int:
    """Attack, one round after another, and say how it went."""
    parser = command.parser("attack", __doc__, seed_of="the calls; each round has the next one")
    parser.add_argument("--minutes", type=float, default=30, help="how long (default 30)")
    parser.add_argument("--engine", choices=["debug", "release"], help="only this engine (default: both)")
    parser.add_argument("--batch", type=int, help="only this batch of the seed's calls, in one round")
    options = parser.parse_args()
    forms = [options.engine] if options.engine else ["debug", "release"]
    left, seed, calls = 60 * options.minutes, options.seed, 0
    slow: list[list[Any]] = []
    try:
        while left > 0:
            seconds = min(_ROUND_SECONDS, left / len(forms))
            for form in forms:
                result = _attack(seconds, seed, form, options.batch)
                calls += result.calls
                slow += result.slow
                if result.problems:
                    say(f"\nSeed {seed}, {form} engine:\n" + "\n".join(result.problems[:60]))
                    return 1
                left -= seconds
            if options.engine is None:
                begun = time.monotonic()
                problems = _open_crafted_saves(seed)
                left -= time.monotonic() - begun
                if problems:
                    say(f"\nSeed {seed}, crafted saves:\n" + "\n".join(problems))
                    return 1
            seed += 1
            if options.batch is not None:
                break
    except SetupError as error:
        say(f"\n{error}")
        return 1
    print(f"\n{calls:,} calls of {result.called} of {result.members} methods, properties and signals.")
    for milliseconds, call in sorted(slow, key=lambda entry: entry[0], reverse=True)[:10]:
        print(f"{milliseconds} ms, with what waited before it: {call}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
