"""Verification of HNSW graph files. hnswlib follows every link and label without checking it.

A checksum shows what has changed by accident; whoever changes a file with intent writes another checksum.
The layout is that of saveIndex() in hnswlib's hnswalg.h.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

_HEADER = np.dtype(
    [
        *((name, "<u8") for name in ("level0_offset", "capacity", "count")),
        *((name, "<u8") for name in ("element_bytes", "label_offset", "vector_offset")),
        *(("top_level", "<i4"), ("entry", "<u4")),
        *((name, "<u8") for name in ("m_above", "m_level0", "m")),
        *(("level_factor", "<f8"), ("ef_construction", "<u8")),
    ]
)
_SPARE_CAPACITY = 4096
_HIGHEST_LEVEL = 64
_HIGHEST_LABEL = 1 << 62


def is_sound(file: Path, dimension: int, m: int) -> bool:
    """Return True if every count, link and label of the graph is valid.

    Args:
        dimension: numbers per vector.
        m: links per vector.

    Raises:
        OSError: the file cannot be read.
    """
    # As text: of a Path it asks the system for its last name, which Windows may refuse for a long one.
    content = np.memmap(str(file), dtype=np.uint8, mode="r")
    if len(content) < _HEADER.itemsize:
        return False
    head = content[: _HEADER.itemsize].view(_HEADER)[0]
    element = np.dtype(
        [
            *(("links", "<u2"), ("mark", "<u2"), ("to", "<u4", (2 * m,))),
            *(("vector", "<f4", (dimension,)), ("label", "<u8")),
        ]
    )
    count, label_offset = int(head["count"]), element.fields["label"][1] if element.fields else 0
    end = _HEADER.itemsize + count * element.itemsize
    is_as_expected = (
        (head["m"], head["m_above"], head["m_level0"]) == (m, m, 2 * m)
        and (head["level0_offset"], head["vector_offset"]) == (0, 4 + 8 * m)
        and (head["element_bytes"], head["label_offset"]) == (element.itemsize, label_offset)
        and 0 < count <= head["capacity"] <= 2 * count + _SPARE_CAPACITY
        and 0 < head["level_factor"] <= 2
        and head["ef_construction"] <= 1 << 20
    )
    if not is_as_expected or end > len(content) or (len(content) - end) % 4:
        return False
    elements = content[_HEADER.itemsize : end].view(element)
    if not _are_inside(elements["links"], elements["to"], count):
        return False
    if elements["label"].max() > _HIGHEST_LABEL or len(np.unique(elements["label"])) != count:
        return False
    return _is_sound_above(content[end:].view("<u4"), count, m, head)


def _are_inside(links: Any, to: Any, count: int) -> bool:
    """Return True if no vector has more links than there is room for, and all of them lead to vectors."""
    most = to.shape[1]
    are_used = np.arange(most) < links[:, None]
    return bool(links.max() <= most and to[are_used].max(initial=0) < count)


def _is_sound_above(lists: Any, count: int, m: int, head: Any) -> bool:
    """Return True if the levels above the lowest are valid, too. A link may only lead to a vector on its
    level.
    """
    levels = np.zeros(count, dtype=np.int64)
    filled = np.flatnonzero(lists)
    row_size = 1 + m
    upper_rows: list[tuple[int, Any]] = []
    place = vector = 0
    while (following := int(np.searchsorted(filled, place))) < len(filled):
        start = int(filled[following])
        vector += start - place
        size = int(lists[start]) // 4
        place = start + 1 + size
        level = size // row_size
        if lists[start] % (4 * row_size) or level > _HIGHEST_LEVEL or vector >= count or place > len(lists):
            return False
        levels[vector] = level
        upper_rows.append((vector, lists[start + 1 : place].reshape(level, row_size)))
        vector += 1
    if vector + len(lists) - place != count or head["entry"] >= count:
        return False
    if not levels.max() == levels[head["entry"]] == head["top_level"]:
        return False
    for _, rows in upper_rows:
        for level, row in enumerate(rows, 1):
            links = int(row[0]) & 0xFFFF
            to = row[1 : 1 + links]
            if links > m or (links and (to.max() >= count or levels[to].min() < level)):
                return False
    return True
