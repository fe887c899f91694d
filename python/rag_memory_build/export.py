"""Exports the demo as a finished game, and the demo or another project as a dedicated server.

The project is copied with the addon into a staging folder, and the engine exports that.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from . import chinese_font, disk, package, project_cache, server_part, targets
from .console import Progress, SetupError, run, say, step
from .engine import Engine
from .paths import ADDON, BUILD, ROOT
from .target import Target

GAME = BUILD / "export" / "game"
SERVER = BUILD / "export" / "server"
_STAGED = BUILD / "export" / "project"
_PLATFORMS = {
    "linux_x86_64": ("Linux", "rag_memory_demo.x86_64"),
    "windows_x86_64": ("Windows Desktop", "rag_memory_demo.exe"),
}
"""The editor's name of a target's platform, and the file name of the exported program."""
TARGETS = tuple(_PLATFORMS)
PROGRAM = _PLATFORMS[targets.HERE.name][1]
PLUGIN = "res://addons/rag_memory/plugin.cfg"
UNPACKED_LIMIT_MEGABYTES = 100.0
ZIPPED_LIMIT_MEGABYTES = 44.0
_NEEDED_MEGABYTES = 400
_PACKING = re.compile(r"\[\s*(\d+)% \].*savepack")
_TERMINAL_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_MESSAGE = re.compile(r"^(?:RAG Memory: |ERROR: |WARNING: )")


@dataclass(frozen=True)
class Size:
    """The size that the addon adds to a game, in megabytes (10^6 bytes)."""

    unpacked: float
    zipped: float


def export_demo(
    engine: Engine,
    folder: Path,
    target: Target = targets.HERE,
    template: Path | None = None,
    *,
    main_scene: str = "",
) -> Path:
    """Export the demo for a target into `folder`, which is replaced. Returns the program's path.

    `main_scene`: the scene to start with instead of the demo's.
    """
    _require_replaceable(folder)
    with disk.replacing(_STAGED) as fresh:
        stage(fresh, main_scene=main_scene)
    export(engine, _STAGED, folder, target, template)
    report(size_of(folder))
    return folder / program_name(target)


def export_server(
    engine: Engine,
    folder: Path,
    project: Path | None = None,
    target: Target = targets.HERE,
    template: Path | None = None,
    *,
    main_scene: str = "",
) -> Path:
    """Export the demo, or another project, as a dedicated server into `folder`, which is replaced.

    The project is not changed; the export has the addon of this repository. Returns the program's path.
    """
    _require_replaceable(folder)
    with disk.replacing(_STAGED) as fresh:
        stage(fresh, project, main_scene=main_scene)
        server_part.install(target, fresh)
    export(engine, _STAGED, folder, target, template, is_server=True)
    size = size_of(folder)
    say(f"  The addon adds {size.unpacked:.0f} MB, zipped {size.zipped:.0f} MB")
    return folder / program_name(target)


def _require_replaceable(folder: Path) -> None:
    is_export = any((folder / program).is_file() for _, program in _PLATFORMS.values())
    if folder.is_dir() and any(folder.iterdir()) and not is_export:
        raise SetupError(
            "The game is not exported",
            f"{folder} holds other files, and an export replaces what is there",
            "name an empty folder, or one that does not exist yet",
        )


def program_name(target: Target) -> str:
    return _PLATFORMS[target.name][1]


def stage(project: Path, source: Path | None = None, *, main_scene: str = "") -> None:
    """Copy the demo, or the project in `source`, and add the addon. Large files are hard links."""
    disk.require_free(BUILD, _NEEDED_MEGABYTES, "the exported game")
    if source is None:
        # The exported village is English: it has neither the language pack nor these.
        only_in_clone = shutil.ignore_patterns("*.po", chinese_font.FOLDER.name)
        shutil.copytree(ROOT / "demo", project / "demo", ignore=only_in_clone)
        shutil.copy(ROOT / "project.godot", project)
    else:
        _copy_project(source, project)
    unfinished = shutil.ignore_patterns(".*.new*", "*.sanitize.so")
    addon = project / "addons" / "rag_memory"
    shutil.copytree(ADDON, addon, copy_function=_link, ignore=unfinished)
    for part in package.PARTS:
        shutil.rmtree(addon / part, ignore_errors=True)
    settings = (project / "project.godot").read_text(encoding="utf-8")
    if PLUGIN not in settings:
        settings = with_plugin(settings)
    if main_scene:
        settings = re.sub(r"run/main_scene=.*", f"run/main_scene={json.dumps(main_scene)}", settings)
    (project / "project.godot").write_text(settings, encoding="utf-8")
    project_cache.announce_extension(project)
    project_cache.announce_classes(project)


def _copy_project(source: Path, project: Path) -> None:
    """Copy another project without its addon, its export presets and the editor's cache."""
    if not (source / "project.godot").is_file():
        raise SetupError(
            "The server is not exported", f"{source} has no project.godot", "name the folder of a project"
        )
    left_out = {source / name for name in (".godot", ".git", "export_presets.cfg", "addons/rag_memory")}

    def ignored(folder: str, names: list[str]) -> list[str]:
        return [name for name in names if Path(folder, name) in left_out]

    shutil.copytree(source, project, ignore=ignored, dirs_exist_ok=True)


def with_plugin(settings: str) -> str:
    """Enable the plugin in the text of a project.godot."""
    listed = re.search(r"^enabled=PackedStringArray\((.*)\)", settings, re.MULTILINE)
    if listed is None:
        return settings + f'\n[editor_plugins]\n\nenabled=PackedStringArray("{PLUGIN}")\n'
    plugins = ", ".join(plugin for plugin in (listed[1], f'"{PLUGIN}"') if plugin)
    return settings.replace(listed[0], f"enabled=PackedStringArray({plugins})")


def export(
    engine: Engine,
    project: Path,
    folder: Path,
    target: Target = targets.HERE,
    template: Path | None = None,
    *,
    is_server: bool = False,
    options: Mapping[str, bool] | None = None,
) -> str:
    """Export a staged project for a target into `folder`; return the engine's messages.

    `is_server`: as a dedicated server. `options`: more options of the preset. `template`: the export
    template; by default the engine's or the one installed in the editor.
    """
    if target is targets.HERE:
        template = template or engine.release_template
    program = program_name(target)
    (project / "export_presets.cfg").write_text(
        _presets(target, template, is_server, options or {}), encoding="utf-8"
    )
    with step(f"Exported game ({target.name})") as progress, disk.replacing(folder) as fresh:
        output = run(
            [
                engine.path,
                "--headless",
                "--path",
                project,
                "--export-release",
                _PLATFORMS[target.name][0],
                fresh / program,
            ],
            what="Exporting the game",
            remedy="act on the errors above"
            + (
                ""
                if template
                else "; a missing template is installed in the editor: Editor > Manage Export Templates"
            ),
            log="export",
            progress=_PackingProgress(progress),
        )
        _check(fresh, program, output)
    messages = "\n".join(f"  {line}" for line in _messages(output))
    say(messages)
    return messages


def added_files(game: Path) -> list[Path]:
    """The addon's files in an exported game."""
    return [
        *sorted(game.glob("librag_memory.*")),
        *sorted(path for path in (game / "rag_memory").rglob("*") if path.is_file()),
    ]


def size_of(game: Path) -> Size:
    """The size of the addon's files, plain and zipped (deflate, level 6)."""
    unpacked = zipped = 0
    for file in added_files(game):
        content = file.read_bytes()
        unpacked += len(content)
        zipped += len(zlib.compress(content, 6))
    return Size(unpacked / 1e6, zipped / 1e6)


def report(size: Size) -> None:
    """Print the size. Raises SetupError if it is above the limits."""
    say(
        f"  The addon adds {size.unpacked:.0f} MB (at most {UNPACKED_LIMIT_MEGABYTES:.0f}), "
        f"zipped {size.zipped:.0f} MB (at most {ZIPPED_LIMIT_MEGABYTES:.0f})"
    )
    if size.unpacked > UNPACKED_LIMIT_MEGABYTES or size.zipped > ZIPPED_LIMIT_MEGABYTES:
        raise SetupError(
            "The addon is too big",
            f"it adds {size.unpacked:.0f} MB, zipped {size.zipped:.0f} MB",
            "remove files that no game needs in runtime.py",
        )


class _PackingProgress(Progress):
    """Shows the progress from the engine's output."""

    def __init__(self, shown: Progress) -> None:
        super().__init__(shown.title)

    def update(self, text: str) -> None:
        packing = _PACKING.search(_TERMINAL_COLOURS.sub("", text))
        super().update(f"packing, {packing[1]} %" if packing else "the engine scans the project")


def _messages(output: str) -> Iterable[str]:
    lines = (_TERMINAL_COLOURS.sub("", line).strip() for line in output.splitlines())
    return [line for line in lines if _MESSAGE.match(line)]


def _check(game: Path, program: str, output: str) -> None:
    missing = [name for name in (program, "rag_memory") if not (game / name).exists()]
    if missing or not list(game.glob("librag_memory.*")):
        raise SetupError(
            "The exported game is incomplete",
            "\n".join([f"missing: {', '.join(missing) or 'the native library'}", *_messages(output)]),
            "act on the messages above",
        )


def _presets(target: Target, template: Path | None, is_server: bool, more_options: Mapping[str, bool]) -> str:
    preset = {
        "name": _PLATFORMS[target.name][0],
        "platform": _PLATFORMS[target.name][0],
        "runnable": True,
        "dedicated_server": is_server,
        "custom_features": "",
        "export_filter": "all_resources",
        "include_filter": "*.json",
        "exclude_filter": "",
        "export_path": "",
        "script_export_mode": 2,
    }
    options = {
        "custom_template/release": "" if template is None else str(template),
        "binary_format/embed_pck": False,
        "binary_format/architecture": "x86_64",
        # Needs a program of the editor for Windows.
        "application/modify_resources": False,
        **more_options,
    }
    lines = ["[preset.0]", ""]
    lines += [f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in preset.items()]
    lines += ["", "[preset.0.options]", ""]
    lines += [f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in options.items()]
    return "\n".join(lines) + "\n"


def _link(source: str, target: str) -> str:
    """Hard-link a file, or copy it if it is small or can't be linked."""
    if os.path.getsize(source) < 100_000:
        return shutil.copyfile(source, target)
    try:
        os.link(source, target)
    except OSError:  # another file system, or one without links
        shutil.copyfile(source, target)
    return target
