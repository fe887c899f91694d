"""The password goes to nobody who asks for it, and no environment leads to another server."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from tests.unit.server.postgres.conftest import Administrator, OpenSave, place_on
from tests.unit.server.postgres.impostor import ASKS_FOR, Impostor
from tests.unit.storage.contract.conftest import Kept, record_of

from rag_memory.errors import SaveError
from rag_memory_build.postgres_server import PostgresServer
from rag_memory_server.config.postgres_config import PASSWORD_VARIABLE
from rag_memory_server.postgres_storage import MemoryPostgresStorage

PASSWORD = "seven-sacks-of-salt"
VARIABLES = [option.envvar.decode() for option in psycopg.pq.Conninfo.get_defaults() if option.envvar]


@pytest.mark.parametrize("asks_for", ASKS_FOR)
def test_an_impostor_gets_no_password(monkeypatch: pytest.MonkeyPatch, asks_for: str) -> None:
    monkeypatch.setenv(PASSWORD_VARIABLE, PASSWORD)
    with Impostor(asks_for) as impostor:
        with pytest.raises(SaveError) as caught:
            MemoryPostgresStorage(port=impostor.port, timeout_seconds=0.0).open("shard")
        assert b"rag_memory" in impostor.seen and PASSWORD.encode() not in impostor.seen
        assert b"SELECT" not in impostor.seen
    if "SCRAM" not in asks_for:
        assert "pg_hba.conf says scram-sha-256" in caught.value.remedy


@pytest.mark.parametrize("mode", ["require", "verify-ca", "verify-full"])
def test_an_impostor_who_does_not_encrypt_is_told_nothing(monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    monkeypatch.setenv(PASSWORD_VARIABLE, PASSWORD)
    with Impostor("clear text") as impostor:
        with pytest.raises(SaveError):
            MemoryPostgresStorage(port=impostor.port, sslmode=mode, timeout_seconds=0.0).open("shard")
        assert b"rag_memory" not in impostor.seen


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_the_environment_leads_to_no_other_server(
    server: PostgresServer, open_save: OpenSave, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, host: str
) -> None:
    with Impostor("clear text") as impostor:
        (tmp_path / "services").write_text(
            f"[evil]\nhost=127.0.0.1\nhostaddr=127.0.0.1\nport={impostor.port}\nrequire_auth=password\n"
            "options=-c search_path=evil\nsslmode=disable\n"
        )
        (tmp_path / "passwords").write_text("*:*:*:*:wrong\n")
        (tmp_path / "passwords").chmod(0o600)
        for name, value in {
            "PGHOST": "127.0.0.1",
            "PGHOSTADDR": "127.0.0.2",
            "PGPORT": str(impostor.port),
            "PGSERVICE": "evil",
            "PGSERVICEFILE": str(tmp_path / "services"),
            "PGPASSFILE": str(tmp_path / "passwords"),
            "PGPASSWORD": "wrong",
            "PGREQUIREAUTH": "password",
            "PGOPTIONS": "-c default_transaction_read_only=on",
        }.items():
            monkeypatch.setenv(name, value)
        memories = Kept(open_save(place=place_on(server, host=host)))
        memories.put(record_of("Mill burned."))
        assert memories.storage.records.count() == 1
        assert not impostor.seen


def test_no_variable_of_the_client_matters_to_a_game_with_a_password(
    server: PostgresServer, open_save: OpenSave, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert {"PGHOSTADDR", "PGSERVICE", "PGPASSFILE", "PGTARGETSESSIONATTRS"} <= {*VARIABLES}
    for name in VARIABLES:
        monkeypatch.setenv(name, "nonsense")
    open_save(place=place_on(server))


def test_a_password_of_another_kind_is_refused_in_words(
    server: PostgresServer, administrator: Administrator, monkeypatch: pytest.MonkeyPatch
) -> None:
    administrator.execute("SET password_encryption = 'md5'; CREATE ROLE old LOGIN PASSWORD 'pass'")
    monkeypatch.setenv(PASSWORD_VARIABLE, "pass")
    with pytest.raises(SaveError, match="password authentication failed"):
        place_on(server, user="old", password_file="").open("shard")
