"""Tables that this version cannot use are left as they are."""

from __future__ import annotations

import pytest
from tests.unit.server.postgres.conftest import Administrator, OpenSave, place_on

from rag_memory.errors import SaveTooOldError
from rag_memory_build.postgres_server import PostgresServer


def test_tables_of_an_unreleased_version_are_refused_and_left_alone(
    open_save: OpenSave, server: PostgresServer, administrator: Administrator
) -> None:
    administrator.execute("CREATE SCHEMA old")
    administrator.execute("CREATE TABLE old.schema_version (version bigint NOT NULL)")
    administrator.execute("INSERT INTO old.schema_version VALUES (3)")
    with pytest.raises(SaveTooOldError, match=r"unreleased version.*version 3 of a format.*export_json\(\)"):
        open_save("shard", place_on(server, schema="old"))
    tables = administrator.execute("SELECT relname FROM pg_class WHERE relnamespace = 'old'::regnamespace")
    assert tables.fetchall() == [("schema_version",)]
