"""What is too long to be read from Valkey."""

from __future__ import annotations

from rag_memory.errors import ServerError

LONGEST_ANSWER = 8 * 1024 * 1024
"""In bytes. A hundred of the longest events are shorter."""


class AnswerTooLongError(ServerError):
    """The server has more to say than is meant for a game. It was not read."""

    def __init__(self, first: bytes) -> None:
        super().__init__(
            "an answer of Valkey was not read", f"it is longer than {LONGEST_ANSWER:,} bytes", ""
        )
        self.first = first
        """The first text of the answer: of a part of a stream the name of its first entry."""
