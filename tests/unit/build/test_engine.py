"""Which engine set-up chooses, and what it says when that one will not do."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_memory_build import debian, engine
from rag_memory_build.console import SetupError


def make_program(folder: Path, name: str, answer: str, exit_code: int = 0) -> Path:
    """A program that only tells its version: enough for the choice between engines."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\necho '{answer}'\nexit {exit_code}\n")
    program.chmod(0o755)
    return program


@pytest.fixture(autouse=True)
def own_version_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_VERSIONS_FILE", tmp_path / "stamps" / "versions.json")
    monkeypatch.setattr(engine, "CACHE", tmp_path / "cache")
    monkeypatch.delenv("GODOT", raising=False)
    monkeypatch.setenv("PATH", "/nonexistent")


def test_the_engine_named_in_the_environment_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = make_program(tmp_path / "a", "godot-chosen", "4.5.1.stable.official")
    make_program(tmp_path / "b", "godot", "4.6.0.stable.official")
    monkeypatch.setenv("PATH", str(tmp_path / "b"))
    monkeypatch.setenv("GODOT", str(chosen))
    found = engine.find()
    assert (found.path, found.version, found.private_folder) == (chosen, (4, 5, 1), None)


def test_godot_on_path_is_used_before_a_private_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = make_program(tmp_path / "b", "godot", "4.4.stable.official")
    monkeypatch.setenv("PATH", str(tmp_path / "b"))
    found = engine.find()
    assert (found.path, found.version) == (program, (4, 4, 0))


def test_an_engine_older_than_4_4_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GODOT", str(make_program(tmp_path, "old", "4.3.stable.official")))
    with pytest.raises(SetupError, match="too old") as caught:
        engine.find()
    assert "4.3" in caught.value.why
    assert "GODOT" in caught.value.remedy


def test_a_name_that_is_no_program_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GODOT", "/nowhere/godot")
    with pytest.raises(SetupError, match="GODOT names no program"):
        engine.find()


@pytest.mark.parametrize(("answer", "code"), [("hello", 0), ("", 0), ("4.6.stable", 3)])
def test_a_program_that_is_no_working_engine_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    monkeypatch.setenv("GODOT", str(make_program(tmp_path, "other", answer, code)))
    with pytest.raises(SetupError):
        engine.find()


def test_a_replaced_engine_is_asked_for_its_version_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = make_program(tmp_path, "engine", "4.5.stable")
    monkeypatch.setenv("GODOT", str(program))
    assert engine.find().version == (4, 5, 0)
    make_program(tmp_path, "engine", "4.6.stable.newer")
    assert engine.find().version == (4, 6, 0)


def test_without_any_engine_and_without_debian_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    release = tmp_path / "os-release"
    release.write_text("ID=fedora\n")
    monkeypatch.setattr(debian, "_OS_RELEASE", release)
    with pytest.raises(SetupError, match="no Godot engine") as caught:
        engine.find()
    assert "not Debian" in caught.value.why
    assert "GODOT" in caught.value.remedy


def test_a_private_engine_with_a_file_missing_counts_as_not_there(tmp_path: Path) -> None:
    (tmp_path / "library.so").write_bytes(b"1234")
    (tmp_path / "engine.json").write_text('{"library.so": 4}')
    assert engine.is_complete(tmp_path)
    (tmp_path / "library.so").write_bytes(b"12")
    assert not engine.is_complete(tmp_path)
    (tmp_path / "library.so").unlink()
    assert not engine.is_complete(tmp_path)
