"""The rules of NPCWorldKnowledge and NPCWorldEvents, by name: MemoryWorld.apply_rule()."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.godot.script_rules import Rule, find_rule
from rag_memory.validation import shown
from rag_memory.world.world import World
from rag_memory.world.world_knowledge import WorldKnowledge, flag_value, flag_values
from rag_memory.world.world_log import WorldLog, new_event

_FLAG_TYPES: Mapping[type, str] = {bool: "bool", int: "int", float: "float", str: "String"}


def apply_world_rule(world: World | None, now: float, rule: str, arguments: Sequence[Any]) -> Any:
    """Apply one of the rules of this module.

    Args:
        world: that of the open save; None without one.
        now: the time of the game in seconds.

    Raises:
        InvalidArgumentError: there is no such rule, or it takes other arguments.
    """
    arguments = (world, now, *arguments)
    return find_rule(_RULES, rule, arguments)(*arguments)


def _of_knowledge(apply: Callable[..., Any]) -> Rule:
    """Make a rule whose first argument is what `NPCWorldKnowledge.to_data()` returns."""

    def rule(world: World | None, _now: float, data: Mapping[str, Any], *arguments: Any) -> Any:
        return apply(WorldKnowledge.from_data(data, world), *arguments)

    return rule


def _of_log(apply: Callable[..., Any]) -> Rule:
    """Make a rule whose first argument is the events that wait for a save."""

    def rule(world: World | None, _now: float, waiting: Sequence[Any], *arguments: Any) -> Any:
        return apply(WorldLog(world, waiting), *arguments)

    return rule


def _flags(world: World | None, _now: float, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of all flags; `data` has `flag_defaults`, and the `flags` that wait for a save."""
    return flag_values(data["flag_defaults"], data["flags"] if world is None else world.facts.get_flags())


def _set_flag(
    world: World | None, now: float, data: Mapping[str, Any], flag: str, value: Any
) -> dict[str, Any]:
    """Set a flag in the open save. Returns its value `before` and `after`, and whether the value `waits`
    because no save is open.
    """
    before = _flags(world, now, data)[flag]
    after = flag_value(value, data["flag_defaults"][flag])
    if after is None:
        type_name = _FLAG_TYPES.get(type(before), "no type of a flag")
        raise InvalidArgumentError(
            f"The story flag {flag} is of type {type_name} and cannot be {shown(value)}",
            "",
            "Pass a value of its type",
        )
    if world is not None:
        world.facts.set_flags({flag: after})
    return {"before": before, "after": after, "waits": world is None}


def _append_event(
    world: World | None,
    now: float,
    event_type: Any,
    description: Any,
    data: Mapping[str, Any],
    knowledge: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Append an event to the log of the open save; without one the event has no number.

    Args:
        knowledge: the data of the NPCWorldKnowledge that says who exists, to mark other names as
            `name_suspects`; None for no check.
    """
    event = new_event(event_type, description, data, now)
    if knowledge is not None:
        people = WorldKnowledge.from_data(knowledge, world)
        checked = people.check_memory(event["description"], event)
        if not checked["accepted"]:
            event["name_suspects"] = checked["unknown_names"]
    return WorldLog(world).append(event)


_RULES: Mapping[str, Rule] = {
    "knowledge.fact": _of_knowledge(WorldKnowledge.fact),
    "knowledge.facts_for": _of_knowledge(WorldKnowledge.facts_for),
    "knowledge.establishments": _of_knowledge(WorldKnowledge.establishments),
    "knowledge.check_establishments": _of_knowledge(WorldKnowledge.check_establishments),
    "knowledge.check_memory": _of_knowledge(WorldKnowledge.check_memory),
    "knowledge.names": _of_knowledge(WorldKnowledge.names),
    "knowledge.is_known_npc": _of_knowledge(WorldKnowledge.is_known_npc),
    "knowledge.flags": _flags,
    "knowledge.set_flag": _set_flag,
    "events.append": _append_event,
    "events.append_missing": lambda world, _now, events: WorldLog(world).append_missing(events),
    "events.count": _of_log(WorldLog.count),
    "events.event": _of_log(WorldLog.event),
    "events.events": _of_log(WorldLog.events),
}
