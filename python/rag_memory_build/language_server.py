"""Runs a llama-server with the small language model. It ends with the process that started it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from types import TracebackType
from typing import Self

from . import language_model
from .console import SetupError, step

_START_LIMIT_SECONDS = 300.0
_END_LIMIT_SECONDS = 10.0
_TAIL_LINES = 15
_OPTIONS = (
    "--seed",  # The same answers each time.
    "1",
    "--host",
    "127.0.0.1",
    "-t",
    "2",
    "-c",
    "4096",
    "-np",
    "2",
    "-cram",
    "128",
    "--no-ui",
    "--offline",
)
_EMBEDS = ("--embeddings", "--pooling", "mean")
_LISTENING = re.compile(r"listening on http://127\.0\.0\.1:(\d+)")

# The kernel kills it as soon as the thread that started it ends (1: PR_SET_PDEATHSIG).
_END_WITH_PARENT = """\
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 9)
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""


class LanguageServer:
    """A context manager in which the server answers at `base_url`.

    The server ends with the thread that started it. It survives exec() of the process.
    """

    def __init__(self, *, port: int = 0, embeds: bool = False) -> None:
        """`port`: 0 for a free one. `embeds`: serve embeddings instead of chat."""
        self.port = port
        self._options = _EMBEDS if embeds else ()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 (closed in stop())
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def pid(self) -> int:
        assert self._process is not None, "the server was not started"
        return self._process.pid

    def __enter__(self) -> Self:
        model = language_model.prepare()
        command = [model.program, "-m", model.weights, "-a", language_model.NAME, *_OPTIONS, *self._options]
        with step(f"Language model server ({language_model.NAME})") as progress:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-c",
                    _END_WITH_PARENT,
                    str(os.getpid()),
                    *command,
                    "--port",
                    str(self.port),
                ],
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=subprocess.STDOUT,
            )
            try:
                while not self._is_ready():
                    if self._process.poll() is not None:
                        raise self._failed(f"it ended with exit code {self._process.returncode}")
                    if progress.elapsed_seconds() > _START_LIMIT_SECONDS:
                        raise self._failed(f"it was not ready after {_START_LIMIT_SECONDS:.0f} seconds")
                    progress.update(f"loading, {progress.elapsed_seconds():.0f} s")
                    time.sleep(0.05)
            except BaseException:
                self.stop()
                raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def kill(self) -> None:
        """End the server with kill -9."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(_END_LIMIT_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()
        self._log.close()

    def log(self) -> str:
        """The server's output so far."""
        return os.pread(self._log.fileno(), os.fstat(self._log.fileno()).st_size, 0).decode(errors="replace")

    def _is_ready(self) -> bool:
        # Read from its output, because another server may answer on the requested port.
        listening = _LISTENING.search(self.log())
        if listening is None:
            return False
        self.port = int(listening[1])
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=10.0) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def _failed(self, why: str) -> SetupError:
        tail = "".join(f"\n    {line}" for line in self.log().splitlines()[-_TAIL_LINES:])
        return SetupError(
            "The language model's server did not start",
            f"{why}; its output ends with:{tail}",
            "check whether the port is in use or the memory is full. Otherwise delete the folder "
            f"{language_model.prepare().program.parent} and run this again",
        )
