"""Notes every message that the worker of a game carries out, as a line of JSON.

A file for the project setting rag_memory/python/rules: the game loads it into its own Python. The variable
RAG_MEMORY_MESSAGES names the file for the lines, which are written when the game ends.
"""

from __future__ import annotations

import functools
import json
import os
import time
from collections.abc import Callable
from typing import Any

from rag_memory.godot.bridge import Bridge

_HOST_MESSAGES = {-1: "configure", -2: "release", -3: "reply"}
_shared: list[int] = []
"""The bytes of values that the next message names and that the worker did not have."""
_messages: dict[int, dict[str, Any]] = {}
_finished: list[dict[str, Any]] = []


def _count(message: dict[str, Any], started: float, answer: bytes | bool | None) -> None:
    message["seconds"] += time.thread_time() - started
    if isinstance(answer, bytes):
        message["answer_bytes"] = len(answer)
        _finished.append(message)
        _messages.pop(message["request"])


def _counting_handle(work: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(work)
    def handle(
        self: Any, request: int, instance: int, method: int, now: float, payload: bytes, blocks: bool = False
    ) -> Any:
        message = {
            "request": request,
            "time": time.time(),
            "name": _HOST_MESSAGES[method] if method < 0 else ".".join(_names(self, method)),
            "bytes": len(payload) + sum(_shared),
            "blocks": bool(blocks),
            "seconds": 0.0,
        }
        _shared.clear()
        started = time.thread_time()
        answer = work(self, request, instance, method, now, payload, blocks)
        _messages[request] = message
        _count(message, started, answer)
        return answer

    return handle


def _names(bridge: Any, method_id: int) -> tuple[str, str]:
    cls, method = bridge._methods[method_id]
    return cls.name, method.name


def _counting_resume(work: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(work)
    def resume(self: Any, request: int) -> Any:
        started = time.thread_time()
        answer = work(self, request)
        if request in _messages:  # else handle() has called it, and counts
            _count(_messages[request], started, answer)
        return answer

    return resume


def _writing_stop(work: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(work)
    def stop(self: Any) -> None:
        with open(os.environ["RAG_MEMORY_MESSAGES"], "w", encoding="utf-8") as file:
            file.writelines(json.dumps(message) + "\n" for message in _finished)
        work(self)

    return stop


def _counting_add(work: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(work)
    def add_shared(self: Any, hash: int, encoded: bytes) -> Any:
        _shared.append(len(encoded))
        return work(self, hash, encoded)

    return add_shared


if hasattr(Bridge, "add_shared"):  # an older checkout has none
    Bridge.add_shared = _counting_add(Bridge.add_shared)  # type: ignore[method-assign]
Bridge.resume = _counting_resume(Bridge.resume)  # type: ignore[method-assign]
Bridge.handle = _counting_handle(Bridge.handle)  # type: ignore[method-assign]
Bridge.stop = _writing_stop(Bridge.stop)  # type: ignore[method-assign]
