"""Which deeds fulfil a promise, and which leave it open: in doubt it stays open."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rag_memory import Save

ROOF, WOLF = "I promise to repair the roof.", "I promise to kill the wolf."
HERBS = "I promise to bring you the herbs."


def states(save: Save) -> list[str]:
    """The states of what is between Mira and the player."""
    return [matter["state"] for matter in save.npc("mira").get_open_matters("player", True)]


@pytest.mark.parametrize(
    ("promise", "deed"),
    [
        *((ROOF, f"I {verb} to repair the roof.") for verb in ("forgot", "tried", "refused", "started")),
        *((ROOF, f"I {verb} to repair the roof next week.") for verb in ("offered", "planned", "decided")),
        (ROOF, "I stopped repairing the roof."),
        (ROOF, "I asked Ulf to repair the roof."),
        (ROOF, "I have never repaired the roof."),
        (ROOF, "I repaired only half of the roof."),
        (ROOF, "I repaired Ulf's roof."),
        (ROOF, "I repaired the roof, but I did it badly and it fell in."),
        (ROOF, "I repaired the roof. But the storm tore it down again."),
        (ROOF, "The roof is planned to be repaired."),
        (ROOF, "The roof is not repaired."),
        (ROOF, "I need the roof repaired."),
        (WOLF, "I failed to kill the wolf."),
        (WOLF, "I saw the wolf kill a sheep."),
        (WOLF, "I killed a sheep while the wolf was watching."),
        (WOLF, "I killed a sheep, not the wolf."),
        (WOLF, "I went to the forest and saw the wolf kill a hunter."),
        (WOLF, "I heard that Ulf went out and killed the wolf."),
        (HERBS, "I forgot to bring you the herbs."),
        (HERBS, "I failed to bring you the herbs."),
        (HERBS, "I found the herbs but the guards took them."),
        (HERBS, "I found the herbs, but I lost them on the way."),
        (HERBS, "I sent Ulf to bring you the herbs."),
        (HERBS, "I brought the herbs to the guards."),
        (HERBS, "I gave Ulf the herbs."),
        (HERBS, "I took the herbs."),
        (HERBS, "I returned without the herbs."),
        (HERBS, "I brought you no herbs."),
        (HERBS, "I brought you a rose instead of the herbs."),
        (HERBS, "I gave you my word to bring the herbs."),
        (HERBS, "I gave up looking for the herbs for you."),
        (HERBS, "I made a plan to bring the herbs for you."),
        (HERBS, "Here is the money for the herbs."),
        (HERBS, "Here's a map to the herbs."),
        (WOLF, "The wolf has been killed by the hunters."),
        (WOLF, "I killed the wolf's cub."),
        (WOLF, "I killed a bear and saw the wolf."),
        (WOLF, "I killed the bear that killed the wolf."),
        ("I'll give you the ring.", "I gave him the ring."),
        ("I'll find your brother.", "I found your brother's hat."),
        ("I promise to deliver the letter to Ulf.", "I delivered the letter to Bjorn."),
    ],
)
def test_no_deed(opened: Callable[..., Save], promise: str, deed: str) -> None:
    save = opened()
    conversation = save.npc("mira").conversation
    conversation.store_turn(promise, "Good.")
    conversation.store_turn(deed, "I see.")
    assert states(save) == ["open"]


@pytest.mark.parametrize(
    ("promise", "deed"),
    [
        (ROOF, "I repaired the roof."),
        (ROOF, "I've finally mended the roof."),
        (ROOF, "The roof is repaired."),
        (ROOF, "The roof has been fixed."),
        (ROOF, "I managed to repair the roof."),
        (ROOF, "I finished repairing the roof."),
        (ROOF, "Sorry, but I repaired the roof already."),
        (WOLF, "I have killed the wolf."),
        (WOLF, "I killed the wolf with my bow."),
        (WOLF, "I went into the forest and slew the wolf."),
        (WOLF, "The wolf is slain."),
        (HERBS, "Here are the herbs."),
        (HERBS, "I've brought the herbs you asked for."),
        (HERBS, "I got the herbs for you."),
        (HERBS, "I brought the herbs to your house."),
        ("I'll help you repair the roof.", "I helped you repair the roof."),
        (
            "I'll bring the letter to the guards.",
            "I gave you my word, and I brought the letter to the guards.",
        ),
    ],
)
def test_deed(opened: Callable[..., Save], promise: str, deed: str) -> None:
    save = opened()
    conversation = save.npc("mira").conversation
    conversation.store_turn(promise, "Good.")
    conversation.store_turn(deed, "I see.")
    assert states(save) == ["kept"]


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        ("I forgot to bring you the sword.", "open"),
        ("I tried to bring you the sword.", "open"),
        ("I brought you the sword.", "kept"),
        ("Here is the sword, as promised.", "kept"),
    ],
)
def test_deed_of_the_npc(opened: Callable[..., Save], answer: str, state: str) -> None:
    save = opened()
    conversation = save.npc("mira").conversation
    conversation.store_turn("Will you help me?", "I promise to bring you the sword.")
    conversation.store_turn("Well?", answer)
    assert states(save) == [state]
