"""Graph files that somebody changed with intent, checksum and all: none of them reaches hnswlib."""

from __future__ import annotations

from pathlib import Path

import hnswlib
import numpy as np
import pytest

from rag_memory.index.graph_structure import is_sound

DIMENSION, M, COUNT = 8, 4, 500
HEADER = 96
ELEMENT = 4 + 8 * M + 4 * DIMENSION + 8
ABOVE = HEADER + COUNT * ELEMENT


def saved(path: Path, count: int = COUNT, capacity: int = 1024) -> bytes:
    graph = hnswlib.Index(space="ip", dim=DIMENSION)
    graph.init_index(max_elements=capacity, M=M, ef_construction=50, random_seed=1)
    vectors = np.random.default_rng(1).normal(size=(count, DIMENSION)).astype(np.float32)
    graph.add_items(vectors, range(7, 7 + count), num_threads=1)
    for key in range(7, 7 + count, 9):
        graph.mark_deleted(key)
    graph.save_index(str(path))
    return path.read_bytes()


@pytest.mark.parametrize("count", [1, 2, 30, COUNT])
def test_what_hnswlib_wrote_is_sound(tmp_path: Path, count: int) -> None:
    saved(tmp_path / "g", count)
    assert is_sound(tmp_path / "g", DIMENSION, M)


def test_one_that_grew_is_sound(tmp_path: Path) -> None:
    path = tmp_path / "g"
    saved(path)
    graph = hnswlib.Index(space="ip", dim=DIMENSION)
    graph.load_index(str(path), max_elements=2048)
    graph.add_items(np.eye(DIMENSION, dtype=np.float32), range(5000, 5000 + DIMENSION), num_threads=1)
    graph.save_index(str(path))
    assert is_sound(path, DIMENSION, M)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (8, (1 << 40).to_bytes(8, "little")),
        (16, (1 << 40).to_bytes(8, "little")),
        (24, (1 << 20).to_bytes(8, "little")),
        (40, (1 << 20).to_bytes(8, "little")),
        (48, (5000).to_bytes(4, "little")),
        (52, (COUNT).to_bytes(4, "little")),
        (64, (1 << 20).to_bytes(8, "little")),
        (HEADER, (2 * M + 1).to_bytes(2, "little")),
        (HEADER + 4, (COUNT).to_bytes(4, "little")),
        (HEADER + 9 * ELEMENT + 4, b"\xff\xff\xff\xff"),
        (HEADER + ELEMENT - 8, b"\xff" * 8),
        (HEADER + ELEMENT - 8, (8).to_bytes(8, "little")),
        (ABOVE, (1 << 30).to_bytes(4, "little")),
        (ABOVE, (3).to_bytes(4, "little")),
    ],
)
def test_a_number_out_of_bounds_is_found(tmp_path: Path, place: int, value: bytes) -> None:
    content = bytearray(saved(tmp_path / "g"))
    content[place : place + len(value)] = value
    (tmp_path / "g").write_bytes(content)
    assert not is_sound(tmp_path / "g", DIMENSION, M)


def test_a_link_to_a_vector_that_is_not_so_high_is_found(tmp_path: Path) -> None:
    content = bytearray(saved(tmp_path / "g"))
    words = np.frombuffer(content, dtype="<u4", offset=ABOVE).copy()
    first = int(np.flatnonzero(words)[0])
    low = next(number for number in range(first + 1, COUNT) if number != first)
    levels_start = ABOVE + 4 * (first + 2)
    content[levels_start : levels_start + 4] = low.to_bytes(4, "little")
    (tmp_path / "g").write_bytes(content)
    assert not is_sound(tmp_path / "g", DIMENSION, M)


@pytest.mark.parametrize("length", [50, HEADER, ABOVE, -1, -4])
def test_one_that_is_cut_is_found(tmp_path: Path, length: int) -> None:
    content = saved(tmp_path / "g")
    (tmp_path / "g").write_bytes(content[:length])
    assert not is_sound(tmp_path / "g", DIMENSION, M)
