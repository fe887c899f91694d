"""`build.py server init`: reads its options and runs server_roles in the Python that has psycopg."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import development, server_places
from .console import SetupError
from .lock import exclusive
from .paths import BUILD
from .postgres_server import DATABASE, USER, PostgresServer
from .server_process import HOST

ALL_SAVES = "rag_memory_game"
_ROLE = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_DEFAULTS = {"host": HOST, "port": 5432, "database": DATABASE, "user": USER, "schema": DATABASE}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `build.py server init`."""
    group = parser.add_argument_group(
        "init",
        "Prepares a PostgreSQL for game servers: adds pgvector, the tables, and a role that may only read "
        "and write them. Without --host this is the one of `build.py server start`.",
    )
    group.add_argument("--host", help="of the PostgreSQL")
    group.add_argument("--port", type=int, help="default: 5432")
    group.add_argument("--database", metavar="NAME", help=f"default: {DATABASE}; it has to exist")
    group.add_argument("--user", metavar="NAME", help=f"the owner of the tables (default: {USER})")
    group.add_argument(
        "--password-file",
        metavar="FILE",
        help="with the password of that user; by default as PostgreSQL finds it",
    )
    group.add_argument("--schema", metavar="NAME", help=f"of the tables; default: {DATABASE}")
    group.add_argument("--sslmode", help="default: verify-full, on this machine prefer")
    group.add_argument("--root-certificate", metavar="FILE", help="verifies the certificate of the server")
    group.add_argument("--shard", metavar="SAVE", help="the one save that the role may see (default: all)")
    group.add_argument(
        "--role", metavar="NAME", help=f"default: {ALL_SAVES}, with --shard rag_memory_ and its name"
    )
    group.add_argument(
        "--connections", type=int, metavar="COUNT", help="limit of open connections of the role"
    )
    group.add_argument(
        "--new-password-file", metavar="FILE", help="the role's password is read from it, or written into it"
    )


def run(options: argparse.Namespace) -> int:
    """Prepare the server and print the steps; return 0 on success."""
    wanted = role_request(vars(options))
    with exclusive(BUILD / "lock", "this project's build folder"):
        python = development.prepare()
    words: list[str | Path] = [python, "-m", "rag_memory_build.server_roles", json.dumps(wanted)]
    return subprocess.run(words, env=development.environment(), check=False).returncode


def role_request(options: Mapping[str, Any]) -> dict[str, Any]:
    """The place of the tables, as values of a MemoryPostgresStorage, and the role to make.

    Raises:
        SetupError: no server is named and none runs, or the name of the role is invalid.
    """
    named = {name: options.get(name) for name in (*_DEFAULTS, "password_file", "sslmode", "root_certificate")}
    place = {name: value for name, value in named.items() if value is not None}
    is_ours = not place.keys() - {"schema"}
    if is_ours:
        place |= _development_server()
    elif "host" not in place:
        given = ", ".join(f"--{name.replace('_', '-')}" for name in sorted(place))
        raise SetupError(
            "It is not clear which PostgreSQL is meant",
            f"{given} came without --host",
            "give --host too, or leave all of them out for the server of `build.py server start`",
        )
    place = _DEFAULTS | place
    shard = options.get("shard")
    role = options.get("role") or (
        ALL_SAVES if shard is None else f"rag_memory_{re.sub(r'[^a-z0-9_]', '_', shard.lower())}"
    )
    if not _ROLE.fullmatch(role):
        raise SetupError(
            f"{role!r} cannot be the name of a role",
            "it has to be at most 63 small letters, digits and underscores",
            "give another one with --role",
        )
    if options.get("connections") is not None and options["connections"] < 2:
        raise SetupError(
            f"--connections is {options['connections']}",
            "an open save has one connection, and a second one while a snapshot is made",
            "allow 2 or more for each save that the role has open at once",
        )
    file = options.get("new_password_file")
    name = f"{role}.password" if is_ours else f"{role}@{place['host']}.password"
    return {
        "place": place,
        "role": role,
        "shard": shard,
        "connections": options.get("connections"),
        "new_password_file": str(Path(file) if file else server_places.data_folder() / name),
    }


def _development_server() -> dict[str, Any]:
    server = PostgresServer(server_places.data_folder() / "postgres")
    port = server.running_port()
    if port is None:
        raise SetupError(
            "There is no PostgreSQL to work on",
            "none was named, and the development server does not run",
            "run `python3 build.py server start`, or name one with --host",
        )
    return {"port": port, "password_file": str(server.password_file)}
