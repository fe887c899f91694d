"""Errors read as sentences and say what to do next."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_memory import errors, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.errors import RagMemoryError, SaveError

CORE = Path(__file__).resolve().parents[2] / "python" / "rag_memory"
KINDS = {name for name, kind in vars(errors).items() if isinstance(kind, type)}


def test_control_characters_do_not_reach_the_output() -> None:
    error = RagMemoryError("The server said \x1b[2J\x9b\x07", "it is\tmad\nor bad", "Ask \x7fagain")
    assert str(error) == "The server said  [2J  : it is\tmad\nor bad. Ask  again."


def raised() -> Iterator[tuple[str, list[ast.expr]]]:
    """Where an error of ours is made, and with which arguments."""
    for file in sorted(CORE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in KINDS:
                yield f"{file.name}:{node.lineno}", node.args


def beginning(text: ast.expr) -> str:
    """The constant beginning of a text; "" if it is computed."""
    first = text.values[0] if isinstance(text, ast.JoinedStr) else text
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""


def test_every_error_says_what_happened_why_and_what_to_do_next() -> None:
    found = list(raised())
    assert len(found) > 50
    assert [where for where, arguments in found if len(arguments) != 3] == []


def test_what_to_do_next_is_a_sentence_of_its_own() -> None:
    small = []
    for where, arguments in raised():
        word = beginning(arguments[2]).partition(" ")[0]
        if word[:1].islower() and "(" not in word:
            small.append(f"{where}: {word}")
    assert small == []


def test_an_error_is_shown_as_sentences() -> None:
    error = RagMemoryError("store(): text is empty", "there is nothing to remember", "Pass a text")
    assert str(error) == "store(): text is empty: there is nothing to remember. Pass a text."
    assert str(RagMemoryError("open_save(): no.", "", "Why not?")) == "open_save(): no. Why not?"


def test_what_the_system_says_of_a_file_comes_without_numbers(tmp_path: Path) -> None:
    (folder := tmp_path / "village.sqlite3").mkdir()
    with pytest.raises(
        SaveError, match=r"village\.sqlite3: (Is a directory|Permission denied)\. Check"
    ) as raised:
        open_save(folder, embedder=HashingEmbedder(64))
    assert "Errno" not in str(raised.value)
