"""What happens to an NPC: weighed, felt, and perhaps remembered."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.config.mind_config import SentimentMode
from rag_memory.memory.event_templates import MemoryDraft
from rag_memory.memory.interaction import EVENT, FELT_AT, Emotion, Interaction
from rag_memory.memory.record import Record
from rag_memory.mind import emotion
from rag_memory.mind.disposition import stranger
from rag_memory.mind.encoding import (
    Encoding,
    confided,
    draft_of,
    encoding_of,
    happening,
    with_ruled_importance,
)
from rag_memory.mind.event import Event, validate_event
from rag_memory.mind.sentiment import analyzed_steps, sentiment_of
from rag_memory.npc.game_call import game_call
from rag_memory.npc.mind_part import MindPart
from rag_memory.step import Step, run
from rag_memory.validation import validate_count, validate_text

DEFAULT_COUNT = 5
_LONGEST_REASON = 120


class Weighed(NamedTuple):
    """An event that was weighed and not felt yet. None of it depends on what she feels."""

    told: Event
    sentiment: int
    encoding: Encoding
    reason: str
    felt: Emotion | None
    draft: MemoryDraft | None
    """What becomes a memory."""


class Perceiving(MindPart):
    """The calls about events and interactions."""

    @game_call(writes=True)
    def perceive(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Tells the NPC what happened. She weighs it, feels it, and keeps it if it matters.

        `NPCMindConfig.encoding_rules` decide what becomes a memory. Everything counts as an interaction,
        changes her disposition to its source and may change her mood. All of it is written together, and
        survives a crash of the game once this has returned.

        Args:
            event: only `action` or `description` is needed. `action` (such as `"spoke"`, `"attacked"`,
                `"gifted"`, `"helped"`), `content` (what was said), `source_id` and `source_name` (who did
                it), `outcome`, `description` (a sentence for the memory), `location`, `entities` (an Array of
                Strings), `importance` (1 to 10), `health_before` and `health_after` (of the NPC, from 0 to
                1), `timestamp` (game time in seconds). An event may be dated earlier, but not later than the
                clock: then it counts as happening now, with a warning. Its feelings belong to when it was
                told. `secret` (a bool) and `known_to` (ids) are for `build_listener_context()`. Other keys
                are kept with the memory.

        Returns:
            `memory_id` (empty when it became no memory), `kind` (`"observation"`, `"episode"` or empty),
            `importance`, `sentiment`, `disposition` (as `get_disposition()`), `emotion` (as `get_emotion()`)
            and `why` (the rule that decided).

        Raises:
            InvalidArgumentError: the event has neither `action` nor `description`, a value of a wrong type or
                out of its range, or a text longer than `MemoryConfig.max_text_chars`. Nothing is written
                then.
            StoreError: the database could not write.
        """
        return run(self.perceive_steps(event))

    def perceive_steps(
        self, event: Mapping[str, Any], also: Callable[[], None] | None = None
    ) -> Generator[Step, None, dict[str, Any]]:
        """perceive(), in slices where the sentiment is asked of the game. `also` writes in the same
        transaction; when it raises, nothing is written or felt.
        """
        weighed = yield from self.weigh_steps(event)
        memory_id = self.keep(weighed, also)
        told, encoding, now = weighed.told, weighed.encoding, self._now()
        disposition = self._feelings.dispositions.get(told.source_id)
        return {
            "memory_id": memory_id,
            "kind": encoding.kind,
            "importance": encoding.importance,
            "sentiment": weighed.sentiment,
            "disposition": stranger(told.source_id)
            if disposition is None
            else disposition.described(self._config, now),
            "emotion": emotion.described(self._config, self._feelings.emotion, now),
            "why": encoding.why,
        }

    def weigh_steps(self, event: Mapping[str, Any]) -> Generator[Step, None, Weighed]:
        """The first half of perceive_steps(): what an event means. Writes nothing.

        Raises:
            InvalidArgumentError: see perceive().
        """
        told = with_ruled_importance(validate_event(self._records.config, event, self._now()))
        sentiment = yield from self._sentiment_steps(told.content or told.description, told.action)
        encoding = encoding_of(self._config, told, sentiment)
        now = self._now()
        # What is told in confidence must not come out as the reason for a feeling.
        reason = _short(
            confided(self._records.config, told.source_name)
            if told.extra.get("secret")
            else happening(self._records.config, told)
        )
        felt = emotion.felt(self._config, told, sentiment, now, reason)
        mood = "" if felt is None else felt.mood
        draft = draft_of(self._records.config, told, encoding, sentiment, mood) if encoding.kind else None
        return Weighed(told, sentiment, encoding, reason, felt, draft)

    def keep(self, weighed: Weighed, also: Callable[[], None] | None = None) -> str:
        """The second half: write an event's entry of the log and, where it is one, its memory, together, and
        feel it when it is committed; the memory's id.
        """
        told, encoding, draft = weighed.told, weighed.encoding, weighed.draft
        reason = weighed.reason if weighed.sentiment else ""
        entry = self._entry(
            EVENT, told.source_id, told.source_name, weighed.sentiment, reason, weighed.felt, self._now()
        )._replace(timestamp=told.timestamp, action=told.action, content=told.content)
        written: list[Interaction] = []

        def log(npc: int, records: Sequence[Record] = ()) -> None:
            if also is not None:
                also()
            details = _details(told, encoding, [record.id for record in records])
            written.append(self._log(npc, entry._replace(details=details)))

        memory_id = ""
        if draft is None:
            self._records.writer.write(log)
        else:
            memory_id = self._remember("perceive()", draft, also=log)
        self._save.when_committed(lambda: self._feel(written[0], memory_id, encoding.kind), self.reload)
        return memory_id

    def _feel(self, entry: Interaction, memory_id: str, kind: str) -> None:
        self._take_in(entry)
        if memory_id:
            self._emit("memory_encoded", (memory_id, kind))

    @game_call()
    def get_interactions(self, source_id: str = "", count: int = DEFAULT_COUNT) -> list[dict[str, Any]]:
        """Returns the last interactions, newest first.

        The last `NPCMindConfig.kept_interactions` are kept. That an older one is gone takes no memory and no
        feeling away.

        Args:
            source_id: with whom; empty for all.

        Returns:
            Dictionaries with `timestamp`, `source_id`, `source_name`, `action`, `content`, `sentiment`,
            `memory_id` and `kind` (of its memory, if it became one), `why`, and what else the event told.
        """
        source_id = validate_text("get_interactions()", "source_id", source_id)
        count = validate_count("get_interactions()", "count", count)
        if self._records.npc is None or not count:
            return []
        hot = [each for each in reversed(self._feelings.hot) if source_id in ("", each.source_id)][:count]
        is_all = len(self._feelings.hot) < self._config.hot_interactions
        if len(hot) < count and not is_all:
            hot = self._records.store.interactions.newest(self._records.npc, source_id, count)
        return [_described(each) for each in hot]

    @game_call()
    def analyze_sentiment(self, content: str, action: str = "") -> int:
        """Returns what words and an action would mean to the NPC: below 0 for harm, above 0 for kindness.

        `NPCMindConfig.sentiment_mode` says how. Nothing is stored.

        Args:
            content: what was said to her. Of a very long text, `LEXICON` weighs the first 4,000 characters.
            action: such as `"spoke"`. One in `NPCMindConfig.action_sentiments` decides alone.
        """
        return run(self.analyze_sentiment_steps(content, action))

    def analyze_sentiment_steps(self, content: str, action: str = "") -> Generator[Step, None, int]:
        """analyze_sentiment(), in slices where it is asked of the game."""
        content = validate_text("analyze_sentiment()", "content", content)
        action = validate_text("analyze_sentiment()", "action", action)
        return (yield from self._sentiment_steps(content, action))

    @property
    def asks_for_sentiment(self) -> bool:
        """Whether perceiving may have to wait for the game to tell what an event means."""
        is_asked = self._config.sentiment_mode == SentimentMode.MODEL
        return is_asked and self._save.sentiment_analyzer is not None

    def _sentiment_steps(self, content: str, action: str) -> Generator[Step, None, int]:
        is_weighed = action.casefold() in self._config.action_sentiments
        analyzer = self._save.sentiment_analyzer
        if self.asks_for_sentiment and not is_weighed and analyzer is not None:
            request = {"npc_id": self._records.npc_id, "content": content, "action": action}
            timeout = self._records.config.summarizer_timeout_seconds
            answer = yield from analyzed_steps(analyzer, request, timeout)
            if answer is not None:
                return round(answer)
        return round(sentiment_of(self._config, content, action))


def _short(reason: str) -> str:
    return reason if len(reason) <= _LONGEST_REASON else f"{reason[: _LONGEST_REASON - 1].rstrip()}…"


def _details(told: Event, encoding: Encoding, ids: Sequence[str]) -> dict[str, Any]:
    details: dict[str, Any] = {
        "outcome": told.outcome,
        "description": told.description,
        "location": told.location,
        "entities": list(told.entities),
    }
    came_of_it = {"memory_id": ids[0] if ids else "", "kind": encoding.kind, "why": encoding.why}
    return {name: value for name, value in details.items() if value} | told.extra | came_of_it


def _described(entry: Interaction) -> dict[str, Any]:
    return {
        "memory_id": "",
        "kind": "",
        **{name: value for name, value in entry.details.items() if name != FELT_AT},
        "timestamp": entry.timestamp,
        "source_id": entry.source_id,
        "source_name": entry.source_name,
        "action": entry.action,
        "content": entry.content,
        "sentiment": entry.sentiment,
    }
