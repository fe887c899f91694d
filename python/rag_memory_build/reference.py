"""Writes docs/reference.md: all classes, methods, signals and properties for games.

    python3 build.py python -m rag_memory_build.reference

generates it from the declarations and docstrings that also make the F1 help, and from the comments of the
addon's scripts. A test fails if the document is not up to date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rag_memory.godot.declare import Argument, GodotClass, Kind, Method, Property

from . import settings_table
from .all_classes import all_classes
from .godot_type import GodotType, literal
from .help_text import blocking_cost, markdown, markdown_of_bbcode
from .paths import ROOT

DOCUMENT = ROOT / "docs" / "reference.md"
_ADDON = ROOT / "addons" / "rag_memory"
_ORDER = (
    "RAGMemory",
    "MemoryServer",
    "MemoryWorld",
    "MemoryRequest",
    "MemoryConfig",
    "NPCMind",
    "NPCMindConfig",
    "MemoryWorldConfig",
    "NPCDossierConfig",
    "MemoryEventBus",
    "MemoryHotCache",
    "MemoryPostgresStorage",
    "MemoryCalendar",
)
_INTRODUCTION = """\
# Reference

<!-- written by `python3 build.py python -m rag_memory_build.reference` -->

Every class of the addon, with all that a game can call, set or connect to. The [API guide](api.md) shows how
they are used together. The F1 help in the editor says the same, with an example for most methods.
"""
_CODE_BLOCK = re.compile(r"\s*```gdscript\n.*?\n```\s*", re.DOTALL)
_DECLARATION = re.compile(
    r"(?P<kind>(?:static )?func|signal|const|(?:@export[^\n]*? )?var) (?P<name>[A-Za-z]\w*)(?P<rest>.*)"
)
_PRELOADED = re.compile(r'^const (\w+) := preload\("res://addons/rag_memory/(.*)"\)$', re.MULTILINE)
_HEADINGS = {"var": "Properties", "func": "Methods", "signal": "Signals", "const": "Constants"}


class Member(NamedTuple):
    """An entry of the reference."""

    name: str
    signature: str
    text: str


def reference() -> str:
    """The whole document."""
    classes = {cls.name: cls for cls in all_classes()}
    scripts = {name: path for path in sorted(_ADDON.rglob("*.gd")) for name in [_class_name(path)] if name}
    names = [*_ORDER, *sorted(scripts)]
    parts = [
        _INTRODUCTION,
        "\n".join(f"- [{name}](#{name.lower()})" for name in names),
        *(_of_native(classes[name]) for name in _ORDER),
        *(_of_script(name, scripts[name]) for name in sorted(scripts)),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _of_native(cls: GodotClass) -> str:
    head = [f"## {cls.name}", f"Extends `{cls.base}`. {markdown(cls.brief)}", markdown(cls.description)]
    if cls.name == "MemoryConfig":
        head.append("[Configuration](configuration.md) says which of its settings to change for what.")
        head.append(f"### Properties of {cls.name}\n\n{settings_table.tables()}")
        properties = []
    else:
        properties = [_of_property(cls, declared) for declared in cls.properties]
    methods = [_of_method(method) for method in cls.methods if not method.name.startswith("_")]
    signals = [
        Member(signal.name, f"{signal.name}({_parameters(signal.arguments)})", markdown(signal.doc))
        for signal in cls.signals
    ]
    return _section(head, {"Properties": properties, "Methods": methods, "Signals": signals})


def _of_property(cls: GodotClass, declared: Property) -> Member:
    default = "" if declared.default is None else f" = {literal(declared.default)}"
    signature = f"{declared.name}: {_type(declared.type, cls)}{default}"
    return Member(declared.name, signature, markdown(declared.doc))


def _of_method(declared: Method) -> Member:
    returns = "MemoryRequest" if declared.kind == Kind.WORKER_ASYNC else _type(declared.returns)
    signature = f"{declared.name}({_parameters(declared.arguments)}) -> {returns}"
    twin = f", and `{declared.name}_async()`" if declared.kind == Kind.WORKER else ""
    paragraphs = filter(None, (markdown(declared.doc), blocking_cost(declared)))
    return Member(declared.name, f"{signature}`{twin}", "\n\n".join(paragraphs))


def _parameters(arguments: tuple[Argument, ...]) -> str:
    return ", ".join(
        f"{argument.name}: {_type(argument.type)}"
        + (f" = {literal(argument.default)}" if argument.has_default else "")
        for argument in arguments
    )


def _type(annotation: object, cls: GodotClass | None = None) -> str:
    type_ = GodotType(annotation, class_name="" if cls is None else cls.name)
    item = type_.text.removesuffix("[]")
    return type_.enum or (item if item == type_.text else f"Array[{item}]")


def _class_name(path: Path) -> str:
    match = re.search(r"^class_name (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    return match[1] if match else ""


def _of_script(name: str, path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    match = re.search(r"^extends (\w+)\n((?:##.*\n)+)", text, re.MULTILINE)
    assert match, f"{path.name} has no description"
    head = [f"## {name}", f"Extends `{match[1]}`.", markdown_of_bbcode(_uncommented(match[2]))]
    members: dict[str, list[Member]] = {"Properties": [], "Methods": [], "Signals": [], "Constants": []}
    for kind, member in _script_members(_with_class_names(text)):
        members[_HEADINGS[kind.split()[-1]]].append(member)
    return _section(head, members)


def _with_class_names(text: str) -> str:
    """Replace constants for preloaded files by the class names that games use."""
    for constant, file in _PRELOADED.findall(text):
        if name := _class_name(_ADDON / file):
            text = re.sub(rf"\b{constant}\b(?! :=)", name, text)
    return text


def _script_members(text: str) -> Iterator[tuple[str, Member]]:
    """Yield the public members of a script that have a comment, without its preloaded scripts."""
    comment: list[str] = []
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("##"):
            comment.append(line)
            continue
        while line.count("(") > line.count(")"):
            line += " " + next(lines).strip()
        match = _DECLARATION.match(line)
        if match and comment and " preload(" not in line:
            yield match["kind"], _of_script_member(match, _uncommented("\n".join(comment)))
        comment = []


def _of_script_member(match: re.Match[str], text: str) -> Member:
    name, rest = match["name"], match["rest"].strip()
    if match["kind"] in ("func", "static func"):
        rest = rest.removesuffix(":").replace("( ", "(").replace(", )", ")").replace(" )", ")")
    elif match["kind"] == "const":
        rest = rest.partition("=")[0].rstrip(" :")
    else:
        rest = re.sub(r"( = [{\[]|:)$", "", rest)
    prefix = "static " if match["kind"].startswith("static") else ""
    separator = " " if rest.startswith(":=") else ""
    return Member(name, f"{prefix}{match['name']}{separator}{rest}", markdown_of_bbcode(text))


def _uncommented(comment: str) -> str:
    """The text of a comment, with lines joined except between paragraphs and in examples."""
    lines = re.sub(r"^## ?", "", comment, flags=re.MULTILINE).strip()
    parts = re.split(r"(\[codeblock\].*?\[/codeblock\])", lines, flags=re.DOTALL)
    return "".join(
        part if part.startswith("[codeblock]") else re.sub(r"(?<!\n)\n(?!\n)", " ", part) for part in parts
    )


def _section(head: list[str], members: dict[str, list[Member]]) -> str:
    lines = [part for part in head if part]
    for heading, listed in members.items():
        if listed:
            lines.append(f"### {heading} of {head[0].removeprefix('## ')}")
        for member in listed:
            signature = member.signature if "`" in member.signature else f"{member.signature}`"
            # The examples are in the F1 help.
            lines += [f"#### {member.name}", f"`{signature}", _CODE_BLOCK.sub("\n\n", member.text).strip()]
    return "\n\n".join(lines)


if __name__ == "__main__":
    DOCUMENT.write_text(reference(), encoding="utf-8")
