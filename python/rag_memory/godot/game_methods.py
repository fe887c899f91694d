"""The methods of the Godot nodes of an NPC, made from the game calls that the core declares."""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

from rag_memory.conversation.conversation import Conversation
from rag_memory.game_call import Done, GameCall, game_calls
from rag_memory.godot.arguments import CONFIG_RESOURCES, converting
from rag_memory.godot.declare import (
    NO_VALUES,
    Argument,
    Error,
    Kind,
    Method,
    PackedStringArray,
    ResourceOptions,
    Signature,
    argument_names,
    by_name,
)
from rag_memory.npc.archive import Archive
from rag_memory.npc.diary import Diary
from rag_memory.npc.exchange_undo import ExchangeUndo
from rag_memory.npc.exchanges import Exchanges
from rag_memory.npc.feelings import Feelings
from rag_memory.npc.listeners import Listeners
from rag_memory.npc.memories import Memories
from rag_memory.npc.npc import Npc
from rag_memory.npc.npc_mind import NpcMind
from rag_memory.npc.recall import Recall
from rag_memory.npc.reflections import Reflections
from rag_memory.npc.relationship import Relationship
from rag_memory.npc.rules import Rules
from rag_memory.npc.tools import Tools
from rag_memory.npc.unaided_answers import UnaidedAnswers
from rag_memory.prompt.context_prompts import ContextPrompts
from rag_memory.prompt.dossiers import Dossiers
from rag_memory.step import SlicedCall
from rag_memory.world.characters import Characters
from rag_memory.world.debates import Debates
from rag_memory.world.events import Events
from rag_memory.world.facts import Facts
from rag_memory.world.file_imports import FileImports
from rag_memory.world.lore import Lore
from rag_memory.world.maintenance import Maintenance
from rag_memory.world.open_matters import OpenMatters
from rag_memory.world.profiles import Profiles
from rag_memory.world.rumors import Rumors
from rag_memory.world.tasks import Tasks
from rag_memory.world.world_json import WorldJson

NPC_PARTS: Mapping[str, type] = {
    "prompts": ContextPrompts,
    "dossiers": Dossiers,
    "conversation": Conversation,
    "exchanges": Exchanges,
    "exchange_undo": ExchangeUndo,
    "memories": Memories,
    "": Npc,
    "relationship": Relationship,
    "recall": Recall,
    "archive": Archive,
    "diary": Diary,
    "tools": Tools,
    "unaided_answers": UnaidedAnswers,
}
"""The calls of a RAGMemory: the attribute of its NPC that has them ("": the NPC itself), and its class."""
MIND_PARTS: Mapping[str, type] = {
    "": NpcMind,
    "reflections": Reflections,
    "feelings": Feelings,
    "listeners": Listeners,
}
"""The calls of an NPCMind, by the attribute of the mind."""
WORLD_PARTS: Mapping[str, type] = {
    "maintenance": Maintenance,
    "characters": Characters,
    "profiles": Profiles,
    "tasks": Tasks,
    "open_matters": OpenMatters,
    "debates": Debates,
    "rumors": Rumors,
    "events": Events,
    "facts": Facts,
    "lore": Lore,
    "imports": FileImports,
    "json": WorldJson,
}
"""The calls of MemoryWorld, by the attribute of the world."""

_OPTIONS = dict[str, Any]
_READS_WORLD = (ContextPrompts, Diary, Dossiers, Conversation, Exchanges, ExchangeUndo, UnaidedAnswers)
"""The parts of an NPC whose calls run in order with those of MemoryWorld."""


def npc_methods() -> list[Method]:
    """Return every game call of an NPC's memory, as GDScript sees it."""
    return [
        *_methods(NPC_PARTS, lambda node: node.npc()),
        # Rules need no NPC: the node has its own.
        *(
            _method(function, call, by_name(function.__name__, "rules"), is_unordered=True)
            for function, call in game_calls(Rules)
        ),
    ]


def mind_methods() -> list[Method]:
    """Return every game call of an NPC's mind, as GDScript sees it."""
    return _methods(MIND_PARTS, lambda node: node.mind())


def world_methods() -> list[Method]:
    """Return every game call of the world, as GDScript sees it."""
    return _methods(WORLD_PARTS, lambda node: node.world())


def _methods(parts: Mapping[str, type], owner_of: Callable[[Any], Any]) -> list[Method]:
    return [
        _method(
            function,
            call,
            _forwarded(owner_of, attribute, function.__name__, call.searches),
            reads_world=part in _READS_WORLD,
        )
        for attribute, part in parts.items()
        for function, call in game_calls(part)
    ]


def _method(
    function: Callable[..., Any],
    call: GameCall,
    carry_out: Callable[..., Any],
    is_unordered: bool = False,
    reads_world: bool = False,
) -> Method:
    name = function.__name__
    returns = function.__annotations__["return"]
    kind = Kind.WORKER
    if returns == "None":
        kind = Kind.POST
    elif call.is_quick:
        kind = Kind.WORKER_SYNC
    options = ResourceOptions if call.takes_objects else _OPTIONS

    @functools.cache
    def hints() -> dict[str, Any]:
        return typing.get_type_hints(function)

    @functools.cache
    def signature() -> Signature:
        parameters = list(inspect.signature(function).parameters.values())[1:]
        arguments = tuple(
            Argument(
                p.name,
                options if type_ == _OPTIONS else type_,
                NO_VALUES if p.default is None and type_ == _OPTIONS else p.default,
            )
            for p, type_ in ((p, _godot_type(hints()[p.name])) for p in parameters)
        )
        return Signature(arguments, _godot_type(hints()["return"]), inspect.getdoc(function) or "")

    names = argument_names(function)
    return Method(
        name,
        kind,
        names,
        signature,
        writes=call.writes,
        barrier=False,
        opens=call.is_long,
        unordered=is_unordered,
        const=call.is_pure,
        carry_out=converting(carry_out, f"{name}()", lambda: [_without_none(hints()[n]) for n in names]),
        reads_world=reads_world,
    )


def _forwarded(
    owner_of: Callable[[Any], Any], attribute: str, name: str, searches: bool
) -> Callable[..., Any]:
    """Make a call of one part of what a node belongs to, in slices where it has them."""

    def of(owner: Any) -> Callable[..., Any]:
        method: Callable[..., Any] = getattr(getattr(owner, attribute) if attribute else owner, name)
        return method.steps if isinstance(method, SlicedCall) else method

    def call(node: Any, *arguments: Any) -> Any:
        return of(owner_of(node))(*arguments)

    def search_steps(node: Any, *arguments: Any) -> Generator[Any, None, Any]:
        owner = owner_of(node)
        yield from owner.load_steps()
        return of(owner)(*arguments)

    return search_steps if searches else call


def _godot_type(annotation: Any) -> Any:
    """Return the GDScript type of a type of the core; for work in slices that of its result."""
    if typing.get_origin(annotation) is Generator:
        annotation = typing.get_args(annotation)[2]
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
    """Return the type of an argument without None."""
    if typing.get_origin(annotation) not in (types.UnionType, typing.Union):
        return annotation
    (type_,) = (item for item in typing.get_args(annotation) if item is not type(None))
    return type_
