"""The events of the world: recording and searching them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.game_call import game_call
from rag_memory.memory.document import Document
from rag_memory.memory.owners import WORLD
from rag_memory.step import Step, Steps, in_slices, run
from rag_memory.validation import (
    shown,
    validate_flag,
    validate_option,
    validate_options,
    validate_text,
    wrong_type,
)
from rag_memory.world.event import EVENT, has_expired
from rag_memory.world.event_filter import CONDITIONS, event_filter
from rag_memory.world.event_log import EventDraft, EventLog
from rag_memory.world.knowledge import Knowledge
from rag_memory.world.world_context import WorldContext

DEFAULT_LIMIT = 5
_MOST = 10_000
_CHECKED_AT_ONCE = 16
_EXPIRED_AT_ONCE = 100
_FILTER = (*CONDITIONS, "known_to", "include_expired", "limit")
_SEARCH_OPTIONS = ("limit", "min_importance", *CONDITIONS)


class Events:
    """Records what happens in the world, and finds what an NPC knows of it."""

    def __init__(self, context: WorldContext, knowledge: Knowledge) -> None:
        self._context = context
        self._knowledge = knowledge
        self.log = EventLog(context, knowledge)

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
                target and the ids in `known_by` know of it in any case. With an `id` that exists already,
                this event takes the place of that one. Other keys are stored for the game.

        Raises:
            InvalidArgumentError: a value has the wrong type, there is no summary, no such visibility, or a
                local event has no location and one of a faction no faction.
            StoreError: the database could not write.
        """
        return run(self.log.write_steps([self.log.draft("record_event()", event)]))[0]

    @game_call(writes=True)
    @in_slices
    def record_events(self, events: Sequence[Mapping[str, Any]]) -> Steps[list[str]]:
        """Records many events, much faster than one by one, and returns their ids in the same order.

        When one of them is not valid, none is recorded. When the disk refuses in the middle of them, the
        first ones are recorded.

        Args:
            events: Dictionaries as for `record_event()`.
        """
        if not isinstance(events, list | tuple):
            raise wrong_type("record_events()", "events", events, "an Array of Dictionaries")
        drafts: list[EventDraft] = []
        ids: set[str] = set()
        for number, event in enumerate(events):
            call = f"record_events(), event {number}"
            draft = self.log.draft(call, event)
            if draft.id in ids:
                raise InvalidArgumentError(
                    f"{call}: the id is {shown(draft.id)}",
                    "an event before it has that id",
                    "Use an id once",
                )
            drafts.append(draft)
            ids |= {draft.id} - {""}
            if number % _CHECKED_AT_ONCE == _CHECKED_AT_ONCE - 1:
                yield Step(0, len(events), "checking events")
        return (yield from self.log.write_steps(drafts))

    @game_call()
    def get_events(self, filter: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Returns events, oldest first.

        Args:
            filter: `event_type`, `location`, `actor`, `target` and `visibility` have to be the same,
                `faction` is one of its two factions, and `participant` its actor, its target or one of its
                own key `participants`. `since_day` and `until_day` are days, both included. With `known_to`,
                an npc_id, only what this NPC knows of, with `text` (as the NPC would tell it: a rumor begins
                "I heard that") and `confidence`, from 0 to 1. `include_expired`: whether expired ones are
                returned, too; an NPC knows of none. `limit`: at most as many, the newest ones.
        """
        call = "get_events()"
        options = validate_options(call, filter, _FILTER)
        matches = event_filter(call, options)
        with_expired = validate_flag(call, "include_expired", options.get("include_expired", False))
        events, today = self._context.all(EVENT), self._context.day()
        npc_id = validate_text(call, "known_to", options.get("known_to", ""))
        if "known_to" in options:
            listed = [events[id] for id in self._knowledge.ids(npc_id)]
        else:
            listed = [
                event for event in events.values() if with_expired or not has_expired(event.content, today)
            ]
        listed = [event for event in listed if matches(event.content)]
        listed.sort(key=lambda event: (event.timestamp, event.key))
        if "limit" in options:
            limit = validate_option(call, options, "limit", DEFAULT_LIMIT, 0, _MOST)
            listed = listed[max(0, len(listed) - limit) :]
        return self._knowledge.views(listed, npc_id)

    @game_call()
    @in_slices
    def search_events(
        self, npc_id: str, query: str, options: Mapping[str, Any] | None = None
    ) -> Steps[list[dict[str, Any]]]:
        """Returns what an NPC knows of the events that a question is about, most relevant first.

        Each has the keys of `record_event()`, and `text` (as the NPC would tell it: a rumor begins "I heard
        that"), `confidence` (1 for certain knowledge) and `relevance`, both from 0 to 1.

        Args:
            npc_id: who is asked. `""` is for tools: all events, expired ones, too.
            options: `limit` (5 when left out), `min_importance`, and as in `get_events()` `event_type`,
                `location`, `actor`, `target`, `faction`, `participant`, `since_day` and `until_day`.
        """
        call = "search_events()"
        options = validate_options(call, options, _SEARCH_OPTIONS)
        npc_id = validate_text(call, "npc_id", npc_id)
        limit = validate_option(call, options, "limit", DEFAULT_LIMIT, 0, _MOST)
        least = validate_option(call, options, "min_importance", 0, 0, 10)
        matches = event_filter(call, options)
        yield from self._context.searched(WORLD).load_steps()
        events = self._context.all(EVENT)
        ids = self._knowledge.ids(npc_id) if npc_id else set(events)
        if least or options.keys() - {"limit", "min_importance"}:
            contents = ((id, events[id].content) for id in ids)
            ids = {id for id, event in contents if event["importance"] >= least and matches(event)}
        hits = self._context.searched(WORLD).find(call, query, limit, self._knowledge.keys(ids))
        views = self._knowledge.views([events[hit.id] for hit in hits], npc_id)
        return [{**view, "relevance": hit.relevance} for view, hit in zip(views, hits, strict=True)]

    def best_matches(self, call: str, query: str, limit: int) -> list[Mapping[str, Any]]:
        """The events that fit a question best, whoever knows of them, expired ones, too."""
        events = self._context.all(EVENT)
        hits = self._context.searched(WORLD).find(call, query, limit)
        return [events[hit.id].content for hit in hits if hit.id in events]

    @game_call(writes=True)
    @in_slices
    def expire_events(self) -> Steps[int]:
        """Marks the events whose last day has passed, and returns how many these are since the last time.

        NPCs do not know of them from that day on, whether this is called or not.
        """
        count = 0
        while self._passed():
            with self._context.transaction():
                passed = self._passed()[:_EXPIRED_AT_ONCE]
                for event in passed:
                    content = {**event.content, "expired": True}
                    self._context.write(EVENT, event.id, content, at=event.timestamp)
            count += len(passed)
            yield Step(count, count + len(self._passed()), "expiring events")
        return count

    def _passed(self) -> list[Document]:
        """The events whose last day has passed and that are not marked as expired yet."""
        today = self._context.day()
        return [
            event
            for event in self._context.all(EVENT).values()
            if has_expired(event.content, today) and not event.content.get("expired", False)
        ]

    def knows(self, npc_id: str, event_id: str) -> bool:
        """Return True if an NPC knows of an event."""
        return self._knowledge.knows(npc_id, event_id)
