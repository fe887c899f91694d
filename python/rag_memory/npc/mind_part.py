"""What every part of an NPC's mind works on: what she feels, and the log of what happened to her."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, Protocol

from rag_memory.config.mind_config import NPCMindConfig
from rag_memory.memory.conflicts import ConflictRule
from rag_memory.memory.event_templates import MemoryDraft
from rag_memory.memory.interaction import EVENT, NO_EMOTION, Emotion, Interaction
from rag_memory.mind.disposition import STRANGER, Disposition, changed, disposition_of, feeling_of
from rag_memory.mind.emotion import intensity_at
from rag_memory.searchable.record_writer import AlsoFunction, EventFunction
from rag_memory.searchable.records import NpcRecords
from rag_memory.searchable.save_context import SaveContext
from rag_memory.validation import wrong_type

DispositionFunction = Callable[[str, float], None]
"""Told to whom a disposition has changed, and by how much."""


class RememberFunction(Protocol):
    """Stores a memory of the NPC, and what `also` writes with it; its id."""

    def __call__(
        self,
        where: str,
        told: MemoryDraft,
        rule: ConflictRule | None = None,
        also: AlsoFunction | None = None,
    ) -> str: ...


class _Feelings(NamedTuple):
    """What is loaded of the log: dispositions, the last interactions (oldest first), and the emotion."""

    dispositions: dict[str, Disposition]
    hot: deque[Interaction]
    emotion: Emotion


class MindPart:
    """The state that the parts of one NPC's mind share.

    Everything is written when it happens; what is in memory is a copy of the newest entries.
    """

    def __init__(
        self,
        save: SaveContext,
        records: NpcRecords,
        remember: RememberFunction,
        relevant: Callable[[str, Mapping[str, Any]], list[dict[str, Any]]],
    ) -> None:
        self.on_event: EventFunction | None = None
        self.on_disposition: DispositionFunction | None = None
        self.nearby: tuple[str, ...] = ()
        """The NPCs who are near, by id or name."""
        self.nearby_on_bus: tuple[str, ...] = ()
        """The same, as the zone has told."""
        self._save = save
        self._records = records
        self._remember = remember
        self._relevant = relevant
        self._config = NPCMindConfig()
        self._loaded: _Feelings | None = None
        self._is_used = False
        self._may_reflect = False

    def note_memories(self) -> None:
        """Memories were added: there may be something to reflect upon, if the game uses this mind at all."""
        self._may_reflect = self._is_used

    @property
    def config(self) -> NPCMindConfig:
        """How events are weighed. A config with a value out of range raises ConfigError."""
        return self._config

    @config.setter
    def config(self, config: NPCMindConfig) -> None:
        if config == self._config:
            return
        if not isinstance(config, NPCMindConfig):
            raise wrong_type("config", "config", config, "an NPCMindConfig")
        validated = config.validated()
        if validated.hot_interactions != self._config.hot_interactions:
            self._loaded = None
        self._config = validated

    @property
    def moved_at(self) -> float | None:
        """When something happened to her last, in game time; None while nothing of her mind is in memory."""
        if self._loaded is None:
            return None
        return max(self._loaded.emotion.since, *(each.at for each in self._loaded.dispositions.values()), 0.0)

    def reload(self) -> None:
        """Forgets what is in memory, because the store has changed without this object."""
        self._loaded = None
        self._tell_felt(False)

    def _now(self) -> float:
        return self._save.now()

    @property
    def _feelings(self) -> _Feelings:
        self._is_used = True
        if self._loaded is None:
            records = self._records
            hot: deque[Interaction] = deque(maxlen=self._config.hot_interactions)
            if records.npc is None:
                self._loaded = _Feelings({}, hot, NO_EMOTION)
            else:
                store, npc = records.store, records.npc
                interactions = store.interactions.newest(npc, "", self._config.hot_interactions)
                hot.extend(_lean(each) for each in reversed(interactions))
                entries = store.interactions.newest_of_sources(npc)
                newest = store.interactions.last(npc)
                self._loaded = _Feelings(
                    {each.source_id: disposition_of(each) for each in entries},
                    hot,
                    NO_EMOTION if newest is None else newest.emotion,
                )
        return self._loaded

    def _entry(
        self,
        kind: str,
        source_id: str,
        source_name: str,
        delta: float,
        reason: str,
        emotion: Emotion | None,
        now: float,
    ) -> Interaction:
        """An entry of the log that changes a disposition, unless `source_id` is "", and the emotion, unless
        it is None.
        """
        known = self._feelings.dispositions.get(source_id)
        strength = STRANGER if known is None else known.strength_at(self._config, now)
        if known is not None and not delta and not reason:
            reason = known.reason
        name = source_name if source_name != source_id or known is None else known.name
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
            now if known is None else known.known_since,
            self._feelings.emotion if emotion is None else emotion,
        )

    def _log(self, npc: int, entry: Interaction) -> Interaction:
        """Write an entry, inside a transaction; it with its key."""
        store = self._records.store
        key = store.interactions.add(npc, entry)
        store.interactions.prune(npc, self._config.kept_interactions)
        return entry._replace(key=key)

    def _take_in(self, entry: Interaction) -> None:
        """Feel what a written entry says, and tell what has changed."""
        feelings = self._feelings
        before = feelings.dispositions.get(entry.source_id)
        if entry.kind == EVENT:
            feelings.hot.append(_lean(entry))
        if entry.source_id:
            feelings.dispositions[entry.source_id] = disposition_of(entry)
            was = STRANGER if before is None else before.strength_at(self._config, entry.stored_at)
            if entry.strength != was:
                feeling = feeling_of(self._config, entry.strength)
                self._emit("disposition_changed", (entry.source_id, feeling, entry.strength))
                if self.on_disposition is not None:
                    tell = partial(self.on_disposition, entry.source_id, entry.strength - was)
                    self._save.afterwards(tell)
        if entry.emotion != feelings.emotion:
            self._loaded = feelings._replace(emotion=entry.emotion)
            intensity = intensity_at(self._config, entry.emotion, entry.stored_at)
            self._emit("emotion_changed", (entry.emotion.mood, intensity))
        self._tell_felt(entry.kind == EVENT)

    def _tell_felt(self, is_event: bool) -> None:
        if self._save.on_felt is not None and self._save.store.owns(self._records.npc_id):
            self._save.on_felt(self._records.npc_id, self, is_event)

    def _write(self, entry: Interaction) -> None:
        """Write an entry of its own and take it in."""
        written: list[Interaction] = []
        self._records.writer.write(lambda npc: written.append(self._log(npc, entry)))
        self._take_in(written[0])

    def _emit(self, name: str, arguments: tuple[Any, ...]) -> None:
        if self.on_event is not None:
            self.on_event(name, arguments)


def _lean(entry: Interaction) -> Interaction:
    """An entry as it stays in memory: what is the same in many of them is there once."""
    details = {
        key: sys.intern(text) if isinstance(text, str) else text for key, text in entry.details.items()
    }
    return entry._replace(
        kind=sys.intern(entry.kind),
        source_id=sys.intern(entry.source_id),
        source_name=sys.intern(entry.source_name),
        action=sys.intern(entry.action),
        details=details,
        reason="",
        emotion=NO_EMOTION,
    )
