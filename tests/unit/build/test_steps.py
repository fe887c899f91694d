"""Stamps, locks, disk space, replaced folders and commands: what makes an interrupted set-up safe."""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rag_memory_build import (
    commands,
    compiler,
    console,
    cpython,
    development,
    disk,
    engine,
    extension_modules,
    lock,
    native,
    stamp,
)
from rag_memory_build.console import SetupError
from rag_memory_build.paths import PYTHON_SOURCE, ROOT


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stamp, "_STAMPS", tmp_path / "stamps")
    monkeypatch.setattr(console, "LOGS", tmp_path / "logs")
    # Commands end cleanly on SIGTERM; the tests' own process keeps its way of ending.
    monkeypatch.setattr("signal.signal", lambda number, handler: None)


def test_a_stamp_holds_only_for_its_key_and_while_its_products_exist(tmp_path: Path) -> None:
    product = tmp_path / "product"
    product.touch()
    assert not stamp.is_current("thing", "key", product)
    stamp.finish("thing", "key")
    assert stamp.is_current("thing", "key", product)
    assert not stamp.is_current("thing", "other", product)
    product.unlink()
    assert not stamp.is_current("thing", "key", product)


def test_a_forgotten_stamp_makes_the_step_run_again() -> None:
    stamp.finish("thing", "key")
    stamp.forget("thing")
    assert not stamp.is_current("thing", "key")


def test_a_key_changes_with_any_file_below_a_folder(tmp_path: Path) -> None:
    file = tmp_path / "source" / "deep" / "a.py"
    file.parent.mkdir(parents=True)
    file.write_text("1")
    before = stamp.key_of(tmp_path / "source")
    file.write_text("2")
    assert stamp.key_of(tmp_path / "source") != before


def test_a_folder_is_replaced_only_when_the_new_one_is_whole(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "old").touch()
    with pytest.raises(KeyboardInterrupt), disk.replacing(folder) as fresh:
        (fresh / "new").touch()
        raise KeyboardInterrupt
    assert [file.name for file in folder.iterdir()] == ["old"]
    with disk.replacing(folder) as fresh:
        (fresh / "new").touch()
    assert [file.name for file in folder.iterdir()] == ["new"]
    assert [file.name for file in tmp_path.iterdir() if "folder" in file.name] == ["folder"]


def test_what_a_killed_run_left_behind_is_cleared_away(tmp_path: Path) -> None:
    (tmp_path / ".folder.new-abc").mkdir()
    with disk.replacing(tmp_path / "folder"):
        pass
    assert not (tmp_path / ".folder.new-abc").exists()


def test_set_up_leaves_running_programs_the_module_they_have_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages, built = tmp_path / "site-packages", tmp_path / "built" / "module.so"
    for folder, content in ((packages, b"old"), (built.parent, b"new")):
        folder.mkdir()
        (folder / built.name).write_bytes(content)
    monkeypatch.setattr(development, "SITE_PACKAGES", packages)
    monkeypatch.setattr(stamp, "is_current", lambda *words: True)
    monkeypatch.setattr(cpython, "prepare", lambda: tmp_path / "python")
    monkeypatch.setattr(extension_modules, "build", lambda progress: [built])
    installed = packages / built.name
    with (
        installed.open("rb") as file,
        contextlib.closing(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)) as loaded,
    ):
        development.prepare()
        assert loaded[:] == b"old"
    assert installed.read_bytes() == b"new"
    assert [file.name for file in packages.iterdir()] == [built.name]


def test_too_little_disk_space_is_said_before_a_step(tmp_path: Path) -> None:
    disk.require_free(tmp_path / "not" / "yet", 1, "a small thing")
    with pytest.raises(SetupError, match="Not enough disk space for a huge thing") as caught:
        disk.require_free(tmp_path, 10**9, "a huge thing")
    assert "XDG_CACHE_HOME" in caught.value.remedy


def test_a_full_disk_is_told_from_other_errors() -> None:
    assert disk.full_disk_error(OSError(errno.ENOSPC, "No space left on device", "file")) is not None
    assert disk.full_disk_error(OSError(errno.EACCES, "Permission denied", "file")) is None


def test_a_second_run_waits_for_the_lock_with_a_message(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib; from rag_memory_build.lock import exclusive\n"
        "with exclusive(pathlib.Path(sys.argv[1]), 'the folder'): print('got it', flush=True)"
    )
    file = tmp_path / "lock"
    environment = {**os.environ, "PYTHONPATH": str(PYTHON_SOURCE)}
    with lock.exclusive(file, "the folder"):
        other = subprocess.Popen(
            [sys.executable, "-c", script, file],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert other.stderr is not None
        assert f"process {os.getpid()}" in other.stderr.readline()
        assert other.poll() is None
    output, _ = other.communicate(timeout=300)
    assert output == "got it\n"


def test_a_failed_command_is_reported_with_its_output_and_a_remedy() -> None:
    words = [sys.executable, "-c", "print('the reason'); raise SystemExit(3)"]
    with pytest.raises(SetupError, match="Doing it failed") as caught:
        console.run(words, what="Doing it", remedy="do this", log="test")
    assert "exit code 3" in caught.value.why
    assert "the reason" in caught.value.why
    assert str(caught.value).endswith("next: do this")


def test_a_program_that_is_not_there_is_reported() -> None:
    with pytest.raises(SetupError, match="Doing it failed"):
        console.run(["/nowhere/program"], what="Doing it", remedy="do this", log="test")


def test_without_a_compiler_the_message_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(SetupError, match="no C") as caught:
        compiler.find()
    assert "g++" in caught.value.remedy


def test_a_compiler_named_in_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", f"{sys.executable} -x")
    assert compiler.find() == [sys.executable, "-x"]
    monkeypatch.setenv("CXX", "/nowhere/c++")
    with pytest.raises(SetupError, match="CXX"):
        compiler.find()


def test_an_object_is_current_until_one_of_its_inputs_changes(tmp_path: Path) -> None:
    source, header, made = tmp_path / "a b.cpp", tmp_path / "a.h", tmp_path / "a.o"
    for file in (source, header, made):
        file.touch()
    made.with_suffix(".d").write_text(f"object: {tmp_path}/a\\ b.cpp \\\n  {header}\n")
    os.utime(made, (time.time() + 5, time.time() + 5))
    assert native.is_current(made)
    os.utime(header, (time.time() + 9, time.time() + 9))
    assert not native.is_current(made)
    header.unlink()
    assert not native.is_current(made)


def test_an_interrupted_command_says_so_and_exits_with_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(engine, "find", interrupt)
    assert commands.main(["engine"]) == 130
    assert "Finished steps are not repeated" in capsys.readouterr().err


def test_a_failed_step_exits_with_1_and_prints_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise SetupError("It failed", "because", "do this")

    monkeypatch.setattr(engine, "find", fail)
    assert commands.main(["engine"]) == 1
    error = capsys.readouterr().err
    assert "It failed\n  why:  because\n  next: do this" in error
    assert "Traceback" not in error


def test_options_after_test_reach_pytest_unread() -> None:
    assert commands.parse(["test", "--", "-x", "-k", "name"]).passed_on == ["-x", "-k", "name"]
    assert commands.parse(["test", "-x"]).passed_on == ["-x"]
    elsewhere = commands.parse(["test", "--platform", "windows_x86_64", "--", "-k", "name"])
    assert (elsewhere.platform, elsewhere.passed_on) == ("windows_x86_64", ["-k", "name"])
    assert commands.parse(["test", "--platform=windows_x86_64", "-x"]).passed_on == ["-x"]
    both = commands.parse(["test", "--all", "--platform", "windows_x86_64", "-x"])
    assert (both.all, both.platform, both.passed_on) == (True, "windows_x86_64", ["-x"])
    assert not commands.parse(["test", "--", "--all"]).all, "an option of pytest"
    assert commands.parse(["python", "-c", "1"]).passed_on == ["-c", "1"]
    assert commands.parse(["bench", "latency", "--quick"]).passed_on == ["--quick"]
    assert commands.parse(["bench", "latency", "--help"]).passed_on == ["--help"]


def test_help_of_bench_lists_the_benchmarks(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        commands.parse(["bench", "--help"])
    assert ended.value.code == 0
    help_text = " ".join(capsys.readouterr().out.split())
    for names in (
        "latency, mind, peers, playthrough, precision, profile, public_games, question_times, recall",
        "saves, say, scale, shard_roles, soak, start, stream, talk, truth, wired_games, world",
    ):
        assert names in help_text


def test_no_file_of_set_up_names_a_host_to_download_from() -> None:
    hosts = ("pypi" + ".org", "pythonhosted" + ".org", "deb.debian" + ".org")
    for file in [ROOT / "build.py", *sorted((PYTHON_SOURCE / "rag_memory_build").rglob("*"))]:
        if file.is_file() and file.suffix != ".pyc":
            text = file.read_text(encoding="utf-8")
            assert not [host for host in hosts if host in text], file
