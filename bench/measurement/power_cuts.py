"""Power cuts: disks rebuilt from what a busy game wrote, each opened by the core."""

from __future__ import annotations

import logging
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from measurement import busy_game, disk_recorder
from measurement.disk_images import KILLED, KINDS, Disk, write_image
from measurement.disk_recorder import NOTE
from rag_memory.errors import RagMemoryError

_LOG = logging.getLogger("rag_memory")
_TORN_LOG = "without the last part of"


class Moment(NamedTuple):
    """What a recorded game had promised at a moment."""

    begun: list[str]
    """The states of the save after each call that had begun, in their order."""
    done: int
    """The number of calls that had returned."""
    synced: int
    """The number of calls up to the last one after which everything survives a power cut."""
    snapshots: dict[str, int]
    """By slot, the number of calls when its snapshot was taken."""


class Result(NamedTuple):
    """The result of opening many disks."""

    opened: int
    by_kind: dict[str, int]
    faults: list[str]
    """What was wrong with disks; empty when every promise was kept."""


def record(library: Path, folder: Path, seed: int, calls: int) -> Path:
    """Play a game whose disk is recorded, in a folder, and return the log."""
    disk, log = folder / f"disk_{seed}", folder / f"log_{seed}"
    disk.mkdir()
    environment = {
        **disk_recorder.environment(library, disk, log),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    subprocess.run(
        [sys.executable, str(Path(busy_game.__file__)), str(disk), str(seed), str(calls)],
        env=environment,
        check=True,
    )
    shutil.rmtree(disk)
    return log


def open_images(
    log: Path, folder: Path, count: int, seed: int, progress: Callable[[int], object] = lambda done: None
) -> Result:
    """Rebuild so many disks from a log, and open each."""
    dice = random.Random(seed)
    operations = list(disk_recorder.read(log))
    moments = Counter(dice.randrange(len(operations)) for _ in range(count))
    kinds: Counter[str] = Counter()
    faults: list[str] = []
    watch = _Watch()
    _LOG.addHandler(watch)
    try:
        for number, (disk, moment) in enumerate(_disks(operations)):
            for _ in range(moments[number]):
                kind = dice.choice(KINDS)
                kinds[kind] += 1
                image = folder / "image"
                write_image(disk.image(kind, dice), image)
                fault = _fault(image, moment, kind, watch)
                if fault:
                    faults.append(f"seed {seed}, operation {number}, {kind}: {fault}")
                shutil.rmtree(image)
                progress(kinds.total())
    finally:
        _LOG.removeHandler(watch)
    return Result(kinds.total(), dict(kinds), faults)


def _disks(operations: Sequence[disk_recorder.Operation]) -> Iterator[tuple[Disk, Moment]]:
    """The disk after each operation, and what had been promised."""
    disk, moment = Disk(), Moment([busy_game.digest(())], 0, 0, {})
    for operation in operations:
        if operation.kind == NOTE:
            moment = _following(moment, operation.name)
        else:
            disk.carry_out(operation)
        yield disk, moment


def _following(moment: Moment, note: str) -> Moment:
    what, name, *others = note.split(" ")
    if what == "begun":
        return moment._replace(begun=[*moment.begun, others[-1]])
    done = len(moment.begun) - 1
    snapshots = {**moment.snapshots, others[0]: done} if name == "snapshot" else moment.snapshots
    synced = done if busy_game.is_syncing(name) else moment.synced
    return Moment(moment.begun, done, synced, snapshots)


class _Watch(logging.Handler):
    """Collects the warnings of the core."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


def _fault(image: Path, moment: Moment, kind: str, watch: _Watch) -> str:
    """What is wrong with a disk; "" for nothing."""
    watch.messages.clear()
    try:
        with busy_game.opened(image / busy_game.SAVE) as save:
            state = busy_game.digest(busy_game.content_of(save))
            slots = save.snapshots.slots()
    except (RagMemoryError, OSError, sqlite3.Error) as error:
        return f"it does not open: {error}"
    certain = moment.done if kind == KILLED else moment.synced
    # A log whose last transaction is torn may be named; after a kill only while a call was at work.
    may_be_torn = kind != KILLED or certain < len(moment.begun) - 1
    unexpected = [message for message in watch.messages if not may_be_torn or _TORN_LOG not in message]
    if unexpected:
        return unexpected[0]
    if state not in moment.begun[certain:]:
        where = [number for number, begun in enumerate(moment.begun) if begun == state]
        return (
            f"{certain} of {len(moment.begun) - 1} calls are certain, the save is as after {where or 'none'}"
        )
    missing = set(moment.snapshots) - set(slots)
    if missing:
        return f"snapshots are missing: {sorted(missing)}"
    for slot in slots:
        state = _state_of(image / busy_game.SNAPSHOTS / f"{slot}.sqlite3")
        if state not in moment.begun[moment.snapshots.get(slot, 0) :]:
            return f"the snapshot {slot} is of no state of the save"
    return ""


def _state_of(snapshot: Path) -> str:
    connection = sqlite3.connect(f"file:{snapshot}?mode=ro&immutable=1", uri=True)
    try:
        rows = connection.execute(
            "SELECT npc_id, document_full FROM memories JOIN npcs ON npcs.npc = memories.npc"
        )
        state = busy_game.digest(f"{npc_id}: {text}" for npc_id, text in rows)
        return state if connection.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",) else "damaged"
    except sqlite3.Error as error:
        return str(error)
    finally:
        connection.close()
