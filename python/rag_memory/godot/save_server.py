"""What save_folder.py does with files, done with the saves on a server."""

from __future__ import annotations

from typing import Any

from rag_memory.godot.save_folder import info_from
from rag_memory.save import Save
from rag_memory.step import Steps
from rag_memory.storage.backends import server_saves
from rag_memory.storage.file_name import check_file_name, check_no_other_case
from rag_memory.storage.postgres_storage import MemoryPostgresStorage

_NO_SIZE = -1


def list_saves(where: MemoryPostgresStorage) -> list[str]:
    """The ids of all saves there, sorted. Raises SaveError, as all functions here."""
    return server_saves(where).names()


def has_save(where: MemoryPostgresStorage, save_id: str) -> bool:
    return save_id in list_saves(where)


def info_of(where: MemoryPostgresStorage, save_id: str, opened: Save | None) -> dict[str, Any]:
    """What get_save_info() tells of a save; `opened` when it is open here."""
    contents = server_saves(where).contents_of(save_id)
    return info_from(save_id, contents if opened is None else {**contents, "state": "open"}, _NO_SIZE)


def copy_save_steps(where: MemoryPostgresStorage, save_id: str, to: str, opened: Save | None) -> Steps[None]:
    """Copy a save with its snapshots, in slices; whole or not at all. `opened` when it is open here."""
    check_file_name(to, "the id of a save", "shard_1", is_new=True)
    check_no_other_case(to, "the id of a save", list_saves(where))
    if opened is not None:
        opened.context.accesses.write()
    yield from server_saves(where).copy_steps(save_id, to)


def delete_save(where: MemoryPostgresStorage, save_id: str) -> None:
    """Delete a save with its snapshots, which nobody has open."""
    server_saves(where).delete(save_id)
