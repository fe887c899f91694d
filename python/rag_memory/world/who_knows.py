"""Who may know something: the owners that `known_by` names, and the characters that belong to them."""

from __future__ import annotations

import bisect
import math
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.errors import InvalidArgumentError
from rag_memory.ids import normal_id
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.validation import did_you_mean, shown, validate_text, wrong_type
from rag_memory.world.flag_condition import (
    COMPARISONS,
    SIGNS,
    Comparison,
    Flags,
    Operand,
    Test,
    parsed_condition,
)
from rag_memory.world.whereabouts import GROUPS, PLACE, Ties, name_key

PRIVATE, LOCAL, FACTION, GLOBAL, RUMOR = "private", "local", "faction", "global", "rumor"
VISIBILITIES = (PRIVATE, LOCAL, FACTION, GLOBAL, RUMOR)
EVERYONE = "everyone"

Channel = tuple[str, str]
"""A kind of owner, and which one: a person, a place, a faction or everybody."""
_EVERYBODY: Channel = (EVERYONE, "")
_PERSON, _NAME, _FLAG, _WHEN = "npc", "name", "flag", "when"
_KINDS = (_PERSON, PLACE, *GROUPS, _FLAG, _WHEN)
_KEYS = (*_KINDS, *COMPARISONS)
_PART_END = lazy_pattern(r"\s+and\s+(?=\w+\s*:)")
_WORDS = "is(?:_|\\s+)not|is|at_least|at_most|above|below"
_FLAG_NAME = r"[^\s=!<>]+"
_COMPARED = lazy_pattern(
    rf"({_FLAG_NAME})(?:\s+({_WORDS})\s+|\s*({'|'.join(SIGNS)})\s*)((?![=!<>])(?:(?!\s(?:{_WORDS})\s).)+)"
)
_SECOND_OWNER = lazy_pattern(rf":\s|\b(?:and|or)\s+(?:{'|'.join(_KINDS)})\b")
"""Marks a name in which another owner stands: none such belongs to anybody."""


class Window(NamedTuple):
    """A channel that an NPC listens to: it knows what was told there before `until`."""

    channel: Channel
    until: float = math.inf

    def has(self, time: float) -> bool:
        """Return True if what was told at this time is in the window."""
        return time < self.until

    @property
    def is_open(self) -> bool:
        """True while the NPC listens."""
        return math.isinf(self.until)


class Condition(NamedTuple):
    """One of the owners in a `known_by`: every part of it has to hold."""

    channels: tuple[frozenset[Channel], ...]
    """The NPC listens to one of each."""
    tests: tuple[Test, ...] = ()

    @property
    def simple(self) -> frozenset[Channel]:
        """The channels of a condition that has no other part; empty for any other condition."""
        return self.channels[0] if len(self.channels) == 1 and not self.tests else frozenset()

    def holds(self, time: float, windows: Collection[Window], flags: Flags) -> bool:
        """Return True for an NPC with these windows, for what was told at this time."""
        return all(test(flags) for test in self.tests) and all(
            any(window.channel in channels and window.has(time) for window in windows)
            for channels in self.channels
        )


def validate_known_by(call: str, value: Any) -> list[Any]:
    """Return a `known_by` as a list of owners; empty when nobody is named.

    Raises:
        InvalidArgumentError: an owner in it is not understood.
    """
    if isinstance(value, str) and not value.strip():
        return []
    entries = _as_list(value)
    for entry in entries:
        _condition(call, entry)
    return [dict(entry) if isinstance(entry, Mapping) else entry for entry in entries]


def refuse_earlier_keys(call: str, fact: Mapping[str, Any]) -> None:
    """Refuse the keys by which earlier versions said who knows a fact: without them everyone would know it.

    Raises:
        InvalidArgumentError: the fact has one.
    """
    for key, instead in (("locations", PLACE), ("requires_flag", _FLAG)):
        if key in fact:
            raise InvalidArgumentError(
                f"{call}: it has the key {key}",
                "known_by alone says who knows a fact",
                f'Use "known_by": {{"{instead}": ...}}',
            )


def conditions_of(known_by: Sequence[Any]) -> list[Condition]:
    """Return the conditions of a checked `known_by`; one of them has to hold."""
    return [_condition("known_by", entry) for entry in known_by]


def without_texts(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document's content in which a Dictionary stands for each text such as "npc: ulf"."""

    def data_of(known_by: Sequence[Any]) -> list[Any]:
        return [
            _from_text("known_by", entry) if isinstance(entry, str) and _is_written_out(entry) else entry
            for entry in known_by
        ]

    known_by, owned = data_of(content.get("known_by", ())), content.get("owned", ())
    return {
        **content,
        **({"known_by": known_by} if known_by else {}),
        **({"owned": [[data_of(owners), ids] for owners, ids in owned]} if owned else {}),
    }


def owner_names(known_by: Sequence[Any]) -> list[str]:
    """Return the names in a checked `known_by`."""
    conditions = conditions_of(known_by)
    return [name for condition in conditions for names in condition.channels for _, name in names]


def is_known(known_by: Sequence[Any], time: float, windows: Collection[Window], flags: Flags) -> bool:
    """Return True if an NPC with these windows knows what was told at this time; everybody does when nobody
    is named.
    """
    return not known_by or any(condition.holds(time, windows, flags) for condition in conditions_of(known_by))


def event_conditions(event: Mapping[str, Any]) -> list[Condition]:
    """Return the conditions of an event. A rumor has none of its own: it is spread by word of mouth."""
    people = frozenset((_PERSON, id) for id in (event["actor"], event["target"]) if id)
    conditions = [Condition((people,))] if people else []
    match event["visibility"]:
        case "local":
            conditions.append(Condition((frozenset({(PLACE, name_key(event["location"]))}),)))
        case "faction":
            names = (name_key(event["actor_faction"]), name_key(event["target_faction"]))
            conditions.append(Condition((frozenset((FACTION, name) for name in names if name),)))
        case "global":
            conditions.append(Condition((frozenset({_EVERYBODY}),)))
    return conditions + conditions_of(event["known_by"])


def windows(npc_id: str, ties: Ties) -> list[Window]:
    """Return the windows of an NPC: to a place or group that it left, up to the time when it left."""
    listened = [Window((_PERSON, npc_id)), Window(_EVERYBODY)]
    for (kind, name), until in ties.items():
        until = math.nextafter(until, math.inf)
        kinds = (kind, _NAME) if kind == PLACE else (kind, "group", _NAME)
        listened += [Window((kind, name), until) for kind in dict.fromkeys(kinds)]
    return listened


class Channels:
    """What was told on each channel, in the order of its time; and what has more complex conditions."""

    def __init__(self) -> None:
        self._by_channel: dict[Channel, tuple[list[float], list[str]]] = {}
        self._conditions: dict[str, tuple[float, list[Condition]]] = {}
        self._complex: dict[str, tuple[float, list[Condition]]] = {}

    def put(self, id: str, time: float, conditions: Sequence[Condition]) -> None:
        """Add or replace something that was told."""
        self.remove(id)
        self._conditions[id] = (time, list(conditions))
        for channel in _simple_channels(conditions):
            times, ids = self._by_channel.setdefault(channel, ([], []))
            place = bisect.bisect(times, time)
            times.insert(place, time)
            ids.insert(place, id)
        rest = [condition for condition in conditions if not condition.simple]
        if rest:
            self._complex[id] = (time, rest)

    def remove(self, id: str) -> None:
        """Remove something that was told."""
        time, conditions = self._conditions.pop(id, (0.0, []))
        self._complex.pop(id, None)
        for channel in _simple_channels(conditions):
            times, ids = self._by_channel[channel]
            place = ids.index(id, bisect.bisect_left(times, time))
            del times[place], ids[place]

    def ids(self, listened: Collection[Window], flags: Flags) -> set[str]:
        """Return the ids of what an NPC with these windows knows."""
        known_ids: set[str] = set()
        for window in listened:
            times, ids = self._by_channel.get(window.channel, ((), ()))
            known_ids.update(ids[: bisect.bisect_left(times, window.until)])
        known_ids.update(
            id
            for id, (time, conditions) in self._complex.items()
            if any(condition.holds(time, listened, flags) for condition in conditions)
        )
        return known_ids

    def has(self, id: str, listened: Collection[Window], flags: Flags) -> bool:
        """Return True if an NPC with these windows knows something."""
        time, conditions = self._conditions.get(id, (0.0, []))
        return any(condition.holds(time, listened, flags) for condition in conditions)


def _simple_channels(conditions: Sequence[Condition]) -> frozenset[Channel]:
    return frozenset[Channel]().union(*(condition.simple for condition in conditions))


def _condition(call: str, entry: Any) -> Condition:
    if isinstance(entry, str):
        if not validate_text(call, "known_by", entry).strip():
            raise InvalidArgumentError(
                f"{call}: known_by has the owner {shown(entry)}",
                "nobody is named",
                "Leave it out of the Array",
            )
        if _is_written_out(entry):
            entry = _from_text(call, entry)
        else:
            named = frozenset({(_PERSON, normal_id(entry)), (_NAME, name_key(entry))})
            return Condition((frozenset({_EVERYBODY}) if name_key(entry) == EVERYONE else named,))
    if not isinstance(entry, Mapping) or not entry:
        raise wrong_type(call, "known_by", entry, "a String, a Dictionary, or an Array of them")
    for key in entry:
        if key not in _KEYS:
            raise InvalidArgumentError(
                f"{call}: known_by has the key {shown(key)}",
                "there is no such key",
                f"{did_you_mean(key, _KEYS)}Use {', '.join(_KEYS)}",
            )
    tests = _tests(call, entry)
    channels = tuple(_named(call, kind, entry[kind]) for kind in (_PERSON, PLACE, *GROUPS) if kind in entry)
    return Condition(channels or (frozenset({_EVERYBODY}),), tests)


def _is_written_out(text: str) -> bool:
    """Return True for a text such as "npc: ulf"; an id like "guard:3" is only a name."""
    head, colon, _ = text.partition(":")
    kind = head.strip().casefold()
    return bool(colon) and (len(text.split()) > 1 or kind in _KINDS or bool(did_you_mean(kind, _KINDS)))


def _from_text(call: str, text: str) -> dict[str, Any]:
    """The Dictionary that a text such as "faction: Guild and flag: stage at_least 3" stands for."""
    entry: dict[str, Any] = {}
    for part in _PART_END.split(text.strip()):
        head, colon, value = part.partition(":")
        kind, value = head.strip().casefold(), value.strip()
        if not colon or kind not in _KINDS:
            raise InvalidArgumentError(
                f"{call}: known_by has the part {shown(part)}",
                "it does not begin with a kind of owner",
                f"{did_you_mean(kind, _KINDS)}Begin it with {', '.join(_KINDS)} and a colon",
            )
        if kind in entry:
            raise InvalidArgumentError(
                f"{call}: known_by is {shown(text)}",
                f"it names {kind} twice",
                "Pass owners of which one is enough as an Array, or separate them by commas in lore",
            )
        entry |= _flag_test(call, part, value) if kind == _FLAG else {kind: value}
        if kind not in (_FLAG, _WHEN) and _SECOND_OWNER.search(value):
            raise InvalidArgumentError(
                f"{call}: known_by has the part {shown(part)}",
                "the name has another owner in it",
                'Write "and", the kind and a colon before each further part',
            )
    return entry


def _flag_test(call: str, part: str, value: str) -> dict[str, Any]:
    """The keys that a text such as "stage at_least 3" stands for."""
    if re.fullmatch(_FLAG_NAME, value):
        return {_FLAG: value}
    match = _COMPARED.fullmatch(value)
    if match is not None:
        wanted = _value(match[4])
        comparison = SIGNS[match[3]] if match[3] else "_".join(match[2].split())
        if comparison in ("is", "is_not") or not isinstance(wanted, str):
            return {_FLAG: match[1], comparison: wanted}
    raise InvalidArgumentError(
        f"{call}: known_by has the part {shown(part)}",
        "this is no flag and no comparison of one with a value",
        f'Write it as in "flag: quest_stage at_least 3", with one of {", ".join(COMPARISONS)}',
    )


def _value(text: str) -> Any:
    """A bool or a number that a text stands for; else the text."""
    if text.casefold() in ("true", "false"):
        return text.casefold() == "true"
    try:
        return float(text) if any(sign in text for sign in ".e") else int(text)
    except ValueError:
        return text


def _named(call: str, kind: str, value: Any) -> frozenset[Channel]:
    """The channels of one name or of several."""
    names = [validate_text(call, f"known_by.{kind}", name) for name in _as_list(value)]
    if not names or not all(name.strip() for name in names):
        raise InvalidArgumentError(
            f"{call}: known_by.{kind} is {shown(value)}", "nobody is named", "Pass a name, or leave it out"
        )
    return frozenset((kind, normal_id(name) if kind == _PERSON else name_key(name)) for name in names)


def _tests(call: str, entry: Mapping[str, Any]) -> tuple[Test, ...]:
    if _WHEN not in entry:
        return _comparisons(call, entry)
    expression = validate_text(call, "known_by.when", entry[_WHEN])
    return (*_comparisons(call, entry), parsed_condition(f"{call}: known_by.when", expression))


def _comparisons(call: str, entry: Mapping[str, Any]) -> tuple[Test, ...]:
    comparisons = [name for name in COMPARISONS if name in entry]
    if _FLAG not in entry:
        if comparisons:
            raise InvalidArgumentError(
                f"{call}: known_by has the key {comparisons[0]}",
                "it compares a flag, and none is named",
                f'Add the key "flag", as in {{"flag": "quest_stage", "{comparisons[0]}": 3}}',
            )
        return ()
    flag = validate_text(call, "known_by.flag", entry[_FLAG])
    if not flag.strip():
        raise InvalidArgumentError(
            f"{call}: known_by.flag is {shown(flag)}", "no flag is named", "Pass the name of a flag"
        )
    for name in comparisons:
        if not isinstance(entry[name], bool | int | float | str):
            raise wrong_type(call, f"known_by.{name}", entry[name], "a bool, int, float or String")
    value = Operand(flag, is_flag=True)
    return tuple(Comparison(value, name, Operand(entry[name])) for name in comparisons) or (value,)


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]
