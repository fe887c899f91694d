"""Tables of former versions: kept saves are opened, and what this version cannot use is left as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.server.postgres.conftest import Administrator, OpenSave, place_on

from rag_memory import open_save as opened
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.errors import SaveTooOldError
from rag_memory_build.postgres_server import PostgresServer
from rag_memory_server.postgres.schema import MIGRATIONS, SCHEMA_VERSION

DATA = Path(__file__).parent / "data"
KEPT_SAVE = DATA / "save_schema_1.sql"
MARK_IN_KEPT_SAVE = "mark:c01f84360b86e5f7:village"
MARKS_IN_LATER_SAVES = {2: "mark:c7370bee8d3aa2d4:village"}


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


@pytest.mark.parametrize("version", range(2, SCHEMA_VERSION + 1))
def test_a_save_of_every_later_schema_opens_with_all_it_holds(
    server: PostgresServer, administrator: Administrator, version: int
) -> None:
    administrator.execute("DROP SCHEMA IF EXISTS kept CASCADE")
    administrator.execute((DATA / f"save_schema_{version}.sql").read_bytes())
    place = place_on(server, schema="kept")
    with opened("village", HashingEmbedder(8), clock=lambda: 1_702_300_000.0, storage=place) as save:
        elena = save.npc("elena")

        def texts() -> list[str]:
            return [memory["document_full"] for memory in elena.recall.get_recent(9)]

        now = texts()
        assert now == [
            "Theron broke the promise about the bells.",
            "The player's name is Theron.",
            "We met at the well in Thornhaven.",
        ]
        assert [turn["player_message"] for turn in elena.conversation.get_turns()] == [
            "I carried the wood for you."
        ]
        assert save.world.facts.get_flags() == {"bells_found": True}
        elena.exchange_undo.undo_exchange()
        assert elena.conversation.get_turns() == []
        save.marks.rollback_to(MARKS_IN_LATER_SAVES[version])
        assert texts() == now[1:]
        assert save.world.facts.get_flags() == {}
        save.snapshots.restore("before_the_feast")
        assert texts() == now and len(elena.conversation.get_turns()) == 1


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION + 1))
def test_the_kept_save_has_the_tables_of_its_schema(version: int) -> None:
    kept = (DATA / f"save_schema_{version}.sql").read_text(encoding="utf-8")
    assert all(MIGRATIONS[step].strip() in kept for step in range(1, version + 1))
