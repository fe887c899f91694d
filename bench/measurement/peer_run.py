"""Builds every store of peer_stores.py and asks all of them the same questions in turn, in one process.

Usage: python -m measurement.peer_run VECTORS.npz COUNT K LEAST_IMPORTANCE OUTPUT.json
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from . import machine
from .peer_stores import Peer, all_peers

_WARM_UP = 3
_PACKAGES = ("chromadb", "lancedb", "sqlite-vec", "qdrant-client", "faiss-cpu", "numpy")


def main() -> None:
    """Measure and write the result."""
    given, count, k, least, output = sys.argv[1:]
    data = np.load(given)
    vectors, questions = data["vectors"][: int(count)], data["questions"]
    importances = data["importances"][: int(count)].tolist()
    with tempfile.TemporaryDirectory(prefix="rag_memory_peers_") as folder:
        peers = all_peers(questions)
        built = {}
        for peer in peers:
            print(f"{len(vectors):,} vectors: building {peer.name}", flush=True)
            built[peer.name] = _built(peer, Path(folder), vectors, importances)
        asked = _asked(peers, questions, int(k), int(least))
    exact = asked["numpy"]["answers"]
    results = []
    for peer in peers:
        answers = asked[peer.name]["answers"]
        hits = sum(len({*one} & {*other}) for one, other in zip(answers, exact, strict=True))
        results.append(
            {
                "name": peer.name,
                "is_persistent": peer.is_persistent,
                "usec": asked[peer.name]["usec"],
                "recall": hits / sum(map(len, exact)),
                **built[peer.name],
            }
        )
    versions = {name: importlib.metadata.version(name) for name in _PACKAGES}
    Path(output).write_text(json.dumps({"results": results, "versions": versions}), encoding="utf-8")


def _built(peer: Peer, folder: Path, vectors: Any, importances: list[int]) -> dict[str, float]:
    place = folder / peer.name.replace(" ", "_")
    place.mkdir()
    before, started = machine.resident_megabytes(), time.perf_counter()
    peer.build(place, vectors, importances)
    seconds = time.perf_counter() - started
    return {
        "seconds": seconds,
        "megabytes": machine.resident_megabytes() - before,
        "disk_megabytes": sum(file.stat().st_size for file in place.rglob("*") if file.is_file()) / 1e6,
    }


def _asked(peers: list[Peer], questions: Any, k: int, least: int) -> dict[str, dict[str, Any]]:
    """Ask all peers a question before the next one, so that they run under the same conditions."""
    asked: dict[str, dict[str, Any]] = {peer.name: {"usec": [], "answers": []} for peer in peers}
    for number in range(-_WARM_UP, len(questions)):
        if number % 20 == 0:
            print(f"{number} of {len(questions)} questions", flush=True)
        for peer in peers:
            question = questions[max(0, number)]
            started = time.perf_counter()
            answer = peer.search(max(0, number), question, k, least)
            usec = 1e6 * (time.perf_counter() - started)
            if number >= 0:
                asked[peer.name]["usec"].append(usec)
                asked[peer.name]["answers"].append(answer)
    return asked


if __name__ == "__main__":
    main()
