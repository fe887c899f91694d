"""The options of a prompt and of an exchange: which there are, and which values each may have."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from rag_memory.config.dossier_config import NPCDossierConfig
from rag_memory.config.inheritance import with_inherited
from rag_memory.config.memory_config import MemoryConfig
from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.company import COMPANY_KEYS, MANNERS, Company, read_company
from rag_memory.validation import did_you_mean, shown

_CLASS, _VALUES = "class", "values"
"""The keys of what stands for an object of the game: what it is, and its data; None for what is no option."""


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping) and not _is_object(value)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool | int)


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _is_ids(value: Any) -> bool:
    return _is_list(value) and all(map(_is_text, value))


def _is_anything(_value: Any) -> bool:
    return True


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping) and value.keys() == {_CLASS, _VALUES}


def _is_resource(class_name: str) -> Callable[[Any], bool]:
    """Return whether a value is the data of an object of a class of the addon."""
    return lambda value: _is_object(value) and value[_CLASS] == class_name and value[_VALUES] is not None


def _is_dossier(value: Any) -> bool:
    if isinstance(value, bool) or _is_resource("NPCDossierConfig")(value):
        return True
    return isinstance(value, Mapping) and isinstance(value.get("sections"), Mapping)


_KINDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "personality": (
        _is_resource("NPCPersonality"),
        "an NPCPersonality of RAG Memory (addons/rag_memory/prompt/npc_personality.gd)",
    ),
    "profile": (_is_mapping, 'a Dictionary, such as MemoryWorld.get_profile("mira")'),
    "world_knowledge": (
        _is_resource("NPCWorldKnowledge"),
        "an NPCWorldKnowledge of RAG Memory (addons/rag_memory/prompt/npc_world_knowledge.gd)",
    ),
    "world_events": (
        _is_resource("NPCWorldEvents"),
        "an NPCWorldEvents of RAG Memory (addons/rag_memory/prompt/npc_world_events.gd)",
    ),
    "world_state": (_is_mapping, 'a Dictionary, such as {"time": "dusk"}'),
    "location": (_is_text, "a String"),
    "relationship": (_is_mapping, 'a Dictionary, such as {"trust": 40}'),
    "hour": (lambda value: _is_number(value) and 0 <= value <= 24, "an hour from 0 to 24"),
    "recent_turns": (_is_list, 'an Array of turns, such as [{"speaker": "player", "text": "Hello."}]'),
    "speaker": (_is_text, "the id of who speaks to the NPC"),
    "addressees": (_is_ids, 'an Array of ids, such as ["kael"]'),
    "bystanders": (
        lambda value: _is_ids(value) or _is_mapping(value),
        'an Array of ids, or a Dictionary with the share that each of them hears, such as {"kael": 0.5}',
    ),
    "manner": (lambda value: value in MANNERS, f"one of {', '.join(MANNERS)}"),
    "listeners": (
        _is_ids,
        'an Array of ids, such as ["player", "kael"]',
    ),
    "mind": (_is_resource("NPCMind"), "an NPCMind"),
    "dossier": (_is_dossier, "true, an NPCDossierConfig, or what build_dossier() returned"),
    "config": (_is_resource("MemoryConfig"), "a MemoryConfig"),
    "budgets": (
        lambda value: _is_mapping(value) and all(map(_is_number, value.values())),
        'a Dictionary of numbers, such as {"memories": 1000}',
    ),
    "token_budget": (_is_number, "a number"),
    "proposals": (_is_mapping, 'a Dictionary, such as {"actions": ["follow"], "tasks": true}'),
    "timestamp": (_is_anything, ""),
    "topics": (_is_anything, ""),
    "check_names": (_is_flag, "true or false"),
    "deterministic_deltas": (_is_flag, "true or false"),
}
"""The options, each with its check and its values as the end of a sentence. Those without are data of a
memory, and checked when it is stored. The last five matter to recording only: both calls of a conversation
may be given the same options."""


class PromptOptions:
    """The options of one call. `defaults` has values for options that are left out; of a wrong type, they are
    passed over.
    """

    def __init__(
        self, call: str, options: Mapping[str, Any], defaults: Mapping[str, Any] | None = None
    ) -> None:
        """
        Raises:
            InvalidArgumentError: an option is unknown or has a wrong type.
        """
        self._call = call
        for name, value in options.items():
            if name not in _KINDS:
                raise InvalidArgumentError(
                    f"{call} does not know the option {name}",
                    "",
                    f"{did_you_mean(name, tuple(_KINDS))}The options are {', '.join(_KINDS)}",
                )
            suits, wanted = _KINDS[name]
            if value is not None and not suits(value):
                raise InvalidArgumentError(
                    f"The option {name} of {call} cannot be {_shown(value)}", "", f"It has to be {wanted}"
                )
        usual = {
            name: value for name, value in (defaults or {}).items() if name in _KINDS and value is not None
        }
        usual = {name: value for name, value in usual.items() if _KINDS[name][0](value)}
        self._values = {**usual, **options}
        self._own = frozenset(options)

    def get(self, name: str, otherwise: Any = None) -> Any:
        """Return the value of an option."""
        value = self._values.get(name)
        return otherwise if value is None else value

    def data(self, name: str) -> dict[str, Any] | None:
        """Return the data of the object that is an option, or None without one."""
        value = self._values.get(name)
        if value is None:
            return None
        return {key: one[_VALUES] if _is_object(one) else one for key, one in value[_VALUES].items()}

    def is_own(self, name: str) -> bool:
        """Return whether the option was passed, and is no default."""
        return name in self._own

    def count(self, name: str, otherwise: int) -> int:
        """Return a number as a whole one."""
        value = self._values.get(name)
        return otherwise if value is None else int(value)

    def flag(self, name: str, otherwise: bool) -> bool:
        """Return an option that is true or false."""
        return bool(self.get(name, otherwise))

    def config(self, otherwise: MemoryConfig) -> MemoryConfig:
        """Return the MemoryConfig of the call. Sentences that it does not replace are `otherwise`'s."""
        data = self.data("config")
        if data is None:
            return otherwise
        values = with_inherited(MemoryConfig, data)
        wording = {**otherwise.wording, **values.get("wording", {})}
        return MemoryConfig(**{**values, "wording": wording}).validated()

    def company(self, npc_id: str) -> Company:
        """Return who speaks to an NPC, and who else is there."""
        names = {name: self._values[name] for name in COMPANY_KEYS if self._values.get(name) is not None}
        return read_company(self._call, npc_id, names)

    def player_name(self) -> str:
        """Return the name that the game's NPCWorldKnowledge has for the player, or ""."""
        name = (self.data("world_knowledge") or {}).get("player_name")
        return name if isinstance(name, str) else ""

    def dossier_config(self) -> NPCDossierConfig | None:
        """Return the config of the dossier to make: None when there is none to make."""
        dossier = self._values.get("dossier")
        if isinstance(dossier, bool) or dossier is None:
            return NPCDossierConfig() if dossier else None
        return None if "sections" in dossier else NPCDossierConfig(**(self.data("dossier") or {})).validated()

    def dossier(self) -> dict[str, Any]:
        """Return the dossier that the game has made; empty without one."""
        dossier = self._values.get("dossier")
        return dict(dossier) if isinstance(dossier, Mapping) and "sections" in dossier else {}


def _shown(value: Any) -> str:
    return str(value[_CLASS])[:80] if _is_object(value) else shown(value)
