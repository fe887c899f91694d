"""The zip of the addon, and docs/quick_start.md carried out with it in an empty project."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.engine.game import ROOT, START_LIMIT_SECONDS, Game, Home, Project, check_errors, run

from rag_memory_build import package, targets

pytestmark = pytest.mark.slow

QUICK_START = (ROOT / "docs" / "quick_start.md").read_text(encoding="utf-8")
_RUNTIME = f"runtime/{targets.HERE.name}"
DRIVER = "addons/editor_driver"


@pytest.fixture(scope="session")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return package.build([targets.HERE], tmp_path_factory.mktemp("package"))


@pytest.fixture(scope="session")
def unpacked(packed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the zip has; a file must be removed before it is written anew."""
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(folder)
    return folder / "addons" / "rag_memory"


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
    assert [name for name in names if "__pycache__" in name and "/runtime/" not in name] == []
    assert "MIT License" in texts["LICENSE"]
    lexicon = {name.rpartition("/")[2] for name in names if "vader" in name and ".dist-info/" not in name}
    assert {"vader_lexicon.txt", "vaderSentiment.py", "vaderSentiment-LICENSE.txt"} <= lexicon
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
    "models/default/model.json": (Path.unlink, "Take the folder models/default/ from the zip file"),
    "runtime": (_remove, "delete the folder addons/rag_memory/ and unpack the addon's zip file"),
    f"runtime/{targets.HERE.name}/site-packages/rag_memory/godot/bridge.py": (
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


def test_an_archive_of_the_repository_holds_the_addon_alone() -> None:
    words = ["git", "-C", str(ROOT), "archive", "--worktree-attributes", "HEAD"]
    archive = subprocess.run(words, capture_output=True, check=True).stdout
    listed = subprocess.run(["tar", "t"], input=archive, capture_output=True, check=True).stdout.decode()
    names = {name for name in listed.splitlines() if not name.endswith("/")}
    assert "addons/rag_memory/plugin.cfg" in names
    assert [name for name in names if not name.startswith("addons/")] == []
