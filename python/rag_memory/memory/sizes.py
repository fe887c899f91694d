"""Size limits of memories. Longer ones are refused, because a cut text would be another memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.errors import InvalidArgumentError


def refuse_long_text(call: str, name: str, config: MemoryConfig, text: Any) -> None:
    """Raise an InvalidArgumentError for a text of more than `max_text_chars`."""
    if isinstance(text, str) and len(text) > config.max_text_chars:
        raise InvalidArgumentError(
            f"{call}: {name} has {len(text)} characters, and nothing was stored",
            f"MemoryConfig.max_text_chars allows {config.max_text_chars}",
            "Shorten it, tell it in several memories, or raise max_text_chars",
        )


def refuse_long_texts(call: str, config: MemoryConfig, texts: Mapping[str, str]) -> None:
    """refuse_long_text() for texts by their names."""
    for name, text in texts.items():
        refuse_long_text(call, name, config, text)


def refuse_much_metadata(call: str, config: MemoryConfig, chars: int) -> None:
    """Raise an InvalidArgumentError for metadata of more than `max_metadata_chars`."""
    if chars > config.max_metadata_chars:
        raise InvalidArgumentError(
            f"{call}: the metadata has {chars} characters, and nothing was stored",
            f"MemoryConfig.max_metadata_chars allows {config.max_metadata_chars}",
            "Keep what is long in the game's own data and an id of it in the metadata, or raise "
            "max_metadata_chars",
        )
