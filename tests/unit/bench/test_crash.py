"""Power cuts, failing disks and damage: the short form of `build.py bench crash`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_memory_build.paths import ROOT

sys.path.append(str(ROOT / "bench"))

import crash

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the disk is recorded on Linux only"),
]
SEED = 77


@pytest.fixture
def folder() -> Iterator[Path]:
    with crash.scratch_folder() as name:
        yield Path(name)


def test_after_a_power_cut_everything_is_there_that_was_promised(folder: Path) -> None:
    assert crash.power(folder, 250, SEED, workers=2).faults == []


def test_a_failing_call_is_an_error_with_a_name_and_the_save_opens_afterwards(folder: Path) -> None:
    assert crash.failing(folder, range(1, 2000, 37), SEED, workers=2).faults == []
