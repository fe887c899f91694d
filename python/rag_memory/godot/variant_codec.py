"""Godot's binary Variant serialisation (`var_to_bytes`), in both directions, for plain values.

Format: the page "Binary serialization API" of Godot's documentation. Python values and Variants
correspond like this: None, bool, int, float, str, list and dict are themselves (StringName and
PackedStringArray arrive as str and list). Every other plain Variant (vectors, colours, node paths,
packed arrays of numbers) arrives as `{"$godot": <base64 of its encoding>}`, which JSON can hold, and is
sent back as exactly what it was; a Dictionary with keys that are not strings arrives as
`{"$godot_items": [[key, value], ...]}`. Objects, RIDs, Callables and Signals are refused: a memory
outlives them.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any, Protocol

import variant_encoding

from rag_memory.errors import InvalidArgumentError
from rag_memory.validation import EngineValue, shown

NIL, BOOL, INT, FLOAT, STRING = 0, 1, 2, 3, 4
STRING_NAME, NODE_PATH, RID, OBJECT, CALLABLE, SIGNAL, DICTIONARY, ARRAY = 21, 22, 23, 24, 25, 26, 27, 28
PACKED_STRING_ARRAY = 34

_FLAG_64 = 1 << 16
_TYPED_SHIFT = 16
_TYPED_BUILTIN = 1
_MAX_DEPTH = 64
_LONGEST_KEY = 40
_REFUSED = {RID: "RID", OBJECT: "Object", CALLABLE: "Callable", SIGNAL: "Signal"}
_FLOATS_OF = {5: 2, 7: 4, 9: 3, 11: 6, 12: 4, 14: 4, 15: 4, 16: 6, 17: 9, 18: 12, 19: 16}
_FIXED_SIZE = {6: 8, 8: 16, 10: 12, 13: 16, 20: 16}
_PACKED_ITEM_SIZE = {29: 1, 30: 4, 31: 8, 32: 4, 33: 8}
_PACKED_FLOATS = {35: 2, 36: 3, 37: 4, 38: 4}
_PACKED_COLOR_ARRAY = 37
# fmt: off
_OPAQUE_NAMES = {
    5: "Vector2", 6: "Vector2i", 7: "Rect2", 8: "Rect2i", 9: "Vector3", 10: "Vector3i", 11: "Transform2D",
    12: "Vector4", 13: "Vector4i", 14: "Plane", 15: "Quaternion", 16: "AABB", 17: "Basis",
    18: "Transform3D", 19: "Projection", 20: "Color", 22: "NodePath", 29: "PackedByteArray",
    30: "PackedInt32Array", 31: "PackedInt64Array", 32: "PackedFloat32Array", 33: "PackedFloat64Array",
    35: "PackedVector2Array", 36: "PackedVector3Array", 37: "PackedColorArray", 38: "PackedVector4Array",
}
# fmt: on

OPAQUE_KEY = "$godot"
ITEMS_KEY = "$godot_items"
SHARED_KEY = "$shared"
"""The only key of a Dictionary that names a value which was sent before; see shared_values.py."""


class Shared(Protocol):
    """Values by the hashes that name them."""

    def __contains__(self, hash: object, /) -> bool: ...

    def __getitem__(self, hash: int, /) -> Any: ...


NOTHING_SHARED: Shared = MappingProxyType({})


class TypedList:
    """A list to be sent as a typed Array (`Array[Dictionary]` and the like)."""

    def __init__(self, item_type: int, items: list[Any]) -> None:
        self.item_type = item_type
        self.items = items


class PackedStrings:
    """A list of str to be sent as a PackedStringArray."""

    def __init__(self, items: list[str]) -> None:
        self.items = items


def decode(data: bytes, shared: Shared = NOTHING_SHARED) -> Any:
    """The Python value of one serialised Variant, with the values that it names.

    Raises InvalidArgumentError for Objects, RIDs, Callables, Signals and for nesting deeper than 64.
    """
    return _Decoder(data, shared).value(0)


def decode_first(data: bytes) -> Any:
    """The first item of a serialised Array, whatever the others are."""
    return _Decoder(data, NOTHING_SHARED).first()


class NotStorableError(InvalidArgumentError):
    """A value of a type that cannot be stored. `path` holds the keys and indices that lead to it, outermost
    first.
    """

    def __init__(self, type_name: str) -> None:
        super().__init__(
            f"a value of type {type_name} cannot be stored",
            "a memory outlives the running game, such a value does not",
            "Store what identifies it instead, for example its name or its path",
        )
        self.type_name = type_name
        self.path: list[Any] = []

    def name_argument(self, call: str, names: Sequence[str]) -> None:
        """Say in which argument of a call, and where in it, the value is."""
        index, *path = self.path
        place = "".join(
            f".{step}"
            if isinstance(step, str) and len(step) <= _LONGEST_KEY
            else f"[{shown(step, _LONGEST_KEY)}]"
            for step in path
        )
        self.what = f"{call}: {names[index]}{place} is of type {self.type_name}, which cannot be stored"


class _Decoder:
    def __init__(self, data: bytes, shared: Shared) -> None:
        self._data = data
        self._shared = shared
        self._at = 0

    def first(self) -> Any:
        self._skip_container_type(self._uint32() >> _TYPED_SHIFT & 3)
        self._uint32()
        return self.value(1)

    def value(self, depth: int) -> Any:
        if depth > _MAX_DEPTH:
            raise InvalidArgumentError(
                "the value is nested too deeply",
                f"arrays and dictionaries may nest {_MAX_DEPTH} levels, or one contains itself",
                "Pass a flatter value",
            )
        start = self._at
        header = self._uint32()
        kind = header & 0xFF
        if kind in (STRING, STRING_NAME):
            return self._string()
        if kind == INT:
            return self._take("<q", 8) if header & _FLAG_64 else self._take("<i", 4)
        if kind == FLOAT:
            return self._take("<d", 8) if header & _FLAG_64 else self._take("<f", 4)
        if kind == BOOL:
            return bool(self._uint32())
        if kind == NIL:
            return None
        if kind == DICTIONARY:
            return self._dictionary(header, depth)
        if kind == ARRAY:
            return self._array(header, depth)
        if kind == PACKED_STRING_ARRAY:
            return [self._string().removesuffix("\0") for _ in range(self._uint32())]
        if kind in _REFUSED:
            raise NotStorableError(_REFUSED[kind])
        self._skip_opaque(kind, header)
        encoded = base64.b64encode(self._data[start : self._at]).decode("ascii")
        return EngineValue(_OPAQUE_NAMES[kind], {OPAQUE_KEY: encoded})

    def _array(self, header: int, depth: int) -> list[Any]:
        self._skip_container_type(header >> _TYPED_SHIFT & 3)
        items: list[Any] = []
        try:
            for _ in range(self._uint32() & 0x7FFFFFFF):
                items.append(self.value(depth + 1))
        except NotStorableError as error:
            error.path.insert(0, len(items))
            raise
        return items

    def _dictionary(self, header: int, depth: int) -> Any:
        self._skip_container_type(header >> _TYPED_SHIFT & 3)
        self._skip_container_type(header >> (_TYPED_SHIFT + 2) & 3)
        count = self._uint32() & 0x7FFFFFFF
        items: list[tuple[Any, Any]] = []
        key: Any = None
        try:
            for _ in range(count):
                key = self.value(depth + 1)
                items.append((key, self.value(depth + 1)))
        except NotStorableError as error:
            error.path.insert(0, key)
            raise
        if count == 1 and key == SHARED_KEY and isinstance(items[0][1], int) and items[0][1] in self._shared:
            return self._shared[items[0][1]]
        if all(isinstance(key, str) for key, _ in items):
            return dict(items)
        return EngineValue("Dictionary", {ITEMS_KEY: [[key, value] for key, value in items]})

    def _skip_container_type(self, kind: int) -> None:
        if kind == _TYPED_BUILTIN:
            self._uint32()
        elif kind:
            self._string()

    def _skip_opaque(self, kind: int, header: int) -> None:
        real = 8 if header & _FLAG_64 else 4
        if kind in _FLOATS_OF:
            self._at += _FLOATS_OF[kind] * real
        elif kind in _FIXED_SIZE:
            self._at += _FIXED_SIZE[kind]
        elif kind in _PACKED_ITEM_SIZE:
            size = self._uint32() * _PACKED_ITEM_SIZE[kind]
            self._at += size + -size % 4
        elif kind in _PACKED_FLOATS:
            count = self._uint32()
            self._at += count * _PACKED_FLOATS[kind] * (4 if kind == _PACKED_COLOR_ARRAY else real)
        elif kind == NODE_PATH:
            names = self._uint32() & 0x7FFFFFFF
            subnames, _flags = self._uint32(), self._uint32()
            for _ in range(names + subnames):
                self._string()
        else:
            raise InvalidArgumentError(
                f"a value of Variant type {kind} cannot be read",
                "this version of Godot has a type this version of RAG Memory does not know",
                "Update RAG Memory or pass a simpler value",
            )

    def _uint32(self) -> int:
        return int(self._take("<I", 4))

    def _take(self, form: str, size: int) -> Any:
        at = self._at
        self._at = at + size
        return struct.unpack_from(form, self._data, at)[0]

    def _string(self) -> str:
        length = self._uint32()
        at = self._at
        self._at = at + length + -length % 4
        return self._data[at : at + length].decode("utf-8", "replace")


def encode(value: Any) -> bytes:
    """The serialised Variant of a plain Python value; TypeError for anything else.

    Objects of subclasses (an enum member, a float of numpy) are sent as what they are derived from.
    """
    encoded: bytes = variant_encoding.encode(value, TypedList, PackedStrings)
    return encoded


def encode_answer(value: Any) -> bytes:
    """The same in the format of answers, in which each text comes once; see
    native/src/messages/answer_format.h.
    """
    encoded: bytes = variant_encoding.encode_answer(value, TypedList, PackedStrings)
    return encoded
