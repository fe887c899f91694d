"""The zip of the addon, and docs/quick_start.md carried out with it in an empty project."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.engine.game import ADDON, ROOT, START_LIMIT_SECONDS, Game, Home, Project, check_errors, run

from rag_memory_build import package, project_cache, targets
from rag_memory_build.console import SetupError

pytestmark = pytest.mark.slow

QUICK_START = (ROOT / "docs" / "quick_start.md").read_text(encoding="utf-8")
_RUNTIME = f"runtime/{targets.HERE.name}"
DRIVER = "addons/editor_driver"


@pytest.fixture(scope="session")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return package.build([targets.HERE], tmp_path_factory.mktemp("package"))


@pytest.fixture(scope="session")
def unpacked(packed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked zip. A file must be removed before it is written again."""
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(folder)
    return folder / "addons" / "rag_memory"


@pytest.fixture(scope="session")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An addon whose big parts are names: what there is for each platform, with a line of text in it."""
    addon = tmp_path_factory.mktemp("stand_in") / "rag_memory"
    shutil.copytree(ADDON, addon, ignore=shutil.ignore_patterns("bin", "runtime", "models"))
    files = [f"models/default/{name}" for name in ("LICENSE", "model.onnx", "model.data")]
    files += ["models/.gdignore", "runtime/.gdignore"]
    for target in targets.TARGETS.values():
        runtime = f"runtime/{target.name}"
        files += [f"bin/{target.library_name}", f"{runtime}/{target.libpython}", f"{runtime}/manifest.txt"]
        files += [f"{runtime}/licenses/hnswlib.txt", f"{runtime}/.gdignore"]
    for name in files:
        (addon / name).parent.mkdir(parents=True, exist_ok=True)
        (addon / name).write_text(f"{name}\n", encoding="utf-8")
    return addon


@pytest.fixture(scope="session")
def listed(stand_in: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The zip of each platform and that of all, of the stand-in, by what their names end in."""
    zips = package.build_all([*targets.TARGETS.values()], tmp_path_factory.mktemp("zips"), stand_in)
    return {zip_file.stem.rpartition("-")[2]: zip_file for zip_file in zips}


def of_platforms(zip_file: Path) -> set[str]:
    """The runtimes' folders and the libraries in a zip."""
    names = zipfile.ZipFile(zip_file).namelist()
    found = (re.match(r"addons/rag_memory/(?:runtime|bin)/(\w[^/]*)", name) for name in names)
    return {match[1] for match in found if match}


def test_the_zip_of_a_platform_has_nothing_of_another_and_that_of_all_has_everything(
    listed: dict[str, Path],
) -> None:
    assert set(listed) == {*targets.TARGETS, "all"}
    assert len(targets.TARGETS) > 1
    for name, target in targets.TARGETS.items():
        assert of_platforms(listed[name]) == {name, target.library_name}
    parts = [set(zipfile.ZipFile(listed[name]).namelist()) for name in targets.TARGETS]
    assert set(zipfile.ZipFile(listed["all"]).namelist()) == set().union(*parts)
    version = package.version()
    assert listed["all"].name == f"rag_memory-{version}-all.zip"
    assert listed["windows_x86_64"].name == f"rag_memory-{version}-windows_x86_64.zip"


def test_the_same_files_give_the_same_zip(stand_in: Path, listed: dict[str, Path], tmp_path: Path) -> None:
    copied = tmp_path / "rag_memory"
    shutil.copytree(stand_in, copied, copy_function=shutil.copyfile)
    again = package.build([*targets.TARGETS.values()], tmp_path, copied)
    assert again.read_bytes() == listed["all"].read_bytes()


def test_a_zip_unpacks_anywhere(packed: Path, listed: dict[str, Path]) -> None:
    for zip_file in (packed, *listed.values()):
        for entry in zipfile.ZipFile(zip_file).infolist():
            mode = entry.external_attr >> 16
            assert stat.S_ISREG(mode), f"{entry.filename} is no plain file"
            is_library = Path(entry.filename).suffix in (".so", ".dll", ".pyd", ".dylib")
            assert not is_library or mode & 0o111 == 0o111, entry.filename
            assert entry.create_system == 3, "so that the rights count"
            assert entry.flag_bits & ~0x800 == 0, "neither encrypted nor streamed"


# What Windows takes, without what an administrator has to allow first.
LONGEST_PATH_ON_WINDOWS = 259
LONGEST_FOLDER = r"C:\Users\a user with a long name\Documents\Godot projects\a game with a rather long name"


@pytest.mark.parametrize("name", targets.TARGETS)
def test_the_longest_path_leaves_room_for_a_project_on_windows(name: str) -> None:
    target = targets.TARGETS[name]
    if not target.runtime.is_dir():
        name = targets.HERE.name  # not staged: its files are those of the others but for their endings
    files = package.addon_files([targets.TARGETS[name]])
    longest = max((f"addons/rag_memory/{file.relative_to(ADDON)}" for file in files), key=len)
    assert len(longest) <= package.LONGEST_NAME, longest
    assert len(LONGEST_FOLDER) + 1 + package.LONGEST_NAME <= LONGEST_PATH_ON_WINDOWS


@pytest.mark.parametrize(
    "name",
    [
        "runtime/{0}/" + "long/" * 30 + "file",
        "runtime/{0}/aux.py",
        "runtime/{0}/a:b",
        "prompt/NPC_personality.gd",
    ],
    ids=["long", "reserved", "colon", "twice"],
)
def test_a_name_that_windows_cannot_unpack_is_refused(name: str, stand_in: Path, tmp_path: Path) -> None:
    addon = tmp_path / "rag_memory"
    shutil.copytree(stand_in, addon, copy_function=os.link)
    file = addon / name.format(targets.HERE.name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    with pytest.raises(SetupError, match="Windows"):
        package.build([targets.HERE], tmp_path, addon)


class EmptyProject(Project):
    """A project with nothing in it but what drives the editor for the tests."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = "First Minute"
        self.addon = folder / "addons" / "rag_memory"
        (folder / "tests").mkdir(parents=True)
        (folder / "tests" / "engine").symlink_to(ROOT / "tests" / "engine")
        shutil.copytree(ROOT / "tests" / "engine" / "editor" / "editor_driver", folder / DRIVER)
        self.write_settings(
            {
                "editor_plugins/enabled": f'PackedStringArray("res://{DRIVER}/plugin.cfg")',
                "editor/run/main_run_args": '"--headless"',
            }
        )
        script = re.search(r"```gdscript\n(.*?)```", QUICK_START, re.DOTALL)
        assert script is not None
        (folder / "mira.gd").write_text(script[1], encoding="utf-8")

    def install(self, packed: Path) -> None:
        """Unpack the zip; the addon's folder appears when it is whole."""
        with zipfile.ZipFile(packed) as archive:
            archive.extractall(self.folder / ".unpacked")
        (self.folder / ".unpacked" / "addons" / "rag_memory").rename(self.addon)


def promised_lines() -> list[str]:
    output = re.search(r"```text\n(.*?)```", QUICK_START, re.DOTALL)
    assert output is not None
    return output[1].splitlines()


@pytest.mark.parametrize("is_open", [True, False], ids=["editor open", "editor closed"])
def test_the_first_minute_of_the_quick_start(is_open: bool, packed: Path, tmp_path: Path, home: Home) -> None:
    project = EmptyProject(tmp_path / "project")
    if not is_open:
        project.install(packed)
    editor = Game(project, home, "", "first_minute", options=["--editor"])
    if is_open:
        assert editor.wait_for("waiting") == [True]
        project.install(packed)
    expected = promised_lines()
    arrived = editor.wait_until(
        lambda: sum("She remembers" in line for line in editor.lines) >= len(expected),
        3 * START_LIMIT_SECONDS,
    )
    (project.folder / "stop").touch()
    assert arrived, editor.tail()
    assert editor.end(START_LIMIT_SECONDS) == 0, editor.tail()
    assert [line for line in editor.lines if "She remembers" in line] == expected
    check_errors(editor.lines, [])
    assert editor.warnings() == []
    assert editor.value("saved") == 0
    assert [path.name for path in home.saves(project).glob("*.sqlite3")] == ["default.sqlite3"]


def test_the_package_holds_what_a_user_needs_and_nothing_else(packed: Path) -> None:
    assert packed.stat().st_size < 1e9
    with zipfile.ZipFile(packed) as archive:
        names = archive.namelist()
        times = {entry.date_time for entry in archive.infolist()}
        texts = {
            name: archive.read(f"addons/rag_memory/{name}").decode()
            for name in ("README.md", "LICENSE", "THIRD_PARTY_LICENSES.md", "plugin.cfg")
        }
    assert names == sorted(names)
    assert times == {(1980, 1, 1, 0, 0, 0)}
    assert all(name.startswith("addons/rag_memory/") for name in names)
    parts = {name.split("/")[2] for name in names}
    assert {"bin", "runtime", "models", "icons", "editor", "prompt"} <= parts
    assert [name for name in names if re.search(r"/tests?/|\.sanitize\.|/\.(?!gdignore$)", name)] == []
    assert [name for name in names if "__pycache__" in name] == []
    assert "MIT License" in texts["LICENSE"]
    lexicon = {name.rpartition("/")[2] for name in names if "vader" in name and ".dist-info/" not in name}
    assert {"vader_lexicon.txt", "vaderSentiment.pyc", "vaderSentiment-LICENSE.txt"} <= lexicon
    markdown = [name for name in names if "/site-packages/markdown_it/" in name]
    assert [name for name in markdown if "/cli/" in name or name.endswith("port.yaml")] == []
    assert any(name.endswith("markdown_it_py-LICENSE.txt") for name in names)
    assert [name for name in lexicon if "emoji" in name] == [], "a list that nothing reads"
    icons = {Path(name).stem for name in names if name.endswith(".svg")}
    assert {"RAGMemory", "MemoryServer", "MemoryConfig", "MemoryRequest"} <= icons


def test_every_link_of_the_package_leads_into_it(packed: Path) -> None:
    with zipfile.ZipFile(packed) as archive:
        names = set(archive.namelist())
        pages = [name for name in names if name.endswith(".md") and "/runtime/" not in name]
        texts = {name: archive.read(name).decode() for name in pages}
    guides = {Path(name).stem for name in pages if "/docs/" in name}
    assert {"quick_start", "api", "localisation", "export", "troubleshooting", "reference"} <= guides
    dead = []
    for name, text in texts.items():
        folder = Path("/") / Path(name).parent
        for link in re.findall(r"\]\(([^)#:\s]+)(?:#[\w-]+)?\)", text):
            if os.path.normpath(folder / link).lstrip("/") not in names:
                dead.append(f"{name}: {link}")
    assert dead == []
    assert "addons/rag_memory/docs/.gdignore" in names
    assert "reads **English**" in texts["addons/rag_memory/README.md"]


def _remove(folder: Path) -> None:
    shutil.rmtree(folder)


def _cut(file: Path) -> None:
    content = file.read_bytes()[:1000]
    file.unlink()
    file.write_bytes(content)


FAULTS: dict[str, tuple[Callable[[Path], None], str]] = {
    "models": (_remove, "Take the folder models/default/ from the zip file of the addon"),
    "models/default/model.onnx": (_cut, "Take the folder models/default/ from the zip file of the addon"),
    "models/default/model.data": (_cut, "Take the folder models/default/ from the zip file of the addon"),
    "models/default/model.json": (Path.unlink, "Take the folder models/default/ from the zip file"),
    "runtime": (_remove, "delete the folder addons/rag_memory/ and unpack the addon's zip file"),
    f"runtime/{targets.HERE.name}/site-packages/rag_memory/godot/bridge.pyc": (
        Path.unlink,
        "unpack the addon's zip",
    ),
    f"{_RUNTIME}/lib/librag_memory_python.so": (_cut, "unpack the addon's zip file"),
}


class ZipProject(Project):
    """A project with the unpacked zip and the tests' own script, and nothing of the repository."""

    def __init__(self, folder: Path, unpacked: Path) -> None:
        super().__init__(folder, staged_core=True)
        shutil.rmtree(self.addon)
        shutil.copytree(unpacked, self.addon, copy_function=os.link)


@pytest.mark.parametrize("first", ["here", "windows"])
def test_zips_of_two_platforms_unpacked_over_each_other_are_an_addon(
    first: str, packed: Path, listed: dict[str, Path], tmp_path: Path, home: Home
) -> None:
    zips = [packed, listed["windows_x86_64"]]
    for zip_file in zips if first == "here" else zips[::-1]:
        with zipfile.ZipFile(zip_file) as archive:
            # The model of the stand-in is none.
            names = [name for name in archive.namelist() if zip_file == packed or "/models/" not in name]
            archive.extractall(tmp_path, names)
    project = ZipProject(tmp_path / "project", tmp_path / "addons" / "rag_memory")
    game = run(project, home, "store_and_count")
    assert game.value("health")["model"] == "all-MiniLM-L6-v2"
    assert game.value("count") == 1
    windows = targets.TARGETS["windows_x86_64"]
    assert (project.addon / "bin" / windows.library_name).is_file()
    assert (project.addon / "runtime" / windows.name / windows.libpython).is_file()


def test_an_editor_without_its_platform_s_files_names_the_zip_that_has_them(
    listed: dict[str, Path], tmp_path: Path, home: Home
) -> None:
    """A project of somebody on Windows, opened on Linux."""
    project = EmptyProject(tmp_path / "project")
    project.install(listed["windows_x86_64"])
    project_cache.announce_extension(project.folder)
    plugins = f'PackedStringArray("res://addons/rag_memory/plugin.cfg", "res://{DRIVER}/plugin.cfg")'
    project.write_settings({"editor_plugins/enabled": plugins})
    editor = Game(project, home, "", "do_nothing", options=["--editor"])
    assert editor.end(2 * START_LIMIT_SECONDS) == 0, editor.tail()
    told = [line for line in editor.lines if "RAG Memory" in line]
    assert len(told) == 1, editor.tail()
    assert "no native library for Linux x86_64" in told[0]
    assert "came from a zip file for: Windows x86_64." in told[0]
    assert f"unpack rag_memory-{package.version()}-linux_x86_64.zip" in told[0]
    assert "restart the editor" in told[0]
    check_errors(editor.lines, [], ["FileAccess::exists(path)", "GDExtension dynamic", "Error loading ext"])


@pytest.mark.parametrize("fault", FAULTS)
def test_who_has_the_zip_is_told_what_to_do_with_it(
    fault: str, unpacked: Path, tmp_path: Path, home: Home
) -> None:
    project = ZipProject(tmp_path / "project", unpacked)
    damage, advice = FAULTS[fault]
    damage(project.addon / fault)
    game = run(project, home, "store_and_count", allowed=["RAG Memory", "model"])
    assert advice in game.text(), game.tail()
    assert "build.py" not in game.text(), game.tail()


def test_a_model_that_somebody_else_prepared_is_used(unpacked: Path, tmp_path: Path, home: Home) -> None:
    project = ZipProject(tmp_path / "project", unpacked)
    assert run(project, home, "store_and_count").value("health")["model"] == "all-MiniLM-L6-v2"
    described = project.addon / "models" / "default" / "model.json"
    needed = ("source_hash", "dimension", "max_tokens", "pooling", "quantization", "texts_together")
    model = json.loads(described.read_text(encoding="utf-8"))
    described.unlink()
    described.write_text(
        json.dumps({"name": "mine", **{key: model[key] for key in needed}}), encoding="utf-8"
    )
    (described.parent / "files.json").unlink()
    game = run(project, home, "store_and_count")
    health = game.value("health")
    assert (health["model"], health["model_is_fallback"]) == ("mine", False)
    assert game.value("count") == 2, "what was stored with the other model is there"


class VillageProject(Project):
    """The unpacked zip of the village with that of the addon in it, and the tests' own reporter."""

    def __init__(self, folder: Path, unpacked: Path) -> None:
        with zipfile.ZipFile(package.build_village(folder)) as archive:
            archive.extractall(folder)
        self.folder = folder / package.VILLAGE
        self.name = "RAG Memory Village"
        self.addon = self.folder / "addons" / "rag_memory"
        shutil.copytree(unpacked, self.addon, copy_function=os.link)
        (self.folder / "tests").symlink_to(ROOT / "tests")
        project_cache.announce_extension(self.folder)
        project_cache.announce_classes(self.folder)


def test_the_zip_of_the_village_is_a_project_that_opens_with_the_addon_in_it(
    unpacked: Path, tmp_path: Path, home: Home
) -> None:
    project = VillageProject(tmp_path / "village", unpacked)
    settings = (project.folder / "project.godot").read_text(encoding="utf-8")
    main_scene = re.search(r'run/main_scene="res://(.+)"', settings)
    assert main_scene and (project.folder / main_scene[1]).is_file()
    assert 'enabled=PackedStringArray("res://addons/rag_memory/plugin.cfg")' in settings
    assert not list(project.folder.rglob("*.ttc")), "the Chinese font is in no zip file"
    game = Game(project, home, "", options=["res://tests/engine/village/reporter.tscn"])
    try:
        opened = game.wait_until(lambda: any(state["ready"] for state in game.values("state")))
    finally:
        game.kill()
    assert opened, game.tail()
    assert game.values("state")[-1]["message"] == "Welcome to Thornhaven."
    check_errors(game.lines, [])


def test_an_archive_of_the_repository_holds_the_addon_alone() -> None:
    words = ["git", "-C", str(ROOT), "archive", "--worktree-attributes", "HEAD"]
    archive = subprocess.run(words, capture_output=True, check=True).stdout
    listed = subprocess.run(["tar", "t"], input=archive, capture_output=True, check=True).stdout.decode()
    names = {name for name in listed.splitlines() if not name.endswith("/")}
    assert "addons/rag_memory/plugin.cfg" in names
    assert [name for name in names if not name.startswith("addons/")] == []
