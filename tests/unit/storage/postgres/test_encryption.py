"""What crosses the network: with TLS nothing that can be read, and never a password."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.storage.contract.conftest import Kept, record_of
from tests.unit.storage.postgres.conftest import OpenSave, connected, place_on
from tests.unit.storage.postgres.dropping_proxy import DroppingProxy

from rag_memory.errors import SaveError
from rag_memory_build import server_places, server_programs
from rag_memory_build.postgres_server import PostgresServer, temporary_postgres
from rag_memory_build.server_process import new_scratch

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


@pytest.mark.parametrize("mode", ["disable", "verify-full"])
def test_only_encrypted_memories_cannot_be_read_on_their_way(
    encrypting: PostgresServer, certificates: Path, open_save: OpenSave, mode: str
) -> None:
    with DroppingProxy(encrypting.port) as proxy:
        root = str(certificates / "server.crt")
        place = place_on(encrypting, port=proxy.port, sslmode=mode, root_certificate=root)
        kept = Kept(open_save(f"shard_{mode}", place))
        kept.put(record_of(SECRET))
        assert kept.all()[0].document_full == SECRET
        kept.storage.close()
        assert (SECRET.encode() in proxy.seen) == (mode == "disable")
        assert encrypting.password().encode() not in proxy.seen


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
