"""Where saves on a server are, and what is said when one cannot be opened."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.unit.server.postgres.conftest import Administrator, OpenSave, connected, place_on
from tests.unit.storage.contract.conftest import Kept, record_of

from rag_memory import open_save as open_save_of
from rag_memory.errors import InvalidArgumentError, SaveError, SaveLockedError, SaveTooNewError
from rag_memory.step import run
from rag_memory_build.postgres_server import PostgresServer
from rag_memory_server.config.postgres_config import PASSWORD_VARIABLE
from rag_memory_server.postgres.schema import SCHEMA_VERSION
from rag_memory_server.postgres_storage import MemoryPostgresStorage

_WITHOUT_CLIENT = """
import sys
from rag_memory import open_save
with open_save(":memory:") as save:
    save.npc("elena").memories.store("The mill burned.")
print([name for name in sys.modules if name.partition(".")[0] == "psycopg"])
sys.modules["psycopg"] = None
from rag_memory_server.postgres_storage import MemoryPostgresStorage
try:
    MemoryPostgresStorage().open("shard_1")
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"host": ""}, "host is empty"),
        ({"database": ""}, "database is empty"),
        ({"port": 0}, "port is 0"),
        ({"port": 70000}, "port is 70000"),
        ({"schema": 'a"b'}, "schema is"),
        ({"schema": "Saves"}, "schema is"),
        ({"sslmode": "sometimes"}, "sslmode is 'sometimes'"),
        ({"host": "db.example.org", "sslmode": "disable"}, "in clear text"),
        ({"host": "db.example.org", "sslmode": "prefer"}, "in clear text"),
        ({"host": "db.example.org", "sslmode": "require"}, "no root_certificate"),
    ],
)
def test_a_value_that_cannot_be_meant_is_refused(values: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidArgumentError, match=told):
        MemoryPostgresStorage(**values)


def test_across_a_network_the_certificate_of_the_server_is_checked() -> None:
    assert MemoryPostgresStorage(host="db.example.org").used_sslmode == "verify-full"
    named = MemoryPostgresStorage(host="db.example.org", sslmode="require", root_certificate="ca.crt")
    assert named.used_sslmode == "verify-ca"
    assert MemoryPostgresStorage(sslmode="require").used_sslmode == "require"
    assert MemoryPostgresStorage().used_sslmode == "prefer"


def test_the_password_comes_from_a_file_or_the_environment_and_is_shown_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "password"
    file.write_text("secret-1\n")
    monkeypatch.setenv(PASSWORD_VARIABLE, "secret-2")
    of_file, of_environment = MemoryPostgresStorage(password_file=str(file)), MemoryPostgresStorage()
    assert (of_file.password(), of_environment.password()) == ("secret-1", "secret-2")
    assert "secret" not in f"{of_file!r}{of_file}{of_environment!r}{of_environment}"
    file.unlink()
    with pytest.raises(SaveError, match="No such file"):
        of_file.password()


def test_a_wrong_password_is_told_without_it(server: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD_VARIABLE, "secret-2")
    with pytest.raises(SaveError, match="password authentication failed") as caught:
        place_on(server, password_file="").open("shard")
    assert "secret" not in str(caught.value) and "shard on 127.0.0.1" in str(caught.value)


def test_a_server_that_does_not_answer_is_told(server: PostgresServer) -> None:
    with pytest.raises(SaveError, match="Connection refused") as caught:
        MemoryPostgresStorage(port=1).open("shard")
    assert "Check that the server runs" in caught.value.remedy
    with pytest.raises(SaveError, match='database "nothing" does not exist'):
        place_on(server, database="nothing").open("shard")


def test_a_server_that_cannot_encrypt_is_refused_when_encryption_is_wanted(server: PostgresServer) -> None:
    for mode in ("require", "verify-full"):
        with pytest.raises(SaveError, match="SSL"):
            place_on(server, sslmode=mode).open("shard")


def test_a_database_without_pgvector_is_told(server: PostgresServer, administrator: Administrator) -> None:
    administrator.execute("CREATE DATABASE bare")
    with pytest.raises(SaveError, match="no pgvector") as caught:
        place_on(server, database="bare").open("shard")
    assert "CREATE EXTENSION vector" in caught.value.remedy


def test_tables_of_a_newer_version_are_left_alone(
    open_save: OpenSave, server: PostgresServer, administrator: Administrator
) -> None:
    place = place_on(server, schema="newer")
    open_save("shard", place).close()
    administrator.execute("UPDATE newer.schema_version SET version = 999")
    with pytest.raises(SaveTooNewError, match="its version is 999"):
        open_save("shard", place)
    administrator.execute("UPDATE newer.schema_version SET version = %s", (SCHEMA_VERSION,))
    open_save("shard", place)


def test_schemas_of_one_database_have_saves_of_their_own(open_save: OpenSave, server: PostgresServer) -> None:
    here, there = (open_save("shard", place_on(server, schema=name)) for name in ("here", "there"))
    Kept(here).put(record_of("Mill burned."))
    assert (here.records.count(), there.records.count(), there.npcs.ids()) == (1, 0, [])


def test_many_that_come_to_an_empty_database_at_once_all_get_in(
    open_save: OpenSave, server: PostgresServer
) -> None:
    place, failed = place_on(server, schema="crowded"), list[BaseException]()
    barrier = threading.Barrier(4)

    def come(name: str) -> None:
        barrier.wait()
        try:
            open_save(name, place)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=come, args=(f"shard_{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


@pytest.mark.parametrize("name", ["", "a/b", ".hidden", "nul"])
def test_a_save_has_the_name_of_a_file(where: MemoryPostgresStorage, name: str) -> None:
    with pytest.raises(InvalidArgumentError, match="cannot be the name of a save"):
        open_save_of(name, storage=where)


def test_a_storage_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="storage is 'postgres://"):
        open_save_of("shard", storage="postgres://127.0.0.1")  # type: ignore[arg-type]


def test_several_have_a_save_open_and_none_changes_all_of_it(open_save: OpenSave) -> None:
    first, second = open_save(), open_save()
    with pytest.raises(SaveLockedError, match="other game servers"), first.owners.alone("restore()"):
        raise AssertionError
    second.close()
    while True:  # The server learns a little later that one has gone.
        with suppress(SaveLockedError), first.owners.alone("restore()"):
            break
    open_save()


def test_a_user_without_rights_is_told_what_he_lacks(
    server: PostgresServer, administrator: Administrator, monkeypatch: pytest.MonkeyPatch
) -> None:
    administrator.execute("CREATE ROLE visitor LOGIN PASSWORD 'pass'")
    monkeypatch.setenv(PASSWORD_VARIABLE, "pass")
    with pytest.raises(SaveError, match="permission denied") as caught:
        place_on(server, user="visitor", schema="closed", password_file="").open("shard")
    assert "rights" in caught.value.remedy


def test_a_user_with_few_rights_can_play_but_change_no_table(
    open_save: OpenSave, server: PostgresServer, administrator: Administrator, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_save("first", place_on(server, schema="village")).close()
    administrator.execute("CREATE ROLE player LOGIN PASSWORD 'pass'")
    administrator.execute("GRANT USAGE ON SCHEMA village TO player")
    administrator.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA village TO player")
    administrator.execute("GRANT USAGE ON ALL SEQUENCES IN SCHEMA village TO player")
    monkeypatch.setenv(PASSWORD_VARIABLE, "pass")
    storage = open_save("shard", place_on(server, user="player", schema="village", password_file=""))
    kept = Kept(storage)
    kept.put(record_of("Mill burned."))
    run(storage.snapshots.write_steps("before"))
    with storage.transaction():
        storage.marks.roll_back(0.0)
    assert storage.records.count() == 0 and storage.snapshots.slots() == ["before"]
    with connected(server, "rag_memory") as connection:
        connection.execute("SET ROLE player")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("DROP TABLE village.memories")


def test_order_is_that_of_letters_by_number_whatever_the_language_of_the_database(
    open_save: OpenSave, server: PostgresServer, administrator: Administrator
) -> None:
    administrator.execute(
        "CREATE DATABASE german ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'de' LOCALE 'C' "
        "TEMPLATE template0"
    )
    with connected(server, "german") as other:
        other.execute("CREATE EXTENSION vector")
    storage = open_save("shard", place_on(server, database="german"))
    names = ["ab", "Ab", "äb", "Zb", "zb", "a b"]
    with storage.transaction():
        for name in names:
            storage.npcs.add(name)
    assert storage.npcs.ids() == sorted(names)
    kept = Kept(storage)
    kept.put(*(record_of(f"{name}.", id=name) for name in names))
    assert [row[1] for row in storage.browsing.compared()] == sorted(names)


def test_a_game_without_a_server_needs_no_client() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT_CLIENT], capture_output=True, text=True, env=dict(os.environ)
    )
    loaded, told = done.stdout.splitlines()
    assert loaded == "[]"
    assert told.startswith("SaveError") and "the server part of this game is not whole" in told


def test_a_game_that_falls_silent_is_noticed_within_half_a_minute(open_save: OpenSave) -> None:
    session = open_save()._session  # type: ignore[attr-defined]
    found = {
        name: session.execute(f"SHOW tcp_{name}", {}).fetchone()[0]
        for name in ("keepalives_idle", "keepalives_interval", "keepalives_count", "user_timeout")
    }
    # The server asks the system what holds for the connection.
    idle, interval, count = (int(found[f"keepalives_{name}"]) for name in ("idle", "interval", "count"))
    assert 0 < idle + interval * count <= 30 and found["user_timeout"] in ("20s", "20000")
