"""Turns typed GDScript into its untyped twin, line by line.

Typed code calls an extension's methods by ptrcall, untyped code by call: two ways into the native host.
Instead of keeping every test twice, the second form is made from the first.
"""

from __future__ import annotations

import re

MARK = "# Runs typed and untyped."

_TYPE = r"[A-Za-z_]\w*(?:\.\w+)?(?:\[[^\]]*\])?"
_VARIABLE = re.compile(rf"\b(var|for)\s+(\w+)\s*:\s*{_TYPE}")
_RETURN = re.compile(rf"\s*->\s*{_TYPE}(?=:)")
_SIGNATURE = re.compile(r"\bfunc(\s*\w*)\(([^()]*)\)")
_PARAMETER = re.compile(rf"(\w+)\s*:\s*{_TYPE}")
_SINGLETON = re.compile(r"\bMemoryServer\.")


def untyped(source: str) -> str:
    """The same code without static types; every line keeps its number.

    `as Array[Type]` stays: it makes a typed value. The singleton is reached through a variable: its name
    alone has a static type.
    """
    lines = [_untyped_line(line) for line in source.split("\n")]
    return "\n".join([*lines, "", "var _server = MemoryServer", ""])


def _untyped_line(line: str) -> str:
    line = _SIGNATURE.sub(lambda found: "func" + found[1] + "(" + _PARAMETER.sub(r"\1", found[2]) + ")", line)
    line = _RETURN.sub("", line)
    line = _VARIABLE.sub(r"\1 \2", line)
    return _SINGLETON.sub("_server.", line).replace(":=", "=")
