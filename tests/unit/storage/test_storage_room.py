"""SQLite is one backend: nothing outside its room knows it, except the registry of backends."""

from __future__ import annotations

import re
from pathlib import Path

CORE = Path(__file__).resolve().parents[3] / "python" / "rag_memory"
ROOM = CORE / "storage" / "sqlite"
SQL = re.compile(r"\b(SELECT .* FROM|INSERT (OR \w+ )?INTO|UPDATE \w+ SET|DELETE FROM|PRAGMA|json_each)\b")


def elsewhere() -> dict[str, str]:
    files = [file for file in CORE.rglob("*.py") if ROOM not in file.parents]
    return {file.relative_to(CORE).as_posix(): file.read_text(encoding="utf-8") for file in files}


def test_sqlite_and_sql_stay_in_their_room() -> None:
    sources = elsewhere()
    assert len(sources) > 50
    assert [name for name, text in sources.items() if re.search(r"(?m)^\s*(import|from) sqlite3", text)] == []
    assert [name for name, text in sources.items() if SQL.search(text)] == []
    assert any(SQL.search(file.read_text(encoding="utf-8")) for file in ROOM.glob("*.py"))


def test_only_the_registry_names_a_backend() -> None:
    backends = re.compile(r"rag_memory\.storage\.(sqlite|in_memory)\b")
    outside = {name for name, text in elsewhere().items() if backends.search(text)}
    assert {name for name in outside if not name.startswith("storage/in_memory/")} == {"storage/backends.py"}
