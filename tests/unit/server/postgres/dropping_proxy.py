"""A proxy between a game and its server, which drops connections at a chosen moment."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Self

NEVER, BEFORE, AFTER = "never", "before", "after"
"""When a connection drops: before the server gets a COMMIT, or before the game gets the answer to it."""


class DroppingProxy:
    """A context manager: inside, connections to `port` are passed on to the server's."""

    def __init__(self, server_port: int) -> None:
        self.drops = NEVER
        """Of the next COMMIT; afterwards it is NEVER again."""
        self.at_drop: Callable[[], None] = lambda: None
        """Called when it arrives, before it is passed on or lost."""
        self.refuses = False
        self.keeps_server = False
        """True if the server's side of a dropped connection stays open, as when a cable is cut."""
        self.seen = bytearray()
        """Everything that has come through."""
        self._server_port = server_port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._games: list[socket.socket] = []
        self._servers: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept, daemon=True)]

    def __enter__(self) -> Self:
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.drop_all()
        for thread in self._threads:
            thread.join()

    def drop_all(self) -> None:
        """End every connection there is."""
        _end(*self._games, *self._servers)

    def drop_games(self) -> None:
        """End the game's side of every connection there is."""
        _end(*self._games)

    def _accept(self) -> None:
        while True:
            try:
                game, _ = self._listener.accept()
            except OSError:
                return
            if self.refuses:
                game.close()
                continue
            server = socket.create_connection(("127.0.0.1", self._server_port))
            self._games.append(game)
            self._servers.append(server)
            answers_come = threading.Event()
            answers_come.set()
            for target in (self._pass_on, self._pass_back):
                thread = threading.Thread(target=target, args=(game, server, answers_come), daemon=True)
                self._threads.append(thread)
                thread.start()

    def _pass_on(self, game: socket.socket, server: socket.socket, answers_come: threading.Event) -> None:
        while data := _received(game):
            self.seen += data
            if b"COMMIT" in data and self.drops != NEVER:
                was, self.drops = self.drops, NEVER
                answers_come.clear()
                self.at_drop()
                if was == AFTER:
                    server.sendall(data)
                    server.recv(1)  # The server has committed when it answers.
                break
            with suppress(OSError):
                server.sendall(data)
        _end(game, *(() if self.keeps_server else (server,)))

    def _pass_back(self, game: socket.socket, server: socket.socket, answers_come: threading.Event) -> None:
        # Not while the other thread waits for the answer to a COMMIT: nothing else is asked then.
        while _peeked(server):
            if not answers_come.is_set():
                return
            data = _received(server)
            self.seen += data
            with suppress(OSError):
                game.sendall(data)
        _end(game, server)


def _received(connection: socket.socket) -> bytes:
    try:
        return connection.recv(65536)
    except OSError:
        return b""


def _peeked(connection: socket.socket) -> bytes:
    try:
        return connection.recv(1, socket.MSG_PEEK)
    except OSError:
        return b""


def _end(*connections: socket.socket) -> None:
    for each in connections:
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
