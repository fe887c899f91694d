"""Clauses of lists in the words of PostgreSQL; see storage.sql.lists.Clauses."""

from __future__ import annotations

from typing import Any

from rag_memory.storage.filter import EQUALITY, FLAGS, LISTS, NUMBERS, TEXTS, Condition
from rag_memory.storage.listing import SEARCHED
from rag_memory.storage.sql.lists import Values
from rag_memory.text.terms import WORD, terms
from rag_memory.validation import to_json

_LOWER = str.maketrans({code: code + 32 for code in range(ord("A"), ord("Z") + 1)})


class Clauses:
    """See storage.sql.lists.Clauses."""

    def condition(self, condition: Condition, values: Values) -> str:
        field, name, value = condition
        if field in LISTS:
            wanted = [value] if isinstance(value, str) else list(value)
            return f"memories.{field}::jsonb ?| {values.bind(wanted)}::text[]"
        if name in ("in", "not_in") and (field in TEXTS or field in NUMBERS):
            kind = "text[]" if field in TEXTS else "double precision[]"
            wanted = list(value) if field in TEXTS else [float(number) for number in value]
            negation = "NOT " if name == "not_in" else ""
            return f"{negation}memories.{field} = ANY({values.bind(wanted)}::{kind})"
        if field in TEXTS or field in NUMBERS or field in FLAGS:
            value = int(value) if field in FLAGS else value
            return f"memories.{field} {name} {values.bind(value)}"
        return _of_own_key(field, name, value, values)

    def words(self, npc: int, words: tuple[str, ...], values: Values) -> list[str]:
        places = [values.bind(WORD + term) for word in words for term in terms(word)]
        return [
            f"EXISTS (SELECT 1 FROM unnest(terms) AS term WHERE starts_with(term, {place}))"
            for place in places
        ]

    def archived_word(self, word: str, values: Values) -> str:
        # Lower case of ASCII only, as the columns' collation has it.
        place = values.bind(word.translate(_LOWER))
        return f"({' OR '.join(f'strpos(lower({name}), {place}) > 0' for name in SEARCHED)})"


def _of_own_key(field: str, name: str, wanted: Any, values: Values) -> str:
    """A condition on a key of the caller's own. A memory without the key meets only != and not_in."""
    value = f"(memories.extra::jsonb -> {values.bind(field)}::text)"
    kind = f"jsonb_typeof({value})"
    # JSON compares as the filter does: by type, and numbers by what they are worth.
    if name == "contains":
        return f"coalesce({kind} = 'array' AND {value} @> {_json(wanted, values)}, false)"
    if name in ("in", "not_in"):
        among = f"{kind} NOT IN ('array', 'object') AND {_json(list(wanted), values)} @> {value}"
        return f"{'NOT ' if name == 'not_in' else ''}coalesce({among}, false)"
    if name in EQUALITY:
        return f"{'NOT ' if name == '!=' else ''}coalesce({value} = {_json(wanted, values)}, false)"
    if isinstance(wanted, str):
        text = f"(({value} #>> '{{}}') COLLATE \"C\")"
        return f"coalesce({kind} = 'string' AND {text} {name} {values.bind(wanted)}, false)"
    number = f"(CASE WHEN {kind} = 'number' THEN ({value} #>> '{{}}')::numeric END)"
    return f"coalesce({number} {name} {values.bind(to_json(wanted))}::numeric, false)"


def _json(value: Any, values: Values) -> str:
    return f"{values.bind(to_json(value))}::jsonb"
