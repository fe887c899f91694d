"""A server program on a port of this machine alone: started, found again, and ended whole."""

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
"""A program that was killed is gone a moment before its port is free."""
_STOP = "python3 build.py server stop"


class Server(abc.ABC):
    """A server and the folder it works in, by which it is found again: no file tells who runs."""

    title: ClassVar[str]
    program_names: ClassVar[tuple[str, ...]]
    """What the kernel may call its program."""
    ready: ClassVar[str]
    """What it says when it takes connections."""
    port_taken: ClassVar[str]
    """What it says when another program has its port."""
    end_signal: ClassVar[signal.Signals]

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = 0
        self._process: subprocess.Popen[bytes] | None = None

    @abc.abstractmethod
    def command(self, port: int) -> list[str | Path]:
        """Make what it needs in its folder; how it is started there."""

    def pids(self) -> list[int]:
        """All of its processes; none when it does not run."""
        return list(self._processes())

    def leader(self) -> int | None:
        """The process that was started and has started the others; None when it was killed or never ran."""
        # A helper of either server calls itself by what it does, such as "postgres: checkpointer".
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
        """The port of the running server, None when none runs."""
        with contextlib.suppress(OSError, ValueError):
            if self.leader():
                return self._last_port()
        return None

    def _last_port(self) -> int:
        return int(self._port_file.read_text(encoding="utf-8"))

    def start(self, port: int = 0, *, ends_with_parent: bool = False) -> None:
        """Start it and wait until it answers; nothing to do when it runs already.

        Args:
            port: 0 for the one it has, or had last; for a free one when that is taken, or there was none.
            ends_with_parent: it ends with the thread that calls this, however that ends.

        Raises:
            SetupError: it does not start, the port is taken, or it runs on another one.
        """
        running = self.running_port()
        if running is not None:
            if port not in (0, running):
                why = f"it was started on port {running}, and port {port} is wanted"
                raise SetupError(f"{self.title} runs already", why, f"run {_STOP}, then this again")
            self.port = running
            return
        self.stop()  # What is left of one that was killed.
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
        """End all of its processes; whether there were any."""
        pids, leader = self.pids(), self.leader()
        if leader is not None:
            _signal([leader], self.end_signal)
            self._ended_within(_END_LIMIT_SECONDS)
        if self.pids():
            self.kill()
        if self._process is not None:
            self._process.kill()  # Else it had not come so far as to work in its folder.
            self._process.wait()
            self._process = None
        return bool(pids)

    def kill(self) -> None:
        """kill -9 all of its processes, in whatever they are doing."""
        _signal(self.pids(), signal.SIGKILL)
        if not self._ended_within(_END_LIMIT_SECONDS):
            what = f"{self.title} cannot be ended"
            raise SetupError(what, f"its processes {self.pids()} outlive a kill", "restart this machine")

    def log(self) -> str:
        """What it has said since its last start."""
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
            f"{why}; it said (all of it is in {self.log_file}):{tail}",
            f"do what it says; its data is in {self.folder}",
        )


AnyServer = TypeVar("AnyServer", bound=Server)


class _PortTakenError(Exception):
    def __init__(self, port: int) -> None:
        super().__init__(f"another program has port {port} of this machine")

    def as_setup_error(self, title: str) -> SetupError:
        return SetupError(f"{title} did not start", str(self), "choose another port, or leave it out")


@contextlib.contextmanager
def temporary(make: Callable[[Path], AnyServer]) -> Iterator[AnyServer]:
    """A running server with no data, gone at the end. It ends with the thread that started it, however that
    ends.
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
    """An empty folder that the servers' user can enter. What is left of it when this process has ended, the
    next temporary server removes.
    """
    scratch = server_places.make_folder(server_places.scratch_folder())
    folder = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=scratch))
    folder.chmod(0o755)
    return folder


def _clear(scratch: Path, make: Callable[[Path], Server]) -> None:
    """Remove what processes that were killed have left."""
    for left in scratch.iterdir():
        if not Path("/proc", left.name.partition("-")[0]).exists():
            make(left / "data").stop()
            shutil.rmtree(left, ignore_errors=True)


def environment() -> dict[str, str]:
    """The variables of the servers: what is set for other programs would only confuse them."""
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "GMT"}


def _signal(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def _free_port() -> int:
    with contextlib.closing(socket.socket()) as taken:
        taken.bind((HOST, 0))
        return int(taken.getsockname()[1])
