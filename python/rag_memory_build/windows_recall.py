"""Compares recall on Windows with recall here: memories, their order, and scores."""

from __future__ import annotations

import array
import itertools
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

from . import cpython, development
from .console import run, say
from .paths import ROOT

_PROGRAM = ROOT / "tests" / "windows" / "answers.py"
_LARGEST_DIFFERENCE = 1e-6


def is_same(run_on_windows: Callable[..., tuple[int, str]], conversations: int = 0) -> bool:
    """Ask the questions of the demo here and on Windows; return True if the answers are equal.

    Differences are printed.

    `run_on_windows`: a function of windows_python.started(). `conversations`: how many of ../shared/data to
    add.
    """
    with tempfile.TemporaryDirectory() as folder:
        here, there = Path(folder, "here"), Path(folder, "there")
        run(
            [cpython.EXECUTABLE, _PROGRAM, here, str(conversations)],
            what="Asking the questions of the demo",
            remedy="see the output",
            log="answers",
            environment=development.environment(),
        )
        code, output = run_on_windows(_PROGRAM, there, str(conversations), is_shipped=True)
        if code != 0:
            say(f"Recall on Windows: FAILED, exit code {code}\n{output}")
            return False
        vectors = _difference(*(_vectors(path) for path in (here, there)))
        answers, others = (json.loads(path.with_suffix(".json").read_text()) for path in (here, there))
    pairs = list(zip(answers, others, strict=True))
    ids = [[[key for key, _score in ranked] for ranked in pair] for pair in pairs]
    same = sum(one == other for one, other in ids)
    scores = max(
        abs(one[1] - other[1])
        for pair in pairs
        for one, other in itertools.zip_longest(*pair, fillvalue=("", 0.0))
    )
    say(
        f"Recall on Windows: {same} of {len(pairs)} answers are the same memories in the same order; the "
        f"largest difference of a score is {scores:.1e}, of a number of a vector {vectors:.1e}"
    )
    return same == len(pairs) and scores <= _LARGEST_DIFFERENCE


def _vectors(file: Path) -> array.array[float]:
    return array.array("f", file.with_suffix(".vectors").read_bytes())


def _difference(one: array.array[float], other: array.array[float]) -> float:
    return max(abs(left - right) for left, right in zip(one, other, strict=True))
