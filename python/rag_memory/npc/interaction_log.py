"""The log of one NPC's interactions, and the feelings that follow from it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from rag_memory.config.mind_config import NPCMindConfig
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.interaction import EVENT, NO_EMOTION, Emotion, Interaction
from rag_memory.mind import emotion
from rag_memory.mind.disposition import (
    STRANGER,
    Disposition,
    changed,
    disposition_of,
    feeling_of,
    stranger,
)
from rag_memory.mind.emotion import intensity_at
from rag_memory.searchable.record_changes import EventFunction
from rag_memory.searchable.records import OwnedRecords
from rag_memory.storage.sql.interactions import NEWEST, newest_events, newest_of_source
from rag_memory.validation import wrong_type

DispositionFunction = Callable[[str, float], None]
"""Called with the character to whom a disposition has changed, and by how much."""


class _Feelings(NamedTuple):
    """The dispositions after the last entry of the log, and the emotion."""

    dispositions: dict[str, Disposition]
    emotion: Emotion


class InteractionLog:
    """The log of what happened to one NPC, with its feelings after every entry.

    Every entry is written when it happens. The dispositions and the emotion are cached.
    `on_felt` is called when something has changed, with whether that was an event.
    """

    def __init__(self, records: OwnedRecords, emit: EventFunction, on_felt: Callable[[bool], None]) -> None:
        self.on_disposition: DispositionFunction | None = None
        self.is_used = False
        """True once the game has used the NPC's mind."""
        self._records = records
        self._emit = emit
        self._on_felt = on_felt
        self._config = NPCMindConfig()
        self._loaded: _Feelings | None = None

    @property
    def config(self) -> NPCMindConfig:
        """The settings of the mind. A config with a value out of range raises ConfigError."""
        return self._config

    @config.setter
    def config(self, config: NPCMindConfig) -> None:
        if config == self._config:
            return
        if not isinstance(config, NPCMindConfig):
            raise wrong_type("config", "config", config, "an NPCMindConfig")
        self._config = config.validated()

    @property
    def moved_at(self) -> float | None:
        """The game time of the last change of feelings; None while none are cached."""
        if self._loaded is None:
            return None
        dispositions = self._loaded.dispositions.values()
        return max(self._loaded.emotion.since, *(disposition.at for disposition in dispositions), 0.0)

    def reload(self) -> None:
        """Forget what is cached, because the store has changed without this object."""
        self._loaded = None
        self._records.forget_first_meeting()
        self._on_felt(False)

    @property
    def feelings(self) -> _Feelings:
        """The current feelings, loaded when they are first needed."""
        self.is_used = True
        if self._loaded is None:
            npc, interactions = self._records.npc, self._records.store.interactions
            newest = None if npc is None else interactions.first(npc, NEWEST)
            entries = [] if npc is None else interactions.newest_of_sources(npc)
            self._loaded = _Feelings(
                {entry.source_id: disposition_of(entry) for entry in entries},
                NO_EMOTION if newest is None else newest.emotion,
            )
        return self._loaded

    def entry(
        self,
        kind: str,
        source_id: str,
        source_name: str,
        delta: float,
        reason: str,
        emotion: Emotion | None,
        now: float,
    ) -> Interaction:
        """Make an entry that changes a disposition, unless `source_id` is "", and the emotion, unless it is
        None.
        """
        before = self.feelings.dispositions.get(source_id)
        strength = STRANGER if before is None else before.strength_at(self._config, now)
        if before is not None and not delta and not reason:
            reason = before.reason
        name = source_name if source_name != source_id or before is None else before.name
        return Interaction(
            0,
            kind,
            now,
            now,
            source_id,
            name,
            "",
            "",
            {},
            delta,
            changed(strength, delta) if source_id else 0.0,
            reason,
            now if before is None else before.known_since,
            self.feelings.emotion if emotion is None else emotion,
        )

    def append(self, npc: int, entry: Interaction) -> Interaction:
        """Write an entry inside a transaction, and return it with its key."""
        store = self._records.store
        key = store.interactions.add(npc, entry)
        store.interactions.prune(npc, self._config.kept_interactions)
        return entry._replace(key=key)

    def apply(self, entry: Interaction) -> None:
        """Bring the feelings up to date with a written entry, and emit what has changed."""
        feelings = self.feelings
        before = feelings.dispositions.get(entry.source_id)
        if entry.kind == EVENT and entry.source_id == PLAYER:
            self._records.note_meeting(entry.happened_at)
        if entry.source_id:
            feelings.dispositions[entry.source_id] = disposition_of(entry)
            was = STRANGER if before is None else before.strength_at(self._config, entry.stored_at)
            if entry.strength != was:
                feeling = feeling_of(self._config, entry.strength)
                self._emit("disposition_changed", (entry.source_id, feeling, entry.strength))
                if self.on_disposition is not None:
                    tell = partial(self.on_disposition, entry.source_id, entry.strength - was)
                    self._records.save.afterwards(tell)
        if entry.emotion != feelings.emotion:
            self._loaded = feelings._replace(emotion=entry.emotion)
            intensity = intensity_at(self._config, entry.emotion, entry.stored_at)
            self._emit("emotion_changed", (entry.emotion.mood, intensity))
        self._on_felt(entry.kind == EVENT)

    def write(self, entry: Interaction) -> None:
        """Write an entry in a transaction of its own and apply it."""
        written: list[Interaction] = []
        self._records.writer.write(lambda npc: written.append(self.append(npc, entry)))
        self.apply(written[0])

    def last(self, source_id: str, count: int) -> list[Interaction]:
        """The last interactions with somebody, or with all for "", newest first."""
        self.is_used = True
        if self._records.npc is None:
            return []
        return self._records.store.interactions.find(self._records.npc, newest_events(count, source_id))

    def changes(self, source_id: str, count: int) -> list[Interaction]:
        """The last events with somebody and changes of the disposition by the game, newest first."""
        if self._records.npc is None:
            return []
        return self._records.store.interactions.find(self._records.npc, newest_of_source(source_id, count))

    def disposition(self, character_id: str) -> dict[str, Any]:
        """Describe what the NPC feels towards somebody, or towards a stranger."""
        disposition = self.feelings.dispositions.get(character_id)
        if disposition is None:
            return stranger(character_id)
        return disposition.described(self._config, self._records.save.now())

    def emotion(self) -> dict[str, Any]:
        """Describe the current emotion."""
        return emotion.described(self._config, self.feelings.emotion, self._records.save.now())
