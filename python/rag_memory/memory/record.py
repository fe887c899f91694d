"""One memory as it is kept, and how it is made from what a caller passed to store()."""

from __future__ import annotations

import functools
import hashlib
import logging
from collections.abc import Mapping
from typing import Any, NamedTuple

from rag_memory.config.memory_config import TIER_PINNED, TIER_REGULAR, MemoryConfig
from rag_memory.errors import InvalidArgumentError
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.memory.classification import detect_milestone, detect_tier
from rag_memory.memory.game_time import MOST_DAYS
from rag_memory.memory.kind import validate_kind
from rag_memory.memory.occurrences import OCCURRENCES, times_in
from rag_memory.memory.sizes import refuse_long_text, refuse_much_metadata
from rag_memory.memory.speech import speech_of
from rag_memory.text.short_form import short_form
from rag_memory.text.terms import index_terms
from rag_memory.validation import (
    list_in,
    mapping_in,
    to_json,
    validate_flag,
    validate_integer,
    validate_metadata,
    validate_number,
    validate_number_in,
    validate_text,
    validate_texts,
    warn_of_slips,
    wrong_type,
)

DEFAULT_EVENT_TYPE = "general"
PLAYER_INFO = "player_info"
HEADER_SLOT = "relationship_header"
"""Of the header that is generated anew for every answer, and so never stored."""

_short_form = functools.lru_cache(32)(short_form)
"""What several have heard is shortened once."""
_KNOWN_KEYS = (
    *("event_type", "emotion", "participants", "location", "topics", "interaction_type", "memory_tier"),
    *("is_milestone", "milestone_type", "is_first", "info_type", "slot_type", "timestamp", "entities"),
    *("document_short", "check_names"),
    *("speaker", "analysis", "importance", "kind", "secret", "known_to"),
)
"""The keys of the data of store() that have a meaning."""

MOST_IMPORTANT = 10
"""The highest importance."""

_LOG = logging.getLogger("rag_memory")
_SPEAKER = lazy_pattern(
    r"^([^\W\d_][\w'’-]*(?: [^\W\d_][\w'’-]*){0,2}) (?:said|says|asked|asks|told|replied|answered)\b"
)


_METADATA = (
    *("event_type", "milestone_type", "emotion", "info_type", "slot_type", "location", "interaction_type"),
    *("participants", "topics", "entities", "extra"),
)
"""The parts of `metadata()` that are the caller's own texts."""


class Record(NamedTuple):
    """A row of the table `memories`. Lists and free metadata are JSON here; `metadata()` decodes them."""

    key: int
    id: str
    document_full: str
    document_short: str
    event_type: str
    importance: int
    timestamp: float
    memory_tier: int
    is_milestone: int
    milestone_type: str
    emotion: str
    info_type: str
    slot_type: str
    location: str
    interaction_type: str
    participants: str
    topics: str
    entities: str
    superseded_by: str
    superseded_at: float
    extra: str
    speaker: str
    stored_at: float = 0.0
    repeat_count: int = 1
    first_timestamp: float = 0.0
    kind: str = ""
    last_accessed: float = 0.0
    exchange_id: str = ""
    """The exchange that the memory comes from; "" for none."""

    @property
    def is_player_info(self) -> bool:
        """True for information about the player, which a newer value replaces."""
        return self.event_type == PLAYER_INFO and self.info_type != ""

    @property
    def metadata_chars(self) -> int:
        """The number of characters of the stored metadata, with lists and free metadata as JSON."""
        return sum(len(getattr(self, name)) for name in _METADATA)

    def metadata(self, npc_id: str) -> dict[str, Any]:
        """Everything known about the memory besides its texts; the caller's own keys last."""
        metadata = _plain_metadata(self, npc_id).copy()
        metadata["participants"] = _decoded_list(self.participants)
        metadata["topics"] = _decoded_list(self.topics)
        metadata["entities"] = _decoded_list(self.entities)
        if self.extra != "{}":
            metadata.update(mapping_in(self.extra))
        if self.repeat_count > 1 and (times := times_in(self.extra)):
            metadata[OCCURRENCES] = {"count": self.repeat_count, "times": times}
        return metadata

    def index_terms(self) -> list[str]:
        """The kinds and terms under which the keyword channel finds the memory."""
        return index_terms(
            self.document_full, self.speaker, self.participants, self.entities, self.topics, self.location
        )

    def derived(self, npc: int) -> tuple[str, int]:
        """The columns `keywords` and `digest`: what the keyword index holds, and what finds a repetition.
        Nothing finds what was kept without its text.
        """
        if not self.document_full:
            return "", 0
        prefix = str(npc)
        keywords = " ".join(prefix + term for term in self.index_terms())
        return keywords, digest_of(self.event_type, self.document_full)


def digest_of(event_type: str, text: str) -> int:
    """A number that memories of the same event type and text share, and others hardly ever."""
    digest = hashlib.blake2b(f"{event_type}\0{text}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def new_record(
    call: str,
    npc_id: str,
    config: MemoryConfig,
    now: float,
    text: Any,
    importance: Any,
    data: Any,
    stored_data: Mapping[str, Any] | None = None,
) -> Record:
    """A record, still without key and id, from the arguments of store().

    Args:
        call: the call, for error messages, for example "store()".
        stored_data: what a change leaves as it was; `data` comes before it.

    Raises:
        InvalidArgumentError: the text is empty, a value has the wrong type or cannot be kept, or the config
            allows less.
    """
    text = validate_text(call, "text", text)
    refuse_long_text(call, "text", config, text)
    if not text.strip():
        raise InvalidArgumentError(f"{call}: text is empty", "there is nothing to remember", "Pass a text")
    importance = validate_importance(call, importance)
    fields = _Fields(call, data, stored_data or {})
    fields.refuse_owned(npc_id, text, importance)
    event_type = fields.text("event_type") or DEFAULT_EVENT_TYPE
    interaction_type = fields.interaction_type(config)
    milestone_type = fields.text("milestone_type")
    milestone = detect_milestone(
        config,
        event_type,
        fields.flag("is_milestone"),
        milestone_type,
        bool(fields.flag("is_first", keep=True)),
        text,
    )
    tier = fields.integer("memory_tier", TIER_PINNED, TIER_REGULAR)
    if tier is None:
        tier = detect_tier(config, milestone, event_type, interaction_type, importance)
    participants, topics, entities = (
        fields.texts("participants"),
        fields.texts("topics"),
        fields.texts("entities"),
    )
    short = fields.text("document_short")
    refuse_long_text(call, "document_short", config, short)
    if not short.strip():
        short = _short_form(
            text,
            config.short_summary_target_length,
            config.short_summary_max_length,
            (*participants, *entities),
            speech_of(config),
            config.own_words(),
        )
    timestamp = fields.number("timestamp")
    slot_type = fields.text("slot_type")
    if slot_type == HEADER_SLOT:
        raise InvalidArgumentError(
            f"{call}: slot_type is {HEADER_SLOT!r}",
            "the relationship header is made anew for every answer",
            "Set what it says with set_relationship_state() or store_relationship(), or use another slot",
        )
    record = Record(
        key=0,
        id="",
        document_full=text,
        document_short=short,
        event_type=event_type,
        importance=importance,
        timestamp=now if timestamp is None else timestamp,
        memory_tier=tier,
        is_milestone=int(milestone.is_milestone),
        milestone_type=milestone.type,
        emotion=fields.text("emotion"),
        info_type=fields.text("info_type"),
        slot_type=slot_type,
        location=fields.text("location"),
        interaction_type=interaction_type,
        participants=to_json(participants),
        topics=to_json(topics),
        entities=to_json(entities),
        superseded_by="",
        superseded_at=0.0,
        extra="{}",
        speaker="",
        stored_at=now,
        first_timestamp=now if timestamp is None else timestamp,
        kind=fields.kind(),
        last_accessed=now if timestamp is None else timestamp,
    )
    extra = fields.rest()
    record = record._replace(extra=to_json(extra), speaker=_speaker(text, extra))
    refuse_much_metadata(call, config, record.metadata_chars)
    return record


def speaker_of(text: str) -> str:
    """The name before "said", "asked" and the like at the beginning of a text, or ""."""
    match = _SPEAKER.match(text[:200])
    return match.group(1) if match and match.group(1)[0].isupper() else ""


class _Fields:
    """The data dictionary of a store() call; keys are taken out one by one, the rest is free metadata."""

    def __init__(self, call: str, data: Any, stored_data: Mapping[str, Any]) -> None:
        if data is None:
            data = {}
        if not isinstance(data, Mapping):
            raise wrong_type(call, "data", data, "a Dictionary")
        self._call = call
        self._data = data
        self._left = {**stored_data, **data}

    def text(self, name: str) -> str:
        return validate_text(self._call, name, self._left.pop(name)) if name in self._left else ""

    def texts(self, name: str) -> list[str]:
        return validate_texts(self._call, name, self._left.pop(name)) if name in self._left else []

    def flag(self, name: str, keep: bool = False) -> bool | None:
        if name not in self._left:
            return None
        value = self._left[name] if keep else self._left.pop(name)
        return validate_flag(self._call, name, value)

    def integer(self, name: str, least: int, most: int) -> int | None:
        if name not in self._left:
            return None
        value = validate_integer(self._call, name, self._left.pop(name))
        if not least <= value <= most:
            raise InvalidArgumentError(
                f"{self._call}: {name} is {value}",
                f"it has to be {least} to {most}",
                "Correct it or leave it out",
            )
        return value

    def number(self, name: str) -> float | None:
        return validate_number(self._call, name, self._left.pop(name)) if name in self._left else None

    def kind(self) -> str:
        return validate_kind(self._call, self.text("kind"))

    def interaction_type(self, config: MemoryConfig) -> str:
        """Return the caller's type, else that of the response's analysis. Only valid types are accepted."""
        said = self.text("interaction_type")
        analysis = self._left.get("analysis", {})
        if not said and isinstance(analysis, Mapping) and analysis.get("interaction_type"):
            said = validate_text(self._call, "analysis.interaction_type", analysis["interaction_type"])
        return config.validate_interaction_type(said) if said else ""

    def refuse_owned(self, npc_id: str, text: str, importance: int) -> None:
        """Refuse keys that the memory system sets itself, unless they say what it would set anyway."""
        owned: dict[str, tuple[Any, ...]] = {
            "id": ("",),
            "npc_id": ("", npc_id),
            "text": (text,),
            "document": (text,),
            "document_full": (text,),
            "importance": (importance,),
            "superseded_by": ("",),
            "superseded_at": (0,),
            "repeat_count": (1,),
            OCCURRENCES: (),
            "first_timestamp": (self._left.get("timestamp"),),
            "last_accessed": (self._left.get("timestamp"),),
        }
        for name, harmless in owned.items():
            if name in self._left and self._left.pop(name) not in harmless:
                raise InvalidArgumentError(
                    f"{self._call}: data has the key {name!r}",
                    "the memory system sets it itself",
                    "Leave it out of data, or use another name for your own value",
                )

    def rest(self) -> dict[str, Any]:
        metadata: dict[str, Any] = validate_metadata(self._call, "data", self._left)
        for fields in (metadata, metadata.get("fact")):
            if isinstance(fields, Mapping) and isinstance(fields.get("due_day"), int | float):
                validate_number_in(self._call, "due_day", fields["due_day"], -MOST_DAYS, MOST_DAYS)
        warn_of_slips(self._call, "data", self._data, _KNOWN_KEYS)
        return metadata


def validate_importance(call: str, value: Any) -> int:
    """The value as an importance, clamped to 1 to 10 with a warning."""
    importance = validate_integer(call, "importance", value)
    clamped = max(1, min(MOST_IMPORTANT, importance))
    if clamped != importance:
        _LOG.warning("%s: importance %d is outside 1 to 10, so %d is stored", call, importance, clamped)
    return clamped


def _speaker(text: str, extra: Mapping[str, Any]) -> str:
    named = extra.get("speaker", "")
    return named if isinstance(named, str) and named else speaker_of(text)


@functools.lru_cache(2048)
def _plain_metadata(record: Record, npc_id: str) -> dict[str, Any]:
    """To be copied: that takes a twentieth of the time of making it, and the same few memories come often."""
    return {
        "event_type": record.event_type,
        "importance": record.importance,
        "timestamp": record.timestamp,
        "npc_id": npc_id,
        "memory_tier": record.memory_tier,
        "is_milestone": bool(record.is_milestone),
        "milestone_type": record.milestone_type,
        "emotion": record.emotion,
        "info_type": record.info_type,
        "slot_type": record.slot_type,
        "participants": [],
        "location": record.location,
        "topics": [],
        "interaction_type": record.interaction_type,
        "entities": [],
        "superseded_by": record.superseded_by,
        "superseded_at": record.superseded_at,
        "repeat_count": record.repeat_count,
        "first_timestamp": record.first_timestamp,
        "kind": record.kind,
        "last_accessed": record.last_accessed,
    }


def _decoded_list(text: str) -> list[str]:
    return [] if text == "[]" else list(_decoded_items(text))


@functools.lru_cache(4096)
def _decoded_items(text: str) -> tuple[str, ...]:
    """Return the decoded items. The same few participants and topics occur again and again."""
    return tuple(map(str, list_in(text)))
