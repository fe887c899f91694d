"""Dispositions and emotions of one NPC."""

from __future__ import annotations

from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.game_call import DONE, Done, game_call
from rag_memory.memory.interaction import ADJUSTMENT, Emotion
from rag_memory.mind.disposition import STRANGER
from rag_memory.mind.mind_texts import feeling_text, mood_text
from rag_memory.npc.interaction_log import InteractionLog
from rag_memory.searchable.save_context import Clock
from rag_memory.validation import (
    validate_filled_text,
    validate_number,
    validate_number_in,
    validate_short_text,
    validate_text,
)

_LONGEST = 1000
"""Characters of an id, a mood or a reason. A reason is stored with every interaction that follows."""
_MOST_SHOWN = 20


class Feelings:
    """Returns and changes what the NPC feels towards others, and its mood."""

    def __init__(self, log: InteractionLog, now: Clock) -> None:
        self._log = log
        self._now = now

    @game_call()
    def get_disposition(self, character_id: str) -> dict[str, Any]:
        """Returns what the NPC feels towards somebody.

        Returns:
            `character_id`, `name`, `feeling` (`"friendly"`, `"neutral"` or `"hostile"`), `strength` (0 hates,
            50 is indifferent, 100 loves), `reason`, `last_interaction_at` (game time) and `is_known` (whether
            anything has happened between them).
        """
        character_id = validate_text("get_disposition()", "character_id", character_id)
        return self._log.disposition(character_id)

    @game_call()
    def get_dispositions(self) -> dict[str, Any]:
        """Returns what the NPC feels towards everybody it knows: ids, each with what `get_disposition()`
        returns.
        """
        return {id: self._log.disposition(id) for id in sorted(self._log.feelings.dispositions)}

    def strongest(self) -> list[dict[str, Any]]:
        """Return the dispositions, strongest first, whether they are good or bad."""
        return sorted(
            self.get_dispositions().values(),
            key=lambda disposition: abs(disposition["strength"] - STRANGER),
            reverse=True,
        )

    def overview(self) -> dict[str, Any]:
        """Return `emotion` and the strongest `dispositions`, and both in words: `mood` and `feelings`."""
        emotion, strongest = self.get_emotion(), self.strongest()[:_MOST_SHOWN]
        return {
            "emotion": emotion,
            "dispositions": strongest,
            "mood": mood_text(emotion),
            "feelings": [feeling_text(disposition) for disposition in strongest],
        }

    @game_call(writes=True)
    def adjust_disposition(self, character_id: str, delta: float, reason: str = "") -> dict[str, Any]:
        """Changes what the NPC feels towards somebody, without an event, and returns what
        `get_disposition()` then does.

        Args:
            delta: what is added to the strength; the result stays from 0 to 100.
            reason: why, in words for a prompt, such as `"paid my debts"`.
        """
        call = "adjust_disposition()"
        character_id = validate_short_text(call, "character_id", character_id, _LONGEST)
        validate_filled_text(call, "character_id", character_id, "Pass the id of the character")
        delta = validate_number(call, "delta", delta)
        reason = validate_short_text(call, "reason", reason, _LONGEST)
        log = self._log
        log.write(log.entry(ADJUSTMENT, character_id, character_id, delta, reason, None, self._now()))
        return self.get_disposition(character_id)

    @game_call()
    def get_emotion(self) -> dict[str, Any]:
        """Returns the NPC's mood now.

        Returns:
            `mood` (such as `"happy"`; `"neutral"` without an emotion), `intensity` (0 to 100), `reason`,
            `since` and `expires_at` (game time).
        """
        return self._log.emotion()

    @game_call(writes=True)
    def feel(self, mood: str, intensity: float, reason: str = "", seconds: float = -1.0) -> Done:
        """Sets the NPC's mood, and returns `OK` or an error code.

        Args:
            mood: any word for it, such as `"contemplative"`.
            intensity: from 0 to 100.
            seconds: how long it lasts on the game's clock; -1 for `NPCMindConfig.emotion_seconds`.
        """
        mood = validate_short_text("feel()", "mood", mood, _LONGEST).strip()
        validate_filled_text("feel()", "mood", mood, 'Pass a word such as "happy"')
        intensity = validate_number_in("feel()", "intensity", intensity, 0.0, 100.0)
        seconds = validate_number("feel()", "seconds", seconds)
        reason = validate_short_text("feel()", "reason", reason, _LONGEST)
        if seconds < 0.0 and seconds != -1.0:
            raise InvalidArgumentError(
                f"feel(): seconds is {seconds:g}", "", "Pass how long it lasts, or -1 for the usual time"
            )
        now = self._now()
        lasts = self._log.config.emotion_seconds if seconds == -1.0 else seconds
        felt = Emotion(mood, intensity, reason, now, now + lasts)
        self._log.write(self._log.entry(ADJUSTMENT, "", "", 0.0, "", felt, now))
        return DONE
