"""hnswlib is compiled for every processor, with functions for newer ones marked as such."""

from __future__ import annotations

import re
import tarfile

import hnswlib as module
import numpy as np

from rag_memory_build import hnswlib, wheels
from rag_memory_build.console import Progress
from rag_memory_build.paths import REQUIREMENTS

_FUNCTION = re.compile(
    r"^(?P<mark>__attribute__[^\n]*\n)?static float\n(?P<name>\w+)\((?P<body>.*?)^}", re.M | re.S
)


def functions_of(header: str) -> dict[str, tuple[str, str]]:
    """Every distance function of a header of the pinned source as it is compiled: its mark and its body."""
    archive = wheels.fetch(REQUIREMENTS / "runtime.txt", Progress("hnswlib"), ["hnswlib"])["hnswlib"]
    with tarfile.open(archive) as source:
        content = source.extractfile(f"hnswlib-{hnswlib.VERSION}/hnswlib/{header}")
        assert content is not None
        text = hnswlib.for_several_processors(content.read().decode())
    return {found["name"]: (found["mark"] or "", found["body"]) for found in _FUNCTION.finditer(text)}


def test_what_needs_a_newer_processor_is_marked_and_nothing_else() -> None:
    for header in ("space_ip.h", "space_l2.h"):
        functions = functions_of(header)
        assert any("_mm512_" in body for _, body in functions.values())
        for name, (mark, body) in functions.items():
            needed = "avx512f" if "_mm512_" in body else "avx" if "_mm256_" in body else ""
            if needed:
                assert f'"{needed}"' in mark, name
            elif "AVX" not in name:
                assert mark == "", name


def test_distances_are_right_for_every_number_of_dimensions() -> None:
    source = np.random.default_rng(1)
    for dimension in (3, 4, 12, 16, 20, 37, 96, 384):
        vectors = source.standard_normal((50, dimension), dtype=np.float32)
        index = module.Index(space="ip", dim=dimension)
        index.init_index(max_elements=50, random_seed=1)
        index.add_items(vectors, np.arange(50))
        index.set_ef(50)
        labels, distances = index.knn_query(vectors[:1], k=10)
        np.testing.assert_allclose(
            distances[0], 1.0 - vectors[labels[0].astype(int)] @ vectors[0], rtol=1e-4, atol=1e-4
        )
