"""Fixtures of the tests that run a game for Windows under Wine. They run on demand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.export.exported import Exported, make_exported_game
from tests.windows.game.windows_game import Windows

from rag_memory_build import wine, zig
from rag_memory_build.console import Progress, run
from rag_memory_build.target_windows import WINDOWS_X86_64

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def _wine() -> wine.Wine:
    reason = wine.why_unavailable()
    if reason:
        pytest.skip(reason)
    return wine.prepare(Progress("Wine"))


@pytest.fixture
def windows(_wine: wine.Wine, tmp_path: Path) -> Iterator[Windows]:
    """A Windows nobody has used yet."""
    prefix = _wine.new_prefix(tmp_path / "prefix")
    yield Windows(_wine, prefix)
    _wine.end(prefix)


@pytest.fixture(scope="session")
def exported(_wine: wine.Wine, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    """The demo with the tests' scene and scripts, exported for Windows by the editor for Linux."""
    template = wine.windows_engine(Progress("Windows engine"))
    return make_exported_game(tmp_path_factory.mktemp("export"), WINDOWS_X86_64, template, HERE / "scripts")


@pytest.fixture(scope="session")
def holder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that holds files open without sharing them, as an antivirus program does."""
    return _compile(HERE / "programs" / "hold.c", tmp_path_factory.mktemp("programs") / "hold.exe")


@pytest.fixture(scope="session")
def marking_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A DLL that writes the file MARKER_FILE names when it is loaded."""
    folder = tmp_path_factory.mktemp("programs")
    return _compile(HERE / "programs" / "mark.c", folder / "mark.dll", "-shared")


def _compile(source: Path, product: Path, *options: str) -> Path:
    run(
        [zig.program(Progress("Zig")), "cc", "-target", zig.WINDOWS, *options, source, "-o", product],
        what=f"Compiling {source.name}",
        remedy="see above",
        log=f"windows-{source.stem}",
    )
    return product
