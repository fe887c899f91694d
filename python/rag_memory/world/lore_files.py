"""Taking lorebooks and character cards of other programs into the lore, and taking that back."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.game_call import DONE, Done, game_call
from rag_memory.memory.owners import LORE
from rag_memory.portable.foreign_file import OPTIONS, read_plan
from rag_memory.step import Steps, in_slices, run
from rag_memory.text.file_text import FileData, FileText
from rag_memory.validation import shown, validate_options, validate_text
from rag_memory.world.lore_import import LoreImport
from rag_memory.world.lore_sources import SOURCE, LoreSources
from rag_memory.world.lore_text import LoreText, lore_text
from rag_memory.world.world_context import WorldContext

_LORE_OPTIONS = ("key", "tags", "known_by")


class LoreFiles:
    """Imports files of other programs into the world."""

    def __init__(self, context: WorldContext, sources: LoreSources) -> None:
        self._context = context
        self._sources = sources
        self._import = LoreImport(context, sources)

    @game_call(writes=True, is_long=True)
    @in_slices
    def import_file(
        self, source: FileData, options: Mapping[str, Any] | None = None
    ) -> Steps[dict[str, Any]]:
        """Takes a file of another program into the world: a lorebook (SillyTavern, RisuAI, or that of a
        card), or a character card (V1 to V3, JSON or PNG) with its book.

        The entries become lore, as by `import_lore()`; a card's book is known to its character alone, unless
        `known_by` says otherwise. The character comes back as the properties of an `NPCPersonality`
        (`NPCPersonality.from_data()`). All of it is written at once, or nothing when the call fails.
        `undo_import()` takes it back. `MemoryServer.preview_import()` shows it before.

        Args:
            source: a file (`res://` or `user://`) of up to 32 MiB, or its text.
            options: `key`, `tags` and `known_by` as in `import_lore()`; without a `key` the name of the book
                or of the character is one. `player` and `character` are the names for `{{user}}` (`"the
                player"`) and for `{{char}}` in a lorebook.

        Returns:
            what `MemoryServer.preview_import()` returns, but as `lore` the result of `import_lore()`, empty
            when there was none, and `import`: the id for `undo_import()`, empty when nothing was written.

        Raises:
            InvalidArgumentError: it is no such file, or damaged. Nothing is changed.
            StoreError: the database could not write. Nothing is changed.
        """
        call = "import_file()"
        options = validate_options(call, options, (*OPTIONS, *_LORE_OPTIONS))
        plan = read_plan(call, source, options)
        written = {name: options[name] for name in _LORE_OPTIONS if name in options}
        result: dict[str, Any] = {**plan.as_data(), "import": "", "lore": {}}
        if plan.lore:
            options = {"key": plan.id, "name": plan.name, **written}
            text = lore_text(call, FileText(plan.lore, source.path), options)
            result |= yield from self._sources.alone_steps(text.key, self._import_steps(text))
        return result

    @game_call(writes=True)
    def undo_import(self, id: str = "") -> Done:
        """Takes back what `import_file()` has written: new lore is gone, and lore that it replaced is again
        what it was.

        Args:
            id: what `import_file()` returned as `import`; empty for the last import. The last 20 can be
                undone, each once, also after a restart.

        Raises:
            InvalidArgumentError: there is no such import, or its lore was imported anew or removed since.
                Nothing is changed.
            StoreError: the database could not write. Nothing is changed.
        """
        id = validate_text("undo_import()", "id", id)
        exchanges = self._context.store.exchanges
        try:
            with self._context.transaction():
                standing = self._standing()
                undoable = [
                    write.exchange_id for write in exchanges.last(LORE) if write.exchange_id in standing
                ]
                if not undoable or (id and id not in undoable):
                    raise InvalidArgumentError(
                        f"undo_import(): the import {shown(id)} cannot be taken back"
                        if id
                        else "undo_import(): there is no import to take back",
                        "its lore was imported anew or removed since, or it is none of the last 20 imports",
                        "Pass what import_file() returned as import, the last import first",
                    )
                exchanges.undo(id or undoable[0])
        finally:
            self._context.reload_all(())
        return DONE

    def _standing(self) -> set[str]:
        """The imports that wrote lore as it is now: what was written over one may share its chunks."""
        return {source.exchange_id for source in self._context.store.documents.find(SOURCE)}

    def _import_steps(self, text: LoreText) -> Steps[dict[str, Any]]:
        vectors = yield from self._import.vectors_steps(text)
        id = uuid.uuid4().hex
        with self._context.transaction(), self._context.save.exchange(id, LORE):
            # Nothing else happens in between: an undo takes back the whole of it.
            imported = run(self._import.import_steps(text, vectors))
        return {"import": id if id in self._standing() else "", "lore": imported}
