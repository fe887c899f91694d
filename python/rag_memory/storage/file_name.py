"""Names that players or games choose and that become file names: of saves and of snapshots."""

from __future__ import annotations

import os
from collections.abc import Iterable

from rag_memory.errors import InvalidArgumentError

_MAX_BYTES = 200
_FORBIDDEN = set('/\\:*?"<>|')
_NO_TEXT = frozenset(map(chr, range(0xD800, 0xE000)))
"""What stands for the bytes of a name that is not UTF-8."""
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
    problem = _problem_of(name, is_new)
    if problem:
        raise InvalidArgumentError(
            f"{name[:80]!r} cannot be {what}",
            f"{problem}; it becomes a file name",
            f'Use letters, digits, blanks, "-" and "_", for example "{example}"',
        )


def is_file_name(name: str) -> bool:
    """Whether check_file_name() accepts the name of a file that is there."""
    return not _problem_of(name, is_new=False)


def _problem_of(name: str, is_new: bool) -> str:
    """Return why a name is no file name on every platform; empty for one that is."""
    if not name.strip():
        return "it is empty"
    if name != name.strip() or name.endswith("."):
        return "it begins or ends with a blank or ends with a dot"
    if name.startswith("."):
        return "it begins with a dot"
    if bad := sorted(_FORBIDDEN & set(name)) or [c for c in name if ord(c) < 32 or c in _NO_TEXT]:
        return f"it contains {bad[0]!r}"
    if (is_new or os.name == "nt") and name.partition(".")[0].rstrip().upper() in _DEVICES:
        return "Windows takes it for a device"
    if len(name.encode("utf-8", "replace")) > _MAX_BYTES:
        return f"it is longer than {_MAX_BYTES} bytes"
    return ""


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
