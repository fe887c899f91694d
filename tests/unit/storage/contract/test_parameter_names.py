"""A call by name works on every backend: parameters are called as in the protocol."""

from __future__ import annotations

import inspect

import pytest

from rag_memory.storage.ownership import Owners
from rag_memory.storage.protocol import Snapshots, Storage, Terms, Vectors

PARTS = {"": Storage, "vectors": Vectors, "terms": Terms, "snapshots": Snapshots, "owners": Owners}
METHODS = [
    (part, name)
    for part, protocol in PARTS.items()
    for name, member in inspect.getmembers(protocol, inspect.isfunction)
    if not name.startswith("_")
]


@pytest.mark.parametrize(("part", "name"), METHODS)
def test_parameters_are_called_as_in_the_protocol(storage: Storage, part: str, name: str) -> None:
    expected = list(inspect.signature(getattr(PARTS[part], name)).parameters)[1:]
    method = getattr(getattr(storage, part) if part else storage, name)
    assert list(inspect.signature(method).parameters) == expected
