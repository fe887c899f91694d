"""docs/csharp.md cannot be compiled here. What it names exists, all the same."""

from __future__ import annotations

import re

import pytest
from tests.engine.game import ROOT

from rag_memory_build.all_classes import all_classes

CODE = "\n".join(
    re.findall(r"```csharp\n(.*?)```", (ROOT / "docs" / "csharp.md").read_text(encoding="utf-8"), re.DOTALL)
)
SCRIPTS = [path.read_text(encoding="utf-8") for path in (ROOT / "addons" / "rag_memory").rglob("*.gd")]
NATIVE = {
    name
    for cls in all_classes()
    for name in (
        *(method.name for method in cls.methods),
        *(signal.name for signal in cls.signals),
        *(property.name for property in cls.properties),
    )
}


@pytest.mark.parametrize("path", sorted(set(re.findall(r'GD\.Load<GDScript>\("res://(.*?)"\)', CODE))))
def test_scripts_are_where_the_page_says(path: str) -> None:
    assert (ROOT / path).is_file()


@pytest.mark.parametrize("name", sorted(set(re.findall(r'\.(?:Call|Set|Get|Connect)\("(\w+)"', CODE))))
def test_members_that_the_page_names_exist(name: str) -> None:
    declared = re.compile(rf"^(?:(?:static )?func|signal|(?:@export[^\n]*? )?var) {name}\b", re.MULTILINE)
    assert name.removesuffix("_async") in NATIVE or any(declared.search(script) for script in SCRIPTS)
