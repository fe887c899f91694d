"""Statements that the stores run in methods of their own, because each does something else beside them."""

from __future__ import annotations

from rag_memory.memory.archived import WITHOUT_CONTENT

SET_REVISION = "UPDATE npcs SET revision = :revision WHERE $own AND npc = :npc"

HAS_ID = "SELECT 1 FROM $memories WHERE npc = :npc AND id = :id"
PUT_VECTOR = (
    "INSERT INTO vectors ($owner memory, model, embedding) SELECT $owner memory, :model, :embedding "
    "FROM memories WHERE $own AND memory = :memory ON CONFLICT ($save memory) "
    "DO UPDATE SET model = excluded.model, embedding = excluded.embedding"
)
VECTORS = "SELECT memory, embedding FROM $vectors WHERE model = :model AND memory $in(keys)"
NPCS_OF = "SELECT DISTINCT npc FROM $memories WHERE memory $in(keys)"
MODEL_NUMBER = "SELECT model FROM $embedding_models WHERE fingerprint = :fingerprint"

MARK_COUNT = "SELECT count(*) FROM $marks"
DELETE_LATER_MARKS = "DELETE FROM marks WHERE $own AND mark > :mark"

IS_WITHOUT_CONTENT = f"(archived_reason IN {WITHOUT_CONTENT} AND document_full = '')"
"""The condition of archived versions of which only times and weight are stored; see sql/archive.py."""
