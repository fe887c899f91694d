"""The states of a save: snapshots of the whole, marks, and going back to a mark or in the game's time."""

from __future__ import annotations

import contextlib
import itertools
import logging
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any

from rag_memory.embedding.embedder import Embedder
from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.owners import RESERVED
from rag_memory.searchable.memory_owner import MemoryOwner
from rag_memory.searchable.missing_vectors import MissingVectors
from rag_memory.searchable.save_context import SaveContext
from rag_memory.step import Step, run
from rag_memory.storage.backends import open_storage
from rag_memory.storage.comparison import compare_steps
from rag_memory.storage.fleeting_paths import TEMPORARY_PATH
from rag_memory.storage.mark import CERTAIN_MARKS, Mark, Rollback, Token, new_code, parse_token, save_name
from rag_memory.storage.protocol import SaveState
from rag_memory.validation import shown, validate_integer, validate_number, wrong_type

DEFAULT_COMPARED = 200
_LOG = logging.getLogger("rag_memory")


class SaveStates(ABC):
    """What a save does with its snapshots and with moments of the game's time."""

    def __init__(self, context: SaveContext) -> None:
        self.context = context
        self.store = context.store
        self.missing = MissingVectors(context, self._memories)

    @abstractmethod
    def _memories(self) -> Sequence[MemoryOwner]:
        """Everybody in use who has memories: NPCs, the world and the lore."""

    @abstractmethod
    def _reload(self, changed: frozenset[int] | None) -> None:
        """Let go of what is in memory of these NPCs, or of all."""

    def take_embedder(self, embedder: Embedder) -> None:
        """Compare memories with another model from now on; nothing may be under way. Those that have no
        vector of it get one while nobody waits.
        """
        self.context.take_embedder(embedder)
        self._reload(None)
        self.missing.look()

    def snapshot(self, slot: str) -> None:
        """Copy the whole save as it is now into a slot, replacing what the slot held.

        Raises:
            InvalidArgumentError: the slot is no file name, or the save is in memory.
            SaveError: the copy could not be written; what the slot held is still there.
        """
        run(self.snapshot_steps(slot))

    def snapshot_steps(self, slot: str) -> Generator[Step, None, None]:
        """snapshot() in slices of a few milliseconds; what is stored meanwhile is not in it."""
        self.context.accesses.write()
        yield from self.store.snapshots.write_steps(slot)

    def copy_steps(self, path: Path) -> Generator[Step, None, None]:
        """Write everything that is in the save now into a new file, in slices.

        Raises:
            OSError: it could not be written.
        """
        self.context.accesses.write()
        yield from self.store.copy_steps(path)

    def restore(self, slot: str) -> None:
        """Make the save what it was when the snapshot in a slot was taken; all of it or nothing.

        Raises:
            SaveNotFoundError: the slot is empty.
            SaveError: the snapshot is damaged or was written by a newer version.
        """
        with self.store.owners.alone("restore()"), self.store.snapshots.opened("restore()", slot) as snapshot:
            if snapshot.is_current:
                self._become(snapshot)
                return
            # Beside the save, which stays as it is when this fails.
            with contextlib.closing(open_storage(TEMPORARY_PATH)) as copy:
                copy.replace_all(snapshot)
                self._become(copy)

    def _become(self, source: SaveState) -> None:
        self.store.replace_all(source)
        self.context.accesses.forget()
        try:
            self.context.find_model()
        finally:
            self._reload(None)
        self.missing.look()

    def list_snapshots(self) -> list[str]:
        """The slots that hold a snapshot, in alphabetical order."""
        return self.store.snapshots.slots()

    def compare_snapshots(
        self, before: str, after: str = "", limit: int = DEFAULT_COMPARED
    ) -> dict[str, Any]:
        """What two snapshots differ in: {added, removed, changed: how many memories in all, npcs: {npc_id:
        {added, removed, changed: lists, added_count, removed_count, changed_count}}}.

        Args:
            before: the slot of the earlier one.
            after: the slot of the later one; "" for the save as it is now.
            limit: the longest list; the counts are of all.

        Raises:
            SaveNotFoundError: a slot is empty.
            SaveError: a snapshot is damaged or was written by a newer version.
        """
        return run(self.compare_snapshots_steps(before, after, limit))

    def compare_snapshots_steps(
        self, before: str, after: str = "", limit: int = DEFAULT_COMPARED
    ) -> Generator[Step, None, dict[str, Any]]:
        """compare_snapshots() in slices. Nothing may be asked meanwhile."""
        where = "compare_snapshots()"
        if validate_integer(where, "limit", limit) < 0:
            raise InvalidArgumentError(
                f"{where}: limit is {limit}", "it has to be 0 or more", "Pass 0 or more"
            )
        with self.store.snapshots.opened(where, before) as old:
            if after:
                with self.store.snapshots.opened(where, after) as new:
                    return (yield from compare_steps(old, new, limit))
            return (yield from compare_steps(old, self.store, limit))

    def mark(self, code: str = "") -> str:
        """Mark the save as it is now, and return the token with which rollback_to() goes back to exactly this
        point, whatever the clock says. What was written until now survives a power cut.

        Args:
            code: that of a mark which another save made at the same moment.

        Raises:
            StoreError: it could not be written.
        """
        self.context.accesses.write()
        code = code or new_code()
        self.store.marks.add(code, self.context.now())
        return str(Token(code, save_name(self.store.path)))

    def find_mark(self, token: str) -> Mark:
        """The mark with this token.

        Raises:
            InvalidArgumentError: it is no token, or no rollback can reach its mark.
        """
        parsed = parse_token(token)
        if parsed is None:
            raise InvalidArgumentError(
                f"rollback_to(): {shown(token)} is not a mark",
                "a mark begins with mark: and has a code of 16 digits",
                "Pass what mark() returned, or a time of the game in seconds",
            )
        mark = self.store.marks.get(parsed.code)
        if mark is not None:
            return mark
        name = save_name(self.store.path)
        if parsed.save_name != name:
            raise InvalidArgumentError(
                f"rollback_to(): the mark is of the save {shown(parsed.save_name)}",
                f"the open save is {shown(name)}, and it is not a copy that was made later than the mark",
                "Open the save of the mark first",
            )
        raise InvalidArgumentError(
            "rollback_to(): the mark cannot be reached any more",
            "the save went back to before it by a rollback or a restored snapshot, it was begun anew, or "
            f"more than {CERTAIN_MARKS} marks were made since",
            "Go back to another mark, or restore a snapshot; nothing was changed",
        )

    def has_mark(self, moment: Any) -> bool:
        """Whether this is the token of a mark that rollback_to() can reach."""
        parsed = parse_token(moment) if isinstance(moment, str) else None
        return parsed is not None and self.store.marks.get(parsed.code) is not None

    def rollback_to(self, moment: float | str) -> int:
        """Go back to a mark, or to a time of the game, all NPCs together: for a game that was loaded again.

        To a mark: everything is exactly as it was, except what has no time, such as lore. Later marks are
        gone.

        To a time: to the last mark of that time, if there is one. Else everything that was stored later, or
        is dated later, is forgotten; values that were replaced later hold again, what was superseded later is
        valid again, and memories that were consolidated later are back. A warning says when several states of
        the save have that time.

        All of it is done, or on failure nothing.

        Args:
            moment: what mark() returned, or a time in seconds.

        Returns:
            how many memories of NPCs were forgotten; one that is again what it was is not.

        Raises:
            InvalidArgumentError: as find_mark(); or the moment is neither text nor number.
        """
        if isinstance(moment, str):
            return self._return_to(self.find_mark(moment))
        if isinstance(moment, bool) or not isinstance(moment, (int, float)):
            raise wrong_type("rollback_to()", "moment", moment, "a mark or a number of seconds")
        timestamp = validate_number("rollback_to()", "moment", moment)
        mark = self._last_mark_at(timestamp)
        if mark is not None:
            return self._return_to(mark)
        forgotten = self._roll_back(lambda: self.store.marks.roll_back(timestamp))
        for npc in self._memories():
            npc.forget_accesses(timestamp)
        return forgotten

    def _return_to(self, mark: Mark) -> int:
        return self._roll_back(lambda: self.store.marks.return_to(mark))

    def _roll_back(self, change: Callable[[], Rollback]) -> int:
        """Carry out a rollback of the store, all of it or nothing; how many memories were forgotten."""
        changed: frozenset[int] = frozenset()
        reserved = {self.store.npcs.number(owner) for owner in RESERVED}
        try:
            with self.store.owners.alone("rollback_to()"), self.context.accesses.transaction():
                done = change()
            changed = done.npcs
        finally:
            self._reload(changed)
        self.missing.look()
        return sum(count for npc, count in done.forgotten.items() if npc not in reserved)

    def _last_mark_at(self, timestamp: float) -> Mark | None:
        """The last mark of a time. A warning is logged when the time does not say which state is meant."""
        marks = self.store.marks.at(timestamp)
        if any(later.number > mark.number + 1 for mark, later in itertools.pairwise(marks)):
            _LOG.warning(
                "rollback_to(): the save has %d marks of the time %s. It goes back to the last one. Keep "
                "what MemoryServer.mark() returns in your save file, and pass that instead of the time.",
                len(marks),
                shown(timestamp),
            )
        elif not marks and self.store.marks.count_writes_at(timestamp) > 1:
            _LOG.warning(
                "rollback_to(): several writes have the time %s, and all of them stay, whether they came "
                "before the game was saved or after. Call MemoryServer.mark() when the game is saved, keep "
                "what it returns in your save file, and pass that instead of the time.",
                shown(timestamp),
            )
        return marks[-1] if marks else None

    def rebuild_index(self) -> None:
        """Make anew what follows from the texts of all memories, the world's and the lore's among them: the
        keyword index, the vectors, the search indexes.
        """
        run(self.rebuild_index_steps())

    def rebuild_index_steps(self) -> Generator[Step, None, None]:
        """rebuild_index() in slices. It can be given up between two of them: what is made is kept."""
        with self.store.owners.alone("rebuild_index()"):
            yield from self._rebuild_steps()

    def _rebuild_steps(self) -> Generator[Step, None, None]:
        self.context.accesses.write()
        self._reload(None)
        folder = self.store.folder(".index")
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        _LOG.info("%s: making the keyword index anew", self.store.name)
        yield from self.store.terms.rebuild_steps()
        if not self.context.is_by_words:
            yield from self.missing.remake_steps()
        self._reload(None)
