"""The rules of the core that the addon's scripts apply, by name: MemoryServer.apply_rule() and
MemoryConfig.apply_rule().
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rag_memory.config.budgets import PROMPT_BUDGETS
from rag_memory.config.wording import Wording
from rag_memory.errors import InvalidArgumentError
from rag_memory.godot import console_commands
from rag_memory.memory.memory_view import moment_text
from rag_memory.prompt import memory_line, relationship_words
from rag_memory.text.harmless import harmless
from rag_memory.validation import shown
from rag_memory.world.personality import Personality

Rule = Callable[..., Any]
_personality = Personality.from_data
RULES: Mapping[str, Rule] = {
    "console.help": lambda: dict(console_commands.HELP),
    "personality.unlocked_secrets": lambda data, relationship: _personality(data).unlocked_indices(
        relationship
    ),
    "personality.is_romance_unlocked": lambda data, relationship: _personality(data).is_romance_unlocked(
        relationship
    ),
    "personality.modified_changes": lambda data, changes: _personality(data).modified_changes(changes),
    "personality.activity": lambda data, hour: _personality(data).activity_index(hour),
    "personality.filled_in": lambda data, profile: _personality(data).values_of_profile(profile),
    "personality.forbidden_phrases": lambda data, text: _personality(data).forbidden_phrases_in(text),
    "personality.relationship_to_set": lambda data: _personality(data).relationship_to_set(),
    "personality.relationship_problems": lambda data: list(
        _personality(data).relationship_problems().values()
    ),
    "prompt.budgets": lambda: dict(PROMPT_BUDGETS),
    "prompt.harmless": lambda text: harmless(text),
}
"""The rules that need neither a save nor a config."""
SENTENCE_RULES: Mapping[str, Rule] = {
    "console.help": lambda: dict(console_commands.HELP),
    "personality.identity_lines": lambda config, data, hour, relationship: _personality(data).identity_lines(
        config, hour if hour >= 0 else None, relationship
    ),
    "personality.temper": lambda config, data: _personality(data).temper(config),
    "personality.problems": lambda config, data: _personality(data).problems(config),
    "relationship.sentences": lambda config, numbers: relationship_words.relationship_sentences(
        numbers, config
    ),
    "relationship.guidance": lambda config, relationship: relationship_words.guidance(relationship, config),
    "prompt.tiered_memories": memory_line.tiered_memories,
    "time.moment": moment_text,
}
"""The rules that make sentences: their first argument is the config that words them."""


def apply_rule(rule: str, arguments: Sequence[Any]) -> Any:
    """Apply one of RULES.

    Raises:
        InvalidArgumentError: there is no such rule, or it takes other arguments.
    """
    return find_rule(RULES, rule, arguments)(*arguments)


def apply_sentence_rule(config: Wording, rule: str, arguments: Sequence[Any]) -> Any:
    """Apply one of SENTENCE_RULES.

    Raises:
        InvalidArgumentError: there is no such rule, or it takes other arguments.
    """
    return find_rule(SENTENCE_RULES, rule, (config, *arguments))(config, *arguments)


def find_rule(rules: Mapping[str, Rule], name: str, arguments: Sequence[Any]) -> Rule:
    """Return a rule by its name.

    Raises:
        InvalidArgumentError: there is no such rule, or it takes other arguments.
    """
    if name not in rules:
        likely = difflib.get_close_matches(name, rules, 1)
        raise InvalidArgumentError(
            f"apply_rule(): there is no rule {shown(name)}",
            "the addon's own scripts call rules by their names",
            f"Did you mean {shown(likely[0])}?" if likely else "See script_rules.py",
        )
    try:
        inspect.signature(rules[name]).bind(*arguments)
    except TypeError as error:
        raise InvalidArgumentError(
            f"apply_rule(): {name} cannot be applied to these arguments", str(error), "See script_rules.py"
        ) from error
    return rules[name]
