"""The calls of the Godot singleton MemoryServer about saves and snapshots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.godot import save_folder, save_marks, save_server
from rag_memory.godot.declare import OK, Error, PackedStringArray, ResourceOptions, Variant, method
from rag_memory.godot.open_saves import OpenSaves
from rag_memory.godot.save_server import storage_of
from rag_memory.step import Steps
from rag_memory.storage.fleeting_paths import MEMORY_PATH
from rag_memory.storage.server_storage import ServerStorage
from rag_memory.validation import shown, validate_flag, validate_options

NO_STORAGE = ResourceOptions()


class SaveCalls:
    """Opens, closes, copies and deletes saves and their snapshots."""

    def __init__(self, saves: OpenSaves) -> None:
        self._saves = saves

    @method(barrier=True, writes=True)
    def open_save(self, save_id: str, options: ResourceOptions = NO_STORAGE) -> Error:
        """Opens a save, creating it when it does not exist, and closes the one that was open.

        Opening the save that is open already changes nothing but its `campaign`, `lore`, `name` and
        `mod_profile`. On failure the save that was open stays open, and the reason is in the output. When
        none was open, every call of a `RAGMemory` fails until a save is open, except those of nodes with
        `RAGMemory.persistent` off. A damaged save is kept aside under another name (`ERR_FILE_CORRUPT`). A
        file that is no save is left as it is (`ERR_FILE_UNRECOGNIZED`). Where a game can write no file for a
        new save, the save is in memory until it is closed, with one warning; a save that exists and cannot be
        written is an error. When the save was made with another embedding model, or with none, its memories
        are embedded again while the worker is idle, with progress in the output. Until then they are found by
        their words.

        ```gdscript
        MemoryServer.open_save("slot_1", {"prepared": "village_lore"})
        ```

        Args:
            options: `campaign` is a name that the save keeps. From then on it opens with the same name, or
                with none. Another one is refused (`ERR_INVALID_PARAMETER`), so that campaigns stay separate.
                `lore` is an Array with the keys of the lore that the save searches, as
                `MemoryWorld.set_active_lore()` takes them. `name` (for people to read) and `mod_profile`
                (with which mods it is played) are Strings that the save keeps, too, until it is opened with
                others; `get_save_info()` returns them. `prepared` is the id of a prepared save. A save that
                does not exist yet begins as a copy of it. Prepared saves lie in the folder of the project
                setting `rag_memory/prepared_saves_folder`; in an exported game, those that were exported.
                Fill a prepared save with a clock (`set_clock()`) at or before the moment the game begins, or
                `rollback_to()` forgets what is in it. `snapshot` is the name of a snapshot of the save, as
                for a game that is loaded: the save is then exactly what it was when that snapshot was taken,
                whatever was stored in it since, also when it is open already. When there is no such snapshot,
                the save begins anew, as with `new_game()`. `vector_cache_mib` (512) is how many mebibytes the
                search indexes of all NPCs may take together. Beyond it, the index used longest ago is
                unloaded, and loaded again when its NPC is asked. NPCs asked at once are loaded one at a time,
                the smallest first. `vector_index` says how memories are found, if not as the project setting
                `rag_memory/vector_index` says: `"embedded"` by their meaning and their words, or `"disabled"`
                by their words alone. `"server"` is for a save on a server: it leaves all vectors there, and
                the server compares them. For a save in a file `vector_index_fallback` stands in, with a
                warning: `"embedded"` (the default) or `"disabled"`. `storage` is a `MemoryPostgresStorage`.
                The save is then on that server, and `ERR_CANT_CONNECT` says that it does not answer, or
                refuses the user. With `read_only` (for a save on a server alone) no NPC is acquired, nothing
                is written, and every NPC answers with what it remembers at that moment. The save has to be
                there.
        """
        self._saves.choose(save_id, options)
        return OK

    @method(barrier=True, writes=True)
    def new_game(self, save_id: str, options: ResourceOptions = NO_STORAGE) -> Error:
        """Opens a save for a new game: empty, whatever was in it.

        The snapshots of the save stay, so a player who starts over loses no slot. What came after the last
        snapshot is gone. It is as if `open_save()` were called with the name of a snapshot that does not
        exist. Either the save is as before, when the call fails or the game is killed meanwhile, or it is
        empty.

        ```gdscript
        MemoryServer.new_game("slot_1", {"prepared": "village_lore"})
        ```

        Args:
            options: those of `open_save()` but `snapshot`. With `prepared` the save begins as a copy of that
                prepared save, also when it existed.
        """
        self._saves.choose(save_id, options, is_new_game=True)
        return OK

    @method(barrier=True, writes=True, without_python=True)
    def close_save(self) -> Error:
        """Closes the open save and writes its search index to disk. Does nothing when none is open.

        Everything stored before this call is written first, so a game that quits should wait for it: `await
        MemoryServer.close_save_async().completed`.

        From then on calls of a `RAGMemory` fail until `open_save()` opens a save.

        If writing the index fails, for example on a full disk, the save is closed anyway, with every memory
        in it. The reason is in the output.
        """
        self._saves.close("close_save()")
        return OK

    @method(barrier=True, without_python=True)
    def list_saves(self, options: ResourceOptions = NO_STORAGE) -> PackedStringArray:
        """Returns the ids of all saves of this game, in alphabetical order. Symbolic links are ignored.

        It does not start Python, and neither do `has_save()` and `close_save()`: as the first call of a game
        it takes a fraction of a millisecond.

        Args:
            options: `storage` is a `MemoryPostgresStorage`, for the saves on that server. Without it they are
            those
                in files.
        """
        where = self._place_of("list_saves()", "", options)
        folder = self._saves.folders.saves
        saves = save_folder.list_saves(folder) if where is None else save_server.list_saves(where)
        return PackedStringArray(saves)

    @method(barrier=True, writes=True)
    def delete_save(self, save_id: str, options: ResourceOptions = NO_STORAGE) -> Error:
        """Deletes a save and everything that belongs to it. This cannot be undone.

        The open save is closed first. Returns `ERR_FILE_NOT_FOUND` when there is no such save, and
        `ERR_FILE_ALREADY_IN_USE` when another program has it open, such as a second copy of the game or the
        editor.

        Args:
            options: `storage` is a `MemoryPostgresStorage`, for a save on that server. Without it the open
            save is
                meant when it has this id, wherever it is, and else one in a file.
        """
        save_folder.check_save_id(save_id)
        where = self._place_of("delete_save()", save_id, options)
        if self._saves.opened(save_id, where) is not None:
            self._saves.close("delete_save()")
        if where is None:
            save_folder.delete_save(self._saves.folders.saves, save_id)
        else:
            save_server.delete_save(where, save_id)
        return OK

    @method(barrier=True, without_python=True)
    def has_save(self, save_id: str, options: ResourceOptions = NO_STORAGE) -> bool:
        """Returns whether there is a save with this id: a file, and no link to one.

        Args:
            options: as those of `delete_save()`.
        """
        save_folder.check_save_id(save_id)
        where = self._place_of("has_save()", save_id, options)
        if where is None:
            return save_folder.has_save(self._saves.folders.saves, save_id)
        return save_server.has_save(where, save_id)

    @method(barrier=True, opens=True, writes=True)
    def copy_save(self, from_id: str, to_id: str, options: ResourceOptions = NO_STORAGE) -> Steps[Error]:
        """Copies a save with its snapshots.

        The save may be open: then the copy has everything that was stored before this call. All of it is
        copied, or nothing when the call fails or is cancelled, or when the game is killed meanwhile. Returns
        `ERR_ALREADY_EXISTS` when there is a save `to_id`, unless it is to be replaced, `ERR_FILE_NOT_FOUND`
        when there is no save `from_id`, and `ERR_FILE_ALREADY_IN_USE` when another program has one of them
        open, or when the save to be replaced is the open one. A save on a server is copied there, also while
        other programs have it open.

        Args:
            to_id: `":memory:"` is the save of nodes whose `RAGMemory.persistent` is off. It becomes what the
                open save is now, for something that should leave no trace, such as a dream.
            options: `replace` (`false`) replaces a save `to_id`, with its snapshots. When the game is killed
                meanwhile, that save is either what it was or the whole copy. `storage` is that of
                `delete_save()`, for `from_id`.
        """
        call = "copy_save()"
        save_folder.check_save_id(from_id)
        if to_id == MEMORY_PATH:
            self._saves.copy_to_memory(from_id)
            return OK
        save_folder.check_save_id(to_id, is_new=True)
        where = self._place_of(call, from_id, options, "replace")
        replaces = validate_flag(call, "replace", options.get("replace", False))
        if replaces and from_id == to_id:
            raise InvalidArgumentError(
                f"{call}: the save {shown(from_id)} would replace itself",
                "both ids are the same",
                "Pass the id of another save as to_id",
            )
        opened = self._saves.opened(from_id, where)
        if where is not None:
            yield from save_server.copy_save_steps(where, from_id, to_id, opened, replaces)
            return OK
        save_folder.check_no_other_case(self._saves.folders.saves, to_id)
        yield from save_folder.copy_save_steps(self._saves.folders.saves, from_id, to_id, opened, replaces)
        return OK

    @method(barrier=True)
    def get_save_info(self, save_id: str, options: ResourceOptions = NO_STORAGE) -> dict[str, Any]:
        """Returns what is in a save, which need not be open and stays as it is. Empty when there is none.

        Args:
            save_id: the id, or the path of a file, for example a snapshot, a backup, or what a cloud has put
                beside the save: `"user://backups/slot_1.sqlite3"`, or an absolute path.
            options: as those of `delete_save()`.

        Returns:
            `save_id`, `state`, `size` (bytes, with snapshots and search index), `schema_version`, `npcs`,
            `memories`, `events`, `lore_chunks`, `documents` (how many of each kind the world
            has), `campaign`, `lore`, `name` and `mod_profile` (those of `open_save()`), `created`
            and `last_played` (when a game first and last opened or closed the save, in real time as
            `Time.get_unix_time_from_system()`; 0 when unknown), `generation`, `oldest` and `newest`
            (the timestamps of the first and the last memory), `snapshots`, and `conflicts`: the
            paths of other versions of the save: those that a cloud put in its place while it was
            open, and what was rescued when its file was deleted meanwhile.
            `generation` counts how many times a game has opened the save, copies and former
            computers included. Going back to a snapshot or a mark, and `new_game()`, do not set
            it back. So of two copies of a save the one with the higher `generation` was played
            more often. Two with the same one and another `last_played` were played on from the
            same copy. `state` is `"open"`, `"closed"`, `"in_use"` (another program has it
            open), `"too_new"` (a newer RAG Memory wrote it), `"too_old"` (one from before the
            first release wrote it) or `"damaged"`. In the last four states the counts are unknown: -1. On a
            server, what is in use is counted too, and `size` is -1: the saves there share their tables.
        """
        save_id, file = save_folder.file_of(self._saves.folders, save_id)
        where = self._place_of("get_save_info()", save_id if file is None else "", options)
        opened = None if file is not None else self._saves.opened(save_id, where)
        if where is None:
            return save_folder.info_of(self._saves.folders.saves, save_id, opened, file)
        return save_server.info_of(where, save_id, opened)

    @method(barrier=True, opens=True, writes=True)
    def snapshot(self, slot: str) -> Steps[Error]:
        """Copies the open save, with the memories of every NPC, into a snapshot.

        It replaces the snapshot that was in `slot`. What is stored after this call is not in it. With
        `snapshot_async()` the game goes on meanwhile, and NPCs store and answer. Take one whenever the game
        is saved, and `restore()` it when that game is loaded. Returns `ERR_FILE_NOT_FOUND` when no save is
        open.
        """
        yield from self._saves.needed_for("snapshot").snapshots.take.steps(slot)
        return OK

    @method(barrier=True, writes=True)
    def restore(self, slot: str) -> Error:
        """Makes the open save what it was when the snapshot in `slot` was taken.

        All of it changes, or nothing when it fails. Returns `ERR_FILE_NOT_FOUND` when there
        is no such snapshot or no save is open.
        """
        self._saves.needed_for("restore").snapshots.restore(slot)
        return OK

    @method(barrier=True, writes=True)
    def rebuild_index(self) -> Steps[Error]:
        """Rebuilds the keyword index, the vectors and the search indexes of all memories of the open save.

        Everything is made from the memories themselves. Answers are the same afterwards, so this helps only
        when something beside the memories was damaged or edited by hand. It takes as long as storing all
        memories anew, with progress in the output. Other calls wait, so show a loading screen, or use
        `rebuild_index_async()`. It can be cancelled: what is made by then is kept. Returns
        `ERR_FILE_NOT_FOUND` when no save is open.
        """
        yield from self._saves.needed_for("rebuild_index").indexes.rebuild.steps()
        return OK

    @method(barrier=True)
    def list_snapshots(self) -> PackedStringArray:
        """Returns the slots of the open save that hold a snapshot, in alphabetical order."""
        chosen = self._saves.for_reading("list_snapshots")
        return PackedStringArray([] if chosen is None else chosen.snapshots.slots())

    @method(barrier=True, writes=True)
    def delete_snapshot(self, slot: str) -> Error:
        """Deletes a snapshot of the open save. This cannot be undone.

        Returns `ERR_FILE_NOT_FOUND` when there is no such snapshot or no save is open.
        """
        self._saves.needed_for("delete_snapshot").snapshots.delete(slot)
        return OK

    @method(barrier=True)
    def compare_snapshots(self, before: str, after: str = "") -> Steps[dict[str, Any]]:
        """Returns what two snapshots of the open save differ in.

        Args:
            before: the slot of the earlier one.
            after: the slot of the later one; empty for the save as it is now.

        Returns:
            `added`, `removed` and `changed`, how many memories in all, and `npcs`. That holds for each NPC
            with a difference the lists `added`, `removed` and `changed`, of up to 200 memories each, and
            `added_count`, `removed_count` and `changed_count`. A changed memory has `"before"` and `"after"`:
            the values that are not the same. `world` holds for each kind of document of the world that
            differs, such as `"event"` or `"task"`, how many were `added`, `removed` and `changed`.
        """
        chosen = self._saves.needed_for("compare_snapshots")
        return (yield from chosen.snapshots.compare.steps(before, after))

    @method(barrier=True)
    def list_npcs(self) -> list[dict[str, Any]]:
        """Returns the NPCs of the open save in alphabetical order. Empty when no save is open.

        Returns:
            for each NPC `npc_id`, how many memories it has (`total`, `pinned`, `important`, `regular`,
            `superseded`, `archived`), and the timestamps `oldest` and `newest`.
        """
        chosen = self._saves.for_reading("list_npcs")
        return [] if chosen is None else chosen.overview.list_npcs()

    @method(barrier=True, writes=True)
    def mark(self) -> str:
        """Marks the open save as it is now, and returns the mark, a String for your own save file.

        `rollback_to()` goes back to exactly this point, also in a game whose clock counts hours or stands
        still. The mark survives JSON, `ConfigFile` and binary files, and a restart of the game. It holds in
        every copy and snapshot of the save that is made after it. Everything that was stored before survives
        a power cut once this returns. Marking costs a few milliseconds at most; the save then keeps what
        changes after the mark as it was, also what `RAGMemory.forget()` deletes. You can go back to each of
        the last 100 marks of a save; older ones end, and what was stored for them goes. Returns an empty
        String when it fails.
        """
        return save_marks.mark(self._saves.all_for("mark"))

    @method(barrier=True, writes=True)
    def sync(self) -> Error:
        """Flushes everything stored so far to the disk, so that it survives a power cut.

        You rarely need it. When `RAGMemory.store()` returns, the memory survives a crash of the game. A power
        cut, or a crash of the whole computer, may take what was stored in the last seconds, and nothing from
        before the last `mark()`, `snapshot()`, `close_save()` or `sync()`. Call it when the game writes its
        own save file without any of these. It takes a few milliseconds, or as long as the disk needs.

        Returns `ERR_FILE_NOT_FOUND` when no save is open, and `ERR_FILE_CANT_WRITE` when the disk is full or
        failed.
        """
        self._saves.needed_for("sync").sync()
        return OK

    @method(barrier=True, writes=True)
    def rollback_to(self, moment: Variant) -> int:
        """Takes the open save back to a mark, or to a time of the game, for a game that was loaded again.

        To a mark: the save is exactly as it was when `mark()` returned it. Memories, feelings, relationships,
        conversations, names, events, tasks, flags and everything else go back, and what was deleted since is
        back. Only lore and other documents without a time stay as they are. Later marks are gone. An NPC
        whose `RAGMemory.persistent` is off goes back to the mark if it was made since the game was started,
        else to its time.

        To a time: to the last mark that was made at this time, if there is one. Otherwise everything that was
        stored later, or is dated later, is removed. Values that were replaced later are valid again, and so
        is a promise that was broken later. When a memory was stored is told by the clock of that moment
        (`set_clock()`), also in a prepared save. A warning says when several writes or marks have this time,
        because then only a mark says which state you mean.

        All of it is done, or nothing when it fails. A mark of another save fails, and so does one that cannot
        be reached any more: the save went back to before it, a snapshot from before it was restored, or more
        than 100 marks were made since.

        Args:
            moment: what `mark()` returned, or game time in seconds.

        Returns:
            how many memories of NPCs were forgotten. One that says again what it said before is not counted.
            0 when it fails; the reason is in the output and in `health()`.
        """
        return save_marks.rollback_to(self._saves.all_for("rollback_to"), moment)

    def _place_of(
        self, call: str, save_id: str, options: Mapping[str, Any], *more: str
    ) -> ServerStorage | None:
        """Where a save is that a call is about: where its options say, else the open save where it is, and
        any other in a file. The call may have `more` options than that.

        Raises:
            InvalidArgumentError: the options cannot be used.
        """
        validate_options(call, options, (*more, "storage"))
        if "storage" not in options and save_id == self._saves.chosen_id:
            return self._saves.chosen_storage
        return storage_of(call, options, self._saves.storages)
