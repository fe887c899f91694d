"""A screen for an engine that draws, on a machine that has none."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from rag_memory_build import engine
from rag_memory_build.console import SetupError


@contextmanager
def virtual_screen(width: int, height: int) -> Iterator[dict[str, str]]:
    """An X server of its own; the variables with which a program draws on it.

    Raises SetupError when there is no Xvfb.
    """
    found = engine.find()
    command = found.virtual_screen()
    variables = found.graphics_environment()
    if command is None:
        program = shutil.which("Xvfb")
        if program is None:
            raise SetupError(
                "There is no screen to draw on", "Xvfb is not on PATH", "install the package xvfb"
            )
        command = [program]
    read, write = os.pipe()
    server = subprocess.Popen(
        [*command, "-displayfd", str(write), "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp"],
        pass_fds=[write],
        env={**os.environ, **variables},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    try:
        with os.fdopen(read, encoding="ascii") as answer:
            number = answer.readline().strip()
        if not number:
            raise SetupError(
                "There is no screen to draw on", "Xvfb did not start", "run it by hand to see why"
            )
        yield {**variables, "DISPLAY": f":{number}"}
    finally:
        server.terminate()
        server.wait()
