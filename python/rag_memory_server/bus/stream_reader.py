"""The stream of events as one game of a zone reads it: so few at once that no answer is too long."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from rag_memory_server.bus.too_long import AnswerTooLongError
from rag_memory_server.config.valkey_config import MemoryEventBusConfig

_MOST_AT_ONCE = 100
_ONE_BY_ONE = 10


class Entry(NamedTuple):
    """An entry of the stream, and why it cannot be used; "" when nothing is known against it."""

    id: str
    fields: Mapping[bytes, bytes]
    why: str = ""


class StreamReader:
    """Reads as `consumer`. What came in an answer that was too long is read again, one by one."""

    def __init__(
        self, stream: str, config: MemoryEventBusConfig, consumer: str, monotonic: Callable[[], float]
    ) -> None:
        self._stream = stream
        self._config = config
        self._consumer = consumer
        self._monotonic = monotonic
        self.claimed_at = 0.0
        self._at_once = self._page = self._most = min(config.batch_size, _MOST_AT_ONCE)
        self._has_unread = False
        """Whether entries may have been delivered to this game that it could not read."""

    def next(self, client: Any, room: int, in_work: Collection[str]) -> list[Entry]:
        """The next entries, at most `room`."""
        if not self._has_unread:
            # Also when the server takes too long: what it has delivered by then is read one by one.
            at_once, self._has_unread, self._at_once = self._at_once, True, 1
            with contextlib.suppress(AnswerTooLongError):
                entries = self._claimed(client, room, in_work, at_once)
                if len(entries) < room:
                    entries += self._new(client, min(room - len(entries), at_once))
                self._has_unread, self._at_once = False, min(2 * at_once, self._most)
                return entries
        return self._unread(client, min(room, _ONE_BY_ONE), in_work)

    def page(self, client: Any, first: str) -> list[Entry]:
        """Entries from `first` on, whoever has read them; none at the end."""
        try:
            answer = client.xrange(self._stream, min=first, count=self._page)
        except AnswerTooLongError as error:
            if self._page == 1:
                return [Entry(error.first.decode(), {}, str(error))]
            self._page = 1
            return self.page(client, first)
        self._page = min(2 * self._page, self._most)
        return [Entry(entry.decode(), fields or {}) for entry, fields in answer]

    def oldest(self, client: Any) -> str:
        """The oldest entry that the server has; "" without any."""
        try:
            answer = client.xrange(self._stream, count=1)
        except AnswerTooLongError as error:
            return error.first.decode()
        return answer[0][0].decode() if answer else ""

    def dropped(self, client: Any) -> int | None:
        """How many entries the server has no more; None when it cannot be told."""
        try:
            info = client.xinfo_stream(self._stream)
        except AnswerTooLongError:
            return None  # It has the newest entry in it.
        return int(info["entries-added"]) - int(info["length"])

    def _claimed(self, client: Any, room: int, in_work: Collection[str], at_once: int) -> list[Entry]:
        """Entries that another game of this zone has begun and not finished."""
        # Often enough, and not with every next().
        if self._monotonic() - self.claimed_at < self._config.claim_after_seconds / 4:
            return []
        before, self.claimed_at = self.claimed_at, self._monotonic()
        idle = round(1000 * self._config.claim_after_seconds)
        # XAUTOCLAIM would count what this game has in work as delivered once more.
        most = room + len(in_work)
        pending = client.xpending_range(self._stream, self._config.zone, "-", "+", most, idle=idle)
        others = [message for message in pending if message["message_id"].decode() not in in_work]
        others = others[: min(room, at_once)]
        if len(pending) == most or len(others) == at_once:
            self.claimed_at = before  # There may be more.
        if not others:
            return []
        ids = [message["message_id"] for message in others]
        claimed = client.xclaim(self._stream, self._config.zone, self._consumer, idle, ids)
        # The claim counts as one more.
        times = {message["message_id"]: message["times_delivered"] + 1 for message in others}
        return [self._entry(entry, fields, times.get(entry, 0)) for entry, fields in claimed]

    def _new(self, client: Any, count: int) -> list[Entry]:
        answer = client.xreadgroup(self._config.zone, self._consumer, {self._stream: ">"}, count=count)
        return [self._entry(entry, fields, 1) for entry, fields in answer[0][1]] if answer else []

    def _unread(self, client: Any, count: int, in_work: Collection[str]) -> list[Entry]:
        """Entries that were delivered to this game, and not read."""
        most = len(in_work) + count
        pending = client.xpending_range(self._stream, self._config.zone, "-", "+", most, self._consumer)
        entries = []
        for message in pending:
            id = message["message_id"]
            if id.decode() in in_work:
                continue
            try:
                answer = client.xrange(self._stream, id, id)
            except AnswerTooLongError as error:
                entries.append(Entry(id.decode(), {}, str(error)))
            else:
                fields = answer[0][1] if answer else {}
                entries.append(self._entry(id, fields, message["times_delivered"]))
        self._has_unread = bool(entries)
        return entries

    def _entry(self, id: bytes, fields: Any, times: int) -> Entry:
        most = self._config.max_deliveries
        why = f"it was begun {most} times and never finished" if times > most else ""
        return Entry(id.decode(), fields or {}, why)
