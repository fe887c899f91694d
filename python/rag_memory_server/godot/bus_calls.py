"""The calls of the Godot singleton MemoryServer about the bus between game servers."""

from __future__ import annotations

from typing import Any

from rag_memory.godot.declare import OK, Argument, Error, Signal, godot_class, method
from rag_memory.step import Steps
from rag_memory_server.godot.bus_connection import BusConnection
from rag_memory_server.godot.resources import MemoryEventBusResource, MemoryHotCacheResource


@godot_class(
    "MemoryServer",
    "",
    signals=[
        Signal(
            "world_event",
            (Argument("event", dict[str, Any]),),
            "Emitted for every event of the bus, whoever it names, and after an NPC of this game has "
            "perceived it: see `connect_bus()`. `event` is the Dictionary that was published.",
        ),
        Signal(
            "command",
            (Argument("npc_id", str), Argument("text", str)),
            "Emitted for every command on the bus, whichever NPC it is for: see `send_command()`.",
        ),
    ],
)
class BusCalls:
    """Exchanges events and commands with other game servers."""

    def __init__(self, bus: BusConnection) -> None:
        self._bus = bus

    @method(writes=True)
    def connect_bus(self, bus: MemoryEventBusResource, hot_cache: MemoryHotCacheResource = None) -> Error:  # type: ignore[assignment]
        """Connects this game to a world of several game servers.

        Every event that one of them publishes emits `world_event`. If it names an NPC who has an `NPCMind` in
        this game, the NPC perceives it: exactly once, and it is written to the save as `NPCMind.perceive()`
        writes it. An NPC that comes later perceives what has happened to it in the last
        `MemoryEventBus.catch_up_seconds`. A bus that was connected before is left.

        It does not wait for the server: connecting and reconnecting happen in the background. `health()`
        reports the state under `bus`: `is_connected`, `error` (why not), `zone`, `in_work` and `waiting` (how
        many events are taken, and how many of them wait), `refused` (how many could not be perceived) and
        `missed` (how many came too late: see `MemoryEventBus.max_stream_events`).

        Args:
            hot_cache: keeps the hot memories of the NPCs of this game in Valkey, too.
        """
        self._bus.connect(bus, hot_cache)
        return OK

    @method(writes=True)
    def disconnect_bus(self) -> Error:
        """Disconnects from the bus, after confirming the events that are finished. Does nothing when no bus
        is connected."""
        self._bus.disconnect()
        return OK

    @method(unordered=True)
    def publish_event(self, event: dict[str, Any]) -> Steps[str]:
        """Publishes an event to all game servers of the world, this one included, and returns its id.

        An empty id means that the server has not confirmed it; the reason is in the output. Publish the same
        event with the same `eventId` again: it happens once, however often it arrives.

        Args:
            event: `type` is `"interaction_recorded"`, `"combat_hit"`, `"quest_completed"`, `"item_gifted"` or
                `"proximity_update"`. `npcId` says to whom it happens. `sourceId`, `sourceName`, `action`,
                `content`, `outcome` and `timestamp` (milliseconds) are what `NPCMind.perceive()` is told;
                other keys are kept. `nearby` of a proximity update is an Array of ids, or of Dictionaries
                with `id` and `type` (`"character"`, `"companion"` or `"creature"`). `eventId` is made when it
                is missing. A proximity update is not kept for those who are not connected.
        """
        return (yield from self._bus.publish_steps(event))

    @method(unordered=True)
    def send_command(self, npc_id: str, text: str) -> Steps[Error]:
        """Sends a command to an NPC, whichever game server it is on: every game server of the world emits
        `command`.

        Commands are not kept for those who are not connected.

        Args:
            text: as a player would type it, for example `"/say Hello, friend!"`.
        """
        yield from self._bus.send_command_steps(npc_id, text)
        return OK

    @method(unordered=True)
    def get_hot_memory(self, npc_id: str) -> Steps[dict[str, Any]]:
        """Returns the hot memory of an NPC, whichever game server it lives on, and keeps it for another
        `MemoryHotCache.ttl_seconds`.

        Returns:
            `npcId`, `emotional`, `dispositions`, `recentInteractions`, `nearbyNpcs`, `loadedAt` and `ttl`;
            empty when Valkey has nothing about the NPC. Times are milliseconds.
        """
        return (yield from self._bus.hot_memory_steps(npc_id))
