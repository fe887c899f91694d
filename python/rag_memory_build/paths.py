"""Where everything lies: one constant per place, so that no step invents its own."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The project's folder (the one with build.py and project.godot)."""

SHARED = ROOT.parent / "shared"
"""Real inputs beside the project; not part of it and not always there."""

ADDON = ROOT / "addons" / "rag_memory"
PYTHON_SOURCE = ROOT / "python"
BUILD = ROOT / ".build"
"""Everything built that no game ships: private CPython, tools, headers, objects, stamps, logs."""

MODELS = ADDON / "models"
BINARIES = ADDON / "bin"
PRIVATE_PYTHON = BUILD / "python"
DEVELOPMENT_PACKAGES = BUILD / "development"
REQUIREMENTS = PYTHON_SOURCE / "rag_memory_build" / "requirements"
LOGS = BUILD / "logs"


def _cache_folder() -> Path:
    """The user's cache folder, or the project's own when that one cannot be written."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = Path(home) / "rag_memory"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return BUILD / "cache"


CACHE = _cache_folder()
"""Verified downloads and things expensive to make; may be deleted at any time."""
