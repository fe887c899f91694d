"""Events by their number, and whether all of them have happened, once each, with what came of them."""

from __future__ import annotations

import contextlib
import json
import random
from collections import Counter
from typing import Any

from tests.unit.server.bus.conftest import NOW, Game, World

from rag_memory import open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.errors import ServerError, StoreError
from rag_memory_server.bus import hot_memory
from rag_memory_server.bus.hot_cache import key_of

NPCS = ("mira", "elena")
VALUES: dict[str, Any] = {"zone": "harbour", "claim_after_seconds": 0.05, "max_deliveries": 1000}

_SENTIMENTS = {"attacked": -30, "gifted": 20, "helped": 15, "waved": 0}


def event(number: int) -> dict[str, Any]:
    """The event with this number."""
    dice = random.Random(number)
    action, who = dice.choice(list(_SENTIMENTS)), dice.choice("abc")
    return {
        "type": "interaction_recorded",
        "eventId": f"event-{number}",
        "npcId": dice.choice(NPCS),
        "sourceId": who,
        "sourceName": who,
        "action": action,
        "content": str(number),
    }


def check(game: Game, published: int, all_arrived: bool = True) -> None:
    """Each event is there once, with the npc it names, and the feelings are its."""
    for npc_id in NPCS:
        wanted = Counter(str(n) for n in range(published) if event(n)["npcId"] == npc_id)
        found = Counter(game.contents(npc_id))
        assert found == wanted if all_arrived else not found - wanted
        mind = game.npcs[npc_id].mind
        felt = mind.feelings.get_dispositions()
        assert {id: each["strength"] for id, each in felt.items()} == _added_up(game, npc_id)
        assert (felt, mind.feelings.get_emotion()) == _replayed(game, npc_id)
    ids = [each.event.id for each in game.events]
    assert len(ids) == len(set(ids))


def check_hot_memories(world: World, game: Game) -> None:
    """The server's copies of all NPCs equal the save."""
    game.cache.make()
    game.cache.flush()
    for npc_id in NPCS:
        kept = json.loads(world.admin.get(key_of(game.cache.config, npc_id)))
        mind = game.npcs[npc_id].mind
        mind.reload()
        assert {**kept, "loadedAt": 0} == hot_memory.hot_memory(npc_id, mind, [], NOW, 0.0, 3600)


def arrived(game: Game) -> int:
    """How many events have happened to anybody."""
    return sum(len(game.contents(npc_id)) for npc_id in NPCS)


def run_until_arrived(game: Game, published: int) -> None:
    """Let a game go on until everything has happened, and find what is lost."""
    while arrived(game) < published:
        with contextlib.suppress(ServerError, StoreError):
            if game.run() or game.zone.waiting:
                continue
            with game.bus.link.use() as client:
                (group,) = client.xinfo_groups("world:events")
            is_over = group["lag"] == 0 and not group["pending"]
            assert not is_over or arrived(game) == published, f"{published - arrived(game)} are lost"
    game.run_all()


def _added_up(game: Game, npc_id: str) -> dict[str, float]:
    """Sum up the log of an NPC by the rules of the document."""
    strengths: dict[str, float] = {}
    for entry in reversed(game.npcs[npc_id].mind.get_interactions("", 10_000)):
        who, change = entry["source_id"], _SENTIMENTS[entry["action"]]
        strengths[who] = max(0.0, min(100.0, strengths.get(who, 50.0) + change))
    return strengths


def _replayed(game: Game, npc_id: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Feelings of an NPC in a separate save after the same events."""
    told = ("action", "content", "source_id", "source_name", "timestamp")
    with open_save(":memory:", HashingEmbedder(64), clock=lambda: NOW) as save:
        mind = save.npc(npc_id).mind
        mind.config = game.npcs[npc_id].mind.config
        for entry in reversed(game.npcs[npc_id].mind.get_interactions("", 10_000)):
            mind.perceive({name: entry[name] for name in told})
        return mind.feelings.get_dispositions(), mind.feelings.get_emotion()
