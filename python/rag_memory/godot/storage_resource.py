"""The Godot class MemoryPostgresStorage: where saves on a server are, as a Resource.

The properties are not written here: they are the fields of `rag_memory.storage.postgres_storage`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.godot.config_class import config_class
from rag_memory.storage.postgres_storage import MemoryPostgresStorage
from rag_memory.validation import shown

_CLASS, _VALUES = "class", "values"
"""The keys of what native/src/calls/sent_arguments.cpp makes of an object."""


@config_class("MemoryPostgresStorage", MemoryPostgresStorage)
class MemoryPostgresStorageResource:
    """Says where saves on a PostgreSQL server are, for a dedicated server or a world of many players.

    Pass it to `MemoryServer.open_save()` as the option `storage`. It needs PostgreSQL 18 with pgvector and a
    dedicated server: see docs/servers.md. A game that is played alone keeps its saves in files, and has no
    use for it. The password is never in the resource, so that no scene or resource file holds it.

    ```gdscript
    var storage := MemoryPostgresStorage.new()
    storage.host = "db.example.org"
    storage.password_file = "/run/secrets/postgres"
    ```
    """


def storage_of(call: str, options: Mapping[str, Any]) -> MemoryPostgresStorage | None:
    """The option `storage` of a call; None for files.

    Raises:
        InvalidArgumentError: it is no MemoryPostgresStorage, or a value of it cannot be used.
    """
    if "storage" not in options:
        return None
    sent = options["storage"]
    is_object = isinstance(sent, dict) and sent.keys() == {_CLASS, _VALUES}
    if not is_object or sent[_CLASS] != MemoryPostgresStorage.title:
        description = f"a {sent[_CLASS]}" if is_object else "null" if sent is None else shown(sent)
        raise InvalidArgumentError(
            f"{call}: storage is {description}",
            f"it has to be a {MemoryPostgresStorage.title}",
            "Leave it out for a save in a file",
        )
    return MemoryPostgresStorage(**sent[_VALUES])
