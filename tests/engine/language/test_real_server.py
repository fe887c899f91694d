"""The real engine asks a real llama-server with a real, small model."""

from __future__ import annotations

import json
import re

import pytest
from tests.engine.game import Game, Home, Project, check_errors, run

from rag_memory_build import language_model
from rag_memory_build.language_server import LanguageServer

NO_SPEECH = re.compile(r'"(?:response|analysis)"|^(?:Mira|Player|You|The player \w+):|<\|', re.MULTILINE)
"""JSON, a name before a line, the player's part, or a token of a chat template."""


def test_a_game_talks_with_a_real_server(quick_project: Project, home: Home) -> None:
    with LanguageServer() as server:
        game = Game(quick_project, home, "ask_a_real_server", server.base_url)
        game.wait_for("streams")
        said = server.log()
        server.kill()
        game.wait_for("gone")
    with LanguageServer(port=server.port):
        (home.user_data(quick_project) / "restarted").touch()
        assert game.end() == 0, game.tail()
    check_errors(game.lines, [])
    assert "cancel task" in said, "the server stops what was cancelled\n" + said
    assert game.value("available") is True
    assert language_model.NAME in game.value("models")
    for name in ("chat", "after_cancel", "again"):
        assert game.value(name).strip(), game.tail()
    assert game.value("chunks") > 1
    assert game.value("mood")["mood"] in ("glad", "sad")
    assert game.value("talk")["response"].strip() and game.value("talk")["from_memory"] is False
    assert game.value("heard").strip() == game.value("talk")["response"]
    assert game.value("turns") == 1
    assert all(text.strip() for text in game.value("both"))
    errors = [game.value(f"{name}_error") for name in ("chat", "mood", "after_cancel", "again")]
    assert errors == [""] * 4
    assert "closed the connection in the middle of the answer" in game.value("lost")
    assert game.value("gone") is False


def test_a_real_server_works_on_memories_or_they_are_made_without_it(project: Project, home: Home) -> None:
    with LanguageServer() as server:
        game = run(project, home, "memories_of_a_real_server", server.base_url)
        asked = server.log().count("launch_slot_")
    works = ("summarizer", "extractor", "reflector", "sentiment_analyzer", "profile_writer", "debate_writer")
    outcomes = {work: game.value(work) for work in works}
    print(json.dumps(outcomes, indent=1))
    for work, outcome in outcomes.items():
        assert outcome["calls"] >= 1, f"the {work} asked nobody"
        told = sum(f"failed as the {work}" in warning for warning in game.warnings())
        assert told == (1 if outcome["failed"] else 0), f"one warning of the {work}\n{game.tail()}"
    assert asked >= sum(outcome["calls"] for outcome in outcomes.values())
    for work in ("summarizer", "reflector"):
        assert outcomes[work]["result"] and all(text.strip() for text in outcomes[work]["result"])
    if outcomes["extractor"]["failed"]:
        assert any("lantern" in text for text in outcomes["extractor"]["result"])
    assert -30 <= outcomes["sentiment_analyzer"]["result"] <= 20
    assert outcomes["profile_writer"]["result"]["backstory"].strip()
    assert outcomes["debate_writer"]["result"]["summary"].strip()
    assert outcomes["debate_writer"]["result"]["outcome"].strip()


@pytest.mark.parametrize("answers", ["speech", "analysis"])
def test_a_small_model_is_heard_with_and_without_analysis(
    quick_project: Project, home: Home, answers: str
) -> None:
    with LanguageServer() as server:
        game = run(quick_project, home, "talk_with_a_real_server", server.base_url, answers, "3")
    spoken = game.values("answer")
    print(json.dumps(spoken, indent=1))
    assert len(spoken) == 3
    for answer in spoken:
        response = answer["response"]
        assert response and answer["turn"] == response, answer
        assert answer["from_memory"] or answer["streamed"].strip() == response, answer
        assert not NO_SPEECH.search(response), response
