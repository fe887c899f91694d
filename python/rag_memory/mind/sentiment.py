"""Whether something was meant well: a number below 0 for harm, above 0 for kindness, 0 for neither."""

from __future__ import annotations

from rag_memory.config.mind_config import MindConfig

_RULE_WORDS = (
    (10.0, ("thank",)),
    (-15.0, ("idiot", "stupid")),
    (10.0, ("love", "friend")),
    (-15.0, ("hate", "enemy")),
)
"""The specified table: the first row of which a word stands anywhere in the text decides."""


def sentiment_of(config: MindConfig, content: str, action: str) -> float:
    """What an action and the words with it mean to an NPC: what the action means, else what the words do."""
    if action.casefold() in config.action_sentiments:
        return config.action_sentiments[action.casefold()]
    return _by_rules(config, content)


def _by_rules(config: MindConfig, content: str) -> float:
    content = content.casefold()
    for word, sentiment in config.sentiment_words.items():
        if word in content:
            return sentiment
    return next((sentiment for sentiment, words in _RULE_WORDS if any(w in content for w in words)), 0.0)
