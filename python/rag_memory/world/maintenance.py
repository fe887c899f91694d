"""Keeping the world in order: what is over, what fades, what is missing, and what is too much."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator
from typing import Any

from rag_memory.errors import EmbedderAwayError, EmbedderError
from rag_memory.memory.document import Document
from rag_memory.memory.game_time import SECONDS_PER_DAY
from rag_memory.memory.owners import LORE, WORLD, is_npc
from rag_memory.npc.game_call import game_call
from rag_memory.step import Step, run
from rag_memory.world.debates import DEBATE, Debates
from rag_memory.world.events import EVENT
from rag_memory.world.lore import Lore
from rag_memory.world.lore_chunks import Chunk
from rag_memory.world.lore_sources import CHUNK
from rag_memory.world.rumors import Rumors
from rag_memory.world.tasks import Tasks
from rag_memory.world.turns import TURN, Turns

_SEARCHED = {WORLD: (EVENT, DEBATE), LORE: (CHUNK,)}
"""Whose memories stand beside documents of which kinds."""
_WITHOUT_VERSIONS = (TURN, CHUNK)
"""Kinds of documents that hardly ever change, and are many."""

_LOG = logging.getLogger("rag_memory")
_PRUNED_AT_ONCE = 500
"""Versions: a few milliseconds."""

_Work = Callable[[], Generator[Step, None, int]]


class Maintenance(Tasks, Debates, Rumors, Lore, Turns):
    """The call that keeps the world in order."""

    @game_call(writes=True)
    def run_maintenance(self) -> dict[str, Any]:
        """Keeps the open save in order, and returns what was done.

        With `MemoryWorldConfig.auto_maintenance` this happens by itself, once per day of the game, while the
        game has nothing else for the worker to do. `MemoryServer.get_activity()` has the last run as
        `maintenance`.

        Returns:
            `day`, `took_ms`, and for each step a Dictionary with `done` (how many) and `took_ms`:
            `events_expired`, `tasks_expired`, `turns_summarised`, `importances_decayed` (see
            `MemoryWorldConfig.importance_decay_days`), `orphans_mended` (events, debates and lore that cannot
            be found, or are found without being there, and what a lore import left that never ended),
            `vectors_made` (for memories that another embedding model has embedded, or none) and
            `versions_pruned` (see `MemoryWorldConfig.kept_versions`). A step that the embedding model has
            failed has an `error` that says why, and the others are done all the same.
        """
        return run(self.run_maintenance_steps())

    def run_maintenance_steps(self) -> Generator[Step, None, dict[str, Any]]:
        """run_maintenance() in slices. It can be given up between two of them: what is done is done."""
        works: dict[str, _Work] = {
            "events_expired": self.expire_events_steps,
            "tasks_expired": self.expire_tasks_steps,
            "turns_summarised": self.summarize_all_steps,
            "importances_decayed": self._decay_steps,
            "orphans_mended": self._mend_steps,
            "vectors_made": self._save.make_missing or (lambda: _at_once(int)),
            "versions_pruned": self._prune_steps,
        }
        began = time.perf_counter()
        done: dict[str, Any] = {"day": self._day()}
        for name, work in works.items():
            started = time.perf_counter()
            told: dict[str, Any] = {"done": 0}
            try:
                told["done"] = yield from work()
            except EmbedderAwayError as error:
                told["error"] = str(error)  # it was said when it went away
            except EmbedderError as error:
                _LOG.error("run_maintenance(): %s was not finished: %s", name, error)
                told["error"] = str(error)
            done[name] = {**told, "took_ms": _milliseconds_since(started)}
        done["took_ms"] = _milliseconds_since(began)
        self.last_maintenance = done
        return dict(done)

    def idle_steps(self) -> Generator[Step, None, None]:
        """run_maintenance() when nobody waits and it has not run on this day of the game; never in the
        editor, which is to change nothing by itself.
        """
        is_due = int(self.last_maintenance.get("day", -1)) != int(self._day())
        if self.config.auto_maintenance and self._save.notes_accesses and is_due:
            yield from self.run_maintenance_steps()

    def _decay_steps(self) -> Generator[Step, None, int]:
        config, count = self.config, 0
        if not config.importance_decay_days:
            return 0
        for npc_id in self._save.store.npc_ids():
            if not is_npc(npc_id) or not self._save.store.owns(npc_id):
                continue
            seconds = config.importance_decay_days * SECONDS_PER_DAY
            count += yield from self._npc(npc_id).archive.fade_steps(config.importance_decay_most, seconds)
        return count

    def _mend_steps(self) -> Generator[Step, None, int]:
        """See that what is searched of the world and of the lore and its documents belong together. Only
        damage parts them, and imports that never ended leave chunks that no source has.
        """
        where, count, store = "run_maintenance()", 0, self._save.store
        for key in store.document_owners(CHUNK):
            if key not in self._busy_lore:
                count += yield from self._alone_steps(key, self._remove_stale_steps(key))
        for owner, kinds in _SEARCHED.items():
            searched = self._searched(owner)
            kept = set(searched.keys())
            told = {id: kind for kind in kinds for id in store.document_ids(kind)}
            # An import of lore writes between two slices.
            for id in kept - told.keys():
                if searched.has(id) and all(store.document(kind, id) is None for kind in kinds):
                    searched.remove(where, id)
                    count += 1
                yield Step(count, len(kept), "removing orphans")
            for id in [id for id in told if id not in kept]:
                document = store.document(told[id], id)
                if document is not None and not searched.has(id):
                    self._mend(where, document)
                    count += 1
                yield Step(count, len(told), "mending what cannot be found")
            yield Step(len(told), len(told), "looking for orphans")
        if count:
            self.reload()
        return count

    def _mend(self, where: str, document: Document) -> None:
        """Put beside a document what is searched of it."""
        id, content = document.id, document.content
        if document.kind == EVENT:
            record = self._searched_record(where, id, content, document.timestamp)
            self._searched(WORLD).put_record(where, record)
        elif document.kind == DEBATE:
            self._put_debate(where, content, document.timestamp)
        else:
            chunk = Chunk(id, tuple(content["heading_path"]), content["text"], 0)
            vectors = self._save.embed([chunk.searched_text])
            with self._transaction():
                self._save.store.forget_documents(CHUNK, [id])
                self._write_part(document.owner, [chunk], list(vectors))

    def _prune_steps(self) -> Generator[Step, None, int]:
        count = 0
        for kind in self._save.store.count_documents():
            if kind not in _WITHOUT_VERSIONS:
                pruned = _PRUNED_AT_ONCE
                while pruned == _PRUNED_AT_ONCE:
                    with self._transaction():
                        pruned = self._save.store.prune_documents(
                            kind, self.config.kept_versions, _PRUNED_AT_ONCE
                        )
                    count += pruned
                    yield Step(count, count, "pruning old versions")
        return count


def _at_once(work: Callable[[], int]) -> Generator[Step, None, int]:
    yield Step(0, 1, "keeping the world in order")
    return work()


def _milliseconds_since(started: float) -> float:
    return 1000.0 * (time.perf_counter() - started)
