"""MemoryServer.embedding_model: what the game sets, asked on the worker thread.

The object answers commands (MemoryEmbeddingModel.answer_memory_server()); each takes a moment and waits for
nobody, but for a function of the game that computes vectors itself.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rag_memory.embedding.external_embedder import VectorAnswer
from rag_memory.godot import variant_codec
from rag_memory.validation import EngineValue

ModelFunction = Callable[[bytes], bytes | None]
"""Passes an encoded `[command, value]` to the object; None when there is none, or when the game quits."""

_VECTOR = "PackedFloat32Array"
_HEAD_BYTES = 8
_QUITS = VectorAnswer(problem="The game is being left", is_quiet=True)


class EmbeddingSource:
    """See VectorSource: the object that is set at the moment."""

    def __init__(self, command: ModelFunction, about: dict[str, Any]) -> None:
        self._command = command
        self.id = int(about["id"])
        self.provider = str(about["provider"])
        self.model_name = str(about["model_name"])
        self.max_chars = int(about["max_chars"])

    def ask(self, texts: Sequence[str]) -> _Asked:
        begun = _answered(self._command, "begin", [self.id, variant_codec.PackedStrings(list(texts))])
        return _Asked(self._command, begun)


def chosen_source(command: ModelFunction | None) -> EmbeddingSource | None:
    """The object that is set now; None for the built-in model."""
    about = None if command is None else _answered(command, "describe", None)
    return None if command is None or not isinstance(about, dict) else EmbeddingSource(command, about)


class _Asked:
    """See Pending."""

    def __init__(self, command: ModelFunction, ticket: int | None) -> None:
        self._command = command
        self._ticket = ticket
        """0: it was not taken; None: the game is being left."""

    def poll(self) -> VectorAnswer | None:
        if self._ticket is None:
            return _QUITS
        answer = _answered(self._command, "poll", self._ticket)
        if answer is None:
            self.cancel()
            return _QUITS
        if answer is False:
            return None
        vectors = answer.get("vectors")
        return VectorAnswer(
            [_vector(vector) for vector in vectors] if isinstance(vectors, list) else [],
            str(answer.get("model", "")),
            str(answer.get("problem", "")),
            answer.get("is_refusal") is True,
        )

    def cancel(self) -> None:
        _answered(self._command, "cancel", self._ticket)


def _answered(command: ModelFunction, name: str, value: Any) -> Any:
    answer = command(variant_codec.encode([name, value]))
    return None if answer is None else variant_codec.decode(answer)


def _vector(value: Any) -> Any:
    """An array of numbers; what is none stays as it is, and is refused by whoever asked."""
    if isinstance(value, EngineValue) and value.type_name == _VECTOR:
        data = base64.b64decode(value[variant_codec.OPAQUE_KEY])
        return np.frombuffer(data[_HEAD_BYTES:], dtype="<f4")
    return np.array(None)
