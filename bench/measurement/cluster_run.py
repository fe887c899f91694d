"""A world of several game servers under load: started, killed, started again or taken over, and watched."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import redis

from measurement import cluster_check, cluster_save, cluster_source, game_text, quick_save
from measurement.cluster_check import Sample
from measurement.processor_time import ProcessorTime
from rag_memory.memory.document import HANDLED_EVENT
from rag_memory_build.console import Progress, SetupError
from rag_memory_build.paths import ROOT
from rag_memory_build.postgres_server import PostgresServer
from rag_memory_build.valkey_server import ValkeyServer
from rag_memory_server.bus.event_bus import EventBus
from rag_memory_server.config.valkey_config import MemoryEventBusConfig
from rag_memory_server.postgres_storage import MemoryPostgresStorage

sys.path.append(str(ROOT))

from tests.engine.game import Game, Home, Project

SAVE = "shard_1"
SETTINGS = ("track_commit_timestamp=on", "shared_buffers=1GB", "max_wal_size=8GB", "wal_compression=lz4")
"""synchronous_commit stays on; every commit is on the disk before it counts."""

_ASKED = 40
_ALONE_SECONDS = 40.0
_ALONE_FASTER = 3.0
"""Beside the zones' calls: so it takes less long."""
_SAMPLE_SECONDS = 2.0
_STARTED_SECONDS = 600.0
_STUCK_SECONDS = 180.0
"""When nothing more arrives for so long, the rest is lost."""
_SCRIPT = "zone_server"


class Plan(NamedTuple):
    """The size of the world, and its load."""

    zones: int
    npcs: int
    memories: int
    rate: float
    seconds: float
    kills: int
    seed: int
    asks_per_second: float = 4.0
    perceives_per_second: float = 1.0
    """Per zone, by the game itself."""

    def npc_ids(self, zone: int) -> list[str]:
        """The IDs of a zone's NPCs."""
        return [f"npc_{number}" for number in range(zone, self.npcs, self.zones)]


class Kill(NamedTuple):
    """A server that was killed, who took its NPCs, and when they answered again."""

    zone: int
    heir: int
    at: float


class Zone:
    """A game server, the files it is started with, and the processes that were it."""

    def __init__(self, number: int, folder: Path, project: Project) -> None:
        self.number = number
        self.name = f"zone_{number}"
        self.file = folder / f"{self.name}.json"
        self.games: list[Game] = []
        self._folder = folder
        self._project = project

    @property
    def game(self) -> Game:
        """The process that it is now."""
        return self.games[-1]

    def start(self) -> None:
        """Start it, or start it again."""
        home = Home(self._folder / f"home_{self.name}_{len(self.games)}")
        self.games.append(Game(self._project, home, _SCRIPT, str(self.file)))

    def said(self, name: str) -> list[Any]:
        """Everything that its processes printed under this name."""
        return [value for game in self.games for value in game.values(name)]


def asked_values(plan: Plan, npcs: Sequence[str]) -> dict[str, Any]:
    """Whom a zone asks, what and how often."""
    return {
        "asked": list(npcs[:_ASKED]),
        "questions": game_text.questions(500, plan.seed),
        "asks_per_second": plan.asks_per_second,
        "perceives_per_second": plan.perceives_per_second,
    }


def played_alone(plan: Plan, folder: Path, project: Project, progress: Progress) -> Game:
    """Play the same game for one player, with a save in a file."""
    npcs, home = plan.npc_ids(0)[:_ASKED], Home(folder / "home_alone")
    path = home.saves(project) / f"{SAVE}.sqlite3"
    quick_save.fill(path, npcs, plan.memories // plan.npcs, plan.seed, cluster_save.NOW, progress)
    values = {**asked_values(plan, npcs), "save": SAVE, "zone": "alone", "storage": None, "bus": None}
    values |= {"npcs": npcs, "seconds": min(plan.seconds, _ALONE_SECONDS)}
    values |= {"asks_per_second": _ALONE_FASTER * plan.asks_per_second}
    values |= {"perceives_per_second": _ALONE_FASTER * plan.perceives_per_second}
    file = folder / "alone.json"
    file.write_text(json.dumps(values), encoding="utf-8")
    game = Game(project, home, _SCRIPT, str(file))
    if game.end(_STARTED_SECONDS) != 0:
        raise SetupError("The game for one player failed", game.tail(), "see its output")
    return game


class Cluster:
    """The servers, the zones, and everything that was seen."""

    def __init__(
        self, plan: Plan, folder: Path, project: Project, postgres: PostgresServer, valkey: ValkeyServer
    ) -> None:
        self.plan = plan
        self.kills: list[Kill] = []
        self.samples: list[Sample] = []
        self.cpu_seconds: dict[str, float] = {}
        """Processor time during the load, by process."""
        self.most_connections = 0
        self.most_locks = 0
        self.where = MemoryPostgresStorage(port=postgres.port, password_file=str(postgres.password_file))
        self.zones = [Zone(number, folder, project) for number in range(plan.zones)]
        self.started_at = self.drained_at = self.published_until = 0.0
        self.wal_bytes = self.grown_bytes = self.filled_bytes = 0
        self._folder = folder
        self._postgres = postgres
        self._valkey = valkey
        self._processors = ProcessorTime()
        self._source: subprocess.Popen[bytes] | None = None

    def fill(self, progress: Progress) -> None:
        """Make the save, and begin to watch it."""
        plan = self.plan
        ids = [id for zone in range(plan.zones) for id in plan.npc_ids(zone)]
        cluster_save.fill(self.where, SAVE, ids, plan.memories, plan.seed, progress)
        self.connection = cluster_save.psycopg_beside(self.where)
        self.filled_bytes = self._size()
        self.connection.execute(cluster_check.WATCH)
        self.connection.execute("CHECKPOINT")
        (self.save,) = self.connection.execute(
            "SELECT save FROM saves WHERE name = %s", (SAVE,)
        ).fetchone() or (0,)

    def start(self, progress: Progress) -> None:
        """Start all zones, one after the other; afterwards everybody who is asked has answered."""
        for zone in self.zones:
            npcs = self.plan.npc_ids(zone.number)
            values = {
                **asked_values(self.plan, npcs),
                "save": SAVE,
                "zone": zone.name,
                "storage": {"port": self.where.port, "password_file": self.where.password_file},
                "bus": self.bus(zone.name),
                "npcs": npcs,
                "seconds": 0,
            }
            zone.file.write_text(json.dumps(values), encoding="utf-8")
            zone.start()
            self._wait(zone.game, "answered_all")
            progress.update(f"{zone.name} runs")
        for zone in self.zones:
            self._wait(zone.game, "joined")

    def bus(self, zone: str) -> dict[str, Any]:
        """The values of an EventBus."""
        return {
            "url": f"redis://127.0.0.1:{self._valkey.port}/0",
            "password_file": str(self._valkey.password_file),
            "zone": zone,
            "hears_others": False,
            "max_stream_events": 1_000_000,
            "claim_after_seconds": 2.0,
            "timeout_seconds": 5.0,
        }

    def load(self, progress: Progress) -> None:
        """Publish for as long as planned, kill on the way, and wait until everything has arrived."""
        plan, log = self.plan, self._folder / "confirmed.jsonl"
        values = {
            "bus": self.bus("source"),
            "npcs": [id for zone in self.zones for id in plan.npc_ids(zone.number)],
            "rate": plan.rate,
            "seconds": plan.seconds,
            "seed": plan.seed,
            "log": str(log),
        }
        file = self._folder / "source.json"
        file.write_text(json.dumps(values), encoding="utf-8")
        wal = self._wal()
        size = self._size()
        self._sample()
        self._processors.begin()
        self.started_at = time.time()
        words = [sys.executable, cluster_source.__file__, str(file)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "bench"), *sys.path])}
        source = self._source = subprocess.Popen(words, env=environment)
        try:
            due = [plan.seconds * (number + 1) / (plan.kills + 1) for number in range(plan.kills)]
            while source.poll() is None:
                if due and time.time() - self.started_at > due[0]:
                    due.pop(0)
                    self._kill(len(self.kills), file=self._folder / f"heritage_{len(due)}.json")
                self._sample()
                progress.update(f"{time.time() - self.started_at:.0f} of {plan.seconds:g} s")
                time.sleep(_SAMPLE_SECONDS if not due else min(_SAMPLE_SECONDS, plan.seconds / 20))
        finally:
            if source.poll() is None:
                source.kill()
            source.wait()
        if source.returncode:
            raise SetupError("The source of events failed", f"exit code {source.returncode}", "see above")
        self.published_until = time.time()
        self._drain(progress)
        self.drained_at = time.time()
        self._sample()
        self.wal_bytes = self._wal() - wal
        self.grown_bytes = self._size() - size
        self.cpu_seconds = self._processors.seconds()

    def confirmed(self) -> list[tuple[str, str, float]]:
        """The events that Valkey has confirmed: id, NPC, and when they were published."""
        lines = (self._folder / "confirmed.jsonl").read_text(encoding="utf-8").splitlines()
        return [(id, npc_id, at) for id, npc_id, at, _done in map(json.loads, lines)]

    def stop(self) -> None:
        """End the zones that live, as a game ends."""
        for zone in self._living():
            self._tell(zone, "/stop")
        for zone in self._living():
            code = zone.game.end()
            if code != 0:
                raise SetupError(
                    f"{zone.name} ended with exit code {code}", zone.game.tail(), "see its output"
                )

    def end(self) -> None:
        """Leave nothing running."""
        for zone in self.zones:
            if zone.games and not zone.game.has_ended:
                zone.game.kill()

    def judged(self) -> cluster_check.Verdict:
        """Check the database at the end."""
        own = [id for zone in self.zones for id, _npc, _usec in zone.said("own")]
        ids = [id for id, _npc, _at in self.confirmed()]
        return cluster_check.judged(self.where, self.connection, SAVE, self.save, ids, own, self.samples)

    def valkey_bytes(self) -> float:
        """Bytes per event in Valkey's stream."""
        client: Any = redis.Redis(port=self._valkey.port, password=self._valkey.password())
        taken, events = client.memory_usage("world:events", samples=0), client.xlen("world:events")
        return float(taken or 0) / max(1, int(events))

    def _kill(self, number: int, file: Path) -> None:
        """kill -9 a zone; it is started again, and every second time another one takes its NPCs."""
        zone = self.zones[number % len(self.zones)]
        is_inherited = number % 2 == 1 and len(self.zones) > 1
        heir = self.zones[(number + 1) % len(self.zones)] if is_inherited else zone
        # A command reaches only who has joined, and the heir may have been started again just now.
        if is_inherited:
            self._wait(heir.game, "joined")
        zone.game.process.send_signal(signal.SIGKILL)
        self.kills.append(Kill(zone.number, heir.number, time.time()))
        zone.game.kill()
        if is_inherited:
            npcs = self.plan.npc_ids(zone.number)
            file.write_text(json.dumps({"npcs": npcs, "asked": npcs[:_ASKED]}), encoding="utf-8")
            self._tell(heir, f"/take {file}")
        else:
            zone.start()

    def _tell(self, zone: Zone, command: str) -> None:
        bus = EventBus(MemoryEventBusConfig(**self.bus("commands")))
        bus.send_command(zone.name, command, time.time())
        bus.close()

    def _living(self) -> list[Zone]:
        return [zone for zone in self.zones if not zone.game.has_ended]

    def _drain(self, progress: Progress) -> None:
        """Wait until every confirmed event is in the save; or until it is clear that some never come."""
        wanted = {id for id, _npc, _at in self.confirmed()}
        left, fewer_at = len(wanted) + 1, time.monotonic()
        while time.monotonic() - fewer_at < _STUCK_SECONDS:
            # Counted, because all ids every time would be a load of their own.
            handled = self._number(
                f"SELECT count(*) FROM documents WHERE save = {self.save} AND kind = '{HANDLED_EVENT}'"
            )
            if len(wanted) - handled < left:
                left, fewer_at = len(wanted) - handled, time.monotonic()
            progress.update(f"{left:,} events on their way")
            if left <= 0:
                return
            time.sleep(_SAMPLE_SECONDS / 2)

    def _wait(self, game: Game, name: str) -> None:
        if not game.wait_until(lambda: bool(game.values(name)), _STARTED_SECONDS):
            raise SetupError(f"A zone did not come so far: {name}", game.tail(), "see its output")

    def _sample(self) -> None:
        lock = f"rag_memory {self.where.schema} {self.save}"
        sample = cluster_check.sampled(self.connection, self.save, lock)
        self.samples += [sample] if sample.owners else []
        self.most_locks = max(self.most_locks, self._number("SELECT count(*) FROM pg_locks"))
        self.most_connections = max(
            self.most_connections,
            self._number("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'") - 1,
        )
        processes = [(zone.name, zone.game.process.pid) for zone in self._living()]
        processes += [("PostgreSQL", pid) for pid in self._postgres.pids()]
        processes += [("Valkey", pid) for pid in self._valkey.pids()]
        processes += [("source", self._source.pid)] if self._source is not None else []
        self._processors.note(processes)

    def _wal(self) -> int:
        return self._number("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint")

    def _size(self) -> int:
        return self._number(
            "SELECT sum(pg_total_relation_size(c.oid))::bigint FROM pg_class c JOIN pg_namespace n "
            f"ON n.oid = relnamespace WHERE nspname = '{self.where.schema}' AND relkind = 'r'"
        )

    def _number(self, statement: str) -> int:
        (number,) = self.connection.execute(statement.encode()).fetchone() or (0,)
        return int(number or 0)
