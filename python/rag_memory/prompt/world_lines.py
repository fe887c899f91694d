"""The lines of a prompt about the world: who and what there is, what is true, what happened, and how things
are now. Each is harmless.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag_memory.config.wording import Wording
from rag_memory.memory.event_templates import PLAYER
from rag_memory.prompt.scene import spoken_value
from rag_memory.text.harmless import harmless
from rag_memory.text.spoken_ids import spoken_id
from rag_memory.world.world import World
from rag_memory.world.world_knowledge import WorldKnowledge

_MOST_EVENTS = 5
_MOST_DEEDS = 5


def state_lines(config: Wording, state: Mapping[str, Any], location: str) -> list[str]:
    """Returns a line for the place and for each entry of a state such as {"time": "dusk"}."""
    lines = [f"- {config.sentence('place', place=harmless(spoken_id(location)))}"] if location else []
    return lines + [
        harmless(f"- {spoken_id(key)}: {spoken_value(config, value)}") for key, value in state.items()
    ]


def knowledge_lines(
    config: Wording, knowledge: WorldKnowledge, npc_id: str, question: str, location: str
) -> list[str]:
    """Returns the people, the establishments and the facts, those that fit the question first."""
    lines = []
    if knowledge.people:
        people = ", ".join(harmless(knowledge.name_of(id)) for id in knowledge.people)
        lines.append(config.sentence("people", names=people))
    if knowledge.has_establishments():
        lines.append(_establishments(config, knowledge, location))
    facts = knowledge.facts_for(npc_id, question, -1, location)
    return lines + [f"- {harmless(fact)}" for fact in facts]


def event_lines(config: Wording, world: World, npc_id: str) -> list[str]:
    """Returns what everybody knows of the player, the player's last deeds of which the NPC knows, and the
    last events of which it knows.
    """
    lines = []
    player = world.facts.get_player_info()
    titles = player.get("titles")
    names = [player["name"]] if "name" in player else []
    names += titles if isinstance(titles, list) else []
    if names:
        lines.append(f"- {config.sentence('known_player', names=harmless(', '.join(map(str, names))))}")
    newest = world.events.get_events({"known_to": npc_id, "limit": _MOST_EVENTS})
    shown = {event["id"] for event in newest}
    deeds = world.events.get_events({"known_to": npc_id, "participant": PLAYER, "limit": _MOST_DEEDS})
    older = [deed for deed in deeds if deed["id"] not in shown]
    return lines + [_happened(config, event) for event in [*older, *newest]]


def _establishments(config: Wording, knowledge: WorldKnowledge, location: str) -> str:
    here = "_here" if location else ""
    described = [_described(config, knowledge, place) for place in knowledge.establishments(location)]
    if not described:
        return config.sentence(f"no_establishment{here}")
    return config.sentence(f"establishments{here}", names=harmless(", ".join(described)))


def _described(config: Wording, knowledge: WorldKnowledge, establishment: Mapping[str, Any]) -> str:
    details = [str(establishment["kind"])] if establishment.get("kind") else []
    if establishment.get("owner"):
        details.append(config.sentence("kept_by", owner=knowledge.name_of(str(establishment["owner"]))))
    goods = establishment.get("sells")
    if isinstance(goods, list) and goods:
        details.append(config.sentence("sells", goods=", ".join(map(str, goods))))
    name = establishment["name"]
    return f"{name} ({'; '.join(details)})" if details else str(name)


def _happened(config: Wording, event: Mapping[str, Any]) -> str:
    text = harmless(event["text"])
    return f"- {text if event['confidence'] < 1.0 else config.sentence('happened', event=text)}"
