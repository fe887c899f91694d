"""Values that the native host sends once: what configs, personalities and worlds hold.

A message names such a value by the hash of its bytes (native/src/calls/shared_values.h). The host has it at
hand while the message is carried out, and adds what is not here; so any of them may be dropped in between.
"""

from __future__ import annotations

from typing import Any

from rag_memory.godot.variant_codec import decode

_MOST_BYTES = 8_000_000
_FEWEST_VALUES = 16
"""As many as one message may name."""


class SharedValues:
    """The values that were named last, by their hashes. Each is decoded once; nobody may change it."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._encoded: dict[int, bytes] = {}
        """The one that was named last is the last."""
        self._decoded: dict[int, Any] = {}

    def __getitem__(self, hash: int) -> Any:
        if hash not in self._decoded:
            self._decoded[hash] = decode(self._encoded[hash], self)
        return self._decoded[hash]

    def __contains__(self, hash: object) -> bool:
        return hash in self._encoded

    def is_here(self, hash: int) -> bool:
        """Return whether a value that a message names is here; then it stays for that message."""
        encoded = self._encoded.pop(hash, None)
        if encoded is not None:
            self._encoded[hash] = encoded
        return encoded is not None

    def add(self, hash: int, encoded: bytes) -> None:
        """Add a value, and drop those that were not named for the longest time if all are too many bytes."""
        self._encoded[hash] = encoded
        size = sum(map(len, self._encoded.values()))
        while size > self._most_bytes and len(self._encoded) > _FEWEST_VALUES:
            oldest = next(iter(self._encoded))
            size -= len(self._encoded.pop(oldest))
            self._decoded.pop(oldest, None)
