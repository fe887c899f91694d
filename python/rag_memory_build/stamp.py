"""Stamps of finished build steps, which show whether a result is up to date with its inputs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from .paths import BUILD

_STAMPS = BUILD / "stamps"


def key_of(*parts: str | Path) -> str:
    """Hash strings and file contents (of folders: all files below them, with their names)."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, Path):
            for file in _files(part):
                digest.update(str(file.relative_to(part.parent)).encode())
                digest.update(hashlib.sha256(file.read_bytes()).digest())
        else:
            digest.update(b"\0" + part.encode())
    return digest.hexdigest()


def list_sizes(folder: Path, name: str) -> None:
    """Write the sizes of all files of a folder into the file `name` in it, for has_listed_sizes()."""
    sizes = {
        file.relative_to(folder).as_posix(): file.stat().st_size
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.is_symlink()
    }
    (folder / name).write_text(json.dumps(sizes, indent=0), encoding="utf-8")


def has_listed_sizes(folder: Path, name: str) -> bool:
    """True if all files listed by list_sizes() have their sizes."""
    try:
        sizes = json.loads((folder / name).read_text(encoding="utf-8"))
        return all((folder / file).stat().st_size == size for file, size in sizes.items())
    except (OSError, ValueError):
        return False


def _files(path: Path) -> Iterable[Path]:
    if path.is_file():
        return [path]
    return sorted(p for p in path.rglob("*") if p.is_file() and "__pycache__" not in p.parts)


def is_current(name: str, key: str, *products: Path) -> bool:
    """True if the step `name` was finished with this key and its products exist."""
    file = _STAMPS / name
    return all(p.exists() for p in products) and file.is_file() and file.read_text() == key


def finish(name: str, key: str) -> None:
    """Record that the step `name` is finished for `key`. Call it last, so interrupted steps run again."""
    _STAMPS.mkdir(parents=True, exist_ok=True)
    (_STAMPS / name).write_text(key)


def forget(name: str) -> None:
    """Record that the step `name` is unfinished. Call it before the step changes its products."""
    (_STAMPS / name).unlink(missing_ok=True)
