"""The process that publishes the events of bench cluster at a fixed rate.

Called with a file of JSON: `bus` (the values of an EventBus), `npcs`, `rate` (events a second), `seconds`,
`seed`, `log`. It writes a line into the log for each event that Valkey has confirmed, and none for another.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from measurement import game_text
from rag_memory_server.bus.event_bus import EventBus
from rag_memory_server.config.valkey_config import MemoryEventBusConfig

_TICK_SECONDS = 0.02
_CHARACTERS = 12
_LINES = 1_000
_ACTIONS = ("spoke", "spoke", "spoke", "waved", "waved", "walked_by", "traded", "insulted")
"""Kinds of interactions. Waving and walking by become no memory."""
_KINDS = {"interaction_recorded": 70, "combat_hit": 15, "item_gifted": 10, "quest_completed": 5}
"""Their percentages."""


def events(npcs: Sequence[str], seed: int) -> Iterator[dict[str, Any]]:
    """Yield events without end, the same for the same seed. Memories have the ID of their event."""
    dice = random.Random(f"events {seed}")
    said = game_text.questions(_LINES, seed)
    number = 0
    while True:
        kind = dice.choices(list(_KINDS), list(_KINDS.values()))[0]
        who = dice.randrange(_CHARACTERS)
        id = f"event_{seed}_{number}"
        event = {
            "type": kind,
            "eventId": id,
            "npcId": dice.choice(npcs),
            "sourceId": f"char_{who}",
            "sourceName": f"Character {who}",
            "content": f"{dice.choice(said)} ({number})",
            "happening": id,
        }
        if kind == "interaction_recorded":
            event["action"] = dice.choice(_ACTIONS)
        yield event
        number += 1


def main() -> int:
    """Publish events, and log the confirmed ones."""
    values = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    bus = EventBus(MemoryEventBusConfig(**values["bus"]))
    source = events(values["npcs"], values["seed"])
    started, sent = time.time(), 0
    with Path(values["log"]).open("w", encoding="utf-8") as log:
        while (now := time.time()) < started + values["seconds"]:
            due = int((now - started) * values["rate"]) - sent
            batch = [{**next(source), "timestamp": round(now * 1000)} for _ in range(due)]
            bus.publish_all(batch)
            done = time.time()
            for event in batch:
                log.write(f"{json.dumps([event['eventId'], event['npcId'], now, done])}\n")
            log.flush()
            sent += due
            time.sleep(max(0.0, _TICK_SECONDS - (time.time() - now)))
    bus.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
