"""Progress and error messages of the set-up, and running commands."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from .paths import LOGS

_REDRAW_INTERVAL_SECONDS = 0.1
_PLAIN_INTERVAL_SECONDS = 5.0
_OUTPUT_TAIL_LINES = 25


class SetupError(Exception):
    """A step failed. The message has what happened, why, and what the user can do next."""

    def __init__(self, what: str, why: str, remedy: str) -> None:
        super().__init__(what)
        self.what = what
        self.why = why
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.what}\n  why:  {self.why}\n  next: {self.remedy}"


def say(text: str) -> None:
    """Print one line to standard error. Standard output is for results."""
    print(text, file=sys.stderr, flush=True)


class Progress:
    """The progress line of a long step: redrawn on a terminal, printed now and then in a log."""

    def __init__(self, title: str) -> None:
        self.title = title
        self._terminal = sys.stderr.isatty()
        self._started = time.monotonic()
        self._shown = self._started
        self._width = 0

    def update(self, text: str) -> None:
        """Show `text` (for example "12 of 135 packages") as the state of this step."""
        now = time.monotonic()
        interval = _REDRAW_INTERVAL_SECONDS if self._terminal else _PLAIN_INTERVAL_SECONDS
        if now - self._shown < interval:
            return
        self._shown = now
        line = f"{self.title}: {text}"[: shutil.get_terminal_size().columns - 1]
        if self._terminal:
            sys.stderr.write("\r" + line.ljust(self._width))
            sys.stderr.flush()
            self._width = len(line)
        else:
            say(line)

    def elapsed_seconds(self) -> float:
        return time.monotonic() - self._started

    def clear(self) -> None:
        if self._terminal and self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()


@contextlib.contextmanager
def step(title: str) -> Iterator[Progress]:
    """Print the title of a step, then how long it took. Yields its progress line."""
    say(f"{title} ...")
    progress = Progress(title)
    try:
        yield progress
    except BaseException:
        progress.clear()
        raise
    progress.clear()
    say(f"{title}: done in {progress.elapsed_seconds():.1f} s")


def run(
    command: Sequence[str | os.PathLike[str]],
    *,
    what: str,
    remedy: str,
    log: str,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> str:
    """Run a command, keep its output in .build/logs/<log>.log and return it.

    With `progress`, the command's last line is shown while it runs. Raises SetupError with the
    tail of the output when the command cannot be started or fails.
    """
    LOGS.mkdir(parents=True, exist_ok=True)
    log_file = LOGS / f"{log}.log"
    words = [os.fspath(word) for word in command]
    lines: list[str] = []
    try:
        process = subprocess.Popen(
            words,
            cwd=cwd,
            env=None if environment is None else dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
    except OSError as error:
        raise SetupError(f"{what} failed", f"{words[0]} did not start: {error}", remedy) from error
    assert process.stdout is not None
    with process, log_file.open("w", encoding="utf-8") as file:
        file.write(f"$ {' '.join(words)}\n")
        try:
            for line in process.stdout:
                file.write(line)
                lines.append(line)
                if progress is not None and line.strip():
                    progress.update(line.strip())
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        tail = "".join("    " + line for line in lines[-_OUTPUT_TAIL_LINES:]).rstrip()
        why = f"exit code {process.returncode}; the whole output is in {log_file}\n{tail}"
        raise SetupError(f"{what} failed", why, remedy)
    return "".join(lines)
