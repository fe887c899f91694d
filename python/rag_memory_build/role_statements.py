"""Statements about a role for game servers, with a line for each step that changes something."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg import sql

_TEXTS = ("password", "limit", "shard")


class RoleStatements:
    """A connection of the administrator, and what is known of the role."""

    def __init__(
        self, connection: psycopg.Connection[tuple[Any, ...]], values: Mapping[str, str | None]
    ) -> None:
        """`values`: the role, its schema and its shard, by these names."""
        self.lines: list[str] = []
        self.connection = connection
        self._values = values

    def note(self, line: str) -> None:
        """Tell of a step."""
        self.lines.append(line)

    def ask(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        """The rows of a question."""
        return self.connection.execute(statement.encode(), {**self._values, **values}).fetchall()

    def run(self, statement: str, **names: str | int | sql.Composable) -> None:
        """Run a statement of data definition. Those take no parameters, so values are quoted."""
        parts = {
            name: self._quoted(name, value)
            for name, value in {**self._values, **names}.items()
            if value is not None
        }
        self.connection.execute(sql.SQL(statement).format(**parts))

    def _quoted(self, name: str, value: str | int | sql.Composable) -> sql.Composable:
        if isinstance(value, sql.Composable):
            return value
        return sql.Literal(value) if name in _TEXTS else sql.Identifier(str(value))
