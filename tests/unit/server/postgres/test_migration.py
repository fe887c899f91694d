"""Tables of former versions: kept saves are opened, and what this version cannot use is left as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.server.postgres.conftest import Administrator, OpenSave, place_on

from rag_memory import open_save as opened
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.errors import SaveTooOldError
from rag_memory_build.postgres_server import PostgresServer
from rag_memory_server.postgres.schema import MIGRATIONS

KEPT_SAVE = Path(__file__).parent / "data" / "save_schema_1.sql"
MARK_IN_KEPT_SAVE = "mark:c01f84360b86e5f7:village"


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


def test_a_save_of_schema_1_opens_with_all_it_holds(
    server: PostgresServer, administrator: Administrator
) -> None:
    administrator.execute(KEPT_SAVE.read_bytes())
    place = place_on(server, schema="kept")
    with opened("village", HashingEmbedder(8), clock=lambda: 1_702_300_000.0, storage=place) as save:
        elena = save.npc("elena")

        def texts() -> list[str]:
            return [memory["document_full"] for memory in elena.recall.get_recent(9)]

        newest, *before = texts()
        assert newest == "Theron broke the promise about the bells."
        assert before == ["The player's name is Theron.", "We met at the well in Thornhaven."]
        assert elena.recall.get_recent(1)[0]["metadata"]["own_key"] == {"bells": 3}
        assert [memory["document_full"] for memory in elena.archive.get_archived()] == [
            "The player's name is Teron."
        ]
        assert elena.recall.retrieve_relevant("Where is the well?", {"limit": 1}) == [before[-1]]
        assert save.world.facts.get_flags() == {"bells_found": True}
        elena.memories.store("The mill burned down.", 5)
        save.marks.rollback_to(MARK_IN_KEPT_SAVE)
        assert texts() == before
        assert save.snapshots.slots() == ["before_the_feast"]
        save.snapshots.restore("before_the_feast")
        assert texts() == [newest, *before]


def test_the_kept_save_has_the_tables_of_its_schema() -> None:
    assert MIGRATIONS[1].strip() in KEPT_SAVE.read_text(encoding="utf-8")
