"""The conditions of a filter as SQL; every value is bound."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rag_memory.storage.filter import EQUALITY, FLAGS, LISTS, NUMBERS, TEXTS, Condition, meets
from rag_memory.validation import to_json


class Conditions:
    """Clauses on the table `memories`, all of which have to hold, and the values to bind."""

    def __init__(self) -> None:
        self.clauses: list[str] = []
        self.values: dict[str, Any] = {}

    def add_all(self, conditions: Iterable[Condition], npc_id: str) -> None:
        """Conditions on any field; the NPC is known."""
        for condition in conditions:
            if condition.field == "npc_id":
                self.clauses.append("true" if meets(condition, npc_id) else "false")
            else:
                self.add(condition)

    def add(self, condition: Condition) -> None:
        """A condition on any field but npc_id."""
        field, name, value = condition
        if field in LISTS:
            self.clauses.append(f"memories.{field}::jsonb ? {self.bind(value)}")
        elif name in ("in", "not_in") and (field in TEXTS or field in NUMBERS):
            kind = "text[]" if field in TEXTS else "double precision[]"
            values = list(value) if field in TEXTS else [float(each) for each in value]
            negation = "NOT " if name == "not_in" else ""
            self.clauses.append(f"{negation}memories.{field} = ANY({self.bind(values)}::{kind})")
        elif field in TEXTS or field in NUMBERS or field in FLAGS:
            value = int(value) if field in FLAGS else value
            self.clauses.append(f"memories.{field} {name} {self.bind(value)}")
        else:
            self.clauses.append(self._of_own_key(field, name, value))

    def bind(self, value: Any) -> str:
        """The place of a value in a statement."""
        name = f"value_{len(self.values)}"
        self.values[name] = value
        return f"%({name})s"

    def _of_own_key(self, field: str, name: str, wanted: Any) -> str:
        """A condition on a key of the caller's own. A memory without the key meets only != and not_in."""
        value = f"(memories.extra::jsonb -> {self.bind(field)}::text)"
        kind = f"jsonb_typeof({value})"
        # JSON compares as the filter does: by type, and numbers by what they are worth.
        if name == "contains":
            return f"coalesce({kind} = 'array' AND {value} @> {self._json(wanted)}, false)"
        if name in ("in", "not_in"):
            among = f"{kind} NOT IN ('array', 'object') AND {self._json(list(wanted))} @> {value}"
            return f"{'NOT ' if name == 'not_in' else ''}coalesce({among}, false)"
        if name in EQUALITY:
            return f"{'NOT ' if name == '!=' else ''}coalesce({value} = {self._json(wanted)}, false)"
        if isinstance(wanted, str):
            text = f"(({value} #>> '{{}}') COLLATE \"C\")"
            return f"coalesce({kind} = 'string' AND {text} {name} {self.bind(wanted)}, false)"
        number = f"(CASE WHEN {kind} = 'number' THEN ({value} #>> '{{}}')::numeric END)"
        return f"coalesce({number} {name} {self.bind(to_json(wanted))}::numeric, false)"

    def _json(self, value: Any) -> str:
        return f"{self.bind(to_json(value))}::jsonb"
