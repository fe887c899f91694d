"""Copying parts of a file, by the operating system where it can: twice as fast as through this process."""

from __future__ import annotations

import errno
import os
import sys
from io import FileIO

_CANNOT = {errno.ENOSYS, errno.EXDEV, errno.EINVAL, errno.EOPNOTSUPP, errno.EPERM}


def copy_part(source: FileIO, target: FileIO, offset: int, count: int) -> int:
    """Copy `count` bytes from an offset of the source to the same offset of the target; how many were copied.

    Raises:
        OSError: the disk is full, or the source ends before.
    """
    copied = _by_system(source, target, offset, count)
    if copied is None:
        source.seek(offset)
        target.seek(offset)
        copied = target.write(source.read(count))
    if not copied:
        raise OSError(errno.EIO, "the file became shorter while it was copied")
    return copied


if sys.platform == "linux":

    def _by_system(source: FileIO, target: FileIO, offset: int, count: int) -> int | None:
        try:
            return os.copy_file_range(source.fileno(), target.fileno(), count, offset, offset)
        except OSError as error:
            if error.errno in _CANNOT:
                return None
            raise

else:

    def _by_system(source: FileIO, target: FileIO, offset: int, count: int) -> int | None:
        return None
