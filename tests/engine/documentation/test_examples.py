"""Every example of the F1 help and of the documents runs in the real engine, and does what it says."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.engine.documentation.example_script import claims, script_of
from tests.engine.documentation.example_sources import Example, all_examples
from tests.engine.game import Game, Home, Project, check_errors, for_servers

from rag_memory_build.postgres_server import temporary_postgres
from rag_memory_build.valkey_server import temporary_valkey

pytestmark = pytest.mark.slow

WARNINGS = """
    unassigned_variable unassigned_variable_op_assign unused_variable unused_local_constant
    unused_parameter unused_private_class_variable unused_signal shadowed_variable
    shadowed_variable_base_class shadowed_global_identifier unreachable_code unreachable_pattern
    standalone_expression standalone_ternary incompatible_ternary unsafe_void_return
    static_called_on_instance redundant_await assert_always_true assert_always_false
    integer_division narrowing_conversion int_as_enum_without_cast int_as_enum_without_match
    enum_variable_without_default deprecated_keyword confusable_identifier
    confusable_local_declaration confusable_local_usage confusable_capture_reassignment
""".split()  # noqa: SIM905 - as a list literal, nobody could read it
"""Warnings that are on by default. They are errors here."""

EXAMPLES = all_examples()
LIMIT_SECONDS = 1800.0


class Outcome(NamedTuple):
    """The engine's output during an example, and the results of its checks."""

    lines: list[str]
    result: dict[str, Any]


@pytest.fixture(scope="module")
def outcomes() -> Iterator[list[Outcome]]:
    """All examples, run one after the other in one engine."""
    with temporary_valkey() as valkey, temporary_postgres() as postgres:
        os.environ["RAG_MEMORY_POSTGRES_PASSWORD"] = postgres.password()
        os.environ["RAG_MEMORY_EXAMPLES_POSTGRES"] = str(postgres.port)
        os.environ["RAG_MEMORY_VALKEY_PASSWORD"] = valkey.password()
        os.environ["RAG_MEMORY_EXAMPLES_VALKEY"] = f"redis://127.0.0.1:{valkey.port}/0"
        yield from _run_all()


def _run_all() -> Iterator[list[Outcome]]:
    settings = {f"debug/gdscript/warnings/{name}": "2" for name in WARNINGS}
    with tempfile.TemporaryDirectory(prefix="rag_memory_examples_") as name:
        project = for_servers(Project(Path(name) / "project", settings=settings))
        folder = project.folder / "examples"
        folder.mkdir()
        for number, example in enumerate(EXAMPLES):
            (folder / f"{number}.gd").write_text(script_of(example.code), encoding="utf-8")
        if kept := os.environ.get("RAG_MEMORY_KEEP_EXAMPLES"):
            Path(kept).mkdir(parents=True, exist_ok=True)
            for path in folder.iterdir():
                (Path(kept) / path.name).write_bytes(path.read_bytes())
        game = Game(
            project,
            Home(Path(name) / "home"),
            "res://tests/engine/documentation/examples/runner.gd",
            "res://examples",
            str(len(EXAMPLES)),
        )
        code = game.end(LIMIT_SECONDS)
        assert code == 0, game.tail()
        yield _outcomes(game.lines)


def _outcomes(lines: list[str]) -> list[Outcome]:
    found: list[Outcome] = []
    begin = 0
    for index, line in enumerate(lines):
        if line.startswith("@begin "):
            begin = index + 1
        elif line.startswith("@end "):
            found.append(Outcome(lines[begin:index], json.loads(line.removeprefix("@end "))))
    return found


def test_there_are_examples_of_every_kind() -> None:
    sources = {example.source for example in EXAMPLES}
    assert any(source.startswith("RAGMemory.store") for source in sources)
    assert any(source.startswith("npc_context_builder.gd") for source in sources)
    assert any(source.startswith("README.md") for source in sources)
    assert any(source.startswith("docs/quick_start.md") for source in sources)


@pytest.mark.parametrize("number", range(len(EXAMPLES)), ids=[example.source for example in EXAMPLES])
def test_example(outcomes: list[Outcome], number: int) -> None:
    example: Example = EXAMPLES[number]
    assert number < len(outcomes), "the engine ended before this example"
    lines, result = outcomes[number]
    shown = f"{example.source}\n{example.code}\n" + "\n".join(lines[-40:])
    assert not result["faults"], "\n".join(result["faults"]) + "\n" + shown
    check_errors(lines, [])
    assert result["checks"] >= claims(example.code), f"a claim of this example was not reached\n{shown}"
