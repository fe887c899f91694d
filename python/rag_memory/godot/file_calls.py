"""The calls of the Godot singleton MemoryServer about files with lore and characters. They need no save."""

from __future__ import annotations

from typing import Any

from rag_memory.godot.arguments import file_data, file_text
from rag_memory.godot.declare import NO_VALUES, method
from rag_memory.godot.open_saves import OpenSaves
from rag_memory.portable.foreign_file import OPTIONS, read_plan
from rag_memory.step import Steps
from rag_memory.text.file_text import FileData, FileText
from rag_memory.validation import validate_options
from rag_memory.world.lore_preparing import prepare_steps


class FileCalls:
    """Reads files, and makes vectors of them ahead."""

    def __init__(self, saves: OpenSaves) -> None:
        self._saves = saves

    @method(unordered=True)
    def prepare_lore(self, source: FileText, options: dict[str, Any] = NO_VALUES) -> Steps[dict[str, Any]]:
        """Embeds a lore file ahead, so that no game does it at its first start. Needs no save.

        The vectors go into the folder `lore` beside the prepared saves. An export does this by itself for the
        files in the project setting `rag_memory/lore/sources`. Call it before, in the editor, when a file has
        many words: 1,000 chunks take about a minute, and the export waits for them.

        Args:
            source: a file (`res://` or `user://`), or the text itself, as in `MemoryWorld.import_lore()`.
            options: `key`, as that of `MemoryWorld.import_lore()`.

        Returns:
            `key`, `chunks`, `embedded` (how many were not prepared before) and `file`.
        """
        text = file_text("prepare_lore()", source)
        folder = self._saves.folders.prepared_lore
        return (yield from prepare_steps(text, options, self._saves.models.load(), folder))

    @method(unordered=True)
    def preview_import(self, source: FileData, options: dict[str, Any] = NO_VALUES) -> dict[str, Any]:
        """Reads a file of another program and says what an import would bring in. Nothing is written, and no
        save has to be open. `MemoryWorld.import_file()` imports it.

        Args:
            source: a file or a text, as in `MemoryWorld.import_file()`.
            options: `player`, `character`, `npc` and `columns`, as there.

        Returns:
            `format` (such as `"character card V2"`), `name`, `id` (of NPC or lore), `lore` (Markdown),
            `entries` (how many entries of the file the lore has), `personality` (the properties of an
            `NPCPersonality`), `greetings` (first lines of the character), `turns` (of a chat: Dictionaries
            with `player_message` and `npc_message`), `memories` (Dictionaries with `npc_id` and the keys of
            `RAGMemory.store_batch()`), `table` (its `headings`, the `columns` that are read, and the first
            `rows`), and `not_kept`: a sentence for each thing that the file has and an import leaves out.

        Raises:
            InvalidArgumentError: it is no such file, or damaged.
        """
        call = "preview_import()"
        options = dict(validate_options(call, options, OPTIONS))
        return read_plan(call, file_data(call, source), options).as_data()
