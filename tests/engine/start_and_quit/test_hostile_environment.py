"""Limits and variables of the system in which the game is started."""

from __future__ import annotations

import pytest
from tests.engine.game import Home, Project, run


def test_a_file_that_must_not_grow_is_an_error_and_not_the_end(quick_project: Project, home: Home) -> None:
    limited = ["sh", "-c", 'ulimit -f 2000; exec "$@"', "sh"]
    game = run(
        quick_project, home, "store_until_it_fails", wrapper=limited, errors=["RAGMemory.store"], allowed=[""]
    )
    assert 0 < game.value("acknowledged") < 500, game.tail()
    assert game.value("count") == game.value("acknowledged"), "reading goes on"


@pytest.mark.parametrize(
    "variables",
    [
        {"NPY_DISABLE_CPU_FEATURES": "SSE2", "NPY_ENABLE_CPU_FEATURES": "NONSENSE"},
        {"OPENBLAS_NUM_THREADS": "100000", "OPENBLAS_CORETYPE": "Nonsense", "OPENBLAS_VERBOSE": "5"},
        {"ORT_DISABLE_TELEMETRY": "0", "RAYON_NUM_THREADS": "100000", "TOKENIZERS_PARALLELISM": "nonsense"},
    ],
    ids=["numpy", "OpenBLAS", "onnxruntime and tokenizers"],
)
def test_variables_of_the_runtimes_libraries_change_nothing(
    variables: dict[str, str], project: Project, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    game = run(project, home, "store_and_count")
    assert game.value("count") == 1, game.tail()
    assert game.value("health")["model_is_fallback"] is False, game.tail()
