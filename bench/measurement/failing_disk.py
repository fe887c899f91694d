"""A disk whose n-th write, sync, open, renaming or deletion fails while a busy game uses it.

`python failing_disk.py FOLDER SEED NUMBER...` plays the game once for each number, in a process whose disk
is watched (disk_recorder.py), and prints what was wrong.
"""

from __future__ import annotations

import logging
import shutil
import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path

from measurement import busy_game
from measurement.busy_game import BusyGame
from measurement.disk_recorder import Preloaded
from rag_memory.errors import RagMemoryError

_MOST_CALLS = 1000
_GAMES = 7
"""The number of games that take turns, so that each kind of call meets many numbers."""
_CALLS_AFTER = ("store", "sync", "store_batch", "mark", "store")
"""What the game goes on with after something has failed."""


class Attempt:
    """One game on a failing disk."""

    def __init__(self, folder: Path, seed: int, disk: Preloaded) -> None:
        self._folder = folder
        self._disk = disk
        self._game = BusyGame(folder, seed)
        self._possible = [self._game.content]
        """What the save may hold: a call that failed may have been carried out, or not."""
        self.faults: list[str] = []
        self.failed = ""
        """The call that failed first; "" for none."""

    def play(self, at: int, is_lasting: bool) -> None:
        """Play until a call fails, and a little longer; then open the save on a disk that works."""
        self._disk.fail(at, is_lasting)
        for _ in range(_MOST_CALLS):
            if self.failed or self._disk.calls > at:
                break
            self._make_call()
        for name in _CALLS_AFTER:
            self._make_call(name)
        self._end()
        self._disk.fail(0)
        self._open()

    def _make_call(self, wanted: str = "") -> None:
        name = self._game.next_call(wanted)
        after = [self._game.effect(content) for content in self._possible]
        try:
            self._game.carry_out()
        except Exception as error:  # Of what kind it is has to be told.
            self.failed = self.failed or name
            self._judge(name, error)
            self._possible += [content for content in after if content not in self._possible]
        else:
            self._possible = after

    def _end(self) -> None:
        try:
            self._game.close()
        except Exception as error:
            self.failed = self.failed or "close"
            self._judge("close", error)

    def _judge(self, name: str, error: Exception) -> None:
        if not isinstance(error, RagMemoryError) or not (error.what and error.why and error.remedy):
            self.faults.append(f"{name} raised {error!r}")

    def _open(self) -> None:
        try:
            with busy_game.opened(self._folder / busy_game.SAVE) as save:
                state = busy_game.digest(busy_game.content_of(save))
        except (RagMemoryError, OSError, sqlite3.Error) as error:
            self.faults.append(f"the save does not open afterwards: {error}")
            return
        if state not in map(busy_game.digest, self._possible):
            self.faults.append("the save holds something else than what was confirmed")


def main(arguments: Sequence[str]) -> None:
    """Play one game for each number, and print what was wrong and which calls failed."""
    folder, seed = Path(arguments[0]), int(arguments[1])
    logging.getLogger("rag_memory").setLevel(logging.CRITICAL)
    disk = Preloaded()
    for at in map(int, arguments[2:]):
        # In turn alone, and with all that needs room after it: a bad sector, and a full disk.
        is_lasting = at % 2 == 0
        attempt = Attempt(folder, seed + at % _GAMES, disk)
        attempt.play(at, is_lasting)
        for fault in attempt.faults:
            print(f"call {at} of the system{' and later ones' if is_lasting else ''}: {fault}")
        print(f"failed: {attempt.failed or 'nothing'}", flush=True)
        shutil.rmtree(folder)
        folder.mkdir()


if __name__ == "__main__":
    main(sys.argv[1:])
