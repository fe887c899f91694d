"""File operations that differ between operating systems.

On Windows a folder cannot be synced, a long path needs a prefix, and any program that has a file open for a
moment, such as a virus scanner, keeps it from being renamed, replaced or deleted.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path, PurePath, PureWindowsPath
from typing import TypeVar
from urllib.parse import quote

_IS_WINDOWS = os.name == "nt"
_MOST_WAITING_SECONDS = 1.0
_LOOK_SECONDS = 0.01
_LONGEST_FOLDER = 120
"""Of Windows' 260 characters; names of files may take 200 bytes, with endings."""
_LARGEST = 16 << 30
_LARGE = 64 << 20
_LONG = "\\\\?\\"
_LONG_SHARE = "\\\\?\\UNC\\"

_Result = TypeVar("_Result")


def check_regular(path: Path) -> None:
    """See that what has this name, if anything has, is a file that may be a save: no link, pipe or device,
    and not so large that only a mistake can have made it.

    Raises:
        OSError: it is none; reading it would read something else, or take for ever.
    """
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return
    if stat.S_ISLNK(status.st_mode):
        raise OSError(errno.ELOOP, "it is a link to another file or folder", str(path))
    if stat.S_ISDIR(status.st_mode):
        return  # Opening it fails with the system's own words.
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", str(path))
    written = getattr(status, "st_blocks", status.st_size) * 512
    if status.st_size > _LARGEST or (status.st_size > _LARGE and written < status.st_size / 20):
        raise OSError(errno.EFBIG, f"it is {status.st_size >> 20} MiB long, as no save is", str(path))


def check_no_link(path: Path) -> None:
    """See that a file or folder that is written is no link. Raises OSError."""
    if path.is_symlink():
        raise OSError(errno.ELOOP, "it is a link to another file or folder", str(path))


def replace(source: Path, target: Path) -> None:
    """Rename a file or folder, replacing the file at the target.

    Raises:
        OSError: it cannot be done, on Windows also when somebody has one of the files open for a second.
    """
    _patiently(lambda: os.replace(source, target))


def delete(file: Path) -> None:
    """Delete a file if it exists.

    Raises:
        OSError: it cannot be done, on Windows also when somebody has it open for a second.
    """
    _patiently(lambda: file.unlink(missing_ok=True))


def delete_folder(folder: Path) -> None:
    """Delete a folder with its contents. Of a link only the link goes.

    Raises:
        OSError: it cannot be done, on Windows also when somebody has a file in it open for a second.
    """
    _patiently(lambda: folder.unlink() if folder.is_symlink() else shutil.rmtree(folder))


def sync_file(file: Path) -> None:
    """Bring the content of a file to the disk.

    Raises:
        OSError: the disk could not write it.
    """
    # Windows syncs only what may be written.
    with file.open("r+b") as stream:
        sync(stream.fileno())


if sys.platform == "darwin":
    import fcntl

    def sync(handle: int) -> None:
        """Bring the content of an open file to the disk. Raises OSError."""
        # fsync() leaves it in the drive's own memory here; where this is unknown, there is nothing better.
        try:
            fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
        except OSError:
            os.fsync(handle)

else:

    def sync(handle: int) -> None:
        """Bring the content of an open file to the disk. Raises OSError."""
        os.fsync(handle)


def make_folder(folder: Path) -> None:
    """Make a folder, and those that it lies in, so that it survives a power cut. It may exist.

    Raises:
        OSError: it cannot be made.
    """
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Make a rename survive a power cut, where folders can be synced."""
    if _IS_WINDOWS:
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        sync(handle)
    except OSError as error:
        # Network drives know no sync of a folder.
        if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP):
            raise
    finally:
        os.close(handle)


def usable(path: str | Path) -> Path:
    """The absolute path, which may be as long as it likes."""
    whole = Path(os.path.abspath(path))
    return Path(long_windows_path(PureWindowsPath(whole))) if _IS_WINDOWS else whole


def long_windows_path(path: PureWindowsPath) -> str:
    """An absolute path as Windows takes it when something in that folder may become longer than 260
    characters.
    """
    text = str(path)
    if len(text) <= _LONGEST_FOLDER or text.startswith(_LONG):
        return text
    return _LONG_SHARE + text[2:] if text.startswith("\\\\") else _LONG + text


def sqlite_uri(file: PurePath) -> str:
    """Return the URI by which SQLite opens a file with options. The path is absolute, or one of a Windows
    share.
    """
    return f"file:{quote(os.fsencode(file))}"


def _patiently(change: Callable[[], _Result]) -> _Result:
    until = time.monotonic() + _MOST_WAITING_SECONDS
    while True:
        try:
            return change()
        except PermissionError:
            if not _IS_WINDOWS or time.monotonic() > until:
                raise
        time.sleep(_LOOK_SECONDS)
