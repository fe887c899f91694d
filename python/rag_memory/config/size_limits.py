"""Size limits of a memory."""

from __future__ import annotations

from dataclasses import dataclass

from rag_memory.config.config_field import config_field


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class SizeLimits:
    """Most characters of one memory. A longer one is not stored."""

    max_text_chars: int = config_field(
        20000,
        group="Size Limits",
        range=(1000, 1000000, 1),
        hint="suffix:characters",
        doc="Most characters of a memory's text. A longer memory is refused, with an error. A question finds "
        "a text by the meaning of its first 200 words or so, and by every word.",
    )
    max_metadata_chars: int = config_field(
        20000,
        group="Size Limits",
        range=(1000, 1000000, 1),
        hint="suffix:characters",
        doc="Most characters of everything else that is stored with a memory, together and as JSON. A memory "
        "with more is refused, with an error.",
    )
