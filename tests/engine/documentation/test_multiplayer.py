"""The example of docs/multiplayer.md, with a server and two clients that reach it over the network."""

from __future__ import annotations

import re

from tests.engine.game import ROOT, Home, Project, run


def test_the_server_remembers_for_each_player_apart(quick_project: Project, home: Home) -> None:
    page = (ROOT / "docs" / "multiplayer.md").read_text(encoding="utf-8")
    found = re.search(r"```gdscript\n(extends Node\n.*?)```", page, re.DOTALL)
    assert found is not None
    (quick_project.folder / "dialogue.gd").write_text(found[1], encoding="utf-8")
    game = run(quick_project, home, "multiplayer", errors=["RPC '_tell' is not allowed"])
    assert game.value("first_answers") == ["We have not talked yet."] * 3
    alice, bob, host = game.value("second_answers")
    assert "silver key" in alice and "silver key" not in bob + host, game.tail()
    assert "burned the mill" in bob and "burned the mill" not in alice + host
    assert "host the game" in host
    assert len(game.value("npcs")) == 3, "none for a name that is no NPC's, nor for a forged answer"
    assert game.value("nodes_of_clients") == [0, 0], "no memory lives on a client"
    assert game.value("forged") == 0, "a client cannot speak for an NPC"
