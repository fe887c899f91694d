"""The real engine compares memories with a real llama-server that embeds."""

from __future__ import annotations

from tests.engine.game import Game, Home, Project, check_errors, run

from rag_memory_build import language_model
from rag_memory_build.language_server import LanguageServer

CROWN = "The king lost his crown in the river."


def test_a_game_remembers_with_a_real_server(quick_project: Project, home: Home) -> None:
    with LanguageServer(embeds=True) as server:
        game = Game(quick_project, home, "embed_with_a_real_server", server.base_url)
        game.wait_for("ready")
        server.kill()
        (home.user_data(quick_project) / "killed").touch()
        game.wait_for("gone")
    with LanguageServer(port=server.port, embeds=True):
        assert game.end() == 0, game.tail()
    check_errors(game.lines, [])
    health = {"state": "ready", "model": language_model.NAME, "dimension": 576}
    assert game.value("open") == 0
    assert game.value("health") == health
    assert game.value("missing") == 0
    assert "A dragon burned the barn." in game.value("sync")
    assert any("Sack number" in text for text in game.value("async"))
    assert "Nothing answers at" in game.value("fault") or "closed the connection" in game.value("fault")
    assert CROWN in game.value("by_words"), "nothing is lost while the server is away"
    assert game.value("missing_meanwhile") == 1
    assert game.value("open_without") == 0
    assert game.value("still_there") == game.value("count") == 43
    assert CROWN in game.value("again")
    assert game.value("health_again") == health
    told = [line for line in game.lines if "does not answer as it should" in line]
    assert len(told) == 1, "the loss of a server is told once\n" + game.tail()


def test_a_game_whose_server_is_not_there_remembers_by_words(quick_project: Project, home: Home) -> None:
    game = run(quick_project, home, "embed_without_a_server")
    assert game.value("open") == 0
    assert "A dragon burned the barn." in game.value("found")
    assert "A mouse lives behind the oven." in game.value("fleeting")
    for told in (game.value("health"), game.value("activity")):
        assert told["state"] == "ready" and told["model_is_away"], "all works without it"
        assert "Nothing answers at 127.0.0.1:1" in told["model_error"]
        assert "Nothing answers at 127.0.0.1:1" in told["last_error"]
    assert game.values("ready") == [True]
    assert game.values("failed") == []
    told = [line for line in game.lines if "WARNING" in line and "Nothing answers" in line]
    assert len(told) == 1, "it is told once\n" + game.tail()
