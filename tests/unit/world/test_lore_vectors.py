"""Vectors of lore are kept for the next save, and what is wrong with their file costs only time."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.world.lore_texts import REALM

from rag_memory import Save, SaveError, open_save
from rag_memory.step import run
from rag_memory.text.file_text import FileText
from rag_memory.world.lore_preparing import prepare_steps


def imported(save: Save, text: str = REALM) -> dict[str, Any]:
    return save.world.lore.import_lore(FileText(text), {"key": "realm"})


def test_a_second_save_of_a_game_imports_without_embedding(
    opened: Callable[..., Save], tmp_path: Path
) -> None:
    assert imported(opened(tmp_path / "one.sqlite3"))["embedded"] == 4
    second = opened(tmp_path / "two.sqlite3")
    assert imported(second)["embedded"] == 0
    first_hits = opened(tmp_path / "three.sqlite3")
    (tmp_path / "lore" / "realm.vectors").unlink()
    assert imported(first_hits)["embedded"] == 4
    assert second.world.lore.search_lore("Brannoc") == first_hits.world.lore.search_lore("Brannoc")


def prepared(save: Save, folder: Path, text: str = REALM, **options: str) -> dict[str, Any]:
    return run(prepare_steps(FileText(text, "res://realm.md"), options, save.embedder, folder))


@pytest.mark.parametrize("key", ["realm", "another"])
def test_vectors_that_were_made_ahead_are_used(opened: Callable[..., Save], tmp_path: Path, key: str) -> None:
    save = opened(tmp_path / "one.sqlite3")
    folder = tmp_path / "prepared"
    assert prepared(save, folder) == {
        "key": "realm",
        "chunks": 4,
        "embedded": 4,
        "file": str(folder / "realm.vectors"),
    }
    save.context.prepared_lore = folder
    done = save.world.lore.import_lore(FileText(REALM, "res://realm.md"), {"key": key})
    assert (done["key"], done["chunks"], done["embedded"]) == (key, 4, 0)
    assert not (tmp_path / "lore").exists(), "what the game came with is not kept twice"


def test_only_what_has_changed_is_prepared_anew(opened: Callable[..., Save], tmp_path: Path) -> None:
    save = opened()
    prepared(save, tmp_path)
    assert prepared(save, tmp_path)["embedded"] == 0
    assert prepared(save, tmp_path, REALM.replace("feudal", "old"))["embedded"] == 1
    size = (tmp_path / "realm.vectors").stat().st_size
    assert prepared(save, tmp_path, REALM[: REALM.index("# Trade")])["embedded"] <= 1
    assert (tmp_path / "realm.vectors").stat().st_size < size


def test_a_folder_that_cannot_be_written_is_told(opened: Callable[..., Save], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SaveError, match="could not be written"):
        prepared(opened(), tmp_path / "file")


def test_another_model_makes_its_own(opened: Callable[..., Save], tmp_path: Path) -> None:
    imported(opened(tmp_path / "one.sqlite3"))
    assert imported(opened(tmp_path / "two.sqlite3", dimension=32))["embedded"] == 4


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[: len(content) // 2],
        lambda content: b"x" * len(content),
        lambda content: content[:-1] + bytes([content[-1] ^ 1]),
        lambda content: content.replace(b'"count": 4', b'"count": 9'),
        lambda content: content.replace(b"{", b"["),
        lambda content: content[:40],
    ],
)
def test_a_damaged_file_is_made_anew(
    opened: Callable[..., Save], tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    imported(opened(tmp_path / "one.sqlite3"))
    file = tmp_path / "lore" / "realm.vectors"
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    assert imported(opened(tmp_path / "two.sqlite3"))["embedded"] == 4
    assert file.read_bytes() == whole


def test_a_folder_that_cannot_be_written_keeps_nobody_from_importing(
    opened: Callable[..., Save], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "lore").write_text("a file stands where the folder should be")
    assert imported(opened(tmp_path / "one.sqlite3"))["chunks"] == 4
    assert "could not be written" in caplog.text


def test_a_save_in_memory_keeps_no_file(opened: Callable[..., Save], tmp_path: Path) -> None:
    here = Path.cwd()
    os.chdir(tmp_path)
    try:
        imported(opened())
        assert list(tmp_path.iterdir()) == []
    finally:
        os.chdir(here)


def test_without_a_model_nothing_is_embedded_and_nothing_kept(
    opened: Callable[..., Save], tmp_path: Path
) -> None:
    with open_save(tmp_path / "one.sqlite3", vector_index="disabled") as save:
        assert imported(save)["embedded"] == 0
        assert save.world.lore.search_lore("Brannoc")[0]["title"] == "Carrow"
    assert not (tmp_path / "lore").exists()
    with_model = opened(tmp_path / "one.sqlite3")
    assert imported(with_model)["skipped"]
    assert with_model.world.lore.search_lore("Brannoc")[0]["title"] == "Carrow"
