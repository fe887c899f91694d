"""A time limit for code that is not ours and may never end."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any


class TookTooLongError(BaseException):
    """Raised in what takes too long; no Exception, so that code which catches those ends, too."""


class _Limit:
    def __init__(self, seconds: float, own_files: frozenset[str]) -> None:
        self._ends = time.monotonic() + seconds
        self._own_files = own_files
        self.holds = True

    def is_over(self) -> bool:
        return time.monotonic() > self._ends

    def is_own(self, frame: FrameType) -> bool:
        return frame.f_code.co_filename in self._own_files

    def begin(self, frame: FrameType, _event: str, _argument: Any) -> _Look | None:
        if self.is_own(frame):
            return None
        frame.f_trace_opcodes = True  # an empty loop has no next line
        return _Look(self)


class _Look:
    """Looks at the clock before every instruction of one frame."""

    def __init__(self, limit: _Limit) -> None:
        self._limit = limit

    def __call__(self, _frame: FrameType, event: str, _argument: Any) -> _Look:
        # Not where a frame ends by an error: that one's traceback says where it was raised.
        if event == "opcode" and self._limit.is_over():
            del self  # the traceback of the error would keep it
            raise TookTooLongError
        return self

    def __del__(self) -> None:
        # Python drops a trace function that has raised, and traces no more: by TookTooLongError, or by
        # RecursionError. Code that catches the error would go on for ever.
        frame = sys._getframe(1)
        if self._limit.holds and sys.gettrace() is None and not self._limit.is_own(frame):
            sys.settrace(self._limit.begin)
            frame.f_trace = _Look(self._limit)


def call_within(seconds: float, function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the function's result. Once the time is over, it is ended at its next instruction in any file
    but the caller's own.

    A single call of the standard library that never returns cannot be ended.

    Raises:
        TookTooLongError: it took longer; the traceback says where it was.
    """
    # A compiled file may lie elsewhere than where it was compiled, so its code says its name.
    own_files = frozenset(frame.f_code.co_filename for frame in (sys._getframe(), sys._getframe(1)))
    before, limit = sys.gettrace(), _Limit(seconds, own_files)
    depth = sys.getrecursionlimit()
    sys.settrace(limit.begin)
    try:
        return function(*arguments)
    except BaseException as error:
        if limit.is_over() and not isinstance(error, TookTooLongError):
            raise TookTooLongError().with_traceback(error.__traceback__) from None
        raise
    finally:
        limit.holds = False
        sys.settrace(before)
        sys.setrecursionlimit(depth)  # with a higher one the next endless recursion would end the process
