"""Godot types and GDScript literals for Python annotations and values."""

from __future__ import annotations

import enum
import json
from typing import Any

from rag_memory.godot import declare
from rag_memory.text.file_text import FileData, FileText

_PROPERTY_HINT_RANGE, _PROPERTY_HINT_ENUM, _PROPERTY_HINT_FLAGS = 1, 2, 6
_PROPERTY_HINT_RESOURCE_TYPE, _PROPERTY_HINT_ARRAY_TYPE = 17, 31
_USAGE_DEFAULT, _USAGE_CLASS_IS_ENUM, _USAGE_NIL_IS_VARIANT = 6, 1 << 16, 1 << 17
_PROPERTY_HINT_FILE, _PROPERTY_HINT_NODE_TYPE = 13, 34
_OBJECTS = {
    declare.MemoryNode: (_PROPERTY_HINT_NODE_TYPE, "RAGMemory", "RAGMemory"),
    declare.AreaNode: (_PROPERTY_HINT_NODE_TYPE, "Node", "Area2D,Area3D"),
}
"""Annotations of objects: property hint, class, and text of the hint."""
_VARIANT_TYPES = {
    "NIL": 0,
    "BOOL": 1,
    "INT": 2,
    "FLOAT": 3,
    "STRING": 4,
    "OBJECT": 24,
    "CALLABLE": 25,
    "DICTIONARY": 27,
    "ARRAY": 28,
    "PACKED_STRING_ARRAY": 34,
}
"""The numbers of GDExtensionVariantType."""
_ITEM_TYPES = {int: ("INT", "int"), float: ("FLOAT", "float"), str: ("STRING", "String")}


class GodotType:
    """The Godot property info of a Python annotation, and its name in the help."""

    def __init__(self, annotation: Any, hint: str = "", class_name: str = "") -> None:
        self.variant = "NIL"
        self.class_name = ""
        self.hint = 0
        self.hint_string = ""
        self.usage = _USAGE_DEFAULT
        self.item = "NIL"
        self.enum = ""
        self.text = "void"
        origin = getattr(annotation, "__origin__", annotation)
        items = getattr(annotation, "__args__", ())
        if annotation is declare.Variant:
            self.usage |= _USAGE_NIL_IS_VARIANT
            self.text = "Variant"
        elif annotation is bool:
            self.variant, self.text = "BOOL", "bool"
        elif annotation is declare.Error:
            self._set_enum("Error")
        elif isinstance(annotation, type) and issubclass(annotation, enum.IntEnum):
            self._set_enum(f"{class_name}.{annotation.__name__}")
            self.hint, self.hint_string = _PROPERTY_HINT_ENUM, hint
        elif annotation in (int, float):
            self.variant, self.text = ("INT", "int") if annotation is int else ("FLOAT", "float")
            if hint:
                self.hint, self.hint_string = _PROPERTY_HINT_RANGE, hint
        elif annotation is declare.Flags:
            self.variant, self.text = "INT", "int"
            self.hint, self.hint_string = _PROPERTY_HINT_FLAGS, hint
        elif annotation is str:
            self.variant, self.text = "STRING", "String"
        elif annotation in (FileText, FileData):
            self.variant, self.text, self.hint = "STRING", "String", _PROPERTY_HINT_FILE
        elif annotation is declare.PackedStringArray:
            self.variant, self.text = "PACKED_STRING_ARRAY", "PackedStringArray"
        elif annotation is declare.GodotCallable:
            self.variant, self.text = "CALLABLE", "Callable"
        elif annotation is declare.MemoryRequest:
            self.variant, self.class_name, self.text = "OBJECT", "MemoryRequest", "MemoryRequest"
        elif annotation in _OBJECTS:
            self.hint, self.class_name, self.hint_string = _OBJECTS[annotation]
            self.variant, self.text = "OBJECT", self.class_name
        elif declare.is_declared(annotation):
            self.hint, self.class_name = _PROPERTY_HINT_RESOURCE_TYPE, declare.declaration_of(annotation).name
            self.variant, self.text, self.hint_string = "OBJECT", self.class_name, self.class_name
        elif annotation in (declare.ResourceOptions, declare.Resources):
            is_list = annotation is declare.Resources
            self.variant, self.text = ("ARRAY", "Array") if is_list else ("DICTIONARY", "Dictionary")
            self.hint, self.hint_string = _PROPERTY_HINT_RESOURCE_TYPE, "Resource"
        elif origin is dict:
            self.variant, self.text = "DICTIONARY", "Dictionary"
        elif origin is list:
            self._set_array(items)
        elif annotation is not type(None):
            raise TypeError(f"no Godot type for {annotation!r}")

    def _set_enum(self, name: str) -> None:
        self.variant, self.class_name, self.text, self.enum = "INT", name, "int", name
        self.usage |= _USAGE_CLASS_IS_ENUM

    def _set_array(self, items: tuple[Any, ...]) -> None:
        self.variant, self.text = "ARRAY", "Array"
        if items and items[0] is not Any:
            is_dictionary = getattr(items[0], "__origin__", items[0]) is dict
            self.item, name = ("DICTIONARY", "Dictionary") if is_dictionary else _ITEM_TYPES[items[0]]
            self.hint, self.hint_string = _PROPERTY_HINT_ARRAY_TYPE, name
            self.text = f"{name}[]"

    @property
    def variant_number(self) -> int:
        return _VARIANT_TYPES[self.variant]

    @property
    def item_number(self) -> int:
        return _VARIANT_TYPES[self.item]


def literal(value: Any) -> str:
    """Write a default value as a GDScript literal."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, enum.IntEnum):
        return str(value.value)
    return json.dumps(value)
