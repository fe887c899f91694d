"""A screen that is only memory: an X server of the private engine's own, or of the system."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator

from rag_memory_build.console import SetupError
from rag_memory_build.engine import Engine

_SIZE = "1280x720x24"


@contextlib.contextmanager
def virtual(engine: Engine) -> Iterator[dict[str, str]]:
    """The variables with which a window opens on the screen, as long as the block runs.

    Raises:
        SetupError: there is no Xvfb.
    """
    command = engine.virtual_screen()
    if command is None:
        program = shutil.which("Xvfb")
        if program is None:
            raise SetupError(
                "A window cannot be measured",
                "there is no Xvfb",
                "install it (Debian: apt install xvfb), or leave --window out",
            )
        command = [program]
    readable, writable = os.pipe()
    variables = {**os.environ, **engine.graphics_environment()}
    server = subprocess.Popen(
        [*command, "-displayfd", str(writable), "-screen", "0", _SIZE, "-nolisten", "tcp"],
        env=variables,
        pass_fds=[writable],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(writable)
    try:
        with os.fdopen(readable) as numbers:
            number = numbers.readline().strip()
        if not number:
            raise SetupError("A window cannot be measured", "Xvfb did not start", "run it by hand to see why")
        yield {**engine.graphics_environment(), "DISPLAY": f":{number}"}
    finally:
        server.terminate()
        server.wait()
