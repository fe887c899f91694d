"""A private PostgreSQL 18 with pgvector, for development and for tests."""

from __future__ import annotations

import secrets
import signal
import subprocess
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from . import disk, server_places, server_programs
from .console import SetupError, run
from .server_process import HOST, Server, environment, temporary

USER = "rag_memory"
DATABASE = "rag_memory"
# Roles for game servers have no business in databases where everybody may keep something.
_RULES = f"""\
local all                 all    scram-sha-256
host  all                 {USER} 127.0.0.1/32 scram-sha-256
host  postgres,template1  all    127.0.0.1/32 reject
host  all                 all    127.0.0.1/32 scram-sha-256
"""
# Commits survive a killed server nevertheless.
_FAST = ("fsync=off", "full_page_writes=off")


class PostgresServer(Server):
    """PostgreSQL with a database that has pgvector, and a user with the password in a file."""

    title = f"PostgreSQL {server_programs.VERSION}"
    program_names = ("postgres",)
    ready = "database system is ready to accept connections"
    port_taken = "Address already in use"
    end_signal = signal.SIGINT  # "fast": ends connections, then writes everything.

    def __init__(self, folder: Path, *, is_fast: bool = False, settings: Sequence[str] = ()) -> None:
        """`folder`: of its data. `is_fast`: faster, but a power cut may damage the data. `settings`: more
        settings, such as "shared_buffers=1GB".
        """
        super().__init__(folder)
        self._settings = settings
        self._is_fast = is_fast

    def command(self, port: int) -> list[str | Path]:
        programs = server_programs.prepare()
        self._check_version()
        if not self.folder.exists():
            self._create(programs)
        self._forget_dead_holder()
        settings = [f"listen_addresses={HOST}", f"port={port}", "unix_socket_directories="]
        settings += [*(_FAST if self._is_fast else ()), *self._settings]
        return [
            programs.postgres,
            "-D",
            self.folder,
            *(word for setting in settings for word in ("-c", setting)),
        ]

    def _check_version(self) -> None:
        if not self.folder.exists():
            return
        try:
            version = (self.folder / "PG_VERSION").read_text(encoding="utf-8").strip()
        except OSError as error:
            raise SetupError(
                f"{self.folder} is no data folder of PostgreSQL",
                str(error),
                "move it away and run this again",
            ) from error
        if version != server_programs.VERSION:
            raise SetupError(
                f"The data in {self.folder} is of another PostgreSQL",
                f"it is of version {version}, and this is {server_programs.VERSION}; it was left as it is",
                "move the folder away to begin anew, or copy the data over with pg_dump of that version",
            )

    def _create(self, programs: server_programs.Programs) -> None:
        server_places.make_folder(self.folder.parent)
        self.password_file.write_text("", encoding="utf-8")
        server_places.give(self.password_file)
        self.password_file.write_text(f"{secrets.token_urlsafe(24)}\n", encoding="utf-8")
        with disk.replacing(self.folder) as fresh:
            server_places.give(fresh)
            options = ["--locale=C", "--encoding=UTF8", "--auth=scram-sha-256", f"--username={USER}"]
            options += [f"--pwfile={self.password_file}", "--no-instructions"]
            options += ["--no-sync"] if self._is_fast else []
            run(
                server_places.as_owner([programs.initdb, "-D", fresh, *options]),
                what="Making the data folder of PostgreSQL",
                remedy="check the free disk space, then run this again",
                log="postgres-initdb",
                cwd=Path("/"),
                environment=environment(),
            )
            (fresh / "pg_hba.conf").write_text(_RULES, encoding="utf-8")
            self._run_alone(programs, fresh, "postgres", f"CREATE DATABASE {DATABASE}")
            self._run_alone(programs, fresh, DATABASE, "CREATE EXTENSION vector")

    def _run_alone(
        self, programs: server_programs.Programs, folder: Path, database: str, statement: str
    ) -> None:
        """Run a statement without a server, before anyone else can use the database."""
        words: list[str | Path] = [programs.postgres, "--single", "-D", folder, "-c", "exit_on_error=on"]
        words += ["-F"] if self._is_fast else []
        done = subprocess.run(
            server_places.as_owner([*words, database]),
            cwd="/",
            env=environment(),
            input=statement,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise SetupError(
                "Making the database failed",
                done.stderr.strip(),
                "please report this to the authors of RAG Memory",
            )

    def _forget_dead_holder(self) -> None:
        """Remove the PID file of a killed server. No process of this server may be running.

        Another program may have that process number now, and PostgreSQL would take it for a server.
        """
        (self.folder / "postmaster.pid").unlink(missing_ok=True)


def temporary_postgres() -> AbstractContextManager[PostgresServer]:
    """A temporary server with an empty database, see server_process.temporary()."""
    return temporary(lambda folder: PostgresServer(folder, is_fast=True))
