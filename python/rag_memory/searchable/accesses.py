"""When memories last entered an answer, as long as that is not written: no question waits for the disk."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rag_memory.errors import StoreError
from rag_memory.memory.record import Record
from rag_memory.storage.protocol import Storage

_LOG = logging.getLogger("rag_memory")
_WRITE_AT_LEAST = 256
_WRITE_AFTER_SECONDS = 5.0


class Accesses:
    """The accesses of one save that wait to be written: with whatever is written next, else when nobody waits
    for the save. A killed process loses them; the memories then have their accesses before.
    """

    def __init__(self, store: Storage) -> None:
        self._store = store
        self._written_at = 0.0
        self._failed = False
        self._is_writing = False
        self.waiting: dict[int, float] = {}
        """When, by key."""
        self._npc_ids: dict[int, str] = {}
        """The owner of the memories."""
        self._held = ""
        """The NPC whose accesses an exchange writes itself; "" for none."""
        self._written: dict[int, float] = {}
        """What the open transaction has written of them."""

    def note(self, npc_id: str, keys: Sequence[int], at: float) -> None:
        """These memories entered an answer. Of an NPC of another process it is not noted."""
        if self._store.owners.owns(npc_id):
            self.waiting.update(dict.fromkeys(keys, at))
            self._npc_ids.update(dict.fromkeys(keys, npc_id))

    def of(self, record: Record) -> float:
        """When a memory last entered an answer."""
        return self.waiting.get(record.key, record.last_accessed)

    def up_to_date(self, record: Record) -> Record:
        """A record that was read, with its last access."""
        at = self.of(record)
        return record if at == record.last_accessed else record._replace(last_accessed=at)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction of the store that begins with writing the accesses. One inside another is a part of
        that: they wait until it is committed.
        """
        if self._is_writing:
            with self._store.transaction():
                yield
            return
        self._is_writing = True
        try:
            with self._store.transaction():
                self._write_waiting()
                yield
        finally:
            self._is_writing = False
            self._written.clear()
        self.forget()

    @contextmanager
    def held(self, npc_id: str) -> Iterator[None]:
        """Inside, transactions do not write the accesses of an NPC that wait; write_held() does."""
        self._held = npc_id
        try:
            yield
        finally:
            self._held = ""

    def write_held(self) -> None:
        """Write what held() has held back, and what was noted since. Inside a transaction."""
        self._held = ""
        self._write_waiting()

    def _write_waiting(self) -> None:
        owns, owner_of = self._store.owners.owns, self._npc_ids
        ready = {
            key: at
            for key, at in self.waiting.items()
            if owns(owner_of[key]) and owner_of[key] != self._held and self._written.get(key) != at
        }
        self._store.records.access(ready)
        self._written.update(ready)

    def write(self) -> None:
        """Write them now. When that fails they go on waiting, and a warning is logged once."""
        if not self.waiting:
            return
        try:
            with self.transaction():
                pass
        except StoreError as error:
            if not self._failed:
                _LOG.warning("When memories were last recalled is not written yet: %s", error)
            self._failed = True
            self._written_at = time.monotonic()

    def write_when_due(self) -> None:
        """write(), if there are many or the last time was some seconds ago."""
        is_late = time.monotonic() - self._written_at >= _WRITE_AFTER_SECONDS
        if is_late or (len(self.waiting) >= _WRITE_AT_LEAST and not self._failed):
            self.write()

    def forget(self) -> None:
        """They are written, or belong to what was before."""
        self.waiting.clear()
        self._npc_ids.clear()
        self._failed = False
        self._written_at = time.monotonic()
