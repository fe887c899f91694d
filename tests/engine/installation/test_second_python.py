"""Another Python in the same process, as py4godot has one: both work, and both end, in either order."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.engine.game import ADDON, PLATFORM, SANITIZED, Home, Project, run

from rag_memory_build import compiler, cpython, development, paths

SOURCES = Path(__file__).parent / "second_python"
ENTRY = """[configuration]

entry_symbol = "second_python"
compatibility_minimum = "4.4"

[libraries]

linux.x86_64 = "res://second/libsecond_python.so"
"""

pytestmark = pytest.mark.skipif(
    bool(SANITIZED), reason="without RTLD_DEEPBIND both would share their symbols"
)


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("second_python") / "libsecond_python.so"
    flags = ["-std=c++17", "-O1", "-shared", "-fPIC", "-pthread", f"-I{paths.BUILD / 'headers'}"]
    subprocess.run(
        [*compiler.find(), *flags, str(SOURCES / "second_python.cpp"), "-o", str(made), "-ldl"], check=True
    )
    return made


@pytest.mark.parametrize("starts", ["first", "second"])
@pytest.mark.parametrize("ends", ["ends_first", "ends_last"])
def test_two_pythons_work_in_one_process_and_end_in_either_order(
    project: Project, home: Home, library: Path, monkeypatch: pytest.MonkeyPatch, starts: str, ends: str
) -> None:
    folder = project.folder / "second"
    folder.mkdir()
    (folder / library.name).symlink_to(library)
    (folder / "second.gdextension").write_text(ENTRY, encoding="utf-8")
    extensions = project.folder / ".godot" / "extension_list.cfg"
    known = extensions.read_text(encoding="utf-8")
    extensions.write_text(f"{known.rstrip()}\nres://second/second.gdextension\n", encoding="utf-8")
    shared = home.user_data(project) / "second"
    shared.mkdir(parents=True)
    site_packages = ADDON / "runtime" / PLATFORM / "site-packages"
    for name, value in {
        "FOLDER": shared,
        "LIBRARY": cpython.HERE.libpython,
        "HOME": cpython.HERE.folder / "usr",
        "CODE": SOURCES / "work_beside.py",
        "PACKAGES": development.SITE_PACKAGES,
        "ADDON": site_packages,
        "MODELS": ADDON / "models",
        "ENDS": ends.removeprefix("ends_"),
    }.items():
        monkeypatch.setenv(f"SECOND_PYTHON_{name}", str(value))
    game = run(project, home, "beside_a_second_python", starts, ends)
    expected = "The player saved my son from the river."
    for when in ("alone", "beside", *(["after"] if ends == "ends_first" else [])):
        assert expected in game.value(when)
    assert game.value("count") == (22 if ends == "ends_first" else 21)
    said = game.value("said")
    assert said["is_own_numpy"]
    assert said["is_the_addons_core"]
    assert said["found"][-1] == "The player brought me a red rose."
    assert said["trace"] == sum(number**2 for number in range(10000))
    assert game.values("second") == ["ran", "ended"]
