"""The search of the nearest vectors."""

from __future__ import annotations

from dataclasses import dataclass

from rag_memory.config.config_field import config_field


@dataclass(frozen=True, kw_only=True)
class Search:
    """From when on DENSE relevance searches an HNSW index, and how thoroughly. HYBRID uses none."""

    exact_search_limit: int = config_field(
        40000,
        group="Search",
        range=(0, 1000000, 1),
        doc="Up to this many memories of one NPC, DENSE relevance compares every memory. Above it an HNSW "
        "index is built and searched. HYBRID relevance always compares every memory and uses none of this "
        "group.",
    )
    hnsw_m: int = config_field(
        24,
        group="Search",
        range=(2, 100, 1),
        doc="Links per memory in the HNSW index. More links find more and need more memory.",
    )
    hnsw_ef_construction: int = config_field(
        200,
        group="Search",
        range=(4, 2000, 1),
        doc="Breadth of the search that places a memory in the HNSW index. Higher is slower to build and "
        "finds more.",
    )
    hnsw_ef_search: int = config_field(
        450,
        group="Search",
        range=(1, 10000, 1),
        doc="Breadth of a search in the HNSW index. Higher is slower and finds more.",
    )
