"""Regular expressions of the core are compiled when they are first used."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from rag_memory.lazy_pattern import lazy_pattern

_IMPORT = """
import re, sys
compile_now, callers = re._compiler.compile, []

def counted(pattern, flags=0):
    frame = sys._getframe(1)
    while frame.f_globals["__name__"] in ("re", "rag_memory.lazy_pattern"):
        frame = frame.f_back
    callers.append(frame.f_globals["__name__"])
    return compile_now(pattern, flags)

re._compiler.compile = counted
import rag_memory.godot.bridge
print(*sorted({name for name in callers if name.startswith("rag_memory")}))
"""


def test_importing_the_core_compiles_no_expression() -> None:
    done = subprocess.run([sys.executable, "-c", _IMPORT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == ""


def test_a_lazy_pattern_is_used_like_any_other() -> None:
    lazy, plain = lazy_pattern(r"(?P<word>\w+)-", re.IGNORECASE), re.compile(r"(?P<word>\w+)-", re.IGNORECASE)
    text = "one-two-three"
    for _ in range(2):
        assert lazy.sub("", text) == plain.sub("", text)
        assert lazy.findall(text) == plain.findall(text)
    assert (lazy.pattern, lazy.flags, lazy.groupindex) == (plain.pattern, plain.flags, plain.groupindex)


def test_a_faulty_expression_is_reported_at_its_first_use() -> None:
    with pytest.raises(re.error):
        lazy_pattern("(").search("a")
