"""The truth about a world as an NPCWorldKnowledge has it: facts, people, establishments and flags."""

from __future__ import annotations

import logging
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.memory.document import TIMELESS
from rag_memory.text.name_check import check_memories
from rag_memory.text.terms import is_spaceless, terms_of, words
from rag_memory.text.whole_words import without_honorific
from rag_memory.validation import shown, validate_options
from rag_memory.world.establishment_check import unknown_establishments
from rag_memory.world.facts import fact_record_id
from rag_memory.world.flag_condition import Flags
from rag_memory.world.whereabouts import PLACE, name_key
from rag_memory.world.who_knows import (
    Window,
    is_known,
    refuse_earlier_keys,
    validate_known_by,
    windows,
)
from rag_memory.world.world import World

_LOG = logging.getLogger("rag_memory")
_CHECK_OPTIONS = ("known_names", "check_names")
_NAME = lazy_pattern(r"[^\W\d_](?:[^\W\d_]|['’-])*[^\W\d_]")
"""Every capitalised word of a fact is a valid name."""
_NAME_WORD = lazy_pattern(r"(?:[^\W_]|['’-])+")
_SHORTEST_NAME = 2
"""Signs of a name in a script without spaces."""
_CONTENT_WORD = lazy_pattern(r"(?:[^\W_]|'){3,}")


class WorldKnowledge:
    """The facts, people, establishments and flags of a game: those of the beginning, and what the open save
    says instead and besides.
    """

    def __init__(
        self,
        *,
        facts: Sequence[Mapping[str, Any]] = (),
        people: Mapping[str, Sequence[str]] | None = None,
        establishments: Sequence[Mapping[str, Any]] = (),
        other_names: Sequence[str] = (),
        flags: Mapping[str, Any] | None = None,
        world: World | None = None,
    ) -> None:
        """
        Args:
            people: the names of each NPC by its id, the usual one first.
            other_names: names that are no people, and the player's.
            flags: the values of the story flags now.
            world: that of the open save, whose characters and player have valid names, too.
        """
        self.facts = list(facts)
        self.people = dict(people or {})
        self.flags = dict(flags or {})
        self._establishments = list(establishments)
        self._other_names = list(other_names)
        self._world = world

    @classmethod
    def from_data(cls, data: Mapping[str, Any], world: World | None) -> WorldKnowledge:
        """Make one of what `NPCWorldKnowledge.to_data()` returns and of the world of the open save; values of
        wrong types are left out.
        """
        aliases = _mapping(data.get("npc_aliases"))
        facts: dict[str | int, Mapping[str, Any]] = {}
        for number, fact in enumerate(_with_text(data, "facts", "text")):
            id = fact.get("id")
            facts[id if isinstance(id, str) and id else number] = fact
        flags = _mapping(data.get("flags"))
        if world is not None:
            flags = world.facts.get_flags()
            facts.update(world.facts.get_facts())
        return cls(
            facts=list(facts.values()),
            people={
                id: [name, *_texts(aliases.get(id))]
                for id, name in _mapping(data.get("npc_names")).items()
                if isinstance(name, str)
            },
            establishments=_with_text(data, "establishments", "name"),
            other_names=[*_texts(data.get("other_names")), *_texts([data.get("player_name")])],
            flags=flag_values(_mapping(data.get("flag_defaults")), flags),
            world=world,
        )

    def fact(self, id: str) -> str:
        """Return the text of a fact, or "" when there is none with this id."""
        return next((fact["text"] for fact in self.facts if fact.get("id") == id), "")

    def facts_for(self, npc_id: str, context: str = "", limit: int = -1, location: str = "") -> list[str]:
        """Return the facts that an NPC knows now. Those that share most words with the context come first.

        Args:
            limit: -1 for all of them.
            location: where the NPC is; the name of an establishment stands for its location, too.
        """
        asked, listened = _content_words(context), self._windows(npc_id, location)
        saved_flags = {} if self._world is None else self._world.facts.get_flags()
        flags = {**saved_flags, **self.flags}
        forgotten = self._forgotten(npc_id)
        texts = [
            fact
            for fact in self.facts
            if fact_record_id(str(fact.get("id"))) not in forgotten
            and self._is_known_by(fact, listened, flags)
        ]
        texts += [] if self._world is None else self._world.knowledge.former_facts(npc_id)
        texts.sort(key=lambda fact: len(asked & _fact_words(fact)), reverse=True)
        return [fact["text"] for fact in (texts if limit < 0 else texts[:limit])]

    def establishments(self, location: str = "") -> list[dict[str, Any]]:
        """Return the establishments that are open now; with a location, those that are there."""
        places = self._places(location)
        return [
            dict(establishment)
            for establishment in self._establishments
            if self._holds(establishment)
            and (not places or name_key(establishment.get("location")) in ("", *places))
        ]

    def has_establishments(self) -> bool:
        """Return True if the game has listed any, open or not."""
        return bool(self._establishments)

    def check_establishments(self, text: str, location: str = "") -> dict[str, Any]:
        """Check whether a text names an inn, a shop or a smithy that does not exist: `accepted`,
        `unknown_establishments` and `reason`.
        """
        unknown = unknown_establishments(
            text, self._establishments, self.names(), self._names_of_people(), location
        )
        reason = ""
        if unknown:
            place = f" in {location}" if location else ""
            reason = (
                f"There is no {' or '.join(unknown)}{place}. "
                "Add it with NPCWorldKnowledge.add_establishment()."
            )
        return {"accepted": not unknown, "unknown_establishments": unknown, "reason": reason}

    def check_memory(
        self, text: str, data: Mapping[str, Any] | None = None, options: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Check whether a memory is about people nobody knows: `accepted`, `unknown_names` and `reason`.

        Args:
            data: the memory's other values, of which `participants` are checked, too.
            options: `known_names` (more valid names) and `check_names` (false accepts everything).
        """
        options = validate_options("check_memory()", options, _CHECK_OPTIONS)
        unknown: list[str] = []
        if options.get("check_names", True):
            names = [*self.names(), *_texts(options.get("known_names"))]
            memory = {"text": text, "participants": _texts((data or {}).get("participants"))}
            unknown = check_memories([memory], names, [])[0]["unknown_names"]
        reason = ""
        if unknown:
            reason = (
                f"Nobody in this world is called {' or '.join(unknown)}. Add the name to NPCWorldKnowledge, "
                "or store with check_names set to false."
            )
        return {"accepted": not unknown, "unknown_names": unknown, "reason": reason}

    def names(self) -> list[str]:
        """Return all names that memories may use: people, establishments, other names, the capitalised words
        of facts, and the characters and the player of the open save.
        """
        names = [*self._names_of_people(), *self._other_names]
        for establishment in self._establishments:
            names += _texts([establishment.get("name"), establishment.get("location")])
        for fact in self.facts:
            names += [word for word in _NAME.findall(fact["text"]) if word[0].isupper()]
        if self._world is not None:
            people = [self._world.facts.get_player_info(), *self._world.characters.list_characters()]
            names += _texts([person.get("name") for person in people])
        return list(dict.fromkeys(names))

    def name_of(self, npc_id: str) -> str:
        """Return the name of an NPC, or its id when it has none."""
        return next(iter(self.people.get(npc_id, ())), npc_id)

    def is_known_npc(self, name: str) -> bool:
        """Return True if this is the id, the name or another name of an NPC, or a word of one. In a script
        without spaces, its beginning or its end counts as a word, and so does a name with "さん", "씨" or the
        like after it.
        """
        people = _name_words(self._names_of_people())
        return any(_is_of_names(_name_words([spoken]), people) for spoken in (name, without_honorific(name)))

    def _names_of_people(self) -> list[str]:
        return [name for id, names in self.people.items() for name in (id, *names)]

    def _windows(self, npc_id: str, location: str) -> list[Window]:
        """The windows of an NPC that is at this place now."""
        ties = {} if self._world is None else self._world.knowledge.ties(npc_id)
        return windows(npc_id, {**ties, **{(PLACE, place): math.inf for place in self._places(location)}})

    def _forgotten(self, npc_id: str) -> frozenset[str]:
        """The ids under which an NPC has forgotten facts and the like."""
        return frozenset() if self._world is None else self._world.knowledge.forgotten(npc_id)

    def _is_known_by(self, fact: Mapping[str, Any], listened: Sequence[Window], flags: Flags) -> bool:
        saved = None if self._world is None else self._world.facts.document(fact.get("id"))
        time = TIMELESS if saved is None else saved.timestamp
        call = f"NPCWorldKnowledge.facts, {shown(fact['text'])}"
        try:
            refuse_earlier_keys(call, fact)
            known_by = validate_known_by(call, fact.get("known_by", []))
        except InvalidArgumentError as error:
            _LOG.error("%s", error)
            return False
        return is_known(known_by, time, listened, flags)

    def _holds(self, entry: Mapping[str, Any]) -> bool:
        """Return True if the flag that an establishment requires is set."""
        flag = entry.get("requires_flag")
        return not flag or (isinstance(flag, str) and bool(self.flags.get(flag)))

    def _places(self, location: str) -> frozenset[str]:
        """A place and what it lies in, as they are compared."""
        place = name_key(location)
        around = [
            name_key(establishment.get("location"))
            for establishment in self._establishments
            if place in (name_key(establishment.get("id")), name_key(establishment.get("name")))
        ]
        return frozenset(filter(None, [place, *around])) if place else frozenset()


def flag_values(defaults: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of every flag: the one that was set, if it fits the type of the default, or the
    default.
    """
    converted = {flag: flag_value(values.get(flag), default) for flag, default in defaults.items()}
    return {
        flag: default if converted[flag] is None else converted[flag] for flag, default in defaults.items()
    }


def flag_value(value: Any, default: Any) -> Any:
    """Return a value in the type of a flag's default, or None if it cannot have it. An int may be a float,
    and 0 or 1 a bool, because numbers that were read from JSON are floats in Godot.
    """
    if isinstance(value, float) and value - value != 0.0:  # NaN or infinite
        return None
    if type(value) is type(default):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(default, bool):
        return bool(value) if value in (0, 1) else None
    if isinstance(default, float):
        return float(value)
    return int(value) if isinstance(default, int) and value == int(value) else None


def _mapping(value: Any) -> dict[str, Any]:
    return (
        {key: item for key, item in value.items() if isinstance(key, str)}
        if isinstance(value, Mapping)
        else {}
    )


def _texts(value: Any) -> list[str]:
    """The texts in a list that are not empty."""
    items = value if isinstance(value, list | tuple) else ()
    return [item for item in items if isinstance(item, str) and item]


def _with_text(data: Mapping[str, Any], key: str, name: str) -> list[Mapping[str, Any]]:
    """The dictionaries in a list of the data whose value of this name is a text."""
    entries = data.get(key)
    return [
        entry
        for entry in (entries if isinstance(entries, list | tuple) else ())
        if isinstance(entry, Mapping) and isinstance(entry.get(name), str)
    ]


def _name_words(names: Iterable[str]) -> frozenset[str]:
    matches = _NAME_WORD.findall(" ".join(names))
    return frozenset(word.casefold().removesuffix("'s").removesuffix("’s") for word in matches)


def _is_of_names(asked: Collection[str], people: Collection[str]) -> bool:
    return bool(asked) and all(
        word in people or any(_is_part_of_name(word, other) for other in people) for word in asked
    )


def _is_part_of_name(word: str, name: str) -> bool:
    is_long_enough = len(word) >= _SHORTEST_NAME and is_spaceless(word[0])
    return is_long_enough and (name.startswith(word) or name.endswith(word))


def _content_words(text: str) -> frozenset[str]:
    unspaced = (word for word in words(text) if is_spaceless(word[0]))
    pairs = (term for word in unspaced for term in terms_of(word) if len(term) > 1)
    return frozenset(word.casefold() for word in _CONTENT_WORD.findall(text)).union(pairs)


def _fact_words(fact: Mapping[str, Any]) -> frozenset[str]:
    return _content_words(" ".join([fact["text"], *_texts(fact.get("topics"))]))
