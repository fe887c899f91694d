"""The methods of the Godot node RAGMemory, made from the game calls that the core declares."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

from rag_memory.godot.declare import NO_VALUES, Argument, Kind, Method, PackedStringArray, by_name
from rag_memory.npc.game_call import GameCall, game_calls
from rag_memory.npc.npc_memory import NpcMemory
from rag_memory.npc.rules import Rules


def npc_methods() -> list[Method]:
    """Every game call of an NPC's memory, as GDScript sees it."""
    of_rules = {function for function, _ in game_calls(Rules)}
    return [_method(function, call, function in of_rules) for function, call in game_calls(NpcMemory)]


def _method(function: Callable[..., Any], call: GameCall, needs_no_memories: bool) -> Method:
    hints = typing.get_type_hints(function)
    parameters = list(inspect.signature(function).parameters.values())[1:]
    returns = _godot_type(hints["return"])
    kind = Kind.WORKER
    if returns is type(None):
        kind = Kind.POST
    elif call.is_quick:
        kind = Kind.WORKER_SYNC
    name = function.__name__
    return Method(
        name,
        kind,
        tuple(
            Argument(p.name, _godot_type(hints[p.name]), NO_VALUES if p.default is None else p.default)
            for p in parameters
        ),
        returns,
        inspect.getdoc(function) or "",
        writes=call.writes,
        barrier=False,
        opens=False,
        unordered=needs_no_memories,
        const=call.is_pure,
        # The node is a Rules of its own.
        carry_out=by_name(name) if needs_no_memories else _forwarded(name, call.searches),
    )


def _forwarded(name: str, searches: bool) -> Callable[..., Any]:
    """Carries out a call of a node with the memory of its NPC."""
    in_slices = f"{name}_steps"
    called = in_slices if hasattr(NpcMemory, in_slices) else name

    def call(node: Any, *arguments: Any) -> Any:
        return getattr(node.npc(), called)(*arguments)

    def search_steps(node: Any, *arguments: Any) -> Generator[Any, None, Any]:
        npc = node.npc()
        yield from npc.load_steps()
        return getattr(npc, called)(*arguments)

    return search_steps if searches else call


def _godot_type(annotation: Any) -> Any:
    """What a type of the core is in GDScript."""
    origin, items = typing.get_origin(annotation) or annotation, typing.get_args(annotation)
    if origin in (types.UnionType, typing.Union):  # an option that may be left out
        (given,) = (item for item in items if item is not type(None))
        return _godot_type(given)
    if origin in (dict, Mapping):
        return dict[str, Any]
    if origin in (list, Sequence):
        item = _godot_type(items[0])
        return PackedStringArray if item is str else list[item]  # type: ignore[valid-type]
    return annotation
