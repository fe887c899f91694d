"""Taking files of other programs into the world and its NPCs, and taking that back."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.game_call import DONE, Done, game_call
from rag_memory.memory.owners import LORE, WORLD, is_npc, validate_npc_id
from rag_memory.portable.foreign_file import OPTIONS, read_plan
from rag_memory.portable.import_plan import ImportPlan
from rag_memory.portable.table_columns import refuse_unusable
from rag_memory.step import Steps, in_slices, run
from rag_memory.text.file_text import FileData, FileText
from rag_memory.validation import shown, validate_options, validate_text
from rag_memory.world.lore_import import LoreImport
from rag_memory.world.lore_sources import SOURCE, LoreSources
from rag_memory.world.lore_text import LoreText, lore_text
from rag_memory.world.world_context import WorldContext

_LORE_OPTIONS = ("key", "tags", "known_by")


class FileImports:
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
        """Imports a file of another program: a lorebook (SillyTavern, RisuAI, or that of a card), a character
        card (V1 to V3, JSON or PNG) with its book, a chat (SillyTavern, or a text with lines such as `Mira:
        Good morning.`), a dialogue file (`.ink`, `.dialogue`), or a table (CSV, JSON, JSONL, a collection of
        Chroma).

        Entries of a book become lore, as by `import_lore()`; a card's book is known to its character alone,
        unless `known_by` says otherwise. The character comes back as the properties of an `NPCPersonality`
        (`NPCPersonality.from_data()`). A chat becomes turns of the NPC, with the memories that
        `RAGMemory.store_turn()` stores by its rules; no extractor is asked. A dialogue file becomes
        lore, or turns when `npc` or `character` is given. Each row of a table becomes a memory. All of it is
        written at once, or nothing when the call fails. `undo_import()` takes it back.
        `MemoryServer.preview_import()` shows it before.

        Args:
            source: a file (`res://` or `user://`) of up to 32 MiB, or its text.
            options: `key`, `tags` and `known_by` as in `import_lore()`; without a `key` the name of the book
                or of the character is one. `player` and `character` are the names for `{{user}}` (`"the
                player"`) and for `{{char}}`; in a chat those of the two who talk. `npc` is the id of the NPC
                who remembers a chat, or the rows of a table that name none. `columns` says what the columns
                of a table are: the heading for keys of a memory (`text`, `importance`, `timestamp`,
                `topics`, ...), for `npc`, and for `day` (of the game); `""` for none. What it does not say is
                guessed. A column without a key is left out.

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
        refuse_unusable(call, plan)
        written = {name: options[name] for name in _LORE_OPTIONS if name in options}
        result: dict[str, Any] = {**plan.as_data(), "import": "", "lore": {}}
        if plan.lore:
            options = {"key": plan.id, "name": plan.name, **written}
            text = lore_text(call, FileText(plan.lore, source.path), options)
            result |= yield from self._sources.alone_steps(text.key, self._lore_steps(text))
        elif plan.turns or plan.memories:
            result |= yield from self._npcs_steps(call, plan)
        return result

    @game_call(writes=True)
    def undo_import(self, id: str = "") -> Done:
        """Takes back what `import_file()` has written: new lore, turns and memories are gone, and what they
        replaced is again what it was.

        Args:
            id: what `import_file()` returned as `import`; empty for the last import. The last 20 of lore and
                the last 20 of turns and memories can be undone, each once, also after a restart.

        Raises:
            InvalidArgumentError: there is no such import, or its lore was imported anew or removed since.
                Nothing is changed.
            NpcLockedError: another server has an NPC that it concerns. Nothing is changed.
            StoreError: the database could not write. Nothing is changed.
        """
        id = validate_text("undo_import()", "id", id)
        store = self._context.store
        ids_before = {number: npc_id for npc_id in store.npcs.ids() if (number := store.npcs.number(npc_id))}
        concerned: list[str] = []
        try:
            with self._context.transaction():
                undoable = self._undoable()
                if not undoable or (id and id not in undoable):
                    raise InvalidArgumentError(
                        f"undo_import(): the import {shown(id)} cannot be taken back"
                        if id
                        else "undo_import(): there is no import to take back",
                        "its lore was imported anew or removed since, or it is none of the last 20 imports",
                        "Pass what import_file() returned as import, the last import first",
                    )
                undone = self._context.undo(id or undoable[0])
                owners = [ids_before[number] for number in undone.npcs if number in ids_before]
                concerned = [npc_id for npc_id in owners if is_npc(npc_id)]
                for npc_id in concerned:
                    store.owners.check(npc_id)
        finally:
            self._context.reload_all(concerned)
        return DONE

    def _undoable(self) -> list[str]:
        """The imports that can be taken back, the last one first."""
        exchanges, standing = self._context.store.exchanges, self._standing()
        writes = [write for write in exchanges.last(LORE) if write.exchange_id in standing]
        writes += exchanges.last(WORLD)
        return [write.exchange_id for write in sorted(writes, key=lambda write: -write.write_order)]

    def _standing(self) -> set[str]:
        """The imports that wrote lore as it is now: what was written over one may share its chunks."""
        return {source.exchange_id for source in self._context.store.documents.find(SOURCE)}

    def _lore_steps(self, text: LoreText) -> Steps[dict[str, Any]]:
        vectors = yield from self._import.vectors_steps(text)
        id = uuid.uuid4().hex
        with self._context.transaction(), self._context.save.exchange(id, LORE):
            # Nothing else happens in between: an undo takes back the whole of it.
            imported = run(self._import.import_steps(text, vectors))
        return {"import": id if id in self._standing() else "", "lore": imported}

    def _npcs_steps(self, call: str, plan: ImportPlan) -> Steps[dict[str, Any]]:
        content = plan.by_npc()
        npc_ids = [validate_npc_id(npc_id) for npc_id in content]
        writes = []
        for npc_id, (turns, memories) in content.items():
            imports = self._context.npc(npc_id).imports
            writes.append((yield from imports.prepared_steps(call, turns, memories)))
        id = uuid.uuid4().hex
        with self._context.transaction(npc_ids), self._context.save.exchange(id, WORLD):
            for write in writes:
                write()
        return {"import": id}
