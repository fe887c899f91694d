"""The real database servers: fetched whole or not at all, found again however they ended, and ended whole."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_memory_build import commands, server_places, server_programs, targets
from rag_memory_build.console import SetupError
from rag_memory_build.postgres_server import DATABASE, USER, PostgresServer, temporary_postgres
from rag_memory_build.server_process import HOST, Server, new_scratch
from rag_memory_build.valkey_server import ValkeyServer, temporary_valkey

_START = """
import time
from rag_memory_build.postgres_server import temporary_postgres
from rag_memory_build.valkey_server import temporary_valkey
with temporary_postgres() as postgres, temporary_valkey() as valkey:
    print(postgres.folder, valkey.folder, flush=True)
    time.sleep(600)
"""


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty place for this project's servers, which are ended at the end."""
    folder = new_scratch()
    monkeypatch.setattr(server_places, "data_folder", lambda: folder)
    monkeypatch.setattr("signal.signal", lambda number, handler: None)
    yield folder
    for server in (postgres_of(folder), valkey_of(folder)):
        server.stop()
        server.log_file.unlink(missing_ok=True)
    shutil.rmtree(folder)


def postgres_of(home: Path) -> PostgresServer:
    return PostgresServer(home / "postgres", is_fast=True)


def valkey_of(home: Path) -> ValkeyServer:
    return ValkeyServer(home / "valkey")


def asked(server: PostgresServer, statement: str, password: str | None = None) -> str:
    """The output or the error of psql for a statement."""
    place = ["-h", HOST, "-p", str(server.port), "-U", USER, "-d", DATABASE, "--no-password"]
    done = subprocess.run(
        [server_programs.prepare().psql, "-X", "-A", "-t", *place, "-c", statement],
        env={"PGPASSWORD": server.password() if password is None else password, "PATH": os.defpath},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return (done.stdout or done.stderr).strip()


def answered(server: ValkeyServer, *lines: str) -> str:
    """Valkey's answer to some lines."""
    with socket.create_connection((HOST, server.port), timeout=60.0) as connection:
        connection.sendall("".join(f"{line}\r\n" for line in (*lines, "QUIT")).encode())
        return b"".join(iter(lambda: connection.recv(4096), b"")).decode()


def owners(server: Server) -> set[int]:
    return {Path(f"/proc/{pid}").stat().st_uid for pid in server.pids()}


def test_both_servers_start_once_and_are_ended_whole(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(["server", "status"]) == 1
    assert capsys.readouterr().out == "PostgreSQL 18: does not run\nValkey: does not run\n"
    assert commands.main(["server", "start"]) == 0
    told = capsys.readouterr().out
    postgres, valkey = postgres_of(home), valkey_of(home)
    leaders = postgres.leader(), valkey.leader()
    assert all(leaders) and len(postgres.pids()) > 1
    assert f"PostgreSQL 18: {HOST}:{postgres.running_port()}, database {DATABASE}" in told
    assert f"Valkey: {HOST}:{valkey.running_port()}, password in {valkey.password_file}" in told
    assert commands.main(["server", "start"]) == 0
    assert commands.main(["server", "status"]) == 0
    assert capsys.readouterr().out == told + told
    assert (postgres.leader(), valkey.leader()) == leaders
    assert commands.main(["server", "stop"]) == 0
    assert postgres.pids() == valkey.pids() == []
    assert commands.main(["server", "stop"]) == 0
    assert "Valkey did not run" in capsys.readouterr().err


def test_only_the_password_opens_a_server_and_no_server_is_root() -> None:
    with temporary_postgres() as postgres, temporary_valkey() as valkey:
        vector = asked(postgres, "SELECT '[3,4]'::vector <-> '[0,0]'")
        assert vector == "5" and asked(postgres, "SHOW server_version").startswith("18.")
        assert "password authentication failed" in asked(postgres, "SELECT 1", "wrong")
        assert "no password supplied" in asked(postgres, "SELECT 1", "")
        assert answered(valkey, f"AUTH {valkey.password()}", "PING").startswith("+OK\r\n+PONG")
        assert answered(valkey, "PING").startswith("-NOAUTH")
        for server in (postgres, valkey):
            assert owners(server) and 0 not in owners(server)
            assert server.folder.stat().st_mode & 0o077 == 0
            assert server.folder.with_name("data.password").stat().st_mode & 0o077 == 0
            command = (Path("/proc") / str(server.leader()) / "cmdline").read_bytes().decode()
            assert server.folder.with_name("data.password").read_text().strip() not in command
    assert not postgres.folder.exists() and not valkey.folder.exists()


def test_a_port_that_is_taken_is_told(home: Path) -> None:
    with socket.socket() as other:
        other.bind((HOST, 0))
        other.listen()
        port = other.getsockname()[1]
        for server in (postgres_of(home), valkey_of(home)):
            with pytest.raises(SetupError, match="did not start") as caught:
                server.start(port)
            assert f"port {port}" in caught.value.why and "another port" in caught.value.remedy
            assert server.pids() == []


def test_a_running_server_stays_on_its_port(home: Path) -> None:
    valkey = valkey_of(home)
    valkey.start()
    with pytest.raises(SetupError, match="runs already") as caught:
        valkey_of(home).start(valkey.port + 1)
    assert "server stop" in caught.value.remedy
    valkey_of(home).start(valkey.port)


def port_that_nobody_is_given() -> int:
    """A free port that the system gives to nobody who asks for any, as the tests do that run beside this."""
    for port in range(20_000, 30_000):
        with contextlib.closing(socket.socket()) as tried, contextlib.suppress(OSError):
            tried.bind((HOST, port))
            return port
    raise AssertionError("all of them are taken")


def test_a_server_that_is_started_again_is_where_it_was_unless_somebody_else_is_there(home: Path) -> None:
    valkey = valkey_of(home)
    first = port_that_nobody_is_given()
    valkey.start(first)
    for end in (valkey.stop, valkey.kill):
        end()
        valkey_of(home).start()
        assert valkey_of(home).running_port() == first
    valkey.stop()
    with contextlib.closing(socket.socket()) as other:
        other.bind((HOST, first))
        other.listen()
        valkey_of(home).start()
        assert valkey_of(home).running_port() not in (None, first)


def test_data_of_another_postgresql_is_refused_and_left(home: Path) -> None:
    data = home / "postgres"
    data.mkdir()
    (data / "PG_VERSION").write_text("15\n")
    with pytest.raises(SetupError, match="of another PostgreSQL") as caught:
        postgres_of(home).start()
    assert "version 15" in caught.value.why
    assert [file.name for file in data.iterdir()] == ["PG_VERSION"]
    (data / "PG_VERSION").unlink()
    with pytest.raises(SetupError, match="is no data folder"):
        postgres_of(home).start()


def test_killed_servers_start_again_with_what_was_written(home: Path) -> None:
    postgres, valkey = postgres_of(home), valkey_of(home)
    postgres.start()
    valkey.start()
    asked(postgres, "CREATE TABLE kept AS SELECT 7 AS number")
    answered(valkey, f"AUTH {valkey.password()}", "SET kept 7")
    leader = postgres.leader()
    assert leader is not None
    os.kill(leader, signal.SIGKILL)
    valkey.kill()
    # Its number now belongs to another process of the same user.
    stranger = subprocess.Popen(server_places.as_owner(["sleep", "600"]))
    note = home / "postgres" / "postmaster.pid"
    note.write_text(note.read_text().replace(str(leader), str(stranger.pid), 1))
    for server in (postgres_of(home), valkey_of(home)):
        assert server.leader() is None
        server.start()
    stranger.kill()
    stranger.wait()
    again = postgres_of(home)
    again.start()
    assert asked(again, "SELECT number FROM kept") == "7"
    valkey.start()
    assert "$1\r\n7\r\n" in answered(valkey, f"AUTH {valkey.password()}", "GET kept")


def test_servers_of_a_test_end_with_a_process_that_is_killed() -> None:
    starter = subprocess.Popen(
        [sys.executable, "-c", _START], stdout=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    assert starter.stdout is not None
    folders = [Path(each) for each in starter.stdout.readline().split()]
    left = [PostgresServer(folders[0]), ValkeyServer(folders[1])]
    assert all(server.leader() for server in left)
    starter.send_signal(signal.SIGKILL)
    starter.wait()
    starter.stdout.close()
    while any(server.pids() for server in left):  # pytest's time limit ends this otherwise
        time.sleep(0.05)
    with temporary_valkey():
        assert not any(folder.parent.exists() for folder in folders), "the next one clears away what is left"


def test_what_a_killed_fetch_left_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = server_programs.prepare()
    place = new_scratch()
    folder = place / "server" / whole.folder.name
    folder.mkdir(parents=True)
    (folder / "server.json").write_text('{"usr/bin/valkey-server": 3495536}')
    monkeypatch.setattr(server_places, "programs_folder", lambda: place)
    made = server_programs.prepare()
    assert made.folder == folder and server_programs.is_complete(folder)
    assert made.psql.is_file() and whole.folder.is_dir()
    with temporary_postgres() as server:
        assert asked(server, "SELECT 1") == "1"
    shutil.rmtree(place)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root starts the servers as somebody else")
def test_servers_get_folders_that_their_user_can_enter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed, elsewhere = tmp_path / "home", tmp_path / "var"
    closed.mkdir(0o700)
    tmp_path.chmod(0o755)
    for name in ("CACHE", "BUILD"):
        monkeypatch.setattr(server_places, name, closed / "cache")
    monkeypatch.setattr(server_places, "_SYSTEM_CACHE", elsewhere)
    monkeypatch.setattr(server_places, "_SYSTEM_DATA", elsewhere)
    assert server_places.programs_folder() == elsewhere
    assert server_places.data_folder().is_relative_to(elsewhere)
    monkeypatch.setattr(server_places, "is_open_to_others", lambda folder: True)
    assert server_places.programs_folder() == closed / "cache"
    assert server_places.data_folder() == closed / "cache" / "server"


def test_a_folder_is_open_to_others_when_all_above_it_are(tmp_path: Path) -> None:
    # Above pytest's own folders, which are closed.
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        top = Path(name)
        (top / "a" / "b").mkdir(parents=True)
        top.chmod(0o755)
        assert server_places.is_open_to_others(top / "a" / "b" / "not yet")
        (top / "a").chmod(0o700)
        assert not server_places.is_open_to_others(top / "a" / "b" / "not yet")


def test_where_there_is_no_debian_the_message_says_what_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = tmp_path / "os-release"
    release.write_text("ID=fedora\n")
    monkeypatch.setattr("rag_memory_build.debian._OS_RELEASE", release)
    monkeypatch.setattr(server_places, "programs_folder", lambda: tmp_path / "cache")
    with pytest.raises(SetupError, match="cannot be fetched") as caught:
        server_programs.prepare()
    assert "docs/servers.md" in caught.value.remedy


def test_nothing_of_a_server_is_shipped_with_a_game() -> None:
    core = targets.HERE.runtime / "site-packages" / "rag_memory"
    assert (core / "storage" / "sqlite" / "store.pyc").is_file()
    shipped = [file.relative_to(targets.HERE.runtime) for file in targets.HERE.runtime.rglob("*")]
    assert [file for file in shipped if file.name.startswith(("psycopg", "libpq"))] == []
    assert [file for file in shipped if "postgres" in file.parts] == []


def test_a_port_is_a_number_of_a_port(capsys: pytest.CaptureFixture[str]) -> None:
    for wrong in ("70000", "-1", "five"):
        with pytest.raises(SystemExit):
            commands.parse(["server", "start", f"--postgres-port={wrong}"])
    assert "invalid" in capsys.readouterr().err
