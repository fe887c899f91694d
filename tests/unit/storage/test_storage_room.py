"""Each database is one backend: nothing outside its room knows it, except the registry of backends."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PYTHON = Path(__file__).resolve().parents[3] / "python"
CORE = PYTHON / "rag_memory"
_ROOMS = {"sqlite3": CORE / "storage" / "sqlite", "psycopg": PYTHON / "rag_memory_server" / "postgres"}
ROOMS = {client: room for client, room in _ROOMS.items() if room.is_dir()}
"""The rooms of databases by the name of their client; there may be no server part."""
SQL = re.compile(r"\b(SELECT .* FROM|INSERT (OR \w+ )?INTO|UPDATE \w+ SET|DELETE FROM|PRAGMA|json_each)\b")


def elsewhere(*rooms: Path) -> dict[str, str]:
    packages = (CORE, PYTHON / "rag_memory_server")
    files = [file for package in packages for file in package.rglob("*.py") if not {*rooms} & {*file.parents}]
    return {file.relative_to(PYTHON).as_posix(): file.read_text(encoding="utf-8") for file in files}


@pytest.mark.parametrize("client", ROOMS)
def test_a_client_stays_in_its_room(client: str) -> None:
    sources = elsewhere(ROOMS[client])
    imports = re.compile(rf"(?m)^\s*(import|from) {client}\b")
    assert len(sources) > 50
    assert [name for name, text in sources.items() if imports.search(text)] == []
    assert any(imports.search(file.read_text(encoding="utf-8")) for file in ROOMS[client].glob("*.py"))


def test_sql_stays_in_the_rooms_of_databases() -> None:
    rooms = [*ROOMS.values(), CORE / "storage" / "sql"]
    assert [name for name, text in elsewhere(*rooms).items() if SQL.search(text)] == []
    for room in ROOMS.values():
        assert any(SQL.search(file.read_text(encoding="utf-8")) for file in room.glob("*.py"))


def test_only_the_registry_names_a_backend() -> None:
    backends = re.compile(r"(rag_memory\.storage\.sqlite|rag_memory_server\.postgres)\b")
    rooms = [*ROOMS.values()]
    outside = {name for name, text in elsewhere(*rooms).items() if backends.search(text)}
    openers = {
        "sqlite": "rag_memory/storage/backends.py",
        "postgres": "rag_memory_server/postgres_storage.py",
    }
    assert outside == {openers[room.name] for room in rooms}
    for room in rooms:
        others = re.compile(
            rf"\b(rag_memory\.storage|rag_memory_server)\.(?!{room.name}\b)(sqlite|postgres)\b"
        )
        assert [file for file in room.glob("*.py") if others.search(file.read_text(encoding="utf-8"))] == []
