"""Whether three games of other people remember, with the wiring of docs/dialogue.md and docs/saves.md.

`python3 build.py bench wired_games --mirror FOLDER`: FOLDER has the games' Git repositories as
OWNER+NAME/repo; nothing is downloaded. Each game is copied and gets the addon's zip, the autoload NPCs of
docs/dialogue.md and a patch of bench/wired_games/. A script beside the patch plays it without a window:
three NPCs are spoken to, the game is saved, a new game begun and the save loaded. The same is played in the
exported game, which is then started again.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measurement import command
from public_games import check_out, install, run_at_home

from rag_memory_build import engine, export, package, targets
from rag_memory_build.console import SetupError, step
from rag_memory_build.engine import Engine

_HERE = Path(__file__).parent
_DIALOGUE = _HERE.parent / "docs" / "dialogue.md"
_LIMIT_SECONDS = 300.0
_MOST_LINES = 40


@dataclass(frozen=True)
class _Game:
    """A game, and what its three NPCs say once they remember."""

    name: str
    repository: str
    remembered: tuple[str, str, str]
    copies: Mapping[str, tuple[str, str, Mapping[str, tuple[str, str]]]]
    """Scene: parent, node and, by the name of each copy, a text to replace in it. The game has fewer NPCs."""
    has_autoload: bool = True


_GAMES = (
    _Game("open_rpg", "gdquest-demos+godot-open-rpg", ("I gave you a coin.",) * 3, {}),
    _Game(
        "topdown_template",
        "stesproject+godot-2d-topdown-template",
        (
            "You told me to go away.",
            "You promised to bring me an arrow.",
            "You promised to bring me some coal.",
        ),
        {
            "scenes/levels/playground_02.tscn": (
                "Entities",
                "NPC",
                {
                    "Hunter": ('"forest_citizen_talk"', '"hunter_talk"'),
                    "Smith": ('"forest_citizen_talk"', '"smith_talk"'),
                },
            )
        },
    ),
    _Game(
        "action_rpg",
        "noidexe+top-down-action-rpg-template",
        ("You promised to bring me 3 of Generic Item.", "I told you", "I told you"),
        {
            "scenes/levels/HouseInside.tscn": (
                "house_inside",
                "Dadbug",
                {"Mombug": ('"Dad Bug"', '"Mom Bug"')},
            )
        },
        has_autoload=False,
    ),
)


def main(arguments: list[str]) -> int:
    options = command.parser("wired_games", __doc__)
    options.add_argument("--mirror", required=True, type=Path, help="the folder of the repositories")
    mirror: Path = options.parse_args(arguments).mirror
    return command.end(lambda: _report(mirror))


def _report(mirror: Path) -> str:
    program = engine.find()
    lines = ["| game | lines of wiring | played in the editor's engine | exported | started again |"]
    lines.append("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="rag_memory_bench_") as name:
        folder = Path(name)
        addon = package.build([targets.HERE], folder)
        for game in _GAMES:
            with step(game.name):
                lines.append(_row(game, mirror, program, addon, folder / game.name))
    return "\n".join(lines)


def _row(game: _Game, mirror: Path, program: Engine, addon: Path, folder: Path) -> str:
    project = folder / "project"
    check_out(mirror / game.repository / "repo", project)
    install(addon, project)
    count = _wire(game, project)
    _run([program.path, "--headless", "--path", project, "--import"], folder / "home")
    words = ["--headless", "--audio-driver", "Dummy"]
    results = [_play([program.path, *words, "--path", project], folder / "home", "first", game)]
    export.export(program, project, folder / "game")
    exported = [folder / "game" / export.program_name(targets.HERE), *words]
    results += [_play(exported, folder / "player", start, game) for start in ("first", "again")]
    too_many = f" (more than {_MOST_LINES})" if count > _MOST_LINES else ""
    return f"| {game.name} | {count}{too_many} | {' | '.join(results)} |"


def _wire(game: _Game, project: Path) -> int:
    """Change the game as its developer would; return the number of lines that are written for it."""
    patch = _HERE / "wired_games" / f"{game.name}.patch"
    applied = subprocess.run(
        ["git", "apply", "--unidiff-zero", os.fspath(patch)],
        cwd=project,
        env={**os.environ, "GIT_CEILING_DIRECTORIES": os.fspath(project.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    if applied.returncode:
        raise SetupError(
            f"{patch.name} does not fit {game.repository}",
            applied.stderr,
            "the game has changed: make the patch again",
        )
    for scene, (parent, node, copies) in game.copies.items():
        _duplicate(project / scene, parent, node, copies)
    (project / "play.gd").write_text(patch.with_suffix(".gd").read_text(encoding="utf-8"), encoding="utf-8")
    written = re.findall(r"(?m)^\+(?!\+\+ ).*\S.*$", patch.read_text(encoding="utf-8"))
    autoloads = ['PlayThrough="*res://play.gd"']
    count = len(written)
    if game.has_autoload:
        page = _DIALOGUE.read_text(encoding="utf-8").split("### Connect a dialogue addon\n")[1]
        script = page.split("```gdscript\n")[1].split("```")[0]
        (project / "npcs.gd").write_text(script, encoding="utf-8")
        autoloads.insert(0, 'NPCs="*res://npcs.gd"')
        count += sum(1 for line in script.splitlines() if line.strip())
    settings = project / "project.godot"
    text = settings.read_text(encoding="utf-8")
    section = re.search(r"\[autoload\]\n(?:\n|[^\[\n].*\n)*?(?=\n\[)", text)
    if section is None:
        raise SetupError(f"{game.repository} has no autoloads", "project.godot lists none", "look at it")
    end = section.end()
    settings.write_text(text[:end] + "\n".join([*autoloads, ""]) + text[end:], encoding="utf-8")
    return count


def _duplicate(scene: Path, parent: str, node: str, copies: Mapping[str, tuple[str, str]]) -> None:
    """Copy a node with all that is below it, as Ctrl+D does in the editor."""
    blocks = re.split(r"(?m)^(?=\[)", scene.read_text(encoding="utf-8"))
    head, below = f'[node name="{node}" parent="{parent}"', rf'\[node [^\n]*parent="{parent}/{node}[/"]'
    original = [block for block in blocks if block.startswith(head) or re.match(below, block)]
    for name, (old, new) in copies.items():
        copy = "".join(original).replace(f'[node name="{node}" parent', f'[node name="{name}" parent')
        blocks.append(copy.replace(f'parent="{parent}/{node}', f'parent="{parent}/{name}').replace(old, new))
    connections = [block for block in blocks if block.startswith(("[connection", "[editable"))]
    nodes = [block for block in blocks if block not in connections]
    scene.write_text("\n".join([*(block.rstrip("\n") + "\n" for block in [*nodes, *connections])]), "utf-8")


def _play(words: list[Any], home: Path, start: str, game: _Game) -> str:
    """Play once; "as it should be", or what was wrong."""
    output = _run([*words, "--", start], home)
    lines = [line.removeprefix("PLAYED ") for line in output.splitlines() if line.startswith("PLAYED ")]
    if not lines:
        return "not played to the end: " + " / ".join(output.splitlines()[-3:])
    seen: dict[str, list[Any]] = json.loads(lines[0])
    wrong = [f"after the save: {seen['burned']}"] if any(seen["burned"]) else []
    for moment, remembers in (("before", False), ("after", True), ("loaded", True), ("new_game", False)):
        for text, expected in zip(seen.get(moment, []), game.remembered, strict=False):
            if (expected in text) != remembers:
                wrong.append(f"{moment}: {text}")
    return "; ".join(wrong) or "as it should be"


def _run(words: list[Any], home: Path) -> str:
    try:
        return run_at_home(words, home, _LIMIT_SECONDS).stdout
    except subprocess.TimeoutExpired as error:
        tail = (error.stdout or b"")[-300:] if isinstance(error.stdout, bytes) else ""
        return f"did not end within {_LIMIT_SECONDS:.0f} s: {tail!r}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
