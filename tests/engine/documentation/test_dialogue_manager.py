"""The dialogue file of docs/dialogue.md: its conditions, as the engine evaluates them visit after visit.

Dialogue Manager cannot be had here. Its expressions are those of the engine's class Expression.
"""

from __future__ import annotations

import json
import re

from tests.engine.game import ROOT, Home, Project, run

PAGE = (ROOT / "docs" / "dialogue.md").read_text(encoding="utf-8")
PROMISE = "The player promised to mend the roof before winter."


def _example() -> dict[str, str]:
    file = PAGE.split("### Dialogue Manager")[1].split("```text\n")[1].split("```")[0]
    patterns = {
        "line": r"(?m)^if (.+)$",
        "answer": r"\[if (.+) /\]",
        "insertion": r"\{\{(.+?)\}\}",
        "mutation": r"(?m)^\tdo (.+)$",
    }
    matches = {name: re.search(pattern, file) for name, pattern in patterns.items()}
    return {name: match[1] for name, match in matches.items() if match}


def test_the_example_is_right_on_every_visit(project: Project, home: Home) -> None:
    (project.folder / "visits.json").write_text(json.dumps(_example()), encoding="utf-8")
    game = run(project, home, "dialogue_visits")
    without = {"line": False, "answer": False, "text": ""}
    promised = {"line": True, "answer": True, "text": PROMISE}
    assert game.value("visits") == [without, without, promised, promised, promised]
    assert game.value("after_promise") is False
