"""Something on a port that says it is a PostgreSQL, and asks for the password in its own way."""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import suppress
from typing import Self

ASKS_FOR = {
    "nothing": (struct.pack(">i", 0)),
    "clear text": (struct.pack(">i", 3)),
    "MD5": struct.pack(">i4s", 5, b"salt"),
    "GSSAPI": struct.pack(">i", 7),
    "SSPI": struct.pack(">i", 9),
    "PLAIN": struct.pack(">i", 10) + b"PLAIN\0\0",
    "OAUTHBEARER": struct.pack(">i", 10) + b"OAUTHBEARER\0\0",
    "SCRAM, and knows nothing": struct.pack(">i", 10) + b"SCRAM-SHA-256\0\0",
}
_ENCRYPTED = (80877103, 80877104)
_READY = b"Z" + struct.pack(">i", 5) + b"I"


class Impostor:
    """A context manager: inside, it listens on `port`, refuses to encrypt, and then asks for a password."""

    def __init__(self, asks_for: str) -> None:
        self.seen = bytearray()
        """Everything that it was sent."""
        self._asks_for = asks_for
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._thread = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    def _accept(self) -> None:
        while True:
            try:
                game, _ = self._listener.accept()
            except OSError:
                return
            with game, suppress(OSError, struct.error):
                game.settimeout(10.0)
                self._talk(game)

    def _talk(self, game: socket.socket) -> None:
        while True:
            (length,) = struct.unpack(">i", self._read(game, 4))
            request = self._read(game, length - 4)
            if struct.unpack(">i", request[:4])[0] not in _ENCRYPTED:
                break
            game.sendall(b"N")
        self._answer(game, b"R", ASKS_FOR[self._asks_for])
        if self._asks_for == "nothing":
            game.sendall(_READY)
        if self._asks_for.startswith("SCRAM"):
            _kind, length = struct.unpack(">ci", self._read(game, 5))
            nonce = self._read(game, length - 4).rpartition(b"r=")[2]
            self._answer(game, b"R", struct.pack(">i", 11) + b"r=" + nonce + b"own,s=c2FsdA==,i=1")
            _kind, length = struct.unpack(">ci", self._read(game, 5))
            self._read(game, length - 4)
            self._answer(game, b"R", struct.pack(">i", 12) + b"v=" + b"A" * 43 + b"=")
            self._answer(game, b"R", struct.pack(">i", 0))
            game.sendall(_READY)
        while data := game.recv(65536):
            self.seen += data

    def _answer(self, game: socket.socket, kind: bytes, text: bytes) -> None:
        game.sendall(kind + struct.pack(">i", len(text) + 4) + text)

    def _read(self, game: socket.socket, length: int) -> bytes:
        data = b""
        while len(data) < length:
            came = game.recv(length - len(data))
            if not came:
                raise OSError("the game has gone")
            data += came
        self.seen += data
        return data
