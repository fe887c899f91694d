"""Statements that the stores run in methods of their own, because each does something else beside them."""

from __future__ import annotations

from rag_memory.memory.archived import REPEATED

NPC_NUMBER = "SELECT npc FROM $npcs WHERE npc_id = :npc_id"
NPC_IDS = "SELECT npc_id FROM $npcs ORDER BY npc_id"
REVISION = "SELECT revision FROM $npcs WHERE npc = :npc"
SET_REVISION = "UPDATE npcs SET revision = :revision WHERE $own AND npc = :npc"

SUPERSEDE = "UPDATE memories SET superseded_by = :by, superseded_at = :at WHERE $own AND memory $in(keys)"
SUPERSEDE_ID = (
    "UPDATE memories SET superseded_by = :by, superseded_at = :at WHERE $own AND npc = :npc AND id = :id"
)
UNSUPERSEDE = (
    "UPDATE memories SET superseded_by = '', superseded_at = 0 WHERE $own AND npc = :npc "
    "AND superseded_by = :by AND superseded_by <> ''"
)
SUPERSEDED = (
    "SELECT id, superseded_at FROM $memories WHERE npc = :npc AND superseded_by = :id "
    "AND superseded_by <> '' ORDER BY memory"
)
DELETE = "DELETE FROM memories WHERE $own AND memory = :memory"
DELETE_ID = "DELETE FROM memories WHERE $own AND npc = :npc AND id = :id"
DELETE_ALL = "DELETE FROM memories WHERE $own AND npc = :npc"
HAS_ID = "SELECT 1 FROM $memories WHERE npc = :npc AND id = :id"
FORGET_ARCHIVED = "DELETE FROM archived_memories WHERE $own AND npc = :npc"
FORGET_ARCHIVED_ID = f"{FORGET_ARCHIVED} AND id = :id"

MODEL_NUMBER = "SELECT model FROM $embedding_models WHERE fingerprint = :fingerprint"
MODELS = "SELECT fingerprint, model FROM $embedding_models"

MARK = "SELECT mark, code, timestamp FROM $marks WHERE is_reachable AND code = :code"
MARKS_AT = (
    "SELECT mark, code, timestamp FROM $marks WHERE is_reachable AND timestamp = :timestamp ORDER BY mark"
)
MARK_COUNT = "SELECT count(*) FROM $marks"
DELETE_LATER_MARKS = "DELETE FROM marks WHERE $own AND mark > :mark"
WRITES_AT = (
    "SELECT count(*) FROM (SELECT write_order FROM $memories WHERE stored_at = :timestamp "
    "UNION SELECT write_order FROM $archived_memories WHERE archived_at = :timestamp "
    "UNION SELECT write_order FROM $interactions WHERE stored_at = :timestamp "
    "UNION SELECT write_order FROM $documents WHERE stored_at = :timestamp) AS writes"
)

IS_WITHOUT_CONTENT = f"(archived_reason = '{REPEATED}' AND document_full = '')"
"""The condition of archived versions of which only times and weight are stored; see sqlite/archive.py."""
