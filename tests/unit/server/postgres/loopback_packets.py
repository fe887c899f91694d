"""Captures packets between this machine and one of its ports."""

from __future__ import annotations

import ctypes
import socket
import struct
import threading
from typing import Self

_ALL_PROTOCOLS = 3
_SO_ATTACH_FILTER = 26
_SO_RCVBUFFORCE = 33
_BUFFER_BYTES = 64 * 1024 * 1024
_OUTGOING = 4
_FRAME, _LONGEST = 14, 1 << 18
# The kernel passes on TCP of IPv4 from or to the port; as `tcpdump -d tcp port N` has it, for loopback.
_FILTER = (
    (0x28, 0, 0, 12),
    (0x15, 0, 8, 0x0800),
    (0x30, 0, 0, 23),
    (0x15, 0, 6, 6),
    (0xB1, 0, 0, 14),
    (0x48, 0, 0, 14),
    (0x15, 2, 0, None),
    (0x48, 0, 0, 16),
    (0x15, 0, 1, None),
    (0x06, 0, 0, _LONGEST),
    (0x06, 0, 0, 0),
)


def is_allowed() -> bool:
    """True if this process may capture packets, as root may."""
    try:
        socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close()
    except PermissionError:
        return False
    return True


class LoopbackPackets:
    """A context manager: inside, everything to and from the port is kept."""

    def __init__(self, port: int) -> None:
        self.seen = bytearray()
        """The contents of the packets without headers; complete after the block."""
        self._port = port
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        self._is_over = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)

    def __enter__(self) -> Self:
        code = b"".join(
            struct.pack("HBBI", *step, self._port if value is None else value) for *step, value in _FILTER
        )
        kept = ctypes.create_string_buffer(code)
        program = struct.pack("HL", len(_FILTER), ctypes.addressof(kept))
        self._socket.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, program)
        self._socket.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _BUFFER_BYTES)
        self._socket.bind(("lo", _ALL_PROTOCOLS))
        self._socket.settimeout(0.2)
        self._reader.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._reader.join()
        self._socket.close()

    def _read(self) -> None:
        while True:
            try:
                packet, (_, _, kind, *_) = self._socket.recvfrom(_LONGEST)
            except TimeoutError:
                if self._is_over.is_set():
                    return
                continue
            if kind != _OUTGOING:  # Each comes twice: when it goes out, and when it arrives.
                internet = packet[_FRAME:]
                segment = internet[(internet[0] & 0x0F) * 4 :]
                self.seen += segment[(segment[12] >> 4) * 4 :]
