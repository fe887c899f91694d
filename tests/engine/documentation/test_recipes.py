"""The code of docs/recipes.md itself, in the real engine.

llama.cpp answers for real. In the place of OpenAI, Ollama and Anthropic a server of ours answers as their
descriptions say; recipes.py names them. In the place of NobodyWho there is a node of ours.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from tests.engine.documentation import recipes
from tests.engine.game import Game, Home, Project, run

from rag_memory_build.language_server import LanguageServer

KEY = "sk-recipe-1234567890"


def _played(project: Project, home: Home, heading: str, address: str, answers: list[str]) -> Game:
    code = recipes.script(heading)
    assert address in code
    (project.folder / "recipe.gd").write_text(code, encoding="utf-8")
    (project.folder / "answers.json").write_text(json.dumps(answers), encoding="utf-8")
    return run(project, home, "recipe", address)


def _check_spoken(game: Game) -> None:
    assert game.value("error") == ""
    assert game.value("from_memory") is False
    assert game.value("response") == game.value("label") == recipes.SPOKEN
    assert game.value("trust_change") == 2
    assert game.value("turns") == 1


def test_llama_cpp_for_real(quick_project: Project, home: Home) -> None:
    code = recipes.script("llama.cpp")
    assert "http://127.0.0.1:8080/v1" in code
    (quick_project.folder / "recipe.gd").write_text(code, encoding="utf-8")
    with LanguageServer() as server:
        game = run(quick_project, home, "recipe", "http://127.0.0.1:8080/v1", server.base_url)
    assert game.value("error") == ""
    assert game.value("from_memory") is False
    assert game.value("response").strip()
    assert game.value("label").strip() == game.value("response").strip()
    assert game.value("turns") == 1


def test_openai(quick_project: Project, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    refusal = json.dumps(
        {
            "error": {
                "message": "Unsupported parameter: 'max_tokens' is not supported with this model."
                " Use 'max_completion_tokens' instead.",
                "type": "invalid_request_error",
                "param": "max_tokens",
                "code": "unsupported_parameter",
            }
        }
    )
    refused = f"HTTP/1.1 400 Bad Request\r\nContent-Length: {len(refusal)}\r\n\r\n{refusal}"
    answers = [refused, recipes.openai_stream()]
    game = _played(quick_project, home, "OpenAI", "https://api.openai.com/v1", answers)
    _check_spoken(game)
    first, second = game.value("requests")
    assert second.startswith("POST /chat/completions HTTP/1.1"), "/v1 is in the address that was replaced"
    assert f"Authorization: Bearer {KEY}\r\n" in second
    assert recipes.body_of(first, recipes.OPENAI, {"messages", "model"})["max_tokens"] == 2000
    body = recipes.body_of(second, recipes.OPENAI, {"messages", "model"})
    assert body["model"] == "gpt-5-mini"
    assert body["max_completion_tokens"] == 2000 and "max_tokens" not in body, "the older name is deprecated"
    assert body["stream"] is True and body["stream_options"] == {"include_usage": True}
    form = body["response_format"]
    assert set(form) == {"type", "json_schema"} and form["type"] == "json_schema"
    assert set(form["json_schema"]) <= {"name", "description", "schema", "strict"}
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", form["json_schema"]["name"])
    assert form["json_schema"]["schema"]["type"] == "object"
    assert not form["json_schema"].get("strict"), "strict allows no property that may be left out"


def test_ollama(quick_project: Project, home: Home) -> None:
    tags = recipes.head("application/json") + '{"models":[]}'
    pull: list[dict[str, Any]] = [
        {"status": "pulling manifest"},
        {"status": "pulling 1a2b", "digest": "sha256:1a2b", "total": 2142590208, "completed": 241970},
        {"status": "verifying sha256 digest"},
        {"status": "success"},
    ]
    pulled = recipes.head("application/x-ndjson") + "".join(json.dumps(line) + "\n" for line in pull)
    answers = [tags, pulled, recipes.ollama_stream()]
    game = _played(quick_project, home, "Ollama", "http://127.0.0.1:11434", answers)
    _check_spoken(game)
    assert "success: 100 %" in game.lines, "how far the download is"
    asked = [request.splitlines()[0] for request in game.value("requests")]
    assert asked == ["GET /api/tags HTTP/1.1", "POST /api/pull HTTP/1.1", "POST /api/chat HTTP/1.1"]
    assert json.loads(game.value("requests")[1].partition("\r\n\r\n")[2]) == {
        "model": "llama3.2",
        "stream": True,
    }
    body = recipes.body_of(game.value("requests")[2], recipes.OLLAMA, {"model"})
    assert body["model"] == "llama3.2" and body["stream"] is True
    assert body["format"]["type"] == "object", "a JSON schema"
    assert set(body["options"]) <= {"num_predict", "temperature", "stop", "seed"}


def test_anthropic(quick_project: Project, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    answers = [recipes.anthropic_stream()]
    game = _played(quick_project, home, "Anthropic", "https://api.anthropic.com", answers)
    _check_spoken(game)
    request = game.value("requests")[0]
    assert request.startswith("POST /v1/messages HTTP/1.1")
    assert "anthropic-version: 2023-06-01\r\n" in request and f"x-api-key: {KEY}\r\n" in request
    body = recipes.body_of(request, recipes.ANTHROPIC, {"max_tokens", "messages", "model"})
    assert body["messages"][-1]["role"] == "user"
    assert body["tools"][0]["input_schema"]["type"] == "object"
    assert body["tool_choice"] == {"type": "tool", "name": body["tools"][0]["name"]}


def test_nobodywho_with_a_node_of_ours_in_its_place(quick_project: Project, home: Home) -> None:
    code = recipes.script("NobodyWho").replace(
        "extends Node\n", "extends Node\n\n@onready var chat: Node = $NobodyWhoChat\n", 1
    )
    (quick_project.folder / "recipe.gd").write_text(code, encoding="utf-8")
    game = run(quick_project, home, "recipe_of_nobodywho")
    assert game.value("first") == ["The roof leaks.", False]
    names = [call[0] for call in game.value("calls")]
    assert names == ["reset_context", "set_chat_history", "ask"]
    assert "mira" in game.value("calls")[0][1].lower(), "the system prompt is hers"
    assert game.value("calls")[2][1]
    assert game.value("second") == ["The roof leaks.", False], "after one that was cancelled"
    assert game.value("stopped") is True
    assert game.value("most_at_once") == 1
    assert game.value("failed")[1] is True, "without a model she answers from her memory"
