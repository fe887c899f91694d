"""Marks the methods of an NPC's memory that a game calls; the engine's layer makes its own methods of them.

A game call is declared once, here in the core: its signature, its docstring, and the facts below. Where a
method `x_steps` stands beside `x`, an engine carries that one out, in slices.

The docstrings are read by three: a Python user, the F1 help and docs/reference.md. What they name stands
in backticks: `store()` is a method of the same class, `MemoryConfig.slot_types` a member of another one,
`memory_superseded` a signal, and everything else code. They may have the sections Args, Returns and Raises.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, NewType, TypeVar

_MARK = "__game_call__"
Done = NewType("Done", int)
"""Annotation of the result of a call that has none. An engine makes a code of its own of it and of errors."""
DONE = Done(0)
FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])


class GameCall(NamedTuple):
    """Facts about a call that an engine needs besides its signature."""

    writes: bool = False
    """It has to be carried out even when the game is being left."""
    searches: bool = False
    """It needs the search index: `load_steps()` comes first."""
    is_quick: bool = False
    """Nobody needs a form of it that does not block."""
    is_pure: bool = False
    """Its answer follows from its arguments alone."""
    is_long: bool = False
    """It holds up no other call: once it has begun they run between its slices."""


def game_call(
    *,
    writes: bool = False,
    searches: bool = False,
    is_quick: bool = False,
    is_pure: bool = False,
    is_long: bool = False,
) -> Callable[[FunctionT], FunctionT]:
    """Marks a method as a call of games; the arguments are those of `GameCall`."""

    def mark(function: FunctionT) -> FunctionT:
        setattr(function, _MARK, GameCall(writes, searches, is_quick, is_pure, is_long))
        return function

    return mark


def game_calls(part: type) -> list[tuple[Callable[..., Any], GameCall]]:
    """The game calls that a class and its base classes declare, each with its facts."""
    members = (member for cls in part.__mro__ for member in vars(cls).values())
    functions = (member for member in members if hasattr(member, _MARK))
    return [(function, getattr(function, _MARK)) for function in functions]
