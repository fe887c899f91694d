"""The contract of an open save, whatever database stores it. Its parts are named by what they hold.

A memory is a Record. Its `key` is its place in the save: a number that grows with every memory and is never
given twice. An NPC and an embedding model have numbers, too. Vectors are float32 of length 1.

The parts that do not differ between databases are classes in storage/sql; the others are the protocols here.
Methods that change something say "Inside a transaction". Every method of an open storage raises a StoreError
when the database fails, and so does a closed one.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from rag_memory.index.columns import SearchedRow
from rag_memory.step import Step
from rag_memory.storage.comparison import Comparable
from rag_memory.storage.ownership import Owners
from rag_memory.storage.sql.archive import Archive
from rag_memory.storage.sql.exchanges import Exchanges
from rag_memory.storage.sql.interactions import Interactions
from rag_memory.storage.sql.lists import Lists
from rag_memory.storage.sql.marks import Marks
from rag_memory.storage.sql.npcs import Npcs
from rag_memory.vectors import FloatMatrix, FloatVector, Keys


class Vectors(Protocol):
    """The vectors of memories, and the embedding models that made them."""

    def model_number(self, fingerprint: str, name: str, dimension: int) -> int:
        """The number under which vectors of this embedding model are stored; a new one for a new model. One
        that the save has already costs no write.
        """

    def keys_of_other_models(self, model: int) -> list[int]:
        """The memories whose vector is missing or of another model, of NPCs of this process; ascending."""

    def complete(self) -> None:
        """See that every memory has a vector, be it one of no model (NoEmbedder)."""

    def put(self, keys: Sequence[int], vectors: FloatMatrix, model: int) -> None:
        """Give memories new vectors, and their NPCs new revisions. Inside a transaction."""

    def of(self, keys: Sequence[int], model: int) -> dict[int, FloatVector]:
        """The vectors of those of these memories that have one of this model, by key."""

    def searched(
        self, keys: Sequence[int], model: int, dimension: int
    ) -> tuple[list[SearchedRow], FloatMatrix]:
        """What these memories, ascending, are searched by, and their vectors in the same order, shape
        [n, dimension]; of zeros where a memory has none of this model.
        """


class Comparing(Protocol):
    """The vectors of a database that compares them itself."""

    def similarities(self, npc: int, model: int, question: FloatVector) -> tuple[Keys, FloatVector]:
        """The product of a question with every vector of the NPC that is of this model, computed where they
        are stored; and the memories' keys, ascending.
        """

    def of(self, keys: Sequence[int], model: int) -> dict[int, FloatVector]:
        """See Vectors."""


class Terms(Protocol):
    """The keyword index: which memories have a term. Kinds are those of text/index_terms.py."""

    def rebuild_steps(self) -> Generator[Step, None, None]:
        """Make the keyword index, and what else follows from the texts, anew, in slices. It can be given up
        between two of them.
        """

    def keys_with(self, npc: int, kind: str, term: str) -> Keys:
        """The NPC's memories that have a term; ascending."""

    def of_kind(self, npc: int, kind: str) -> list[str]:
        """Every term of a kind that the NPC's memories have."""

    def of(self, npc: int, keys: Sequence[int]) -> list[list[str]]:
        """Kinds and terms of these memories of the NPC, like "wmill", in ascending order of key."""


class SaveState(Comparable, Protocol):
    """A state of a save to be read as a whole: a snapshot, or the save itself."""

    @property
    def is_current(self) -> bool:
        """Whether this version has written it, so that it can be used as it is."""


class Snapshots(Protocol):
    """Copies of a whole save in named slots."""

    def slots(self) -> list[str]:
        """The slots that hold a snapshot, in alphabetical order."""

    def write_steps(self, slot: Any) -> Generator[Step, None, None]:
        """Copy the save as it is now into a slot, in slices; the slot's former snapshot stays until the new
        one is whole and safe.

        Raises:
            InvalidArgumentError: the slot is no file name, or the save is in memory.
            SaveError: the copy could not be written.
        """

    def delete(self, slot: Any) -> None:
        """Delete the snapshot in a slot.

        Raises:
            InvalidArgumentError: the slot is no file name, or the save is in memory.
            SaveNotFoundError: the slot is empty.
            SaveError: it could not be deleted.
        """

    def opened(self, call: str, slot: Any) -> AbstractContextManager[SaveState]:
        """The snapshot in a slot, to be read; `call` names the call in error messages.

        Raises:
            SaveNotFoundError: the slot is empty.
            SaveError: the snapshot is damaged or was written by a newer version; it is left untouched.
        """


class Storage(SaveState, Protocol):
    """One open save. What a transaction has written, a file or a server keeps when the process is killed."""

    path: str
    """What it was opened with: a file, or the name of a save on a server."""

    @property
    def owners(self) -> Owners:
        """The processes that own the NPCs."""

    @property
    def npcs(self) -> Npcs:
        """The NPCs, by number."""

    @property
    def vectors(self) -> Vectors:
        """The vectors of memories."""

    @property
    def comparing(self) -> Comparing | None:
        """The vectors, if the database compares them itself; None where a process has to load them."""

    @property
    def terms(self) -> Terms:
        """The keyword index."""

    @property
    def lists(self) -> Lists:
        """Lists of memories by conditions and words."""

    @property
    def interactions(self) -> Interactions:
        """The log of events, and the feelings that they left behind."""

    @property
    def archive(self) -> Archive:
        """Memories that hold no longer."""

    @property
    def marks(self) -> Marks:
        """Points that the save can go back to."""

    @property
    def exchanges(self) -> Exchanges:
        """The exchanges that can be undone."""

    @property
    def snapshots(self) -> Snapshots:
        """Copies of the whole save."""

    @property
    def name(self) -> str:
        """The name of the save in messages."""

    @property
    def change_count(self) -> int:
        """A number that grows with everything that is written."""

    def versions(self) -> dict[str, Any]:
        """The versions that health() reports: schema_version, and its engine's where it has one."""

    def suspect(self) -> None:
        """Note that what was read does not fit together, for whoever opens the save next."""

    def folder(self, ending: str) -> Path | None:
        """A folder beside the save for what belongs to it; None for a save in memory or on a server. It may
        not exist.
        """

    def transaction(self) -> AbstractContextManager[None]:
        """All writes inside become one commit, or none of them when an exception leaves it. One inside
        another is a part of that.
        """

    def sync(self) -> None:
        """Bring everything that was written to the disk, where a power cut does not touch it. Outside a
        transaction.
        """

    def close(self) -> None:
        """Write everything to the disk, and release the save."""

    def replace_all(self, source: SaveState) -> None:
        """Become a copy of another save or snapshot of the same backend, and the same server, all of it or
        nothing; one of an older version becomes a current one.
        """

    def copy_steps(self, target: Path) -> Generator[Step, None, None]:
        """Write the save as it is now into a new file, in slices; it is on the disk at the end.

        Raises:
            OSError: it could not be written.
            StoreError: the save is on a server, which has its own ways to copy it.
        """

    def contents(self) -> dict[str, Any]:
        """The contents of the save in numbers: {schema_version, npcs, memories, oldest, newest, documents:
        {kind: how many}, campaign: the content of that document}; the world's memories are not counted.
        """
