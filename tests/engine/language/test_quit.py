"""A game that ends while somebody speaks."""

from __future__ import annotations

from tests.engine.game import Home, Project, run


def test_quitting_in_the_middle_of_an_answer(quick_project: Project, home: Home) -> None:
    game = run(quick_project, home, "quit_while_she_speaks", allowed=["resources still in use"])
    assert game.value("heard") == ["The mill"]
    assert "closed the connection" not in game.text()
