"""The parts of a save that an NPC's memory uses."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NewType

import numpy as np

from rag_memory.config.memory_config import MemoryConfig, RelevanceMode
from rag_memory.embedding.embedder import Embedder, VectorCache
from rag_memory.embedding.index_mode import IndexMode
from rag_memory.embedding.no_embedder import NoEmbedder
from rag_memory.errors import EmbedderAwayError, RagMemoryError, StoreError
from rag_memory.index.index_cache import IndexCache, LoadingQueue
from rag_memory.mind.asking import GameFunction
from rag_memory.searchable.accesses import Accesses
from rag_memory.searchable.known_names import KnownNames
from rag_memory.step import Step, Steps
from rag_memory.storage.protocol import Storage
from rag_memory.validation import validate_number, validate_text
from rag_memory.vectors import FloatMatrix, FloatVector, Keys

_LOG = logging.getLogger("rag_memory")
_TakeIn = tuple[Callable[[], None], Callable[[], None]]

Clock = Callable[[], float]
"""Tells the game's time in seconds."""

QueryText = NewType("QueryText", str)
"""The text of a query, cut to the length that the model reads. Only `SaveContext.query_text()` makes one,
and searches accept nothing else.
"""


@dataclass
class SaveContext:
    """One open save, as all its NPCs share it.

    `model` is the number under which the store keeps the embedder's vectors. `summarizer`, when set, writes
    the texts of summaries; `reflector` draws conclusions, `sentiment_analyzer` tells how something was meant,
    and `extractor` finds the facts of a turn. `profile_writer` writes who an NPC is, `task_validator` accepts
    proposed tasks, and `debate_writer` lets NPCs debate. `notes_accesses`: whether an answer leaves a trace,
    as it does in a game. `default_config` is that of NPCs to whom none was given. `prepared_lore`: a folder
    with vectors of lore that came with the game. `mode`: how memories are compared. `is_read_only`: whether
    nothing is written. `missing_vectors`: how many memories have no vector of the embedder yet, and
    `make_missing` makes them; `look_for_missing` counts those of NPCs who came since. `on_felt` is told the
    npc_id and the mind of whom something has happened to, and whether that was an event. `look_around` takes
    in what other processes have written of the world. `asks_extractor`: whether `extractor` asks the game.
    `senses_of` returns what an NPC perceives as a bystander, None when it has no node, or ELSEWHERE, and
    `config_of` the config that its node has now.
    """

    store: Storage
    embedder: Embedder
    clock: Clock
    index_cache: IndexCache
    mode: IndexMode
    summarizer: GameFunction | None = None
    reflector: GameFunction | None = None
    sentiment_analyzer: GameFunction | None = None
    profile_writer: GameFunction | None = None
    task_validator: GameFunction | None = None
    debate_writer: GameFunction | None = None
    extractor: GameFunction | None = None
    default_config: MemoryConfig = field(default_factory=MemoryConfig)
    is_open: bool = True
    notes_accesses: bool = True
    is_read_only: bool = False
    missing_vectors: int = 0
    prepared_lore: Path | None = None
    make_missing: Callable[[], Steps[int]] | None = None
    look_for_missing: Callable[[], None] | None = None
    on_felt: Callable[[str, Any, bool], None] | None = None
    look_around: Callable[[], None] = lambda: None
    asks_extractor: Callable[[], bool] = lambda: True
    senses_of: Callable[[str], int | None] = lambda _npc_id: None
    config_of: Callable[[str], MemoryConfig | None] = lambda _npc_id: None
    loading_queue: LoadingQueue = field(init=False, default_factory=LoadingQueue)
    queries: VectorCache = field(init=False)
    texts: VectorCache = field(init=False)
    """Texts that were stored: everybody who perceives an event keeps the same one."""
    names: KnownNames = field(init=False)
    model: int = field(init=False)
    accesses: Accesses = field(init=False)
    _loads: Counter[str] = field(init=False, default_factory=Counter)
    """How often another state was loaded, of the save under an empty name, or of one NPC under its id."""
    _after_commit: list[_TakeIn] | None = field(init=False, default=None)
    _afterwards: list[Callable[[], None]] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.queries, self.texts = VectorCache(self.embedder), VectorCache(self.embedder)
        self.names = KnownNames(self.store)
        self.accesses = Accesses(self.store)
        self.find_model()

    def find_model(self) -> None:
        """Look up the number of the embedder's vectors; the store holds another save now."""
        embedder = self.embedder
        self.model = self.store.vectors.model_number(embedder.fingerprint, embedder.name, embedder.dimension)

    def note_loaded(self, npc_id: str = "") -> None:
        """Note that another state of the save, or of this NPC, was loaded: a call that waits for the game may
        write nothing into it.
        """
        self._loads[npc_id] += 1

    def state(self, npc_id: str) -> tuple[bool, int, int]:
        """Return what is another value once another state of the save, or of this NPC, has been loaded."""
        return self.is_open, self._loads[""], self._loads[npc_id]

    def take_embedder(self, embedder: Embedder) -> None:
        """Compare memories with another model. What is loaded of NPCs is of the former one."""
        self.embedder = embedder
        self.queries, self.texts = VectorCache(embedder), VectorCache(embedder)
        self.find_model()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Everything written inside is one commit. What is in memory follows only when that is done, so it is
        for writes that do not build upon each other: at most one of each NPC. Inside another it is part of
        that one.
        """
        if self._after_commit is not None:
            yield
            return
        self._after_commit = []
        try:
            with self.accesses.transaction():
                yield
            done = self._after_commit
        finally:
            self._after_commit = None
        later: list[Callable[[], None]] = []
        self._afterwards = later
        for take_in, reload in done:
            _take_in_or_reload(take_in, reload)
        self._afterwards = None
        for job in later:
            _succeeds(job)

    @contextmanager
    def exchange(self, exchange_id: str, npc_id: str, is_late: bool = False) -> Iterator[None]:
        """A transaction that is a part of an exchange, so that undoing the exchange takes it back: what is
        written inside, and the accesses of the NPC that wait. An exchange may have several. A late one
        is written, but not taken back, when the exchange cannot be undone any more.
        """
        exchanges = self.store.exchanges
        with self.accesses.held(npc_id), self.accesses.transaction():
            exchanges.begin(exchange_id, npc_id, self.now(), is_late)
            try:
                yield
                self.accesses.write_held()
                exchanges.end(npc_id)
            finally:
                exchanges.leave()

    def when_committed(self, take_in: Callable[[], None], reload: Callable[[], None]) -> None:
        """Do this when what was just written is committed: now, unless it is written together with more. It
        is written whatever happens: when this fails that is told, and `reload` forgets what is in memory.
        """
        if self._after_commit is None:
            _take_in_or_reload(take_in, reload)
        else:
            self._after_commit.append((take_in, reload))

    def afterwards(self, job: Callable[[], None]) -> None:
        """Do this when everybody has taken in what was written: now, unless it was written together. When it
        fails that is told.
        """
        if self._afterwards is None:
            _succeeds(job)
        else:
            self._afterwards.append(job)

    def embed_ahead_steps(self, texts: Sequence[str]) -> Steps[None]:
        """Make vectors that embed() will be asked for next, so that no transaction waits for the model."""
        for done, text in enumerate(texts, 1):
            self.embed([text])
            yield Step(done, len(texts), "embedding events")

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """The vectors of texts to be kept, one row each; a row of zeros when there can be none for now."""
        try:
            return self.texts.vector(texts[0])[None] if len(texts) == 1 else self.embedder.embed(texts)
        except EmbedderAwayError:
            return np.zeros((len(texts), self.embedder.dimension), dtype=np.float32)

    def batches(self, texts: Sequence[str]) -> Iterator[tuple[Keys, FloatMatrix]]:
        """The same of any number of texts, a part at a time, as Embedder.batches()."""
        is_left = np.ones(len(texts), dtype=np.bool_)
        try:
            for positions, vectors in self.embedder.batches(texts):
                is_left[positions] = False
                yield positions, vectors
        except EmbedderAwayError:
            left = np.flatnonzero(is_left).astype(np.int64)
            yield left, np.zeros((len(left), self.embedder.dimension), dtype=np.float32)

    def storable(self, vector: FloatVector) -> tuple[FloatVector, int]:
        """A vector as the store keeps it, and the number of its model: one of zeros is of no model, and is
        made when nobody waits.
        """
        if vector.any():
            return vector, self.model
        self.missing_vectors += 1
        none = NoEmbedder()
        return none.embed([""])[0], self.store.vectors.model_number(
            none.fingerprint, none.name, none.dimension
        )

    def question(self, text: str, config: MemoryConfig) -> FloatVector | None:
        """The vector of a question; None when it is to be answered by words alone."""
        if self.relevance_mode(config) == RelevanceMode.KEYWORD:
            return None
        try:
            vector = self.queries.vector(text)
        except EmbedderAwayError:
            return None
        return vector if vector.any() else None

    @property
    def is_by_words(self) -> bool:
        """True if there is no model, and memories are found by their words alone."""
        return isinstance(self.embedder, NoEmbedder)

    def relevance_mode(self, config: MemoryConfig) -> RelevanceMode:
        """How relevance is measured now: as configured, as far as there are vectors."""
        if self.is_by_words:
            return RelevanceMode.KEYWORD
        if config.relevance_mode == RelevanceMode.DENSE:
            if self.look_for_missing is not None:
                self.look_for_missing()
            if self.missing_vectors:
                return RelevanceMode.HYBRID
        return config.relevance_mode

    def query_text(self, call: str, name: str, value: Any) -> QueryText:
        """A question. What the model would not read is cut off before anybody looks at it: somebody may paste
        a book, and all other calls would wait.

        Raises:
            InvalidArgumentError: it is no string.
        """
        if isinstance(value, str) and len(value) > self.embedder.max_chars:
            value = value.lstrip()[: self.embedder.max_chars]
        return QueryText(validate_text(call, name, value))

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


def _take_in_or_reload(take_in: Callable[[], None], reload: Callable[[], None]) -> None:
    if not _succeeds(take_in):
        _succeeds(reload)


def _succeeds(job: Callable[[], None]) -> bool:
    try:
        job()
    except RagMemoryError as error:
        _LOG.error("What happened is in the save, but what should follow from it failed: %s", error)
    except Exception:
        _LOG.exception("What happened is in the save. Then RAG Memory failed; please report it")
    else:
        return True
    return False


class RecordOwner:
    """State shared by the objects that read, search and write one owner's records."""

    def __init__(self, save: SaveContext, npc_id: str) -> None:
        self.save = save
        self.store = save.store
        self.npc_id = npc_id
        self._number = self.store.npcs.number(npc_id)

    @property
    def number(self) -> int | None:
        """The owner's number; None before its first memory. Raises a StoreError once the save is closed."""
        self.save.check_open()
        return self._number

    @number.setter
    def number(self, number: int | None) -> None:
        self._number = number
