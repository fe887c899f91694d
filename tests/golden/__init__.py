"""Texts that may only change on purpose: recall on four games, a dossier and six prompts.

A change that should change nothing leaves them as they are, to the letter. After one that should, rewrite
them, read the difference and commit it:

    python3 build.py python -m pytest --rewrite-golden tests/unit/test_golden.py \\
        tests/engine/prompt/test_golden_prompts.py
"""

from __future__ import annotations

from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


def check(config: pytest.Config, name: str, text: str) -> None:
    """Compare a text with the file of this name; with --rewrite-golden, write the file."""
    file = FOLDER / f"{name}.txt"
    if config.getoption("--rewrite-golden"):
        file.write_text(text, encoding="utf-8")
    assert text.splitlines() == file.read_text(encoding="utf-8").splitlines(), (
        f"{file.name} has changed; if it should, follow the head of tests/golden/__init__.py"
    )
