"""A call by name works on every backend: parameters are called as in the protocol."""

from __future__ import annotations

import inspect

import pytest

from rag_memory.storage.protocol import Storage

METHODS = [
    name for name, member in inspect.getmembers(Storage, inspect.isfunction) if not name.startswith("_")
]


@pytest.mark.parametrize("name", METHODS)
def test_parameters_are_called_as_in_the_protocol(storage: Storage, name: str) -> None:
    expected = list(inspect.signature(getattr(Storage, name)).parameters)[1:]
    assert list(inspect.signature(getattr(storage, name)).parameters) == expected
