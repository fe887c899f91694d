"""Clauses of lists in the words of SQLite; see storage.sql.lists.Clauses."""

from __future__ import annotations

from typing import Any

from rag_memory.storage.filter import EQUALITY, FLAGS, LISTS, NUMBERS, TEXTS, Condition
from rag_memory.storage.listing import SEARCHED
from rag_memory.storage.sql.lists import Values
from rag_memory.text.terms import WORD, entry, terms
from rag_memory.validation import to_json

_LONGEST_PATTERN = 1_000
"""SQLite refuses patterns of more than 50,000 bytes. Words have fewer characters."""


class Clauses:
    """See storage.sql.lists.Clauses."""

    def condition(self, condition: Condition, values: Values) -> str:
        """See Clauses."""
        field, name, value = condition
        if field in LISTS:
            wanted = to_json([value] if isinstance(value, str) else list(value))
            among = f"(SELECT value FROM json_each({values.bind(wanted)}))"
            return f"EXISTS (SELECT 1 FROM json_each(memories.{field}) WHERE value IN {among})"
        if field not in TEXTS and field not in NUMBERS and field not in FLAGS:
            return _of_own_key(field, name, value, values)
        if name in ("in", "not_in"):
            negation = "NOT " if name == "not_in" else ""
            return f"{field} {negation}IN (SELECT value FROM json_each({values.bind(to_json(value))}))"
        return f"{field} {name} {values.bind(value)}"

    def words(self, npc: int, words: tuple[str, ...], values: Values) -> list[str]:
        """See Clauses."""
        match = " AND ".join(f'"{entry(npc, WORD, term)}"*' for word in words for term in terms(word))
        place = values.bind(match)
        return [f"memory IN (SELECT rowid FROM memories_fts WHERE memories_fts MATCH {place})"]

    def archived_word(self, word: str, values: Values) -> str:
        """See Clauses. The archive has no full-text index: it is small, and seldom searched."""
        escaped = word[:_LONGEST_PATTERN].replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        place = values.bind(f"%{escaped}%")
        return "(" + " OR ".join(f"{name} LIKE {place} ESCAPE '\\'" for name in SEARCHED) + ")"


def _of_own_key(field: str, name: str, value: Any, values: Values) -> str:
    """A condition on a key of the caller's own. A memory without the key meets only != and not_in."""
    entries = f"json_each(memories.extra) AS entry WHERE entry.key = {values.bind(field)}"
    if name == "contains":
        entries = entries.replace("AS entry", "AS entry, json_each(entry.value) AS item")
        equal = _equal("item", value, values)
        return f"EXISTS (SELECT 1 FROM {entries} AND entry.type = 'array' AND {equal})"
    if name in ("in", "not_in"):
        equal = " OR ".join(_equal("entry", item, values) for item in value) or "0"
        exists = f"EXISTS (SELECT 1 FROM {entries} AND ({equal}))"
        return f"NOT {exists}" if name == "not_in" else exists
    if name in EQUALITY:
        exists = f"EXISTS (SELECT 1 FROM {entries} AND {_equal('entry', value, values)})"
        return f"NOT {exists}" if name == "!=" else exists
    place = values.bind(value)
    return f"EXISTS (SELECT 1 FROM {entries} AND {_is_type('entry', value)} AND entry.value {name} {place})"


def _equal(entry: str, value: Any, values: Values) -> str:
    if value is None:
        return f"{entry}.type = 'null'"
    if isinstance(value, bool):
        return f"{entry}.type = '{'true' if value else 'false'}'"
    return f"({_is_type(entry, value)} AND {entry}.value = {values.bind(value)})"


def _is_type(entry: str, value: Any) -> str:
    types = "'text'" if isinstance(value, str) else "'integer', 'real'"
    return f"{entry}.type IN ({types})"
