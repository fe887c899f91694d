"""Hostile calls of everything that is public, in both engines; `build.py bench attack` does it for longer."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest
from tests.engine.attack import attack
from tests.engine.game import MACHINE, SANITIZED

from rag_memory_build import engine

SECONDS = 45.0
MOST_SEED = 1_000_000


@pytest.mark.slow
@pytest.mark.parametrize("form", ["debug", "release"])
def test_no_call_crashes_hangs_or_breaks_a_save(form: str, tmp_path: Path) -> None:
    template = None
    if form == "release":
        template = engine.find().release_template
        if template is None or SANITIZED or MACHINE.has_only_release_template:
            pytest.skip("there is no release template to run beside the editor's engine")
    seed = secrets.randbelow(MOST_SEED)
    print(f"seed {seed}")
    result = attack(tmp_path, SECONDS, seed, template=template)
    again = f"python3 build.py bench attack --minutes 1 --engine {form} --seed {seed}"
    assert result.problems == [], "\n".join([f"again with: {again}", *result.problems[:40]])
    assert result.called == result.members > 1000
