"""What every storage backend keeps: the memories of a save, their vectors and terms, and the archive.

A memory is a Record. Its `key` is its place in the save: a number that grows with every memory and is never
given twice. An NPC and an embedding model have numbers, too. Vectors are float32 of length 1.

Methods that change something say "Inside a transaction". Every method of an open storage raises a StoreError
when the backend fails, and so does a closed one.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from rag_memory.index.columns import SearchedRow
from rag_memory.memory.archived import Archived
from rag_memory.memory.record import Record
from rag_memory.step import Step
from rag_memory.storage.captured import Captured
from rag_memory.storage.comparing import MayCompare
from rag_memory.storage.comparison import Comparable
from rag_memory.storage.filter import Condition
from rag_memory.storage.listing import Listing
from rag_memory.storage.mark import Marks
from rag_memory.storage.ownership import Owning
from rag_memory.storage.rollback import Rollback
from rag_memory.storage.sql.interactions import Interactions
from rag_memory.storage.sql.records import Records
from rag_memory.vectors import FloatMatrix, FloatVector, Keys


class Npcs(Protocol):
    """The NPCs of a save, by number."""

    def npc_number(self, npc_id: str) -> int | None:
        """The NPC's number in this save, or None when nothing was ever stored for it."""

    def add_npc(self, npc_id: str) -> int:
        """The number of a new NPC. Inside a transaction."""

    def npc_ids(self) -> list[str]:
        """Every NPC that has a number in this save, in alphabetical order."""

    def revision(self, npc: int) -> int:
        """A number that no other state of the NPC's vectors has, not even in a copy of the save."""

    def touch(self, npc: int) -> None:
        """Note that the NPC's vectors have changed: a new revision. Inside a transaction."""


class RecordsRead(Protocol):
    """Reading memories by their keys; what is archived has none. Records finds memories by what they hold."""

    def by_keys(self, keys: Sequence[int]) -> list[Record]:
        """The memories with these keys, in ascending order of key; unknown ones are left out."""

    def read_once(self, keys: Sequence[int]) -> list[Record]:
        """by_keys() of memories that are not asked for again soon: they are not kept in memory."""


class RecordsWritten(Protocol):
    """Writing memories."""

    def insert(self, npc: int, record: Record, vector: FloatVector, model: int) -> int:
        """Add a memory with its vector; its key. Inside a transaction.

        Raises:
            StoreError: the NPC has a memory with this id.
        """

    def replace(self, npc: int, record: Record, vector: FloatVector, model: int) -> None:
        """Give the memory with `record.key` new content and a new vector. Inside a transaction."""

    def revise(self, npc: int, record: Record) -> None:
        """Give the memory with `record.key` new metadata; its text, and so its vector, stays. Inside a
        transaction.
        """

    def access(self, accesses: Mapping[int, float]) -> None:
        """Give memories, by key, the time at which they last entered an answer; keys that are gone are left
        out. Inside a transaction.
        """

    def supersede(self, keys: Sequence[int], by: str, at: float) -> None:
        """Mark memories as superseded by the one with the id `by`. Inside a transaction."""

    def unsupersede(self, npc: int, by: str) -> None:
        """Take the mark from what the memory with the id `by` has superseded. Inside a transaction."""

    def delete(self, key: int) -> None:
        """Delete a memory and its vector. Inside a transaction."""

    def delete_all(self, npc: int) -> int:
        """Delete every memory of the NPC; how many there were. Inside a transaction."""


class Vectors(Protocol):
    """The vectors of memories, and the embedding models that made them."""

    def model_number(self, fingerprint: str, name: str, dimension: int) -> int:
        """The number under which vectors of this embedding model are kept; a new one for a new model. A known
        one costs no write.
        """

    def keys_of_other_models(self, model: int) -> list[int]:
        """The memories whose vector is missing or of another model, of NPCs of this process; ascending."""

    def complete_vectors(self) -> None:
        """See that every memory has a vector, be it one of no model (NoEmbedder)."""

    def set_vectors(self, keys: Sequence[int], vectors: FloatMatrix, model: int) -> None:
        """Give memories new vectors, and their NPCs new revisions. Inside a transaction."""

    def vectors_of(self, keys: Sequence[int], model: int) -> dict[int, FloatVector]:
        """The vectors of those of these memories that have one of this model, by key."""

    def searched(
        self, keys: Sequence[int], model: int, dimension: int
    ) -> tuple[list[SearchedRow], FloatMatrix]:
        """What these memories, ascending, are searched by, and their vectors in the same order, shape
        [n, dimension]; of zeros where a memory has none of this model.
        """


class Terms(Protocol):
    """The keyword index: which memories have a term. Kinds are those of text/index_terms.py."""

    def rebuild_terms_steps(self) -> Generator[Step, None, None]:
        """Make the keyword index, and what else follows from the texts, anew, in slices. It can be given up
        between two of them.
        """

    def keys_with_term(self, npc: int, kind: str, term: str) -> Keys:
        """The NPC's memories that have a term; ascending."""

    def terms_of_kind(self, npc: int, kind: str) -> list[str]:
        """Every term of a kind that the NPC's memories have."""

    def index_terms(self, npc: int, keys: Sequence[int]) -> list[list[str]]:
        """Kinds and terms of these memories of the NPC, like "wmill", in ascending order of key."""


class Archive(Protocol):
    """What holds no longer but may come back: out of reach of every search, count and question.

    What a memory was before it was told again is kept without text and vector (memory/repetition.py); only a
    rollback needs it, and no list shows it. Neither do lists show what says the same as the memory that has
    its id now.
    """

    def archive(self, keys: Sequence[int], archived: Archived) -> None:
        """Move memories and their vectors into the archive. Inside a transaction."""

    def archive_copy(self, keys: Sequence[int], archived: Archived) -> None:
        """Keep in the archive what memories say now, before they are replaced. Inside a transaction."""

    def archive_repeated(self, npc: int, record: Record, at: float, model: int) -> None:
        """Keep in the archive when and with what weight a memory was told before it is told again. Inside a
        transaction.
        """

    def archive_new(
        self, npc: int, archived: Archived, record: Record, vector: FloatVector, model: int
    ) -> None:
        """Add a memory to the archive that was never in force in this save; with `record.key` it is an
        earlier version of the memory with that key. Inside a transaction.
        """

    def forget_archived(self, npc: int, id: str | None = None) -> None:
        """Delete what the archive holds of the NPC, or of one of its memories. Inside a transaction."""

    def capture(self, npc: int | None, id: str) -> Captured:
        """Everything there is under an id, to be put back."""

    def put_back(self, npc: int, captured: Sequence[Captured]) -> list[Record]:
        """Make these ids again what they were when they were captured; the records that there are of them. A
        key is the old one, unless another memory has it by now. Inside a transaction.

        Raises:
            InvalidArgumentError: they were captured from a save with other embedding models.
        """

    def roll_back(self, moment: float) -> Rollback:
        """Forget everything that was stored, or is dated, later than `moment`, of all NPCs. Memories archived
        later come back, supersessions of later are undone, what was accessed later was accessed at `moment`,
        and later marks cannot be reached. Feelings are again what they were. Inside a transaction.
        """


class Lists(Protocol):
    """Lists of memories by conditions and words."""

    def keys_where(self, npc: int, condition: Condition) -> Keys:
        """The NPC's memories that meet a condition on any field but npc_id; ascending."""

    def listed(self, npc: int, npc_id: str, listing: Listing) -> Keys:
        """The keys of a list's memories, or their numbers in the archive, in the order of the list."""


class SaveState(Comparable, Protocol):
    """A state of a save to be read as a whole: a snapshot, or the save itself."""

    @property
    def is_current(self) -> bool:
        """Whether this version has written it, so that it can be used as it is."""


class Storage(
    Owning,
    Npcs,
    RecordsRead,
    RecordsWritten,
    Vectors,
    MayCompare,
    Terms,
    Archive,
    Marks,
    Lists,
    SaveState,
    Protocol,
):
    """One open save. What a transaction has written, a file or a server keeps when the process is killed."""

    path: str
    """What it was opened with: a file, or the name of a save on a server."""

    @property
    def records(self) -> Records:
        """The memories in force, found by what they hold."""

    @property
    def interactions(self) -> Interactions:
        """The log of events, and the feelings that they left behind."""

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def change_count(self) -> int:
        """A number that grows with everything that is written."""

    def versions(self) -> dict[str, Any]:
        """What health() tells of the backend: schema_version and its engine's version, where it has them."""

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

    def close(self) -> None:
        """Put everything where it is kept, and release it."""

    def replace_all(self, source: SaveState) -> None:
        """Become a copy of another save or snapshot of the same backend, and the same server, all of it or
        nothing; one of an older version becomes a current one.
        """

    def snapshot_steps(self, slot: Any) -> Generator[Step, None, None]:
        """Copy the save as it is now into a slot, in slices; the slot's former snapshot stays until the new
        one is whole and safe.

        Raises:
            InvalidArgumentError: the slot is no file name, or the save is in memory.
            SaveError: the copy could not be written.
        """

    def copy_steps(self, target: Path) -> Generator[Step, None, None]:
        """Write the save as it is now into a new file, in slices; it is on the disk at the end.

        Raises:
            OSError: it could not be written.
            StoreError: the save is on a server, which has its own ways to copy it.
        """

    def snapshots(self) -> list[str]:
        """The slots that hold a snapshot, in alphabetical order."""

    def delete_snapshot(self, slot: Any) -> None:
        """Delete the snapshot in a slot.

        Raises:
            InvalidArgumentError: the slot is no file name, or the save is in memory.
            SaveNotFoundError: the slot is empty.
            SaveError: it could not be deleted.
        """

    def contents(self) -> dict[str, Any]:
        """What is in the save: {schema_version, npcs, memories, oldest, newest, documents: {kind: how many},
        campaign: the content of that document}; the world's memories are not counted.
        """

    def opened_snapshot(self, where: str, slot: Any) -> AbstractContextManager[SaveState]:
        """The snapshot in a slot, to be read; `where` names the call in error messages.

        Raises:
            SaveNotFoundError: the slot is empty.
            SaveError: the snapshot is damaged or was written by a newer version; it is left untouched.
        """
