"""The table of what is in an export says what is in it."""

from __future__ import annotations

import pytest

from rag_memory_build import contents, export, targets
from rag_memory_build.paths import ROOT

GUIDE = (ROOT / "docs" / "export.md").read_text(encoding="utf-8").partition("## How much does it add?")[2]
COLUMNS = ("linux_x86_64", "windows_x86_64")


@pytest.mark.parametrize("name", COLUMNS)
def test_every_part_has_the_size_that_the_guide_says(name: str) -> None:
    target = targets.TARGETS[name]
    if target is not targets.HERE and not target.runtime.is_dir():
        return  # made on demand
    said = {part: numbers[COLUMNS.index(name)] for part, numbers in contents.listed(GUIDE).items()}
    sizes = contents.megabytes(target)
    assert set(said) == set(sizes)
    assert {part: (sizes[part], said[part]) for part in said if abs(sizes[part] - said[part]) > 0.3} == {}
    assert sizes[contents.SUM] <= export.UNPACKED_LIMIT_MEGABYTES


def test_the_table_is_sorted_and_its_columns_add_up() -> None:
    table = contents.listed(GUIDE)
    *parts, together = table.values()
    assert list(table)[-1] == contents.SUM
    first = [numbers[0] for numbers in parts]
    assert first == sorted(first, reverse=True)
    for column, total in enumerate(together):
        assert sum(numbers[column] for numbers in parts) == pytest.approx(total, abs=0.5)
