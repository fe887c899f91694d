"""The character of an NPC as a designer wrote it: the data of an NPCPersonality, and the rules on it."""

from __future__ import annotations

import logging
import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from rag_memory.config.budgets import PROMPT_BUDGETS
from rag_memory.config.wording import Wording
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.secrecy import may_be_told
from rag_memory.text.harmless import harmless
from rag_memory.validation import EngineValue

_LOG = logging.getLogger("rag_memory")

_IDENTITY_TOKENS = PROMPT_BUDGETS["identity"]
_FRAME_LENGTH = 200
"""Characters of the tags and the rule around the lines about the NPC."""
_CHARACTERS_PER_TOKEN = 3.0
_BIG_FIVE = ("openness", "conscientiousness", "extraversion", "agreeableness", "neuroticism")
_LOW_TRAIT, _HIGH_TRAIT = 0.35, 0.65
_OF_PROFILE = {
    "background": "backstory",
    "traits": "personality",
    "speech_style": "speech_style",
    "goals": "goals",
    "fears": "fears",
}
"""The keys of a profile, by the fields that say the same."""
_DIMENSIONS = ("trust", "respect", "affection", "fear")
"""The dimensions of a relationship that have a sensitivity."""
_RELATIONSHIP_NUMBERS = (*_DIMENSIONS, "familiarity")
_DEFAULT_RELATIONSHIP = {"trust": 30, "respect": 30, "affection": 30, "fear": 0, "familiarity": 10}
_CHANGE = "_change"
_MARKED_FORGIVENESS = 50
"""Beyond it, up or down, an NPC is forgiving or resentful."""
_FORGIVEN, _RESENTED = 0.7, 1.3
_LEAST_FRIGHTENED = 0.5
"""The factor of a rise of fear in an NPC that nothing frightens; it is 1 more at 100."""
_HOURS_PER_DAY = 24.0


@dataclass(frozen=True, kw_only=True)
class Personality:
    """The fields are the exported properties of NPCPersonality, which documents them."""

    npc_id: str = ""
    display_name: str = ""
    role: str = ""
    background: str = ""
    anchors: Sequence[str] = ()
    openness: float = 0.5
    conscientiousness: float = 0.5
    extraversion: float = 0.5
    agreeableness: float = 0.5
    neuroticism: float = 0.5
    traits: Sequence[str] = ()
    interests: Sequence[str] = ()
    dislikes: Sequence[str] = ()
    values: Sequence[str] = ()
    fears: Sequence[str] = ()
    goals: Sequence[str] = ()
    speech_style: str = ""
    example_lines: Sequence[str] = ()
    forbidden_phrases: Sequence[str] = ()
    secrets: Sequence[Mapping[str, Any]] = ()
    initial_relationship: Mapping[Any, Any] = field(default_factory=lambda: dict(_DEFAULT_RELATIONSHIP))
    trust_sensitivity: float = 1.0
    respect_sensitivity: float = 1.0
    affection_sensitivity: float = 1.0
    fear_sensitivity: float = 1.0
    forgiveness_tendency: int = 0
    intimidation_susceptibility: int = 50
    is_romantic_available: bool = False
    romance_trust_threshold: int = 40
    romance_affection_threshold: int = 50
    romance_familiarity_threshold: int = 30
    schedule: Sequence[Mapping[str, Any]] = ()

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Personality:
        """Make a personality of the data of an NPCPersonality. Values of a wrong type are left out."""
        values: dict[str, Any] = {}
        for part in fields(cls):
            value = data.get(part.name)
            if isinstance(value, list) and part.name in ("secrets", "schedule"):
                values[part.name] = [item if isinstance(item, Mapping) else {} for item in value]
            elif isinstance(value, list) and part.type == "Sequence[str]":
                values[part.name] = [item for item in value if isinstance(item, str)]
            elif isinstance(value, EngineValue):
                if value.type_name == "Dictionary":  # with keys that are no Strings
                    pairs = next(iter(value.values()))
                    values[part.name] = {key: item for key, item in pairs if isinstance(key, Hashable)}
            elif _is_of(part.type, value):
                values[part.name] = value
        return cls(**values)

    def filled_in(self, profile: Mapping[str, Any]) -> Personality:
        """Return this personality with what a profile says where this one is silent."""
        return replace(self, **self.values_of_profile(profile))

    def values_of_profile(self, profile: Mapping[str, Any]) -> dict[str, Any]:
        """Return these values by the fields that they fill."""
        values: dict[str, Any] = {}
        for name, key in _OF_PROFILE.items():
            own, value = getattr(self, name), profile.get(key)
            if own:
                continue
            if isinstance(own, str) and isinstance(value, str):
                values[name] = value
            elif not isinstance(own, str) and isinstance(value, list):
                values[name] = [item for item in value if isinstance(item, str)]
        return values

    def identity_lines(
        self,
        config: Wording,
        hour: float | None = None,
        relationship: Mapping[str, Any] | None = None,
    ) -> list[str]:
        """Return the lines that describe the NPC in a prompt, the most important first.

        Each is one harmless line. With an hour from 0 to 24 they say what the NPC does then; with a
        relationship, whether it is open to romance, if it is at all.
        """
        roles = config.own_roles()

        def clean(*texts: str) -> str:
            return "; ".join(harmless(text, roles) for text in texts)

        lines = []
        if name := clean(self.display_name or self.npc_id):
            role = clean(self.role).removesuffix(".")
            lines.append(config.sentence("you_are_with_role" if role else "you_are", name=name, role=role))
        lines.append(config.sentence("these_stay_true" if self.anchors else "stay_in_character"))
        lines += [f"- {clean(anchor)}" for anchor in self.anchors]
        lines += _sentences(config, {"never_say": ("phrases", clean(*self.forbidden_phrases))})
        entry = {} if hour is None else self.activity(hour)
        if activity := clean(_text(entry.get("activity"))):
            location = clean(_text(entry.get("location")))
            key = "activity_at" if location else "activity"
            lines.append(config.sentence(key, activity=activity, location=location))
        if self.is_romantic_available and relationship:
            is_open = self.is_romance_unlocked(relationship)
            lines.append(config.sentence("romance_open" if is_open else "romance_closed"))
        parts = {
            "speech_style": ("style", clean(self.speech_style)),
            "temper": ("temper", self.temper(config)),
            "traits": ("traits", clean(*self.traits)),
            "values": ("values", clean(*self.values)),
            "fears": ("fears", clean(*self.fears)),
            "goals": ("goals", clean(*self.goals)),
            "interests": ("interests", clean(*self.interests)),
            "dislikes": ("dislikes", clean(*self.dislikes)),
            "background": ("background", clean(self.background)),
        }
        lines += _sentences(config, parts)
        lines += [config.sentence("example_line", line=clean(line)) for line in self.example_lines]
        return lines

    def temper(self, config: Wording) -> str:
        """Return the Big Five in words, without those near the middle."""
        words = []
        for trait in _BIG_FIVE:
            strength = getattr(self, trait)
            if strength <= _LOW_TRAIT:
                words.append(config.sentence(f"{trait}_low"))
            elif strength >= _HIGH_TRAIT:
                words.append(config.sentence(f"{trait}_high"))
        return "; ".join(words)

    def unlocked_secrets(self, relationship: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the secrets that the NPC would tell at a relationship, in their order."""
        return [dict(self.secrets[index]) for index in self.unlocked_indices(relationship)]

    def unlocked_indices(self, relationship: Mapping[str, Any]) -> list[int]:
        """Return which secrets these are, by their places in `secrets`."""
        return [index for index, secret in enumerate(self.secrets) if _is_unlocked(secret, relationship)]

    def is_romance_unlocked(self, relationship: Mapping[str, Any]) -> bool:
        """Whether romance is possible at a relationship."""
        thresholds = {
            "trust": self.romance_trust_threshold,
            "affection": self.romance_affection_threshold,
            "familiarity": self.romance_familiarity_threshold,
        }
        return self.is_romantic_available and all(
            _reaches(relationship.get(dimension, 0), least) for dimension, least in thresholds.items()
        )

    def modified_changes(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Return the changes of a relationship as the NPC takes them, under the same keys: "trust" or
        "trust_change". Every step drops the fraction, so that small changes may come to nothing.
        """
        modified = dict(changes)
        suffix = _CHANGE if any(key.endswith(_CHANGE) for key in changes) else ""
        for dimension in _DIMENSIONS:
            key = dimension + suffix
            change = int(_change(changes, key) * getattr(self, f"{dimension}_sensitivity"))
            if dimension == "trust" and change < 0:
                change = self._resented(change)
            elif dimension == "fear" and change > 0:
                change = int(change * (_LEAST_FRIGHTENED + self.intimidation_susceptibility / 100.0))
            modified[key] = change
        return modified

    def _resented(self, loss: int) -> int:
        if self.forgiveness_tendency > _MARKED_FORGIVENESS:
            return int(loss * _FORGIVEN)
        return int(loss * _RESENTED) if self.forgiveness_tendency < -_MARKED_FORGIVENESS else loss

    def activity(self, hour: float) -> dict[str, Any]:
        """Return the first entry of the schedule whose hours contain an hour; empty without one."""
        index = self.activity_index(hour)
        return {} if index is None else dict(self.schedule[index])

    def activity_index(self, hour: float) -> int | None:
        """Return which entry that is, by its place in `schedule`."""
        hour = math.fmod(hour, _HOURS_PER_DAY) if math.isfinite(hour) else math.nan
        hour = hour + _HOURS_PER_DAY if hour < 0 else hour
        for index, entry in enumerate(self.schedule):
            if _is_entry(entry) and _contains(entry["from"], entry["to"], hour):
                return index
        return None

    def relationship_to_set(self) -> dict[str, Any]:
        """Return `initial_relationship` for set_initial_relationship(), without wrong values. As it is in a
        new resource, the NPC's profile comes before it.
        """
        problems = self.relationship_problems()
        relationship = {key: value for key, value in self.initial_relationship.items() if key not in problems}
        if self.initial_relationship == _DEFAULT_RELATIONSHIP:
            relationship["yields_to_profile"] = True
        return relationship

    def relationship_problems(self) -> dict[Any, str]:
        """Return what is wrong with `initial_relationship`: a sentence by key."""
        problems = {}
        for key, value in self.initial_relationship.items():
            lack = _lack_of(key, value)
            if lack:
                problems[key] = f"initial_relationship.{key} {lack}, so it is left out."
        return problems

    def forbidden_phrases_in(self, text: str) -> list[str]:
        """Return the forbidden phrases that occur in a text, whatever their case."""
        lowered = text.lower()
        return [phrase for phrase in self.forbidden_phrases if phrase and phrase.lower() in lowered]

    def problems(self, config: Wording) -> list[str]:
        """Return what is wrong with this personality, one sentence each."""
        problems = []
        if not self.npc_id:
            problems.append("npc_id is empty: set it to the npc_id of the NPC's RAGMemory.")
        if not self.display_name:
            problems.append("display_name is empty: the prompt calls the NPC by its id.")
        for index, secret in enumerate(self.secrets):
            problems += _problems_of_secret(f"secrets[{index}]", secret)
        problems += self.relationship_problems().values()
        for index, entry in enumerate(self.schedule):
            problems += _problems_of_entry(f"schedule[{index}]", entry)
        length = len("\n".join(self.identity_lines(config))) + _FRAME_LENGTH
        tokens = math.ceil(length / _CHARACTERS_PER_TOKEN)
        if tokens > _IDENTITY_TOKENS:
            problems.append(
                f"The NPC is described in {tokens} tokens, and a prompt has {_IDENTITY_TOKENS} for that: "
                "what comes last is cut off. Shorten the description, or set the option "
                f'{{"budgets": {{"identity": {tokens + 20}}}}}.'
            )
        return problems


def _is_of(annotation: Any, value: Any) -> bool:
    if annotation == "str":
        return isinstance(value, str)
    if annotation == "bool":
        return isinstance(value, bool)
    if annotation == "int":
        return isinstance(value, int) and not isinstance(value, bool)
    if annotation == "float":
        return _is_number(value)
    return annotation == "Mapping[Any, Any]" and isinstance(value, Mapping)


def _is_number(value: Any) -> bool:
    """Whether it is a number, and neither NaN nor infinite."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _sentences(config: Wording, parts: Mapping[str, tuple[str, str]]) -> list[str]:
    """Return the sentences whose value is not empty. `parts` are placeholder and value by the key."""
    return [
        config.sentence(key, **{placeholder: value}) for key, (placeholder, value) in parts.items() if value
    ]


def _is_unlocked(secret: Mapping[str, Any], relationship: Mapping[str, Any]) -> bool:
    thresholds = {key: f"unlock_{key}" for key in ("trust", "affection") if f"unlock_{key}" in secret}
    if secret.get("unbreakable") or not thresholds:
        return False
    return all(_reaches(relationship.get(key, 0), secret[name]) for key, name in thresholds.items())


def _reaches(value: Any, least: Any) -> bool:
    return _is_number(value) and _is_number(least) and bool(value >= least)


def may_hear(secret: Mapping[str, Any], hearing: Collection[str]) -> bool:
    """Return whether everybody who hears the NPC may hear one of its secrets: the player may, and those in
    its `known_to`.
    """
    known_to = secret.get("known_to", ())
    named = known_to if isinstance(known_to, list | tuple) else [known_to]
    return may_be_told({"secret": True, "known_to": [PLAYER, *named]}, hearing)


def _problems_of_secret(name: str, secret: Mapping[str, Any]) -> list[str]:
    problems = []
    if not _text(secret.get("secret")):
        problems.append(f'{name} has no text: set its key "secret".')
    thresholds = [key for key in ("unlock_trust", "unlock_affection") if key in secret]
    problems += [
        f"{name}.{key} is no number, so it stays locked." for key in thresholds if not _is_number(secret[key])
    ]
    if not secret.get("unbreakable") and not thresholds:
        problems.append(f"{name} can never be told: set unlock_trust, or unbreakable to say so.")
    return problems


def _problems_of_entry(name: str, entry: Mapping[str, Any]) -> list[str]:
    problems = [
        f"{name}.{key} is no hour from 0 to 24, so the entry is left out."
        for key in ("from", "to")
        if not _is_hour(entry.get(key))
    ]
    if not _text(entry.get("activity")):
        problems.append(f'{name} says nothing: set its key "activity".')
    return problems


def _is_entry(entry: Mapping[str, Any]) -> bool:
    return all(_is_hour(entry.get(key)) for key in ("from", "to"))


def _is_hour(value: Any) -> bool:
    return _is_number(value) and 0 <= value <= _HOURS_PER_DAY


def _contains(first: float, end: float, hour: float) -> bool:
    """From 22 to 6 is over midnight; from 8 to 8 is the whole day."""
    return first <= hour < end if first < end else hour >= first or hour < end


def _change(changes: Mapping[str, Any], key: str) -> float:
    value = changes.get(key, 0)
    if _is_number(value):
        return float(value)
    _LOG.warning("apply_personality_modifiers(): %s is no number, so 0 is used.", key)
    return 0.0


def _lack_of(key: Any, value: Any) -> str:
    if not isinstance(key, str):
        return "has no String as its key"
    if key in _RELATIONSHIP_NUMBERS:
        return "" if _is_number(value) else "is no number"
    return "is no bool" if key == "met" and not isinstance(value, bool) else ""
