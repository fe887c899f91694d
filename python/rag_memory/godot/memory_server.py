"""The Godot singleton MemoryServer: which save is open, and the state of the worker as a whole."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable
from typing import Any

from rag_memory.errors import StoreError
from rag_memory.godot.calendar_resource import MemoryCalendarResource
from rag_memory.godot.declare import (
    NO_VALUES,
    Argument,
    GodotCallable,
    Kind,
    MemoryNode,
    PackedStringArray,
    Property,
    Resources,
    Signal,
    Variant,
    godot_class,
    method,
    native,
)
from rag_memory.godot.file_calls import FileCalls
from rag_memory.godot.game_functions import function_properties
from rag_memory.godot.open_saves import OpenSaves
from rag_memory.godot.owner_calls import OwnerCalls
from rag_memory.godot.save_calls import SaveCalls
from rag_memory.godot.server_part import ServerConnection
from rag_memory.step import Steps
from rag_memory.storage.backends import SAVE_FILES

_NOTHING_OPEN = {
    "memories": 0,
    "npcs": 0,
    "loaded_memories": 0,
    "missing_vectors": 0,
    "vector_index": "",
    "vector_index_reason": "",
    "maintenance": {},
}


_EMBEDDING_MODEL = Property(
    "embedding_model",
    Variant,
    None,
    "The model that compares memories by their meaning: a `MemoryOpenAIEmbedding`, a "
    "`MemoryOllamaEmbedding`, a `MemoryEmbeddingModel` of the game's own, or `null` for the built-in one, "
    "which reads English best. Set it before the first save is opened: it holds for saves that are opened "
    "later. Settings of the model that change after this have no effect.\n\n"
    "The memories of a save that was made with another model are embedded again while the worker is idle. "
    "Until then, and while the model does not answer, they are found by their words; `health()` says why in "
    "`model_error`.\n\n"
    "```gdscript\n"
    "func use_a_server() -> void:\n"
    "    var embedding := MemoryOpenAIEmbedding.new()\n"
    '    embedding.base_url = "http://127.0.0.1:8081/v1"\n'
    "    MemoryServer.embedding_model = embedding\n"
    '    MemoryServer.open_save("slot_1")\n'
    "```",
)

_CALENDAR = Property(
    "calendar",
    MemoryCalendarResource,
    None,
    "The calendar of the game, or `null` for numbered days, and real dates when the clock counts from 1970. "
    "Ages in prompts, the dates of summaries, `RAGMemory.dump_all_memories()`, `RAGMemory.export_csv()` and "
    'the days of `MemoryWorld` follow it, and so do times that the player asks about, such as "last spring". '
    "It may be set and changed at any time: memories keep their seconds.\n\n"
    "```gdscript\n"
    "func use_own_calendar() -> void:\n"
    "    var calendar := MemoryCalendar.new()\n"
    '    calendar.month_names = ["Spring", "Summer", "Autumn", "Winter"]\n'
    "    calendar.month_days = [28]\n"
    "    MemoryServer.calendar = calendar\n"
    "```",
)


@godot_class(
    "MemoryServer",
    "Object",
    properties=[*function_properties(), _EMBEDDING_MODEL, _CALENDAR],
    signals=[
        Signal(
            "runtime_ready",
            (),
            "Emitted once, when Python runs and the embedding model is loaded. An `embedding_model` that "
            "does not answer yet is not waited for.",
        ),
        Signal(
            "runtime_failed",
            (Argument("error", str),),
            "Emitted once when Python cannot be started or the built-in embedding model cannot be loaded; "
            "`error` says why and what to do. Nodes stay alive. Without Python every call returns its empty "
            "value, without the model every call that needs it.",
        ),
        Signal("save_opened", (Argument("save_id", str),), "Emitted when a save has been opened."),
        Signal("save_closed", (Argument("save_id", str),), "Emitted when a save has been closed."),
        Signal(
            "call_finished",
            (Argument("report", dict[str, Any]),),
            "Emitted after every call of any node, for debug displays and profiling. It costs nothing while "
            "nothing is connected.\n\n"
            "`report` has `npc_id` (empty for calls of `MemoryServer` and of configs), `method` (such as "
            '`"RAGMemory.retrieve_scored"`), `is_blocking`, `latency_ms` (from the call to the hand-over of '
            "its result), and of that `waited_ms` (for the worker) and `worked_ms` (in it), `error` and "
            "`result`.",
        ),
    ],
    methods=[
        native("current_save", (), str, "Returns the id of the open save, or an empty string.", const=True),
        native(
            "npc",
            (Argument("npc_id", str),),
            MemoryNode,
            "Returns the memory of an NPC by its id, for code that has no node at hand: "
            '`MemoryServer.npc("smith").store("The forge burned down.")`.\n\n'
            "It is the `RAGMemory` in the scene tree that has this `RAGMemory.npc_id`, with its config. When "
            "there is none, it is a node outside the scene tree that MemoryServer makes, with the "
            "project's default config, and frees when the game quits. Call `npc()` again instead of keeping "
            "the result: a node of a scene is freed with its scene. Returns `null`, with an error, for an "
            "empty id.",
        ),
        native(
            "health",
            (),
            dict[str, Any],
            "Returns the state of the runtime, for logs and bug reports. Never starts the runtime.\n\n"
            '`state` is `"idle"`, `"starting"`, `"ready"`, `"failed"` or `"stopped"`. It has failed when '
            "Python cannot be started, or as long as the built-in embedding model does not work; "
            "`last_error` then says why and what to do. It stays ready while an `embedding_model` does not "
            "answer, such as one of a server: `model_is_away` is `true` then, `model_error` and `last_error` "
            "say why, and memories are found by their words. Otherwise `last_error` is the newest error.\n\n"
            "Once ready, there are also the versions, the embedding model (`model`, `dimension`, "
            "`model_is_fallback`, and in `model_error` why it does not work), the open save with its counts "
            "(`save`), `startup_ms`, and per method how often it was called and how long it took "
            "(`timings`). `pending_vectors` of the save is how many memories wait for their place in a "
            "search index, `missing_vectors` how many wait for the embedding model and are found by their "
            "words until then. `vector_index` of the save says how memories are found, and "
            "`vector_index_reason` why so. While the server of a save does not answer, `save` has only its "
            "`path` and the `error`.",
            const=True,
        ),
        native(
            "get_activity",
            (),
            dict[str, Any],
            "Returns current activity, for debug displays. Unlike `health()` it never waits for the worker, "
            "so it may be called every frame (on the main thread).\n\n"
            "`state`, `last_error`, `model_error`, `model_is_away` and `current_save` are those of "
            "`health()` and `current_save()`. `nodes` is every `RAGMemory`, and `queue_length` how many "
            "calls have no answer yet. `finished_calls` and `failed_calls` count since the start. "
            "`last_latency_ms` is that of the last call. `frame_ms` and `longest_frame_ms` are what the "
            "addon cost the main thread in the last frame and at most, blocking calls included. `memories` "
            "and `npcs` of the open save and `loaded_memories`, those ready to be searched, are counted "
            "anew every few seconds. So is `minds`: by `npc_id`, the `emotion` and the `dispositions` (an "
            "Array, strongest first) of the NPCs to whom something happened last, at most 100 of them, as "
            "`NPCMind` tells them, and both in words (`mood` and `feelings`). `missing_vectors`, "
            "`vector_index` and `vector_index_reason` of the open save are those of `health()`, and "
            "`maintenance` is what `MemoryWorld.run_maintenance()` returned last.",
            const=True,
        ),
        native(
            "set_clock",
            (Argument("callable", GodotCallable),),
            type(None),
            "Sets where the game's time comes from: `callable` takes nothing and returns seconds as a "
            "number. It is called on the thread that makes a memory call. Its object should live as long as "
            "the game, as an autoload does: if it is freed, time continues from the last value it returned. "
            "An empty `Callable` restores the default, `Time.get_unix_time_from_system()`.\n\n"
            "The project setting `rag_memory/time_formatter` names a script that says these times in words, "
            "for the editor and the `MemoryDebugConsole`.",
        ),
    ],
    parts={"save_calls": SaveCalls, "file_calls": FileCalls, "owner_calls": OwnerCalls},
)
class MemoryServer:
    """Opens and closes saves, and reports the state of the memory runtime.

    One save is open at a time: a single database file with the memories of every NPC,
    `user://rag_memory/<save_id>.sqlite3`. In a game that never calls `open_save()`, a `RAGMemory` opens the
    save `"default"`. In any other game, calls fail while no save is open, and the error says why.

    ```gdscript
    MemoryServer.open_save("slot_1")
    ```
    """

    def __init__(
        self,
        saves: OpenSaves,
        timings: Callable[[], dict[str, dict[str, float]]],
        connection: ServerConnection,
    ) -> None:
        self.save_calls = SaveCalls(saves)
        self.file_calls = FileCalls(saves)
        self.owner_calls = OwnerCalls(saves, connection)
        self._saves = saves
        self._connection = connection
        self._timings = timings
        self._started = time.monotonic()

    @method(Kind.WORKER_ASYNC)
    def preload(self) -> bool:
        """Starts Python and loads the embedding model, so that the first question is answered at once. With
        the project setting `rag_memory/vector_index` at `"disabled"` there is no model to load.

        The request completes with `true` when everything is ready. Without this call the runtime starts with
        the first `RAGMemory` that enters the scene tree.
        """
        self._saves.preload()
        return True

    @method(Kind.POST, barrier=True)
    def register_names(self, names: PackedStringArray, check_people: bool = False) -> None:
        """Registers the names of people, places and things, once per game and for every save.

        They guide the keyword channel of hybrid relevance. The ids of NPCs and the player's name are
        registered already.

        With `check_people`, the registered names are taken as the people who exist. From then on a memory
        that speaks of other people has their names as `name_suspects` in its metadata. Its text is stored as
        it is given. Only what a language model wrote is left out of a memory, by
        `RAGMemory.finish_exchange()` and `RAGMemory.record_exchange()`, with the reason in `rejected`. NPCs
        with memories and the player exist, too. What others say to an NPC and what the NPC learns about the
        player is not checked, nor is a memory with `check_names` false, nor those of a `MemoryConfig` with
        `MemoryConfig.check_names` off.

        Args:
            check_people: `true` checks memories for people who are not registered. A later call without it
                leaves the check on.
        """
        self._saves.settings.register_names(names, check_people)

    @method(unordered=True)
    def check_names(
        self, memories: list[dict[str, Any]], known_names: PackedStringArray, hearsay: PackedStringArray
    ) -> list[dict[str, Any]]:
        """Checks whether memories name people who are not known. It stores nothing.

        `NPCWorldKnowledge.check_memory()` asks this with the names of a world.

        ```gdscript
        var checked := MemoryServer.check_names([{"text": "I saw Gregor and Zorblax."}], ["Gregor"], [])
        print(checked[0]["unknown_names"])  # -> ["Zorblax"]
        ```

        Args:
            memories: each has `text` and may have `participants`.
            known_names: the people who exist.
            hearsay: texts. People named in them count as known, too.

        Returns:
            for each memory `unknown_names`.
        """
        from rag_memory.text.name_check import check_memories

        return check_memories(memories, known_names, hearsay)

    @method(Kind.WORKER_SYNC, unordered=True)
    def apply_rule(self, rule: str, arguments: Resources) -> Variant:
        """Applies a rule of the memory worker to plain data. It needs no open save.

        The resources of the addon call their rules by it, such as `NPCPersonality.get_activity()`; in a game
        call those instead. Rules come and go with the version of the addon.

        Returns:
            what the rule returns; `null`, with an error, for an unknown rule.
        """
        from rag_memory.godot.script_rules import apply_rule

        result: Variant = apply_rule(rule, arguments)
        return result

    @method(unordered=True)
    def read_model_text(self, text: str, schema: dict[str, Any] = NO_VALUES) -> dict[str, Any]:
        """Reads the raw text of a language model that was asked for something other than speech.

        `NPCLanguageModel.generate_async()` does this by itself.

        Args:
            text: what the model wrote.
            schema: the JSON schema that was asked for.

        Returns:
            `text` without reasoning and without tokens of a chat template, the `reasoning`, the last JSON
            `object` in the text (`null` when there is none that fits the schema), and `problem`: why not.
        """
        from rag_memory.prompt.answers import read_model_text

        return read_model_text(text, schema)

    @method(Kind.WORKER_SYNC, unordered=True)
    def _collect_health(self) -> dict[str, Any]:
        """Return the part of `health()` that only the worker can report."""
        import numpy

        saves = self._saves
        saves.models.look()
        report: dict[str, Any] = {
            "model_error": saves.models.fault,
            "model_is_away": saves.models.is_away,
            "versions": {
                "python": platform.python_version(),
                **SAVE_FILES.engine_versions(),
                "numpy": numpy.__version__,
                **(
                    {"onnxruntime": sys.modules["onnxruntime"].__version__}
                    if "onnxruntime" in sys.modules
                    else {}
                ),
            },
            "python_path": list(sys.path),
            "saves_folder": str(saves.folders.saves),
            "timings": self._timings(),
            "uptime_seconds": time.monotonic() - self._started,
        }
        if saves.models.embedder is not None:
            from rag_memory.embedding.registry import FALLBACK

            report["model"] = saves.models.embedder.name
            report["dimension"] = saves.models.embedder.dimension
            report["model_is_fallback"] = saves.models.embedder.name == FALLBACK
        bus = self._connection.status()
        if bus is not None:
            report["bus"] = bus
        if saves.chosen is not None:
            try:
                report["save"] = saves.chosen.overview.health()
            except StoreError as error:  # A server that is gone.
                report["save"] = {"path": saves.chosen.path, "error": str(error)}
        return report

    @method(Kind.WORKER_SYNC)
    def _carry_out_rung(self) -> Steps[None]:
        """Carries out some of what has come from other game servers; the host calls it after a ring."""
        return (yield from self._connection.carry_out_steps())

    @method(Kind.WORKER_SYNC, unordered=True)
    def _collect_counts(self) -> dict[str, Any]:
        """Return the part of `get_activity()` that only the worker can report."""
        chosen = self._saves.chosen
        counts = _NOTHING_OPEN if chosen is None else chosen.overview.counts()
        minds = {id: mind for save in self._saves for id, mind in save.overview.feelings().items()}
        fault = {"model_error": self._saves.models.fault, "model_is_away": self._saves.models.is_away}
        return {**fault, "minds": minds, **counts}
