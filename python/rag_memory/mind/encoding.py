"""Encoding: the rules by which an event becomes a memory."""

from __future__ import annotations

from typing import Any, NamedTuple

from rag_memory.config.action_forms import action_in_rules
from rag_memory.config.mind_config import NPCMindConfig
from rag_memory.config.rule_condition import fitting
from rag_memory.config.wording import Wording
from rag_memory.game_rules import GAME_RULES
from rag_memory.memory.company import manner_of
from rag_memory.memory.event_templates import MemoryDraft
from rag_memory.memory.kind import FACT, REFLECTION
from rag_memory.mind.event import Event
from rag_memory.text.shortening import joined

EVENT_TYPES = {
    "conversation": ("spoke", "said", "talked", "chatted", "asked", "answered"),
    "attacked": ("attacked", "was_attacked"),
    "gift_received": ("gifted", "gave"),
    "helped": ("helped", "healed", "saved", "rescued"),
}
_EVENT_TYPE_OF = {action: event_type for event_type, actions in EVENT_TYPES.items() for action in actions}

SENTENCES = {
    "attacked": "event_attacked",
    "gift_received": "event_gift",
    "helped": "event_helped",
    "hurt": "event_hurt",
    "insulted": "event_insulted",
    "threatened": "event_threatened",
    "robbed": "event_robbed",
    "stole": "event_stole",
    "betrayed": "event_betrayed",
    "traded": "event_traded",
    "bought": "event_bought",
    "sold": "event_sold",
    "conversed": "event_conversed",
}
"""The keys of what an event is called that the game does not describe, by event type or action."""

_OF_THINGS = ("gift_received", "robbed", "stole", "traded", "bought", "sold")
_LONGEST_NAME, _SPEECH_MARKS = 4, '.,!?…:;"“”„«»「」。，！？、：；।'
"""The most words of the name of a thing, and what is in no such name."""
_SAYING = ("conversation", "conversed")
_NO_FIELDS = ("extra", "company")
"""What a rule of the game is not told of an event."""
_ENDS = tuple('.!?…"“”»«」』。！？।')


class Encoding(NamedTuple):
    """`kind` is "" for what is no memory; `why` says which rule decided."""

    kind: str
    importance: int
    why: str


def encoding_of(config: NPCMindConfig, event: Event, sentiment: float) -> Encoding:
    """Apply the rules to an event: of those that fit, the one with the highest importance decides."""
    numbers = event.numbers(sentiment)
    best: tuple[int, int] | None = None
    for number in fitting(config.encoding_rules, event.action, numbers):
        importance = config.encoding_rules[number]["importance"] or event.importance
        if importance and (best is None or importance > best[0]):
            best = (importance, number)
    if best is None:
        return Encoding("", event.importance, f'no encoding rule fits "{event.action}"')
    rule = config.encoding_rules[best[1]]
    condition = f" when {rule['condition']}" if rule["condition"] else ""
    why = f"encoding rule {best[1]}: {rule['action']}{condition}"
    return Encoding(rule["kind"], event.importance or best[0], why)


def in_words_of_rules(config: NPCMindConfig, event: Event) -> Event:
    """The event with the action that the rules name. Its type stays the game's word: knows_event() is asked
    for "theft" by the game that said "theft".
    """
    action = action_in_rules(config, event.action)
    if action == event.action:
        return event
    return event._replace(action=action, extra={"event_type": event.action, **event.extra})


def with_ruled_importance(event: Event) -> Event:
    """The event with the importance that a rule of the game says, unless it came with its own."""
    if event.importance or not GAME_RULES.has("importance"):
        return event
    fields = {name: value for name, value in event._asdict().items() if name not in _NO_FIELDS} | event.extra
    event_type = _EVENT_TYPE_OF.get(event.action, event.action)
    return event._replace(importance=int(GAME_RULES.ask("importance", event_type, fields, {}) or 0))


def is_speech(event: Event) -> bool:
    """Return whether an event is that somebody says something."""
    is_said = event.action in _SAYING or _EVENT_TYPE_OF.get(event.action) == "conversation"
    return bool(event.content) and (is_said or bool(manner_of(event.action)))


def happening(config: Wording, event: Event) -> str:
    """Return one sentence for an event: its description, or the sentence of its action."""
    return event.description or called(config, event.action, event.source_name, event.content)


def called(config: Wording, action: str, source_name: str, content: str) -> str:
    """Return the sentence of an action that the game does not describe."""
    source = source_name or config.sentence("somebody")
    event_type = _EVENT_TYPE_OF.get(action, action)
    if event_type == "conversation":
        return config.sentence("event_said" if content else "event_spoke", source=source, content=content)
    key = SENTENCES.get(event_type, "event_other")
    event = config.sentence(key, source=source, action=action.replace("_", " "))
    return with_content(config, action, event, content) if content else event


def with_content(config: Wording, action: str, event: str, content: str) -> str:
    """Return the sentence of an action with the words that were said, or with the thing that it is about."""
    is_thing = _EVENT_TYPE_OF.get(action, action) in _OF_THINGS and _names_a_thing(content)
    return config.sentence(f"event_with_{'thing' if is_thing else 'words'}", event=event, content=content)


def _names_a_thing(content: str) -> bool:
    """Return True if the content of an event about a thing names it, and is nobody's words."""
    return len(content.split()) <= _LONGEST_NAME and not any(mark in content for mark in _SPEECH_MARKS)


def confided(config: Wording, source_name: str) -> str:
    """Return the sentence for an event that is a secret."""
    return config.sentence("event_confided", source=source_name or config.sentence("somebody"))


def ended(text: str) -> str:
    """Add a full stop to a text, unless it has an end or is empty."""
    return text if not text or text.endswith(_ENDS) else f"{text}."


def draft_of(config: Wording, event: Event, encoding: Encoding, sentiment: float, mood: str) -> MemoryDraft:
    """Make the draft of an event's memory, for an encoding that has a kind."""
    text = joined(map(ended, (happening(config, event), event.outcome)))
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
    if data["event_type"] in (REFLECTION, FACT):
        data["event_type"] = encoding.kind
    return MemoryDraft(text, encoding.importance, data)
