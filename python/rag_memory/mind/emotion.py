"""The NPC's mood: what causes it, and how it fades."""

from __future__ import annotations

from typing import Any

from rag_memory.config.mind_config import EmotionFading, NPCMindConfig
from rag_memory.config.mood_rules import NEUTRAL
from rag_memory.config.rule_condition import fitting
from rag_memory.memory.interaction import NO_EMOTION, Emotion
from rag_memory.mind.event import Event


def felt(config: NPCMindConfig, event: Event, sentiment: float, now: float, reason: str) -> Emotion | None:
    """The emotion that an event causes; None when it leaves the mood as it is."""
    numbers = event.numbers(sentiment)
    rules = fitting(config.mood_rules, event.action, numbers)
    mood = config.mood_rules[rules[0]]["mood"] if rules else ""
    if not mood and config.emotion_fading == EmotionFading.EXACT:
        mood = NEUTRAL
    if not mood:
        return None
    return Emotion(mood, config.emotion_intensity, reason, now, now + config.emotion_seconds)


def intensity_at(config: NPCMindConfig, emotion: Emotion, now: float) -> float:
    """Return the current intensity of an emotion, from 0 to 100."""
    if now >= emotion.until:
        return 0.0
    if config.emotion_fading == EmotionFading.EXACT or now <= emotion.since:
        return emotion.intensity
    return emotion.intensity * ((emotion.until - now) / (emotion.until - emotion.since))


def described(config: NPCMindConfig, emotion: Emotion, now: float) -> dict[str, Any]:
    """As a game gets it; one that is over is neutral."""
    intensity = intensity_at(config, emotion, now)
    if intensity <= 0.0:
        emotion = NO_EMOTION
    return {
        "mood": emotion.mood,
        "intensity": intensity,
        "reason": emotion.reason,
        "since": emotion.since,
        "expires_at": emotion.until,
    }
