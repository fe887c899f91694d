"""Everything the memory system raises on purpose.

Every error says what happened, why, and what to do next, so that a log line is enough to act on.
"""

from __future__ import annotations

_CONTROL = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160)), " ")
"""Characters that move the cursor or colour the output of a terminal; not tabs and ends of lines."""


def printable(text: str) -> str:
    """Return a text with blanks in place of control characters, which a server or a file may have sent."""
    return text.translate(_CONTROL)


def in_words(error: Exception) -> str:
    """Return the operating system's message about a file, without error numbers."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


class RagMemoryError(Exception):
    """Base of every error of this package: what happened, why it happened, what to do next."""

    def __init__(self, what: str, why: str = "", remedy: str = "") -> None:
        super().__init__(what, why, remedy)
        self.what = what
        self.why = why
        self.remedy = remedy

    def __str__(self) -> str:
        cause = ": ".join(part.strip().rstrip(".") for part in (self.what, self.why) if part)
        return printable(" ".join(_sentence(part) for part in (cause, self.remedy) if part))


class InvalidArgumentError(RagMemoryError):
    """A caller passed a value of the wrong type, or one that cannot be stored or searched."""


class ConfigError(RagMemoryError):
    """A MemoryConfig holds a value outside its allowed range or of the wrong type."""


class StoreError(RagMemoryError):
    """The database refused to write or read: a full disk, a file that is read-only, in use or broken, a
    closed save, a server that cannot be reached. The message names the database's code.
    """


class SaveError(RagMemoryError):
    """A save or a snapshot cannot be opened, written or deleted; what is damaged, locked, too new or missing
    has a class of its own.
    """


class SaveNotFoundError(SaveError):
    """There is no save, prepared save or snapshot of this name, or no save is open."""


class SaveExistsError(SaveError):
    """There is a save of this name already; it is left untouched."""


class SaveDamagedError(SaveError):
    """The file of a save is broken and was put aside, or that of a snapshot is, and stays where it was."""


class SaveUnwritableError(SaveError):
    """The file of a save cannot be made or written: a full disk, a folder that may not be written to."""


class SaveLockedError(SaveError):
    """The save is open already, in this process or another."""


class GameLoadedError(RagMemoryError):
    """Another state of the save was loaded while a call waited for the game: nothing is written into it."""


class NpcLockedError(StoreError):
    """Another process has the NPC, or this one has let go of her: here she answers, and learns nothing."""


class SaveUnreachableError(SaveError):
    """The server that keeps the save does not answer, or does not let this user in."""


class SaveTooNewError(SaveError):
    """A newer version of RAG Memory wrote the save; it is left untouched."""


class SaveTooOldError(SaveError):
    """A version from before the first release wrote the save; it is left untouched."""


class NotASaveError(SaveError):
    """The file belongs to another program; it is left untouched."""


class ServerError(RagMemoryError):
    """A server beside the game, such as Valkey, cannot be reached or has refused; what was asked of it may be
    asked again.
    """


class EmbedderError(RagMemoryError):
    """The embedding model is damaged or failed while it ran."""


class EmbedderAwayError(EmbedderError):
    """The embedding model cannot be asked for now. Memories are then kept without a vector."""


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text[-1] in ".!?" else text + "."
