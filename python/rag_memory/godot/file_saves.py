"""Opening a save in its file, or in memory where a game can write no file."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from rag_memory.errors import SaveUnwritableError
from rag_memory.godot import save_folder
from rag_memory.godot.save_folder import Folders
from rag_memory.save import Save
from rag_memory.saves.snapshots import Beginning
from rag_memory.storage.fleeting_paths import MEMORY_PATH

OpenFunction = Callable[[str | Path, Beginning | None], Save]
"""Opens a save at a path, as it begins."""
_LOG = logging.getLogger("rag_memory")


class FileSaves:
    """The saves in the game's folder."""

    def __init__(self, folders: Folders, is_editor: bool) -> None:
        self._folders = folders
        self._is_editor = is_editor
        self._has_warned = False

    def open(
        self,
        call: str,
        save_id: str,
        prepared: str | None,
        beginning: Beginning | None,
        open_at: OpenFunction,
    ) -> Save:
        """Open a save in its file. Where no file can be written, a game gets one in memory, unless there is
        something of this save already: nobody is to find it empty.

        Raises:
            SaveUnwritableError: the save is there and cannot be written, or this is the editor.
        """
        is_new = not save_folder.has_save(self._folders.saves, save_id)
        is_unused = save_folder.is_unused(self._folders.saves, save_id)
        try:
            with save_folder.to_open(self._folders, save_id, None if beginning else prepared) as path:
                opened = open_at(path, beginning)
        except SaveUnwritableError as error:
            if not is_unused or self._is_editor:
                raise
            if not self._has_warned:
                self._has_warned = True
                _LOG.warning("NPCs remember until the game ends, and nothing they learn is saved. %s", error)
            if beginning is None and prepared is not None:
                file = save_folder.prepared_file(self._folders.prepared, prepared)
                beginning = Beginning(call, prepared=file)
            return open_at(MEMORY_PATH, beginning)
        if is_new and prepared is not None and not self._is_editor:
            opened.note_played(is_new=True)  # The prepared save is older.
        return opened
