"""`build.py server`: starts and stops the database servers for development."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path

from . import server_init, server_places, server_programs
from .console import say
from .lock import exclusive
from .postgres_server import DATABASE, USER, PostgresServer
from .server_process import HOST
from .valkey_server import ValkeyServer

_ACTIONS = ("start", "stop", "status", "init")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `build.py server`."""
    parser.add_argument("action", choices=_ACTIONS, metavar="|".join(_ACTIONS))
    parser.add_argument("--postgres-port", type=_port, default=0, metavar="PORT", help="default: a free one")
    parser.add_argument("--valkey-port", type=_port, default=0, metavar="PORT", help="default: a free one")
    server_init.add_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Carry out the action; return 0 on success, and for `status` if both servers run."""
    if options.action == "init":
        return server_init.run(options)
    if options.action == "stop":
        stop()
        return 0
    if options.action == "start":
        start(options.postgres_port, options.valkey_port)
    lines, both_run = status()
    print("\n".join(lines))
    return 0 if both_run else 1


def start(postgres_port: int = 0, valkey_port: int = 0) -> None:
    """Start both servers on these ports (0: free ones), unless they run already."""
    server_programs.prepare()
    with _alone():
        postgres, valkey = _both()
        postgres.start(postgres_port)
        valkey.start(valkey_port)


def stop() -> None:
    """Stop both servers."""
    with _alone():
        for server in _both():
            say(f"{server.title}: stopped" if server.stop() else f"{server.title} did not run")


def status() -> tuple[list[str], bool]:
    """A line per server, and True if both run."""
    postgres, valkey = _both()
    ports = postgres.running_port(), valkey.running_port()
    reached = (
        f"database {DATABASE}, user {USER}, password in {postgres.password_file}",
        f"password in {valkey.password_file}",
    )
    lines = [
        f"{server.title}: {HOST}:{port}, {how}" if port else f"{server.title}: does not run"
        for server, port, how in zip((postgres, valkey), ports, reached, strict=True)
    ]
    return lines, all(ports)


def _both() -> tuple[PostgresServer, ValkeyServer]:
    folder = server_places.data_folder()
    return PostgresServer(folder / "postgres"), ValkeyServer(folder / "valkey")


def _alone() -> contextlib.AbstractContextManager[None]:
    folder: Path = server_places.make_folder(server_places.data_folder())
    return exclusive(folder / "lock", "the database servers of this project")


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise ValueError(text)
    return port
