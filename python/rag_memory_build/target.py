"""The system the addon is built for. A port writes a module like target_linux.py and chooses it here; what
else it takes is told in docs/porting.md.
"""

from pathlib import Path

from . import target_linux
from .target_linux import (
    COMPILE_FLAGS,
    LIBPYTHON_NAME,
    LIBRARY_NAME,
    LINK_FLAGS,
    SANITIZED_LIBRARY_NAMES,
    SANITIZERS,
    STRIP_FLAGS,
    is_this_machine,
    ship_libraries,
)

SOURCE = Path(target_linux.__file__)
"""What the staged runtime depends on."""

__all__ = [
    "COMPILE_FLAGS",
    "LIBPYTHON_NAME",
    "LIBRARY_NAME",
    "LINK_FLAGS",
    "SANITIZED_LIBRARY_NAMES",
    "SANITIZERS",
    "SOURCE",
    "STRIP_FLAGS",
    "is_this_machine",
    "ship_libraries",
]
