"""Keeping the world in order: ending, fading, mending, and removing old versions."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from rag_memory.errors import EmbedderAwayError, EmbedderError
from rag_memory.game_call import game_call
from rag_memory.memory.document import TURN, Document
from rag_memory.memory.game_time import SECONDS_PER_DAY
from rag_memory.memory.owners import LORE, WORLD, is_npc
from rag_memory.step import Step, Steps, in_slices
from rag_memory.world.debates import DEBATE, Debates
from rag_memory.world.event import EVENT
from rag_memory.world.events import Events
from rag_memory.world.facts import FACT, Facts, fact_record_id
from rag_memory.world.lore import Lore
from rag_memory.world.lore_sources import CHUNK
from rag_memory.world.tasks import Tasks
from rag_memory.world.world_context import WorldContext

_SEARCHED = {WORLD: (EVENT, FACT, DEBATE), LORE: (CHUNK,)}
"""The kinds of documents that are searched in the texts of each owner."""
_WITHOUT_VERSIONS = (TURN, CHUNK)
"""Kinds of documents that are many and hardly ever change."""

_LOG = logging.getLogger("rag_memory")
_PRUNED_AT_ONCE = 500
"""Versions: a few milliseconds."""

_Work = Callable[[], Steps[int]]


class Maintenance:
    """Keeps the world of a save in order."""

    def __init__(
        self,
        context: WorldContext,
        events: Events,
        facts: Facts,
        tasks: Tasks,
        debates: Debates,
        lore: Lore,
    ) -> None:
        self._context = context
        self._lore = lore
        self.summarize_turns: _Work = _nothing_steps
        """Adds older turns to the summaries of conversations; the log of turns sets it."""
        self._works: dict[str, _Work] = {
            "events_expired": events.expire_events.steps,
            "tasks_expired": tasks.expire_tasks.steps,
            "turns_summarised": lambda: self.summarize_turns(),
            "importances_decayed": self._decay_steps,
            "orphans_mended": self._mend_steps,
            "vectors_made": self._make_vectors_steps,
            "versions_pruned": self._prune_steps,
        }
        self._mend: dict[str, Callable[[str, Document], None]] = {
            EVENT: events.log.mend,
            FACT: facts.mend,
            DEBATE: debates.mend,
            CHUNK: lore.sources.mend,
        }
        """Writes what is searched of a document, by the document's kind."""
        self.last: dict[str, Any] = {}
        """The result of the last run; empty before the first one."""

    @game_call(writes=True)
    @in_slices
    def run_maintenance(self) -> Steps[dict[str, Any]]:
        """Keeps the open save in order, and returns what was done.

        With `MemoryWorldConfig.auto_maintenance` this happens by itself, once per day of the game, while the
        worker is idle. `MemoryServer.get_activity()` has the last run as `maintenance`.

        Returns:
            `day`, `took_ms`, and for each step a Dictionary with `done` (how many) and `took_ms`:
            `events_expired`, `tasks_expired`, `turns_summarised`, `importances_decayed` (see
            `MemoryWorldConfig.importance_decay_days`), `orphans_mended` (events, debates and lore that cannot
            be found, or are found without being there, and what a lore import left that never ended),
            `vectors_made` (for memories that another embedding model has embedded, or none) and
            `versions_pruned` (see `MemoryWorldConfig.kept_versions`). A step that the embedding model has
            failed has an `error` that says why, and the others are done all the same.
        """
        began = time.perf_counter()
        done: dict[str, Any] = {"day": self._context.day()}
        for name, work in self._works.items():
            started = time.perf_counter()
            result: dict[str, Any] = {"done": 0}
            try:
                result["done"] = yield from work()
            except EmbedderAwayError as error:
                result["error"] = str(error)  # logged when it went away
            except EmbedderError as error:
                _LOG.error("run_maintenance(): %s was not finished: %s", name, error)
                result["error"] = str(error)
            done[name] = {**result, "took_ms": _milliseconds_since(started)}
        done["took_ms"] = _milliseconds_since(began)
        self.last = done
        return dict(done)

    def idle_steps(self) -> Steps[None]:
        """run_maintenance(), unless it has run on this day of the game. Never in the editor, which changes
        nothing by itself.
        """
        is_due = int(self.last.get("day", -1)) != int(self._context.day())
        if self._context.config.auto_maintenance and self._context.save.notes_accesses and is_due:
            yield from self.run_maintenance.steps()

    def _decay_steps(self) -> Steps[int]:
        config, count = self._context.config, 0
        if not config.importance_decay_days:
            return 0
        npc_ids = self._context.store.npcs.ids_with_memories(config.importance_decay_most)
        for number, npc_id in enumerate(npc_ids):
            yield Step(number, len(npc_ids), "letting memories fade")
            if not is_npc(npc_id) or not self._context.store.owners.owns(npc_id):
                continue
            seconds = config.importance_decay_days * SECONDS_PER_DAY
            count += yield from self._context.npc(npc_id).archive.fade_steps(
                config.importance_decay_most, seconds
            )
        return count

    def _mend_steps(self) -> Steps[int]:
        """Mend what parted from its documents, or they from it: events, debates and lore. Only damage does
        that, and imports that never ended leave chunks that no source names.
        """
        call, store = "run_maintenance()", self._context.store
        count = yield from self._lore.sources.remove_unnamed_steps()
        for owner, kinds in _SEARCHED.items():
            searched = self._context.searched(owner)
            searched_ids = set(searched.keys())
            document_of = {
                fact_record_id(id) if kind == FACT else id: (kind, id)
                for kind in kinds
                for id in store.documents.ids(kind)
            }
            # An import of lore writes between two slices.
            for id in searched_ids - document_of.keys():
                written = (store.documents.get(kind, id) for kind in kinds)
                if searched.has(id) and all(document is None for document in written):
                    searched.remove(call, id)
                    count += 1
                yield Step(count, len(searched_ids), "removing orphans")
            for id in [id for id in document_of if id not in searched_ids]:
                document = store.documents.get(*document_of[id])
                if document is not None and not searched.has(id):
                    self._mend[document.kind](call, document)
                    count += 1
                yield Step(count, len(document_of), "mending searched texts")
            yield Step(len(document_of), len(document_of), "looking for orphans")
        if count:
            self._context.reload()
        return count

    def _make_vectors_steps(self) -> Steps[int]:
        make = self._context.save.make_missing
        if make is None:
            return 0
        return (yield from make())

    def _prune_steps(self) -> Steps[int]:
        count = 0
        for kind in self._context.store.documents.counts():
            if kind not in _WITHOUT_VERSIONS:
                pruned = _PRUNED_AT_ONCE
                while pruned == _PRUNED_AT_ONCE:
                    with self._context.transaction():
                        pruned = self._context.store.documents.prune(
                            kind, self._context.config.kept_versions, _PRUNED_AT_ONCE
                        )
                    count += pruned
                    yield Step(count, count, "pruning old versions")
        return count


def _nothing_steps() -> Steps[int]:
    yield from ()
    return 0


def _milliseconds_since(started: float) -> float:
    return 1000.0 * (time.perf_counter() - started)
