"""A server that is there and says nothing, and a save that is there no more: calls fail in time, in words."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from tests.unit.server.postgres.conftest import OpenSave, place_on
from tests.unit.server.postgres.dropping_proxy import DroppingProxy
from tests.unit.storage.contract.conftest import Kept, record_of

from rag_memory.errors import SaveLockedError, SaveNotFoundError, StoreError
from rag_memory.step import run
from rag_memory.storage.protocol import Storage
from rag_memory_build.postgres_server import PostgresServer
from rag_memory_server.postgres import save_row, session
from rag_memory_server.postgres.connecting import WatchedConnection
from rag_memory_server.postgres_storage import MemoryPostgresStorage


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch, where: MemoryPostgresStorage) -> MemoryPostgresStorage:
    """Where calls wait for less long."""
    monkeypatch.setattr(WatchedConnection, "silent_seconds", 3.0)
    return replace(where, timeout_seconds=0.2)


@contextmanager
def stopped(storage: Storage) -> Iterator[None]:
    """Inside, what the server has of a connection stands still."""
    pid = storage._session._connection.info.backend_pid  # type: ignore[attr-defined]
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def test_a_server_that_hangs_is_given_up(
    open_save: OpenSave, hasty: MemoryPostgresStorage, save_name: str
) -> None:
    kept = Kept(open_save(save_name, hasty))
    kept.put(record_of("First."))
    with ExitStack() as standing:
        with (
            pytest.raises(StoreError, match="said nothing for 3 seconds") as caught,
            kept.storage.transaction(),
        ):
            kept.put(record_of("Second."))
            standing.enter_context(stopped(kept.storage))
            kept.storage.npcs.ids()
        assert "Check that the server runs" in caught.value.remedy
        assert [record.id for record in kept.all()] == ["First."]
    kept.storage.owners.release("elena")
    while True:
        try:
            kept.storage.owners.acquire("elena")
            break
        except StoreError:
            continue  # The server is about to end what it has of the old connection.
    kept.put(record_of("Second."))
    assert [record.id for record in kept.all()] == ["First.", "Second."]


def test_a_question_goes_to_another_connection(
    open_save: OpenSave, hasty: MemoryPostgresStorage, save_name: str
) -> None:
    kept = Kept(open_save(save_name, hasty))
    kept.put(record_of("First."))
    with stopped(kept.storage):
        assert [record.id for record in kept.all()] == ["First."]


def test_what_concerns_a_whole_save_may_take_long(
    open_save: OpenSave,
    hasty: MemoryPostgresStorage,
    save_name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    storage = open_save(save_name, hasty)
    Kept(storage).put(record_of("First."))
    monkeypatch.setattr(WatchedConnection, "silent_seconds", 0.2)
    opened = storage._session  # type: ignore[attr-defined]
    slow = "SELECT pg_sleep(1.5)"
    with opened.beside() as beside:
        beside.execute(slow, {})
    with storage.owners.alone("restore()"):
        opened.execute(slow, {})
    with opened.patience(), opened.transaction():
        opened.execute(slow, {})
    with pytest.raises(psycopg.OperationalError, match="said nothing"):
        opened.execute(slow, {})
    monkeypatch.setattr(WatchedConnection, "silent_seconds", 20.0)
    run(storage.snapshots.write_steps("a"))
    storage.snapshots.delete("a")


def test_not_every_call_waits_for_a_machine_that_is_gone(
    open_save: OpenSave, server: PostgresServer, save_name: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody, DroppingProxy(server.port) as proxy:
        storage = open_save(save_name, place_on(server, port=proxy.port, timeout_seconds=0.2))
        opened = storage._session  # type: ignore[attr-defined]
        port = nobody.getsockname()[1]
        opened.where = replace(opened.where, port=port)
        proxy.drop_all()
        for _ in range(5):
            with pytest.raises(StoreError, match="could not read") as caught:
                storage.npcs.ids()
            assert "Check that the server runs" in caught.value.remedy
        nobody.settimeout(0.0)
        tried = 0
        while True:
            try:
                nobody.accept()[0].close()
            except BlockingIOError:
                break
            tried += 1
        assert tried == 1
        opened.where, opened._again_at = replace(opened.where, port=proxy.port), 0.0
        assert storage.npcs.ids() == []


def test_a_save_that_was_deleted_while_the_connection_was_lost_is_told(
    open_save: OpenSave, where: MemoryPostgresStorage, server: PostgresServer, save_name: str
) -> None:
    with DroppingProxy(server.port) as proxy:
        kept = Kept(open_save(save_name, place_on(server, port=proxy.port, timeout_seconds=0.2)))
        kept.put(record_of("First."))
        proxy.refuses = True
        proxy.drop_all()
        deleted_when_free(where, save_name)
        proxy.refuses = False
        for call in (
            kept.all,
            lambda: kept.put(record_of("Second.")),
            lambda: kept.storage.owners.own("mira"),
        ):
            with pytest.raises(StoreError, match="is not there any more: somebody has deleted it"):
                call()
        with closing(open_save(save_name, where)) as anew:
            assert anew.npcs.ids() == []


def test_a_save_that_is_deleted_while_it_is_opened_is_told(
    open_save: OpenSave, where: MemoryPostgresStorage, save_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between finding its number and locking it."""
    open_save().close()

    def deleted_then_number(*arguments: Any) -> int:
        number = save_row.number_of(*arguments)
        deleted_when_free(where, save_name)
        return number

    monkeypatch.setattr(session, "number_of", deleted_then_number)
    with pytest.raises(SaveNotFoundError, match="is not there any more"):
        open_save()


def deleted_when_free(where: MemoryPostgresStorage, name: str) -> None:
    while True:
        try:
            where.saves().delete(name)
            return
        except SaveLockedError:
            continue
