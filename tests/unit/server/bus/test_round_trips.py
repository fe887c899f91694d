"""What events cost the servers: statements of PostgreSQL, commands of Valkey, and embeddings."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest
from tests.unit.server.bus.conftest import Game, World, place_of, spoke

from rag_memory.vectors import FloatMatrix
from rag_memory_build.postgres_server import PostgresServer
from rag_memory_server.postgres.session import Session

Join = Callable[..., Game]
NPCS = tuple(f"npc_{number}" for number in range(16))


@contextlib.contextmanager
def counted(game: Game, world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """Count what a game asks of the servers and the model inside the block."""
    counts: Counter[str] = Counter()
    execute, embed = Session.execute, game.save.context.embedder.embed

    def executed(self: Session, statement: str, values: Mapping[str, Any]) -> Any:
        counts["statements"] += 1
        return execute(self, statement, values)

    def embedded(texts: Sequence[str]) -> FloatMatrix:
        counts["embedded"] += len(texts)
        return embed(texts)

    def commands() -> dict[str, int]:
        return {name: of["calls"] for name, of in world.admin.info("commandstats").items()}

    with monkeypatch.context() as patched:
        patched.setattr(Session, "execute", executed)
        patched.setattr(game.save.context.embedder, "embed", embedded)
        before = commands()
        yield counts
        for name, calls in commands().items():
            of_game = calls - before.get(name, 0) - (name == "cmdstat_info")
            counts[name.removeprefix("cmdstat_").upper()] = of_game
            counts["commands"] += of_game


def test_one_text_is_embedded_once_for_everybody_who_perceives_it(
    joined: Join, world: World, monkeypatch: pytest.MonkeyPatch, postgres: PostgresServer
) -> None:
    game = joined(*NPCS, **place_of(postgres))
    taken(game, "You saved us all, thank you!")
    with counted(game, world, monkeypatch) as counts:
        game.run_all()
    assert counts["embedded"] == 1
    assert [len(game.contents(npc_id)) for npc_id in NPCS] == [1] * len(NPCS)


def test_an_event_costs_the_servers_few_round_trips(
    joined: Join, world: World, monkeypatch: pytest.MonkeyPatch, postgres: PostgresServer
) -> None:
    game = joined(*NPCS, **place_of(postgres))
    taken(game, "You saved us all, thank you!")
    game.run_all()  # Each NPC is new to the save.
    taken(game, "You saved us again!")
    with counted(game, world, monkeypatch) as counts:
        game.run()
    # The memory, its vector, the entry of the log and the note that it has happened; whether the memory
    # repeats another one, whether its id is free, and what the hot memory tells.
    assert counts["statements"] <= 9 * len(NPCS) + 5
    assert counts["SET"] == len(NPCS)
    assert counts["commands"] <= len(NPCS) + 5


def taken(game: Game, content: str) -> None:
    """Let every NPC of a game have an event of this content before it."""
    game.run()
    game.bus.publish_all([spoke(npc_id, content, action="saved") for npc_id in NPCS])
    game.zone.put(game.bus.take())
