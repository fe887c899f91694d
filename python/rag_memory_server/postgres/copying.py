"""Making one save of a server a copy of another: rows are copied by the server, and cross no network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rag_memory.storage.interaction_row import COLUMNS as INTERACTION
from rag_memory.storage.sql.archive import ARCHIVED
from rag_memory.storage.sql.documents import COLUMNS as DOCUMENT
from rag_memory.storage.sql.records import COLUMNS
from rag_memory_server.postgres.open_save import UNREAD, UNREAD_OF_INTERACTIONS, UNREAD_OF_MEMORIES
from rag_memory_server.postgres.session import Session

_OF_NPCS: Mapping[str, str] = {
    "memories": f"npc, terms, digest, {COLUMNS}, {UNREAD_OF_MEMORIES}",
    "vectors": "memory, npc, model, embedding",
    "archived_memories": f"npc, terms, digest, model, embedding, {ARCHIVED}, {UNREAD_OF_MEMORIES}",
    "interactions": f"npc, {', '.join(INTERACTION)}, {UNREAD_OF_INTERACTIONS}",
}
_OF_SAVE: Mapping[str, str] = {
    "embedding_models": "model, fingerprint, name, dimension",
    "npcs": "npc, npc_id, revision, write_order",
    "documents": f"{', '.join(DOCUMENT)}, {UNREAD}",
    "marks": "mark, timestamp, is_reachable, code",
    "exchange_writes": "write_order, exchange_id, npc_id, timestamp",
    "earlier_rows": "place, number, mark, content",
}
"""The columns of every table but the save's; what others refer to comes first."""
COLUMNS_OF: Mapping[str, str] = {**_OF_NPCS, **_OF_SAVE}
"""The columns of every table but the save's, without the number of the save."""


_SET_MARKED = (
    "UPDATE saves SET marked = original.marked FROM saves AS original "
    "WHERE saves.save = %(save)s AND original.save = %(source)s"
)


def copy_parts(session: Session, source: int, target: int) -> Iterator[tuple[int, int]]:
    """Copy everything of a save into another one that is empty; how many parts of how many are done, after
    each. Inside a transaction.
    """
    values = {"save": target, "source": source}
    npcs = session.execute("SELECT npc FROM npcs WHERE save = %(source)s ORDER BY npc", values).fetchall()
    for table, columns in _OF_SAVE.items():
        session.execute(_copy(table, columns), values)
    session.execute(_SET_MARKED, values)
    yield 1, len(npcs) + 1
    for done, (npc,) in enumerate(npcs, 2):
        for table, columns in _OF_NPCS.items():
            session.execute(f"{_copy(table, columns)} AND npc = %(npc)s", {**values, "npc": npc})
        yield done, len(npcs) + 1


def empty(session: Session, save: int) -> None:
    """Delete everything of a save but its row. Inside a transaction."""
    # Without a mark no trigger keeps what is deleted.
    session.execute("UPDATE saves SET marked = -1 WHERE save = %(save)s", {"save": save})
    for table in ("vectors", "memories", "archived_memories", "interactions", *reversed([*_OF_SAVE])):
        session.execute(f"DELETE FROM {table} WHERE save = %(save)s", {"save": save})


def _copy(table: str, columns: str) -> str:
    return (
        f"INSERT INTO {table} (save, {columns}) SELECT %(save)s, {columns} FROM {table} "
        "WHERE save = %(source)s"
    )
