"""Loading the server part of the addon."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rag_memory.errors import RagMemoryError
from rag_memory.godot.server_part import load_server_part


def test_a_half_copied_server_part_is_an_error_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    # This is what an import of a module without a file does.
    monkeypatch.setitem(sys.modules, "rag_memory_server.godot.server_part", None)
    with pytest.raises(RagMemoryError) as error:
        load_server_part(Path("addon/runtime/linux_x86_64"))
    assert f"{Path('addon/server/linux_x86_64')} cannot be loaded" in error.value.what
    assert "rag_memory_server.godot.server_part" in error.value.why
    assert "Unzip the server part" in error.value.remedy and "delete that folder" in error.value.remedy
