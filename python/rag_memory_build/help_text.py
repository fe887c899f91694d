"""Converts docstrings of game calls to BBCode for the F1 help and to Markdown for docs/reference.md.

The docstrings are plain English (see rag_memory/npc/game_call.py). Names in backticks become links in the
help: `store()`, `MemoryConfig.slot_types`, `memory_superseded`, an argument of the method. Everything else in
backticks becomes code. Examples stand between ```gdscript and ```.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rag_memory.godot.classes import declared_classes
from rag_memory.godot.declare import GodotClass, Kind, Method

from .all_classes import all_classes, names_of_server_part

_SECTION = re.compile(r"^(Args|Returns|Raises):$", re.MULTILINE)
_ITEM = re.compile(r"^(\w+): ", re.MULTILINE)
_FENCE = re.compile(r"```gdscript\n(.*?)\n```", re.DOTALL)
_CODE = re.compile(r"`([^`]+)`")
_NAME = re.compile(r"(?:([A-Z]\w+)\.)?(\w+)(\(\))?")
_CLASS = re.compile(r"[A-Z]+[a-z]\w*")
_GDSCRIPT = {"True": "true", "False": "false", "None": "null"}
_BARE_NAME = re.compile(
    r"(?<![\[\w/])(?:([A-Z]\w+)\.)?"
    r"([a-z]+(?:_[a-z]+)+|[A-Z]{4,}|(?<=\.)[a-z]+|[a-z]+(?=\(\)))"
    r"(?:\(\))?(?![\w\]/])"
)


class Docstring(NamedTuple):
    """The parts of a docstring. Lines are joined except between paragraphs and in examples."""

    text: str
    arguments: list[tuple[str, str]]
    returns: str
    errors: list[str]
    """Conditions under which the call fails."""


def parsed(docstring: str) -> Docstring:
    """Split a docstring into its parts."""
    text, *rest = _SECTION.split(inspect.cleandoc(docstring))
    sections = {name: inspect.cleandoc(body) for name, body in zip(rest[::2], rest[1::2], strict=True)}
    arguments = _items(sections.get("Args", ""))
    errors = [error for _, error in _items(sections.get("Raises", ""))]
    return Docstring(_joined(text), arguments, _joined(sections.get("Returns", "")), errors)


def blocking_cost(method: Method) -> str:
    """Say that a method blocks and what that may cost, as in a docstring; "" for one that doesn't."""
    if method.kind not in (Kind.WORKER, Kind.WORKER_SYNC):
        return ""
    if method.unordered and method.sliced:
        cost = "until all of it is done: seconds if a server does not answer, minutes for a large file"
    elif method.unordered:
        cost = "for less than a millisecond, or about 0.2 s if Python has to start first"
    elif method.without_python:
        cost = "until earlier calls are done; it returns at once if no save was opened yet"
    elif method.barrier or method.opens:
        cost = (
            "until earlier calls are done and the save is read or written: 10 ms for a small save, "
            "1 s for one with 100,000 memories"
        )
    elif method.writes:
        cost = "until everything is written to the save: about 5 ms for each new text"
    else:
        cost = (
            "until the answer is ready: 1 to 10 ms, or about 1 s for the first call to an NPC with 100,000 "
            "memories, because they are loaded first"
        )
    twin = f" In a running game, use `{method.name}_async()`." if method.kind == Kind.WORKER else ""
    return f"Blocks the frame {cost}.{twin}"


def bbcode_of_method(cls: GodotClass, method: Method) -> str:
    """Convert the docstring of a method for the F1 help, with what it costs to wait for it."""
    text = bbcode(cls, method.doc, [argument.name for argument in method.arguments])
    blocks = blocking_cost(method)
    return f"{text}\n\n{_linked_names(cls, blocks, ())}" if blocks else text


def bbcode(cls: GodotClass, docstring: str, arguments: Sequence[str] = ()) -> str:
    """Convert the docstring of a member of `cls` for the F1 help."""
    parts = parsed(docstring)
    about = [parts.text, *(f"`{name}`: {text}" for name, text in parts.arguments)]
    paragraphs = [_linked_names(cls, text, arguments) for text in about if text]
    # A key of the result may have the name of an argument.
    paragraphs += [_linked_names(cls, f"Result: {parts.returns}", ())] if parts.returns else []
    paragraphs += [_linked_names(cls, _failures(parts), arguments)] if parts.errors else []
    return _FENCE.sub(r"[codeblock]\n\1\n[/codeblock]", "\n\n".join(paragraphs))


def markdown(docstring: str) -> str:
    """Convert a docstring for docs/reference.md."""
    parts = parsed(docstring)
    paragraphs = [parts.text]
    if parts.arguments:
        paragraphs.append("\n".join(f"- `{name}`: {text}" for name, text in parts.arguments))
    paragraphs += [f"Result: {parts.returns}"] if parts.returns else []
    paragraphs += [_failures(parts)] if parts.errors else []
    text = _FENCE.sub(lambda match: f"\n{match[0]}\n", "\n\n".join(paragraphs)).strip()
    return _CODE.sub(lambda match: f"`{_GDSCRIPT.get(match[1], match[1])}`", text)


def markdown_of_bbcode(text: str) -> str:
    """Convert BBCode, as in the comments of scripts, to Markdown."""
    text = re.sub(r"\s*\[codeblock\]\n?(.*?)\n?\[/codeblock\]\s*", _fenced, text, flags=re.DOTALL)
    return _FENCE.sub(lambda match: f"\n{match[0]}\n", _outside_examples(text, _inline_markdown)).strip()


def linked(cls: GodotClass, text: str) -> str:
    """Link the members named in a text without backticks, such as the help of a setting.

    Other names with an underscore become code.
    """

    def link(match: re.Match[str]) -> str:
        owner, name = match[1], match[2]
        named = [declared for declared in all_classes() if declared.name == owner]
        for candidate in named or [cls, *all_classes()]:
            kind = _kind_of(candidate, name)
            if kind:
                prefix = "" if candidate is cls else candidate.name + "."
                return f"[{kind} {prefix}{name}]"
        return f"[code]{match[0]}[/code]" if "_" in name else match[0]

    return bbcode(cls, text) if "`" in text else _BARE_NAME.sub(link, text)


def _failures(parts: Docstring) -> str:
    return " ".join(f"Fails when {error}" for error in parts.errors)


def _linked_names(cls: GodotClass, text: str, arguments: Sequence[str]) -> str:
    return _outside_examples(text, lambda part: _CODE.sub(_link_in(cls, arguments), part))


def _items(section: str) -> list[tuple[str, str]]:
    _, *rest = _ITEM.split(section)
    return [(name, _joined(text)) for name, text in zip(rest[::2], rest[1::2], strict=True)]


def _joined(text: str) -> str:
    return _outside_examples(text.strip(), lambda part: re.sub(r"(?<!\n)\n(?!\n) *", " ", part))


def _outside_examples(text: str, change: Callable[[str], str]) -> str:
    """Apply `change` to a text except for its examples, which stand on their own lines."""
    parts = re.split(r"\n*(```gdscript\n.*?\n```)\n*", text, flags=re.DOTALL)
    return "\n".join(part if part.startswith("```") else change(part) for part in parts if part)


def _link_in(cls: GodotClass, arguments: Sequence[str]) -> Callable[[re.Match[str]], str]:
    def link(match: re.Match[str]) -> str:
        token = _GDSCRIPT.get(match[1], match[1])
        if token in arguments:
            return f"[param {token}]"
        named = _NAME.fullmatch(token)
        target = None if named is None else _target(cls, *named.groups())
        if target is not None:
            return f"[{target}]"
        escaped = re.sub(r"[\[\]]", lambda bracket: "[lb]" if bracket[0] == "[" else "[rb]", token)
        return f"[code]{escaped}[/code]"

    return link


def _target(cls: GodotClass, owner: str | None, name: str, call: str | None) -> str | None:
    """The target of a link, as BBCode has it in the brackets; None if the name becomes code."""
    if owner is None:
        if call is None and _kind_of(cls, name) != "signal":
            if name.startswith("ERR_"):
                return f"constant {name}"
            is_linked = _CLASS.fullmatch(name) and not _is_missing(cls, name)
            return name if is_linked else None
        kind = _kind_of(cls, name)
        return f"{kind} {name}" if kind else None
    if _is_missing(cls, owner):
        return None
    declared = next((other for other in all_classes() if other.name == owner), None)
    if declared is None:
        return f"{'method' if call else 'member'} {owner}.{name}"
    kind = _kind_of(declared, name)
    return f"{kind} {name if declared is cls else f'{owner}.{name}'}" if kind else None


def _is_missing(cls: GodotClass, other: str) -> bool:
    """Whether a game may have the help of one class without the other one, which the server part has."""
    return other in names_of_server_part() and cls in declared_classes()


def _kind_of(cls: GodotClass, name: str) -> str:
    kinds = {
        "member": [member.name for member in cls.properties],
        "method": [member.name + ending for member in cls.methods for ending in ("", "_async")],
        "signal": [member.name for member in cls.signals],
        "constant": [constant for member in cls.enums for constant, _, _ in member.values],
    }
    return next((kind for kind, names in kinds.items() if name in names), "")


def _fenced(match: re.Match[str]) -> str:
    return f"\n```gdscript\n{match[1]}\n```\n"


def _inline_markdown(text: str) -> str:
    text = re.sub(r"\[method ([\w.]+)\]", r"`\1()`", text)
    text = re.sub(r"\[(?:member|signal|constant|param|enum) ([\w.]+)\]", r"`\1`", text)
    text = re.sub(r"\[code\](.*?)\[/code\]", r"`\1`", text, flags=re.DOTALL)
    text = re.sub(r"\[([A-Z]\w+|bool|int|float)\]", r"`\1`", text)
    text = re.sub(r"\[/?kbd\]", "", text)
    return re.sub(r" *\[br\] *", "\n\n", text).replace("[lb]", "[").replace("[rb]", "]")
