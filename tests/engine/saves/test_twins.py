"""A game is warned of two nodes that are one NPC, and of two ids that look like one."""

from __future__ import annotations

from tests.engine.game import Home, Project, is_warning, run


def test_twins_and_look_alikes(quick_project: Project, home: Home) -> None:
    game = run(quick_project, home, "twins")
    assert game.value("shared") == 2
    assert game.value("by_id") is True
    assert game.value("loaded") == game.value("opened") == 0
    twins, alike = (
        [line for line in game.lines if is_warning(line) and part in line]
        for part in ("have the npc_id", "look alike")
    )
    assert len(twins) == 1 and "/root/Gate and /root/Tower" in twins[0] and '"guard"' in twins[0]
    assert len(alike) == 1 and '"Mira" and "mira"' in alike[0] and "merge_npcs" in alike[0]


def test_calls_of_one_npc_in_two_spellings_keep_their_order(quick_project: Project, home: Home) -> None:
    game = run(quick_project, home, "spellings")
    assert game.values("counted") == [600, 600, 600, 0, 1] * 5
