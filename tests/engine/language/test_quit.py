"""A game that ends while somebody speaks."""

from __future__ import annotations

from tests.engine.game import Home, Project, run


def test_quitting_in_the_middle_of_an_answer(quick_project: Project, home: Home) -> None:
    game = run(quick_project, home, "quit_while_she_speaks", allowed=["resources still in use"])
    assert game.value("heard") == ["The mill"]
    assert "closed the connection" not in game.text()


def test_quitting_while_a_server_of_embeddings_hangs(quick_project: Project, home: Home) -> None:
    game = run(quick_project, home, "quit_while_embedding", allowed=["resources still in use"])
    assert game.value("missing") == 0
    assert game.value("hangs") is True
    assert "does not answer as it should" not in game.text(), "that it was given up is no news"
    again = run(quick_project, home, "store_and_count")
    assert again.value("count") == 3 + 1, "what was asked for is kept, and one was stored anew"


def test_quitting_while_a_model_of_the_game_computes(quick_project: Project, home: Home) -> None:
    game = run(quick_project, home, "quit_while_a_game_embeds", allowed=["resources still in use"])
    assert game.value("computes") is True
    again = run(quick_project, home, "store_and_count")
    assert again.value("count") == 1 + 1, "what was asked for is kept, and one was stored anew"
