"""Memories of a player whose part another player has taken over."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.memory.record import Record
from rag_memory.text.whole_words import whole_words
from rag_memory.validation import mapping_in

FORMER_PLAYER = "former_player"
"""The metadata of a memory in which "the player" is somebody who plays no longer: {id, name}."""
_THE_PLAYER = lazy_pattern(r"\bthe player\b", re.IGNORECASE)


def is_of_former_player(record: Record) -> bool:
    """Return whether "the player" of a memory is somebody who plays no longer."""
    return FORMER_PLAYER in record.extra


def names_player(record: Record) -> bool:
    """Return whether a memory tells of the player or has information about the player."""
    return record.is_player_info or _THE_PLAYER.search(record.document_full) is not None


def named(config: MemoryConfig, record: Record, text: str) -> str:
    """Return a text of a memory in which a former player has the name of then."""
    return with_name(config, mapping_in(record.extra), text) if is_of_former_player(record) else text


def with_name(config: MemoryConfig, metadata: Mapping[str, Any], text: str) -> str:
    """Return a text of a memory with this metadata in which a former player has a name."""
    former = metadata.get(FORMER_PLAYER)
    if not isinstance(former, Mapping):
        return text
    name = str(former.get("name", ""))
    text = _THE_PLAYER.sub(lambda _: name, text)
    own = whole_words([config.sentence("the_player")])
    return re.sub(own, lambda _: name, text, flags=re.IGNORECASE)
