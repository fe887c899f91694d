"""Loading a game: the save becomes a snapshot, or empty, whatever the last session left in it."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rag_memory import InvalidArgumentError, Save, SaveDamagedError, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.saves.snapshots import Beginning
from rag_memory.world.campaign import SaveLabels

Open = Callable[..., Save]
CALL = "open_save()"


def load(slot: str) -> Beginning:
    return Beginning(CALL, slot)


NEW_GAME = Beginning("new_game()")


def texts(save: Save) -> list[str]:
    return sorted(memory["document_full"] for memory in save.npc("elena").recall.get_recent(100))


@pytest.fixture
def path(opened: Open, tmp_path: Path) -> Path:
    """A save with two snapshots, and something that came after both."""
    path = tmp_path / "game.sqlite3"
    with opened(path, campaign="realm") as save:
        npc = save.npc("elena")
        npc.memories.store("The mill burned down.")
        save.snapshots.take("first")
        npc.memories.store("The player stole a horse.")
        save.world.characters.register_character("elena", {"name": "Elena"})
        save.snapshots.take("second")
        npc.memories.store("The player killed the cat.")
    return path


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize(
    ("beginning", "expected"),
    [
        (load("first"), ["The mill burned down."]),
        (load("second"), ["The mill burned down.", "The player stole a horse."]),
        (load("third"), []),
        (NEW_GAME, []),
    ],
)
def test_the_save_is_exactly_the_snapshot_or_empty(
    opened: Open, path: Path, beginning: Beginning, expected: list[str], is_open: bool
) -> None:
    for _ in range(2):
        if is_open:
            save = opened(path)
            save.npc("elena").memories.store("The player left without saving.")
            save.enter(SaveLabels(), beginning=beginning)
        else:
            save = opened(path, beginning=beginning)
        assert texts(save) == expected
        is_registered = "name" in save.world.characters.get_character("elena")
        assert is_registered == (beginning.slot == "second")
        assert save.snapshots.slots() == ["first", "second"]
        save.npc("elena").memories.store("The player came back.")
        save.close()


def test_what_was_emptied_can_be_used_and_loaded(opened: Open, path: Path) -> None:
    with opened(path, beginning=NEW_GAME, campaign="other") as save:
        save.npc("elena").memories.store("A new day.")
        save.snapshots.take("third")
    with opened(path, beginning=load("second"), campaign="realm") as save:
        assert len(texts(save)) == 2
        assert [memory["document_full"] for memory in save.npc("elena").recall.retrieve_relevant_raw("mill")]
    with opened(path, beginning=load("third")) as save:
        assert texts(save) == ["A new day."]


def test_a_snapshot_of_another_campaign_changes_nothing(opened: Open, path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(InvalidArgumentError, match="belongs to the campaign"):
        opened(path, beginning=load("first"), campaign="other")
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("slot", "message"), [("First", "first"), ("../a", "cannot be the name of a snapshot"), ("", "empty")]
)
def test_a_name_that_is_nearly_that_of_a_snapshot_loads_nothing(
    opened: Open, path: Path, slot: str, message: str
) -> None:
    before = path.read_bytes()
    with pytest.raises(InvalidArgumentError, match=message):
        opened(path, beginning=load(slot))
    assert path.read_bytes() == before


def test_a_damaged_snapshot_leaves_the_save_as_it_is(opened: Open, path: Path) -> None:
    snapshot = path.with_name("game.snapshots") / "first.sqlite3"
    snapshot.write_bytes(snapshot.read_bytes()[:9000])
    with pytest.raises(SaveDamagedError, match="is damaged"):
        opened(path, beginning=load("first"))
    with opened(path) as save:
        assert len(texts(save)) == 3


def test_a_new_game_may_begin_as_a_prepared_save(opened: Open, path: Path, tmp_path: Path) -> None:
    prepared = tmp_path / "prepared.sqlite3"
    with opened(prepared) as save:
        save.npc("elena").memories.store("I was born in Greywater.")
    before = prepared.read_bytes()
    for beginning in (NEW_GAME, load("third")):
        with opened(path, beginning=beginning._replace(prepared=prepared)) as save:
            assert texts(save) == ["I was born in Greywater."]
            assert save.snapshots.slots() == ["first", "second"]
    with opened(path, beginning=load("first")._replace(prepared=prepared)) as save:
        assert texts(save) == ["The mill burned down."]
    assert prepared.read_bytes() == before


def test_the_save_opens_at_a_snapshot_of_an_older_schema(opened: Open, path: Path) -> None:
    old = Path(__file__).parents[1] / "storage" / "data" / "save_schema_1.sqlite3"
    shutil.copy(old, path.with_name("game.snapshots") / "old.sqlite3")
    with opened(path, beginning=load("old")) as save:
        assert save.store.contents()["memories"] > 0


def test_the_generation_grows_and_never_goes_back(opened: Open, path: Path) -> None:
    generations = []
    for beginning in (None, load("first"), load("third"), NEW_GAME, None):
        with opened(path, beginning=beginning) as save:
            generations.append(save.store.contents()["campaign"]["generation"])
    assert generations == [2, 3, 4, 5, 6]
    with opened(path, beginning=load("second"), is_played=False) as save:
        save.snapshots.restore("first")
        assert save.store.contents()["campaign"]["generation"] == 6


def test_a_killed_process_leaves_the_former_state_or_the_snapshot(opened: Open, path: Path) -> None:
    for number in range(30):
        folder = path.with_name(f"{number}")
        shutil.copytree(path.parent, folder, ignore=lambda _, names: [n for n in names if n.isdigit()])
        child = os.fork()
        if child == 0:
            try:
                open_save(folder / path.name, HashingEmbedder(64), beginning=NEW_GAME)
            finally:
                os._exit(0)
        time.sleep(number * 0.001)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with open_save(folder / path.name, HashingEmbedder(64)) as save:
            assert len(texts(save)) in (0, 3)
            assert save.snapshots.slots() == ["first", "second"]


def test_a_name_that_no_snapshot_has_is_warned_of(
    opened: Open, path: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with opened(path, beginning=load("thrid")):
        pass
    assert 'there is no snapshot "thrid", so the save is empty, and its' in caplog.text
    assert 'memories are gone. There are: "first", "second".' in caplog.text
    caplog.clear()
    with opened(tmp_path / "other.sqlite3", beginning=load("first")):
        pass
    assert not caplog.text  # The first start of a game, which nobody has saved.
