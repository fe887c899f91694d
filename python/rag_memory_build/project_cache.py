"""Writes the results of the editor's first scan into .godot, for projects that no editor has opened yet.

Without them, the first run has neither the extension nor any `class_name`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

_EXTENSION = "res://addons/rag_memory/rag_memory.gdextension\n"
_CLASS = re.compile(r"^class_name (\w+)", re.MULTILINE)
_BASE = re.compile(r"^extends (\w+)", re.MULTILINE)
_TOOL = re.compile(r"^@tool", re.MULTILINE)
_ICON = re.compile(r'^@icon\("([^"]+)"\)', re.MULTILINE)


def announce_extension(project: Path) -> None:
    """Add the extension to the project's list of extensions."""
    file = project / ".godot" / "extension_list.cfg"
    listed = file.read_text(encoding="utf-8") if file.is_file() else ""
    if _EXTENSION not in listed:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(listed + _EXTENSION, encoding="utf-8")


def announce_classes(project: Path) -> None:
    """List the addon's script classes, unless the editor has listed them and more already."""
    file = project / ".godot" / "global_script_class_cache.cfg"
    scripts = sorted((project / "addons" / "rag_memory").glob("*/*.gd"))
    entries = list(_entries(project, scripts))
    listed = file.read_text(encoding="utf-8") if file.is_file() else ""
    if all(f'&"{name}"' in listed for name, _ in entries):
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("list=[" + ", ".join(entry for _, entry in entries) + "]\n", encoding="utf-8")


def announce_class(project: Path, name: str, base: str, script: str) -> None:
    """Add a script, a res:// path, to the classes that announce_classes() has listed."""
    file = project / ".godot" / "global_script_class_cache.cfg"
    entry = _entry(name, base, script)
    file.write_text(
        file.read_text(encoding="utf-8").replace("list=[", f"list=[{entry}, ", 1), encoding="utf-8"
    )


def _entries(project: Path, scripts: Iterable[Path]) -> Iterable[tuple[str, str]]:
    for script in scripts:
        text = script.read_text(encoding="utf-8")
        name, base, icon = _CLASS.search(text), _BASE.search(text), _ICON.search(text)
        if name and base:
            path = "res://" + script.relative_to(project).as_posix()
            is_tool = _TOOL.search(text) is not None
            yield name[1], _entry(name[1], base[1], path, icon=icon[1] if icon else "", is_tool=is_tool)


def _entry(name: str, base: str, path: str, *, icon: str = "", is_tool: bool = False) -> str:
    entry = {
        "base": f'&"{base}"',
        "class": f'&"{name}"',
        "icon": json.dumps(icon),
        "is_abstract": "false",
        "is_tool": "true" if is_tool else "false",
        "language": '&"GDScript"',
        "path": json.dumps(path),
    }
    return "{\n" + ",\n".join(f'"{key}": {value}' for key, value in entry.items()) + "\n}"
