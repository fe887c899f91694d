"""One folder for several processors of macOS, out of a folder for each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath

from . import macho
from .console import SetupError

_MAY_DIFFER = ("*.dist-info/*", "*.dist-info/sboms/*", "numpy/__config__.py")
"""What only tells of a package's making: the first folder's will do."""


def fuse(folders: Sequence[Path], fused: Path) -> None:
    """Copy what is equal in all folders into `fused`, and put Mach-O files into one. Raises SetupError for a
    Mach-O file that not all have, and for other files that differ."""
    names = sorted(
        {file.relative_to(folder) for folder in folders for file in folder.rglob("*") if file.is_file()}
    )
    for name in names:
        content = fused_file([folder / name for folder in folders])
        (fused / name).parent.mkdir(parents=True, exist_ok=True)
        (fused / name).write_bytes(content)


def fused_file(files: Sequence[Path]) -> bytes:
    """What the file that stands for all of these holds."""
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
