"""Reads answers of Valkey or Redis up to a size, so that what anybody keeps there fills no memory."""

from __future__ import annotations

from typing import Any

from redis import InvalidResponse
from redis._parsers.resp2 import _RESP2Parser
from redis._parsers.socket import SocketBuffer

from rag_memory_server.bus.too_long import LONGEST_ANSWER, AnswerTooLongError

_LONGEST_LINE = 64 * 1024
_PART_BYTES = 64
"""What each part of an answer costs beside its own bytes."""


class BoundedParser(_RESP2Parser):
    """Raises AnswerTooLongError where an answer becomes too long; then the connection is closed."""

    _buffer: _BoundedBuffer

    def on_connect(self, connection: Any) -> None:
        super().on_connect(connection)  # type: ignore[no-untyped-call]
        self._buffer = _BoundedBuffer(connection._sock, self.socket_read_size, connection.socket_timeout)

    def read_response(self, *args: Any, **options: Any) -> Any:
        self._buffer.begin()
        try:
            return super().read_response(*args, **options)
        except (ValueError, RecursionError) as error:
            raise InvalidResponse("the answer is none of Redis's protocol") from error


class _BoundedBuffer(SocketBuffer):
    def begin(self) -> None:
        """An answer begins."""
        self._left, self._first = LONGEST_ANSWER, b""
        if self._buffer.tell() > LONGEST_ANSWER:
            # As long as something unread is left, purge() keeps everything that was read.
            rest = self._buffer.read()
            self._buffer.seek(0)
            self._buffer.truncate()
            self._buffer.write(rest)
            self._buffer.seek(0)

    def read(self, length: int, *args: Any, **options: Any) -> bytes:
        if length < 0:
            raise ValueError(length)
        self._take(length)
        text: bytes = super().read(length, *args, **options)
        self._first = self._first or text
        return text

    def readline(self, *args: Any, **options: Any) -> bytes:
        self._take(_PART_BYTES)
        line = self._buffer.readline(_LONGEST_LINE)
        while not line.endswith(b"\r\n"):
            if len(line) == _LONGEST_LINE:
                raise AnswerTooLongError(self._first)
            self._read_from_socket(*args, **options)
            line += self._buffer.readline(_LONGEST_LINE - len(line))
        return bytes(line[:-2])

    def _take(self, length: int) -> None:
        self._left -= length
        if self._left < 0:
            raise AnswerTooLongError(self._first)
