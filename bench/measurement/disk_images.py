"""What may be on a disk after a power cut, rebuilt from recorded writes and syncs.

A file has for certain what was written before its last sync. Of what was written after it, anything may be
there: all, nothing, the first writes, any of them in any order, and of each write any sectors. New names,
renamings and deletions are certain after a sync of their folder. Before it, the first few of them are done,
in their order, as in the journals of file systems.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from measurement.disk_recorder import (
    CREATE,
    MAKE_FOLDER,
    REMOVE,
    RENAME,
    SYNC,
    SYNC_FOLDER,
    TRUNCATE,
    WRITE,
    Operation,
)

KILLED, NOTHING, FIRST, SOME, TORN = "killed", "nothing", "first", "some", "torn"
"""What is there of the writes after the last sync: all of them, as after a kill; none; the first; some;
some sectors of some of them.
"""
KINDS = (KILLED, NOTHING, FIRST, FIRST, SOME, SOME, SOME, TORN, TORN, TORN)
"""As often as they are made."""
_SECTORS = (512, 4096)


class Names:
    """The files and folders that there are, by path."""

    def __init__(self) -> None:
        self.files: dict[str, int] = {}
        self.folders = {""}

    def copy(self) -> Names:
        """Return an equal one."""
        copy = Names()
        copy.files, copy.folders = dict(self.files), set(self.folders)
        return copy

    def change(self, operation: Operation) -> None:
        """Carry out what an operation does to names."""
        match operation.kind:
            case "C":
                self.files[operation.name] = operation.file
            case "M":
                self.folders.add(operation.name)
            case "U":
                self.files.pop(operation.name, None)
                self.folders.discard(operation.name)
            case "R":
                self._rename(*operation.name.split("\n"))

    def reachable(self) -> dict[str, int]:
        """Return the files whose folders are there."""
        return {path: file for path, file in self.files.items() if self._is_reachable(path)}

    def _is_reachable(self, path: str) -> bool:
        folder = path.rpartition("/")[0]
        return folder in self.folders and (not folder or self._is_reachable(folder))

    def _rename(self, old: str, new: str) -> None:
        def moved(path: str) -> str:
            return new + path[len(old) :] if path == old or path.startswith(f"{old}/") else path

        if old in self.files:
            self.files.pop(new, None)
        self.files = {moved(path): file for path, file in self.files.items()}
        self.folders = {moved(path) for path in self.folders}


class Disk:
    """A disk while operations are carried out on it."""

    def __init__(self) -> None:
        self._certain: dict[int, bytes] = {}
        self._pending: dict[int, list[Operation]] = {}
        self._names = Names()
        self._pending_names: list[Operation] = []

    def carry_out(self, operation: Operation) -> None:
        """Carry out the next operation."""
        if operation.kind in (WRITE, TRUNCATE):
            self._pending.setdefault(operation.file, []).append(operation)
        elif operation.kind == SYNC:
            content = bytearray(self._certain.get(operation.file, b""))
            for pending in self._pending.pop(operation.file, ()):
                _apply(content, pending)
            self._certain[operation.file] = bytes(content)
        elif operation.kind in (CREATE, RENAME, REMOVE, MAKE_FOLDER):
            self._pending_names.append(operation)
        elif operation.kind == SYNC_FOLDER:
            synced: list[Operation] = []
            later: list[Operation] = []
            for pending in self._pending_names:
                concerned = {path.rpartition("/")[0] for path in pending.name.split("\n")}
                (synced if operation.name in concerned else later).append(pending)
            for pending in synced:
                self._names.change(pending)
            self._pending_names = later

    def image(self, kind: str, dice: random.Random) -> dict[str, bytes]:
        """Return the files after a power cut now, by their paths."""
        names = self._names.copy()
        count = len(self._pending_names)
        for operation in self._pending_names[: count if kind == KILLED else dice.randint(0, count)]:
            names.change(operation)
        total = sum(map(len, self._pending.values()))
        first = dice.randint(0, total)
        image: dict[str, bytes] = {}
        for path, file in names.reachable().items():
            content = bytearray(self._certain.get(file, b""))
            pending = self._pending.get(file, [])
            share = first / total if total else 0.0
            for operation in _chosen(kind, pending, share, dice):
                _apply(content, operation)
            image[path] = bytes(content)
        return image


def _chosen(kind: str, pending: Sequence[Operation], share: float, dice: random.Random) -> list[Operation]:
    """The parts of the pending writes to a file that reached it."""
    if kind == KILLED:
        return list(pending)
    if kind == NOTHING:
        return []
    if kind == FIRST:
        return list(pending[: round(share * len(pending))])
    chance = dice.choice((0.05, 0.5, 0.95))
    chosen = [operation for operation in pending if dice.random() < chance]
    if kind == TORN:
        chosen = [part for operation in chosen for part in _torn(operation, dice)]
    return chosen


def _torn(operation: Operation, dice: random.Random) -> list[Operation]:
    """Some sectors of a write; the others are as they were."""
    if operation.kind == TRUNCATE or dice.random() < 0.5:
        return [operation]
    size, data = dice.choice(_SECTORS), operation.data
    # Sectors lie at multiples of their size, wherever the write begins.
    starts = [0, *range(-operation.offset % size or size, len(data), size)]
    parts = [(start, data[start:end]) for start, end in zip(starts, [*starts[1:], len(data)], strict=True)]
    return [
        operation._replace(offset=operation.offset + start, data=part)
        for start, part in parts
        if dice.random() < 0.5
    ]


def _apply(content: bytearray, operation: Operation) -> None:
    end = operation.offset + len(operation.data)
    if operation.kind == TRUNCATE:
        del content[operation.offset :]
    content.extend(bytes(max(0, end - len(content))))
    content[operation.offset : end] = operation.data


def write_image(image: dict[str, bytes], folder: Path) -> None:
    """Write the files of an image into a new folder."""
    folder.mkdir()
    for path, content in image.items():
        file = folder / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
