"""A save warns of ids that look like one NPC and are two."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rag_memory import Save
from rag_memory.saves.look_alike_ids import LookAlikeIds, look_alike


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Hanna", "hanna"),
        ("MILLER", "Miller"),
        ("René", "Rene"),
        ("Оtto", "Otto"),  # with a Cyrillic O
        ("Ivan", "Іvаn"),  # with a Ukrainian I and a Cyrillic a
        ("ΝΙΚΟ", "NIKO"),  # Greek
        ("guard_1", "guard-1"),
        ("old tom", "Old_Tom"),
        ("old tom", "old\u00a0tom"),
        ("ka\u200bra", "kara"),
        ("ｋara", "kara"),
        ("Борис", "борис"),
    ],
)
def test_ids_that_look_the_same(one: str, other: str) -> None:
    assert look_alike(one, other) and look_alike(other, one)
    ids = LookAlikeIds(["someone", one])
    assert ids.add(other) == [one]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Hanna", "Hanan"),
        ("Marius", "Marcus"),
        ("guard_1", "guard_11"),
        ("guard_1", "guard_2"),
        ("guard_1", "guard_i"),
        ("guard_3", "guard_e"),
        ("кит", "кпт"),
        ("かこ", "がこ"),
        ("กิน", "กีน"),
        ("कि", "की"),
        ("李明", "李朋"),
    ],
)
def test_ids_that_do_not(one: str, other: str) -> None:
    assert not look_alike(one, other)
    assert LookAlikeIds([one]).add(other) == []


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if "look" in record.getMessage()]


@pytest.fixture
def save(opened: Callable[..., Save], save_path: Path) -> Save:
    return opened(save_path)


def test_a_save_warns_once_and_names_both(save: Save, caplog: pytest.LogCaptureFixture) -> None:
    save.npc("Hanna").memories.store("The player helped me.", 5)
    save.npc("gregor")
    assert warnings(caplog) == []
    for _ in range(3):
        save.npc("hanna").memories.store("The player robbed me.", 5)
    (warning,) = warnings(caplog)
    assert '"Hanna"' in warning and '"hanna"' in warning
    assert "merge_npcs" in warning and "rename_npc" in warning


def test_a_save_warns_of_an_id_of_a_former_session(
    save: Save, opened: Callable[..., Save], save_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    save.npc("Hanna").memories.store("The player helped me.", 5)
    save.close()
    opened(save_path).npc("Hаnna")  # with a Cyrillic a
    assert len(warnings(caplog)) == 1


def test_two_spellings_of_one_id_are_no_warning(save: Save, caplog: pytest.LogCaptureFixture) -> None:
    save.npc("Zoë").memories.store("The player helped me.", 5)
    save.npc("Zoe\u0308 ")
    assert warnings(caplog) == []


def test_an_npc_that_got_its_id_does_not_look_like_its_former_one(
    save: Save, caplog: pytest.LogCaptureFixture
) -> None:
    save.npc("Hanna").memories.store("The player helped me.", 5)
    save.identities.rename("Hanna", "hanna")
    save.npc("hanna")
    assert warnings(caplog) == []
