"""Every public method, property and signal of every class of the addon, called with what no game should
pass (scenarios/attack.gd), in the editor's engine or in the release template. What goes wrong is listed.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.engine.game import ROOT, Game, Home, Project

SCRIPT = "res://tests/engine/scenarios/attack.gd"
SECRET = "The canary of the attack sings at midnight."
"""Stands in files outside the game, and must not get into a save or the output."""

SILENCE_SECONDS = 240.0
"""The longest that one batch of calls takes on a slow machine, with all its requests. The scenario itself
gives up on a request much sooner.
"""

_MOST_LINES = 2_000_000
_SHOWN_CALLS = 4
_OPTION_NAME = re.compile(r"`\"?(\w+)\"?`|\"(\w+)\":")


@dataclass(frozen=True)
class Result:
    """The outcome of an attack. Without problems all is well."""

    problems: list[str]
    calls: int
    called: int
    """How many different methods, properties and signals were called."""

    members: int
    """How many there are."""

    slow: list[list[Any]]
    """The calls that took longest, with their milliseconds."""


def attack(
    folder: Path, seconds: float, seed: int, *, template: Path | None = None, batch: int | None = None
) -> Result:
    """Attack a game in `folder`, which is empty or not there.

    Args:
        template: the release template that runs the game; without it the editor's engine does.
        batch: the only batch of calls to make.
    """
    project, home = Project(folder / "project", model=False), Home(folder / "home")
    if template is not None:
        project.release(SCRIPT, template)
    outside = folder / "outside"
    outside.mkdir()
    for name in ("secret.md", "secret.json", "secret.sqlite3"):
        (outside / name).write_text(f"# {SECRET}\n", encoding="utf-8")
    names = folder / "names.json"
    names.write_text(json.dumps(_option_names()), encoding="utf-8")
    before = _files_outside(project, home)
    words = [str(seconds), str(seed), str(outside), str(names), *([str(batch)] if batch is not None else [])]
    game = Game(project, home, "attack", *words)
    problems = _watch(game)
    problems += [f"never completed in {request}" for request in game.values("hanging")]
    problems += [f"broken after batch {state}" for state in game.values("broken")]
    problems += _internal_errors(game.lines)
    after = _files_outside(project, home)
    problems += [
        f"changed: {path}"
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path)
    ]
    problems += [f"the secret was read: {place}" for place in _places_of_the_secret(project, home, game)]
    if problems:
        problems.append(f"the last batch was {game.values('batch')[-1:]}; its calls were")
        problems += _last_calls(home.user_data(project))
    calls, called, members = (int((game.values(name) or [0])[-1]) for name in ("calls", "called", "members"))
    return Result(problems, calls, called, members, slow=(game.values("slow") or [[]])[-1])


def _option_names() -> list[str]:
    """The names of options and of keys of dictionaries, as far as the reference has them."""
    text = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    return sorted({name for pair in _OPTION_NAME.findall(text) for name in pair if name})


def _watch(game: Game) -> list[str]:
    """Wait for the end, as long as batches come; how it ended, if not well."""
    batches, since = 0, time.monotonic()
    while not game.wait_until(lambda: game.has_ended, 2.0):
        count = len(game.values("batch")[batches:])
        if count:
            batches, since = batches + count, time.monotonic()
        if time.monotonic() - since > SILENCE_SECONDS or len(game.lines) > _MOST_LINES:
            game.kill()
            return ["the game hung" if len(game.lines) <= _MOST_LINES else "the game printed without an end"]
    code = game.end()
    return [] if code == 0 else [f"the game ended with exit code {code}", *game.lines[-10:]]


def _internal_errors(lines: list[str]) -> list[str]:
    """Errors that are nobody's but the addon's: those it did not foresee, and those of its scripts. A
    function of the game that unbinds more than it gets is at fault itself.
    """
    problems = [line for line in lines if "Please report it" in line]
    for number, line in enumerate(lines):
        if (
            line.startswith("SCRIPT ERROR:")
            and "Callable unbinds" not in line
            and any("res://addons/rag_memory/" in place for place in lines[number + 1 : number + 2])
        ):
            problems.append(f"{line} {lines[number + 1].strip()}")
    return sorted(set(problems))


def _files_outside(project: Project, home: Home) -> dict[str, str]:
    """The files that the game must leave alone, with the hash of each: all but those of user://, and what
    prepare_lore() writes.
    """
    user = home.user_data(project)
    prepared_lore = project.folder / "prepared_saves" / "lore"
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in project.folder.parent.rglob("*")
        if path.is_file()
        and user not in path.parents
        and prepared_lore not in path.parents
        and ".godot" not in path.parts
        and home.folder not in path.parents
    }


def _places_of_the_secret(project: Project, home: Home, game: Game) -> list[str]:
    secret = SECRET.encode()
    places = [
        str(path)
        for path in home.user_data(project).rglob("*")
        if path.is_file() and path.suffix != ".log" and secret in path.read_bytes()
    ]
    return places + [line[:300] for line in game.lines if SECRET in line]


def _last_calls(user: Path) -> list[str]:
    lines = []
    for file in sorted(user.glob("calls_*.txt")):
        calls = file.read_text(encoding="utf-8", errors="replace").splitlines()
        lines += [f"{file.name}: {call}" for call in calls[-_SHOWN_CALLS:]]
    return lines
