"""Declared classes as the bytes that the native host reads at start, in the order in which
native/src/engine/class_table.cpp reads them.
"""

from __future__ import annotations

import enum
import itertools
import struct
import typing
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

from rag_memory.godot import variant_codec
from rag_memory.godot.classes import method_table_key, worker_methods
from rag_memory.godot.declare import Argument, GodotClass, Kind, Method, Property

from .godot_type import GodotType
from .help_xml import getter, help_xml, property_type

FORMAT = 2
"""The number of the form of a table, with which it begins: CLASS_TABLE_FORMAT in class_table.cpp."""
_ROLES = {"MemoryRequest": 0, "MemoryServer": 2, "RAGMemory": 3, "NPCMind": 4, "MemoryWorld": 5}
"""The numbers of ClassRole in native/src/engine/declaration.h."""
_CONFIG_ROLE = 1
_BLOCKING, _ASYNC, _POST, _NATIVE, _GET, _SET = 0, 2, 3, 4, 5, 6
"""The numbers of MethodKind there."""
_NOTHING = GodotType(type(None))
_WITHOUT_VALUES = ("OBJECT", "CALLABLE")
_ITEM_TYPES = {"INT": 2, "FLOAT": 3, "STRING": 4, "DICTIONARY": variant_codec.DICTIONARY}


def class_table(
    classes: Sequence[GodotClass], pages: Sequence[GodotClass] = (), after: Sequence[GodotClass] = ()
) -> bytes:
    """The table of some classes: FORMAT, the classes, and the CRC-32 of all before it.

    Args:
        pages: the classes as their help describes them, when that is more than the table declares.
        after: the classes of the table that is read before this one; their methods are numbered first.
    """
    table = _Table()
    table.number(FORMAT)
    table.text(method_table_key(classes))
    table.text(method_table_key(after) if after else "")
    numbered = worker_methods([*after, *classes])
    ids = {(cls.name, method.name): number for number, (cls, method) in enumerate(numbered)}
    table.number(len(classes))
    for cls, page in itertools.zip_longest(classes, pages or classes):
        _add_class(table, cls, page, ids)
    table.number(zlib.crc32(table.data))
    return bytes(table.data)


class _Table:
    """The bytes of a table while it grows."""

    def __init__(self) -> None:
        self.data = bytearray()

    def number(self, value: int) -> None:
        self.data += struct.pack("<q", value)

    def real(self, value: float) -> None:
        self.data += struct.pack("<d", value)

    def bytes_(self, value: bytes) -> None:
        self.number(len(value))
        self.data += value

    def text(self, value: str) -> None:
        """With a zero at the end, so that the host need not copy it."""
        self.bytes_(value.encode() + b"\0")

    def type_(self, type_: GodotType) -> None:
        self.number(type_.variant_number)
        self.text(type_.class_name)
        self.number(type_.hint)
        self.text(type_.hint_string)
        self.number(type_.usage)
        self.number(type_.item_number)

    def value(self, value: Any, type_: GodotType) -> None:
        """A default; empty for what has none."""
        if type_.variant in _WITHOUT_VALUES:
            self.bytes_(b"")
            return
        if type_.variant == "PACKED_STRING_ARRAY":
            value = variant_codec.PackedStrings(list(value))
        elif type_.item != "NIL":
            value = variant_codec.TypedList(_ITEM_TYPES[type_.item], value)
        elif type_.variant == "FLOAT":
            value = float(value)
        self.bytes_(variant_codec.encode(value))

    def arguments(self, arguments: Iterable[Argument]) -> None:
        arguments = list(arguments)
        self.number(len(arguments))
        for argument in arguments:
            type_ = GodotType(argument.type)
            self.text(argument.name)
            self.type_(type_)
            if argument.has_default:
                self.value(argument.default, _NOTHING if argument.default is None else type_)
            else:
                self.bytes_(b"")


def _add_class(table: _Table, cls: GodotClass, page: GodotClass, ids: dict[tuple[str, str], int]) -> None:
    table.number(_ROLES.get(cls.name, _CONFIG_ROLE))
    table.text(cls.name)
    table.text(cls.base)
    table.text(help_xml(page))
    methods = [method for method in cls.methods if not method.name.startswith("_")]
    table.number(sum(len(_forms(method)) for method in methods) + 2 * len(cls.properties))
    for method in methods:
        for name, kind in _forms(method):
            _add_method(table, name, kind, method, ids.get((cls.name, method.name), 0))
    for index, declared in enumerate(cls.properties):
        _add_accessors(table, index, declared, property_type(cls, declared))
    table.number(len(cls.properties))
    for declared in cls.properties:
        type_ = property_type(cls, declared)
        table.text(declared.name)
        table.text(declared.group)
        table.text(f"set_{declared.name}")
        table.text(getter(declared))
        table.type_(type_)
        table.value(declared.default, type_)
        _add_allowed(table, declared)
    table.number(len(cls.signals))
    for signal in cls.signals:
        table.text(signal.name)
        table.arguments(signal.arguments)
    constants = [(e.name, name, value) for e in cls.enums for name, value, _doc in e.values]
    table.number(len(constants))
    for enumeration, name, value in constants:
        table.text(enumeration)
        table.text(name)
        table.number(value)


def _forms(method: Method) -> list[tuple[str, int]]:
    """The names under which GDScript calls a method, with their kinds."""
    match method.kind:
        case Kind.NATIVE:
            return [(method.name, _NATIVE)]
        case Kind.POST:
            return [(method.name, _POST)]
        case Kind.WORKER_SYNC:
            return [(method.name, _BLOCKING)]
        case Kind.WORKER_ASYNC:
            return [(method.name, _ASYNC)]
        case _:
            return [(method.name, _BLOCKING), (f"{method.name}_async", _ASYNC)]


def _add_method(table: _Table, name: str, kind: int, method: Method, method_id: int) -> None:
    returns = kind == _ASYNC or (kind != _POST and method.returns is not type(None))
    flags = (
        method.const,
        method.writes,
        method.barrier,
        method.opens,
        method.unordered,
        method.reads_world,
        returns,
    )
    _add_row(table, name, kind, method_id, flags, GodotType(method.returns))
    table.arguments(method.arguments)


def _add_accessors(table: _Table, index: int, declared: Property, type_: GodotType) -> None:
    _add_row(table, getter(declared), _GET, index, (True, *[False] * 5, True), type_)
    table.arguments([])
    _add_row(table, f"set_{declared.name}", _SET, index, [False] * 7, _NOTHING)
    table.number(1)
    table.text("value")
    table.type_(type_)
    table.bytes_(b"")


def _add_row(
    table: _Table, name: str, kind: int, number: int, flags: Sequence[bool], returns: GodotType
) -> None:
    table.text(name)
    table.number(kind)
    table.number(number)
    table.number(sum(flag << place for place, flag in enumerate(flags)))
    table.type_(returns)


def _add_allowed(table: _Table, declared: Property) -> None:
    """Add the values a property may have, and how a warning describes them."""
    least, most, words, item, count = 0.0, 0.0, "", 0, 0
    type_ = declared.type
    if isinstance(type_, type) and issubclass(type_, enum.IntEnum):
        members = sorted(type_)
        least, most = members[0].value, members[-1].value
        assert len(members) == most - least + 1, f"{declared.name}: a range does not tell its values"
        words = ", ".join(f"{member.name} ({member.value})" for member in members)
    elif type_ in (int, float) and declared.hint:
        lower, upper = declared.hint.split(",")[:2]
        least, most, words = float(lower), float(upper), f"{lower} to {upper}"
    elif type_ == list[float] and declared.hint:
        lower, upper = declared.hint.split(",")[:2]
        least, most, count = float(lower), float(upper), len(declared.default)
        words = f"an Array of {count} numbers from {lower} to {upper}"
    elif typing.get_origin(type_) is dict and type_ in (dict[str, int], dict[str, str]):
        item = _ITEM_TYPES["INT" if type_ == dict[str, int] else "STRING"]
        values = "Strings"
        if type_ == dict[str, int]:
            lower, upper = declared.hint.split(",")[:2]
            least, most, values = float(lower), float(upper), f"ints from {lower} to {upper}"
        words = f"a Dictionary with Strings as keys and {values} as values"
    table.real(least)
    table.real(most)
    table.text(words)
    table.number(item)
    table.number(count)
