"""Folders of the database servers, and their owner, because PostgreSQL refuses to run as root."""

from __future__ import annotations

import os
import pwd
import stat
from collections.abc import Sequence
from pathlib import Path

from . import stamp
from .console import SetupError
from .paths import BUILD, CACHE, ROOT

_USER = "nobody"
_SYSTEM_CACHE = Path("/var/cache/rag_memory")
_SYSTEM_DATA = Path("/var/lib/rag_memory")


def programs_folder() -> Path:
    """The folder for programs: the cache, or a system folder if the servers' user can't enter it."""
    return _entered_by_owner(CACHE, _SYSTEM_CACHE)


def data_folder() -> Path:
    """The folder for data: in .build, or a system folder if the servers' user can't enter it."""
    return _entered_by_owner(BUILD, _SYSTEM_DATA / stamp.key_of(str(ROOT))[:12]) / "server"


def scratch_folder() -> Path:
    """The folder for the data of temporary servers."""
    return data_folder().parent / "server_tests"


def owner() -> pwd.struct_passwd | None:
    """The user that runs the servers if this process is root; otherwise None."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam(_USER)
    except KeyError as error:
        raise SetupError(
            "The servers cannot run as root",
            f"PostgreSQL refuses that, and this system has no user {_USER!r}",
            "run this as an ordinary user",
        ) from error


def make_folder(folder: Path) -> Path:
    """Make a folder that the servers' user can enter, whatever the umask; return it."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        for place in reversed(missing):
            place.mkdir(exist_ok=True)
            place.chmod(0o755)
    except OSError as error:
        raise SetupError(
            f"The folder {folder} cannot be made", str(error), "make it, or run this as an ordinary user"
        ) from error
    return folder


def give(*paths: Path) -> None:
    """Give files and folders to the servers' user and to nobody else."""
    user = owner()
    for path in paths:
        path.chmod(0o700 if path.is_dir() else 0o600)
        if user is not None:
            os.chown(path, user.pw_uid, user.pw_gid)


def as_owner(words: Sequence[str | Path], *, ends_with_parent: bool = False) -> list[str | Path]:
    """The command that runs a program as the servers' user.

    `ends_with_parent`: the program ends with the thread that starts it.
    """
    user = owner()
    options: list[str] = ["--pdeathsig=QUIT"] if ends_with_parent else []
    if user is not None:
        options += [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
    return ["setpriv", *options, *words] if options else list(words)


def _entered_by_owner(wanted: Path, otherwise: Path) -> Path:
    return wanted if owner() is None or is_open_to_others(wanted) else otherwise


def is_open_to_others(folder: Path) -> bool:
    """True if every user can enter a folder, or could once it exists."""
    places = [place for place in (folder.resolve(), *folder.resolve().parents) if place.exists()]
    return all(place.stat().st_mode & stat.S_IXOTH for place in places)
