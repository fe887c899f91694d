"""Other words for the actions that the rules of a mind name: a game that says "theft" means "stole"."""

from __future__ import annotations

from rag_memory.config.mind_config import NPCMindConfig
from rag_memory.config.rule_condition import actions_of

_FORMS = {
    "attacked": "attack attacks hit hits strike struck",
    "asked": "ask asks",
    "betrayed": "betray betrays betrayal",
    "bought": "buy buys",
    "broke": "break breaks broken",
    "cheated": "cheat cheats",
    "destroyed": "destroy destroys",
    "died": "die dies death",
    "gave": "give gives given gift gifts",
    "healed": "heal heals",
    "helped": "help helps",
    "hurt": "hurts harm harmed",
    "insulted": "insult insults",
    "killed": "kill kills",
    "lied": "lie lies",
    "murdered": "murder murders",
    "rescued": "rescue rescues",
    "robbed": "rob robs robbery",
    "said": "say says",
    "saved": "save saves",
    "sold": "sell sells",
    "spoke": "speak speaks",
    "stole": "steal steals stolen theft",
    "talked": "talk talks",
    "threatened": "threaten threatens threat",
    "traded": "trade trades",
}
_ACTION_OF = {form: action for action, forms in _FORMS.items() for form in forms.split()}


def action_in_rules(config: NPCMindConfig, action: str) -> str:
    """Return the action that the rules name for what a game calls an action: "stole" for "theft". What the
    rules name themselves, and what has no other word, stays.
    """
    action = action.casefold()
    usual = _ACTION_OF.get(action)
    if usual is None or action in config.action_sentiments:
        return action
    rules = (*config.encoding_rules, *config.mood_rules)
    return action if any(action in actions_of(rule) for rule in rules) else usual
