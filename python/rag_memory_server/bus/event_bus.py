"""The bus of events: a stream for what must not be lost, and channels for what is soon out of date."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import time
from collections.abc import Callable, Collection, Container, Iterator, Sequence
from typing import Any, NamedTuple

from rag_memory.errors import InvalidArgumentError, ServerError
from rag_memory.validation import to_json
from rag_memory_server.bus.bus_command import LONGEST_COMMAND, Command, read_command
from rag_memory_server.bus.bus_event import IN_STREAM, PROXIMITY, BusEvent, read_event, written_event
from rag_memory_server.bus.consumers import Consumers
from rag_memory_server.bus.departed import Departed
from rag_memory_server.bus.stream_reader import Entry, StreamReader
from rag_memory_server.bus.too_long import LONGEST_ANSWER, AnswerTooLongError
from rag_memory_server.bus.valkey_link import ValkeyLink
from rag_memory_server.config.valkey_config import MemoryEventBusConfig

EVENTS = "world:events"
"""The stream of what must not be lost, and the channel on which every event is published."""
COMMANDS = "zone:commands"
REFUSED = "world:events:refused"
"""The stream of what was put aside."""

_FIELD = b"event"
_NPC = b"npc"
"""Whom it happens to: told beside the event, so that nobody reads what is not for him."""
_MOST_REFUSED = 1000
_MOST_HEARD = 1000
_LOOK_AFTER_SECONDS = 5.0
_LOG = logging.getLogger("rag_memory")


class Delivery(NamedTuple):
    """An event, and the entry of the stream it came in; "" for one that was only heard, or is told again to
    an NPC who is new in this game: that is no news.
    """

    entry: str
    event: BusEvent
    is_news: bool = True


class EventBus:
    """One game's place on the bus; used by one thread at a time. Nothing waits longer than for one answer of
    the server.
    """

    def __init__(
        self,
        config: MemoryEventBusConfig,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Raises ServerError without a client for Valkey, and ConfigError when the config cannot be used."""
        self.link = ValkeyLink(config, "the event bus", monotonic)
        self.config = config.validated()
        self.refused = 0
        """How many entries were put aside."""
        self.missed = 0
        """How many events the server no longer had when their turn came."""
        self.residents: Container[str] | None = None
        """Of which NPCs take() and hear() tell; None: of all."""
        self.oldest_coming = 0.0
        """The real time of the oldest event that may come yet: it is in the stream, or begun in this zone."""
        self.departed = Departed(config, monotonic)
        self._monotonic = monotonic
        self._stream = f"{config.key_prefix}{EVENTS}"
        self._commands = f"{config.key_prefix}{COMMANDS}"
        self._refused_stream = f"{config.key_prefix}{REFUSED}"
        self._consumer = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        self._consumers = Consumers(self._stream, config, self._consumer)
        self.reader = StreamReader(self._stream, config, self._consumer, monotonic)
        self._taken: set[str] = set()
        self._finished: list[str] = []
        self._has_group = False
        self._looked_at = -_LOOK_AFTER_SECONDS
        self._subscription: Any = None

    @property
    def room(self) -> int:
        """How many more events may be taken before some are finished."""
        return max(0, self.config.batch_size - len(self._taken))

    def publish(self, event: Any) -> str:
        """Send an event to all zones, and to every subscriber of the channel; its id. When this raises a
        ServerError, it may or may not be on the bus: send it again with the same `eventId`.

        Raises:
            InvalidArgumentError: it is no event.
            ServerError: the server has not taken it.
        """
        return self.publish_all([event])[0]

    def publish_all(self, events: Sequence[Any]) -> list[str]:
        """publish(), of several at once."""
        written = [written_event(event) for event in events]
        most = self.config.max_stream_events
        with self.link.use() as client, client.pipeline(transaction=False) as pipeline:
            for event, payload in written:
                heard = payload if event.type == PROXIMITY else payload[:-1] + IN_STREAM
                if event.type != PROXIMITY:
                    fields = {_FIELD: payload, _NPC: event.npc_id}
                    pipeline.xadd(self._stream, fields, maxlen=most, approximate=True)
                pipeline.publish(self._stream, heard)
            pipeline.execute()
        return [event.id for event, _payload in written]

    def send_command(self, npc_id: str, text: str, timestamp: float) -> None:
        """Let an NPC say or do something, wherever she is; `timestamp` in seconds.

        Raises:
            InvalidArgumentError: the text is too long.
            ServerError: the server has not taken it.
        """
        if len(text) > LONGEST_COMMAND:
            raise InvalidArgumentError(
                f"send_command(): text has {len(text):,} characters", f"it may have {LONGEST_COMMAND:,}", ""
            )
        message = {"sourceId": npc_id, "sourceType": "airlock", "command": text}
        with self.link.use() as client:
            client.publish(self._commands, to_json({**message, "timestamp": round(timestamp * 1000)}))

    def take(self) -> list[Delivery]:
        """The next events that are kept, at most `room`; each is to be finished or refused. What is no event
        is put aside.

        Raises:
            ServerError: the server does not answer.
        """
        with self.link.use() as client:
            try:
                self._acknowledge(client)
                self._look(client)
                if not self.room:
                    return []
                entries = self.reader.next(client, self.room, self._taken)
            except self._response_error as error:
                self._note_no_group(error)
                return []
            return self._read(client, entries)

    def finish(self, delivery: Delivery) -> None:
        """Acknowledge an event that is in the save: from the next take() on it is not delivered again."""
        if delivery.entry in self._taken:
            self._taken.discard(delivery.entry)
            self._finished.append(delivery.entry)

    def refuse(self, delivery: Delivery, why: str) -> None:
        """Put aside what cannot be perceived.

        Raises:
            ServerError: the server does not answer; it will be delivered again.
        """
        if not delivery.entry:
            self._tell_refused("what was heard", why)
            return
        with self.link.use() as client:
            self._put_aside(client, delivery.entry, to_json(delivery.event.fields).encode(), why)
        self._taken.discard(delivery.entry)

    def since(self, npc_ids: Collection[str]) -> Iterator[list[Delivery]]:
        """What has happened to these NPCs in the last `catch_up_seconds`, page by page, oldest first.

        Raises:
            ServerError: the server does not answer.
        """
        with self.link.use() as client:
            first = f"{self._catch_up_from(client)}-0"
        while True:
            with self.link.use() as client:
                entries = self.reader.page(client, first)
            deliveries = (self._event_of(entry) for entry in entries if _is_of(entry.fields, npc_ids))
            yield [
                delivery
                for delivery in deliveries
                if delivery is not None and delivery.event.npc_id in npc_ids
            ]
            if not entries:
                return
            first = f"({entries[-1].id}"

    def hear(self) -> list[Delivery | Command]:
        """What came over the channels since the last time, at most 1,000 messages or 8 MB.

        Raises:
            ServerError: the server does not answer.
        """
        heard: list[Delivery | Command] = []
        left = LONGEST_ANSWER
        try:
            with self.link.use() as client:
                if self._subscription is None:
                    self._subscription = client.pubsub(ignore_subscribe_messages=True)
                    self._subscription.subscribe(self._stream, self._commands)
                for _ in range(_MOST_HEARD):
                    if left < 0 or not self._subscription.connection.can_read(timeout=0.0):
                        break
                    # A part of it has come: the rest is waited for.
                    message = self._subscription.get_message(timeout=self.config.timeout_seconds)
                    if message is not None:
                        heard += self._heard(message["channel"], message["data"])
                        left -= len(message["data"])
        except AnswerTooLongError as error:
            self._subscription.close()
            self._subscription = None
            self._tell_refused("what was heard", str(error))
        except ServerError:
            self._subscription = None
            raise
        return heard

    def status(self) -> dict[str, Any]:
        """How it goes, without asking the server."""
        return {
            "is_connected": self._has_group and not self.link.why_lost,
            "error": self.link.why_lost,
            "zone": self.config.zone,
            "in_work": len(self._taken),
            "refused": self.refused,
            "missed": self.missed,
        }

    def close(self) -> None:
        """Say what is finished, and leave. What is in work is taken over by the next game of this zone."""
        try:
            with self.link.use() as client:
                self._acknowledge(client)
                if self._has_group and not self._taken:
                    client.xgroup_delconsumer(self._stream, self.config.zone, self._consumer)
        except ServerError:
            pass  # Told already; what was not said to be finished is found to be so when it comes again.
        if self._subscription is not None:
            self._subscription.close()
        self.link.close()

    @property
    def _response_error(self) -> type[Exception]:
        from redis import ResponseError

        return ResponseError

    def _acknowledge(self, client: Any) -> None:
        if self._finished:
            client.xack(self._stream, self.config.zone, *self._finished)
            self._finished.clear()

    def _look(self, client: Any) -> None:
        """See now and then that the group is there, and whether the server still had everything for it."""
        if self._has_group and self._monotonic() - self._looked_at < _LOOK_AFTER_SECONDS:
            return
        self._looked_at = self._monotonic()
        if not self._has_group:
            self._make_group(client)
        begun = client.xpending(self._stream, self.config.zone)["min"]
        oldest = self.reader.oldest(client)
        entries = [entry for entry in (begun and begun.decode(), oldest) if entry]
        self.oldest_coming = min((_place(entry)[0] / 1000.0 for entry in entries), default=time.time())
        for group in client.xinfo_groups(self._stream):
            if group["name"].decode() == self.config.zone and oldest:
                self._look_for_missed(client, group, oldest)
        self._consumers.look(client)

    def _make_group(self, client: Any) -> None:
        """Begin to read, where this zone has ended or `catch_up_seconds` ago."""
        first = f"{self._catch_up_from(client)}-0"
        trimmed = None if client.exists(self._stream) else 0
        oldest = self.reader.oldest(client)
        if oldest and _place(oldest) > _place(first):
            trimmed = self.reader.dropped(client)
        try:
            # Without the number of entries before it, it could not be told how many are missed.
            client.xgroup_create(
                self._stream, self.config.zone, id=first, mkstream=True, entries_read=trimmed
            )
        except self._response_error as error:
            if "BUSYGROUP" not in str(error):
                raise
        self._has_group = True

    def _look_for_missed(self, client: Any, group: Any, oldest: str) -> None:
        """Tell once how many events the server has dropped before this zone has read them."""
        read, last = group.get("entries-read"), group["last-delivered-id"].decode()
        if read is None or _place(last) >= _place(oldest):
            return
        missed = (self.reader.dropped(client) or 0) - int(read)
        if missed > self.missed:
            _LOG.error(
                "The event bus: zone %s is too far behind: %d events are gone that it had not read. Give it "
                "less to do, or raise max_stream_events (now %d) in all zones.",
                self.config.zone,
                missed - self.missed,
                self.config.max_stream_events,
            )
            self.missed = missed

    def _catch_up_from(self, client: Any) -> int:
        """In milliseconds of the server's clock, which numbers the entries."""
        seconds, micros = client.time()
        return max(0, round(1000 * (int(seconds) - self.config.catch_up_seconds) + int(micros) / 1000))

    def _note_no_group(self, error: Exception) -> None:
        """The server was emptied: the group is made again by the next take()."""
        if "NOGROUP" not in str(error):
            raise error
        self._has_group = False

    def _read(self, client: Any, entries: Sequence[Entry]) -> list[Delivery]:
        deliveries = []
        for entry in entries:
            self.departed.count(entry.id, entry.fields.get(_NPC))
            if not entry.why and not _is_of(entry.fields, self.residents):
                self._finished.append(entry.id)
                continue
            payload = entry.fields.get(_FIELD)
            try:
                if entry.why:
                    raise InvalidArgumentError(entry.why, "", "")
                delivery = Delivery(entry.id, read_event(payload, entry.id))
            except InvalidArgumentError as error:
                self._put_aside(client, entry.id, payload or b"", str(error))
                continue
            self._taken.add(delivery.entry)
            deliveries.append(delivery)
        return deliveries

    def _event_of(self, entry: Entry) -> Delivery | None:
        """None for what is no event; who reads it in turn puts it aside."""
        try:
            return Delivery("", read_event(entry.fields.get(_FIELD), entry.id), is_news=False)
        except InvalidArgumentError:
            return None

    def _put_aside(self, client: Any, entry: str, payload: bytes, why: str) -> None:
        with client.pipeline(transaction=True) as both:
            fields = {_FIELD: payload[: 2**16], b"why": why.encode()[:1000], b"entry": entry}
            both.xadd(self._refused_stream, fields, maxlen=_MOST_REFUSED, approximate=True)
            both.xack(self._stream, self.config.zone, entry)
            both.execute()
        self._tell_refused(f"the entry {entry}", why)

    def _tell_refused(self, what: str, why: str) -> None:
        self.refused += 1
        _LOG.warning("The event bus: %s was put aside: %s", what, why)

    def _heard(self, channel: bytes, data: bytes) -> list[Delivery | Command]:
        try:
            if channel.decode() == self._commands:
                return [read_command(data)]
            if data.endswith(IN_STREAM):
                return []
            event = _with_own_id(data)
            return [Delivery("", event)] if self.residents is None or event.npc_id in self.residents else []
        except InvalidArgumentError as error:
            self._tell_refused(f"what came over {channel.decode()}", str(error))
            return []


def _is_of(fields: Any, npc_ids: Container[str] | None) -> bool:
    """Return whether an entry may be about one of these NPCs; one of an older game does not say."""
    named = fields.get(_NPC)
    return named is None or npc_ids is None or named.decode("utf-8", "replace") in npc_ids


def _place(entry: str) -> tuple[int, ...]:
    return tuple(map(int, entry.split("-")))


def _with_own_id(data: bytes) -> BusEvent:
    """What came over a channel has no entry; without an id it is an event of its own each time."""
    return read_event(data, f"heard:{secrets.token_hex(8)}")
