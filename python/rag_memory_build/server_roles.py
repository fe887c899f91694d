"""Prepares a PostgreSQL for game servers: pgvector, the tables, and roles with the least rights.

Policies of the tables restrict a role to one save. They are made with the role and name it, so they cost
other roles nothing, and migrations don't need the right to make roles. Run by `build.py server init`.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import psycopg
from psycopg import sql

from rag_memory.errors import RagMemoryError
from rag_memory.storage.file_name import check_file_name
from rag_memory_server.postgres.connecting import connected, reached
from rag_memory_server.postgres.postgres_failure import cause, remedy
from rag_memory_server.postgres.schema import SCHEMA_VERSION, enter_schema
from rag_memory_server.postgres_storage import MemoryPostgresStorage

from .console import SetupError
from .role_remains import close_to_all, end_connections, remove_large_objects, reset_settings
from .role_statements import RoleStatements

_MARK = "rag_memory init"
SHARD_CONNECTIONS = 20
"""Of a role for one save, unless more or fewer are wanted."""
_NO_LIMIT = -1
_RIGHTS = ("SELECT", "INSERT", "UPDATE", "DELETE")
_EVERYBODY = "all_saves"
"""The policy for roles that see all saves. Without it, a table with policies shows no rows."""
# Partitions are read through their table only, because they don't have its policies.
_TABLES = (
    "SELECT c.oid, c.relname, c.relrowsecurity FROM pg_class c "
    "WHERE c.relnamespace = %(schema)s::regnamespace "
    "AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND EXISTS (SELECT FROM pg_attribute a "
    "WHERE a.attrelid = c.oid AND a.attname = 'save' AND NOT a.attisdropped) ORDER BY c.relname"
)
_TOO_MUCH = (
    "SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls "
    "OR EXISTS (SELECT FROM pg_auth_members WHERE member = r.oid) "
    "OR EXISTS (SELECT FROM pg_class WHERE relowner = r.oid) "
    "OR EXISTS (SELECT FROM pg_namespace WHERE nspowner = r.oid) "
    "OR EXISTS (SELECT FROM pg_database WHERE datdba = r.oid) FROM pg_roles r WHERE rolname = %(role)s"
)
# The policy that restricts the role to a save.
_HELD_TO = (
    "SELECT pg_get_expr(polqual, polrelid) FROM pg_policy "
    "WHERE polrelid = to_regclass('saves') AND polname = %(role)s"
)
_OTHER_DATABASES = (
    "SELECT datname FROM pg_database WHERE datallowconn AND datname <> current_database() "
    "AND has_database_privilege(%(role)s, oid, 'CONNECT') ORDER BY datname LIMIT 20"
)
# What may be changed in the table of saves, what may be given to a new row, and whether a right is missing.
_OF_SAVES = (
    "SELECT string_agg(quote_ident(attname), ', ') FILTER (WHERE attname NOT IN ('name', 'slot')), "
    "string_agg(quote_ident(attname), ', '), bool_or(NOT has_column_privilege(%(role)s, attrelid, attnum, "
    "'INSERT') OR attname NOT IN ('name', 'slot') AND "
    "NOT has_column_privilege(%(role)s, attrelid, attnum, 'UPDATE')) "
    "OR NOT has_table_privilege(%(role)s, 'saves', 'SELECT') "
    "OR NOT has_table_privilege(%(role)s, 'saves', 'DELETE') FROM pg_attribute "
    "WHERE attrelid = to_regclass('saves') AND attnum > 0 AND NOT attisdropped AND attname <> 'save'"
)

# The array is computed once per statement, not per row. coalesce() hides it from the planner, which would
# choose the wrong index for a table without statistics.
_OF_SHARD = (
    "coalesce(save = ANY ((SELECT array_agg(own.save) FROM {schema}.saves own "
    "WHERE own.name = {shard})::bigint[]), false)"
)


@dataclass(frozen=True)
class Wanted:
    """The role to make, and the place of its tables."""

    place: MemoryPostgresStorage
    """With the user that makes the tables and the role."""
    role: str
    shard: str | None
    """The save that it may see, with its snapshots; None for all saves."""
    connections: int | None
    new_password_file: Path

    @classmethod
    def of(cls, values: dict[str, Any]) -> Self:
        place = MemoryPostgresStorage(**values["place"])
        return cls(**{**values, "place": place, "new_password_file": Path(values["new_password_file"])})

    @property
    def as_role(self) -> MemoryPostgresStorage:
        """The place of the saves, with the role as user."""
        own = {"user": self.role, "password_file": str(self.new_password_file)}
        return MemoryPostgresStorage(**{**vars(self.place), **own})


def make(wanted: Wanted) -> list[str]:
    """Make everything that is missing; return a line per step.

    Raises:
        SetupError: the role has too many rights, or sees other saves.
        RagMemoryError: the tables are of another version.
        psycopg.Error: the server is unreachable, or refuses a statement.
    """
    if wanted.shard is not None:
        check_file_name(wanted.shard, "the name of a save", "shard_1", is_new=True)
    with reached(wanted.place, _MARK) as connection:
        maker = _Maker(connection, wanted)
        maker.make_extension()
        maker.make_tables()
        with connection.transaction():
            # Only one process at a time, as in enter_schema().
            connection.execute(
                "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))",
                (f"rag_memory {wanted.place.schema}",),
            )
            maker.make_role()
            maker.take_back()
            maker.grant()
            maker.hold_to_shard()
            maker.limit_connections()
        maker.make_password()
        maker.look_into_other_databases()
    return maker.lines


class _Maker:
    """The steps in their order. Every step appends to `lines`."""

    def __init__(self, connection: psycopg.Connection[tuple[Any, ...]], wanted: Wanted) -> None:
        values = {"role": wanted.role, "schema": wanted.place.schema, "shard": wanted.shard}
        self._to = RoleStatements(connection, values)
        self._wanted = wanted
        self._is_new = False

    @property
    def lines(self) -> list[str]:
        return self._to.lines

    def make_extension(self) -> None:
        if self._to.ask("SELECT extversion FROM pg_extension WHERE extname = 'vector'"):
            return self._to.note("pgvector: present")
        try:
            self._to.run("CREATE EXTENSION vector")
        except (psycopg.errors.InsufficientPrivilege, psycopg.errors.FeatureNotSupported) as error:
            raise SetupError(
                "pgvector cannot be added to the database",
                cause(error),
                "install it on the server (Debian: postgresql-18-pgvector), and have its administrator run "
                "CREATE EXTENSION vector in this database; then run this again",
            ) from error
        self._to.note("pgvector: added to the database")

    def make_tables(self) -> None:
        where = f"schema {self._wanted.place.schema}"
        question = "SELECT to_regclass(%(schema)s || '.schema_version') IS NOT NULL"
        was_there = self._to.ask(question) == [(True,)]
        enter_schema(self._to.connection, self._wanted.place.schema)
        self._to.note(f"{where}: tables {'present' if was_there else 'made'}, version {SCHEMA_VERSION}")

    def make_role(self) -> None:
        answer = self._to.ask(_TOO_MUCH)
        self._is_new = not answer
        if self._is_new:
            self._to.run("CREATE ROLE {role} LOGIN")
            return self._to.note(f"role {self._wanted.role}: made")
        if answer == [(True,)]:
            raise SetupError(
                f"The role {self._wanted.role} cannot be used for game servers",
                "it is an administrator, owns objects, or is a member of another role",
                "name another one with --role; a new role is made",
            )
        self._to.note(f"role {self._wanted.role}: present")

    def take_back(self) -> None:
        """Revoke rights that the role was given by hand, and those that PostgreSQL gives to PUBLIC; reset its
        settings.
        """
        more = self._to.ask(
            "SELECT DISTINCT c.relname FROM pg_class c, aclexplode(c.relacl) a "
            "WHERE c.relnamespace = %(schema)s::regnamespace AND a.grantee = %(role)s::regrole "
            "AND (c.relispartition OR a.privilege_type <> ALL(CASE WHEN c.relkind = 'S' THEN '{USAGE}' "
            "WHEN c.relname = 'schema_version' THEN '{SELECT}' "
            "WHEN c.relname = 'saves' THEN '{SELECT,DELETE}' ELSE %(rights)s::text[] END)) ORDER BY 1",
            rights=list(_RIGHTS),
        )
        for (table,) in more:
            self._to.run("REVOKE ALL ON {schema}.{table} FROM {role}", table=str(table))
        if more:
            self._to.note(f"revoked: unneeded rights on {len(more)} tables")
        close_to_all(self._to)
        reset_settings(self._to)

    def grant(self) -> None:
        granted = 0
        if self._to.ask("SELECT has_database_privilege(%(role)s, current_database(), 'CONNECT')") == [
            (False,)
        ]:
            (database,) = self._to.ask("SELECT current_database()")[0]
            self._to.run("GRANT CONNECT ON DATABASE {database} TO {role}", database=str(database))
        needed = self._to.ask(
            "SELECT nspname FROM pg_namespace WHERE NOT has_schema_privilege(%(role)s, oid, 'USAGE') "
            "AND (nspname = %(schema)s OR oid IN (SELECT extnamespace FROM pg_extension "
            "WHERE extname = 'vector'))"
        )
        for (schema,) in needed:
            self._to.run("GRANT USAGE ON SCHEMA {other} TO {role}", other=str(schema))
        granted += self._grant_saves()
        for oid, table, _ in self._tables():
            if table != "saves" and not self._may(oid, *_RIGHTS):
                self._to.run(
                    "GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.{table} TO {role}", table=table
                )
                granted += 1
        version = self._to.ask("SELECT 'schema_version'::regclass::oid")[0][0]
        if not self._may(version, "SELECT"):
            self._to.run("GRANT SELECT ON {schema}.schema_version TO {role}")
            granted += 1
        sequences = self._to.ask(
            "SELECT relname FROM pg_class WHERE relnamespace = %(schema)s::regnamespace "
            "AND CASE relkind WHEN 'S' THEN NOT has_sequence_privilege(%(role)s, oid, 'USAGE') ELSE false END"
        )
        if sequences:
            self._to.run("GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role}")
        if granted or needed or sequences:
            self._to.note(f"granted: reading and writing, on {granted} tables")

    def _grant_saves(self) -> int:
        """All but the numbers of saves and their names: a role that chooses numbers takes those that others'
        saves would get. Return 1 unless it was granted before.
        """
        (columns, new, missing) = self._to.ask(_OF_SAVES)[0]
        if not missing:
            return 0
        self._to.run(
            "GRANT SELECT, DELETE, INSERT ({new}), UPDATE ({columns}) ON {schema}.saves TO {role}",
            new=sql.SQL(new),
            columns=sql.SQL(columns),
        )
        return 1

    def hold_to_shard(self) -> None:
        """Restrict the role to the rows of one save and its snapshots, if one is named."""
        held = self._to.ask(_HELD_TO)
        # As PostgreSQL prints the condition.
        wanted = self._to.ask("SELECT format('(name = %%L::text)', %(shard)s::text)")[0][0]
        if self._wanted.shard is None and not held:
            return self._to.note("it sees all saves of the schema")
        if held and held[0][0] != wanted:
            raise SetupError(
                f"The role {self._wanted.role} sees another save",
                f"it is restricted to {held[0][0]}",
                "name another role with --role, or run DROP OWNED BY and DROP ROLE for this one first",
            )
        made = 0
        for _, table, has_policies in self._tables():
            if not has_policies:
                self._to.run("ALTER TABLE {schema}.{table} ENABLE ROW LEVEL SECURITY", table=table)
            made += self._make_policy(table, _EVERYBODY, "TO PUBLIC USING (true)")
            rule = "name = {shard}" if table == "saves" else _OF_SHARD
            made += self._make_policy(table, self._wanted.role, f"AS RESTRICTIVE TO {{role}} USING ({rule})")
        if made:
            self._to.note(f"policies: {made} made")
        self._to.note(f"it sees only the save {self._wanted.shard} and its snapshots")

    def limit_connections(self) -> None:
        """As wanted; a role for one save has a limit, so that it cannot use up what the server allows."""
        (before,) = self._to.ask("SELECT rolconnlimit FROM pg_roles WHERE rolname = %(role)s")[0]
        limit = self._wanted.connections
        if limit is None and self._wanted.shard is not None and before == _NO_LIMIT:
            limit = SHARD_CONNECTIONS
        if limit in (None, before):
            return
        self._to.run("ALTER ROLE {role} CONNECTION LIMIT {limit}", limit=limit)
        self._to.note(f"it may have {limit} connections at once")

    def make_password(self) -> None:
        """Set the role's password from its file. Only the hash is sent to the server."""
        file = self._wanted.new_password_file
        password = _password_in(file)
        if self._is_new or not self._can_log_in():
            encrypted = self._to.connection.pgconn.encrypt_password(
                password.encode(), self._wanted.role.encode(), b"scram-sha-256"
            )
            self._to.run("ALTER ROLE {role} PASSWORD {password}", password=encrypted.decode())
            self._to.note(f"its password: made, in {file} (mode 600)")
            end_connections(self._to)
        else:
            self._to.note(f"its password: present, in {file} (mode 600)")
        # Fails here rather than in the first game server.
        connected(self._wanted.as_role, _MARK).close()
        # After them: the role makes no new ones.
        remove_large_objects(self._to)

    def look_into_other_databases(self) -> None:
        """Tell which the role can enter, and keep data in: what this one takes from everybody is there."""
        entered = [name for (name,) in self._to.ask(_OTHER_DATABASES) if self._can_log_in(str(name))]
        if entered:
            self._to.note(
                f"NOT closed to it: the databases {', '.join(entered)} (let pg_hba.conf keep it out of them)"
            )

    def _can_log_in(self, database: str | None = None) -> bool:
        place = self._wanted.as_role
        try:
            reached(replace(place, database=database or place.database), _MARK).close()
        except psycopg.OperationalError:
            return False
        return True

    def _make_policy(self, table: str, name: str, rule: str) -> int:
        """Make a policy unless it exists; return the number made."""
        if self._to.ask(
            "SELECT 1 FROM pg_policy WHERE polname = %(policy)s AND polrelid = to_regclass(%(table)s)",
            policy=name,
            table=table,
        ):
            return 0
        self._to.run(f"CREATE POLICY {{policy}} ON {{schema}}.{{table}} {rule}", policy=name, table=table)
        return 1

    def _tables(self) -> Sequence[tuple[Any, ...]]:
        """The ID and the name of every table with rows of saves, and True if it has policies."""
        return self._to.ask(_TABLES)

    def _may(self, table: int, *rights: str) -> bool:
        return self._to.ask(
            "SELECT bool_and(has_table_privilege(%(role)s, %(table)s::oid, wanted)) "
            "FROM unnest(%(rights)s::text[]) AS wanted",
            table=table,
            rights=list(rights),
        ) == [(True,)]


def _password_in(file: Path) -> str:
    """Read the password from a file. A missing file is made, readable by its owner only."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as made:
                made.write(f"{secrets.token_urlsafe(24)}\n")
        file.chmod(0o600)
        password = file.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise SetupError(
            "The password of the role cannot be stored",
            str(error),
            "name another file with --new-password-file",
        ) from error
    if not password:
        raise SetupError(
            f"There is no password in {file}", "the file is empty", "remove it, then run this again"
        )
    return password


def main(words: Sequence[str]) -> int:
    try:
        wanted = Wanted.of(json.loads(words[0]))
        print(f"PostgreSQL {wanted.place}, as {wanted.place.user}")
        print("\n".join(f"  {line}" for line in make(wanted)))
        return 0
    except SetupError as error:
        shown = error
    except RagMemoryError as error:
        shown = SetupError(error.what, error.why, error.remedy)
    except psycopg.Error as error:
        shown = SetupError("Setting up the database failed", cause(error), remedy(error))
    print(shown, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
