"""Messages where Windows programs can't be run, and existence of the tests listed for Windows."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_memory_build import checks, machines, wine
from rag_memory_build.console import Progress, SetupError
from rag_memory_build.paths import ROOT
from rag_memory_build.target_windows import WINDOWS_X86_64


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wine, "SHARED", tmp_path / "shared")
    monkeypatch.setattr(wine, "CACHE", tmp_path / "cache")
    monkeypatch.delenv("GODOT_WINDOWS", raising=False)
    wine.why_unavailable.cache_clear()


def test_the_windows_engine_named_in_the_environment_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = tmp_path / "godot.exe"
    chosen.touch()
    monkeypatch.setenv("GODOT_WINDOWS", str(chosen))
    assert wine.windows_engine(Progress("")) == chosen
    monkeypatch.setenv("GODOT_WINDOWS", str(tmp_path / "missing.exe"))
    with pytest.raises(SetupError, match="GODOT_WINDOWS names no file"):
        wine.windows_engine(Progress(""))


def test_without_a_windows_engine_it_is_said_where_to_get_one() -> None:
    with pytest.raises(SetupError) as raised:
        wine.windows_engine(Progress(""))
    assert "GODOT_WINDOWS" in raised.value.why and "export templates" in raised.value.remedy
    assert wine.why_unavailable()
    with pytest.raises(SetupError, match="windows_x86_64 cannot be run here"):
        machines.of(WINDOWS_X86_64)


def test_a_prefix_shares_the_folder_of_windows_and_nothing_else(tmp_path: Path) -> None:
    template = tmp_path / "template"
    for folder in ("dosdevices", "drive_c/windows/system32", "drive_c/users/me"):
        (template / folder).mkdir(parents=True)
    (template / "dosdevices" / "c:").symlink_to("../drive_c")
    for name in ("system.reg", ".update-timestamp"):
        (template / name).write_text(name)
    made = wine.Wine(tmp_path / "wine", template).new_prefix(tmp_path / "made")
    assert (made / "drive_c" / "windows").resolve() == template / "drive_c" / "windows"
    assert (made / "dosdevices" / "c:").resolve() == made / "drive_c"
    (made / "drive_c" / "users" / "me" / "save").touch()
    (made / "system.reg").write_text("changed")
    assert (template / "system.reg").read_text() == "system.reg"
    assert not list((template / "drive_c" / "users" / "me").iterdir())


def test_what_is_excluded_and_what_runs_always_exists() -> None:
    for machine in machines.others():
        for names in machine.excluded.values():
            for name in names:
                file, _, function = name.partition("::")
                assert f"func {function}(" in (ROOT / file).read_text(encoding="utf-8") or not function
    assert all(file.is_file() for file in checks.SMOKE)
