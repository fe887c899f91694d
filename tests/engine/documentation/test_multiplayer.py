"""The example of docs/multiplayer.md, with a server and two clients that reach it over the network."""

from __future__ import annotations

import re

from tests.engine.game import ROOT, Home, Project, run


def test_each_player_hears_the_words_meant_for_them(quick_project: Project, home: Home) -> None:
    page = (ROOT / "docs" / "multiplayer.md").read_text(encoding="utf-8")
    [example] = re.findall(r"```gdscript\n(extends Node\n.*?)```", page, re.DOTALL)
    (quick_project.folder / "dialogue.gd").write_text(example, encoding="utf-8")
    game = run(quick_project, home, "multiplayer", errors=["RPC '_tell' is not allowed"])
    assert game.value("heard") == ["You hid the key.", "You burned the mill.", "You host the game."]
    assert sorted(game.value("memories")) == ["[0]", "[1]", "[2]"], "each player confides in a memory apart"
    assert min(game.value("pieces")) > 1, "the words come one by one"
    assert game.value("nodes_of_clients") == [0, 0], "no memory lives on a client"
    assert game.value("asked_by_clients") == 0, "only the server asks the model"
    assert game.value("forged") == [], "a client cannot speak for an NPC, nor ask for one that is none"
    assert game.value("cancelled") is True, "she falls silent when the player leaves"
