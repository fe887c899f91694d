"""What an error of PostgreSQL means, and what can be done about it.

By the classes of https://www.postgresql.org/docs/current/errcodes-appendix.html: the first two characters of
a code.
"""

from __future__ import annotations

import psycopg

_LOCKS = "max_locks_per_transaction"
_LOCKS_REMEDY = f"Raise {_LOCKS} on the server and start it anew: each NPC in use is a lock"
_OTHER_REMEDY = "Do it again; if the error comes back, report it with these lines"
_OTHER_SAVE_REMEDY = (
    "Open the save that this role was made for: a role of build.py server init --shard sees no other one"
)
_AUTHENTICATION = ("authentication method requirement", "SASL authentication mechanisms")
_AUTHENTICATION_REMEDY = (
    "Check that it is your PostgreSQL that answers there, that its pg_hba.conf says scram-sha-256, and that "
    "the user has a password of that kind: no other way keeps the password from whoever answers"
)
_REMEDIES = {
    "08": "Check that the server runs and can be reached, and that it has the database and the user",
    "22": "Shorten the text, or leave out what no database can hold",
    "28": "Check the user, the password (password_file of PostgresConfig, or "
    "RAG_MEMORY_POSTGRES_PASSWORD), "
    "and what the server's pg_hba.conf allows",
    "3D": "Create the database, or correct its name",
    "3F": "Have an administrator create the schema, or use another one",
    "42": "Give the user its rights with build.py server init, which also brings the tables up to date",
    "53": "Free room on the server's disk, or allow it more memory or connections",
    "54": "Shorten the text: one memory cannot hold so much",
    "55": "Somebody else works on the same rows: do it again in a moment",
    "57": "The server was stopped or is starting: do it again in a moment",
    "58": "Look into the server's log: its disk or its system has failed",
    "XX": "Look into the server's log: its data may be damaged",
}


def cause(error: psycopg.Error) -> str:
    """PostgreSQL's message with its code, when it has one."""
    message = (error.diag.message_primary or str(error)).strip().partition("\n")[0]
    return f"{message} ({error.sqlstate})" if error.sqlstate else message or type(error).__name__


def remedy(error: psycopg.Error) -> str:
    """What to do next, as a sentence without its full stop."""
    if error.sqlstate is None and isinstance(error, psycopg.OperationalError):
        # What fails before there is a connection has no code.
        if any(words in str(error) for words in _AUTHENTICATION):
            return _AUTHENTICATION_REMEDY
        return _REMEDIES["28" if "password" in str(error) else "08"]
    if "row-level security" in (error.diag.message_primary or ""):
        return _OTHER_SAVE_REMEDY
    if _LOCKS in (error.diag.message_hint or ""):
        return _LOCKS_REMEDY
    return _REMEDIES.get((error.sqlstate or "")[:2], _OTHER_REMEDY)
