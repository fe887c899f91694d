"""A game that stores, marks, copies, restores and goes back, in an order that a seed gives.

`python busy_game.py FOLDER SEED CALLS` plays it in a process whose disk is recorded (disk_recorder.py).
Before each call it notes the content of the save after it, so that whoever looks at a disk knows every
state that may be there.
"""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import rag_memory
from measurement.disk_recorder import Preloaded
from rag_memory import Save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.godot.save_folder import copy_save_steps, delete_save
from rag_memory.step import run

NPCS = ("mira", "elena", "gregor")
FOLDER, SAVE_ID, COPY_ID = "saves", "village", "copy_of_village"
SAVE = f"{FOLDER}/{SAVE_ID}.sqlite3"
SNAPSHOTS = f"{FOLDER}/{SAVE_ID}.snapshots"
_CHANCES = {
    "store": 80,
    "store_batch": 60,
    "sync": 6,
    "mark": 6,
    "snapshot": 4,
    "reopen": 4,
    "restore": 2,
    "roll_back": 2,
    "copy": 2,
}
Effect = Callable[[list[str]], list[str]]

_NOW = 1_702_500_000.0
_DIMENSION = 16
_LONGEST_WORDS = 60
_MOST_AT_ONCE = 4
_SLOTS = ("quick", "slow")
_SYNCING = ("sync", "mark", "snapshot", "reopen")
"""Calls after which a power cut takes nothing of what was there before."""


def opened(path: Path, call: int = 0) -> Save:
    """Open the save of a game that has made so many calls."""
    return rag_memory.open_save(path, HashingEmbedder(_DIMENSION), clock=lambda: _NOW + call)


def content_of(save: Save) -> list[str]:
    """Return the texts of all memories in a save, sorted."""
    return sorted(
        f"{npc_id}: {memory['document_full']}"
        for npc_id in NPCS
        for memory in save.npc(npc_id).recall.get_recent(1_000_000)
    )


def digest(content: Iterable[str]) -> str:
    """Return a short name of a save's content."""
    return hashlib.blake2b("\n".join(sorted(content)).encode(), digest_size=8).hexdigest()


def _nothing(content: list[str]) -> list[str]:
    return content


class BusyGame:
    """The game. Its calls follow from the seed alone, as long as none fails."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder = folder
        self._dice = random.Random(seed)
        self._made = 0
        self._save: Save | None = None
        self._marks: list[tuple[str, list[str]]] = []
        self._snapshots: dict[str, list[str]] = {}
        self.content: list[str] = []
        """What the save holds."""
        self.effect: Effect = _nothing
        """What the next call makes of the content, if it succeeds."""
        self.slot = ""
        """The slot of the last snapshot."""
        self._carry_out: Callable[[], object] = lambda: None

    def next_call(self, wanted: str = "") -> str:
        """Choose the next call, and return its name."""
        self._made += 1
        if self._save is None:
            name = "reopen"
        elif wanted:
            name = wanted
        else:
            name = self._dice.choices(list(_CHANCES), list(_CHANCES.values()))[0]
        self.effect = _nothing
        if name in ("store", "store_batch"):
            self._plan_storing(name)
        elif name == "roll_back" and self._marks:
            number = self._dice.randrange(len(self._marks))
            token, content = self._marks[number]
            self.effect = lambda _: content
            self._marks = self._marks[: number + 1]
            self._carry_out = lambda: self._opened.marks.rollback_to(token)
        elif name == "restore" and self._snapshots:
            slot = self._dice.choice(sorted(self._snapshots))
            content, self._marks = self._snapshots[slot], []
            self.effect = lambda _: content
            self._carry_out = lambda: self._opened.snapshots.restore(slot)
        else:
            slot = self.slot = self._dice.choice(_SLOTS)
            calls: dict[str, Callable[[], object]] = {
                "sync": lambda: self._opened.sync(),
                "mark": self._mark,
                "snapshot": lambda: self._take(slot),
                "reopen": self._reopen,
                "copy": self._copy,
            }
            self._carry_out = calls.get(name, calls["sync"])
            return name if name in calls else "sync"
        return name

    def carry_out(self) -> None:
        """Make the call that next_call() chose."""
        self._carry_out()
        self.content = self.effect(self.content)

    def close(self) -> None:
        """Close the save."""
        if self._save is not None:
            save, self._save = self._save, None
            save.close()

    @property
    def _opened(self) -> Save:
        assert self._save is not None
        return self._save

    def _plan_storing(self, name: str) -> None:
        npc_id = self._dice.choice(NPCS)
        count = 1 if name == "store" else self._dice.randint(2, _MOST_AT_ONCE)
        texts = [self._text(part, count) for part in range(count)]
        self.effect = lambda content: [*content, *(f"{npc_id}: {text}" for text in texts)]
        drafts = [{"text": text, "importance": self._dice.randint(1, 10)} for text in texts]
        self._carry_out = lambda: self._opened.npc(npc_id).memories.store_batch(drafts)

    def _text(self, part: int, count: int) -> str:
        words = " ".join(
            f"word{self._dice.randrange(500)}" for _ in range(self._dice.randint(3, _LONGEST_WORDS))
        )
        return f"Call {self._made}, part {part + 1} of {count}: {words}."

    def _mark(self) -> None:
        self._marks.append((self._opened.marks.add(), self.content))

    def _take(self, slot: str) -> None:
        run(self._opened.snapshots.take.steps(slot))
        self._snapshots[slot] = self.content

    def _reopen(self) -> None:
        self.close()
        # What a rollback can reach is not said again.
        self._marks = []
        self._save = opened(self._folder / SAVE, self._made)

    def _copy(self) -> None:
        saves = self._folder / FOLDER
        if (saves / f"{COPY_ID}.sqlite3").exists():
            delete_save(saves, COPY_ID)
        run(copy_save_steps(saves, SAVE_ID, COPY_ID, self._opened))


def is_syncing(name: str) -> bool:
    """Return whether everything survives a power cut after this call."""
    return name in _SYNCING


def main(arguments: Sequence[str]) -> None:
    """Play the game in a process whose disk is recorded."""
    folder, seed, calls = Path(arguments[0]), int(arguments[1]), int(arguments[2])
    disk = Preloaded()
    game = BusyGame(folder, seed)
    for _ in range(calls):
        name = game.next_call()
        disk.note(f"begun {name} {digest(game.effect(game.content))}")
        game.carry_out()
        disk.note(f"done {name} {game.slot}")
    game.close()
    disk.note("done reopen")


if __name__ == "__main__":
    main(sys.argv[1:])
