"""Values that the adapter passes to py4godot and gets from it.

py4godot itself is not here: these stand for its types, as its source declares them (docs/py4godot.md).
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from rag_memory.godot.py4godot import MemoryObject, to_godot, to_python


class String:
    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text


class Array:
    def __init__(self, *items: Any) -> None:
        self._items = list(items)

    @staticmethod
    def new0() -> Array:
        return Array()

    def append(self, value: Any) -> None:
        self._items.append(_accepted(value))

    def size(self) -> int:
        return len(self._items)

    def __getitem__(self, index: int) -> Any:
        return self._items[index]


class PackedStringArray(Array):
    pass


class Dictionary:
    def __init__(self, items: dict[Any, Any] | None = None) -> None:
        self._items = dict(items or {})

    @staticmethod
    def new0() -> Dictionary:
        return Dictionary()

    def get_or_add(self, key: Any, default: Any) -> Any:
        return self._items.setdefault(_accepted(key), _accepted(default))

    def keys(self) -> Array:
        return Array(*self._items)

    def __getitem__(self, key: Any) -> Any:
        return self._items[key]


class Node:
    """Answers with what it was called with."""

    def call(self, method: str, *arguments: Any) -> Array:
        return Array(method, *map(_accepted, arguments))


def _accepted(value: Any) -> Any:
    if not isinstance(value, bool | int | float | str | String | Array | Dictionary):
        raise ValueError(f"Unsupported type: {type(value).__name__}")
    return value


@pytest.fixture(autouse=True)
def _stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    core = ModuleType("py4godot.classes.core")
    vars(core).update(Array=Array, Dictionary=Dictionary)
    for module in (ModuleType("py4godot"), ModuleType("py4godot.classes"), core):
        monkeypatch.setitem(sys.modules, module.__name__, module)


def test_arguments_and_results_may_be_nested() -> None:
    data = {"event_type": "gift", "participants": ["player", "elena"], "at": {"x": 1, "y": 2.5}, "seen": True}
    result = MemoryObject(Node()).store("A rose.", 7, data)
    assert result == ["store", "A rose.", 7, data]


def test_what_godot_returns_becomes_plain_values() -> None:
    answer = Dictionary({"ids": PackedStringArray(String("a"), "b"), "none": None, "empty": Array()})
    assert to_python(answer) == {"ids": ["a", "b"], "none": None, "empty": []}
    node = Node()
    assert to_python(node) is node


def test_none_is_refused_with_what_to_do() -> None:
    with pytest.raises(TypeError, match="Leave the argument or the key out"):
        to_godot({"tags": [None]})


def test_an_object_is_not_asked_for_pythons_own_names() -> None:
    assert not hasattr(MemoryObject(Node()), "__len__")
