"""The addon where it was not built: read-only, moved, incomplete or broken."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.engine.game import ADDON, LIBRARY, Game, Home, Project, run
from tests.engine.read_only import read_only


def install(folder: Path) -> Project:
    """A game with the addon copied into it, nothing linked: what a user has."""
    project = Project(folder, staged_core=True)
    project.own_runtime()
    for linked in (project.models, project.addon / "bin" / LIBRARY, project.addon / "icons"):
        source = linked.resolve()
        linked.unlink()
        if source.is_dir():
            shutil.copytree(source, linked)
        else:
            shutil.copy2(source, linked)
    return project


def contents(folder: Path) -> dict[str, tuple[int, int]]:
    """Size and time of every file below a folder; links are not followed."""
    states = {path: path.lstat() for path in folder.rglob("*") if not path.is_dir()}
    return {str(path): (state.st_size, state.st_mtime_ns) for path, state in states.items()}


def test_a_read_only_install_folder(tmp_path: Path, home: Home) -> None:
    project = install(tmp_path / "project")
    with read_only(project.folder) as wrapper:
        before = contents(project.folder)
        if wrapper:
            proof = [*wrapper, "sh", "-c", f'echo x > "{project.addon}/proof" 2>/dev/null && echo written']
            written = subprocess.run(proof, capture_output=True, text=True, check=False).stdout
            assert written == "", "the folder is read-only even for root"
        for _start in range(2):
            game = run(project, home, "store_and_count", wrapper=wrapper)
            assert game.value("id") != ""
            assert game.value("health")["model_is_fallback"] is False
        assert game.value("count") == 2
        assert contents(project.folder) == before, "the game wrote into its own folder"


def test_a_moved_project_folder(tmp_path: Path, home: Home) -> None:
    project = install(tmp_path / "project")
    run(project, home, "store_and_count")
    moved = tmp_path / "elsewhere" / "deeper"
    moved.mkdir(parents=True)
    project.folder.rename(moved / "village")
    project.folder = moved / "village"
    game = run(project, home, "store_and_count")
    assert game.value("count") == 2, "the saves are the user's, not the project's"
    assert all(path.startswith(str(moved)) for path in game.value("health")["python_path"])


def test_nothing_of_the_machine_is_used(tmp_path: Path, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    trap = tmp_path / "trap"
    trap.mkdir()
    for name in ("numpy", "json", "sitecustomize", "rag_memory"):
        (trap / f"{name}.py").write_text(f"raise SystemExit('{name} of the machine')", encoding="utf-8")
    for variable in ("PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE"):
        monkeypatch.setenv(variable, str(trap))
    monkeypatch.setenv("PYTHONSTARTUP", str(trap / "json.py"))
    project = Project(tmp_path / "project", staged_core=True)
    home.keeps_python_variables = True
    game = run(project, home, "store_and_count")
    assert game.value("id") != ""
    paths = game.value("health")["python_path"]
    assert all(path.startswith(str(project.runtime)) for path in paths), paths


def test_nothing_is_written_outside_the_user_folder(project: Project, home: Home) -> None:
    game = run(project, home, "store_and_count")
    user = Path(game.value("user_folder"))
    files = [path for path in home.folder.rglob("*") if path.is_file()]
    assert [str(path) for path in files if not path.is_relative_to(user)] == []


def test_a_missing_model_is_said_once_and_replaced(quick_project: Project, home: Home) -> None:
    game = run(quick_project, home, "store_and_count", "slot")
    assert game.value("id") != ""
    assert game.value("recalled") == 2
    health = game.value("health")
    assert health["model_is_fallback"] is True
    assert health["state"] == "ready"
    warnings = [line for line in game.warnings() if "model" in line]
    assert len(warnings) == 1, game.tail()
    assert str(quick_project.models) in warnings[0]


def _truncate(file: Path) -> None:
    content = file.read_bytes()
    file.unlink()
    file.write_bytes(content[: len(content) // 3])


def _overwrite(file: Path) -> None:
    file.unlink()
    file.write_text("This is no library.", encoding="utf-8")


MODEL_DAMAGES: dict[str, Callable[[Path], None]] = {
    "model.onnx truncated": lambda folder: _truncate(folder / "model.onnx"),
    "model.onnx missing": lambda folder: (folder / "model.onnx").unlink(),
    "model.data truncated": lambda folder: _truncate(folder / "model.data"),
    "model.data missing": lambda folder: (folder / "model.data").unlink(),
    "tokenizer.json truncated": lambda folder: _truncate(folder / "tokenizer.json"),
    "model.json truncated": lambda folder: _truncate(folder / "model.json"),
}


@pytest.mark.parametrize("damage", MODEL_DAMAGES)
def test_a_damaged_model_is_said_and_nothing_is_stored(damage: str, tmp_path: Path, home: Home) -> None:
    project = Project(tmp_path / "project", model=False)
    shutil.copytree(ADDON / "models" / "default", project.models)
    MODEL_DAMAGES[damage](project.models)
    name = damage.split()[0]
    game = run(project, home, "store_and_count", errors=[name])
    assert game.value("id") == ""
    assert game.value("count") == 0
    health = game.value("health")
    assert health["state"] == "failed"
    assert name in health["last_error"]
    assert "model" in health["last_error"].split(". ")[-1], "what to do next"
    assert game.values("ready") == []
    (failed,) = game.values("runtime_failed")
    assert name in failed
    assert game.value("activity_state") == "failed"
    assert "Please report it" not in game.text(), game.tail()


RUNTIME_DAMAGES: dict[str, Callable[[Path], None]] = {
    "missing": shutil.rmtree,
    "libpython truncated": lambda folder: _truncate(folder / "lib" / "librag_memory_python.so"),
    "libpython garbage": lambda folder: _overwrite(folder / "lib" / "librag_memory_python.so"),
    "libpython missing": lambda folder: (folder / "lib" / "librag_memory_python.so").unlink(),
    "libsqlite3 missing": lambda folder: next((folder / "lib").glob("*sqlite3*")).unlink(),
    "stdlib missing": lambda folder: shutil.rmtree(folder / "stdlib"),
    "encodings missing": lambda folder: shutil.rmtree(folder / "stdlib" / "encodings"),
    "packages missing": lambda folder: shutil.rmtree(folder / "site-packages"),
    "core missing": lambda folder: shutil.rmtree(folder / "site-packages" / "rag_memory"),
    "numpy missing": lambda folder: shutil.rmtree(folder / "site-packages" / "numpy"),
    "onnxruntime missing": lambda folder: shutil.rmtree(folder / "site-packages" / "onnxruntime"),
}

EMPTY_VALUES = ["", [], [], [], [], {}, False, 0, 0, {}, 0, 0, "", 1, 1, [], 1, ""]
TYPES = [
    "String",
    "PackedStringArray",
    "Array",
    "PackedStringArray",
    "Array",
    "Dictionary",
    "bool",
    "int",
    "int",
    "Dictionary",
    "int",
    "int",
    "String",
    "int",
    "int",
    "PackedStringArray",
    "int",
    "String",
]


def check_failed_runtime(game: Game, remedy: str) -> None:
    """One message on every channel, every value empty, everything alive."""
    errors = game.value("server_errors")
    assert len(errors) == 1, f"runtime_failed was emitted {len(errors)} times\n{game.tail()}"
    error = errors[0]
    assert remedy in error, error
    assert sorted(game.value("node_errors")) == [f"{name}: {error}" for name in ("latecomer", "one", "other")]
    assert game.value("async") == ["", error]
    assert game.value("types") == TYPES
    assert game.value("values") == EMPTY_VALUES
    assert game.value("preload") is False
    assert game.value("ready") == 0
    assert game.value("alive") is True
    health = game.value("health")
    assert (health["state"], health["last_error"]) == ("failed", error)
    assert game.value("talk_error") == error
    assert len(game.errors()) == 1, game.tail()


@pytest.mark.parametrize("damage", RUNTIME_DAMAGES)
def test_a_broken_runtime_leaves_the_game_alive(damage: str, tmp_path: Path, home: Home) -> None:
    project = Project(tmp_path / "project", staged_core=True)
    RUNTIME_DAMAGES[damage](project.own_runtime())
    game = run(project, home, "broken_runtime", errors=["RAG Memory: "])
    check_failed_runtime(game, "Install the addon again")


@pytest.mark.parametrize("fault", ["def (", "raise RuntimeError('by a test')", "import no_such_module"])
def test_a_core_that_does_not_load_leaves_the_game_alive(fault: str, project: Project, home: Home) -> None:
    project.inject(fault)
    game = run(project, home, "broken_runtime", errors=["RAG Memory: "])
    check_failed_runtime(game, "Install the addon again")
    assert "bridge.py" in game.value("server_errors")[0]


def test_a_library_and_a_runtime_of_different_versions_do_not_start(project: Project, home: Home) -> None:
    project.inject("classes.method_table_key = lambda _: 'of another version'")
    game = run(project, home, "broken_runtime", errors=["RAG Memory: "])
    check_failed_runtime(game, "Install the addon again")
    assert "of different versions" in game.value("server_errors")[0]
