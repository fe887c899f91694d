"""Opening a save: its file, its embedding model, and how its memories are compared."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

from rag_memory.embedding.embedder import Embedder
from rag_memory.embedding.index_mode import DISABLED, EMBEDDED, index_mode
from rag_memory.embedding.no_embedder import NoEmbedder
from rag_memory.embedding.registry import default_embedder
from rag_memory.errors import InvalidArgumentError
from rag_memory.files import usable
from rag_memory.index.index_cache import DEFAULT_MIB, IndexCache
from rag_memory.save import Save
from rag_memory.saves.snapshots import Beginning
from rag_memory.searchable.save_context import Clock, SaveContext
from rag_memory.storage.backends import open_storage
from rag_memory.storage.file_name import check_file_name
from rag_memory.storage.fleeting_paths import MEMORY_PATH
from rag_memory.storage.server_storage import ServerStorage
from rag_memory.validation import clean_text, validate_flag, validate_text
from rag_memory.world.campaign import SaveLabels, label_save
from rag_memory.world.document_mending import mended_document


def open_save(
    path: str | os.PathLike[str],
    embedder: Embedder | None = None,
    clock: Clock = time.time,
    vector_cache_mib: int = DEFAULT_MIB,
    vector_index: str = EMBEDDED,
    vector_index_fallback: str = EMBEDDED,
    campaign: str = "",
    lore: Sequence[str] | None = None,
    storage: ServerStorage | None = None,
    read_only: bool = False,
    name: str = "",
    mod_profile: str = "",
    is_played: bool = True,
    beginning: Beginning | None = None,
) -> Save:
    """Open a save, or create it.

    Memories that have no vector of the embedder are found by their words until idle_step() or
    missing.make_steps() has made it.

    Args:
        path: the database file; ":memory:" for a save that is gone when it is closed. With `storage` the name
            of the save on the server.
        embedder: None for the built model, or the hashing fallback (with a logged warning) when there is
            none.
        clock: the game's time in seconds.
        vector_cache_mib: how much memory the search indexes of all NPCs may take together; beyond it the one
            asked longest ago is let go of, and loaded again when it is asked.
        vector_index: "embedded"; "disabled" finds memories by their words and needs no embedder; "server"
            leaves vectors in the database, which compares them.
        vector_index_fallback: what stands in for "server" when the save is a file: "embedded" or "disabled".
        campaign: what the save belongs to from then on, when it belongs to none; "" for any.
        lore: the keys of the lore that the save searches; None for what it has searched so far.
        storage: the server that keeps the save; None for a file.
        read_only: whether the save, which is on a server and there already, is never written: no NPC is
            taken, and every one is read as she is now.
        name: what the save is called from then on, for people to read; "" changes nothing.
        mod_profile: the set of mods that the save is played with, kept in the same way.
        is_played: whether the save notes that it is played now. A tool that only looks does not.
        beginning: what the save becomes before it is used; None leaves it as it was closed.

    Raises:
        SaveError: SaveDamagedError, SaveLockedError, SaveTooNewError, NotASaveError, or the folder is not
            writable.
        EmbedderError: the model is damaged.
        InvalidArgumentError: there is no such vector_index, or the save belongs to another campaign.
    """
    if validate_flag("open_save()", "read_only", read_only) and storage is None:
        raise InvalidArgumentError(
            "open_save(): read_only is true",
            "a save in a file has one user, who may write it",
            "Leave it out, or pass a storage on a server",
        )
    if read_only and beginning is not None:
        raise InvalidArgumentError(
            f"{beginning.call}: read_only is true",
            "the save would become another state, and is not to be written",
            "Leave read_only out, or open the save as it is",
        )
    mode = index_mode("open_save()", vector_index, vector_index_fallback, storage is not None)
    labels = SaveLabels(campaign, lore, name, mod_profile).validated()
    cache = IndexCache(vector_cache_mib)
    if storage is None:
        store = open_storage(_validate_path(path), mended_document)
    else:
        server_name = _validate_name(path, storage)
        store = storage.open(server_name, read_only)
    try:
        if beginning is None:
            label_save(store, labels)
        if mode.name == DISABLED:
            embedder = NoEmbedder()
        elif embedder is None:
            embedder = default_embedder()
        context = SaveContext(
            store, embedder, clock, cache, mode, notes_accesses=not read_only, is_read_only=read_only
        )
        save = Save(context)
        is_new = beginning is not None and save.snapshots.begin_from(beginning, labels)
        if is_played:
            save.note_played(is_begin=True, is_new=is_new)
        return save
    except BaseException:
        store.close()
        raise


def _validate_name(path: Any, storage: Any) -> str:
    """The name of a save on a server. It can be that of a file: saves may move."""
    if not isinstance(storage, ServerStorage):
        raise InvalidArgumentError(
            f"open_save(): storage is {storage!r}",
            "it has to be the address of a server, such as a MemoryPostgresStorage",
            "Leave it out for a file",
        )
    name = validate_text("open_save()", "path", path)
    check_file_name(name, "the name of a save", "shard_1", is_new=True)
    return name


def _validate_path(path: Any) -> str:
    if not isinstance(path, str | os.PathLike):
        raise InvalidArgumentError(
            f"open_save(): path is {path!r}", "it has to be a path", 'Pass a file name, or ":memory:"'
        )
    text = os.fspath(path)
    if not isinstance(text, str) or not text or clean_text(text) != text:
        raise InvalidArgumentError(
            f"open_save(): {text!r} is no usable path", "it is empty or no proper text", "Pass a file name"
        )
    return text if text == MEMORY_PATH else str(usable(text))
