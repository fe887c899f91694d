"""docs/architecture.md names files, functions and modules; what it says has to be true."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PATH_LINES = re.search(r"```path\n(.*?)```", TEXT, re.DOTALL)[1].splitlines()  # type: ignore[index]
LAYERS = {"native/src": "*.[ch]*", "python/rag_memory/godot": "*.py", "python/rag_memory": "*.py"}


@pytest.mark.parametrize("line", PATH_LINES)
def test_every_station_of_a_call_exists(line: str) -> None:
    file, name = re.match(r"(\S+): (\w+)", line).groups()  # type: ignore[union-attr]
    source = (ROOT / file).read_text(encoding="utf-8")
    definition = rf"def {name}\(" if file.endswith(".py") else rf"\b{name}\("
    assert re.search(definition, source), f"{file} defines no {name}"


@pytest.mark.parametrize("folder", LAYERS)
def test_every_module_has_its_place_in_the_tables(folder: str) -> None:
    named = set(re.findall(r"`([\w.]+\.(?:py|h|cpp))`", TEXT))
    modules = {file.name for file in (ROOT / folder).glob(LAYERS[folder])} - {"__init__.py"}
    assert modules <= named, f"not in docs/architecture.md: {sorted(modules - named)}"


def test_every_file_named_with_its_folder_exists() -> None:
    paths = set(re.findall(r"`((?:python|native|tests|addons)/[\w/.]+)`", TEXT))
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_core_never_imports_the_godot_layer() -> None:
    offenders = []
    for file in (ROOT / "python" / "rag_memory").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            offenders += [file.name for name in names if "godot" in name.split(".")]
    assert offenders == []
