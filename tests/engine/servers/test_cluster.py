"""Two game servers under load, and what is left when one is killed; `bench cluster` is the large one."""

from __future__ import annotations

import functools
import sys
from pathlib import Path

import pytest
from tests.engine.game import ROOT, Project, for_servers

from rag_memory_build.console import Progress
from rag_memory_build.postgres_server import PostgresServer
from rag_memory_build.server_process import temporary
from rag_memory_build.valkey_server import temporary_valkey

sys.path.append(str(ROOT / "bench"))

from measurement.cluster_run import SETTINGS, Cluster, Plan

PLAN = Plan(zones=2, npcs=40, memories=2_000, rate=20.0, seconds=15.0, kills=1, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("kills", [1, 2], ids=["started again", "taken over, too"])
def test_killed_game_servers_lose_nothing_double_nothing_and_share_nobody(tmp_path: Path, kills: int) -> None:
    progress, project = Progress("cluster"), for_servers(Project(tmp_path / "project"))
    made = functools.partial(PostgresServer, is_fast=True, settings=SETTINGS)
    with temporary(made) as postgres, temporary_valkey() as valkey:
        cluster = Cluster(PLAN._replace(kills=kills), tmp_path, project, postgres, valkey)
        try:
            cluster.fill(progress)
            cluster.start(progress)
            cluster.load(progress)
            cluster.stop()
            verdict = cluster.judged()
        finally:
            cluster.end()
    assert len(cluster.kills) == kills
    assert verdict.is_good, str(verdict)
    assert verdict.checked > len(cluster.confirmed()) > 100
    assert all(zone.said("own") and not zone.said("remembered_nothing") for zone in cluster.zones)
