"""The properties and enums of a Godot Resource, from the fields of a config of the core."""

from __future__ import annotations

import ast
import dataclasses
import enum
import inspect
import itertools
import textwrap
import typing
from typing import Any

from rag_memory.godot.declare import EnumDeclaration, Property


def config_properties(config: type[Any]) -> list[Property]:
    """Each field of a config's class as a property."""
    hints = typing.get_type_hints(config)
    defaults = config()
    return [
        Property(
            f.name,
            hints[f.name],
            getattr(defaults, f.name),
            f.metadata["doc"],
            f.metadata["group"],
            _hint(hints[f.name], f.metadata),
        )
        for f in dataclasses.fields(config)
    ]


def config_enums(config: type[Any]) -> list[EnumDeclaration]:
    """Each enum of a config's fields."""
    declarations = []
    for annotation in typing.get_type_hints(config).values():
        if isinstance(annotation, type) and issubclass(annotation, enum.IntEnum):
            docs = _member_docs(annotation)
            values = tuple((v.name, v.value, docs[v.name]) for v in annotation)
            declarations.append(EnumDeclaration(annotation.__name__, values))
    return declarations


def _hint(annotation: Any, metadata: typing.Mapping[str, Any]) -> str:
    if isinstance(annotation, type) and issubclass(annotation, enum.IntEnum):
        return ",".join(f"{value.name.capitalize()}:{value.value}" for value in annotation)
    if metadata.get("range"):
        return ",".join(f"{bound:.10g}" for bound in metadata["range"])
    return str(metadata.get("hint") or "")


def _member_docs(enumeration: type[enum.IntEnum]) -> dict[str, str]:
    """The string that follows each member in the source."""
    body = ast.parse(textwrap.dedent(inspect.getsource(enumeration))).body[0]
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
