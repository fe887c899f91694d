"""The recipes of docs/recipes.md as scripts, and what the published descriptions say of their questions.

Which descriptions these are (read in November 2026; none is part of the project):

OpenAI       openai/openai-openapi, version 2.3.0, CreateChatCompletionRequest
Ollama       ollama/ollama, docs/api.md, "Generate a chat completion" and "Pull a Model"
Anthropic    anthropics/anthropic-sdk-python, generated from the API's description, MessageCreateParams
"""

from __future__ import annotations

import json
import re
from typing import Any

from tests.engine.game import ROOT

PAGE = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"```gdscript\n(.*?)```", re.DOTALL)
_PLACE = "func make_model() -> NPCLanguageModel:\n\treturn null"

SPOKEN = "I will mend it."
ANSWER = json.dumps({"response": SPOKEN, "analysis": {"trust_change": 2}})

OPENAI: dict[str, Any] = {
    "messages": list,
    "model": str,
    "stream": bool,
    "stream_options": dict,
    "max_tokens": int,
    "max_completion_tokens": int,
    "temperature": (int, float),
    "stop": list,
    "seed": int,
    "response_format": dict,
}
OLLAMA: dict[str, Any] = {"messages": list, "model": str, "stream": bool, "format": dict, "options": dict}
ANTHROPIC: dict[str, Any] = {
    "messages": list,
    "model": str,
    "stream": bool,
    "max_tokens": int,
    "system": str,
    "temperature": (int, float),
    "stop_sequences": list,
    "tools": list,
    "tool_choice": dict,
}


def script(heading: str) -> str:
    """The files of a reader who follows the recipe under `heading`."""
    frame = _BLOCK.search(PAGE)
    recipe = _BLOCK.search(PAGE, PAGE.index(f"\n## {heading}"))
    assert frame and recipe and _PLACE in frame[1]
    return frame[1].split(_PLACE)[0] + recipe[1]


def body_of(request: str, fields: dict[str, Any], required: set[str]) -> dict[str, Any]:
    """The JSON of a request, which has the required fields and none that the description does not know."""
    body: dict[str, Any] = json.loads(request.partition("\r\n\r\n")[2])
    assert required <= set(body) <= set(fields), sorted(body)
    assert [name for name, value in body.items() if not isinstance(value, fields[name])] == []
    roles = {message["role"] for message in body["messages"]}
    assert roles <= ({"user", "assistant"} if fields is ANTHROPIC else {"system", "user", "assistant"})
    assert all(message["content"].strip() for message in body["messages"])
    return body


def head(kind: str) -> str:
    return f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n"


def _pieces() -> list[str]:
    return [ANSWER[:20], ANSWER[20:35], ANSWER[35:]]


def openai_stream() -> str:
    """Chunks as CreateChatCompletionStreamResponse describes them, with the usage at the end."""
    frame = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-5-mini"}
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": "", "refusal": None}]
    deltas += [{"content": piece} for piece in _pieces()]
    choices: list[list[dict[str, Any]]] = [
        [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}] for delta in deltas
    ]
    choices.append([{"index": 0, "delta": {}, "logprobs": None, "finish_reason": "stop"}])
    chunks: list[dict[str, Any]] = [{**frame, "choices": each, "usage": None} for each in choices]
    usage = {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14}
    chunks.append({**frame, "choices": [], "usage": usage, "obfuscation": "x7"})
    events = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
    return head("text/event-stream; charset=utf-8") + events + "data: [DONE]\n\n"


def ollama_stream() -> str:
    """Lines as docs/api.md shows them; its last one has no message."""
    frame = {"model": "llama3.2", "created_at": "2023-08-04T08:52:19.385406455-07:00"}
    message = {"role": "assistant", "images": None}
    lines = [{**frame, "message": {**message, "content": piece}, "done": False} for piece in _pieces()]
    counts = {"total_duration": 4883583458, "prompt_eval_count": 26, "eval_count": 282}
    lines.append({**frame, "done": True, **counts})
    return head("application/x-ndjson") + "".join(json.dumps(line) + "\n" for line in lines)


def anthropic_stream() -> str:
    """The events of a message that uses the tool it was told to."""
    tool = {"type": "tool_use", "id": "toolu_1", "name": "answer", "input": {}}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "claude"}
    usage = {"input_tokens": 25, "output_tokens": 1}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "stop_reason": None, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": tool},
        {"type": "ping"},
    ]
    events += [
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": piece},
        }
        for piece in ["", *_pieces()]
    ]
    events += [
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 15}},
        {"type": "message_stop"},
    ]
    text = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    return head("text/event-stream; charset=utf-8") + text
