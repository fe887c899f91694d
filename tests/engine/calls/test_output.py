"""Output and logs of Python in the engine's output."""

from __future__ import annotations

from tests.engine.game import Home, Project, run

SPEAK = """
import sys
import warnings

_start = start

def start(*arguments):
    bridge = _start(*arguments)
    log = logging.getLogger("rag_memory.test")
    log.debug("a debug line")
    log.info("an info line with %d%% and äöü 你好", 100)
    log.warning("a warning line")
    log.error("an error line\\nwith a second line")
    logging.getLogger("other.library").critical("a critical line")
    try:
        1 / 0
    except ZeroDivisionError:
        log.exception("an exception")
    print("printed", "with", "blanks")
    print("no newline at the end", end="")
    sys.stdout.flush()
    print("to stderr", file=sys.stderr)
    warnings.warn("a Python warning", UserWarning, stacklevel=1)
    return bridge
"""


def test_pythons_output_reaches_the_engine_by_level(quick_project: Project, home: Home) -> None:
    quick_project.inject(SPEAK)
    errors = ["an error line", "a critical line", "an exception", "to stderr"]
    game = run(quick_project, home, "python_output", errors=errors)
    lines = game.lines
    assert "a debug line" not in game.text()
    assert "[rag_memory.test] an info line with 100% and äöü 你好" in lines
    assert "printed with blanks" in lines
    assert "no newline at the end" in lines
    assert "WARNING: [rag_memory.test] a warning line" in lines
    assert any(line.startswith("WARNING: [py.warnings]") and "a Python warning" in line for line in lines)
    assert "ERROR: [rag_memory.test] an error line" in lines
    assert "with a second line" in lines
    assert "ERROR: [other.library] a critical line" in lines
    assert "ERROR: to stderr" in lines
    assert any(line.startswith("ZeroDivisionError") for line in lines)


def test_a_record_that_cannot_be_formatted_is_one_error(quick_project: Project, home: Home) -> None:
    quick_project.inject("""
_start = start

def start(*arguments):
    bridge = _start(*arguments)
    logging.getLogger("rag_memory.test").info("arguments that do not fit: %d", "x")
    return bridge
""")
    game = run(quick_project, home, "python_output", errors=[""])
    assert "arguments that do not fit: %d" in game.text()
    assert len(game.errors()) == 1, game.tail()


def test_a_quiet_start_prints_nothing(project: Project, home: Home) -> None:
    game = run(project, home, "python_output")
    lines = [line for line in game.lines if line and not line.startswith("Godot Engine")]
    assert lines == []
