"""Game calls that need only a config and the time of the game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.game_call import game_call
from rag_memory.memory import importance, memory_view
from rag_memory.retrieval import selection
from rag_memory.validation import validate_text


class Rules:
    """Calls that follow from a config. They need no save and wait for no other call."""

    def __init__(self, config: Callable[[], MemoryConfig], now: Callable[[], float]) -> None:
        self._config = config
        self._now = now

    @game_call()
    def calculate_importance(
        self,
        event_type: str,
        analysis: Mapping[str, Any] | None = None,
        state_deltas: Mapping[str, Any] | None = None,
    ) -> int:
        """Returns how important an event is, from 1 to 10.

        The base follows from the event type (`MemoryConfig.event_type_importance`). Each thing that the event
        changed adds a boost (the settings `MemoryConfig.importance_boost_secret` and the like).

        Args:
            analysis: what a language model reported. Only a learned name counts
                (`learned_about_player.name`).
            state_deltas: what changed. `trust_change`, `affection_change` and `fear_change` are numbers.
                `secret_revealed`, `player_name_learned`, `obligation_created`, `promise_made`,
                `promise_broken`, `quest_started`, `quest_completed`, `quest_failed`, `npc_injured` and
                `npc_died` are flags.

        Raises:
            InvalidArgumentError: an argument or one of these changes has the wrong type.
        """
        return importance.calculate_importance(self._config(), event_type, analysis, state_deltas)

    @game_call()
    def get_deterministic_deltas(
        self, event_type: str, context: Mapping[str, Any] | None = None
    ) -> dict[str, int]:
        """Returns what an event of this type does to the relationship, by the rules of the `MemoryConfig`.

        For `"life_saved"` that is `{"trust_change": 15, ...}`. It is empty for a type without a rule.

        Args:
            context: what the game knows of the event. The rules of this version do not look at it.
        """
        return importance.get_deterministic_deltas(self._config(), event_type, context)

    @game_call(is_quick=True)
    def is_protected(self, memory: Mapping[str, Any]) -> bool:
        """Returns whether a memory is in a protected slot, and so part of every answer.

        Of several memories in one slot only the newest is protected. A memory that was retrieved says so
        itself, with its key `protected`.

        Args:
            memory: a dictionary with its `metadata`.
        """
        return memory_view.is_protected(memory, self._config())

    @game_call(is_quick=True)
    def format_memories(self, memories: Sequence[Any], style: str = "") -> list[str]:
        """Returns one line of text per memory.

        Args:
            memories: as they were retrieved, or dictionaries with a `text`, or plain texts.
            style: empty for the text alone. `"bullet"` puts a dash before it and `"numbered"` a number.
                `"dated"` adds how long ago it was. `"detailed"` adds its age, event type and importance, and
                which memory superseded it.

        Raises:
            InvalidArgumentError: there is no such style, or an item is not a memory.
        """
        return memory_view.format_memories(self._config(), memories, style, self._now())

    @game_call(is_quick=True, is_pure=True)
    def estimate_tokens(self, text: str) -> int:
        """Returns about how many tokens a language model needs for a text.

        Three characters in Latin letters are a token, two of most other alphabets, and one in Chinese,
        Japanese and Korean. That is high for most language models and languages.
        """
        return selection.estimate_tokens(validate_text("estimate_tokens()", "text", text))
