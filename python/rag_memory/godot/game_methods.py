"""The methods of the Godot nodes of an NPC, made from the game calls that the core declares."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory import dossier
from rag_memory.dossier.npc_in_world import NpcInWorld
from rag_memory.godot.declare import NO_VALUES, Argument, Error, Kind, Method, PackedStringArray, by_name
from rag_memory.godot.taken_arguments import CONFIG_RESOURCES, taking
from rag_memory.npc.game_call import Done, GameCall, game_calls
from rag_memory.npc.npc_mind import NpcMind
from rag_memory.npc.rules import Rules
from rag_memory.world.characters import Characters
from rag_memory.world.debates import Debates
from rag_memory.world.events import Events
from rag_memory.world.facts import Facts
from rag_memory.world.lore import Lore
from rag_memory.world.maintenance import Maintenance
from rag_memory.world.profiles import Profiles
from rag_memory.world.rumors import Rumors
from rag_memory.world.tasks import Tasks
from rag_memory.world.world_json import WorldJson

WORLD_PARTS: Mapping[str, type] = {
    "maintenance": Maintenance,
    "characters": Characters,
    "profiles": Profiles,
    "tasks": Tasks,
    "debates": Debates,
    "rumors": Rumors,
    "events": Events,
    "facts": Facts,
    "lore": Lore,
    "json": WorldJson,
}
"""The calls of MemoryWorld: the attribute of `World` that has them, and its class."""


def npc_methods() -> list[Method]:
    """Every game call of an NPC's memory, as GDScript sees it."""
    of_rules = {function for function, _ in game_calls(Rules)}
    return [
        _method(function, call, _MEMORY, needs_no_memories=function in of_rules)
        for function, call in game_calls(NpcInWorld)
    ]


def mind_methods() -> list[Method]:
    """Every game call of an NPC's mind, as GDScript sees it."""
    return [_method(function, call, _MIND) for function, call in game_calls(NpcMind)]


def world_methods() -> list[Method]:
    """Every game call of the world, as GDScript sees it."""
    return [
        _method(function, call, _Part(part, _part_of_world(attribute)))
        for attribute, part in WORLD_PARTS.items()
        for function, call in game_calls(part)
    ]


def _part_of_world(attribute: str) -> Callable[[Any], Any]:
    return lambda node: getattr(node.world(), attribute)


_OPTIONS = dict[str, Any]
_DOSSIER = f"{dossier.__name__}."
"""What is declared there is asked of an NPC and tells what she knows of the world."""


class _Part(NamedTuple):
    """What the calls of a Godot object go to."""

    core: type
    of_node: Callable[[Any], Any]


_MEMORY = _Part(NpcInWorld, lambda node: node.npc())
_MIND = _Part(NpcMind, lambda node: node.mind())


def _method(
    function: Callable[..., Any], call: GameCall, part: _Part, needs_no_memories: bool = False
) -> Method:
    hints = typing.get_type_hints(function)
    parameters = list(inspect.signature(function).parameters.values())[1:]
    returns = _godot_type(hints["return"])
    kind = Kind.WORKER
    if returns is type(None):
        kind = Kind.POST
    elif call.is_quick:
        kind = Kind.WORKER_SYNC
    name = function.__name__
    # The node is a Rules of its own.
    carry_out = by_name(name) if needs_no_memories else _forwarded(part, name, call.searches)
    return Method(
        name,
        kind,
        tuple(
            Argument(p.name, type_, NO_VALUES if p.default is None and type_ == _OPTIONS else p.default)
            for p, type_ in ((p, _godot_type(hints[p.name])) for p in parameters)
        ),
        returns,
        inspect.getdoc(function) or "",
        writes=call.writes,
        barrier=False,
        opens=call.is_long,
        unordered=needs_no_memories,
        const=call.is_pure,
        carry_out=taking(carry_out, f"{name}()", [_without_none(hints[p.name]) for p in parameters]),
        reads_world=function.__module__.startswith(_DOSSIER),
    )


def _forwarded(part: _Part, name: str, searches: bool) -> Callable[..., Any]:
    """Carries out a call of a node with its part of the NPC."""
    in_slices = f"{name}_steps"
    called = in_slices if hasattr(part.core, in_slices) else name

    def call(node: Any, *arguments: Any) -> Any:
        return getattr(part.of_node(node), called)(*arguments)

    def search_steps(node: Any, *arguments: Any) -> Generator[Any, None, Any]:
        of_npc = part.of_node(node)
        yield from of_npc.load_steps()
        return getattr(of_npc, called)(*arguments)

    return search_steps if searches else call


def _godot_type(annotation: Any) -> Any:
    """What a type of the core is in GDScript."""
    if annotation is Done:
        return Error
    annotation = _without_none(annotation)
    if annotation in CONFIG_RESOURCES:
        return CONFIG_RESOURCES[annotation]
    origin, items = typing.get_origin(annotation) or annotation, typing.get_args(annotation)
    if origin in (dict, Mapping):
        return _OPTIONS
    if origin in (list, Sequence):
        item = _godot_type(items[0])
        return PackedStringArray if item is str else list[item]  # type: ignore[valid-type]
    return annotation


def _without_none(annotation: Any) -> Any:
    """What an argument is when it is not left out."""
    if typing.get_origin(annotation) not in (types.UnionType, typing.Union):
        return annotation
    (given,) = (item for item in typing.get_args(annotation) if item is not type(None))
    return given
