"""Which saves are open: the one the game chose, and the one in memory for nodes that are not persistent."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.embedding.embedder import Embedder
from rag_memory.embedding.index_mode import DISABLED, EMBEDDED, FALLBACK, check_modes, index_mode, read_modes
from rag_memory.errors import (
    ConfigError,
    EmbedderError,
    InvalidArgumentError,
    RagMemoryError,
    SaveNotFoundError,
)
from rag_memory.godot import save_folder
from rag_memory.godot.embedding_models import EmbeddingModels
from rag_memory.godot.embedding_source import ModelFunction
from rag_memory.godot.save_folder import Folders
from rag_memory.godot.save_server import NO_STORAGES, Storages, storage_of
from rag_memory.godot.save_settings import AskStepsFunction, IsSetFunction, SaveSettings
from rag_memory.index.index_cache import DEFAULT_MIB
from rag_memory.memory.company import ELSEWHERE
from rag_memory.opening import open_save
from rag_memory.save import Save
from rag_memory.saves.snapshots import Beginning
from rag_memory.step import Step
from rag_memory.storage.fleeting_paths import MEMORY_PATH
from rag_memory.storage.server_storage import ServerStorage
from rag_memory.storage.snapshot_slot import validate_slot
from rag_memory.validation import shown, validate_options, validate_text
from rag_memory.world.campaign import labels_of
from rag_memory.world.world import World

DEFAULT_SAVE = "default"
SERVER_INSTANCE, WORLD_INSTANCE = 0, 1
"""What stands for the instance ids of MemoryServer and MemoryWorld; the numbers are the native host's."""
EventFunction = Callable[[int, str, list[Any]], None]
"""Told a signal: the instance, its name and arguments."""
_OPEN_OPTIONS = (
    *("campaign", "lore", "mod_profile", "name", "prepared", "read_only", "snapshot", "storage"),
    *("vector_cache_mib", "vector_index", FALLBACK),
)
_LOG = logging.getLogger("rag_memory")


class OpenSaves:
    """The saves that are open, and what all of them share."""

    def __init__(
        self,
        folders: Folders,
        clock: Callable[[], float],
        emit: EventFunction,
        ask: AskStepsFunction,
        is_editor: bool = False,
        vector_index: str = EMBEDDED,
        model: ModelFunction | None = None,
        storages: Storages = NO_STORAGES,
        is_set: IsSetFunction = lambda _function: False,
    ) -> None:
        self.folders = folders
        self.storages = storages
        """Where saves on a server can be."""
        self._vector_index = _valid_setting(vector_index)
        self.now = clock
        self.nodes: dict[int, Any] = {}
        """The objects of the game that were used, by their instance ids; those of NPCs have `senses`."""
        self.models = EmbeddingModels(folders.models, model)
        self.chosen: Save | None = None
        """The one the game has opened."""
        self.chosen_id = ""
        self.chosen_storage: ServerStorage | None = None
        """Where it is; None for a file."""
        self.before_close: Callable[[], None] | None = None
        """Called while the chosen save can still be used for the last time."""
        self._volatile: Save | None = None
        self._emit = emit
        self._is_editor = is_editor
        self.settings = SaveSettings(
            self, folders.prepared_lore, ask, is_set, self._emit_world_event, is_editor, self
        )
        self._closed_by = ""
        """Why no save is open, once the game chooses its saves itself."""
        self._failed_to_open = False

    def senses_of(self, save: Save, npc_id: str) -> int | None:
        """Return what an NPC perceives as a bystander, as the last of its nodes on a save says; None without
        a node, and ELSEWHERE when all of them are on the other save.
        """
        on_save, nodes = self._nodes_of(save, npc_id)
        return int(on_save[-1].senses) if on_save else ELSEWHERE if nodes else None

    def config_of(self, save: Save, npc_id: str) -> MemoryConfig | None:
        """Return the config of the last of an NPC's nodes on a save; None without one. An invalid one is an
        error of the node's own calls.
        """
        on_save, _nodes = self._nodes_of(save, npc_id)
        with contextlib.suppress(ConfigError):
            config: MemoryConfig | None = on_save[-1].config if on_save else None
            return config
        return None

    def _nodes_of(self, save: Save, npc_id: str) -> tuple[list[Any], list[Any]]:
        """The nodes of an NPC that are on a save, and all of its nodes."""
        nodes = [node for node in self.nodes.values() if hasattr(node, "senses") and node.npc_id == npc_id]
        return [node for node in nodes if node.is_of(npc_id, save is not self._volatile)], nodes

    def __iter__(self) -> Iterator[Save]:
        return (save for save in (self.chosen, self._volatile) if save is not None)

    def choose(self, save_id: str, options: Mapping[str, Any], is_new_game: bool = False) -> None:
        """Open a save because the game says so, for a new game if it `is_new_game`.

        When that fails and no other save is open, calls that need one fail and say why.
        """
        name = "new_game" if is_new_game else "open_save"
        try:
            self._open(f"{name}()", save_id, options, is_new_game)
        except Exception as error:
            if self.chosen is None:
                self._closed_by = f"{name}({shown(save_id)}) failed: {error}"
                self._failed_to_open = True
            raise

    def close(self, by: str) -> None:
        """Close the chosen save because the game says so with the call `by`."""
        if self.chosen is not None:
            self._closed_by = f"{by} closed the save {shown(self.chosen_id)}"
            self._failed_to_open = False
        self._close()

    def for_node(self, persistent: bool) -> Save:
        """The save a node works on: the chosen one, or the one in memory. A game that has chosen none so far
        gets "default"; the editor does not.

        Raises:
            SaveNotFoundError: the save that the game chose could not be opened, or was closed; in the editor,
                none is open.
        """
        if not persistent:
            if self._volatile is None:
                self._volatile = self._opened(
                    MEMORY_PATH,
                    {},
                    self.models.load_or_none if self.chosen is None else self.models.current_or_none,
                )
            return self._volatile
        if self.chosen is None:
            if self._closed_by:
                raise self._none_open("memories are kept in a save")
            if self._is_editor:
                raise SaveNotFoundError(
                    "memories are kept in a save and none is open",
                    "in the editor no save is opened unasked, so that no @tool script writes into a game's",
                    "Have the script return when Engine.is_editor_hint(), or call open_save() first",
                )
            self._open("open_save()", DEFAULT_SAVE, {})
        assert self.chosen is not None
        return self.chosen

    def copy_to_memory(self, save_id: str) -> None:
        """Make the save in memory what the chosen one is now.

        Raises:
            InvalidArgumentError: that is another save than this one, or it is on a server.
        """
        if self.chosen is None or self.chosen_id != save_id or self.chosen_storage is not None:
            raise InvalidArgumentError(
                f"copy_save(): {shown(save_id)} cannot be copied into memory",
                "only the open save can be, and only from a file",
                "Call MemoryServer.open_save() first",
            )
        self.chosen.snapshots.copy_into(self.for_node(persistent=False).snapshots)

    def world(self, persistent: bool) -> World:
        """The world of the save that a node works on.

        Raises:
            SaveNotFoundError: as for_node().
            ConfigError: a value of the config is out of its range.
        """
        self.settings.check_world_config()
        return self.for_node(persistent).world

    def needed_for(self, what: str) -> Save:
        """The chosen save, for a call that makes no sense without one.

        Raises:
            SaveNotFoundError: none is open.
        """
        if self.chosen is None:
            raise self._none_open(f"{what}() needs a save")
        return self.chosen

    def for_reading(self, what: str) -> Save | None:
        """Return the chosen save for a call that reads it; None when there is none.

        Raises:
            SaveNotFoundError: the save that the game chose could not be opened.
        """
        return self.needed_for(what) if self._failed_to_open else self.chosen

    def opened(self, save_id: str, storage: ServerStorage | None = None) -> Save | None:
        """The chosen save if that is the one; it is needed open, or not at all."""
        is_there = (storage and storage.place) == (self.chosen_storage and self.chosen_storage.place)
        return self.chosen if save_id == self.chosen_id and is_there else None

    def all_for(self, call: str) -> list[Save]:
        """Every open save, the chosen one first, for a call that needs one.

        Raises:
            SaveNotFoundError: none is open, or the one that the game chose is not.
        """
        if self._volatile is None or self._closed_by:
            self.needed_for(call)
        return list(self)

    def _none_open(self, what: str) -> SaveNotFoundError:
        return SaveNotFoundError(
            f"{what} and none is open",
            self._closed_by or "open_save() was not called",
            "Call MemoryServer.open_save() with a save that can be opened, and look whether it returns OK",
        )

    def preload(self) -> None:
        """Load the embedding model, if the game wants one."""
        if self._vector_index != DISABLED:
            self.models.load_or_none()

    def warm_up(self) -> None:
        """preload(). A damaged model is said here and fails the calls that need it, not the runtime."""
        try:
            self.preload()
        except EmbedderError as error:
            self.models.fault = str(error)
            _LOG.error("%s", error)

    def idle_step(self, is_alone: bool = True) -> Step | None:
        """A few milliseconds of work nobody waits for, as Save.idle_step(). `is_alone`: no call is under way
        between two slices.
        """
        waiting = self.models.look_step(is_alone)
        if self.models.take_return():
            for save in self:
                self._use_in(save)
                save.missing.look()
        for save in self:
            step = save.idle_step()
            if step is not None and not step.is_waiting:
                return step
            waiting = step or waiting
        return waiting

    def _use_in(self, save: Save) -> None:
        """Let a save have the model in use, unless it wants none."""
        embedder = self.models.current_or_none()
        if save.context.mode.name != DISABLED and save.embedder.fingerprint != embedder.fingerprint:
            save.indexes.use_embedder(embedder)

    def shut_down(self) -> None:
        """Close what is open, so that indexes are on disk when the interpreter ends."""
        try:
            self._close()
        finally:
            if self._volatile is not None:
                self._volatile.close()
                self._volatile = None

    def _open(self, call: str, save_id: str, options: Mapping[str, Any], is_new_game: bool = False) -> None:
        save_folder.check_save_id(save_id)
        validate_options(
            call, options, [name for name in _OPEN_OPTIONS if not is_new_game or name != "snapshot"]
        )
        prepared = options.get("prepared")
        if prepared is not None:
            save_folder.check_save_id(validate_text(call, "prepared", prepared))
        read_modes(call, options, self._vector_index)
        storage = storage_of(call, options, self.storages)
        if storage is not None and prepared is not None:
            raise InvalidArgumentError(
                f"{call}: prepared is {shown(prepared)}, and storage a {storage.title}",
                "a save on a server does not begin as a copy of a file",
                "Leave prepared out; MemoryWorld.import_json() and RAGMemory.import_json() fill a save",
            )
        beginning = None
        if is_new_game or "snapshot" in options:
            slot = None if is_new_game else validate_slot(call, options["snapshot"])
            file = prepared and save_folder.prepared_file(self.folders.prepared, prepared)
            beginning = Beginning(call, slot, file or None)
        opened = self.opened(save_id, storage)
        if opened is not None:
            opened.enter(labels_of(options), options.get("read_only", False), beginning)
            return
        if storage is None:
            is_new = not save_folder.has_save(self.folders.saves, save_id)
            with save_folder.to_open(self.folders, save_id, None if beginning else prepared) as path:
                opened = self._opened(path, options, self.models.load_or_none, beginning)
            if is_new and prepared is not None and not self._is_editor:
                opened.note_played(is_new=True)  # The prepared save is older.
        else:
            opened = self._opened(save_id, options, self.models.load_or_none, beginning)
        self._close_for(save_id)
        if self._volatile is not None:
            self._use_in(self._volatile)
        self.chosen, self.chosen_id, self.chosen_storage = opened, save_id, storage
        self._emit(SERVER_INSTANCE, "save_opened", [save_id])
        self._emit(WORLD_INSTANCE, "world_changed", [])

    def _opened(
        self,
        path: str | Path,
        options: Mapping[str, Any],
        load: Callable[[], Embedder],
        beginning: Beginning | None = None,
    ) -> Save:
        wanted, fallback = read_modes("open_save()", options, self._vector_index)
        storage = storage_of("open_save()", options, self.storages)
        mode = index_mode("open_save()", wanted, fallback, storage is not None)
        save = open_save(
            path,
            embedder=None if mode.name == DISABLED else load(),
            clock=self.now,
            vector_cache_mib=options.get("vector_cache_mib", DEFAULT_MIB),
            vector_index=wanted,
            vector_index_fallback=fallback,
            **labels_of(options)._asdict(),
            storage=storage,
            read_only=options.get("read_only", False),
            is_played=not self._is_editor,
            beginning=beginning,
        )
        try:
            self.settings.apply(save)
        except BaseException:
            save.close()
            raise
        return save

    def _emit_world_event(self, name: str, arguments: tuple[Any, ...]) -> None:
        self._emit(WORLD_INSTANCE, name, list(arguments))

    def _close(self) -> None:
        if self.chosen is None:
            return
        if self.before_close is not None:
            self.before_close()
        closed, self.chosen = self.chosen, None
        save_id, self.chosen_id, self.chosen_storage = self.chosen_id, "", None
        if not self._is_editor:
            with contextlib.suppress(RagMemoryError):  # A save that cannot be written closes as it is.
                closed.note_played()
        try:
            closed.close()
        finally:
            self._emit(SERVER_INSTANCE, "save_closed", [save_id])
            self._emit(WORLD_INSTANCE, "world_changed", [])

    def _close_for(self, next_id: str) -> None:
        """Close the chosen save for another one, which is not kept from being used when that fails."""
        save_id = self.chosen_id
        try:
            self._close()
        except Exception as error:
            _LOG.error(
                'The save "%s" could not be closed in order for "%s": %s It is closed all the same, '
                "with every memory in it; what could not be written is made up for when it is opened again.",
                save_id,
                next_id,
                error,
            )


def _valid_setting(vector_index: str) -> str:
    """The project setting, or its default when it is none of the modes."""
    try:
        check_modes("the project setting rag_memory/vector_index", vector_index)
    except InvalidArgumentError as error:
        _LOG.error("%s. %s is used instead.", str(error).rstrip("."), shown(EMBEDDED))
        return EMBEDDED
    return vector_index
