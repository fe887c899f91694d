"""Python's logging and standard streams, sent to Godot's output by level."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Callable

from rag_memory.errors import printable

PRINT, WARNING, ERROR = 0, 1, 2
"""The levels of a line in Godot: print, push_warning and push_error, with the numbers of the native host."""

LogFunction = Callable[[int, str], None]


class GodotHandler(logging.Handler):
    """A logging handler that hands records to the engine."""

    def __init__(self, log: LogFunction) -> None:
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        level = ERROR if record.levelno >= logging.ERROR else WARNING
        if record.levelno < logging.WARNING:
            level = PRINT
        try:
            text = self.format(record)
        except (TypeError, ValueError) as error:  # its arguments do not fit its message
            level = ERROR
            text = f"a log record cannot be formatted ({error}): {record.msg!r} with {record.args!r}"
        self._log(level, printable(f"[{record.name}] {text}"))


class GodotStream(io.TextIOBase):
    """A text stream that hands complete lines to the engine."""

    def __init__(self, log: LogFunction, level: int) -> None:
        self._log = log
        self._level = level
        self._rest = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            self._log(self._level, line)
        return len(text)

    def flush(self) -> None:
        if self._rest:
            self.write("\n")


def route(log: LogFunction, is_debug_build: bool) -> None:
    """Send logging (from INFO), standard output and standard error to `log(level, line)`.

    What is meant for developers alone is left out of a release build.
    """
    sys.stdout = GodotStream(log, PRINT)
    sys.stderr = GodotStream(log, ERROR)
    root = logging.getLogger()
    root.handlers[:] = [GodotHandler(log)]
    root.setLevel(logging.INFO)
    logging.getLogger("rag_memory.development").disabled = not is_debug_build
    logging.captureWarnings(True)
