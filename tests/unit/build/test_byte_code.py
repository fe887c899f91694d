"""Byte code without docstrings does what the source does."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from rag_memory_build import byte_code

SOURCE = '''"""A module."""

from __future__ import annotations

import dataclasses


class Only:
    """A class with nothing else."""


@dataclasses.dataclass
class Pair:
    """Two numbers."""

    first: int
    second: int = 2


def answer(number: int) -> int:
    """Return it."""
    "which is no docstring"
    assert number > 0, "too small"
    return number
'''


def test_modules_lose_their_docstrings_and_keep_their_checks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "package" / "told.py"
    source.parent.mkdir()
    source.write_text(SOURCE, encoding="utf-8")
    byte_code.replace_sources(tmp_path, "site-packages", keeps_asserts=True)
    assert [path.name for path in source.parent.iterdir()] == ["told.pyc"]
    spec = importlib.util.spec_from_file_location("told", source.with_suffix(".pyc"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    spec.loader.exec_module(module)
    assert (module.__doc__, module.Only.__doc__, module.answer.__doc__) == (None, None, None)
    assert module.Pair.__doc__ == "-", "a dataclass would make one of its signature"
    assert module.Pair(1).second == 2
    assert module.answer(3) == 3
    assert module.answer.__code__.co_filename == "site-packages/package/told.py"
    assert module.answer.__code__.co_firstlineno == 20
    with pytest.raises(AssertionError, match="too small"):
        module.answer(0)
