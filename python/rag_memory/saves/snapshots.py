"""Snapshots of a save: copies of the whole that can be restored."""

from __future__ import annotations

import contextlib
import logging
from pathlib import Path
from typing import Any, NamedTuple

from rag_memory.errors import InvalidArgumentError
from rag_memory.saves.open_npcs import OpenNpcs
from rag_memory.searchable.missing_vectors import MissingVectors
from rag_memory.searchable.save_context import SaveContext
from rag_memory.step import Steps, in_slices
from rag_memory.storage.backends import open_storage, read_storage
from rag_memory.storage.comparison import compare_steps
from rag_memory.storage.file_name import check_no_other_case
from rag_memory.storage.fleeting_paths import TEMPORARY_PATH
from rag_memory.storage.protocol import SaveState
from rag_memory.storage.snapshot_slot import validate_slot
from rag_memory.validation import shown, validate_integer
from rag_memory.world.campaign import SaveLabels, check_campaign, generation_of, label_save

_LOG = logging.getLogger("rag_memory")
_MOST_COMPARED = 200


class Beginning(NamedTuple):
    """What a game that was loaded or begun finds in its save."""

    call: str
    """The call in messages."""
    slot: str | None = None
    """The slot of the snapshot that it was saved with; None for a new game."""
    prepared: Path | None = None
    """The prepared save that a new game begins as, also where the slot is empty; None to begin empty."""


class Snapshots:
    """Takes, restores and compares snapshots. Each is in a slot, whose name the game chooses."""

    def __init__(self, context: SaveContext, npcs: OpenNpcs, missing: MissingVectors) -> None:
        self._context = context
        self._store = context.store
        self._npcs = npcs
        self._missing = missing

    @in_slices
    def take(self, slot: str) -> Steps[None]:
        """Copy the whole save into a slot, replacing the snapshot in it. What is stored between slices is not
        in it.

        Raises:
            InvalidArgumentError: the slot is no file name, or the save is in memory.
            SaveError: the copy could not be written; the former snapshot is still there.
        """
        self._context.accesses.write()
        yield from self._store.snapshots.write_steps(slot)

    def copy_steps(self, path: Path) -> Steps[None]:
        """Copy the whole save into a new file, in slices.

        Raises:
            OSError: it could not be written.
        """
        self._context.accesses.write()
        yield from self._store.copy_steps(path)

    def copy_into(self, other: Snapshots) -> None:
        """Replace the content of another save, which is open, with that of this one."""
        self._context.accesses.write()
        other._become(self._store)

    def restore(self, slot: str) -> None:
        """Replace the content of the save with a snapshot, all of it or nothing.

        Raises:
            SaveNotFoundError: the slot is empty.
            SaveError: the snapshot is damaged or was written by a newer version.
        """
        with (
            self._store.owners.alone("restore()"),
            self._store.snapshots.opened("restore()", slot) as snapshot,
        ):
            self._become(snapshot)

    def begin_from(self, beginning: Beginning, labels: SaveLabels) -> bool:
        """Make the save what a game begins with, all of it or nothing, whatever is in the save now. Its
        snapshots stay.

        Returns:
            whether this is a new game.

        Raises:
            InvalidArgumentError: the slot is no file name, or what the save would become belongs to another
                campaign.
            SaveError: the snapshot or the prepared save is damaged or was written by a newer version.
        """
        call, slot = beginning.call, beginning.slot
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._store.owners.alone(call))
            source: SaveState | None = None
            is_new = slot is None or self._is_empty(call, slot)
            if not is_new:
                source = stack.enter_context(self._store.snapshots.opened(call, slot))
            elif beginning.prepared is not None:
                source = stack.enter_context(read_storage(beginning.prepared))
            if source is not None:
                check_campaign(source, self._store.name, labels)
            self._become(source)
        label_save(self._store, labels)
        return is_new

    def _is_empty(self, call: str, slot: str) -> bool:
        slots = self.slots()
        check_no_other_case(validate_slot(call, slot), "the name of a snapshot", slots)
        memories = 0 if slot in slots else self._store.contents()["memories"]
        if slot not in slots and (slots or memories):
            names = f"There are: {', '.join(map(shown, slots))}." if slots else "There is none yet."
            lost = f", and its {memories} memories are gone" if memories else ""
            _LOG.warning(
                "%s: there is no snapshot %s, so the save is empty%s. %s", call, shown(slot), lost, names
            )
        return slot not in slots

    def _become(self, source: SaveState | None) -> None:
        if source is not None and not source.is_current:
            # Upgrade a temporary copy, so that the save stays as it is when this fails.
            with contextlib.closing(open_storage(TEMPORARY_PATH)) as copy:
                copy.replace_all(source)
                self._become(copy)
            return
        generation = generation_of(self._store)
        self._store.replace_all(source)
        label_save(self._store, SaveLabels(), least_generation=generation)
        self._npcs.forget_exchanges()
        self._context.accesses.forget()
        try:
            self._context.find_model()
        finally:
            self._npcs.reload()
        self._missing.look()

    def slots(self) -> list[str]:
        """Return the slots that hold a snapshot, in alphabetical order."""
        return self._store.snapshots.slots()

    def delete(self, slot: str) -> None:
        """Delete a snapshot.

        Raises:
            SaveNotFoundError: the slot is empty.
        """
        self._store.snapshots.delete(slot)

    @in_slices
    def compare(self, before: str, after: str = "", limit: int = _MOST_COMPARED) -> Steps[dict[str, Any]]:
        """Return the differences of two snapshots. The save must not be used between slices.

        Args:
            before: the slot of the earlier one.
            after: the slot of the later one; "" for the save as it is now.
            limit: the most memories in each list.

        Returns:
            `added`, `removed` and `changed`, the numbers of memories, and `npcs`: for each NPC with a
            difference the lists `added`, `removed` and `changed`, and their full lengths `added_count`,
            `removed_count` and `changed_count`.

        Raises:
            InvalidArgumentError: the limit is negative.
            SaveNotFoundError: a slot is empty.
            SaveError: a snapshot is damaged or was written by a newer version.
        """
        call = "compare_snapshots()"
        if validate_integer(call, "limit", limit) < 0:
            raise InvalidArgumentError(
                f"{call}: limit is {limit}", "it has to be 0 or more", "Pass 0 or more"
            )
        with self._store.snapshots.opened(call, before) as old:
            if after:
                with self._store.snapshots.opened(call, after) as new:
                    return (yield from compare_steps(old, new, limit))
            return (yield from compare_steps(old, self._store, limit))
