"""Whether an event becomes a memory, and which one."""

from __future__ import annotations

from typing import Any, NamedTuple

from rag_memory.config.mind_config import MindConfig
from rag_memory.config.rule_condition import fits
from rag_memory.memory.event_templates import MemoryDraft
from rag_memory.mind.event import Event

EVENT_TYPES = {
    "conversation": ("spoke", "said", "talked", "chatted", "asked", "answered"),
    "attacked": ("attacked", "was_attacked"),
    "gift_received": ("gifted", "gave"),
    "helped": ("helped", "healed", "saved", "rescued"),
}
_EVENT_TYPE_OF = {action: event_type for event_type, actions in EVENT_TYPES.items() for action in actions}

SENTENCES = {
    "conversation": "{source} said to me: {content}",
    "attacked": "{source} attacked me",
    "gift_received": "{source} gave me a gift",
    "helped": "{source} helped me",
}
"""What an event is called when the game does not describe it, by event type."""

CONFIDED = "{source} confided in me"


class Encoding(NamedTuple):
    """`kind` is "" for what is no memory; `why` says which rule decided."""

    kind: str
    importance: int
    why: str


def encoding_of(config: MindConfig, event: Event, sentiment: float) -> Encoding:
    """What the rules make of an event: the rule of the highest importance that fits."""
    numbers = event.numbers(sentiment)
    best: tuple[int, int] | None = None
    for number, rule in enumerate(config.encoding_rules):
        if fits(rule, event.action, numbers):
            importance = rule["importance"] or event.importance
            if importance and (best is None or importance > best[0]):
                best = (importance, number)
    if best is None:
        return Encoding("", event.importance, f'no encoding rule fits "{event.action}"')
    rule = config.encoding_rules[best[1]]
    condition = f" when {rule['condition']}" if rule["condition"] else ""
    why = f"encoding rule {best[1]}: {rule['action']}{condition}"
    return Encoding(rule["kind"], event.importance or best[0], why)


def happening(event: Event) -> str:
    """One sentence for an event: its description, or what its action is called."""
    return event.description or called(event.action, event.source_name, event.content)


def called(action: str, source_name: str, content: str) -> str:
    """What an action is called that the game does not describe."""
    source = source_name or "Somebody"
    template = SENTENCES.get(_EVENT_TYPE_OF.get(action, ""))
    content = f'"{content}"' if content else ""
    if template is None:
        told = f"{source} {action.replace('_', ' ')}"
        return f"{told}: {content}" if content else told
    told = template.format(source=source, content=content).rstrip(" :")
    return f"{told}: {content}" if content and "{content}" not in template else told


def draft_of(event: Event, encoding: Encoding, sentiment: float, mood: str) -> MemoryDraft:
    """The memory of an event, for an encoding that has a kind."""
    text = " ".join(_sentence(each) for each in (happening(event), event.outcome) if each)
    data: dict[str, Any] = {
        "event_type": _EVENT_TYPE_OF.get(event.action, event.action) or encoding.kind,
        "timestamp": event.timestamp,
        "participants": [event.source_name] if event.source_name else [],
        "entities": list(event.entities),
        "location": event.location,
        "emotion": mood,
        "source_id": event.source_id,
        "sentiment": sentiment,
        "check_names": False,
        **event.extra,
        "kind": encoding.kind,
    }
    return MemoryDraft(text, encoding.importance, data)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", '"', "…")) else f"{text}."
