"""A runtime that did not arrive whole: the game goes on and says what to do; a whole one costs no time."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.engine.game import ADDON, PLATFORM, Home, Project, run

from rag_memory_build import runtime_manifest

EXTENSION_MODULES = {
    "numpy": "site-packages/numpy/_core/_multiarray_umath.*.so",
    "onnxruntime": "site-packages/onnxruntime/capi/onnxruntime_pybind11_state.*.so",
    "sqlite3": "stdlib/lib-dynload/_sqlite3.*.so",
    "a library": "lib/rag_memory_libsqlite3.so*",
}


def replace(folder: Path, pattern: str, change: Callable[[bytes], bytes]) -> str:
    """Write a file of the runtime anew (it is linked to the built one); its name."""
    file = next(folder.glob(pattern))
    content = file.read_bytes()
    file.unlink()
    file.write_bytes(change(content))
    return file.relative_to(folder).as_posix()


def without_its_end(content: bytes) -> bytes:
    return content[: len(content) * 2 // 3]


def with_another_byte(content: bytes) -> bytes:
    return content[:100] + bytes([content[100] ^ 1]) + content[101:]


def check_that_it_is_refused(project: Project, home: Home, *parts: str) -> None:
    game = run(project, home, "store_and_count", errors=["RAG Memory: "], allowed=["RAGMemory."])
    told = game.value("health")["last_error"]
    for part in ("The Python runtime is damaged", "Install the addon again", *parts):
        assert part in told, told


@pytest.mark.parametrize("module", EXTENSION_MODULES)
def test_a_truncated_library_is_said(module: str, tmp_path: Path, home: Home) -> None:
    project = Project(tmp_path / "project", staged_core=True, model=False)
    run(project, home, "store_and_count")
    name = replace(project.own_runtime(), EXTENSION_MODULES[module], without_its_end)
    check_that_it_is_refused(project, home, f"{name} has ")


@pytest.mark.parametrize(
    "pattern", ["stdlib/json/decoder.pyc", EXTENSION_MODULES["numpy"], "site-packages/rag_memory/save.pyc"]
)
def test_a_file_of_another_content_is_said(pattern: str, tmp_path: Path, home: Home) -> None:
    project = Project(tmp_path / "project", staged_core=True, model=False)
    name = replace(project.own_runtime(), pattern, with_another_byte)
    check_that_it_is_refused(project, home, f"{name} is not what it was")


def test_no_raw_text_of_a_model_is_an_answer(tmp_path: Path, home: Home) -> None:
    """Without the core nobody can take the reasoning out of it."""
    project = Project(tmp_path / "project", staged_core=True, model=False)
    replace(project.own_runtime(), "site-packages/rag_memory/save.pyc", with_another_byte)
    game = run(project, home, "ask_a_model", errors=["RAG Memory: "])
    assert game.value("answer") == ""
    assert "The Python runtime is damaged" in game.value("error")


def test_a_library_with_something_behind_its_end_is_said(tmp_path: Path, home: Home) -> None:
    project = Project(tmp_path / "project", staged_core=True, model=False)
    name = replace(
        project.own_runtime(), EXTENSION_MODULES["numpy"], lambda content: content + b"of another version"
    )
    check_that_it_is_refused(project, home, f"{name} has ")


def test_a_manifest_that_is_missing_or_cut_off_is_said(tmp_path: Path, home: Home) -> None:
    project = Project(tmp_path / "project", staged_core=True, model=False)
    runtime = project.own_runtime()
    replace(runtime, runtime_manifest.NAME, lambda content: content[: content.index(b"\n", 5000) + 1])
    check_that_it_is_refused(project, home, "manifest.txt is incomplete")
    (runtime / runtime_manifest.NAME).unlink()
    check_that_it_is_refused(project, home, "there is no ", "manifest.txt")


def test_a_whole_runtime_is_read_once_and_again_when_it_is_installed_anew(tmp_path: Path, home: Home) -> None:
    project = Project(tmp_path / "project", staged_core=True, model=False)
    runtime = project.own_runtime()
    remembered = home.user_data(project) / "rag_memory_runtime_checked.txt"
    run(project, home, "store_and_count")
    first = remembered.read_text(encoding="utf-8")
    assert first.startswith(f"{runtime}\n")
    written = remembered.stat().st_mtime_ns
    run(project, home, "store_and_count")
    assert remembered.stat().st_mtime_ns == written, "without a change the libraries' sizes are enough"
    replace(runtime, "stdlib/json/decoder.pyc", with_another_byte)
    replace(runtime, runtime_manifest.NAME, lambda content: content)
    check_that_it_is_refused(project, home, "stdlib/json/decoder.pyc is not what it was")
    assert remembered.read_text(encoding="utf-8") == first


def test_the_manifest_lists_every_file() -> None:
    runtime = ADDON / "runtime" / PLATFORM
    lines = (runtime / runtime_manifest.NAME).read_text(encoding="utf-8").splitlines()
    listed = {name: (checksum, size) for checksum, size, name in (line.split(" ", 2) for line in lines[1:])}
    files = {path.relative_to(runtime).as_posix(): path for path in runtime.rglob("*") if path.is_file()}
    assert int(lines[0]) == len(listed) == len(lines) - 1
    assert set(files) - set(listed) == {runtime_manifest.NAME, ".gdignore"}
    for name in ("stdlib/os.pyc", "runtime.json"):
        content = files[name].read_bytes()
        assert listed[name] == (f"{zlib.crc32(content):08x}", str(len(content)))
