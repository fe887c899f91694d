"""The Godot singleton MemoryServer: which save is open, and the state of the worker as a whole."""

from __future__ import annotations

import logging
import platform
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag_memory.godot import save_folder
from rag_memory.godot.declare import (
    NO_VALUES,
    OK,
    Argument,
    Error,
    GodotCallable,
    Kind,
    PackedStringArray,
    Property,
    Signal,
    Steps,
    godot_class,
    method,
    native,
)

if TYPE_CHECKING:
    from rag_memory.embedding.embedder import Embedder
    from rag_memory.mind.summarizer import Summarizer
    from rag_memory.save import Save
    from rag_memory.step import Step

DEFAULT_SAVE = "default"
_OPEN_OPTIONS = ("prepared", "vector_cache_mib")
_LOG = logging.getLogger("rag_memory")
EventFunction = Callable[[int, str, list[Any]], None]


@godot_class(
    "MemoryServer",
    "Object",
    properties=[
        Property(
            "summarizer",
            GodotCallable,
            None,
            "Writes the summaries of [method RAGMemory.consolidate], for example with a language model; "
            "without one a summary consists of the memories' own sentences. It is called on the main thread "
            "with one Dictionary: [code]npc_id[/code], [code]sources[/code] (the memories, as [method "
            "RAGMemory.get_memory] returns them), [code]extract[/code] (the summary that would be taken "
            "otherwise), [code]dates[/code], [code]topics[/code], [code]people[/code], [code]numbers[/code], "
            "[code]source_ids[/code] and [code]max_chars[/code] (a good length). It returns the text, may "
            "[code]await[/code], and may return a signal or an object with a signal [code]completed[/code], "
            "such as a [MemoryRequest].\nWhen it fails, takes longer than [member "
            "MemoryConfig.summarizer_timeout_seconds], or returns no text, the extract is taken, with a "
            "warning. A [method RAGMemory.consolidate] that blocks the main thread cannot wait for an "
            "[code]await[/code]; [method RAGMemory.consolidate_async] and [member "
            "MemoryConfig.auto_consolidate] can, and the NPC answers meanwhile. Opening, closing and copying "
            "a save and the end of the game do not wait for it.\n"
            "[codeblock]\n"
            "MemoryServer.summarizer = func(request: Dictionary) -> String:\n"
            '    return await my_language_model.ask("Summarise: " + request.extract)\n'
            "[/codeblock]",
        ),
    ],
    signals=[
        Signal(
            "runtime_ready",
            (),
            "Emitted once, when Python runs and the embedding model is loaded.",
        ),
        Signal(
            "runtime_failed",
            (Argument("error", str),),
            "Emitted once when Python cannot be started; [param error] says why and what to do. Nodes stay "
            "alive, and every call returns its empty value.",
        ),
        Signal("save_opened", (Argument("save_id", str),), "Emitted when a save has been opened."),
        Signal("save_closed", (Argument("save_id", str),), "Emitted when a save has been closed."),
        Signal(
            "call_finished",
            (Argument("report", dict[str, Any]),),
            "Emitted after every call of any node, for debug displays and profiling. [param report] has "
            "[code]npc_id[/code] (empty for calls of [MemoryServer] and [MemoryConfig]), [code]method[/code] "
            '(such as [code]"RAGMemory.retrieve_scored"[/code]), [code]is_blocking[/code], '
            "[code]latency_ms[/code] (from the call to the hand-over of its result), and of that "
            "[code]waited_ms[/code] (for the worker) and [code]worked_ms[/code] (in it), [code]error[/code] "
            "and [code]result[/code]. It costs nothing while nothing is connected.",
        ),
    ],
    natives=[
        native("current_save", (), str, "Returns the id of the open save, or an empty string.", const=True),
        native(
            "health",
            (),
            dict[str, Any],
            "Returns the state of the runtime, for logs and bug reports. [code]state[/code] is "
            '[code]"idle"[/code], [code]"starting"[/code], [code]"ready"[/code], [code]"failed"[/code] or '
            '[code]"stopped"[/code]; [code]last_error[/code] is the newest error. Once ready, also the '
            "versions, the embedding model ([code]model[/code], [code]dimension[/code], "
            "[code]model_is_fallback[/code]), the open save with its counts ([code]save[/code]; its "
            "[code]pending_vectors[/code] is how many memories wait for their place in a search index), "
            "[code]startup_ms[/code], and per method how often it was called and how long it took "
            "([code]timings[/code]). Never starts the runtime.",
            const=True,
        ),
        native(
            "get_activity",
            (),
            dict[str, Any],
            "Returns what goes on, for debug displays; unlike [method health] it never waits for the worker, "
            "so it may be called every frame (on the main thread). [code]state[/code], "
            "[code]current_save[/code] and [code]last_error[/code] as in [method health]; "
            "[code]nodes[/code]: every [RAGMemory]; [code]queue_length[/code]: calls without an answer yet; "
            "[code]finished_calls[/code] and [code]failed_calls[/code] since the start; "
            "[code]last_latency_ms[/code]; [code]frame_ms[/code] and [code]longest_frame_ms[/code]: what the "
            "addon cost the main thread in the last frame and at most, blocking calls included. "
            "[code]memories[/code] and [code]npcs[/code] of the open save and [code]loaded_memories[/code], "
            "those ready to be searched, are counted anew every few seconds.",
            const=True,
        ),
        native(
            "set_clock",
            (Argument("callable", GodotCallable),),
            type(None),
            "Sets where the game's time comes from: [param callable] takes nothing and returns seconds as a "
            "number. It is called on the thread that makes a memory call. Its object should live as long as "
            "the game, as an autoload does: when it was freed, time goes on from the last one it told. An "
            "empty [Callable] restores the default, [method Time.get_unix_time_from_system].",
        ),
    ],
)
class MemoryServer:
    """Opens and closes saves, and tells the state of the memory runtime.

    One save is open at a time: a single database file with the memories of every NPC,
    [code]user://rag_memory/<save_id>.sqlite3[/code]. A [RAGMemory] that is used before any
    [method open_save] opens the save [code]"default"[/code].
    [codeblock]
    MemoryServer.open_save("slot_1")
    [/codeblock]
    """

    def __init__(
        self,
        saves_folder: Path,
        models_folder: Path,
        prepared_folder: Path,
        clock: Callable[[], float],
        emit: EventFunction,
        timings: Callable[[], dict[str, dict[str, float]]],
        summarizer: Summarizer,
    ) -> None:
        self._saves_folder = saves_folder
        self._timings = timings
        self._models_folder = models_folder
        self._prepared_folder = prepared_folder
        self._clock = clock
        self._emit = emit
        self._summarizer = summarizer
        self._embedder: Embedder | None = None
        self._save: Save | None = None
        self._save_id = ""
        self._chooses_saves = False
        self._volatile: Save | None = None
        self._names: list[str] = []
        self._people: list[str] = []
        self._started = time.monotonic()

    @method(barrier=True, writes=True)
    def open_save(self, save_id: str, options: dict[str, Any] = NO_VALUES) -> Steps[Error]:
        """Opens the save [param save_id], creating it when it does not exist, and closes the one that was
        open. Opening the save that is open already does nothing. When the save was made with another
        embedding model its memories are embedded again, with progress in the output. On failure the save
        that was open stays open, and the reason is in the output. A damaged save is kept aside under another
        name ([constant ERR_FILE_CORRUPT]); a file that is no save is left as it is
        ([constant ERR_FILE_UNRECOGNIZED]). [param options] knows [code]prepared[/code], the id of a prepared
        save: a save that does not exist yet begins as a copy of it. Prepared saves lie in the folder of the
        project setting [code]rag_memory/prepared_saves_folder[/code]; in an exported game, those that were
        exported. Fill a prepared save with a clock ([method set_clock]) at or before the moment the game
        begins, or [method rollback_to] forgets what is in it.
        And [code]vector_cache_mib[/code] (512): how many mebibytes the search indexes of all NPCs may take
        together; beyond it the index of the NPC asked longest ago is let go of, and loaded again when that
        NPC is asked. Of many NPCs asked at once no more are loaded together than fit, in the order they were
        asked; but one always is, however large.
        [codeblock]
        MemoryServer.open_save("slot_1", {"prepared": "village_lore"})
        [/codeblock]"""
        self._chooses_saves = True
        return (yield from self._open_steps(save_id, options))

    @method(barrier=True, writes=True)
    def close_save(self) -> Error:
        """Closes the open save and writes its search index to disk. Does nothing when none is open. When that
        fails, for example on a full disk, the save is closed all the same, with every memory in it, and the
        reason is in the output."""
        self._chooses_saves = True
        if self._save is not None:
            closed, self._save = self._save, None
            save_id, self._save_id = self._save_id, ""
            try:
                closed.close()
            finally:
                self._emit(0, "save_closed", [save_id])
        return OK

    @method(barrier=True)
    def list_saves(self) -> PackedStringArray:
        """Returns the ids of all saves of this game, in alphabetical order."""
        return PackedStringArray(save_folder.list_saves(self._saves_folder))

    @method(barrier=True, writes=True)
    def delete_save(self, save_id: str) -> Error:
        """Deletes the save [param save_id] and everything that belongs to it. This cannot be undone. The
        open save is closed first. Returns [constant ERR_FILE_NOT_FOUND] when there is no such save, and
        [constant ERR_FILE_ALREADY_IN_USE] when another program, such as a second copy of the game or the
        editor, has it open."""
        save_folder.check_save_id(save_id)
        if save_id == self._save_id:
            self.close_save()
        save_folder.delete_save(self._saves_folder, save_id)
        return OK

    @method(barrier=True, opens=True, writes=True)
    def snapshot(self, slot: str) -> Steps[Error]:
        """Copies the open save, with the memories of every NPC, into the snapshot [param slot], and replaces
        the snapshot that was there. What is stored after this call is not in it. With
        [code]snapshot_async()[/code] the game goes on meanwhile, and NPCs store and answer. Take one whenever
        the game is saved, and [method restore] it when that game is loaded. Returns
        [constant ERR_FILE_NOT_FOUND] when no save is open."""
        yield from self._open_one("snapshot").snapshot_steps(slot)
        return OK

    @method(barrier=True, writes=True)
    def restore(self, slot: str) -> Steps[Error]:
        """Makes the open save what it was when the snapshot [param slot] was taken: all of it, or nothing
        when it fails or is cancelled. Returns [constant ERR_FILE_NOT_FOUND] when there is no such snapshot or
        no save is open."""
        yield from self._open_one("restore").restore_steps(slot)
        return OK

    @method(barrier=True)
    def list_snapshots(self) -> PackedStringArray:
        """Returns the slots of the open save that hold a snapshot, in alphabetical order."""
        return PackedStringArray([] if self._save is None else self._save.list_snapshots())

    @method(barrier=True)
    def compare_snapshots(self, before: str, after: str = "") -> Steps[dict[str, Any]]:
        """Returns what two snapshots of the open save differ in; with an empty [param after], what has
        changed since the snapshot [param before]. [code]added[/code], [code]removed[/code] and
        [code]changed[/code] are how many memories in all; [code]npcs[/code] holds for each NPC with a
        difference the arrays [code]added[/code], [code]removed[/code] and [code]changed[/code], of up to 200
        memories each, and [code]added_count[/code], [code]removed_count[/code] and
        [code]changed_count[/code]. A changed memory has [code]before[/code] and [code]after[/code]: the
        values that are not the same."""
        return (yield from self._open_one("compare_snapshots").compare_snapshots_steps(before, after))

    @method(barrier=True)
    def list_npcs(self) -> list[dict[str, Any]]:
        """Returns the NPCs of the open save in alphabetical order, each a dictionary with
        [code]npc_id[/code], how many memories it has ([code]total[/code], [code]pinned[/code],
        [code]important[/code], [code]regular[/code], [code]superseded[/code], [code]archived[/code]), and the
        timestamps [code]oldest[/code] and [code]newest[/code]. Empty when no save is open."""
        return [] if self._save is None else self._save.list_npcs()

    @method(barrier=True, writes=True)
    def rollback_to(self, timestamp: float) -> Steps[int]:
        """Makes every NPC forget what came later than [param timestamp] (game time in seconds), for a game
        that was loaded again: what was stored or is dated later is gone, values that were replaced later
        hold again, and a promise that was broken later is valid again. When a memory was stored is told by
        the clock of that moment ([method set_clock]), also in a prepared save. All of it is done, or nothing
        when it fails or is cancelled. Returns how many memories were forgotten; one that says again what it
        said before is not counted."""
        forgotten = 0
        for save in (self._save, self._volatile):
            if save is not None:
                forgotten += yield from save.rollback_to_steps(timestamp)
        return forgotten

    @method(Kind.WORKER_ASYNC)
    def preload(self) -> bool:
        """Starts Python and loads the embedding model, so that the first question is answered at once. The
        request completes with [code]true[/code] when everything is ready. Without this call the runtime
        starts with the first [RAGMemory] that enters the scene tree."""
        self._load_embedder()
        return True

    @method(Kind.POST, barrier=True)
    def register_names(self, names: PackedStringArray) -> None:
        """Tells the names of people, places and things the game knows. They guide the keyword channel of
        hybrid relevance; the ids of NPCs and the player's name are known already."""
        self._names = [*dict.fromkeys([*self._names, *names])]
        for save in (self._save, self._volatile):
            if save is not None:
                save.register_names(names)

    @method(Kind.POST, barrier=True)
    def register_people(self, names: PackedStringArray) -> None:
        """Tells who exists, once per game and for every save. From then on [method RAGMemory.store] and its
        like reject a memory that speaks of people nobody knows ([signal RAGMemory.failed] says whom), and
        correct a name that is only misspelled, with a warning and the metadata
        [code]name_corrections[/code]. Known are these names, those of [method register_names], NPCs with
        memories and the player. What others say to an NPC, and what she learns about the player, is not
        checked, nor a memory with [code]check_names[/code] false, nor those of a [MemoryConfig] with
        [member MemoryConfig.check_names] off. A game that never calls this is not affected."""
        self._people = [*dict.fromkeys([*self._people, *names])]
        for save in (self._save, self._volatile):
            if save is not None:
                save.register_people(names)

    @method(Kind.WORKER_SYNC, unordered=True)
    def _collect_health(self) -> dict[str, Any]:
        """What only the worker knows of `health`."""
        import numpy
        import onnxruntime

        report: dict[str, Any] = {
            "versions": {
                "python": platform.python_version(),
                "sqlite": sqlite3.sqlite_version,
                "numpy": numpy.__version__,
                "onnxruntime": onnxruntime.__version__,
            },
            "python_path": list(sys.path),
            "saves_folder": str(self._saves_folder),
            "timings": self._timings(),
            "uptime_seconds": time.monotonic() - self._started,
        }
        if self._embedder is not None:
            report["model"] = self._embedder.name
            report["dimension"] = self._embedder.dimension
            report["model_is_fallback"] = self._embedder.is_fallback
        if self._save is not None:
            report["save"] = self._save.health()
        return report

    @method(Kind.WORKER_SYNC, unordered=True)
    def _collect_counts(self) -> dict[str, Any]:
        """What only the worker knows of `get_activity`."""
        return {"memories": 0, "npcs": 0, "loaded_memories": 0} | (
            {} if self._save is None else self._save.counts()
        )

    def save_for(self, persistent: bool) -> Save:
        """The save a node works on: the open one (opening "default" when there is none), or the one in
        memory for nodes that are not persistent."""
        if persistent:
            if self._save is None:
                if self._chooses_saves:
                    _LOG.warning(
                        'No save is open, so the save "%s" is opened for a memory that is used now. Call '
                        "open_save() before, and look whether it returns OK.",
                        DEFAULT_SAVE,
                    )
                for _step in self._open_steps(DEFAULT_SAVE, {}):
                    pass
            assert self._save is not None
            return self._save
        if self._volatile is None:
            self._volatile = self._open(":memory:")
        return self._volatile

    def now(self) -> float:
        """The time of the game, in seconds."""
        return self._clock()

    def idle_step(self) -> Step | None:
        """A few milliseconds of work nobody waits for, as Save.idle_step()."""
        waiting = None
        for save in (self._save, self._volatile):
            step = None if save is None else save.idle_step()
            if step is not None and not step.is_waiting:
                return step
            waiting = step or waiting
        return waiting

    def warm_up(self) -> None:
        """Load the embedding model ahead of the first question. A damaged one is said here and fails the
        calls that need it, not the runtime."""
        from rag_memory.errors import EmbedderError

        try:
            self._load_embedder()
        except EmbedderError as error:
            _LOG.error("%s", error)

    def shut_down(self) -> None:
        """Close what is open, so that indexes are on disk when the interpreter ends."""
        try:
            self.close_save()
        finally:
            if self._volatile is not None:
                self._volatile.close()
                self._volatile = None

    def _open_steps(self, save_id: str, options: dict[str, Any]) -> Steps[Error]:
        from rag_memory.index.index_cache import DEFAULT_MIB
        from rag_memory.save import open_save_steps
        from rag_memory.validation import validate_options

        save_folder.check_save_id(save_id)
        validate_options("open_save()", options, _OPEN_OPTIONS)
        prepared = options.get("prepared")
        if prepared is not None:
            save_folder.check_save_id(prepared)
        if save_id == self._save_id:
            return OK
        path = save_folder.path_of(self._saves_folder, save_id)
        is_new = not path.exists()
        save_folder.check_save_id(save_id, is_new)
        path.parent.mkdir(parents=True, exist_ok=True)
        if prepared is not None and is_new:
            save_folder.begin_as(path, self._prepared_folder, prepared)
        opened = yield from open_save_steps(
            path,
            embedder=self._load_embedder(),
            clock=self._clock,
            vector_cache_mib=options.get("vector_cache_mib", DEFAULT_MIB),
        )
        try:
            self._prepare(opened)
        except BaseException:
            opened.close()
            raise
        self._close_for(save_id)
        self._save, self._save_id = opened, save_id
        self._emit(0, "save_opened", [save_id])
        return OK

    def _close_for(self, next_id: str) -> None:
        """Close the open save for another one, which is not kept from being used when that fails."""
        save_id = self._save_id
        try:
            self.close_save()
        except Exception as error:
            _LOG.error(
                'The save "%s" could not be closed in order for "%s": %s It is closed all the same, '
                "with every memory in it; what could not be written is made up for when it is opened again.",
                save_id,
                next_id,
                error,
            )

    def _open_one(self, what: str) -> Save:
        from rag_memory.errors import SaveNotFoundError

        if self._save is None:
            raise SaveNotFoundError(f"{what}() needs a save", "none is open", "Call open_save() first")
        return self._save

    def _open(self, path: str) -> Save:
        from rag_memory.save import open_save

        save = open_save(path, embedder=self._load_embedder(), clock=self._clock)
        self._prepare(save)
        return save

    def _prepare(self, save: Save) -> None:
        save.register_names(self._names)
        save.register_people(self._people)
        save.summarizer = self._summarizer

    def _load_embedder(self) -> Embedder:
        if self._embedder is None:
            from rag_memory.embedding.embedder import default_embedder

            self._embedder = default_embedder(self._models_folder)
        return self._embedder
