"""Godot Resources, declared from the fields of a config of the core."""

from __future__ import annotations

import ast
import enum
import functools
import inspect
import itertools
import textwrap
import typing
from collections.abc import Callable
from typing import Any

from rag_memory.config.config_field import ConfigField, fields_of
from rag_memory.config.inheritance import INHERITS
from rag_memory.godot.declare import ClassT, EnumDeclaration, Property, Values, godot_class

_INHERITS_DOC = (
    "The config whose values hold where this one has its defaults. Make one for a group of NPCs, such as "
    "`guards.tres`, let the config of one guard inherit it, and set there what is different. To go back to a "
    "default that the other config has changed, inherit none. The inspector lists what comes from where."
)


def config_class(name: str, config: type[Any], inherits: bool = False) -> Callable[[ClassT], ClassT]:
    """Declare a Resource with a property for each field of a config, and the enums of these fields. One that
    `inherits` has another one of its class, see config/inheritance.py.
    """

    def declare(cls: ClassT) -> ClassT:
        def values() -> Values:
            defaults = config()
            properties = [
                Property(
                    field.name,
                    field.type,
                    getattr(defaults, field.name),
                    field.doc,
                    field.group,
                    _hint(field),
                )
                for field in fields_of(config)
            ]
            other = [Property(INHERITS, cls, None, _INHERITS_DOC, "Inheritance")] if inherits else []
            return Values(properties + other, _enums(config))

        return godot_class(name, "Resource", values=functools.cache(values))(cls)

    return declare


def _enums(config: type[Any]) -> list[EnumDeclaration]:
    declarations = []
    for annotation in typing.get_type_hints(config).values():
        if isinstance(annotation, type) and issubclass(annotation, enum.IntEnum):
            docs = _member_docs(annotation)
            values = tuple((v.name, v.value, docs[v.name]) for v in annotation)
            declarations.append(EnumDeclaration(annotation.__name__, values))
    return declarations


def _hint(field: ConfigField) -> str:
    if field.enum is not None:
        return ",".join(f"{value.name.capitalize()}:{value.value}" for value in field.enum)
    if field.range is not None:
        return ",".join(f"{bound:.10g}" for bound in field.range)
    return field.hint


def _member_docs(enumeration: type[enum.IntEnum]) -> dict[str, str]:
    """The string that follows each member in the source."""
    source = inspect.getsource(enumeration)
    body = ast.parse(textwrap.dedent(source)).body[0]
    assert isinstance(body, ast.ClassDef)
    docs = {}
    for member, doc in itertools.pairwise(body.body):
        if (
            isinstance(member, ast.Assign)
            and isinstance(doc, ast.Expr)
            and isinstance(member.targets[0], ast.Name)
        ):
            docs[member.targets[0].id] = str(ast.literal_eval(doc.value))
    return docs
