"""Godot's codes for the errors of the core."""

from __future__ import annotations

from rag_memory import errors
from rag_memory.godot.declare import FAILED

_CODES: list[tuple[type[Exception], int]] = [
    (errors.SaveNotFoundError, 7),  # ERR_FILE_NOT_FOUND
    (errors.SaveExistsError, 32),  # ERR_ALREADY_EXISTS
    (errors.SaveLockedError, 11),  # ERR_FILE_ALREADY_IN_USE
    (errors.SaveUnreachableError, 25),  # ERR_CANT_CONNECT
    (errors.SaveDamagedError, 16),  # ERR_FILE_CORRUPT
    (errors.SaveTooNewError, 15),  # ERR_FILE_UNRECOGNIZED
    (errors.SaveTooOldError, 15),
    (errors.NotASaveError, 15),
    (errors.InvalidArgumentError, 31),  # ERR_INVALID_PARAMETER
    (PermissionError, 10),  # ERR_FILE_NO_PERMISSION
    (errors.NpcLockedError, 23),  # ERR_LOCKED
    (errors.StoreError, 13),  # ERR_FILE_CANT_WRITE
]


def error_code(error: Exception) -> int:
    """Return the constant of Godot's enum Error for an error; FAILED when none fits."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), FAILED)
