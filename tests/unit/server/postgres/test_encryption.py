"""Network traffic: unreadable with TLS, and never a password."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import redis
from tests.unit.server.postgres.conftest import OpenSave, connected, place_on
from tests.unit.server.postgres.dropping_proxy import DroppingProxy
from tests.unit.server.postgres.loopback_packets import LoopbackPackets, is_allowed
from tests.unit.server.postgres.roles import made
from tests.unit.storage.contract.conftest import Kept, record_of, vector_of

from rag_memory.errors import SaveError
from rag_memory.step import run
from rag_memory_build import server_places, server_programs
from rag_memory_build.postgres_server import PostgresServer, temporary_postgres
from rag_memory_build.server_process import new_scratch
from rag_memory_build.valkey_server import temporary_valkey

SECRET = "The iron door hides seven sacks of salt."


@pytest.fixture(scope="module")
def certificates() -> Iterator[Path]:
    """A folder with the certificate and the key of a server on this machine, and a certificate of another."""
    folder = new_scratch()
    (folder / "openssl.cnf").write_text("[req]\ndistinguished_name = name\n[name]\n")
    for name in ("server", "other"):
        subprocess.run(
            [
                server_programs.prepare().openssl,
                *("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
                *("-days", "30", "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1"),
                *("-config", folder / "openssl.cnf"),
                *("-keyout", folder / f"{name}.key", "-out", folder / f"{name}.crt"),
            ],
            check=True,
            capture_output=True,
        )
    server_places.give(folder / "server.key")
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def encrypting(certificates: Path) -> Iterator[PostgresServer]:
    with temporary_postgres() as server:
        with connected(server, "rag_memory") as connection:
            for setting in ("ssl_cert_file", "ssl_key_file"):
                file = certificates / f"server.{'crt' if 'cert' in setting else 'key'}"
                connection.execute(f"ALTER SYSTEM SET {setting} = '{file}'".encode())
            connection.execute("ALTER SYSTEM SET ssl = on")
        port = server.port
        server.stop()
        server.start(port, ends_with_parent=True)
        yield server


@contextmanager
def watched(port: int) -> Iterator[tuple[int, bytearray]]:
    """The port by which the server is reached, and what crosses the network meanwhile: read from the network
    itself where that is allowed, else by what stands between.
    """
    if is_allowed():
        with LoopbackPackets(port) as packets:
            yield port, packets.seen
    else:
        with DroppingProxy(port) as proxy:
            yield proxy.port, proxy.seen


@pytest.mark.parametrize("mode", ["disable", "verify-full"])
def test_only_encrypted_memories_cannot_be_read_on_their_way(
    encrypting: PostgresServer, certificates: Path, open_save: OpenSave, tmp_path: Path, mode: str
) -> None:
    root = str(certificates / "server.crt")
    owner = place_on(encrypting, sslmode="verify-full", root_certificate=root)
    game = made(encrypting, tmp_path, place=owner, role=f"game_{mode.replace('-', '_')}")
    record = record_of(SECRET)
    with watched(encrypting.port) as (port, seen):
        kept = Kept(open_save(f"shard_{mode}", replace(game, port=port, sslmode=mode)))
        [key] = kept.put(record)
        assert kept.all()[0].document_full == SECRET
        assert kept.storage.vectors.of([key], kept.model)[key] == pytest.approx(vector_of(record))
        run(kept.storage.snapshots.write_steps("before"))
        with kept.storage.snapshots.opened("restore()", "before") as snapshot:
            assert snapshot.records.count() == 1
        kept.storage.close()
    # Vectors are sent as PostgreSQL has them: the highest byte first.
    numbers = vector_of(record).astype(">f4").tobytes()
    for told in (SECRET.encode(), numbers, b"INSERT INTO memories", b"elena"):
        assert (told in seen) == (mode == "disable"), told
    for place in (owner, game):
        assert str(place.password()).encode() not in seen


def test_the_password_of_valkey_is_sent_as_it_is() -> None:
    """Why docs/servers_operation.md wants a private network or a tunnel for it."""
    with temporary_valkey() as valkey, watched(valkey.port) as (port, seen):
        redis.Redis(port=port, password=valkey.password()).ping()
        while b"PONG" not in seen:
            time.sleep(0.02)
        assert valkey.password().encode() in seen


@pytest.mark.parametrize(
    ("host", "root", "told"),
    [("127.0.0.1", "other.crt", "certificate verify failed"), ("localhost", "server.crt", "does not match")],
)
def test_a_server_that_cannot_prove_who_it_is_gets_no_memory(
    encrypting: PostgresServer, certificates: Path, open_save: OpenSave, host: str, root: str, told: str
) -> None:
    place = place_on(encrypting, host=host, sslmode="verify-full", root_certificate=str(certificates / root))
    with pytest.raises(SaveError, match=told):
        open_save("shard", place)
