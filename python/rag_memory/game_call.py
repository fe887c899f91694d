"""Marks the methods of an NPC's memory that a game calls; the engine's layer makes its own methods of them.

A game call is declared once, here in the core: its signature, its docstring, and the facts below. An engine
carries out the slices of a method that is `in_slices`.

The docstrings are also the F1 help and docs/reference.md. Names are in backticks: `store()` is a method of
the same class, `MemoryConfig.slot_types` a member of another one, `memory_superseded` a signal, and
everything else code. The sections Args, Returns and Raises are optional.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, NewType, TypeVar

from rag_memory.step import InSlices

_MARK = "__game_call__"
Done = NewType("Done", int)
"""Annotation of a call without a result. An engine returns an error code of its own for it."""
DONE = Done(0)
MethodT = TypeVar("MethodT")


class GameCall(NamedTuple):
    """Facts about a call that an engine needs besides its signature."""

    writes: bool = False
    """The call is carried out even when the game quits before."""
    searches: bool = False
    """The call needs the search index: `load_steps()` runs before it."""
    is_quick: bool = False
    """The call has no asynchronous form, because it is quick."""
    is_pure: bool = False
    """The result depends on the arguments alone."""
    is_long: bool = False
    """Other calls may run between the slices of this one."""
    takes_objects: bool = False
    """Dictionaries among the arguments may have objects of the engine, which arrive as data."""


def game_call(
    *,
    writes: bool = False,
    searches: bool = False,
    is_quick: bool = False,
    is_pure: bool = False,
    is_long: bool = False,
    takes_objects: bool = False,
) -> Callable[[MethodT], MethodT]:
    """Marks a method as a call of games; the arguments are those of `GameCall`."""

    def mark(method: MethodT) -> MethodT:
        setattr(method, _MARK, GameCall(writes, searches, is_quick, is_pure, is_long, takes_objects))
        return method

    return mark


def game_calls(part: type) -> list[tuple[Callable[..., Any], GameCall]]:
    """Return the functions of the game calls that a class declares, with their facts."""
    methods = (member for member in vars(part).values() if hasattr(member, _MARK))
    return [
        (method.function if isinstance(method, InSlices) else method, getattr(method, _MARK))
        for method in methods
    ]
