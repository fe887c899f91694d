"""Paths of the project, the build folder and the cache."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The project's folder (the one with build.py and project.godot)."""

SHARED = ROOT.parent / "shared"
"""Data beside the project that is not part of it and may be missing."""

ADDON = ROOT / "addons" / "rag_memory"
PYTHON_SOURCE = ROOT / "python"
BUILD = ROOT / ".build"
"""Built files that no game ships: private CPython, tools, headers, objects, stamps, logs."""

MODELS = ADDON / "models"
BINARIES = ADDON / "bin"
PRIVATE_PYTHON = BUILD / "python"
DEVELOPMENT_PACKAGES = BUILD / "development"
REQUIREMENTS = PYTHON_SOURCE / "rag_memory_build" / "requirements"
LOGS = BUILD / "logs"


def _cache_folder() -> Path:
    """The user's cache folder, or one in the project if that is not writable."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = Path(home) / "rag_memory"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return BUILD / "cache"


CACHE = _cache_folder()
"""Verified downloads and slow builds. May be deleted at any time."""
