"""The system's C++ compiler."""

from __future__ import annotations

import os
import shlex
import shutil

from .console import SetupError

REMEDY = "install a C++17 compiler (Debian: apt install g++) or set CXX to one, then run this again"


def find() -> list[str]:
    """The compiler's command, as words: $CXX, else c++, g++ or clang++ on PATH."""
    chosen = shlex.split(os.environ.get("CXX", ""))
    if chosen:
        if shutil.which(chosen[0]) is None:
            raise SetupError("CXX names no program", f"{chosen[0]} is not an executable file", REMEDY)
        return chosen
    for name in ("c++", "g++", "clang++"):
        if shutil.which(name) is not None:
            return [name]
    raise SetupError("There is no C++ compiler", "neither c++ nor g++ nor clang++ is on PATH", REMEDY)
