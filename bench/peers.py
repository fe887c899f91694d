"""Compares the search index with other vector stores: `python3 build.py bench peers [--write]`.

All stores get the same vectors, filter and k in one process, and answer the questions in turns. The first run
downloads the other stores into a separate environment.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from measurement import bar_chart, command, machine, vectors
from measurement.result import percentile

from rag_memory.embedding.registry import default_embedder
from rag_memory_build import peer_environment
from rag_memory_build.console import run, step
from rag_memory_build.paths import MODELS, ROOT

_SIZES = (1_000, 10_000, 100_000)
_QUESTIONS = 100
_K = 15
_LEAST_IMPORTANCE = 4
_PLOT = ROOT / "docs" / "images" / "peers.svg"
_AHEAD_OF_STORES = 10
_BEHIND_INDEXES = 2


def _measure(sizes: list[int], seed: int) -> dict[int, dict[str, Any]]:
    command = peer_environment.prepare()
    measured: dict[int, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory(prefix="rag_memory_bench_") as folder:
        file = Path(folder, "vectors.npz")
        with step("Vectors"):
            sentences = vectors.of_sentences(default_embedder(MODELS), seed)
            np.savez(
                file,
                vectors=vectors.mixtures(sentences, max(sizes), seed),
                questions=vectors.mixtures(sentences, _QUESTIONS, seed + 1),
                importances=np.random.default_rng(seed).integers(1, 11, max(sizes)),
            )
        for size in sizes:
            output = Path(folder, f"{size}.json")
            words: list[str | os.PathLike[str]] = [*command, "-m", "measurement.peer_run", file]
            words += [str(size), str(_K), str(_LEAST_IMPORTANCE), output]
            with step(f"{size:,} vectors") as progress:
                run(
                    words,
                    what=f"Comparing with {size:,} vectors",
                    remedy="see the message above",
                    log=f"bench-peers-{size}",
                    environment=peer_environment.variables(),
                    progress=progress,
                )
            measured[size] = json.loads(output.read_text(encoding="utf-8"))
    return measured


def _table(size: int, results: list[dict[str, Any]]) -> str:
    ours = {result["name"]: statistics.median(result["usec"]) for result in results[:2]}
    lines = [
        f"| {size:,} vectors | median | p95 | as long as ours | recall | build | memory | disk |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for result in results:
        median = statistics.median(result["usec"])
        base = ours[results[0]["name"] if result["is_persistent"] else results[1]["name"]]
        disk = f"{result['disk_megabytes']:.0f} MB" if result["is_persistent"] else ""
        lines.append(
            f"| {result['name']} | {median / 1000:.2f} ms | {percentile(result['usec'], 0.95) / 1000:.2f} ms "
            f"| {median / base:.2f} x | {result['recall']:.3f} | {result['seconds']:.1f} s "
            f"| {result['megabytes']:.0f} MB | {disk} |"
        )
    return "\n".join(lines)


def _verdicts(results: list[dict[str, Any]]) -> str:
    """Describe if the targets are met at one size."""
    store, index = (statistics.median(result["usec"]) for result in results[:2])
    others = [(result, statistics.median(result["usec"])) for result in results[2:]]
    nearest = min(((m / store, result["name"]) for result, m in others if result["is_persistent"]))
    fastest = max(((index / m, result["name"]) for result, m in others if not result["is_persistent"]))
    return (
        f"* At least {_AHEAD_OF_STORES} x ahead of every store that persists and filters: "
        f"{'met' if nearest[0] >= _AHEAD_OF_STORES else 'missed'}, the nearest is {nearest[1]} at "
        f"{nearest[0]:.1f} x.\n"
        f"* Our index takes at most {_BEHIND_INDEXES} x as long as numpy and FAISS: "
        f"{'met' if fastest[0] <= _BEHIND_INDEXES else 'missed'}, {fastest[0]:.2f} x of {fastest[1]}."
    )


def _plot(by_size: dict[int, dict[str, Any]]) -> str:
    """Write the plot; return the line that shows it."""
    medians = {
        f"{size:,}": {
            result["name"]: statistics.median(result["usec"]) / 1000 for result in measured["results"]
        }
        for size, measured in by_size.items()
    }
    _PLOT.parent.mkdir(parents=True, exist_ok=True)
    _PLOT.write_text(bar_chart.svg("Median of one search, ms", medians), encoding="utf-8")
    return f"![Median of one search](../docs/images/{_PLOT.name})"


def _report(sizes: list[int], seed: int, *, with_plot: bool) -> str:
    load = machine.load()
    by_size = _measure(sizes, seed)
    versions = ", ".join(f"{name} {version}" for name, version in by_size[sizes[0]]["versions"].items())
    parts = [
        *machine.conditions(load),
        f"* {versions}; one thread each; {_QUESTIONS} questions, k = {_K}, importance >= "
        f"{_LEAST_IMPORTANCE}; vectors: seeded mixtures of those of real sentences",
        "",
    ]
    for size in sizes:
        parts += [_table(size, by_size[size]["results"]), ""]
        if size == 10_000:
            parts += [_verdicts(by_size[size]["results"]), ""]
    if with_plot:
        parts.append(_plot(by_size))
    return "\n".join(parts).strip()


def main() -> int:
    """Run the comparison and print its tables."""
    parser = command.parser("peers", __doc__, seed_of="the vectors", written_to="bench/README.md")
    parser.add_argument("--sizes", default=",".join(map(str, _SIZES)), help="numbers of vectors, by commas")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    return command.end(
        lambda: _report(sizes, options.seed, with_plot=options.write), "peers" if options.write else None
    )


if __name__ == "__main__":
    sys.exit(main())
