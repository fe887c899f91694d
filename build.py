#!/usr/bin/env python3
"""The only entry to building, running and testing RAG Memory: `python3 build.py --help`."""

import sys
from pathlib import Path

if sys.version_info < (3, 11):  # noqa: UP036 (the one file that an older Python gets to read)
    sys.exit(
        f"build.py needs Python 3.11 or newer, this is {sys.version.split()[0]}: run it with a newer one"
    )

sys.path.insert(0, str(Path(__file__).resolve().parent / "python"))

from rag_memory_build.commands import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
