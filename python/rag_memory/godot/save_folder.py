"""The files of saves: one database per save in one folder, and the files that belong to it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag_memory.errors import (
    InvalidArgumentError,
    SaveError,
    SaveNotFoundError,
    SaveUnwritableError,
    in_words,
)
from rag_memory.files import usable
from rag_memory.memory.document import CAMPAIGN
from rag_memory.save import Save
from rag_memory.step import Steps
from rag_memory.storage import file_name
from rag_memory.storage.backends import SAVE_FILES
from rag_memory.validation import shown

_USER = "user://"


@dataclass(frozen=True)
class Folders:
    """The folders of saves, embedding models and prepared saves, and of all of the game's data."""

    saves: Path
    models: Path
    prepared: Path
    user: Path
    """What the engine calls user://"""

    @property
    def prepared_lore(self) -> Path:
        """The folder of the vectors of lore that were made ahead."""
        return self.prepared / "lore"


@contextlib.contextmanager
def to_open(folders: Folders, save_id: str, prepared: str | None) -> Iterator[Path]:
    """The file of a save that is opened inside. A new one begins as a copy of the prepared save, which is
    gone again when it is of another campaign.

    Raises InvalidArgumentError, SaveUnwritableError, and what begin_as() raises.
    """
    check_no_other_case(folders.saves, save_id)
    path = path_of(folders.saves, save_id)
    is_new = not path.exists()
    check_save_id(save_id, is_new)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        is_copy = prepared is not None and is_new and begin_as(path, folders.prepared, prepared)
    except OSError as error:
        raise SaveUnwritableError(
            f"The save {path} cannot be opened",
            in_words(error),
            "Check that the disk has room, and that the folder of the saves may be written to",
        ) from error
    try:
        yield path
    except InvalidArgumentError:
        if is_copy:
            delete_save(folders.saves, save_id)
        raise


def check_no_other_case(folder: Path, save_id: str) -> None:
    """Refuse the id of a new save that differs from that of another only in capital letters. Raises
    InvalidArgumentError.
    """
    file_name.check_no_other_case(save_id, "the id of a save", list_saves(folder))


def check_save_id(save_id: str, is_new: bool = False) -> None:
    """Refuse an id that is no file name, or for a new save none on every platform. Raises
    InvalidArgumentError.
    """
    file_name.check_file_name(save_id, "the id of a save", "slot_1", is_new)


def path_of(folder: Path, save_id: str) -> Path:
    return usable(folder / f"{save_id}{SAVE_FILES.suffix}")


def file_of(folders: Folders, place: str) -> tuple[str, Path | None]:
    """What a game means by an id or a path: the id, and the file where that is none of the saves' folder. A
    path begins with user:// or is absolute.

    Raises InvalidArgumentError when the path leads out of user://, or the id is no file name.
    """
    if place.startswith(_USER):
        file = usable(folders.user / place.removeprefix(_USER).lstrip("/\\"))
        if not file.resolve().is_relative_to(folders.user.resolve()):
            raise InvalidArgumentError(
                f"{shown(place)} is no file of user://",
                f"it leads to {file.resolve()}",
                "Pass the path without a link and without '..'",
            )
    elif Path(place).is_absolute():
        file = usable(place)
    else:
        check_save_id(place)
        return place, None
    save_id = file.name.removesuffix(SAVE_FILES.suffix)
    return save_id, None if file == path_of(folders.saves, save_id) else file


def list_saves(folder: Path) -> list[str]:
    """The ids of all saves in `folder`, sorted; none when the folder does not exist.

    What open_save() refuses is not listed: links, folders and names that are no ids. The native host answers
    the same without Python (native/src/engine/save_files.cpp).
    """
    suffix = SAVE_FILES.suffix
    files = (path for path in folder.glob(f"*{suffix}") if path.name.endswith(suffix) and _is_save(path))
    return sorted(filter(file_name.is_file_name, (path.name.removesuffix(suffix) for path in files)))


def begin_as(path: Path, prepared_folder: Path, prepared: str) -> bool:
    """Make the new save `path` a copy of the prepared save `prepared`, whole or not at all.

    Where a former save left something to be looked at, nothing is copied. Returns whether it was copied.

    Raises SaveNotFoundError when there is no such prepared save, SaveError when the file of that name is
    none or was not closed, OSError when a file cannot be read or written.
    """
    if SAVE_FILES.is_unread(path):
        return False
    SAVE_FILES.copy_closed(prepared_file(prepared_folder, prepared), path)
    return True


def prepared_file(prepared_folder: Path, prepared: str) -> Path:
    """The file of a prepared save, which is closed.

    Raises SaveNotFoundError when there is no such prepared save, SaveError when it was not closed.
    """
    source = path_of(prepared_folder, prepared)
    if not source.is_file():
        existing = ", ".join(list_saves(prepared_folder)) or "none"
        raise SaveNotFoundError(
            f"there is no prepared save {prepared!r}",
            f"{source} does not exist; prepared saves found there: {existing}",
            "Put the file there; for an exported game tick rag_memory/prepared_saves in its export preset",
        )
    SAVE_FILES.check_closed(source)
    return source


def has_save(folder: Path, save_id: str) -> bool:
    return _is_save(path_of(folder, save_id))


def is_unused(folder: Path, save_id: str) -> bool:
    """Whether nothing of a save is there: neither in its file nor in a log nor in a snapshot."""
    return SAVE_FILES.size_of(path_of(folder, save_id)) == 0


def _is_save(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def info_of(folder: Path, save_id: str, opened: Save | None, file: Path | None = None) -> dict[str, Any]:
    """Return the result of get_save_info(); `opened` is the save if it is open here, and `file` another file
    than that of the id.

    Raises SaveNotFoundError when there is none, NotASaveError when the file of that name is none, SaveError
    when it cannot be read.
    """
    path = file or path_of(folder, save_id)
    if opened is None:
        _check_exists(path, save_id)
        try:
            contents = SAVE_FILES.contents_of(path, is_ours=file is None)
        except OSError as error:
            raise SaveError(
                f"The save {save_id!r} could not be read", in_words(error), "Check that you may read it"
            ) from error
    else:
        contents = {**opened.store.contents(), "state": "open", "snapshots": opened.snapshots.slots()}
    conflicts = [str(conflict) for conflict in SAVE_FILES.conflicts_of(path)]
    return info_from(save_id, contents, SAVE_FILES.size_of(path), conflicts)


def info_from(
    save_id: str, contents: dict[str, Any], size: int, conflicts: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the result of get_save_info() for a save with these contents."""
    info = dict(contents)
    campaign = info.pop(CAMPAIGN)
    documents = info["documents"] = {kind: n for kind, n in info["documents"].items() if kind != CAMPAIGN}
    unknown = 0 if info["npcs"] >= 0 else -1
    return {
        "save_id": save_id,
        **info,
        "events": documents.get("event", unknown),
        "lore_chunks": documents.get("lore_chunk", unknown),
        "campaign": campaign.get("campaign", ""),
        "lore": campaign.get("lore", []),
        "name": campaign.get("name", ""),
        "mod_profile": campaign.get("mod_profile", ""),
        "created": campaign.get("created", 0.0),
        "last_played": campaign.get("last_played", 0.0),
        "generation": campaign.get("generation", 0),
        "size": size,
        "conflicts": list(conflicts),
    }


def copy_save_steps(
    folder: Path, save_id: str, to: str, opened: Save | None, replaces: bool = False
) -> Steps[None]:
    """Copy a save with its snapshots, in slices; whole or not at all. `opened` when it is open here. A save
    of the new id is replaced if it `replaces` one.

    Raises SaveNotFoundError when there is no such save, SaveExistsError when there is one of the new id that
    is not to be replaced, SaveLockedError when one of them is open elsewhere, SaveError when it cannot be
    copied.
    """
    source, path = path_of(folder, save_id), path_of(folder, to)
    _check_exists(source, save_id)
    try:
        copy_open = None if opened is None else opened.snapshots.copy_steps
        yield from SAVE_FILES.copy_steps(source, path, copy_open, replaces)
    except OSError as error:
        raise SaveError(
            f"The save {save_id!r} could not be copied",
            in_words(error),
            "Check that the disk has room and that the folder of the saves may be written to",
        ) from error


def delete_save(folder: Path, save_id: str) -> None:
    """Delete a save with its search indexes and its snapshots; one that could be deleted in part only is
    still listed.

    Nobody can open the save meanwhile. Raises SaveNotFoundError when there is none, SaveLockedError when it
    is open, SaveError when something cannot be deleted.
    """
    path = path_of(folder, save_id)
    _check_exists(path, save_id)
    try:
        SAVE_FILES.delete(path)
    except OSError as error:
        raise SaveError(
            f"The save {save_id!r} could not be deleted",
            in_words(error),
            "Close what has its files open, check that their folder may be written to, and delete it again",
        ) from error


def _check_exists(path: Path, save_id: str) -> None:
    if not path.exists():
        raise SaveNotFoundError(
            f"there is no save {save_id!r}",
            f"{path} does not exist",
            "MemoryServer.list_saves() lists them",
        )
