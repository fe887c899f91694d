"""The command line and the exit code of benchmarks."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from measurement import document
from rag_memory_build.console import SetupError, say


def parser(
    name: str, description: str | None, *, seed_of: str = "", written_to: str = ""
) -> argparse.ArgumentParser:
    """A parser for `build.py bench NAME`, with the options that several benchmarks have.

    Args:
        description: the module's docstring, of which the first line is shown.
        seed_of: what --seed changes; without it there is no such option.
        written_to: the document that --write changes; without it there is no such option.
    """
    options = argparse.ArgumentParser(
        prog=f"build.py bench {name}", description=(description or "").partition("\n")[0]
    )
    if seed_of:
        options.add_argument("--seed", type=int, default=1, help=f"of {seed_of} (default 1)")
    if written_to:
        options.add_argument("--write", action="store_true", help=f"put the result into {written_to}")
    return options


def end(measured: Callable[[], str], write_part: str | None = None, into: Path = document.DOCUMENT) -> int:
    """Measure and print the result; with `write_part` also write it into that part of the document.

    Returns:
        The exit code: 0, or 1 after an error, which is printed.
    """
    try:
        text = measured()
        if write_part is not None:
            document.write_part(write_part, text, into)
    except SetupError as error:
        say(f"\n{error}")
        return 1
    print(f"\n{text}")
    return 0
