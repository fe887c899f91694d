"""Names that players or games choose and that become file names: of saves and of snapshots."""

from __future__ import annotations

import os
from collections.abc import Iterable

from rag_memory.errors import InvalidArgumentError

_MAX_BYTES = 200
_FORBIDDEN = set('/\\:*?"<>|')
_DEVICES = {"CON", "CONIN$", "CONOUT$", "PRN", "AUX", "NUL"} | {
    f"{name}{digit}" for name in ("COM", "LPT") for digit in "0123456789¹²³"
}
"""What Windows takes for a device, also with an ending."""


def check_file_name(name: str, what: str, example: str, is_new: bool) -> None:
    """Refuse a name that is no file name on every platform.

    Args:
        what: says in the error what it should have been a name of, for example "the id of a save".
        is_new: whether a file of this name is to be made. What Windows takes for a device is no name for it,
            but on another system there may be such a file already.

    Raises:
        InvalidArgumentError: it is empty, too long, a device, or has characters that file names cannot have.
    """
    problem = ""
    if not name.strip():
        problem = "it is empty"
    elif name != name.strip() or name.endswith("."):
        problem = "it begins or ends with a blank or ends with a dot"
    elif name.startswith("."):
        problem = "it begins with a dot"
    elif bad := sorted(_FORBIDDEN & set(name)) or [c for c in name if ord(c) < 32]:
        problem = f"it contains {bad[0]!r}"
    elif (is_new or os.name == "nt") and name.partition(".")[0].rstrip().upper() in _DEVICES:
        problem = "Windows takes it for a device"
    elif len(name.encode("utf-8", "replace")) > _MAX_BYTES:
        problem = f"it is longer than {_MAX_BYTES} bytes"
    if problem:
        raise InvalidArgumentError(
            f"{name[:80]!r} cannot be {what}",
            f"{problem}; it becomes a file name",
            f'Use letters, digits, blanks, "-" and "_", for example "{example}"',
        )


def check_no_other_case(name: str, what: str, taken: Iterable[str]) -> None:
    """Refuse a new name that differs from one of those in capital letters only: Windows and macOS take both
    for one file.

    Raises:
        InvalidArgumentError: there is such a one.
    """
    names = set(taken)
    same = sorted(other for other in names if other.lower() == name.lower()) if name not in names else []
    if same:
        raise InvalidArgumentError(
            f"{name!r} cannot be {what}",
            f"there is {same[0]!r} already, and Windows and macOS take both for one file",
            f"Use {same[0]!r}, or a name that differs in more than capital letters",
        )
