"""Marks of a save: moments that it can go back to."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.owners import RESERVED
from rag_memory.saves.open_npcs import OpenNpcs
from rag_memory.searchable.missing_vectors import MissingVectors
from rag_memory.searchable.save_context import SaveContext
from rag_memory.storage.mark import CERTAIN_MARKS, Mark, Rollback, Token, new_code, parse_token, save_name
from rag_memory.validation import shown, validate_number, wrong_type

_LOG = logging.getLogger("rag_memory")


class Marks:
    """Makes marks, and takes the save back to a mark or to a time of the game."""

    def __init__(self, context: SaveContext, npcs: OpenNpcs, missing: MissingVectors) -> None:
        self._context = context
        self._store = context.store
        self._npcs = npcs
        self._missing = missing

    def add(self, code: str = "") -> str:
        """Mark the current state and return the token with which rollback_to() goes back to exactly it.

        Everything written so far survives a power cut.

        Args:
            code: the code of a mark that another save made at the same moment.

        Raises:
            StoreError: it could not be written.
        """
        self._context.accesses.write()
        code = code or new_code()
        self._store.marks.add(code, self._context.now())
        return str(Token(code, save_name(self._store.path)))

    def find(self, token: str) -> Mark:
        """Return the mark with this token.

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
        mark = self._store.marks.get(parsed.code)
        if mark is not None:
            return mark
        name = save_name(self._store.path)
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

    def has(self, moment: Any) -> bool:
        """Return whether this is the token of a mark that rollback_to() can reach."""
        parsed = parse_token(moment) if isinstance(moment, str) else None
        return parsed is not None and self._store.marks.get(parsed.code) is not None

    def rollback_to(self, moment: float | str) -> int:
        """Take all NPCs and the world back to a mark or to a time of the game, all of it or nothing.

        To a mark: everything becomes exactly what it was, except what has no time, such as lore. Later marks
        are deleted.

        To a time: to the last mark of that time, if there is one. Otherwise everything that was stored later,
        or is dated later, is deleted; values that were replaced later are valid again, what was superseded
        later is valid again, and memories that were consolidated later are back. A warning is logged when
        several states of the save have that time.

        Args:
            moment: a token of add(), or a time in seconds.

        Returns:
            how many memories of NPCs were deleted, without those that only changed back.

        Raises:
            InvalidArgumentError: as find(); or the moment is neither text nor number.
        """
        if isinstance(moment, str):
            return self._return_to(self.find(moment))
        if isinstance(moment, bool) or not isinstance(moment, (int, float)):
            raise wrong_type("rollback_to()", "moment", moment, "a mark or a number of seconds")
        timestamp = validate_number("rollback_to()", "moment", moment)
        mark = self._last_mark_at(timestamp)
        if mark is not None:
            return self._return_to(mark)
        deleted = self._roll_back(lambda: self._store.marks.roll_back(timestamp))
        for owner in self._npcs.owners():
            owner.forget_accesses(timestamp)
        return deleted

    def _return_to(self, mark: Mark) -> int:
        return self._roll_back(lambda: self._store.marks.return_to(mark))

    def _roll_back(self, change: Callable[[], Rollback]) -> int:
        """Carry out a rollback of the store, all of it or nothing; return how many memories were deleted."""
        changed: frozenset[int] = frozenset()
        reserved = {self._store.npcs.number(owner) for owner in RESERVED}
        try:
            with self._store.owners.alone("rollback_to()"), self._context.accesses.transaction():
                done = change()
            changed = done.npcs
            self._npcs.forget_exchanges()
        finally:
            self._npcs.reload(changed)
        self._missing.look()
        return sum(count for npc, count in done.forgotten.items() if npc not in reserved)

    def _last_mark_at(self, timestamp: float) -> Mark | None:
        """Return the last mark of a time. Logs a warning when several states have that time."""
        marks = self._store.marks.at(timestamp)
        if any(later.number > mark.number + 1 for mark, later in itertools.pairwise(marks)):
            _LOG.warning(
                "rollback_to(): the save has %d marks of the time %s. It goes back to the last one. Keep "
                "what MemoryServer.mark() returns in your save file, and pass that instead of the time.",
                len(marks),
                shown(timestamp),
            )
        elif not marks and self._store.marks.count_writes_at(timestamp) > 1:
            _LOG.warning(
                "rollback_to(): several writes have the time %s, and all of them stay, whether they came "
                "before the game was saved or after. Call MemoryServer.mark() when the game is saved, keep "
                "what it returns in your save file, and pass that instead of the time.",
                shown(timestamp),
            )
        return marks[-1] if marks else None
