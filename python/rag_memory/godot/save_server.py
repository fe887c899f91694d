"""What save_folder.py does with files, done with the saves on a server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.godot.save_folder import info_from
from rag_memory.save import Save
from rag_memory.step import Steps
from rag_memory.storage.file_name import check_file_name, check_no_other_case
from rag_memory.storage.server_storage import ServerStorage
from rag_memory.validation import shown

Storages = Mapping[str, Callable[..., ServerStorage]]
"""What makes the address of a server of the values of a Godot Resource, by the name of its class."""
NO_STORAGES: Storages = MappingProxyType({})

_CLASS, _VALUES = "class", "values"
"""The keys of what native/src/calls/sent_arguments.cpp makes of an object."""
_NO_SIZE = -1


def storage_of(call: str, options: Mapping[str, Any], storages: Storages) -> ServerStorage | None:
    """The option `storage` of a call; None for files.

    Raises:
        InvalidArgumentError: it is no address of a server, a value of it cannot be used, or this game has no
            server part.
    """
    if "storage" not in options:
        return None
    sent = options["storage"]
    is_object = isinstance(sent, dict) and sent.keys() == {_CLASS, _VALUES}
    class_name = sent[_CLASS] if is_object else ""
    if class_name in storages:
        return storages[class_name](**sent[_VALUES])
    description = f"a {class_name}" if is_object else "null" if sent is None else shown(sent)
    if not storages:
        raise InvalidArgumentError(
            f"{call}: storage is {description}",
            "this game has no server part, which saves on a server need",
            "Leave it out for a save in a file; docs/servers.md says how to get the server part",
        )
    raise InvalidArgumentError(
        f"{call}: storage is {description}",
        f"it has to be a {' or a '.join(storages)}",
        "Leave it out for a save in a file",
    )


def list_saves(where: ServerStorage) -> list[str]:
    """The ids of all saves there, sorted. Raises SaveError, as all functions here."""
    return where.saves().names()


def has_save(where: ServerStorage, save_id: str) -> bool:
    return save_id in list_saves(where)


def info_of(where: ServerStorage, save_id: str, opened: Save | None) -> dict[str, Any]:
    """What get_save_info() tells of a save; `opened` when it is open here."""
    contents = where.saves().contents_of(save_id)
    return info_from(save_id, contents if opened is None else {**contents, "state": "open"}, _NO_SIZE)


def copy_save_steps(
    where: ServerStorage, save_id: str, to: str, opened: Save | None, replaces: bool
) -> Steps[None]:
    """Copy a save with its snapshots, in slices; whole or not at all. `opened` when it is open here. A save
    of the new id is replaced if it `replaces` one.
    """
    check_file_name(to, "the id of a save", "shard_1", is_new=True)
    check_no_other_case(to, "the id of a save", list_saves(where))
    if opened is not None:
        opened.context.accesses.write()
    yield from where.saves().copy_steps(save_id, to, replaces)


def delete_save(where: ServerStorage, save_id: str) -> None:
    """Delete a save with its snapshots, which nobody has open."""
    where.saves().delete(save_id)
