"""Takes back what a role for game servers may do beside its saves, and what it has done there.

Whoever has the password of a role may change its settings and its password, and PostgreSQL gives everybody
rights that let a role keep data outside its saves.
"""

from __future__ import annotations

import psycopg
from psycopg import sql

from .role_statements import RoleStatements

_AT_ONCE = 1000
"""Large objects that are removed in one transaction: each is a lock."""
# Rights that PostgreSQL may give to PUBLIC: query for the places, statement to revoke, and description.
_OPEN_TO_ALL = (
    (
        "SELECT quote_ident(current_database()) "
        "WHERE has_database_privilege(%(role)s, current_database(), 'TEMP')",
        "REVOKE TEMPORARY ON DATABASE {place} FROM PUBLIC, {role}",
        "making temporary tables in the database",
    ),
    (
        "SELECT quote_ident(nspname) FROM pg_namespace WHERE has_schema_privilege(%(role)s, oid, 'CREATE')",
        "REVOKE CREATE ON SCHEMA {place} FROM PUBLIC, {role}",
        "making tables in the schema",
    ),
    (
        "SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace "
        "AND has_function_privilege(%(role)s, oid, 'EXECUTE') AND proname IN ('lo_create', 'lo_creat', "
        "'lo_from_bytea', 'lo_import', 'lo_put', 'lowrite', 'lo_truncate', 'lo_truncate64', "
        "'pg_logical_emit_message') ORDER BY 1",
        "REVOKE EXECUTE ON FUNCTION {place} FROM PUBLIC, {role}",
        "writing outside tables with",
    ),
)
_SETTINGS = (
    "SELECT datname FROM pg_db_role_setting LEFT JOIN pg_database ON pg_database.oid = setdatabase "
    "WHERE setrole = %(role)s::regrole"
)
_LARGE_OBJECTS = "SELECT oid FROM pg_largeobject_metadata WHERE lomowner = %(role)s::regrole"
_UNLINK = f"SELECT lo_unlink(oid) FROM ({_LARGE_OBJECTS} LIMIT %(most)s) AS batch"
_END = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE usename = %(role)s AND pid <> pg_backend_pid()"
)


def close_to_all(to: RoleStatements) -> None:
    """Revoke what PostgreSQL gives to everybody, and is not needed to play."""
    for question, statement, what in _OPEN_TO_ALL:
        places = [str(place) for (place,) in to.ask(question)]
        for place in places:
            to.run(statement, place=sql.SQL(place))
        # If another role owns the place, the server only warns.
        left = {str(place) for (place,) in to.ask(question)} if places else set()
        for done, those in (
            ("revoked", [place for place in places if place not in left]),
            ("NOT revoked (its owner has to do it)", [place for place in places if place in left]),
        ):
            if those:
                to.note(f"{done} for everybody but the owner: {what} {', '.join(those)}")


def reset_settings(to: RoleStatements) -> None:
    """Undo every ALTER ROLE ... SET, of which a role may make most for itself."""
    databases = to.ask(_SETTINGS)
    for (database,) in databases:
        if database is None:
            to.run("ALTER ROLE {role} RESET ALL")
        else:
            to.run("ALTER ROLE {role} IN DATABASE {database} RESET ALL", database=str(database))
    if databases:
        to.note("reset: the settings of the role")


def remove_large_objects(to: RoleStatements) -> None:
    """Remove the large objects of the role, which are never RAG Memory's."""
    (count,) = to.ask(f"SELECT count(*) FROM ({_LARGE_OBJECTS}) AS own")[0]
    try:
        for _ in range(0, count, _AT_ONCE):
            to.ask(_UNLINK, most=_AT_ONCE)
    except psycopg.errors.InsufficientPrivilege:
        to.note(f"NOT removed (an administrator has to do it): {count} large objects of the role")
    else:
        if count:
            to.note(f"removed: {count} large objects of the role")


def end_connections(to: RoleStatements) -> None:
    """End what is connected as the role: it may have come with another password."""
    try:
        ended = len(to.ask(_END))
    except psycopg.errors.InsufficientPrivilege:
        to.note("NOT ended (an administrator has to do it): connections of the role")
    else:
        if ended:
            to.note(f"ended: {ended} connections of the role")
