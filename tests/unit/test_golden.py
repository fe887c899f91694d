"""Recall and a dossier stay as they are, to the digit and to the letter; see tests/golden/__init__.py."""

from __future__ import annotations

import sys

import pytest
from tests import golden
from tests.unit.prompt.campaign import TODAY, Campaign
from tests.unit.world.test_world_event_visibility import DAY

from rag_memory import open_save
from rag_memory.config.dossier_config import NPCDossierConfig
from rag_memory.embedding.registry import default_embedder
from rag_memory_build.paths import ROOT

sys.path.append(str(ROOT / "bench"))

from measurement.cached_embedder import CachedEmbedder
from measurement.game_runs import NOT_RETURNED, GameRun, asked
from measurement.games import Surroundings, games_of, turns_of
from measurement.talks import read_talks

DEPTHS = {"first": 1, "in five": 5, "in fifteen": 15, "in the answer": NOT_RETURNED}


def test_recall_is_the_same_to_the_digit(pytestconfig: pytest.Config) -> None:
    games = games_of(ROOT / "bench" / "games")
    assert len(games) == 8
    embedder = CachedEmbedder(default_embedder())
    turns = turns_of(read_talks())
    parts = [
        _figures(f"{game.name}, {place.value}", asked([game], place, turns, embedder, others=games))
        for place in (Surroundings.ALONE, Surroundings.WORLD)
        for game in games
    ]
    golden.check(pytestconfig, "recall", "\n\n".join(parts) + "\n")


def _figures(title: str, run: GameRun) -> str:
    lines = [title]
    lines += [f"  {name}: {run.among(depth)[0]} of {run.among(depth)[1]}" for name, depth in DEPTHS.items()]
    lines.append(f"  whole: {run.whole[0]} of {run.whole[1]}; new first: {run.new_first[0]}")
    lines.append(f"  knows: {sum(run.known_true)} of what is true, {sum(run.known_false)} of what is false")
    lines.append(f"  memories for questions about nothing remembered: {sum(run.unknown_counts)}")
    ranks = ["-" if answer.rank == NOT_RETURNED else str(answer.rank) for answer in run.answers]
    return "\n".join([*lines, f"  ranks: {' '.join(ranks)}"])


def test_a_dossier_is_the_same_to_the_letter(pytestconfig: pytest.Config) -> None:
    with open_save(":memory:", clock=lambda: TODAY * DAY) as save:
        campaign = Campaign(save, events=40, memories=3, lore=1_500)
        question = next(each for each in campaign.questions if each.npc == "corvin")
        scene = {"location": "Hallowmere", "nearby": ["aldous", "mirelle"], "time": "dusk"}
        dossier = save.npc("corvin").dossiers.build_dossier(question.asked, scene, NPCDossierConfig())
    sources = [f"{name}: {len(ids)}" for name, ids in dossier["sources"].items()]
    reasons = sorted(f"{left['section']} {left['reason']}" for left in dossier["left_out"])
    lines = [
        question.asked,
        "",
        dossier["text"],
        "",
        *sources,
        "",
        *reasons,
        "",
        f"{dossier['tokens']} tokens",
    ]
    golden.check(pytestconfig, "dossier", "\n".join(lines) + "\n")
