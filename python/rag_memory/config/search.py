"""Vector search."""

from __future__ import annotations

from dataclasses import dataclass

from rag_memory.config.config_field import config_field


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class Search:
    """The number of memories up to which DENSE relevance compares all of them."""

    exact_search_limit: int = config_field(
        40000,
        group="Search",
        range=(0, 1000000, 1),
        doc="Up to this many memories of one NPC, DENSE relevance compares every memory. Above it an HNSW "
        "index is built and searched. HYBRID relevance always compares every memory.",
    )
