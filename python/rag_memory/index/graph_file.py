"""The file of an HNSW graph, and its description, which decides whether the graph may be loaded.

hnswlib trusts its file blindly and crashes on a damaged one, so the checksum and every link are verified
before it sees it. The graph is derived data: whoever doubts it builds it again.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import hnswlib
import numpy as np

from rag_memory import files
from rag_memory.index.graph_structure import is_sound
from rag_memory.vectors import Keys

_LOG = logging.getLogger("rag_memory")

_FORMAT_VERSION = 3
_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True)
class GraphState:
    """The vectors and options that a graph was built from, and what in it is out of date."""

    dimension: int
    m: int
    ef_construction: int
    fingerprint: str
    stamp: str
    count: int
    deleted: Sequence[int] = field(default=(), compare=False)
    """Keys in the graph that are marked as deleted."""
    stale: Sequence[int] = field(default=(), compare=False)
    """Keys whose vector changed after it entered the graph."""


def description_of(path: Path) -> Path:
    """Return the path of the description of the graph at `path`."""
    return path.with_name(path.name + ".json")


def write(path: Path, graph: hnswlib.Index, state: GraphState) -> None:
    """Write graph and description so that a crash at any moment leaves a pair that fits, or one that `read`
    refuses.

    Raises:
        OSError: the disk is full or read-only.
    """
    new = path.with_name(path.name + ".new")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        # hnswlib reports no failed write: reserve the name here, compare the size afterwards.
        files.delete(new)
        new.write_bytes(b"")
        graph.save_index(str(new))
        size = new.stat().st_size
        if size != graph.index_file_size():
            raise OSError(f"only {size} of {graph.index_file_size()} bytes could be written to {new}")
        values = {
            "format": _FORMAT_VERSION,
            "bytes": size,
            "checksum": _checksum(new),
            "state": dataclasses.asdict(state),
        }
        files.sync_file(new)
        files.replace(new, path)
        files.delete(new)
        new.write_text(json.dumps(values), encoding="utf-8")
        files.sync_file(new)
        files.replace(new, description_of(path))
        files.sync_folder(path.parent)
    finally:
        files.delete(new)


def read(path: Path, expected: GraphState, keys: Keys) -> tuple[hnswlib.Index, GraphState] | None:
    """The graph at `path` and its state; None, with the reason logged, when it cannot be used.

    Args:
        expected: what the graph must have been built for.
        keys: what it may contain besides what is marked as deleted, ascending.
    """
    try:
        return _read(path, expected, keys)
    except FileNotFoundError:
        why = "there is none yet"
    except _Unusable as error:
        why = str(error)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        why = f"it cannot be read ({error})"
    _LOG.info("The search graph %s is not used: %s. A new one is built from the memories.", path, why)
    return None


class _Unusable(Exception):
    """The reason for not using a readable graph."""


def _read(path: Path, expected: GraphState, keys: Keys) -> tuple[hnswlib.Index, GraphState]:
    for file in (path, description_of(path)):
        files.check_regular(file)
    values = json.loads(description_of(path).read_bytes())
    if values["format"] != _FORMAT_VERSION:
        raise _Unusable("it was written by another version")
    state = GraphState(**values["state"])
    if state != expected:
        raise _Unusable("it was built for other memories, settings or another model")
    if path.stat().st_size != values["bytes"] or _checksum(path) != values["checksum"]:
        raise _Unusable("it is damaged or was not written to the end")
    if not is_sound(path, state.dimension, state.m):
        raise _Unusable("it has links that lead nowhere")
    graph = hnswlib.Index(space="ip", dim=state.dimension)
    graph.load_index(str(path))
    living = np.setdiff1d(graph.get_ids_list(), state.deleted)
    if not np.isin(living, keys).all():
        raise _Unusable("it holds memories that no longer exist")
    return graph, state


def _checksum(file: Path) -> str:
    digest = hashlib.blake2b(digest_size=16)
    with file.open("rb") as stream:
        while block := stream.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()
