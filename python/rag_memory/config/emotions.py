"""The emotions that an NPC feels about actions of the player by default."""

from __future__ import annotations

from dataclasses import dataclass

from rag_memory.config.config_field import config_field


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class ActionEmotions:
    """The emotion of a player's action by its type."""

    action_emotions: dict[str, str] = config_field(
        {
            "quest_accepted": "hopeful",
            "quest_refused": "disappointed",
            "quest_completed": "grateful",
            "quest_failed": "frustrated",
            "item_given": "grateful",
            "item_received": "pleased",
            "helped": "grateful",
            "refused_help": "disappointed",
        },
        group="Action Emotions",
        doc="What the NPC feels about an action of the player by its action_type. Read by "
        "store_player_action() when its emotion is empty.",
    )
    other_action_emotion: str = config_field(
        "neutral",
        group="Action Emotions",
        doc="What the NPC feels about an action that is not in action_emotions. Empty: such a memory has no "
        "emotion.",
    )

    def get_action_emotion(self, action_type: str) -> str:
        """Return the emotion for an action of this type that store_player_action() was given none for."""
        return self.action_emotions.get(action_type, self.other_action_emotion)
