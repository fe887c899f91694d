"""The embedding model of a game's saves: the built-in one, or MemoryServer.embedding_model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rag_memory.embedding.embedder import Embedder
from rag_memory.embedding.external_embedder import ExternalEmbedder
from rag_memory.embedding.no_embedder import NoEmbedder
from rag_memory.embedding.registry import default_embedder
from rag_memory.errors import EmbedderAwayError, EmbedderError
from rag_memory.godot.embedding_source import ModelFunction, chosen_source
from rag_memory.step import Step

_WAITS = Step(0, 1, "waiting for the embedding model", is_waiting=True)


class EmbeddingModels:
    """The models that were asked for so far. What the game sets holds for the save that is opened next."""

    def __init__(self, folder: Path, command: ModelFunction | None) -> None:
        self._folder = folder
        self._command = command
        self.built_in: Embedder | None = None
        """The one that comes with the addon; None until it is loaded."""
        self._built_in_fault = ""
        self._asked: ExternalEmbedder | None = None
        self._asked_id = 0
        self._looking: Iterator[None] | None = None
        self._has_returned = False

    @property
    def embedder(self) -> Embedder | None:
        """The one in use; None while there is none."""
        if self._asked is None:
            return self.built_in
        return self._asked if self._asked.dimension else None

    @property
    def fault(self) -> str:
        """Why the one in use does not work; empty as long as it does."""
        return self._built_in_fault if self._asked is None else self._asked.fault

    @fault.setter
    def fault(self, fault: str) -> None:
        if self._asked is None:
            self._built_in_fault = fault

    @property
    def is_away(self) -> bool:
        """True if the model in use is not built in and does not answer; all else works without it."""
        return self._asked is not None and bool(self._asked.fault)

    def load(self) -> Embedder:
        """The one that the game wants.

        Raises:
            EmbedderAwayError: it is not built in, and has not answered yet.
            EmbedderError: it is damaged.
        """
        source = chosen_source(self._command)
        if source is None:
            self._asked, self._asked_id, self._looking = None, 0, None
            if self.built_in is None:
                self.built_in = default_embedder(self._folder)
                self._built_in_fault = ""
            return self.built_in
        if self._asked is None or source.id != self._asked_id or self._asked.is_another_model:
            self._asked, self._asked_id, self._looking = ExternalEmbedder(source), source.id, None
        if not self._asked.dimension:
            self._asked.meet()
        return self._asked

    def current_or_none(self) -> Embedder:
        """The one in use, whatever was set after it was loaded."""
        if self._asked is None:
            return self.load_or_none() if self.built_in is None else self.built_in
        return self._asked if self._asked.dimension else NoEmbedder()

    def load_or_none(self) -> Embedder:
        """Load the model that the game wants; a NoEmbedder while that one does not answer."""
        try:
            return self.load()
        except EmbedderAwayError:
            return NoEmbedder()

    def look(self) -> None:
        """Forget that the built-in one failed while it ran, when it works again."""
        if self._built_in_fault and self._asked is None and self.built_in is not None:
            try:
                self.built_in.embed(["warm"])
                self._built_in_fault = ""
            except EmbedderError as error:
                self._built_in_fault = str(error)

    def look_step(self, may_return: bool) -> Step | None:
        """See whether one that is away has come back, if it may; None while all is well."""
        if self._asked is None or not self._asked.fault:
            return None
        if not may_return:
            return _WAITS
        if self._looking is None:
            self._looking = self._asked.look_steps()
        for _ in self._looking:
            return _WAITS
        self._looking = None
        self._has_returned = not self._asked.fault
        return None

    def take_return(self) -> bool:
        """Return True once after a model that was away has come back."""
        has_returned, self._has_returned = self._has_returned, False
        return has_returned
