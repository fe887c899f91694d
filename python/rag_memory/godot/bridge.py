"""The entrance of calls from GDScript: bytes in, a core call, bytes out.

The native host's worker thread calls `start`, then `has_shared`, `add_shared`, `handle`, `resume`, `cancel`,
`give_up_waiting`, `idle` and `stop`; nobody else does. An answer is an encoded Array `[result, error,
events]`: `error` is an empty string or what to tell the user, `result` is null when there was an error (a
Godot Error code for methods that return one), and `events` are the signals to emit first, each `[instance
id (0: MemoryServer, 1: MemoryWorld), name, arguments]`. The host's own messages (configure, release, reply)
have an empty answer. None instead of an answer means that there is more to do, False that nothing can be
done before the game has replied to a question.
"""

from __future__ import annotations

import dataclasses
import logging
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path
from types import GeneratorType
from typing import Any

from rag_memory import errors
from rag_memory.embedding.index_mode import EMBEDDED
from rag_memory.files import usable
from rag_memory.godot import classes, declare, variant_codec
from rag_memory.godot.arguments import decoded_arguments, load_rules
from rag_memory.godot.calendar_resource import SentCalendar
from rag_memory.godot.call_timings import CallTimings
from rag_memory.godot.embedding_source import ModelFunction
from rag_memory.godot.environment import end_start
from rag_memory.godot.error_codes import error_code
from rag_memory.godot.game_functions import GameFunction
from rag_memory.godot.memory_config import MemoryConfigResource
from rag_memory.godot.memory_server import MemoryServer
from rag_memory.godot.memory_world import MemoryWorld
from rag_memory.godot.npc_mind_node import NPCMindNode
from rag_memory.godot.open_saves import OpenSaves
from rag_memory.godot.rag_memory_node import RAGMemoryNode
from rag_memory.godot.save_folder import Folders
from rag_memory.godot.server_part import NO_SERVER_PART, ServerPart
from rag_memory.godot.shared_values import SharedValues
from rag_memory.step import Step, Steps
from rag_memory.storage.backends import SAVE_FILES

CONFIGURE_METHOD = -1
RELEASE_METHOD = -2
REPLY_METHOD = -3

AskFunction = Callable[[int, int, int, bytes], bool]
"""Puts a question to the game (number, request id or 0, which function, encoded argument); False when it is
not asked.
"""

_LOG = logging.getLogger("rag_memory")

_BLOCKED = (
    "it has to be awaited, and another call that waits for the same blocks the game; use the form of that "
    "call that ends in _async"
)


class GameFunctionError(Exception):
    """A function of the game gave no answer; the message says why."""


@dataclasses.dataclass
class _Reply:
    """The game's reply to a question; `error` is empty or says why there is none."""

    value: Any
    error: str


@dataclasses.dataclass
class _Active:
    """A long message between two slices."""

    target: tuple[declare.GodotClass, declare.Method]
    steps: Generator[Any, None, Any]
    instance_id: int
    now: float
    seconds: float
    blocks_game: bool


class Bridge:
    """The worker's side of every Godot object that has been used, keyed by instance id."""

    def __init__(
        self,
        folders: Folders,
        ask: AskFunction,
        is_editor: bool = False,
        vector_index: str = EMBEDDED,
        model: ModelFunction | None = None,
        ring: Callable[[], None] = lambda: None,
        server_part: ServerPart = NO_SERVER_PART,
    ) -> None:
        self._now = 0.0  # game time for what is carried out
        self._last_asked = 0.0  # game time of the last call; the host's own messages have none
        self._ask = ask
        self._asking_request = 0
        self._is_game_blocked = False  # by the call that is carried out
        self._calling_instance: int | None = None  # None for work in the background
        self._last_question = 0
        self._replies: dict[int, _Reply | None] = {}
        self._events: list[list[Any]] = []
        self._methods = classes.worker_methods([*classes.declared_classes(), *server_part.declarations])
        self._instances: dict[tuple[int, bool], Any] = {}
        self._active: dict[int, _Active] = {}
        self._timings = CallTimings()
        self._calendar = SentCalendar()
        self._shared = SharedValues()
        self._saves = OpenSaves(
            folders,
            lambda: self._now,
            self._emit,
            self._ask_steps,
            is_editor,
            vector_index,
            model,
            server_part.storages,
            self._is_set,
        )
        # Classes without calls have no instances here.
        self._made: dict[str, Callable[[], Any]] = {
            "RAGMemory": lambda: RAGMemoryNode(self._saves, self._npc_event, self._mind_event),
            "NPCMind": lambda: NPCMindNode(self._saves, self._npc_event, self._mind_event),
            "MemoryConfig": MemoryConfigResource,
            "MemoryWorld": lambda: MemoryWorld(self._saves),
        }
        self._connection = server_part.connection(self._saves, self._emit, ring, self._busy_npcs)
        self._added_calls = server_part.calls(self._connection)
        self._server = MemoryServer(self._saves, self._timings.report, self._connection)
        self._saves.warm_up()

    def model_error(self) -> str:
        """Why the built-in embedding model could not be loaded; empty when it could, or another is wanted."""
        return "" if self._saves.models.is_away else self._saves.models.fault

    def handle(
        self,
        request_id: int,
        instance_id: int,
        method_id: int,
        now: float,
        payload: bytes,
        blocks_game: bool = False,
    ) -> bytes | bool | None:
        """Carry out one message; None or False when it is long and `resume` has to be called for the next
        slice, now or when the game has replied. The game stands still meanwhile if it `blocks_game`.
        """
        if method_id == REPLY_METHOD:
            question = variant_codec.decode_first(payload)
            try:
                _question, value, error = variant_codec.decode(payload)
            except errors.InvalidArgumentError as refused:
                value, error = None, f"it returned what cannot be taken: {refused.what}"
            if question in self._replies:  # else it comes too late
                self._replies[question] = _Reply(value, error)
            return b""
        if method_id == RELEASE_METHOD:
            self._saves.nodes.pop(instance_id, None)
            self._instances.pop((instance_id, False), None)
            self._instances.pop((instance_id, True), None)
            self._connection.forget_mind(instance_id)
            return b""
        if method_id == CONFIGURE_METHOD:
            decoded = variant_codec.decode(payload, self._shared)
            class_name, values, is_unordered, translation, calendar = decoded
            self._calendar.take(calendar)
            configured = self._instance(instance_id, class_name, is_unordered)
            configured.configure({**values, "translation": translation})
            self._saves.nodes[instance_id] = configured
            if isinstance(configured, NPCMindNode) and not is_unordered:
                self._connection.note_mind(instance_id, configured)
            return b""
        self._now = self._last_asked = now
        self._calling_instance = instance_id
        started = time.perf_counter()
        target = self._methods[method_id]
        cls, method = target
        try:
            arguments = decoded_arguments(method, payload, self._shared)
            instance = self._added_calls
            if cls.base:
                instance = self._instance(instance_id, cls.name, method.unordered)
            assert method.carry_out is not None
            result = method.carry_out(instance, *arguments)
            if isinstance(result, GeneratorType):
                self._active[request_id] = _Active(target, result, instance_id, now, 0.0, blocks_game)
                return self.resume(request_id)
            answer = self._finish(method, result)
        except Exception as error:  # every failure becomes the answer; nothing may end the worker
            answer = self._fail(method, error)
        self._timings.note(target, time.perf_counter() - started)
        return answer

    def has_shared(self, hash: int) -> bool:
        """Return whether a value is here that the next message names."""
        return self._shared.is_here(hash)

    def add_shared(self, hash: int, encoded: bytes) -> None:
        """Take a value that the next message names, and later ones may."""
        self._shared.add(hash, encoded)

    def resume(self, request_id: int) -> bytes | bool | None:
        """Carry out the next slice of a long message; None when there is more, False when it waits."""
        started = time.perf_counter()
        active = self._active[request_id]
        method = active.target[1]
        self._now = active.now
        self._calling_instance = active.instance_id
        self._asking_request = request_id
        self._is_game_blocked = active.blocks_game
        try:
            step = next(active.steps)
            active.seconds += time.perf_counter() - started
            return False if step.is_waiting else None
        except StopIteration as end:
            answer = self._finish(method, end.value)
        except Exception as error:
            answer = self._fail(method, error)
        del self._active[request_id]
        self._timings.note(active.target, active.seconds + time.perf_counter() - started)
        return answer

    def cancel(self, request_id: int) -> bytes:
        """Give up a long message between two slices; its answer tells what it has done so far."""
        self._active.pop(request_id).steps.close()
        return _answer(None, "The request was given up.", self._take_events())

    def give_up_waiting(self) -> None:
        """End the waiting for the game's replies: what waits goes on without them."""
        for question, reply in self._replies.items():
            if reply is None:
                self._replies[question] = _Reply(None, "the save or the game is being left")

    def idle(self) -> bytes | bool | None:
        """A few milliseconds of work nobody waits for; called again until it returns None, after False only
        when the game has replied.

        What it returns is empty, or an answer to nobody that carries signals.
        """
        self._now = self._last_asked  # a slice of an older call may have come since
        self._asking_request = 0
        self._is_game_blocked = False
        self._calling_instance = None
        try:
            step = self._saves.idle_step(is_alone=not self._active)
        except Exception:
            _LOG.exception("work in the background failed; it is tried again after the next call")
            step = None
        if self._events:
            return _answer(None, "", self._take_events())
        if step is None:
            return None
        return False if step.is_waiting else b""

    def stop(self) -> None:
        """Close everything; the interpreter ends after this."""
        for request_id in list(self._active):
            self.cancel(request_id)
        self._connection.disconnect()
        self._saves.shut_down()

    def _busy_npcs(self) -> set[str]:
        """The NPCs whose calls are between two slices: no event may come in between."""
        instances = (self._instances.get((call.instance_id, False)) for call in self._active.values())
        return {node.npc_id for node in instances if isinstance(node, RAGMemoryNode | NPCMindNode)}

    def _ask_steps(self, which: GameFunction, request: dict[str, Any]) -> Steps[Any]:
        """Ask a function of the game; the result is None when the game has set none."""
        self._last_question += 1
        question, asking = self._last_question, self._asking_request
        self._replies[question] = None
        try:
            if not self._ask(question, self._asking_request, int(which), variant_codec.encode(request)):
                return None
            while (reply := self._replies[question]) is None:
                if self._is_game_blocked and self._asking_request != asking:
                    raise GameFunctionError(_BLOCKED)
                yield Step(0, 1, "waiting for the game", is_waiting=True)
        finally:
            del self._replies[question]
        if reply.error:
            raise GameFunctionError(reply.error)
        return reply.value

    def _is_set(self, which: GameFunction) -> bool:
        """Return True if the game has set this function."""
        return self._ask(0, 0, int(which), b"")

    def _instance(self, instance_id: int, class_name: str, is_unordered: bool) -> Any:
        """Return the object that carries out a call. Unordered calls have an object of their own, because
        their property values overtake the queue, too, while queued calls still need the former values.
        """
        if class_name == "MemoryServer":
            return self._server
        key = (instance_id, is_unordered)
        if key not in self._instances:
            self._instances[key] = self._made[class_name]()
        return self._instances[key]

    def _npc_event(self, npc_id: str, persistent: bool, name: str, arguments: tuple[Any, ...]) -> None:
        """Emit a signal of an NPC: on the node whose call caused it, or on every node of the NPC when
        MemoryWorld or work in the background caused it.
        """
        packed = _packed(arguments)
        calling_id = self._calling_instance
        calling = None if calling_id is None else self._instances.get((calling_id, False))
        if isinstance(calling, NPCMindNode):
            self._emit(calling.memory_instance, name, packed)
            return
        if calling_id is not None and isinstance(calling, RAGMemoryNode):
            self._emit(calling_id, name, packed)
            return
        for (instance_id, is_unordered), instance in self._instances.items():
            if (
                not is_unordered
                and isinstance(instance, RAGMemoryNode)
                and instance.is_of(npc_id, persistent)
            ):
                self._emit(instance_id, name, packed)

    def _mind_event(self, npc_id: str, persistent: bool, name: str, arguments: tuple[Any, ...]) -> None:
        """Emit a signal of a mind on every NPCMind of the NPC."""
        for (instance_id, is_unordered), instance in self._instances.items():
            if not is_unordered and isinstance(instance, NPCMindNode) and instance.is_of(npc_id, persistent):
                self._emit(instance_id, name, _packed(arguments))

    def _emit(self, instance_id: int, name: str, arguments: list[Any]) -> None:
        self._events.append([instance_id, name, arguments])

    def _finish(self, method: declare.Method, result: Any) -> bytes:
        if method.returns is declare.PackedStringArray:
            result = variant_codec.PackedStrings(result)
        elif method.returns == list[dict[str, Any]]:
            result = variant_codec.TypedList(variant_codec.DICTIONARY, result)
        return _answer(result, "", self._take_events())

    def _fail(self, method: declare.Method, error: Exception) -> bytes:
        if isinstance(error, errors.RagMemoryError | OSError):
            text = errors.in_words(error)
            if isinstance(error, errors.EmbedderError):
                self._saves.models.fault = text
        else:
            _LOG.error("an error inside RAG Memory; please report it", exc_info=error)
            text = f"An error inside RAG Memory: {type(error).__name__}: {error}. Please report it."
        result = None
        if method.returns is declare.Error:
            result = error_code(error)
        return _answer(result, text, self._take_events())

    def _take_events(self) -> list[list[Any]]:
        events, self._events = self._events, []
        return events


def _answer(result: Any, error: str, events: list[list[Any]]) -> bytes:
    return variant_codec.encode_answer([result, error, events])


def start(
    log: Callable[[int, str], None],
    ask: AskFunction,
    model: ModelFunction,
    ring: Callable[[], None],
    saves_folder: str,
    models_folder: str,
    prepared_folder: str,
    user_folder: str,
    vector_index: str,
    is_debug_build: int,
    is_in_editor: int,
    method_table_key: str,
    rules: bytes,
) -> Bridge:
    """Route Python's output to the engine and make the bridge; called once, on the worker.

    Raises:
        RagMemoryError: the library was made for other methods than there are here.
    """
    from rag_memory.godot import output

    # The host has set the prefix: the runtime's folder.
    part = classes.server_part_of(method_table_key, Path(sys.prefix))
    output.route(log, bool(is_debug_build))
    SAVE_FILES.introduce("editor" if is_in_editor else "game", bool(is_debug_build))
    load_rules(rules)
    folders = Folders(*map(usable, (saves_folder, models_folder, prepared_folder, user_folder)))
    bridge = Bridge(folders, ask, bool(is_in_editor), vector_index, model, ring, part)
    end_start()
    return bridge


def _packed(arguments: tuple[Any, ...]) -> list[Any]:
    # No signal has an untyped Array: lists are texts.
    return [variant_codec.PackedStrings(value) if isinstance(value, list) else value for value in arguments]
