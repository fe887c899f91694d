"""What an error of SQLite means: is the file broken, is it in use, and what can be done about it?

By the result codes of https://sqlite.org/rescode.html; an extended code has its primary one in the low byte.
"""

from __future__ import annotations

import sqlite3

UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What looking at a damaged file raises: SQLite's own message may quote a name that is no text."""
_DAMAGE_CODES = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_LOCK_CODES = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
_FREE_MEMORY = "Close other programs, or open the save with a smaller vector_cache_mib"
_OTHER_REMEDY = "Close the save and open it again; if the error comes back, report it with these lines"
_REMEDIES = {
    sqlite3.SQLITE_FULL: "Free room on the disk the save lies on, then do it again",
    sqlite3.SQLITE_READONLY: (
        "Check that the save's file and folder may be written to, and that the file was not moved or "
        "replaced while it was open"
    ),
    sqlite3.SQLITE_PERM: "Check that the save's file and folder may be read and written to",
    sqlite3.SQLITE_CANTOPEN: (
        "Check that the save's folder exists and may be written to, that nothing else in it has the name of "
        "the save, and that the game does not hold too many files open"
    ),
    sqlite3.SQLITE_IOERR: (
        "The disk refused, not the save: check the drive, its connection and limits on the size of files, "
        "then open the save again"
    ),
    sqlite3.SQLITE_NOMEM: _FREE_MEMORY,
    sqlite3.SQLITE_IOERR_NOMEM: _FREE_MEMORY,
    sqlite3.SQLITE_TOOBIG: "Shorten the text: one memory cannot hold so much",
}
_TEMPORARY_ROOM = (
    "Free room in the folder of temporary files (/var/tmp or /tmp, or the one that TMPDIR names; on Windows "
    "the one that TMP names) and see that it may be written to, then do it again"
)
_TEMPORARY_REMEDIES = dict.fromkeys(
    (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR),
    _TEMPORARY_ROOM,
)


def is_damage(error: Exception) -> bool:
    """Whether SQLite found the file itself to be broken."""
    return _primary(error) in _DAMAGE_CODES


def damage(problem: str) -> sqlite3.DatabaseError:
    """The error of a file that is found to be broken."""
    error = sqlite3.DatabaseError(problem)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def is_nonsense(error: sqlite3.Error) -> bool:
    """Whether statements that are right for every save are not for this one."""
    return isinstance(error, sqlite3.OperationalError) and _primary(error) in (0, sqlite3.SQLITE_ERROR)


def tells_damage(error: sqlite3.Error) -> bool:
    """Whether an operation has failed because of what is in the file: it is broken, a text or a list in it
    is none, the keyword index contradicts itself, or a row refers to one that is gone.
    """
    return (
        is_damage(error)
        or str(error).startswith("Could not decode")
        or str(error) in ("constraint failed", "malformed JSON")
        or _code(error) == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY
    )


def is_lock(error: Exception) -> bool:
    """Whether somebody else has the file in use."""
    return _primary(error) in _LOCK_CODES


def cause(error: sqlite3.Error) -> str:
    """SQLite's message with the name of its code, when it has one."""
    name = getattr(error, "sqlite_errorname", "")
    return f"{error} ({name})" if name else str(error)


def remedy(error: sqlite3.Error, is_temporary: bool = False) -> str:
    """What to do next, as a sentence without its full stop; a temporary file lies elsewhere than the save."""
    if tells_damage(error):
        return (
            "Close the save and open it again: it is then made anew from everything that can be read, and "
            "the damaged file is kept aside"
        )
    if is_lock(error):
        return (
            "Close the save in the other program that uses it, a database browser perhaps, then do it again"
        )
    if isinstance(error, sqlite3.ProgrammingError):
        return "Use the save from the thread that opened it, and only until it is closed"
    remedies = {**_REMEDIES, **_TEMPORARY_REMEDIES} if is_temporary else _REMEDIES
    return remedies.get(_code(error)) or remedies.get(_primary(error), _OTHER_REMEDY)


def _code(error: Exception) -> int:
    return int(getattr(error, "sqlite_errorcode", 0))


def _primary(error: Exception) -> int:
    return _code(error) & 0xFF
