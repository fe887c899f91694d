"""The Godot classes of a dedicated server: those of every game with what the server part adds."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence

from rag_memory.godot.classes import declared_classes
from rag_memory.godot.declare import GodotClass
from rag_memory_server.godot.server_part import SERVER_PART


@functools.cache
def all_classes() -> Sequence[GodotClass]:
    """All of them; what is added to a class of every game stands in it."""
    classes = {cls.name: cls for cls in declared_classes()}
    for added in SERVER_PART.declarations:
        of_game = classes.get(added.name)
        classes[added.name] = added if of_game is None else _with(of_game, added)
    return tuple(classes.values())


@functools.cache
def names_of_server_part() -> frozenset[str]:
    """The names of the classes that only the server part has."""
    return frozenset(cls.name for cls in SERVER_PART.declarations) - {cls.name for cls in declared_classes()}


def _with(cls: GodotClass, added: GodotClass) -> GodotClass:
    return dataclasses.replace(
        cls, methods=[*cls.methods, *added.methods], signals=[*cls.signals, *added.signals]
    )
