"""What one NPC's memory needs of the save it lies in."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NewType

from rag_memory.config.memory_config import MemoryConfig, RelevanceMode
from rag_memory.embedding.embedder import Embedder
from rag_memory.embedding.index_mode import IndexMode
from rag_memory.embedding.no_embedder import NoEmbedder
from rag_memory.embedding.query_cache import QueryCache
from rag_memory.errors import StoreError
from rag_memory.index.index_cache import IndexCache
from rag_memory.mind.reflector import Reflector
from rag_memory.mind.sentiment import SentimentAnalyzer
from rag_memory.mind.summarizer import Summarizer
from rag_memory.npc.accesses import Accesses
from rag_memory.npc.known_names import KnownNames
from rag_memory.npc.loading_queue import LoadingQueue
from rag_memory.step import Step
from rag_memory.storage.protocol import Storage
from rag_memory.validation import validate_number, validate_text

Clock = Callable[[], float]
"""Tells the game's time in seconds."""

GameFunction = Callable[[dict[str, Any]], Any]
"""Takes a request and returns an answer, or a generator of Steps that does; None when it does not want to."""

Asked = NewType("Asked", str)
"""What was asked, cut to what the model reads. Only `SaveContext.asked()` makes it, and what searches takes
nothing else.
"""


@dataclass
class SaveContext:
    """One open save, as all its NPCs share it.

    `model` is the number under which the store keeps the embedder's vectors. `summarizer`, when set, writes
    the texts of summaries; `reflector` draws conclusions, `sentiment_analyzer` tells how something was meant,
    and `extractor` finds the facts of a turn. `profile_writer` writes who an NPC is, `task_validator` accepts
    proposed tasks, and `debate_writer` lets NPCs debate. `notes_accesses`: whether an answer leaves a trace,
    as it does in a game. `default_config` is that of NPCs to whom none was given. `prepared_lore`: a folder
    with vectors of lore that came with the game. `mode`: how memories are compared. `missing_vectors`: how
    many memories have no vector of the embedder yet, and `make_missing` makes them. `on_felt` is told the
    npc_id and the mind of whom something has happened to, and whether that was an event.
    """

    store: Storage
    embedder: Embedder
    clock: Clock
    index_cache: IndexCache
    mode: IndexMode
    summarizer: Summarizer | None = None
    reflector: Reflector | None = None
    sentiment_analyzer: SentimentAnalyzer | None = None
    profile_writer: GameFunction | None = None
    task_validator: GameFunction | None = None
    debate_writer: GameFunction | None = None
    extractor: GameFunction | None = None
    default_config: MemoryConfig = field(default_factory=MemoryConfig)
    is_open: bool = True
    notes_accesses: bool = True
    missing_vectors: int = 0
    prepared_lore: Path | None = None
    make_missing: Callable[[], Generator[Step, None, int]] | None = None
    on_felt: Callable[[str, Any, bool], None] | None = None
    loading_queue: LoadingQueue = field(init=False, default_factory=LoadingQueue)
    queries: QueryCache = field(init=False)
    names: KnownNames = field(init=False)
    model: int = field(init=False)
    accesses: Accesses = field(init=False)

    def __post_init__(self) -> None:
        self.queries = QueryCache(self.embedder)
        self.names = KnownNames(self.store)
        self.accesses = Accesses(self.store)
        self.find_model()

    def find_model(self) -> None:
        """Look up the number of the embedder's vectors; the store holds another save now."""
        embedder = self.embedder
        self.model = self.store.model_number(embedder.fingerprint, embedder.name, embedder.dimension)

    @property
    def is_by_words(self) -> bool:
        """Whether there is no model, and memories are found by their words alone."""
        return isinstance(self.embedder, NoEmbedder)

    def relevance_mode(self, config: MemoryConfig) -> RelevanceMode:
        """How relevance is measured now: as configured, as far as there are vectors."""
        if self.is_by_words:
            return RelevanceMode.KEYWORD
        if self.missing_vectors and config.relevance_mode == RelevanceMode.DENSE:
            return RelevanceMode.HYBRID
        return config.relevance_mode

    def asked(self, where: str, name: str, value: Any) -> Asked:
        """A question. What the model would not read is cut off before anybody looks at it: somebody may paste
        a book, and all other calls would wait.

        Raises:
            InvalidArgumentError: it is no string.
        """
        if isinstance(value, str) and len(value) > self.embedder.max_chars:
            value = value.lstrip()[: self.embedder.max_chars]
        return Asked(validate_text(where, name, value))

    def now(self) -> float:
        """The time of the game, in seconds.

        Raises:
            InvalidArgumentError: the clock returned something else.
        """
        return validate_number("the clock of open_save() or set_clock()", "its time", self.clock())

    def check_open(self) -> None:
        """Raise a StoreError once the save is closed."""
        if not self.is_open:
            raise StoreError(f"The save {self.store.path} is closed", "it answers no more", "Open it again")
