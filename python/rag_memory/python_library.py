"""The modules of Python's standard library that games are shipped without, to be small.

They are a part of the addon of its own, in <addon>/python_library/<platform>, in a project and in an exported
game.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

_FOLDER = "python_library"
_LIST = "runtime.json"


def add_part() -> None:
    """Make its modules importable if it is there."""
    runtime = Path(sys.prefix)
    part = runtime.parents[1] / _FOLDER / runtime.name if len(runtime.parts) > 2 else runtime / _FOLDER
    if part.is_dir():
        sys.path.append(str(part))


def advice(missing: str) -> str:
    """What to do for a module that was not found; empty where it is none of these."""
    runtime = Path(sys.prefix)
    try:
        about = json.loads((runtime / _LIST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    if missing.partition(".")[0] not in about.get("left_out", ()):
        return ""
    return (
        "games are shipped without this part of Python's library. To ship it, unpack the zip file"
        f" rag_memory-<version>-python-{runtime.name}.zip into the project's folder and leave the export"
        " option rag_memory/python_library on"
    )
