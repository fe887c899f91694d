"""Whether something was meant well: a number below 0 for harm, above 0 for kindness, 0 for neither."""

from __future__ import annotations

import math
from typing import Any

from rag_memory.config.mind_config import NPCMindConfig, SentimentMode
from rag_memory.game_rules import GAME_RULES
from rag_memory.validation import shown

_STRONGEST = 100.0

_RULE_WORDS = (
    (10.0, ("thank",)),
    (-15.0, ("idiot", "stupid")),
    (10.0, ("love", "friend")),
    (-15.0, ("hate", "enemy")),
)
"""The specified table: the first row of which a word stands anywhere in the text decides."""


def sentiment_of(config: NPCMindConfig, content: str, action: str) -> float:
    """What an action and the words with it mean to an NPC.

    What the action means by `action_sentiments` decides; else the words; and where they say nothing, the
    action's name, such as "insulted" (not in `RULES`). A rule of the game comes before all of them.
    """
    ruled = GAME_RULES.ask("sentiment", content, action)
    if ruled is not None:
        return float(ruled)
    if action.casefold() in config.action_sentiments:
        return config.action_sentiments[action.casefold()]
    if config.sentiment_mode == SentimentMode.RULES:
        return _by_rules(config, content)
    # Its word list takes 3 MB, which a game that weighs no words never needs.
    from rag_memory.mind.lexicon import sentiment_by_name, sentiment_by_words

    words = config.sentiment_words
    return sentiment_by_words(content, words) or sentiment_by_name(action, words)


def read_sentiment(answer: Any) -> float:
    """Read the answer of the game's sentiment analyzer.

    Raises:
        TypeError: it is no number.
    """
    if isinstance(answer, bool) or not isinstance(answer, int | float) or not math.isfinite(answer):
        raise TypeError(f"it returned {shown(answer)}, which is no number")
    return max(-_STRONGEST, min(_STRONGEST, float(answer)))


def _by_rules(config: NPCMindConfig, content: str) -> float:
    folded = content.casefold()
    for word, sentiment in config.sentiment_words.items():
        if word in folded:
            return sentiment
    content = content.lower()  # as specified
    return next((sentiment for sentiment, words in _RULE_WORDS if any(w in content for w in words)), 0.0)
