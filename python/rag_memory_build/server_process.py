"""Starts and stops a server program that listens on this machine only."""

from __future__ import annotations

import abc
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar, TypeVar

from . import server_places
from .console import SetupError, step
from .paths import LOGS

HOST = "127.0.0.1"
_START_LIMIT_SECONDS = 300.0
_END_LIMIT_SECONDS = 60.0
_TAIL_LINES = 15
_ATTEMPTS = 6
_TRIES_OF_LAST = 4
_BETWEEN_TRIES_SECONDS = 0.1
"""The port of a killed program becomes free a moment after the program has ended."""
_STOP = "python3 build.py server stop"


class Server(abc.ABC):
    """A server, identified by the folder it runs in: there is no PID file."""

    title: ClassVar[str]
    program_names: ClassVar[tuple[str, ...]]
    """Names of its program in /proc."""
    ready: ClassVar[str]
    """Its message when it accepts connections."""
    port_taken: ClassVar[str]
    """Its message when another program has its port."""
    end_signal: ClassVar[signal.Signals]

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = 0
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def password_file(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}.password")

    def password(self) -> str:
        return self.password_file.read_text(encoding="utf-8").strip()

    @abc.abstractmethod
    def command(self, port: int) -> list[str | Path]:
        """Prepare its folder and return the command that starts it."""

    def pids(self) -> list[int]:
        """The IDs of all its processes."""
        return list(self._processes())

    def leader(self) -> int | None:
        """The ID of its first process, which started the others; None if it does not run."""
        # Child processes have titles such as "postgres: checkpointer".
        return next((pid for pid, title in self._processes().items() if title.startswith(b"/")), None)

    def _processes(self) -> dict[int, bytes]:
        titles: dict[int, bytes] = {}
        for place in Path("/proc").iterdir():
            with contextlib.suppress(OSError, ValueError):
                program = Path(os.readlink(place / "exe").removesuffix(" (deleted)")).name
                works_in = os.readlink(place / "cwd").removesuffix(" (deleted)")
                if program in self.program_names and works_in == str(self.folder):
                    titles[int(place.name)] = (place / "cmdline").read_bytes()
        return titles

    def running_port(self) -> int | None:
        """The port of the running server, or None."""
        with contextlib.suppress(OSError, ValueError):
            if self.leader():
                return self._last_port()
        return None

    def _last_port(self) -> int:
        return int(self._port_file.read_text(encoding="utf-8"))

    def start(self, port: int = 0, *, ends_with_parent: bool = False) -> None:
        """Start the server and wait until it answers, unless it runs already.

        Args:
            port: 0 for the last port if that is free, otherwise any free one.
            ends_with_parent: the server ends with the calling thread.

        Raises:
            SetupError: it does not start, the port is taken, or it runs on another port.
        """
        running = self.running_port()
        if running is not None:
            if port not in (0, running):
                why = f"it was started on port {running}, and port {port} is wanted"
                raise SetupError(f"{self.title} runs already", why, f"run {_STOP}, then this again")
            self.port = running
            return
        self.stop()  # Ends child processes of a killed server.
        last = 0
        with contextlib.suppress(OSError, ValueError):
            last = self._last_port()
        for attempt in range(_ATTEMPTS):
            try:
                return self._start(
                    port or (attempt < _TRIES_OF_LAST and last) or _free_port(), ends_with_parent
                )
            except _PortTakenError as error:
                if port or attempt == _ATTEMPTS - 1:
                    raise error.as_setup_error(self.title) from error
                time.sleep(_BETWEEN_TRIES_SECONDS)

    def stop(self) -> bool:
        """End all of its processes; return True if there were any."""
        pids, leader = self.pids(), self.leader()
        if leader is not None:
            _signal([leader], self.end_signal)
            self._ended_within(_END_LIMIT_SECONDS)
        if self.pids():
            self.kill()
        if self._process is not None:
            self._process.kill()  # It may not have entered its folder yet.
            self._process.wait()
            self._process = None
        return bool(pids)

    def kill(self) -> None:
        """End all of its processes with kill -9."""
        _signal(self.pids(), signal.SIGKILL)
        if not self._ended_within(_END_LIMIT_SECONDS):
            what = f"{self.title} cannot be ended"
            raise SetupError(what, f"its processes {self.pids()} outlive a kill", "restart this machine")

    def log(self) -> str:
        """Its output since the last start."""
        try:
            return self.log_file.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    @property
    def log_file(self) -> Path:
        return LOGS / f"{self.folder.parent.name}-{self.folder.name}.log"

    @property
    def _port_file(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}.port")

    def _start(self, port: int, ends_with_parent: bool) -> None:
        with contextlib.closing(socket.socket()) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                tried.bind((HOST, port))
            except OSError as error:
                raise _PortTakenError(port) from error
        with step(self.title) as progress:
            command = server_places.as_owner(self.command(port), ends_with_parent=ends_with_parent)
            LOGS.mkdir(parents=True, exist_ok=True)
            with self.log_file.open("wb") as log:
                self._process = subprocess.Popen(
                    command,
                    cwd="/",
                    env=environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            try:
                while self.ready not in self.log():
                    if self._process.poll() is not None:
                        if self.port_taken in self.log():
                            raise _PortTakenError(port)
                        raise self._failed(f"it ended with exit code {self._process.returncode}")
                    if progress.elapsed_seconds() > _START_LIMIT_SECONDS:
                        raise self._failed(f"it was not ready after {_START_LIMIT_SECONDS:.0f} seconds")
                    progress.update(f"starting, {progress.elapsed_seconds():.0f} s")
                    time.sleep(0.02)
            except BaseException:
                self.stop()
                raise
        self._port_file.write_text(str(port), encoding="utf-8")
        self.port = port

    def _ended_within(self, seconds: float) -> bool:
        limit = time.monotonic() + seconds
        while self.pids():
            if self._process is not None:
                self._process.poll()
            if time.monotonic() > limit:
                return False
            time.sleep(0.02)
        return True

    def _failed(self, why: str) -> SetupError:
        tail = "".join(f"\n    {line}" for line in self.log().splitlines()[-_TAIL_LINES:])
        return SetupError(
            f"{self.title} did not start",
            f"{why}; its output (complete in {self.log_file}) ends with:{tail}",
            f"follow the output; the data is in {self.folder}",
        )


AnyServer = TypeVar("AnyServer", bound=Server)


class _PortTakenError(Exception):
    def __init__(self, port: int) -> None:
        super().__init__(f"another program has port {port} of this machine")

    def as_setup_error(self, title: str) -> SetupError:
        return SetupError(f"{title} did not start", str(self), "choose another port, or leave it out")


@contextlib.contextmanager
def temporary(make: Callable[[Path], AnyServer]) -> Iterator[AnyServer]:
    """Yield a running server without data, which is removed afterwards.

    It ends with the thread that started it.
    """
    home = new_scratch()
    _clear(home.parent, make)
    server = make(home / "data")
    try:
        server.start(ends_with_parent=True)
        yield server
    finally:
        server.stop()
        shutil.rmtree(home)
        server.log_file.unlink(missing_ok=True)


def new_scratch() -> Path:
    """Make an empty folder that the servers' user can enter.

    If this process does not remove it, the next temporary server does.
    """
    scratch = server_places.make_folder(server_places.scratch_folder())
    folder = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=scratch))
    folder.chmod(0o755)
    return folder


def _clear(scratch: Path, make: Callable[[Path], Server]) -> None:
    """Remove the folders of killed processes."""
    for left in scratch.iterdir():
        if not Path("/proc", left.name.partition("-")[0]).exists():
            make(left / "data").stop()
            shutil.rmtree(left, ignore_errors=True)


def environment() -> dict[str, str]:
    """The servers' environment variables, without those set for other programs."""
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "GMT"}


def _signal(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def _free_port() -> int:
    with contextlib.closing(socket.socket()) as taken:
        taken.bind((HOST, 0))
        return int(taken.getsockname()[1])
