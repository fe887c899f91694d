"""The addon as one zip file for the Asset Store: unpacked in a project it lies in addons/rag_memory/, with
the guides in its folder docs/.

The same files give the same zip, byte for byte: names are sorted, and times and rights are fixed.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from .console import SetupError, say, step
from .paths import ADDON, BUILD, PLATFORM, ROOT, RUNTIME

FOLDER = BUILD / "package"
LIMIT_MEGABYTES = 1000.0
_OLDEST_TIME = (1980, 1, 1, 0, 0, 0)
_FILE_MODE = 0o100644
_LIBRARY_MODE = 0o100755
_UNIX = 3
_GUIDES = ROOT / "docs"
_FOR_DEVELOPERS = ("architecture.md", "porting.md")
"""Guides for who works on the addon itself."""
_OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./[^)]*|(?:architecture|porting)\.md[^)]*)\)")
"""A link to what is not in the zip."""
_REQUIRED = (
    *("plugin.cfg", "plugin.gd", "rag_memory.gdextension"),
    *("README.md", "LICENSE", "THIRD_PARTY_LICENSES.md"),
    *(f"runtime/{PLATFORM}/licenses/hnswlib.txt", "models/default/LICENSE", "models/default/model.onnx"),
)


def build(folder: Path = FOLDER) -> Path:
    """Pack the built addon into `folder`; the zip's path. Raises SetupError when something is missing."""
    files = {file.relative_to(ADDON).as_posix(): file for file in addon_files()}
    guides = dict(_guides())
    missing = [name for name in _REQUIRED if name not in files]
    if missing:
        raise SetupError("The addon is not whole", f"missing: {', '.join(missing)}", "run build.py setup")
    folder.mkdir(parents=True, exist_ok=True)
    package = folder / f"rag_memory-{version()}-{PLATFORM}.zip"
    unfinished = package.with_suffix(".new")
    with step("Package") as progress, zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, name in enumerate(sorted([*files, *guides]), 1):
            entry = zipfile.ZipInfo(f"addons/rag_memory/{name}", _OLDEST_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = _UNIX
            is_library = ".so" in Path(name).suffixes
            entry.external_attr = (_LIBRARY_MODE if is_library else _FILE_MODE) << 16
            content = guides[name] if name in guides else files[name].read_bytes()
            archive.writestr(entry, _with_guides(content) if name == "README.md" else content)
            progress.update(f"{number} of {len(files) + len(guides)} files")
    unfinished.replace(package)
    megabytes = package.stat().st_size / 1e6
    say(f"  {len(files)} files, {megabytes:.0f} MB (at most {LIMIT_MEGABYTES:.0f})")
    if megabytes > LIMIT_MEGABYTES:
        raise SetupError(
            "The package is too big", f"{package} has {megabytes:.0f} MB", "drop what no game needs"
        )
    return package


def addon_files() -> Iterator[Path]:
    """Every file of the addon that a user gets.

    The runtime keeps its compiled modules: their times mean nothing to Python, and without them importing
    numpy takes most of a second.
    """
    for file in ADDON.rglob("*"):
        inside = file.relative_to(ADDON)
        is_unfinished = any(".new" in part and part.startswith(".") for part in inside.parts)
        is_cache = "__pycache__" in inside.parts and not file.is_relative_to(RUNTIME)
        is_other_runtime = (
            inside.parts[0] == "runtime" and len(inside.parts) > 2 and inside.parts[1] != PLATFORM
        )
        if file.is_file() and not (
            is_unfinished or is_cache or is_other_runtime or ".sanitize." in file.name
        ):
            yield file


def _guides() -> Iterator[tuple[str, bytes]]:
    """The guides by their place in the addon, with their pictures; links to what is not there are words."""
    yield "docs/.gdignore", b""
    for file in sorted(_GUIDES.rglob("*")):
        if file.is_file() and file.name not in _FOR_DEVELOPERS:
            content = file.read_bytes()
            if file.suffix == ".md":
                content = _OUTSIDE.sub(r"\1", content.decode()).encode()
            yield f"docs/{file.relative_to(_GUIDES).as_posix()}", content


def _with_guides(readme: bytes) -> bytes:
    """The README with its links to the guides as they are in the zip."""
    return readme.replace(b"](../../docs/", b"](docs/")


def version() -> str:
    """The addon's version, as plugin.cfg names it."""
    found = re.search(r'^version="([^"]+)"', (ADDON / "plugin.cfg").read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise SetupError("The addon has no version", "plugin.cfg names none", 'write version="..." there')
    return found[1]
