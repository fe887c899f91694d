"""Which tests of the core do not run on Windows."""

from __future__ import annotations

import pytest

from rag_memory_build.windows_tests import EXCLUDED, UNIT


@pytest.mark.parametrize("name", [name for names in EXCLUDED.values() for name in names])
def test_what_is_left_out_is_there(name: str) -> None:
    file, _, test = name.partition("::")
    assert (UNIT / file).exists()
    function = test.partition("[")[0]
    assert not test or f"def {function}(" in (UNIT / file).read_text(encoding="utf-8")
