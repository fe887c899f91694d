"""What happened in the world, and who knows of it."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Container, Generator, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.config.calendar import CALENDAR
from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.document import Document
from rag_memory.memory.owners import WORLD
from rag_memory.memory.record import Record
from rag_memory.npc.game_call import game_call
from rag_memory.searchable.save_context import SaveContext
from rag_memory.step import Step, run
from rag_memory.validation import (
    shown,
    validate_flag,
    validate_option,
    validate_options,
    validate_text,
    wrong_type,
)
from rag_memory.vectors import FloatMatrix
from rag_memory.world.characters import CHARACTER
from rag_memory.world.event import (
    check_reach,
    event_id,
    free_number,
    has_expired,
    numbered,
    searched_text,
    validate_event,
)
from rag_memory.world.event_filter import CONDITIONS, event_filter
from rag_memory.world.event_index import FIRST_HAND, NO_KEY, EventIndex
from rag_memory.world.npcs import NpcFunction
from rag_memory.world.whereabouts import WHEREABOUTS
from rag_memory.world.who_knows import Window, windows
from rag_memory.world.world_part import WorldPart

EVENT = "event"
RUMOR = "rumor"
DEFAULT_LIMIT = 5
_MOST = 10_000
_CHECKED_AT_ONCE = 16
_EXPIRED_AT_ONCE = 100
_FILTER = (*CONDITIONS, "known_to", "include_expired", "limit")
_SEARCH_OPTIONS = ("limit", "min_importance", *CONDITIONS)


class _New(NamedTuple):
    """An event that is to be recorded, when it happened, and what is searched of it; "" is no id yet."""

    event: dict[str, Any]
    at: float
    record: Record

    @property
    def id(self) -> str:
        return self.record.id

    def with_id(self, id: str) -> _New:
        return _New(self.event, self.at, self.record._replace(id=id))


class Events(WorldPart):
    """The calls about events."""

    def __init__(self, save: SaveContext, npc: NpcFunction) -> None:
        super().__init__(save, npc)
        self._event_index: EventIndex | None = None
        self._last_numbers: dict[str, int] = {}

    def reload(self) -> None:
        """Forgets what is in memory, because the store has changed without this object."""
        super().reload()
        self._event_index = None
        self._last_numbers.clear()

    @game_call(writes=True)
    def record_event(self, event: Mapping[str, Any]) -> str:
        """Records what happened in the world and returns its id. Emits `event_recorded`.

        Args:
            event: `summary` (what NPCs tell of it) is needed. `event_type`, `title`, `location`, `actor`,
                `target`, `actor_faction` and `target_faction` are Strings; a faction that is left out is the
                one that the actor or target was registered with. `importance` is 1 to 10 (5 when left out;
                a value outside is clamped, with a warning). `day` says when it happened, now when left out,
                and `expires_day` from which moment on no NPC knows of it any more (-1: never); both are days
                of the game's clock, at most a thousand million. `visibility` says who knows of it:
                `"private"` (actor and target), `"local"` (who is or later was at its location, or was there
                when it happened), `"faction"` (who belonged to either faction when it happened), `"global"`
                (everybody; also when left out) or `"rumor"` (who heard of it, see `spread_rumor()`). Actor,
                target and the ids in `known_by` know of it in any case. With an
                `id` that exists already, this event takes the place of that one. Other keys are kept for the
                game.

        Raises:
            InvalidArgumentError: a value has the wrong type, there is no summary, no such visibility, or a
                local event has no location and one of a faction no faction.
            StoreError: the database could not write.
        """
        return run(self._keep_steps([self._new("record_event()", event)]))[0]

    @game_call(writes=True)
    def record_events(self, events: Sequence[Mapping[str, Any]]) -> list[str]:
        """Records many events, much faster than one by one, and returns their ids in the same order.

        When one of them is not valid, none is recorded. When the disk refuses in the middle of them, the
        first ones are recorded.

        Args:
            events: Dictionaries as for `record_event()`.
        """
        return run(self.record_events_steps(events))

    def record_events_steps(self, events: Sequence[Mapping[str, Any]]) -> Generator[Step, None, list[str]]:
        """record_events() in slices of a few milliseconds."""
        if not isinstance(events, list | tuple):
            raise wrong_type("record_events()", "events", events, "an Array of Dictionaries")
        told: list[_New] = []
        given: set[str] = set()
        for number, event in enumerate(events):
            where = f"record_events(), event {number}"
            new = self._new(where, event)
            if new.id in given:
                raise InvalidArgumentError(
                    f"{where}: the id is {shown(new.id)}",
                    "an event before it has that id",
                    "Use each id once",
                )
            told.append(new)
            given |= {new.id} - {""}
            if number % _CHECKED_AT_ONCE == _CHECKED_AT_ONCE - 1:
                yield Step(0, len(events), "checking events")
        return (yield from self._keep_steps(told))

    @game_call()
    def get_events(self, filter: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Returns events, oldest first.

        Args:
            filter: `event_type`, `location`, `actor`, `target` and `visibility` have to be the same,
                `faction` is one of its two factions, and `participant` its actor, its target or one of its
                own key `participants`. `since_day` and `until_day` are days, both included. With `known_to`,
                an npc_id, only what she knows of, with `text` (as she would tell it: a rumor begins "I heard
                that") and `confidence`, from 0 to 1. `include_expired`: whether expired ones are returned,
                too; an NPC knows of none. `limit`: at most as many, the newest ones.
        """
        where = "get_events()"
        options = validate_options(where, filter, _FILTER)
        matches = event_filter(where, options)
        with_expired = validate_flag(where, "include_expired", options.get("include_expired", False))
        events, today = self._all(EVENT), self._day()
        npc_id = validate_text(where, "known_to", options.get("known_to", ""))
        found = (
            [events[id] for id in self._known_ids(npc_id)]
            if "known_to" in options
            else [each for each in events.values() if with_expired or not has_expired(each.content, today)]
        )
        found = [each for each in found if matches(each.content)]
        found.sort(key=lambda each: (each.timestamp, each.key))
        if "limit" in options:
            limit = validate_option(where, options, "limit", DEFAULT_LIMIT, 0, _MOST)
            found = found[max(0, len(found) - limit) :]
        return self._views(found, npc_id)

    @game_call()
    def search_events(
        self, npc_id: str, query: str, options: Mapping[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        """Returns what an NPC knows of the events that a question is about, most relevant first.

        Each has the keys of `record_event()`, and `text` (as she would tell it: a rumor begins "I heard
        that"), `confidence` (1 for what she knows for sure) and `relevance`, both from 0 to 1.

        Args:
            npc_id: who is asked. `""` is for tools: all events, expired ones, too.
            options: `limit` (5 when left out), `min_importance`, and as in `get_events()` `event_type`,
                `location`, `actor`, `target`, `faction`, `participant`, `since_day` and `until_day`.
        """
        return run(self.search_events_steps(npc_id, query, options))

    def search_events_steps(
        self, npc_id: str, query: str, options: Mapping[str, Any] | None = None
    ) -> Generator[Step, None, list[dict[str, Any]]]:
        """search_events(); loading what searches comes in slices."""
        where = "search_events()"
        options = validate_options(where, options, _SEARCH_OPTIONS)
        npc_id = validate_text(where, "npc_id", npc_id)
        limit = validate_option(where, options, "limit", DEFAULT_LIMIT, 0, _MOST)
        least = validate_option(where, options, "min_importance", 0, 0, 10)
        matches = event_filter(where, options)
        yield from self._searched(WORLD).load_steps()
        events, index = self._all(EVENT), self._index()
        ids = self._known_ids(npc_id) if npc_id else set(events)
        if least or options.keys() - {"limit", "min_importance"}:
            contents = ((id, events[id].content) for id in ids)
            ids = {id for id, event in contents if event["importance"] >= least and matches(event)}
        found = self._searched(WORLD).find(where, query, limit, index.keys(ids))
        views = self._views([events[each.id] for each in found], npc_id)
        return [{**view, "relevance": each.relevance} for view, each in zip(views, found, strict=True)]

    def foremost_events(self, where: str, query: str, limit: int) -> list[Mapping[str, Any]]:
        """The events that fit a question best, whoever knows of them, expired ones, too: for tools."""
        events = self._all(EVENT)
        found = self._searched(WORLD).find(where, query, limit)
        return [events[each.id].content for each in found if each.id in events]

    @game_call(writes=True)
    def expire_events(self) -> int:
        """Marks the events whose last day has passed, and returns how many these are since the last time.

        NPCs do not know of them from that day on, whether this is called or not.
        """
        return run(self.expire_events_steps())

    def expire_events_steps(self) -> Generator[Step, None, int]:
        """expire_events() in slices."""
        count = 0
        while self._passed():
            with self._transaction():
                passed = self._passed()[:_EXPIRED_AT_ONCE]
                for each in passed:
                    self._write(EVENT, each.id, {**each.content, "expired": True}, at=each.timestamp)
            count += len(passed)
            yield Step(count, count + len(self._passed()), "expiring events")
        return count

    def _passed(self) -> list[Document]:
        """The events whose last day has passed, and that are not marked yet."""
        today = self._day()
        return [
            each
            for each in self._all(EVENT).values()
            if has_expired(each.content, today) and not each.content.get("expired", False)
        ]

    def knows_event(self, npc_id: str, event: Mapping[str, Any]) -> bool:
        """Whether an NPC knows of an event of this save, by its `id`. Nothing else decides this."""
        known = self._all(EVENT).get(event["id"])
        return (
            known is not None
            and not has_expired(known.content, self._day())
            and self._confidence(npc_id, known) > 0.0
        )

    def _new(self, where: str, told: Any) -> _New:
        event = validate_event(where, told, self._day())
        for role in ("actor", "target"):
            if not event[f"{role}_faction"]:
                event[f"{role}_faction"] = (self._content(CHARACTER, event[role]) or {}).get("faction", "")
        check_reach(where, event)
        id = validate_text(where, "id", told.get("id", ""))
        id = id if id.strip() else ""
        # In this order: another process may be recording just this event.
        if id and self._searched(WORLD).has(id) and self._save.store.document(EVENT, id) is None:
            raise InvalidArgumentError(
                f"{where}: the id is {shown(id)}", "something that is no event has it", "Use another id"
            )
        at = event["day"] * CALENDAR.seconds_per_day if "day" in told else self._now()
        return _New(event, at, self._searched_record(where, id, event, at))

    def _searched_record(self, where: str, id: str, event: Mapping[str, Any], at: float) -> Record:
        """What stands beside an event to be searched."""
        data = {
            "event_type": event["event_type"],
            "location": event["location"],
            "participants": [each for each in (event["actor"], event["target"]) if each],
            "timestamp": at,
        }
        return self._searched(WORLD).record(where, id, searched_text(event), event["importance"], data)

    def _free_id(self, event: Mapping[str, Any], taken: Container[str]) -> str:
        """An id that the store does not have. Inside a transaction: others may have given many since."""
        base, has = event_id(event), self._searched(WORLD).has_used
        number = free_number(
            self._last_numbers.get(base, 0), lambda each: (id := numbered(base, each)) in taken or has(id)
        )
        self._last_numbers[base] = number
        return numbered(base, number)

    def _keep_steps(self, told: Sequence[_New]) -> Generator[Step, None, list[str]]:
        """Write events with their memories, some at a time, and tell of them; their ids in the same order."""
        ids = [each.id for each in told]
        given = {id for id in ids if id}
        known = self._save.store.known_documents(EVENT, list(given))
        for each in told:
            if each.id in known:
                self._replace_event(each)
        new = [place for place, each in enumerate(told) if each.id not in known]
        places = iter(new)

        def put(records: Sequence[Record], vectors: FloatMatrix) -> list[str]:
            part = list(itertools.islice(places, len(records)))
            named = self._put_events([told[place] for place in part], vectors, given)
            for place, id in zip(part, named, strict=True):
                ids[place] = id
            return named

        yield from self._searched(WORLD).put_all_steps([told[place].record for place in new], put)
        return ids

    def _put_events(self, told: Sequence[_New], vectors: FloatMatrix, given: Collection[str]) -> list[str]:
        """Write events whose ids are free, as far as was known, all of them or none; their ids."""
        taken = set(given)
        named: list[_New] = []
        with self._transaction():
            for each in told:
                named.append(each if each.id else each.with_id(self._free_id(each.event, taken)))
                taken.add(named[-1].id)
            known = self._save.store.known_documents(EVENT, [each.id for each in told if each.id])
            rows = [row for row, each in enumerate(named) if each.id not in known]

            def write(records: Sequence[Record]) -> None:
                ids = [record.id for record in records]
                for id in self._save.store.known_documents(RUMOR, ids):
                    self._write(RUMOR, id, {})  # of an event that a rollback has taken
                for row, record in zip(rows, records, strict=True):
                    self._keep_event(named[row], record.key)

            if rows:
                self._searched(WORLD).put_all([named[row].record for row in rows], vectors[rows], write)
            for each in named:
                if each.id in known:  # Another process has recorded it meanwhile.
                    self._replace_event(each)
        return [each.id for each in named]

    def _replace_event(self, new: _New) -> None:
        """Write an event in the place of the one with its id."""
        with self._transaction():
            self._keep_event(new, self._searched(WORLD).put_record("record_event()", new.record))

    def _keep_event(self, new: _New, key: int) -> None:
        """Write an event whose memory has a key, and tell of it."""
        self._write(EVENT, new.id, {**new.event, "id": new.id}, at=new.at)
        if self._event_index is not None:
            self._event_index.put(self._all(EVENT)[new.id], key)
        self._emit("event_recorded", (new.id,))

    def _index(self) -> EventIndex:
        if self._event_index is None:
            keys = self._searched(WORLD).keys()
            self._event_index = EventIndex()
            for each in self._all(EVENT).values():
                self._event_index.put(each, keys.get(each.id, NO_KEY))
            for each in self._all(RUMOR).values():
                if each.id in self._all(EVENT):
                    self._event_index.heard(each.id, each.content["heard"])
        return self._event_index

    def _event(self, where: str, id: Any) -> Document:
        id = validate_text(where, "event_id", id)
        found = self._all(EVENT).get(id)
        if found is None:
            raise InvalidArgumentError(
                f"{where}: the event_id is {shown(id)}",
                "there is no such event",
                "Pass what record_event() returned",
            )
        return found

    def _windows(self, npc_id: str) -> list[Window]:
        return windows(npc_id, self._content(WHEREABOUTS, npc_id) or {})

    def _known_ids(self, npc_id: str) -> set[str]:
        return self._index().ids(npc_id, self._windows(npc_id), self._day())

    def _confidence(self, npc_id: str, event: Document) -> float:
        return self._index().confidence(npc_id, event, self._windows(npc_id))

    def _views(self, events: Iterable[Document], npc_id: str) -> list[dict[str, Any]]:
        """Events as an NPC tells them; "": as a tool does."""
        if not npc_id:
            today = self._day()
            return [
                {
                    **each.content,
                    "text": each.content["summary"],
                    "confidence": FIRST_HAND,
                    "expired": has_expired(each.content, today),
                }
                for each in events
            ]
        index, listened, wording = self._index(), self._windows(npc_id), self._npc(npc_id).config
        return [
            {
                **each.content,
                "text": each.content["summary"]
                if index.is_witness(each, listened)
                else wording.sentence("rumor_heard", event=each.content["summary"]),
                "confidence": index.confidence(npc_id, each, listened),
            }
            for each in events
        ]
