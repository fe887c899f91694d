"""A commit whose end nobody knows yet: it is never told as "not written" while it may still be written."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.unit.server.postgres.conftest import Administrator, OpenSave, place_on
from tests.unit.server.postgres.dropping_proxy import AFTER, BEFORE, DroppingProxy
from tests.unit.storage.contract.conftest import Kept, record_of

from rag_memory import open_save as open_game
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.errors import StoreError
from rag_memory_build.postgres_server import PostgresServer


@pytest.fixture
def proxy(server: PostgresServer) -> Iterator[DroppingProxy]:
    with DroppingProxy(server.port) as proxy:
        yield proxy


@contextmanager
def stopped_at_commit(kept: Kept, proxy: DroppingProxy) -> Iterator[int]:
    """Inside, what the server has of the connection stands still from the next COMMIT on, which does not
    come. The number of that process.
    """
    pid = kept.storage._session._connection.info.backend_pid  # type: ignore[attr-defined]
    proxy.keeps_server, proxy.drops = True, BEFORE
    proxy.at_drop = lambda: os.kill(pid, signal.SIGSTOP)
    try:
        yield pid
    finally:
        os.kill(pid, signal.SIGCONT)


def test_a_commit_that_is_still_in_progress_is_perhaps_written(
    open_save: OpenSave, server: PostgresServer, proxy: DroppingProxy, save_name: str
) -> None:
    kept = Kept(open_save(save_name, place_on(server, port=proxy.port, timeout_seconds=0.2)))
    kept.put(record_of("First."))
    with stopped_at_commit(kept, proxy):
        with pytest.raises(StoreError, match="perhaps written this, and perhaps not") as caught:
            kept.put(record_of("Second."))
        assert "in time" in caught.value.why
    assert [record.id for record in kept.all()] == ["First."]


def test_a_commit_that_is_in_progress_is_asked_for_until_it_has_ended(
    open_save: OpenSave,
    server: PostgresServer,
    proxy: DroppingProxy,
    save_name: str,
    administrator: Administrator,
) -> None:
    kept = Kept(open_save(save_name, place_on(server, port=proxy.port, timeout_seconds=300.0)))
    kept.put(record_of("First."))
    failed = list[StoreError]()

    def put() -> None:
        try:
            kept.put(record_of("Second."))
        except StoreError as error:
            failed.append(error)

    putting = threading.Thread(target=put)
    with stopped_at_commit(kept, proxy) as pid:
        putting.start()
        asking = (
            "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%%pg_xact_status(%%' AND pid <> %s "
            "AND pid <> pg_backend_pid() AND datname = current_database()"
        )
        while administrator.execute(asking, (pid,)).fetchone() == (0,):
            time.sleep(0.02)
        assert putting.is_alive()
    putting.join()
    assert [error.what for error in failed] == [f"The save {kept.storage.name} could not write"]
    assert [record.id for record in kept.all()] == ["First."]


def test_a_commit_that_cannot_be_asked_for_is_perhaps_written(
    server: PostgresServer, proxy: DroppingProxy, save_name: str, tmp_path: Path
) -> None:
    password, gone = tmp_path / "password", tmp_path / "gone"
    password.write_text(server.password(), encoding="utf-8")
    place = place_on(server, port=proxy.port, timeout_seconds=0.2, password_file=str(password))
    with closing(open_game(save_name, HashingEmbedder(8), storage=place)) as save:
        save.npc("mira").memories.store("Roof was mended.")
        proxy.drops = AFTER
        password.rename(gone)
        with pytest.raises(StoreError, match="perhaps written this, and perhaps not") as caught:
            save.npc("mira").memories.store("Inn burned.")
        assert "The password of the database cannot be read" in caught.value.why
        gone.rename(password)
        # What is in memory is read anew.
        texts = [each["document"] for each in save.npc("mira").recall.retrieve_scored("Did the inn burn?")]
        assert texts.count("Inn burned.") == 1
