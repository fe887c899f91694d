"""The zip of the addon, and docs/quick_start.md carried out with it in an empty project."""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from tests.engine.game import ROOT, START_LIMIT_SECONDS, Game, Home, Project, check_errors

from rag_memory_build import package

pytestmark = pytest.mark.slow

QUICK_START = (ROOT / "docs" / "quick_start.md").read_text(encoding="utf-8")
DRIVER = "addons/editor_driver"


@pytest.fixture(scope="session")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return package.build(tmp_path_factory.mktemp("package"))


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
    assert [name for name in lexicon if "emoji" in name] == [], "a list that nothing reads"
    icons = {Path(name).stem for name in names if name.endswith(".svg")}
    assert {"RAGMemory", "MemoryServer", "MemoryConfig", "MemoryRequest"} <= icons
    for link in re.findall(r"\]\(([\w/.]+)\)", texts["README.md"]):
        assert f"addons/rag_memory/{link}" in names, link


def test_an_archive_of_the_repository_holds_the_addon_alone() -> None:
    words = ["git", "-C", str(ROOT), "archive", "--worktree-attributes", "HEAD"]
    archive = subprocess.run(words, capture_output=True, check=True).stdout
    listed = subprocess.run(["tar", "t"], input=archive, capture_output=True, check=True).stdout.decode()
    names = {name for name in listed.splitlines() if not name.endswith("/")}
    assert "addons/rag_memory/plugin.cfg" in names
    assert [name for name in names if not name.startswith("addons/")] == []
