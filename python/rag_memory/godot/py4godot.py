"""The addon's objects for code in the Python of py4godot, another addon: docs/py4godot.md.

This file needs nothing else of the package, so a game may copy it to its own scripts.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Mapping
from typing import Any


class MemoryObject:
    """A RAGMemory, an NPCMind, MemoryServer or MemoryWorld: its methods take and return values of Python.

    elena = MemoryObject(self.get_node("Elena"))
    elena.store("The player brought a rose.", 7, {"event_type": "gift"})
    """

    def __init__(self, godot_object: Any) -> None:
        self._object = godot_object

    def __getattr__(self, method: str) -> Callable[..., Any]:
        if method.startswith("__"):
            raise AttributeError(method)
        return functools.partial(self._call, method)

    def _call(self, method: str, *arguments: Any) -> Any:
        return to_python(self._object.call(method, *map(to_godot, arguments)))


def to_python(value: Any) -> Any:
    """A value of Godot as dict, list or str, with all that is in it; others, such as objects, as they are."""
    kind = type(value).__name__
    if kind == "Dictionary":
        return {to_python(key): to_python(value[key]) for key in to_python(value.keys())}
    if kind.endswith("Array"):
        return [to_python(value[index]) for index in range(value.size())]
    return str(value) if kind in ("String", "StringName", "NodePath") else value


def to_godot(value: Any) -> Any:
    """A dict, list or tuple as Dictionary or Array, with all that is in it; others as they are.

    Raises:
        TypeError: it is None, which py4godot cannot pass on.
    """
    if value is None:
        raise TypeError("None cannot be given to Godot by py4godot. Leave the argument or the key out.")
    if not isinstance(value, Mapping | list | tuple):
        return value
    core = importlib.import_module("py4godot.classes.core")
    if isinstance(value, Mapping):
        dictionary = core.Dictionary.new0()
        for key, item in value.items():
            dictionary.get_or_add(to_godot(key), to_godot(item))
        return dictionary
    array = core.Array.new0()
    for item in value:
        array.append(to_godot(item))
    return array
