"""Free disk space, and replacing folders and files in one step."""

from __future__ import annotations

import contextlib
import errno
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .console import SetupError


def require_free(folder: Path, megabytes: int, what: str) -> None:
    """Raise SetupError unless the disk of `folder` (which may not exist yet) has `megabytes` free."""
    place = folder
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free // 1_000_000
    if free < megabytes:
        raise SetupError(
            f"Not enough disk space for {what}",
            f"{place} has {free} MB free and {megabytes} MB are needed",
            "free some space (or, for the cache, set XDG_CACHE_HOME to a folder on another disk), then run "
            "this again: it continues where it stopped",
        )


def full_disk_error(error: OSError) -> SetupError | None:
    """Convert an operating-system error that means "disk full" to a SetupError; None for other errors."""
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        return None
    return SetupError(
        "The disk is full",
        f"{error.strerror}: {error.filename or 'a file of this step'}",
        "free some space, then run this again: it continues where it stopped",
    )


def install_part(part: Path, parts: Path) -> Path:
    """Copy a built part of the addon into a folder for its platforms; return its folder there."""
    with replacing(parts / part.name) as fresh:
        shutil.copytree(part, fresh, dirs_exist_ok=True)
    (parts / ".gdignore").touch()
    return parts / part.name


@contextlib.contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """Yield an empty folder that replaces `folder` if the block succeeds.

    If the block fails or is interrupted, the old folder stays unchanged.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    for leftover in folder.parent.glob(f".{folder.name}.new-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}.new-", dir=folder.parent))
    fresh.chmod(0o755)
    try:
        yield fresh
        if folder.exists():
            old = Path(tempfile.mkdtemp(prefix=f".{folder.name}.new-", dir=folder.parent))
            folder.rename(old / "old")
            fresh.rename(folder)
            shutil.rmtree(old)
        else:
            fresh.rename(folder)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise


def replace_file(source: Path, target: Path) -> None:
    """Replace `target` by a copy of `source` in one step.

    A running program that has mapped the old file, such as a library, keeps using it. Writing into the file
    would crash that program.
    """
    with tempfile.TemporaryDirectory(prefix=f".{target.name}.new-", dir=target.parent) as work:
        Path(shutil.copy(source, work)).replace(target)
