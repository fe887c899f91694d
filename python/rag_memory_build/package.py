"""Packs the addon as a zip file for the Asset Store, with the guides in its folder docs/, and the village of
the demo as a project of its own.

The zips are reproducible: names are sorted, times and permissions are fixed.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from . import chinese_font, language_pack
from .console import SetupError, say, step
from .paths import ADDON, BUILD, ROOT
from .target import Target

FOLDER = BUILD / "package"
LIMIT_MEGABYTES = 48.0
"""The limit per processor of a platform, with the guides."""
PARTS = {"server": "server", "python_library": "python"}
"""Folders of parts with zips of their own, and how these are called."""
PART_LIMIT_MEGABYTES = 12.0
LANGUAGE_PACK_LIMIT_MEGABYTES = 40.0
LONGEST_NAME = 140
"""The longest path in the zip, in characters. Windows allows 259, so a project's folder may have 119."""
CHECKSUMS = "SHA256SUMS"
"""The hashes of the zips, as `sha256sum --check` reads them."""
VILLAGE = "rag_memory_village"
"""The folder that the zip of the village unpacks to."""
VILLAGE_PARTS = ("village", "villagers", "memories", "json_file.gd", "memory_loader.gd")
"""What the village needs of demo/."""
VERSION_FILE = "version.txt"
"""Has the version of the addon that a part belongs to; platforms.gd compares it."""
_OLDEST_TIME = (1980, 1, 1, 0, 0, 0)
_FILE_MODE = 0o100644
_LIBRARY_MODE = 0o100755
_UNIX = 3
_LIBRARY_ENDINGS = {".so", ".dll", ".pyd", ".dylib"}
_GUIDES = ROOT / "docs"
_FOR_DEVELOPERS = ("architecture.md", "porting.md", "village.webp")
"""Guides for developers of the addon, and the recording of README.md."""
_PLACE = "addons/rag_memory"
_VILLAGE_LIMIT_MEGABYTES = 1.0
_VILLAGE_SCENE = "res://demo/village/play.tscn"
_VILLAGE_README = """# RAG Memory Village

1. Unpack the zip file of the addon for your system, of version {version}, in this folder: `addons/` then lies
   beside `project.godot`.
2. Open the project in Godot 4.4 or newer, and play it (F5).

`addons/rag_memory/docs/village.md` says how it is played, and which script shows what.
"""
_UNUSABLE_ON_WINDOWS = re.compile(
    r'[<>:"|?*\\\x00-\x1f]|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)', re.IGNORECASE
)
_OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./[^)]*|(?:architecture|porting)\.md[^)]*)\)")
"""A link to a file that is not in the zip."""
_REQUIRED = (
    *("plugin.cfg", "plugin.gd", "rag_memory.gdextension"),
    *("README.md", "LICENSE", "THIRD_PARTY_LICENSES.md"),
    *("models/default/LICENSE", "models/default/model.onnx", "models/default/model.data"),
)
_REQUIRED_OF_A_PLATFORM = (
    *("bin/{0.library_name}", "runtime/{0.name}/{0.libpython}"),
    *("runtime/{0.name}/manifest.txt", "runtime/{0.name}/licenses/hnswlib.txt"),
)


def build_all(platforms: Sequence[Target], folder: Path = FOLDER, addon: Path = ADDON) -> list[Path]:
    """Pack the built addon into `folder`: a zip per platform and, if there are several, one for all of them.

    Raises SetupError if files are missing or a zip is too big.
    """
    zips = [build([target], folder, addon) for target in platforms]
    return [*zips, build(platforms, folder, addon)] if len(platforms) > 1 else zips


def build(platforms: Sequence[Target], folder: Path = FOLDER, addon: Path = ADDON) -> Path:
    """Pack the built addon for these platforms into `folder`; return the zip's path.

    Raises SetupError if files are missing or the zip is too big.
    """
    files = {file.relative_to(addon).as_posix(): file for file in addon_files(platforms, addon)}
    guides = dict(_guides())
    wanted = [*_REQUIRED, *(name.format(target) for target in platforms for name in _REQUIRED_OF_A_PLATFORM)]
    missing = [name for name in wanted if name not in files]
    if missing:
        raise SetupError("The addon is incomplete", f"missing: {', '.join(missing)}", "run build.py setup")
    entries = {f"{_PLACE}/{name}": name for name in sorted([*files, *guides])}
    _check_names(entries)
    kind = platforms[0].name if len(platforms) == 1 else "all"
    contents: dict[str, bytes | Path] = {
        place: guides[name] if name in guides else files[name] for place, name in entries.items()
    }
    readme = f"{_PLACE}/README.md"
    contents[readme] = _with_guides(files["README.md"].read_bytes())
    return _pack(
        kind, contents, folder, LIMIT_MEGABYTES * sum(max(1, len(target.parts)) for target in platforms)
    )


def build_part(kind: str, target: Target, part: Path, folder: Path = FOLDER) -> Path:
    """Pack one of PARTS for a platform, which is unpacked over the addon; return the zip's path."""
    place = f"{_PLACE}/{kind}"
    contents: dict[str, bytes | Path] = {f"{place}/.gdignore": b""}
    for file in sorted(part.rglob("*")):
        if file.is_file():
            contents[f"{place}/{target.name}/{file.relative_to(part).as_posix()}"] = file
    _check_names(contents)
    return _pack(f"{PARTS[kind]}-{target.name}", contents, folder, PART_LIMIT_MEGABYTES)


def build_language_pack(pack: Path, folder: Path = FOLDER) -> Path:
    """Pack a model of another language, which is unpacked over the addon; return the zip's path."""
    place = f"{_PLACE}/models/{pack.name}"
    contents: dict[str, bytes | Path] = {f"{_PLACE}/models/.gdignore": b""}
    contents |= {f"{place}/{file.name}": file for file in sorted(pack.iterdir())}
    return _pack(pack.name, contents, folder, LANGUAGE_PACK_LIMIT_MEGABYTES)


def build_village(folder: Path = FOLDER) -> Path:
    """Pack the village of the demo as a project, into which the zip of the addon is unpacked; return the path
    of the zip.
    """
    settings = (ROOT / "project.godot").read_text(encoding="utf-8")
    for former, new in (
        ('config/name="RAG Memory"', 'config/name="RAG Memory Village"'),
        ('config/description="Long-term memory for NPCs: the addon and its demo."\n', ""),
        ('run/main_scene="res://demo/demo.tscn"', f'run/main_scene="{_VILLAGE_SCENE}"'),
    ):
        assert former in settings, former
        settings = settings.replace(former, new)
    contents: dict[str, bytes | Path] = {
        f"{VILLAGE}/project.godot": settings.encode(),
        f"{VILLAGE}/README.md": _VILLAGE_README.format(version=version()).encode(),
        f"{VILLAGE}/LICENSE": ROOT / "LICENSE",
    }
    demo = ROOT / "demo"
    for part in VILLAGE_PARTS:
        for file in sorted([demo / part, *(demo / part).rglob("*")]):
            if file.is_file() and chinese_font.FOLDER not in file.parents:
                contents[f"{VILLAGE}/{file.relative_to(ROOT).as_posix()}"] = file
    _check_names(contents)
    return _pack("village", contents, folder, _VILLAGE_LIMIT_MEGABYTES)


def remove_former(folder: Path = FOLDER) -> None:
    """Remove the zips of earlier builds: a release is what one build has made."""
    for file in (*folder.glob("rag_memory-*.zip"), folder / CHECKSUMS):
        file.unlink(missing_ok=True)


def write_checksums(zips: Iterable[Path], folder: Path = FOLDER) -> Path:
    """Write the SHA-256 hashes of the zips beside them; return the file."""
    hashes = {zip_file.name: hashlib.sha256(zip_file.read_bytes()).hexdigest() for zip_file in zips}
    file = folder / CHECKSUMS
    file.write_text("".join(f"{hashes[name]}  {name}\n" for name in sorted(hashes)), encoding="utf-8")
    return file


def _pack(kind: str, contents: Mapping[str, bytes | Path], folder: Path, limit: float) -> Path:
    """Write a zip of contents (bytes or files) by their paths in a project."""
    folder.mkdir(parents=True, exist_ok=True)
    package = folder / f"rag_memory-{version()}-{kind}.zip"
    unfinished = package.with_suffix(".new")
    unpacked = 0
    with (
        step(f"Package ({kind})") as progress,
        zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for number, (place, content) in enumerate(contents.items(), 1):
            entry = zipfile.ZipInfo(place, _OLDEST_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = _UNIX
            is_library = not _LIBRARY_ENDINGS.isdisjoint(Path(place).suffixes)
            entry.external_attr = (_LIBRARY_MODE if is_library else _FILE_MODE) << 16
            content = content if isinstance(content, bytes) else content.read_bytes()
            archive.writestr(entry, content)
            unpacked += len(content)
            progress.update(f"{number} of {len(contents)} files")
    unfinished.replace(package)
    megabytes = package.stat().st_size / 1e6
    say(
        f"  {kind}: {len(contents)} files, {unpacked / 1e6:.0f} MB, "
        f"zipped {megabytes:.0f} MB (at most {limit:.0f})"
    )
    if megabytes > limit:
        raise SetupError(
            "The package is too big", f"{package} has {megabytes:.0f} MB", "remove files that no game needs"
        )
    return package


def _check_names(places: Iterable[str]) -> None:
    """Raise SetupError unless these paths can be unpacked on all systems."""
    places = list(places)
    longest = max(places, key=len)
    if len(longest) > LONGEST_NAME:
        raise SetupError(
            "A path in the package is too long for Windows",
            f"{longest} has {len(longest)} characters, more than {LONGEST_NAME}",
            "shorten it, or drop the file in runtime.py",
        )
    times = Counter(place.lower() for place in places)
    twice = sorted(place for place in places if times[place.lower()] > 1)
    unusable = sorted(
        place for place in places if any(_UNUSABLE_ON_WINDOWS.search(part) for part in place.split("/"))
    )
    if twice or unusable:
        raise SetupError(
            "Windows cannot unpack the package",
            f"these names are reserved, or differ only in case: {', '.join(twice + unusable)}",
            "rename them, or drop them in runtime.py",
        )


def addon_files(platforms: Sequence[Target], addon: Path = ADDON) -> Iterator[Path]:
    """Yield every file of the addon for users on these platforms."""
    runtimes = {target.name for target in platforms}
    libraries = {target.library_name for target in platforms}
    for file in addon.rglob("*"):
        folder, *rest = file.relative_to(addon).parts
        is_unfinished = any(".new" in part and part.startswith(".") for part in (folder, *rest))
        is_cache = "__pycache__" in rest
        is_of_others = (folder == "bin" and rest[-1:] != [] and rest[-1] not in libraries) or (
            folder == "runtime" and len(rest) > 1 and rest[0] not in runtimes
        )
        is_language_pack = folder == "models" and rest[:1] == [language_pack.NAME]
        if file.is_file() and not (
            is_unfinished or is_cache or is_of_others or is_language_pack or folder in PARTS
        ):
            yield file


def _guides() -> Iterator[tuple[str, bytes]]:
    """Yield the guides and pictures by their paths in the addon. Links to missing files become plain text."""
    yield "docs/.gdignore", b""
    for file in sorted(_GUIDES.rglob("*")):
        if file.is_file() and file.name not in _FOR_DEVELOPERS:
            content = file.read_bytes()
            if file.suffix == ".md":
                content = _OUTSIDE.sub(r"\1", content.decode()).encode()
            yield f"docs/{file.relative_to(_GUIDES).as_posix()}", content


def _with_guides(readme: bytes) -> bytes:
    """Adapt the README's links to the guides in the zip."""
    return readme.replace(b"](../../docs/", b"](docs/")


def version() -> str:
    """The addon's version from plugin.cfg."""
    match = re.search(r'^version="([^"]+)"', (ADDON / "plugin.cfg").read_text(encoding="utf-8"), re.MULTILINE)
    if match is None:
        raise SetupError("The addon has no version", "plugin.cfg names none", 'write version="..." there')
    return match[1]
