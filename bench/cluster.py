"""A world on several game servers: `python3 build.py bench cluster [--write]`; options make it smaller.

Headless game servers share a save on PostgreSQL and receive events over Valkey. Some of them are killed. The
benchmark fails if an event is lost or handled twice, an NPC has two owners, or a disposition differs from
the sum of the log. Times are compared with those of the same game for one player, whose save is a file.
"""

from __future__ import annotations

import functools
import os
import shutil
import sys
from collections.abc import Sequence

os.environ["OPENBLAS_NUM_THREADS"] = "1"

from measurement import cluster_check, command, machine, markdown
from measurement.cluster_run import SETTINGS, Cluster, Plan, played_alone
from measurement.result import percentile

from rag_memory_build.console import SetupError, step
from rag_memory_build.paths import ROOT
from rag_memory_build.postgres_server import PostgresServer
from rag_memory_build.server_process import new_scratch, temporary
from rag_memory_build.valkey_server import temporary_valkey

sys.path.append(str(ROOT))

from tests.engine.game import Game, Project, for_servers

_GIGABYTE = 1e9


def measured(plan: Plan) -> str:
    """Run the benchmark and return the report.

    Raises:
        SetupError: it could not be run, or the result is wrong.
    """
    load = machine.load()
    folder = new_scratch()
    try:
        project = for_servers(Project(folder / "project"))
        with step("A game for one player") as progress:
            alone = played_alone(plan, folder, project, progress)
        made = functools.partial(PostgresServer, settings=SETTINGS)
        with temporary(made) as postgres, temporary_valkey() as valkey:
            cluster = Cluster(plan, folder, project, postgres, valkey)
            try:
                with step(f"{plan.memories:,} memories of {plan.npcs:,} NPCs") as progress:
                    cluster.fill(progress)
                with step(f"{plan.zones} zones") as progress:
                    cluster.start(progress)
                with step(f"{plan.rate:g} events a second for {plan.seconds:g} s") as progress:
                    cluster.load(progress)
                cluster.stop()
                with step("Checking the database"):
                    verdict = cluster.judged()
                report = _report(plan, cluster, alone, verdict, load)
            finally:
                cluster.end()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if not verdict.is_good:
        raise SetupError("The cluster lost or repeated something", str(verdict), f"see the report:\n{report}")
    return report


def _report(plan: Plan, cluster: Cluster, alone: Game, verdict: cluster_check.Verdict, load: float) -> str:
    events = cluster.confirmed()
    seconds = cluster.published_until - cluster.started_at
    behind = cluster.drained_at - cluster.published_until
    lines = [
        *machine.conditions(load),
        f"* {plan.zones} zones, {plan.npcs:,} NPCs, {plan.memories:,} memories, {plan.rate:g} events a "
        f"second for {plan.seconds:g} s, {plan.kills} servers killed, seed {plan.seed}",
        f"* Beside it each zone asks {plan.asks_per_second:g} questions and perceives "
        f"{plan.perceives_per_second:g} events a second by itself; PostgreSQL with {', '.join(SETTINGS)}",
        f"* {verdict}",
        f"* {len(events):,} events published in {seconds:.0f} s; the last was stored {behind:.1f} s later: "
        f"{len(events) / (seconds + max(0.0, behind - 1.0)):.0f} events a second",
        *(_killed(cluster, number) for number in range(len(cluster.kills))),
        "",
        _times(cluster, alone),
        "",
        _costs(cluster, len(events), seconds + behind),
    ]
    return "\n".join(lines)


def _killed(cluster: Cluster, number: int) -> str:
    kill = cluster.kills[number]
    heir = cluster.zones[kill.heir]
    first, everybody = (
        next((at - kill.at for at in heir.said(name) if at > kill.at), float("nan"))
        for name in ("answered_first", "answered_all")
    )
    how = "was started again" if kill.heir == kill.zone else f"was taken over by {heir.name}"
    return (
        f"* {cluster.zones[kill.zone].name} was killed and {how}: the first of its NPCs answered after "
        f"{first:.1f} s, those who are asked after {everybody:.1f} s"
    )


def _times(cluster: Cluster, alone: Game) -> str:
    """Times of calls, beside those of the game for one player."""
    rows = [["ms", "one player: p50", "p99", "zones under load: p50", "p99", "ratio of p50", "of p99"]]
    calls: tuple[tuple[str, Sequence[float], Sequence[float]], ...] = (
        (
            "retrieve_scored",
            _flat(alone.values("asked_usec")),
            _flat(usec for zone in cluster.zones for usec in zone.said("asked_usec")),
        ),
        (
            "the first question to an NPC",
            _flat(alone.values("first_usec")),
            _flat(usec for zone in cluster.zones for usec in zone.said("first_usec")),
        ),
        (
            "perceive, the call",
            [usec / 1000 for _id, _npc, usec in alone.values("own")],
            [usec / 1000 for zone in cluster.zones for _id, _npc, usec in zone.said("own")],
        ),
    )
    for name, before, under in calls:
        if before and under:
            times = [percentile(samples, share) for samples in (before, under) for share in (0.5, 0.99)]
            ratios = [times[2] / times[0], times[3] / times[1]]
            rows.append(
                [name, *(f"{number:.2f}" for number in times), *(f"{number:.1f} x" for number in ratios)]
            )
    for name, waits in _waits(cluster).items():
        if waits:
            rows.append([name, "", "", *(f"{percentile(waits, share):.1f}" for share in (0.5, 0.99)), "", ""])
    return markdown.table(rows)


def _waits(cluster: Cluster) -> dict[str, list[float]]:
    """Milliseconds from publishing an event to its commit, by the times in the database."""
    committed = {
        line.happening: line.committed_at
        for line in cluster_check.lines_of(cluster.connection, cluster.save)
        if line.happening
    }
    killed = {kill.zone for kill in cluster.kills} | {kill.heir for kill in cluster.kills}
    quiet_npcs = {
        npc_id
        for zone in cluster.zones
        if zone.number not in killed
        for npc_id in cluster.plan.npc_ids(zone.number)
    }
    waits = [
        (npc_id, 1000 * (committed[id] - at)) for id, npc_id, at in cluster.confirmed() if id in committed
    ]
    return {
        "from publishing to the commit, all": [wait for _npc, wait in waits],
        "the same, zones that were not touched": [wait for npc, wait in waits if npc in quiet_npcs],
    }


def _costs(cluster: Cluster, events: int, seconds: float) -> str:
    plan = cluster.plan
    resident = {zone.name: zone.said("resident_kb") for zone in cluster.zones}
    rows = [["what", "how much"]]
    rows += [
        [
            f"processor time, {what}",
            f"{1000 * used / max(1, events):.2f} ms per event ({used / seconds:.0%} of a core)",
        ]
        for what, used in sorted(cluster.cpu_seconds.items())
    ]
    rows += [
        ["connections to PostgreSQL", f"{cluster.most_connections}"],
        ["locks at most", f"{cluster.most_locks:,}"],
        ["write-ahead log per event", f"{cluster.wal_bytes / max(1, events):,.0f} bytes"],
        ["tables and indexes per event", f"{cluster.grown_bytes / max(1, events):,.0f} bytes"],
        ["Valkey's stream per event", f"{cluster.valkey_bytes():,.0f} bytes"],
        ["memories per GB", f"{plan.memories / (cluster.filled_bytes / _GIGABYTE):,.0f}"],
    ]
    rows += [
        [f"memory of {name}", f"{max(kilobytes) / 1000:.0f} MB"]
        for name, kilobytes in resident.items()
        if kilobytes
    ]
    return markdown.table(rows)


def _flat(batches: object) -> list[float]:
    """Milliseconds of batches of microseconds."""
    return [usec / 1000 for batch in batches for usec in batch]  # type: ignore[attr-defined]


def plan_of(words: Sequence[str] | None = None) -> tuple[Plan, bool]:
    """Read the options; the second value is True if the result is to be written."""
    parser = command.parser("cluster", __doc__, seed_of="memories and events", written_to="bench/README.md")
    parser.add_argument("--zones", type=int, default=4, help="game servers (default 4)")
    parser.add_argument("--npcs", type=int, default=2_000, help="of all zones together (default 2000)")
    parser.add_argument("--memories", type=int, default=1_000_000, help="of all (default 1000000)")
    parser.add_argument("--events-per-second", type=float, default=500.0, help="default 500")
    parser.add_argument("--seconds", type=float, default=300.0, help="how long (default 300)")
    parser.add_argument("--kills", type=int, default=2, help="servers that are killed (default 2)")
    given = parser.parse_args(words)
    plan = Plan(
        given.zones,
        given.npcs,
        given.memories,
        given.events_per_second,
        given.seconds,
        given.kills,
        given.seed,
    )
    return plan, given.write


def main() -> int:
    """Run the benchmark and print the report."""
    plan, writes = plan_of()
    return command.end(lambda: measured(plan), "cluster" if writes else None)


if __name__ == "__main__":
    sys.exit(main())
