"""The mind of one NPC: it weighs events, feels them, and remembers those that matter."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.config.action_forms import action_in_rules
from rag_memory.config.mind_config import NPCMindConfig, SentimentMode, mind_config_from
from rag_memory.conversation.hearers import Hearers
from rag_memory.game_call import game_call
from rag_memory.memory.event_templates import PLAYER, MemoryDraft
from rag_memory.memory.interaction import EVENT, FELT_AT, Emotion, Interaction
from rag_memory.memory.record import Record
from rag_memory.mind import emotion
from rag_memory.mind.asking import answered_steps
from rag_memory.mind.encoding import (
    Encoding,
    confided,
    draft_of,
    encoding_of,
    happening,
    in_words_of_rules,
    with_ruled_importance,
)
from rag_memory.mind.event import Event, validate_event
from rag_memory.mind.sentiment import read_sentiment, sentiment_of
from rag_memory.npc.feelings import Feelings
from rag_memory.npc.interaction_log import InteractionLog
from rag_memory.npc.listeners import Listeners
from rag_memory.npc.recall import Recall
from rag_memory.npc.reflections import Reflections
from rag_memory.searchable.memory_writer import MemoryWriter
from rag_memory.searchable.record_changes import EventFunction
from rag_memory.searchable.records import OwnedRecords
from rag_memory.step import Steps, in_slices
from rag_memory.validation import validate_count, validate_text

DEFAULT_COUNT = 5
_LONGEST_REASON = 120


class Weighed(NamedTuple):
    """An event that was weighed and not felt yet. None of it depends on what she feels."""

    event: Event
    sentiment: int
    encoding: Encoding
    reason: str
    felt: Emotion | None
    draft: MemoryDraft | None
    """The memory, if it becomes one."""

    def without_witnesses(self, ids: Collection[str]) -> Weighed:
        """Return it without the witnesses who perceive it themselves."""
        of = self.event.company
        left = {id: share for id, share in of.bystanders.items() if id not in ids}
        of = of._replace(addressees=[id for id in of.addressees if id not in ids], bystanders=left)
        return self._replace(event=self.event._replace(company=of))


class NpcMind:
    """Perceives events, and holds the feelings, reflections and listeners of one NPC.

    `on_event` is called with the name and arguments of what happened: ("disposition_changed", (character_id,
    feeling, strength)), ("emotion_changed", (mood, intensity)), ("memory_encoded", (memory_id, kind)),
    ("reflected", (ids,)).
    """

    def __init__(
        self,
        records: OwnedRecords,
        writer: MemoryWriter,
        recall: Recall,
        hearers: Hearers,
        registered_name: Callable[[str], str],
    ) -> None:
        self._hearers = hearers
        self._registered_name = registered_name
        self.on_event: EventFunction | None = None
        self._records = records
        self._writer = writer
        self._attended: Mapping[str, Any] | None = None
        """The values of the config that is in use, when a node gave them."""
        self.log = InteractionLog(records, self._emit, self._note_felt)
        self.feelings = Feelings(self.log, records.save.now)
        self.reflections = Reflections(records, writer, self.log, self._emit)
        self.listeners = Listeners(records, self.log, recall.relevant_in_scene, registered_name)

    @property
    def config(self) -> NPCMindConfig:
        """The settings of the mind. A config with a value out of range raises ConfigError."""
        return self.log.config

    @config.setter
    def config(self, config: NPCMindConfig) -> None:
        self.log.config = config
        self._attended = None

    def attend(self, node: Mapping[str, Any]) -> None:
        """Take over what the game's NPCMind has: `config` (its values, or None) and `nearby`."""
        values = node["config"]
        if values is None or values != self._attended:
            self.config = mind_config_from(values)
            self._attended = values
        self.listeners.nearby = tuple(node["nearby"])

    @game_call(writes=True)
    @in_slices
    def perceive(self, event: Mapping[str, Any]) -> Steps[dict[str, Any]]:
        """Tells the NPC what happened. It changes what the NPC feels, and becomes a memory if it matters.

        `NPCMindConfig.encoding_rules` decide what becomes a memory. Every event counts as an interaction,
        changes the disposition to its source and may change the mood. All of it is written together, and
        survives a crash of the game once this has returned.

        Args:
            event: only `action` or `description` is needed. `action` (such as `"spoke"`, `"attacked"`,
                `"gifted"`, `"helped"`), `content` (what was said), `source_id` and `source_name` (who did
                it), `outcome`, `description` (a sentence for the memory), `location`, `entities` (an Array of
                Strings), `importance` (1 to 10), `health_before` and `health_after` (of the NPC, from 0 to
                1), `timestamp` (game time in seconds). An event may be dated earlier, but not later than the
                clock: then it counts as happening now, with a warning. Its effect on feelings counts from the
                time of the call. `bystanders`, `addressees` and `manner` (by default that of the action, such
                as `"whispered"`) are those of `store_turn()`: bystanders overhear what is said, and see what
                else happens. For those who cannot see it, `sound` says what there is to hear, such as `"glass
                breaks"`; see `RAGMemory.senses`. With `secret` (a bool) nobody hears of it but its source and
                those in `known_to` (ids). Other keys are stored with the memory.

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
        return self.perceive_steps(event)

    def perceive_steps(
        self, event: Mapping[str, Any], on_commit: Callable[[], None] | None = None
    ) -> Steps[dict[str, Any]]:
        """perceive(), in slices where the game is asked for the sentiment. `on_commit` writes in the same
        transaction; when it raises, nothing is written or felt.
        """
        weighed = yield from self.weigh_steps(event)
        memory_id = self.keep(weighed, on_commit)
        encoding = weighed.encoding
        return {
            "memory_id": memory_id,
            "kind": encoding.kind,
            "importance": encoding.importance,
            "sentiment": weighed.sentiment,
            "disposition": self.log.disposition(weighed.event.source_id),
            "emotion": self.log.emotion(),
            "why": encoding.why,
        }

    def weigh_steps(self, event: Mapping[str, Any]) -> Steps[Weighed]:
        """Decide what an event means, the first half of perceive_steps(). Writes nothing.

        Raises:
            InvalidArgumentError: see perceive().
        """
        checked = validate_event(self._records.config, event, self._records.save.now())
        checked = with_ruled_importance(in_words_of_rules(self.config, checked))
        sentiment = yield from self._sentiment_steps(checked.content or checked.description, checked.action)
        encoding = encoding_of(self.config, checked, sentiment)
        people = [checked.source_name] if checked.source_name else []
        checked = self._named(checked)
        now = self._records.save.now()
        # A secret must not become visible as the reason for a feeling.
        reason = _short(
            confided(self._records.config, checked.source_name)
            if checked.extra.get("secret")
            else happening(self._records.config, checked)
        )
        felt = emotion.felt(self.config, checked, sentiment, now, reason)
        mood = "" if felt is None else felt.mood
        draft = draft_of(self._records.config, checked, encoding, sentiment, mood) if encoding.kind else None
        if draft is not None:
            draft.data["participants"] = people
        return Weighed(checked, sentiment, encoding, reason, felt, draft)

    def _named(self, event: Event) -> Event:
        """The event with the name that the game has registered for its source, if it came without a name."""
        id = event.source_id
        name = self._registered_name(id) if id not in ("", PLAYER) and event.source_name == id else ""
        return event._replace(source_name=name) if name else event

    def keep(self, weighed: Weighed, on_commit: Callable[[], None] | None = None) -> str:
        """Write a weighed event, the second half of perceive_steps(): its entry of the log and its memory, if
        it becomes one, in one transaction. It is felt when that is committed. Returns the memory's id.
        """
        event, encoding, draft = weighed.event, weighed.encoding, weighed.draft
        reason = weighed.reason if weighed.sentiment else ""
        entry = self.log.entry(
            EVENT,
            event.source_id,
            event.source_name,
            weighed.sentiment,
            reason,
            weighed.felt,
            self._records.save.now(),
        )._replace(timestamp=event.timestamp, action=event.action, content=event.content)
        written: list[Interaction] = []

        def log(npc: int, records: Sequence[Record] = ()) -> None:
            if on_commit is not None:
                on_commit()
            details = _details(event, encoding, [record.id for record in records])
            written.append(self.log.append(npc, entry._replace(details=details)))

        memory_id = ""
        with self._hearers.together(self._hearers.witnesses(self._records.npc_id, event)):
            if draft is None:
                self._records.writer.write(log)
            else:
                memory_id = self._writer.store("perceive()", draft, on_commit=log)
            self._records.save.when_committed(
                lambda: self._feel(written[0], memory_id, encoding.kind), self.reload
            )
        return memory_id

    def _feel(self, entry: Interaction, memory_id: str, kind: str) -> None:
        self.log.apply(entry)
        if memory_id:
            self._emit("memory_encoded", (memory_id, kind))

    @game_call()
    def get_interactions(self, source_id: str = "", count: int = DEFAULT_COUNT) -> list[dict[str, Any]]:
        """Returns the last interactions, newest first.

        The last `NPCMindConfig.kept_interactions` are stored. Memories and feelings stay when an older
        interaction is removed.

        Args:
            source_id: with whom; empty for all.

        Returns:
            Dictionaries with `timestamp`, `source_id`, `source_name`, `action`, `content`, `sentiment`,
            `memory_id` and `kind` (of its memory, if it became one), `why`, and what else the event told.
        """
        source_id = validate_text("get_interactions()", "source_id", source_id)
        count = validate_count("get_interactions()", "count", count)
        return [_described(entry) for entry in self.log.last(source_id, count)]

    @game_call()
    @in_slices
    def analyze_sentiment(self, content: str, action: str = "") -> Steps[int]:
        """Returns what words and an action would mean to the NPC: below 0 for harm, above 0 for kindness.

        `NPCMindConfig.sentiment_mode` says how. Nothing is stored.

        Args:
            content: what was said to the NPC. Of a very long text, `LEXICON` weighs the first 4,000
                characters.
            action: such as `"spoke"`. One in `NPCMindConfig.action_sentiments` decides alone.
        """
        content = validate_text("analyze_sentiment()", "content", content)
        action = action_in_rules(self.config, validate_text("analyze_sentiment()", "action", action))
        return (yield from self._sentiment_steps(content, action))

    @property
    def asks_for_sentiment(self) -> bool:
        """Return whether perceiving may have to wait for the game's sentiment analyzer."""
        is_asked = self.config.sentiment_mode == SentimentMode.MODEL
        return is_asked and self._records.save.sentiment_analyzer is not None

    def load_steps(self) -> Steps[None]:
        """Load the search index of the NPC's memories in slices."""
        return self._records.index.load_steps()

    def idle_steps(self) -> Steps[None]:
        """Reflect in the background, when NPCMindConfig.auto_reflect asks for it."""
        return self.reflections.idle_steps()

    def reload(self) -> None:
        """Forget what is in memory, because the store has changed without this object."""
        self.log.reload()

    def _sentiment_steps(self, content: str, action: str) -> Steps[int]:
        is_weighed = action.casefold() in self.config.action_sentiments
        analyzer = self._records.save.sentiment_analyzer
        if self.asks_for_sentiment and not is_weighed:
            answer = yield from answered_steps(
                analyzer,
                {"npc_id": self._records.npc_id, "content": content, "action": action},
                self._records.config.summarizer_timeout_seconds,
                read_sentiment,
                "The sentiment analyzer weighed nothing",
                "The words are weighed without it.",
            )
            if answer is not None:
                return round(answer)
        return round(sentiment_of(self.config, content, action))

    def _note_felt(self, is_event: bool) -> None:
        save, npc_id = self._records.save, self._records.npc_id
        if save.on_felt is not None and save.store.owners.owns(npc_id):
            save.on_felt(npc_id, self, is_event)

    def _emit(self, name: str, arguments: tuple[Any, ...]) -> None:
        if self.on_event is not None:
            self.on_event(name, arguments)


def _short(reason: str) -> str:
    return reason if len(reason) <= _LONGEST_REASON else f"{reason[: _LONGEST_REASON - 1].rstrip()}…"


def _details(event: Event, encoding: Encoding, ids: Sequence[str]) -> dict[str, Any]:
    details: dict[str, Any] = {
        "outcome": event.outcome,
        "description": event.description,
        "location": event.location,
        "entities": list(event.entities),
    }
    came_of_it = {"memory_id": ids[0] if ids else "", "kind": encoding.kind, "why": encoding.why}
    return {name: value for name, value in details.items() if value} | event.extra | came_of_it


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
