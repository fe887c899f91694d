"""Generates the native host's tables and the F1 help from the Python declarations.

    python -m rag_memory_build.generate EXTENSION_API_JSON OUTPUT_FOLDER

Writes class_tables.cpp. Needs the packages of the runtime, which the declared classes import.
"""

from __future__ import annotations

import enum
import json
import sys
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from rag_memory.godot import classes, declare, variant_codec
from rag_memory.godot.declare import Argument, GodotClass, Kind, Method, Property, Signal

from .help_examples import EXAMPLES
from .help_text import bbcode, linked

_PROPERTY_HINT_RANGE, _PROPERTY_HINT_ENUM = 1, 2
_PROPERTY_HINT_RESOURCE_TYPE, _PROPERTY_HINT_ARRAY_TYPE = 17, 31
_USAGE_DEFAULT, _USAGE_CLASS_IS_ENUM, _USAGE_NIL_IS_VARIANT = 6, 1 << 16, 1 << 17
_ROLES = {"MemoryRequest": "REQUEST", "MemoryConfig": "CONFIG", "MemoryServer": "SERVER", "RAGMemory": "NODE"}
_ITEM_TYPES = {int: ("INT", "int"), float: ("FLOAT", "float"), str: ("STRING", "String")}
_UTILITIES = ("var_to_bytes", "bytes_to_var", "print", "push_warning", "push_error")
_METHOD_BINDS = {
    "register_singleton": "Engine",
    "unregister_singleton": "Engine",
    "is_editor_hint": "Engine",
    "get_user_data_dir": "OS",
    "is_debug_build": "OS",
    "get_main_loop": "Engine",
    "notification": "Object",
}
"""In the order of EngineHashes in native/src/declaration.h, after the utilities."""


class GodotType:
    """A Python annotation as Godot's property info and as the help writes it."""

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
        elif annotation is str:
            self.variant, self.text = "STRING", "String"
        elif annotation is declare.PackedStringArray:
            self.variant, self.text = "PACKED_STRING_ARRAY", "PackedStringArray"
        elif annotation is declare.GodotCallable:
            self.variant, self.text = "CALLABLE", "Callable"
        elif annotation is declare.MemoryRequest:
            self.variant, self.class_name, self.text = "OBJECT", "MemoryRequest", "MemoryRequest"
        elif annotation is declare.ConfigResource:
            self.variant, self.class_name, self.text = "OBJECT", "MemoryConfig", "MemoryConfig"
            self.hint, self.hint_string = _PROPERTY_HINT_RESOURCE_TYPE, "MemoryConfig"
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

    def cpp(self) -> str:
        return (
            f"{{ GDEXTENSION_VARIANT_TYPE_{self.variant}, {_string(self.class_name)}, {self.hint}, "
            f"{_string(self.hint_string)}, {self.usage}, GDEXTENSION_VARIANT_TYPE_{self.item} }}"
        )


def _string(text: str) -> str:
    return json.dumps(text)


class _Tables:
    """The text of class_tables.cpp while it grows."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._blobs = 0

    def blob(self, value: Any, type_: GodotType) -> str:
        if type_.variant in ("OBJECT", "CALLABLE"):
            return "{ nullptr, 0 }"
        if type_.variant == "PACKED_STRING_ARRAY":
            value = variant_codec.PackedStrings(value)
        elif type_.item != "NIL":
            item_type = {"INT": 2, "FLOAT": 3, "STRING": 4, "DICTIONARY": variant_codec.DICTIONARY}[
                type_.item
            ]
            value = variant_codec.TypedList(item_type, value)
        elif type_.variant == "FLOAT":
            value = float(value)
        data = variant_codec.encode(value)
        name = f"value_{self._blobs}"
        self._blobs += 1
        self.lines.append(f"const uint8_t {name}[] = {{ {', '.join(map(str, data))} }};")
        return f"{{ {name}, sizeof({name}) }}"

    def arguments(self, name: str, arguments: tuple[Argument, ...]) -> str:
        if not arguments:
            return "nullptr, 0"
        rows = []
        for argument in arguments:
            type_ = GodotType(argument.type)
            default = self.blob(argument.default, type_) if argument.has_default else "{ nullptr, 0 }"
            rows.append(f"\t{{ {_string(argument.name)}, {type_.cpp()}, {default} }},")
        self.lines += [f"const ArgumentDeclaration {name}[] = {{", *rows, "};"]
        return f"{name}, {len(arguments)}"

    def table(self, kind: str, name: str, rows: list[str]) -> str:
        if not rows:
            return "nullptr, 0"
        self.lines += [f"const {kind} {name}[] = {{", *("\t" + row + "," for row in rows), "};"]
        return f"{name}, {len(rows)}"


def generate(api_json: Path, output: Path) -> list[Path]:
    """Write class_tables.cpp for the engine whose extension API is `api_json`; return what was written."""
    tables = _Tables()
    natives: list[str] = []
    ids = {(cls.name, m.name): i for i, (cls, m) in enumerate(classes.worker_methods())}
    rows = [_class_row(tables, cls, ids, natives) for cls in classes.declared_classes()]
    text = [
        "// Generated by rag_memory_build/generate.py from python/rag_memory/godot. Do not edit.",
        '#include "declaration.h"',
        '#include "variant.h"',
        "",
        "namespace rag_memory {",
        "",
        *(f"Variant {name}(Instance &instance, const Variant *arguments);" for name in natives),
        "",
        "namespace {",
        *tables.lines,
        "} // namespace",
        "",
        "const ClassDeclaration CLASSES[] = {",
        *("\t" + row + "," for row in rows),
        "};",
        f"const uint32_t CLASS_COUNT = {len(rows)};",
        f"const int32_t COLLECT_HEALTH_METHOD = {ids['MemoryServer', '_collect_health']};",
        f"const int32_t COLLECT_COUNTS_METHOD = {ids['MemoryServer', '_collect_counts']};",
        _hashes(json.loads(api_json.read_text(encoding="utf-8"))),
        "",
        "} // namespace rag_memory",
        "",
    ]
    output.mkdir(parents=True, exist_ok=True)
    file = output / "class_tables.cpp"
    content = "\n".join(text)
    if not file.is_file() or file.read_text(encoding="utf-8") != content:
        file.write_text(content, encoding="utf-8")
    return [file]


def _class_row(tables: _Tables, cls: GodotClass, ids: dict[tuple[str, str], int], natives: list[str]) -> str:
    rows: list[str] = []
    for method in cls.methods:
        if not method.name.startswith("_"):
            rows += _method_rows(tables, cls, method, ids.get((cls.name, method.name), 0), natives)
    properties = []
    for index, property_ in enumerate(cls.properties):
        type_ = _property_type(cls, property_)
        properties.append(
            f"{{ {_string(property_.name)}, {_string(property_.group)}, {_string('set_' + property_.name)}, "
            f"{_string(_getter(property_))}, {type_.cpp()}, {tables.blob(property_.default, type_)}, "
            f"{_allowed(property_)} }}"
        )
        rows += _accessor_rows(tables, cls, property_, type_, index)
    signals = [
        f"{{ {_string(s.name)}, {tables.arguments(f'{cls.name}_{s.name}_signal', s.arguments)} }}"
        for s in cls.signals
    ]
    constants = [
        f"{{ {_string(e.name)}, {_string(name)}, {value} }}"
        for e in cls.enums
        for name, value, _doc in e.values
    ]
    parts = [
        f"ClassRole::{_ROLES[cls.name]}",
        _string(cls.name),
        _string(cls.base),
        tables.table("MethodDeclaration", f"{cls.name}_methods", rows),
        tables.table("PropertyDeclaration", f"{cls.name}_properties", properties),
        tables.table("SignalDeclaration", f"{cls.name}_signals", signals),
        tables.table("ConstantDeclaration", f"{cls.name}_constants", constants),
        _string(help_xml(cls)),
    ]
    return "{ " + ", ".join(parts) + " }"


def _getter(property_: Property) -> str:
    reads_as_question = property_.type is bool and not property_.name.startswith("use_")
    return ("is_" if reads_as_question else "get_") + property_.name


def _allowed(property_: Property) -> str:
    """The range of a number, or of an enum's values, with the words that a warning has for it."""
    if isinstance(property_.type, type) and issubclass(property_.type, enum.IntEnum):
        members = sorted(property_.type)
        first, last = members[0].value, members[-1].value
        assert len(members) == last - first + 1, f"{property_.name}: a range does not tell its values"
        least, most = str(first), str(last)
        words = ", ".join(f"{member.name} ({member.value})" for member in members)
    elif property_.type in (int, float) and property_.hint:
        least, most = property_.hint.split(",")[:2]
        words = f"{least} to {most}"
    else:
        return "{ 0, 0, nullptr }"
    return f"{{ {least}, {most}, {_string(words)} }}"


def _property_type(cls: GodotClass, property_: Property) -> GodotType:
    return GodotType(property_.type, property_.hint, cls.name)


def _method_rows(
    tables: _Tables, cls: GodotClass, method: Method, method_id: int, natives: list[str]
) -> list[str]:
    arguments = tables.arguments(f"{cls.name}_{method.name}_arguments", method.arguments)
    native = "nullptr"
    if method.kind == Kind.NATIVE:
        native = f"native_{cls.name}_{method.name}"
        natives.append(native)

    def row(name: str, kind: str, has_return: bool, const: bool) -> str:
        values = (const, method.writes, method.barrier, method.opens, method.unordered, has_return)
        flags = ", ".join(str(flag).lower() for flag in values)
        return (
            f"{{ {_string(name)}, MethodKind::{kind}, {method_id}, {flags}, "
            f"{GodotType(method.returns).cpp()}, {arguments}, {native} }}"
        )

    returns = method.returns is not type(None)
    if method.kind == Kind.NATIVE:
        return [row(method.name, "NATIVE", returns, method.const)]
    if method.kind == Kind.POST:
        return [row(method.name, "WORKER_POST", False, method.const)]
    if method.kind == Kind.WORKER_SYNC:
        return [row(method.name, "WORKER_BLOCKING", returns, method.const)]
    if method.kind == Kind.WORKER_ASYNC:
        return [row(method.name, "WORKER_ASYNC", True, method.const)]
    return [
        row(method.name, "WORKER_BLOCKING", returns, method.const),
        row(method.name + "_async", "WORKER_ASYNC", True, method.const),
    ]


def _accessor_rows(
    tables: _Tables, cls: GodotClass, property_: Property, type_: GodotType, index: int
) -> list[str]:
    value = f"{cls.name}_{property_.name}_value"
    tables.lines += [
        f"const ArgumentDeclaration {value}[] = {{",
        f'\t{{ "value", {type_.cpp()}, {{ nullptr, 0 }} }},',
        "};",
    ]
    return [
        f"{{ {_string(_getter(property_))}, MethodKind::PROPERTY_GET, {index}, "
        f"true, false, false, false, false, true, {type_.cpp()}, nullptr, 0, nullptr }}",
        f"{{ {_string('set_' + property_.name)}, MethodKind::PROPERTY_SET, {index}, "
        f"false, false, false, false, false, false, {GodotType(type(None)).cpp()}, {value}, 1, nullptr }}",
    ]


def _hashes(api: dict[str, Any]) -> str:
    utilities = {f["name"]: f["hash"] for f in api["utility_functions"]}
    methods = {(c["name"], m["name"]): m["hash"] for c in api["classes"] for m in c.get("methods", ())}
    order = [
        *(utilities[name] for name in _UTILITIES),
        *(methods[cls, name] for name, cls in _METHOD_BINDS.items()),
    ]
    return f"const EngineHashes ENGINE_HASHES = {{ {', '.join(f'{hash_}LL' for hash_ in order)} }};"


def help_xml(cls: GodotClass) -> str:
    """The F1 help page of a class, in the format of Godot's own class reference."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8" ?>',
        f"<class name={quoteattr(cls.name)} inherits={quoteattr(cls.base)}>",
        f"<brief_description>{escape(bbcode(cls, cls.brief))}</brief_description>",
        f"<description>{escape(bbcode(cls, cls.description))}</description>",
        "<tutorials></tutorials>",
        "<methods>",
        *(text for m in cls.methods if not m.name.startswith("_") for text in _method_help(cls, m)),
        "</methods>",
        "<members>",
        *(_member_help(cls, p) for p in cls.properties),
        "</members>",
        "<signals>",
        *(
            f"<signal name={quoteattr(s.name)}>{_parameters_help(s.arguments)}"
            f"<description>{escape(_with_example(cls, s.name, _bbcode(cls, s)))}</description></signal>"
            for s in cls.signals
        ),
        "</signals>",
        "<constants>",
        *(
            f'<constant name={quoteattr(name)} value="{value}" enum={quoteattr(e.name)}>'
            f"{escape(linked(cls, doc))}</constant>"
            for e in cls.enums
            for name, value, doc in e.values
        ),
        "</constants>",
        "</class>",
    ]
    return "\n".join(lines)


def _with_example(cls: GodotClass, member: str, doc: str) -> str:
    example = EXAMPLES.get(f"{cls.name}.{member}")
    return f"{doc}\n[codeblock]\n{example.strip()}\n[/codeblock]" if example else doc


def _bbcode(cls: GodotClass, member: Method | Signal) -> str:
    return bbcode(cls, member.doc, [argument.name for argument in member.arguments])


def _method_help(cls: GodotClass, method: Method) -> list[str]:
    def page(name: str, returned: str, enumeration: str, doc: str) -> str:
        qualifiers = ' qualifiers="const"' if method.const else ""
        enum_ = f" enum={quoteattr(enumeration)}" if enumeration else ""
        return (
            f"<method name={quoteattr(name)}{qualifiers}><return type={quoteattr(returned)}{enum_} />"
            f"{_parameters_help(method.arguments)}<description>{escape(doc)}</description></method>"
        )

    type_ = GodotType(method.returns)
    text = _with_example(cls, method.name, _bbcode(cls, method))
    if method.kind == Kind.WORKER_ASYNC:
        return [page(method.name, "MemoryRequest", "", text)]
    pages = [page(method.name, type_.text, type_.enum, text)]
    if method.kind == Kind.WORKER:
        doc = f"Like [method {method.name}], but returns at once; the request completes with the result."
        pages.append(page(method.name + "_async", "MemoryRequest", "", doc))
    return pages


def _parameters_help(arguments: tuple[Argument, ...]) -> str:
    texts = []
    for index, argument in enumerate(arguments):
        default = f" default={quoteattr(literal(argument.default))}" if argument.has_default else ""
        type_ = GodotType(argument.type).text
        texts.append(
            f'<param index="{index}" name={quoteattr(argument.name)} type={quoteattr(type_)}{default} />'
        )
    return "".join(texts)


def _member_help(cls: GodotClass, property_: Property) -> str:
    type_ = _property_type(cls, property_)
    enum_ = f" enum={quoteattr(type_.enum)}" if type_.enum else ""
    default = "Callable()" if type_.variant == "CALLABLE" else literal(property_.default)
    return (
        f"<member name={quoteattr(property_.name)} type={quoteattr(type_.text)}{enum_} "
        f"setter={quoteattr('set_' + property_.name)} getter={quoteattr(_getter(property_))} "
        f"default={quoteattr(default)}>"
        f"{escape(_with_example(cls, property_.name, linked(cls, property_.doc)))}</member>"
    )


def literal(value: Any) -> str:
    """A default value as GDScript writes it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, enum.IntEnum):
        return str(value.value)
    return json.dumps(value)


if __name__ == "__main__":
    for written in generate(Path(sys.argv[1]), Path(sys.argv[2])):
        print(written)
