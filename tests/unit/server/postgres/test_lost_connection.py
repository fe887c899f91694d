"""A connection that drops: nothing that was acknowledged is lost, nothing is written twice, and nobody writes
into a save that somebody else has taken over.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import pytest
from tests.unit.server.postgres.conftest import Administrator, OpenSave, connected, place_on
from tests.unit.server.postgres.dropping_proxy import AFTER, BEFORE, DroppingProxy
from tests.unit.storage.contract.conftest import Kept, record_of

from rag_memory import open_save as open_game
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.errors import SaveError, SaveLockedError, StoreError
from rag_memory.step import run
from rag_memory.storage.protocol import Storage
from rag_memory_build.console import SetupError
from rag_memory_build.postgres_server import PostgresServer, temporary_postgres

_PATIENT_SECONDS = 300.0
_HASTY_SECONDS = 0.2


@pytest.fixture
def proxy(server: PostgresServer) -> Iterator[DroppingProxy]:
    with DroppingProxy(server.port) as proxy:
        yield proxy


@pytest.fixture
def kept(proxy: DroppingProxy, open_save: OpenSave, server: PostgresServer, save_name: str) -> Kept:
    """A save with one memory, behind the proxy."""
    kept = Kept(open_save(save_name, place_on(server, port=proxy.port, timeout_seconds=_PATIENT_SECONDS)))
    kept.put(record_of("First."))
    return kept


def ids(kept: Kept) -> list[str]:
    return [record.id for record in kept.all()]


def test_a_question_is_asked_again(kept: Kept, proxy: DroppingProxy) -> None:
    proxy.drop_all()
    assert ids(kept) == ["First."]
    proxy.drop_all()
    kept.put(record_of("Second."))
    assert ids(kept) == ["First.", "Second."]


def test_what_drops_in_a_transaction_is_not_written_at_all(kept: Kept, proxy: DroppingProxy) -> None:
    with pytest.raises(StoreError, match="could not") as caught, kept.storage.transaction():
        kept.put(record_of("Second."))
        proxy.drop_all()
        kept.put(record_of("Third."))
    assert "Check that the server runs" in caught.value.remedy
    assert ids(kept) == ["First."]
    kept.put(record_of("Second."))
    assert ids(kept) == ["First.", "Second."]


def test_a_transaction_that_has_lost_its_connection_stays_lost(kept: Kept, proxy: DroppingProxy) -> None:
    with pytest.raises(StoreError), kept.storage.transaction():
        kept.put(record_of("Second."))
        proxy.drop_all()
        with pytest.raises(StoreError):
            kept.put(record_of("Third."))
        kept.put(record_of("Fourth."))
    assert ids(kept) == ["First."]


def test_a_commit_whose_answer_is_lost_is_found_to_be_done(kept: Kept, proxy: DroppingProxy) -> None:
    proxy.drops = AFTER
    kept.put(record_of("Second."))
    assert ids(kept) == ["First.", "Second."]
    assert ids(kept) == ["First.", "Second."]


def test_a_commit_that_never_arrives_is_told(kept: Kept, proxy: DroppingProxy) -> None:
    proxy.drops = BEFORE
    with pytest.raises(StoreError, match="could not write"):
        kept.put(record_of("Second."))
    assert ids(kept) == ["First."]
    kept.put(record_of("Second."))
    assert ids(kept) == ["First.", "Second."]


def test_a_commit_that_nobody_knows_of_is_told(
    open_save: OpenSave, server: PostgresServer, proxy: DroppingProxy, save_name: str
) -> None:
    kept = Kept(open_save(save_name, place_on(server, port=proxy.port, timeout_seconds=_HASTY_SECONDS)))
    kept.put(record_of("First."))
    for drops, there in ((AFTER, ["First.", "Second."]), (BEFORE, ["First.", "Second."])):
        proxy.refuses, proxy.drops = True, drops
        with pytest.raises(StoreError, match="perhaps written this, and perhaps not") as caught:
            kept.put(record_of("Second." if drops == AFTER else "Third."))
        assert "Look whether it is there" in caught.value.remedy
        proxy.refuses = False
        assert ids(kept) == there


def test_what_nobody_knows_of_is_felt_and_found_if_it_was_written(
    server: PostgresServer, proxy: DroppingProxy, save_name: str
) -> None:
    place = place_on(server, port=proxy.port, timeout_seconds=_HASTY_SECONDS)
    gift = {"action": "gifted", "source_id": "kael", "content": "a sword"}
    with open_game(save_name, HashingEmbedder(8), storage=place) as save:
        strengths = [save.npc("mira").mind.perceive(gift)["disposition"]["strength"]]
        for write in (
            lambda: save.npc("mira").mind.perceive({**gift, "content": "a horse"}),
            lambda: save.npc("mira").memories.store("Kael mended the roof."),
        ):
            proxy.refuses, proxy.drops = True, AFTER
            with pytest.raises(StoreError, match="perhaps"):
                write()
            proxy.refuses = False
            assert len(save.npc("mira").mind.get_interactions("", 10)) == 2
        strengths += [save.npc("mira").mind.perceive(gift)["disposition"]["strength"]]
        assert strengths == [70.0, 100.0]  # Three gifts.
        texts = [each["document"] for each in save.npc("mira").recall.retrieve_scored("Who mended the roof?")]
        assert texts.count("Kael mended the roof.") == 1


def test_a_snapshot_that_drops_leaves_the_former_one(kept: Kept, proxy: DroppingProxy) -> None:
    run(kept.storage.snapshots.write_steps("a"))
    kept.put(record_of("Second."))
    steps = kept.storage.snapshots.write_steps("a")
    next(steps)
    proxy.drop_all()
    with pytest.raises(SaveError, match="snapshot a"):
        run(steps)
    with kept.storage.snapshots.opened("x()", "a") as snapshot:
        assert snapshot.records.count() == 1


def test_a_server_that_stays_away_is_told_in_time(
    open_save: OpenSave, server: PostgresServer, proxy: DroppingProxy, save_name: str
) -> None:
    kept = Kept(open_save(save_name, place_on(server, port=proxy.port, timeout_seconds=_HASTY_SECONDS)))
    proxy.refuses = True
    proxy.drop_all()
    for _ in range(2):
        with pytest.raises(StoreError, match="could not read") as caught:
            kept.all()
        assert "Check that the server runs" in caught.value.remedy
        with pytest.raises(StoreError, match="could not write"):
            kept.put(record_of("First."))
    proxy.refuses = False
    kept.put(record_of("First."))
    assert ids(kept) == ["First."]


def test_whoever_lost_a_save_that_was_changed_as_a_whole_is_told(
    open_save: OpenSave, kept: Kept, server: PostgresServer, proxy: DroppingProxy, save_name: str
) -> None:
    place = place_on(server, timeout_seconds=_HASTY_SECONDS)
    proxy.refuses = True
    proxy.drop_all()
    other = open_save(save_name, place)
    changed_when_alone(other)
    proxy.refuses = False
    with pytest.raises(StoreError, match="is another one now") as caught:
        kept.put(record_of("Second."))
    assert "while the connection was lost" in caught.value.why
    assert kept.all() == []
    kept.put(record_of("Second."))
    assert ids(kept) == ["Second."]


def test_a_save_that_somebody_else_is_changing_is_told_after_the_wait(
    open_save: OpenSave, server: PostgresServer, proxy: DroppingProxy, save_name: str
) -> None:
    place = place_on(server, timeout_seconds=_HASTY_SECONDS)
    kept = Kept(open_save(save_name, replace(place, port=proxy.port)))
    proxy.refuses = True
    proxy.drop_all()
    other = open_save(save_name, place)
    while True:
        with suppress(SaveLockedError), other.owners.alone("restore()"):
            proxy.refuses = False
            with pytest.raises(StoreError, match="changing all of it"):
                kept.all()
            with pytest.raises(SaveLockedError, match="changing all of it"):
                open_save(save_name, place)
            break
        time.sleep(0.02)
    with pytest.raises(StoreError, match="is another one now"):
        kept.all()
    assert kept.all() == []


def changed_when_alone(storage: Storage) -> None:
    """Forget everything, as soon as the server knows that the others have gone."""
    while True:
        with suppress(SaveLockedError), storage.owners.alone("rollback_to()"):
            with storage.transaction():
                storage.marks.roll_back(0.0)
            return
        time.sleep(0.02)


def test_a_server_side_that_does_not_know_of_the_drop_is_ended(
    kept: Kept, administrator: Administrator, server: PostgresServer, proxy: DroppingProxy
) -> None:
    before = holders(administrator)
    proxy.keeps_server = True
    proxy.drop_games()
    assert ids(kept) == ["First."]
    after = holders(administrator)
    assert len(before) == len(after) and not before & after


def holders(administrator: Administrator) -> set[int]:
    rows = administrator.execute("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted")
    return {int(row[0]) for row in rows.fetchall()}


@pytest.mark.slow
def test_a_server_that_is_killed_again_and_again_loses_nothing_and_doubles_nothing(
    open_save: OpenSave,
) -> None:
    with temporary_postgres() as server:
        port, source, is_over = server.port, random.Random(7), threading.Event()
        kept = Kept(open_save("shard", place_on(server, timeout_seconds=_PATIENT_SECONDS)))

        def kill_and_start() -> None:
            for _ in range(6):
                time.sleep(source.uniform(0.05, 0.3))
                server.kill()
                while server.running_port() is None:
                    with suppress(SetupError):  # Another program may have the port for a moment.
                        server.start(port)
            is_over.set()

        killer = threading.Thread(target=kill_and_start)
        killer.start()
        acknowledged, tried, number = list[str](), list[str](), 0
        while not is_over.is_set():
            number += 1
            tried.append(f"m{number}")
            try:
                kept.put(record_of(f"m{number} happened."))
            except StoreError:
                continue
            acknowledged.append(f"m{number}")
        killer.join()
        found = ids(kept)
        assert acknowledged and len(found) == len(set(found))
        # What failed may be there when the server crashed while it wrote.
        assert set(acknowledged) <= set(found) <= set(tried)
        kept.storage.close()


def test_a_commit_that_is_lost_in_a_crash_is_not_taken_for_that_of_another(open_save: OpenSave) -> None:
    with temporary_postgres() as server, DroppingProxy(server.port) as proxy:
        kept = Kept(open_save("shard", place_on(server, port=proxy.port, timeout_seconds=_PATIENT_SECONDS)))
        kept.put(record_of("First."))
        failed = list[StoreError]()

        def put() -> None:
            try:
                kept.put(record_of("Second."))
            except StoreError as error:
                failed.append(error)

        # The COMMIT does not arrive; the server crashes before the transaction is on its disk.
        proxy.refuses, proxy.keeps_server, proxy.drops = True, True, BEFORE
        putting = threading.Thread(target=put)
        putting.start()
        while proxy.drops == BEFORE:
            time.sleep(0.001)
        with connected(server, "rag_memory") as administrator:
            newest = "SELECT max(backend_xid::text::bigint) FROM pg_stat_activity"
            (last,) = administrator.execute(newest).fetchone() or (0,)
        server.kill()
        server.start(server.port, ends_with_parent=True)
        with connected(server, "rag_memory") as administrator:
            while _next_number(administrator) < last:
                pass
        proxy.refuses = False
        putting.join()
        assert len(failed) == 1 and ids(kept) == ["First."]
        kept.storage.close()


def _next_number(administrator: Administrator) -> int:
    """Commits something, under the server's next number."""
    (number,) = administrator.execute("SELECT pg_current_xact_id()::text::bigint").fetchone() or (0,)
    return int(number)
