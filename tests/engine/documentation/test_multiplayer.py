"""The examples of docs/multiplayer.md, with a server and two clients that reach it over the network."""

from __future__ import annotations

import re

from tests.engine.game import ROOT, Home, Project, run


def _write_example(project: Project, number: int) -> None:
    page = (ROOT / "docs" / "multiplayer.md").read_text(encoding="utf-8")
    found = re.findall(r"```gdscript\n(extends Node\n.*?)```", page, re.DOTALL)
    (project.folder / "dialogue.gd").write_text(found[number], encoding="utf-8")


def test_the_server_remembers_for_each_player_apart(quick_project: Project, home: Home) -> None:
    _write_example(quick_project, 0)
    game = run(quick_project, home, "multiplayer", errors=["RPC '_tell' is not allowed"])
    assert game.value("first_answers") == ["We have not talked yet."] * 3
    alice, bob, host = game.value("second_answers")
    assert "silver key" in alice and "silver key" not in bob + host, game.tail()
    assert "burned the mill" in bob and "burned the mill" not in alice + host
    assert "host the game" in host
    assert len(game.value("npcs")) == 3, "none for a name that is no NPC's, nor for a forged answer"
    assert game.value("nodes_of_clients") == [0, 0], "no memory lives on a client"
    assert game.value("forged") == 0, "a client cannot speak for an NPC"


def test_each_player_hears_the_words_meant_for_them(quick_project: Project, home: Home) -> None:
    _write_example(quick_project, 1)
    game = run(quick_project, home, "multiplayer_words", errors=["RPC '_tell' is not allowed"])
    assert game.value("heard") == ["You hid the key.", "You burned the mill.", "You host the game."]
    assert min(game.value("pieces")) > 1, "the words come one by one"
    assert game.value("nodes_of_clients") == [0, 0]
    assert game.value("asked_by_clients") == 0, "only the server asks the model"
    assert game.value("forged") == [], "a client cannot speak for an NPC, nor ask for one that is none"
    assert game.value("cancelled") is True, "she falls silent when the player leaves"
