"""Which files a save id stands for: one database per save in one folder, with what belongs to it."""

from __future__ import annotations

from pathlib import Path

from rag_memory.errors import SaveError, SaveNotFoundError, in_words
from rag_memory.storage.backends import SAVE_FILES
from rag_memory.storage.file_name import check_file_name


def check_save_id(save_id: str, is_new: bool = False) -> None:
    """Refuse an id that is no file name, or for a new save none on every platform. Raises
    InvalidArgumentError.
    """
    check_file_name(save_id, "the id of a save", "slot_1", is_new)


def path_of(folder: Path, save_id: str) -> Path:
    return folder / f"{save_id}{SAVE_FILES.suffix}"


def list_saves(folder: Path) -> list[str]:
    """The ids of all saves in `folder`, sorted; none when the folder does not exist."""
    return sorted(path.name.removesuffix(SAVE_FILES.suffix) for path in folder.glob(f"*{SAVE_FILES.suffix}"))


def begin_as(path: Path, prepared_folder: Path, prepared: str) -> None:
    """Make the new save `path` a copy of the prepared save `prepared`, whole or not at all.

    Where a former save left something to be looked at, nothing is copied.

    Raises SaveNotFoundError when there is no such prepared save, SaveError when the file of that name is
    none or was not closed, OSError when a file cannot be read or written.
    """
    if SAVE_FILES.is_unread(path):
        return
    source = path_of(prepared_folder, prepared)
    if not source.is_file():
        found = ", ".join(list_saves(prepared_folder)) or "none"
        raise SaveNotFoundError(
            f"there is no prepared save {prepared!r}",
            f"{source} does not exist; prepared saves found there: {found}",
            "Put the file there; for an exported game tick rag_memory/prepared_saves in its export preset",
        )
    SAVE_FILES.copy_closed(source, path)


def delete_save(folder: Path, save_id: str) -> None:
    """Delete a save with its search indexes and its snapshots; one that could be deleted in part only is
    still listed.

    Nobody can open the save meanwhile. Raises SaveNotFoundError when there is none, SaveLockedError when it
    is open, SaveError when something cannot be deleted.
    """
    path = path_of(folder, save_id)
    if not path.exists():
        raise SaveNotFoundError(
            f"there is no save {save_id!r}",
            f"{path} does not exist",
            "MemoryServer.list_saves() lists them",
        )
    try:
        SAVE_FILES.delete(path)
    except OSError as error:
        raise SaveError(
            f"The save {save_id!r} could not be deleted",
            in_words(error),
            "Close what has its files open, check that their folder may be written to, and delete it again",
        ) from error
