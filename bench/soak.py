"""Random calls of every method for half an hour: `python3 build.py bench soak [--minutes N] [--seed N]`.

Many nodes call while nodes are freed, saves are switched and requests are cancelled. It fails when a memory
is lost, an object is left over, a call is never answered, or the engine crashes. The same as
tests/engine/start_and_quit/test_soak.py, longer and with the sentence model.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from measurement import command

from rag_memory_build.console import SetupError, say, step
from rag_memory_build.paths import ROOT

sys.path.append(str(ROOT))

from tests.engine.game import Game, Home, Project

_END_SECONDS = 600
_GROWTH_SHARE = 1.25


def _problems(game: Game, code: int) -> list[str]:
    """Descriptions of failures."""
    problems = []
    if code != 0:
        return [f"the engine ended with exit code {code}\n{game.tail()}"]
    if game.values("hanging"):
        return [f"{game.value('hanging')} calls were never answered"]
    if game.value("lost"):
        problems.append(f"lost memories: {game.value('lost')[:5]}")
    counts: list[int] = game.value("object_counts")
    if counts[-1] > counts[min(1, len(counts) - 1)]:
        problems.append(f"objects are left over: {counts}")
    resident: list[int] = game.value("resident_kb")
    if resident[-1] > _GROWTH_SHARE * resident[len(resident) // 2]:
        problems.append(f"memory grew in the second half: {resident} KB")
    problems += [line for line in game.lines if "Please report it" in line][:3]
    return problems


def main() -> int:
    """Run the soak and say how it went."""
    parser = command.parser("soak", __doc__, seed_of="the calls")
    parser.add_argument("--minutes", type=float, default=30, help="how long (default 30)")
    options = parser.parse_args()
    seconds = 60 * options.minutes
    try:
        with tempfile.TemporaryDirectory(prefix="rag_memory_bench_") as folder:
            project, home = Project(Path(folder, "project")), Home(Path(folder, "home"))
            with step(f"{options.minutes:g} minutes of random calls") as progress:
                game = Game(project, home, "soak", str(seconds), str(options.seed))
                said = 0
                while not game.wait_until(lambda: game.has_ended, 5):
                    lines = [line for line in game.lines if line.endswith(" MB") and " calls, " in line]
                    if len(lines) > said:
                        said = len(lines)
                        progress.update(lines[-1])
                    if progress.elapsed_seconds() > seconds + _END_SECONDS:
                        raise SetupError("The soak does not end", game.tail(), "look for what hangs")
                code = game.end()
            problems = _problems(game, code)
    except SetupError as error:
        say(f"\n{error}")
        return 1
    if problems:
        say("\n" + "\n".join(problems))
        return 1
    resident: list[int] = game.value("resident_kb")
    counts: list[int] = game.value("object_counts")
    print(
        f"\n{game.value('calls'):,} calls of {game.value('methods')} methods and the server's, "
        f"{game.value('cancelled'):,} cancelled, {game.value('failed'):,} failed (senseless arguments), "
        f"{game.value('freed'):,} nodes freed in the middle;\n{game.value('entries'):,} memories looked up, "
        f"none lost; {counts[min(1, len(counts) - 1)]} to {counts[-1]} objects, "
        f"{resident[0] // 1000} to {resident[-1] // 1000} MB after the rounds."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
