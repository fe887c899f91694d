"""The Godot class MemoryConfig: the core's configuration as a Resource.

The properties are not written here: they are the fields of `rag_memory.config.MemoryConfig`.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from rag_memory.config import MemoryConfig
from rag_memory.config.inheritance import with_inherited
from rag_memory.config.wording import usable
from rag_memory.godot.config_class import config_class
from rag_memory.godot.declare import NO_VALUES, Kind, Resources, Variant, method
from rag_memory.godot.variant_codec import PackedStrings
from rag_memory.validation import validate_integer_in


@config_class("MemoryConfig", MemoryConfig, inherits=True)
class MemoryConfigResource:
    """Tunes what a `RAGMemory` keeps, how it scores memories and how much of them it returns.

    Save it as a `.tres` file and share it between nodes, or give each NPC its own. A change
    takes effect with the next call of the nodes that use it. A number out of its range can be set, but a
    warning says so, and calls of those nodes fail until you correct it.
    """

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._config: MemoryConfig | None = None

    def configure(self, values: dict[str, Any]) -> None:
        """Take over the property values of the Resource, and the game's translations of sentences; a wrong
        value is an error of the next call.
        """
        self._values = values
        self._config = None

    @property
    def config(self) -> MemoryConfig:
        if self._config is None:
            self._config = config_from(self._values)
        return self._config

    @method(Kind.WORKER_SYNC, unordered=True, const=True)
    def get_tier_for_event(self, event_type: str, importance: int, interaction_type: str = "") -> int:
        """Returns the tier of an event: 0 pinned, 1 important, 2 regular."""
        return int(self.config.get_tier_for_event(event_type, importance, interaction_type))

    @method(unordered=True, const=True)
    def validate_interaction_type(self, type: str) -> str:
        """Returns `type` when it is one of `MemoryConfig.valid_interaction_types`, otherwise
        `"casual_conversation"` with a warning."""
        return self.config.validate_interaction_type(type)

    @method(Kind.WORKER_SYNC, unordered=True, const=True)
    def is_valid_interaction_type(self, type: str) -> bool:
        """Returns `true` when `type` is one of `MemoryConfig.valid_interaction_types`."""
        return self.config.is_valid_interaction_type(type)

    @method(unordered=True, const=True)
    def clamp_relationship_deltas(self, analysis: dict[str, Any]) -> dict[str, Any]:
        """Returns the relationship changes proposed in `analysis`, each clamped to its limit. A missing
        change is 0, and so is a value that is not a number, with a warning that names it."""
        return self.config.clamp_relationship_deltas(analysis)

    @method(unordered=True, const=True)
    def read_answer(self, text: str, speakers: dict[str, Any] = NO_VALUES) -> dict[str, Any]:
        """Reads the raw text of a language model: see `NPCContextBuilder.parse_response()`.

        Args:
            text: what the model wrote.
            speakers: `names`: what the NPC is called, `others`: what the player and the listeners are called.
        """
        from rag_memory.prompt.answers import read_answer

        answer = read_answer(text, speakers, self.config)
        learned = answer["analysis"]["learned_about_player"]
        learned["notable_facts"] = PackedStrings(learned["notable_facts"])
        return {
            **{key: value for key, value in answer.items() if key not in ("habit", "rest")},
            "warnings": PackedStrings(answer["warnings"]),
        }

    @method(Kind.WORKER_SYNC, unordered=True, const=True)
    def apply_rule(self, rule: str, arguments: Resources) -> Variant:
        """Applies a rule of the memory worker that makes sentences, in the words of this config.

        As `MemoryServer.apply_rule()`, it is for the addon's own resources, such as
        `NPCPersonality.get_identity_lines()`.

        Returns:
            what the rule returns; `null`, with an error, for an unknown rule.
        """
        from rag_memory.godot.script_rules import apply_sentence_rule

        result: Variant = apply_sentence_rule(self.config, rule, arguments)
        return result

    @method(unordered=True, const=True)
    def get_interaction_type_constraint_prompt(self) -> str:
        """Returns the part of a prompt that tells a language model which interaction types exist."""
        return self.config.get_interaction_type_constraint_prompt()

    @method(Kind.WORKER_SYNC, unordered=True, const=True)
    def is_slot_type(self, slot_type: str) -> bool:
        """Returns `true` when `slot_type` holds one current value only."""
        return self.config.is_slot_type(slot_type)

    @method(Kind.WORKER_SYNC, unordered=True, const=True)
    def get_superseded_event_type(self, event_type: str) -> str:
        """Returns the event type that `event_type` supersedes, or an empty string."""
        return self.config.get_superseded_event_type(event_type)

    @method(Kind.WORKER_SYNC, unordered=True, const=True)
    def get_superseding_event_type(self, event_type: str) -> str:
        """Returns the event type that supersedes `event_type`, or an empty string."""
        return self.config.get_superseding_event_type(event_type)

    @method(Kind.WORKER_SYNC, unordered=True, const=True)
    def is_pinned_event(self, event_type: str) -> bool:
        """Returns `true` when memories of `event_type` are pinned."""
        return self.config.is_pinned_event(event_type)

    @method(Kind.WORKER_SYNC, unordered=True, const=True)
    def is_important_event(self, event_type: str) -> bool:
        """Returns `true` when memories of `event_type` are important."""
        return self.config.is_important_event(event_type)

    @method(unordered=True, const=True)
    def get_score_curves(
        self, memory_tier: int, importance: int, similarities: list[float]
    ) -> dict[str, Any]:
        """Returns how a memory's score falls with age, for a plot.

        ```gdscript
        var curves := MemoryConfig.new().get_score_curves(2, 5, [1.0])
        print(curves["recency"][0])  # -> 1.0
        ```

        Args:
            memory_tier: the tier of the memory: 0 pinned, 1 important, 2 regular.
            importance: its importance, 1 to 10.
            similarities: one curve is made for each, 0 to 1.

        Returns:
            `days`, ages from 0 to five half-lives; `recency`, the recency at each age; and `scores`, for
            each similarity the score at each age. The memory is not superseded, and nobody has asked for it
            since it happened.
        """
        from rag_memory.retrieval.scoring import score_curves

        most = len(self.config.tier_weights) - 1
        tier = validate_integer_in("get_score_curves()", "memory_tier", memory_tier, 0, most)
        return score_curves(self.config, tier, importance, similarities)._asdict()


def config_from(values: dict[str, Any]) -> MemoryConfig:
    """The core's configuration with the property values of a Godot MemoryConfig. Its sentences are those of
    its `wording`, and else the game's translations, which are the further key `translation`.

    Raises ConfigError when a value is out of its range or an enum has no such value.
    """
    own = with_inherited(MemoryConfig, values)
    own.pop("translation", None)
    translated = usable("A translation", values.get("translation", {}))
    return dataclasses.replace(MemoryConfig(**own), wording=translated | own.get("wording", {})).validated()
