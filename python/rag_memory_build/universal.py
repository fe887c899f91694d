"""Joins the folders of several macOS processors to one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath

from . import macho
from .console import SetupError

_MAY_DIFFER = ("*.dist-info/*", "*.dist-info/sboms/*", "numpy/__config__.py")
"""Files about a package's build, which may differ: the first folder's is used."""


def fuse(folders: Sequence[Path], fused: Path) -> None:
    """Copy equal files to `fused`, and join Mach-O files.

    Raises SetupError if a Mach-O file is missing in a folder, or other files differ.
    """
    names = sorted(
        {file.relative_to(folder) for folder in folders for file in folder.rglob("*") if file.is_file()}
    )
    for name in names:
        content = fused_file([folder / name for folder in folders])
        (fused / name).parent.mkdir(parents=True, exist_ok=True)
        (fused / name).write_bytes(content)


def fused_file(files: Sequence[Path]) -> bytes:
    """Join the contents of these files."""
    contents = [file.read_bytes() for file in files if file.is_file()]
    parts = [image for content in contents for image in macho.images(content)]
    is_everywhere = len(contents) == len(files)
    if (is_everywhere or not parts) and len(set(contents)) == 1:
        return contents[0]
    if is_everywhere and all(macho.images(content) for content in contents):
        by_processor = {image.processor: image for image in parts}
        if len(by_processor) == len(parts):
            return macho.universal(parts)
    elif not parts and any(PurePath(*files[0].parts[-3:]).match(pattern) for pattern in _MAY_DIFFER):
        return contents[0]
    raise SetupError(
        f"{files[0].name} cannot be one file for all processors of macOS",
        f"{'it differs in' if is_everywhere else 'not all have it:'} {', '.join(map(str, files))}",
        "pin packages that have it alike for all processors, or drop the file in runtime.py",
    )
