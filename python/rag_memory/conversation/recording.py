"""The memories and changes of the relationship that one exchange leaves, as plain data."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rag_memory.config.calendar import CALENDAR
from rag_memory.config.relationship_scales import DIMENSIONS
from rag_memory.conversation.name_of_player import objection
from rag_memory.conversation.recording_options import Before, RecordingOptions
from rag_memory.conversation.secrets_in_replies import LEAST_ALIKE, likeness, tells_secret
from rag_memory.conversation.told_memories import MEMORY_IDS
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.memory.company import UNHEARD
from rag_memory.memory.event_templates import PLAYER, MemoryDraft
from rag_memory.memory.importance import calculate_importance, get_deterministic_deltas
from rag_memory.memory.record import PLAYER_INFO
from rag_memory.searchable.search_index import PLAYER_NAME_SLOT
from rag_memory.text.harmless import harmless
from rag_memory.text.name_check import NameCheck
from rag_memory.text.shortening import shortened
from rag_memory.text.terms import words
from rag_memory.validation import validate_texts

GIFTS = ("gift_received", "first_gift")
"""The event types of gifts that the NPC was given."""
_MOST_QUOTED = 2000
"""Characters of a message in a memory, unless MemoryConfig.max_text_chars leaves less."""
_AROUND_QUOTES = 200
"""Characters of the sentences around both messages."""
_TONE = lazy_pattern(r"\[[^\]\n]{1,40}\]")
_SENTENCE_ENDS = ".!?…\"'”“»」。！？"
_MARKED = "true"
"""Stands for a thing of which the model only said that it happened."""


@dataclass
class Recording:
    """What an exchange leaves: texts of the turn with its data, memories, and changes of the relationship."""

    player_message: str = ""
    npc_message: str = ""
    turn_data: dict[str, Any] = field(default_factory=dict)
    is_analysed: bool = True
    """True if the memories are those of an analysis. Otherwise rules look for more of them."""
    memories: list[MemoryDraft] = field(default_factory=list)
    rejected: list[dict[str, str]] = field(default_factory=list)
    deltas: dict[str, int | float] = field(default_factory=dict)
    relationship: dict[str, Any] = field(default_factory=dict)

    @property
    def has_turn(self) -> bool:
        """Return True if anything was said."""
        return bool(self.player_message.strip() or self.npc_message.strip())

    def result(self) -> dict[str, Any]:
        """Return what NPCContextBuilder.record_interaction() returns besides `stored`."""
        return {
            "rejected": self.rejected,
            MEMORY_IDS: self.turn_data.get(MEMORY_IDS, []),
            "deltas": self.deltas,
            "relationship": self.relationship,
        }


def recording_of(
    line: str, answer: Mapping[str, Any], options: RecordingOptions, before: Before
) -> Recording:
    """Return what the exchange of a line and an answer leaves; see RAGMemory.record_exchange()."""
    return _Recorder(line, answer, options, before).record()


def turn_alone(line: str, answer: Mapping[str, Any], options: RecordingOptions, before: Before) -> Recording:
    """Return an exchange of which nothing but the turn is stored. One that tells a secret is a secret."""
    data: dict[str, Any] = {"from_memory": True} if answer.get("from_memory") else {}
    if MEMORY_IDS in answer:
        data[MEMORY_IDS] = validate_texts("record_interaction()", MEMORY_IDS, answer[MEMORY_IDS])
    if options.location:
        data["location"] = options.location
    data |= options.company.fields()
    if options.company.speaker != PLAYER:
        data["speaker"] = options.company.speaker
    if options.company.manner in UNHEARD or _tells_secret(answer, data, before):
        data |= _secrecy(options)
    if "timestamp" in options.data:
        data["day"] = options.data["timestamp"] / CALENDAR.seconds_per_day
    most = options.config.max_text_chars
    return Recording(line[:most], _text(answer.get("response"))[:most], data)


def _tells_secret(answer: Mapping[str, Any], data: Mapping[str, Any], before: Before) -> bool:
    if data.get("from_memory") and MEMORY_IDS in data:
        return not before.secret_ids.isdisjoint(data[MEMORY_IDS])
    return tells_secret(_text(answer.get("response")), before.secrets)


class _Deed(NamedTuple):
    """Something that happened, as a memory of its own."""

    text: str
    data: dict[str, Any]
    flags: dict[str, Any] = {}  # noqa: RUF012 - never written to
    """What calculate_importance() counts."""
    otherwise: str = ""
    """The text in the player's own words, in place of one that names people nobody knows."""


class _Recorder:
    """Makes one Recording."""

    def __init__(
        self, line: str, answer: Mapping[str, Any], options: RecordingOptions, before: Before
    ) -> None:
        self._config = config = options.config
        self._options = options
        self._before = before
        self._roles = config.own_roles()
        self._analysis = _mapping(answer.get("analysis"))
        self._said = self._clean(line)
        self._line = self._quoted(line)
        # An answer made without a model is not stored as the words of the NPC.
        response = "" if answer.get("from_memory") else _text(answer.get("response"))
        self._reply = self._quoted(_TONE.sub("", response))
        self._made = turn_alone(line, answer, options, before)
        self._made.is_analysed = bool(self._analysis) and answer.get("is_json") is not False
        self._player_name = self._learned_name()
        self._names = self._name_check()

    def record(self) -> Recording:
        self._change_relationship()
        deeds = [deed for deed in self._deeds() if deed is not None]
        reply = self._without_invented_places(self._checked(self._reply))
        deeds = [deed for deed in map(self._checked_deed, deeds) if deed.text]
        # A gift, a secret or a broken promise has a memory of its own, which carries the type.
        has_carrier = any("interaction_type" in deed.data for deed in deeds)
        if any(deed.data.get("secret") for deed in deeds):
            self._made.turn_data |= _secrecy(self._options)
        self._add(self._conversation(reply, "" if has_carrier else self._interaction_type()))
        for deed in deeds:
            self._add(deed)
        self._add_learned()
        return self._made

    def _change_relationship(self) -> None:
        proposed = {f"{name}_change": self._number(f"{name}_change") for name in DIMENSIONS}
        if self._options.deterministic_deltas:
            proposed = dict(get_deterministic_deltas(self._config, self._interaction_type(), {}))
        deltas: dict[str, Any] = self._config.clamp_relationship_deltas(proposed)
        if self._options.personality is not None:
            deltas = self._config.clamp_relationship_deltas(
                self._options.personality.modified_changes(deltas)
            )
        self._made.deltas = deltas
        before = self._relationship_before()
        relationship = {name: before[name] for name in DIMENSIONS if name in before}
        relationship.update(self._options.relationship or {})
        for name, scale in DIMENSIONS.items():
            moved = scale.limited(relationship.get(name, 0) + deltas[f"{name}_change"])
            relationship[name] = math.floor(abs(moved) + 0.5) * (1 if moved >= 0 else -1)
        self._made.relationship = relationship

    def _relationship_before(self) -> Mapping[str, Any]:
        return {**self._before.relationship, **(self._options.relationship or {})}

    def _conversation(self, reply: str, interaction_type: str) -> _Deed:
        key = "player_said" if self._line else "player_said_nothing"
        texts = [self._config.sentence(key, message=self._line)]
        is_first = self._before.relationship.get("met") is False
        if is_first:
            texts.insert(0, self._config.sentence("first_met"))
        if reply:
            texts.append(self._config.sentence("i_answered", message=reply))
        data: dict[str, Any] = {
            "event_type": "first_meeting" if is_first else "conversation",
            "player_tone": _text(self._analysis.get("player_tone")),
            "emotion": _text(self._analysis.get("emotional_impact")),
            "speaker": self._options.company.speaker,
        }
        if interaction_type:
            data["interaction_type"] = interaction_type
        return _Deed(" ".join(texts), data, self._made.deltas)

    def _deeds(self) -> list[_Deed | None]:
        return [self._promise_made(), self._promise_broken(), self._gift(), self._secret()]

    def _promise_made(self) -> _Deed | None:
        promise = self._happening("promise_made")
        if not promise:
            return None
        text = self._config.sentence("promise_made", promise=self._detail(promise))
        return _Deed(text, {"event_type": "promise_made"}, {"promise_made": True})

    def _promise_broken(self) -> _Deed | None:
        promise = self._happening("promise_broken")
        if not promise:
            return None
        # The promise is broken, whoever the model says it was about: then in the player's words.
        text, otherwise = (
            self._config.sentence("promise_broken", promise=self._detail(detail))
            for detail in (promise, _MARKED)
        )
        data = self._data_of("promise_broken", "betrayal")
        return _Deed(text, data, {"promise_broken": True}, otherwise)

    def _gift(self) -> _Deed | None:
        gift = self._happening("gift")
        if not gift:
            return None
        data: dict[str, Any] = {"event_type": "gift_received", "interaction_type": "gift_given"}
        if not self._before.has_gifts:
            data["is_first"] = True
        return _Deed(self._config.sentence("gift_received", gift=self._detail(gift)), data)

    def _secret(self) -> _Deed | None:
        secret = self._revealed_secret()
        if not secret:
            return None
        text = self._config.sentence("secret_told", secret=self._detail(secret))
        data = self._data_of("secret_revealed", "secret_shared")
        return _Deed(text, data | _secrecy(self._options), {"secret_revealed": True})

    def _data_of(self, event_type: str, interaction_type: str) -> dict[str, Any]:
        """The data of a deed; `interaction_type` is the one that says the same."""
        data: dict[str, Any] = {"event_type": event_type}
        if interaction_type == self._interaction_type():
            data["interaction_type"] = interaction_type
        return data

    def _revealed_secret(self) -> str:
        """The secret that the NPC told, in its personality's words; its reply, when it is only said that it
        told one; "" when it told none, or none that it may tell.
        """
        revealed = self._happening("secret_revealed")
        reply = self._config.sentence("quoted", message=self._reply) if self._reply else ""
        reply = reply if revealed == _MARKED else ""
        if not revealed or self._options.personality is None:
            return reply if revealed == _MARKED else revealed
        for secret in self._options.personality.unlocked_secrets(self._relationship_before()):
            text = self._clean(_text(secret.get("secret")))
            if reply:
                return reply
            if revealed == _text(secret.get("id")) or likeness(text, revealed) > LEAST_ALIKE:
                return text
        self._made.turn_data |= _secrecy(self._options)
        self._reject(revealed, "It is none of the secrets that the relationship has unlocked.")
        return ""

    def _add_learned(self) -> None:
        name = self._player_name
        if name:
            data = {
                "event_type": PLAYER_INFO,
                "info_type": PLAYER_NAME_SLOT,
                "slot_type": PLAYER_NAME_SLOT,
                "entities": [name],
            }
            text = self._config.sentence("learned_name", name=name)
            self._add(_Deed(text, data, {"player_name_learned": True}))
        suffix = "" if self._speaker_is_player else f"_{self._options.company.speaker}"
        facts = _mapping(self._analysis.get("learned_about_player")).get("notable_facts")
        for item in facts if isinstance(facts, list | tuple) else ():
            fact = self._clean(_text(item))
            if fact:
                # The same fact, learned twice, is one memory.
                digest = hashlib.blake2b(fact.lower().encode(), digest_size=4).hexdigest()
                data = {"event_type": PLAYER_INFO, "info_type": f"fact_{digest}{suffix}"}
                text = self._config.sentence("learned_fact", fact=_sentence(fact))
                learned = self._checked_deed(_Deed(text, data))
                if learned.text:
                    self._add(learned)

    def _add(self, deed: _Deed) -> None:
        importance = calculate_importance(self._config, deed.data["event_type"], {}, deed.flags)
        speaker = self._options.company.speaker
        # The names are checked here, because what the player said is hearsay.
        data = {**self._options.data, **deed.data, "participants": [speaker], "check_names": False}
        if not self._speaker_is_player:
            data["speaker"] = speaker
        # The player's name is no part of a secret turn.
        if self._made.turn_data.get("secret") and deed.data.get("slot_type") != PLAYER_NAME_SLOT:
            data |= _secrecy(self._options)
        self._made.memories.append(MemoryDraft(deed.text, importance, data))

    def _name_check(self) -> NameCheck | None:
        people = self._options.people
        if people is None or not self._options.check_names:
            return None
        # The words of the player are hearsay: the NPC may remember them, whomever they mention.
        return NameCheck([*people, self._player_name, *self._line.split()])

    def _checked_deed(self, deed: _Deed) -> _Deed:
        return deed._replace(text=self._checked(deed.text) or deed.otherwise)

    def _checked(self, text: str) -> str:
        """The text, or "" when it speaks of people nobody knows."""
        if self._names is None or not text:
            return text
        no_names = self._config.own_words() | self._before.names_of_player
        unknown = self._names.unknown(text, more=no_names)
        if unknown:
            self._reject(
                text,
                f"Nobody in this world is called {' or '.join(unknown)}. Register the name, "
                "or store with check_names set to false.",
            )
            return ""
        return text

    def _without_invented_places(self, reply: str) -> str:
        """Nothing, when the reply names an inn or a shop that does not exist. One that the player named is
        hearsay: the NPC may say that there is none.
        """
        if self._options.world is None or not self._options.check_names:
            return reply
        checked = self._options.world.check_establishments(reply, self._options.location)
        if all(name.lower() in self._line.lower() for name in checked["unknown_establishments"]):
            return reply
        self._reject(reply, checked["reason"])
        return ""

    def _reject(self, text: str, reason: str) -> None:
        self._made.rejected.append({"text": text, "reason": reason})

    def _interaction_type(self) -> str:
        return _text(self._analysis.get("interaction_type"))

    def _number(self, name: str) -> float:
        value = self._analysis.get(name, 0)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else 0

    @property
    def _speaker_is_player(self) -> bool:
        return self._options.company.speaker == PLAYER

    def _learned_name(self) -> str:
        if not self._speaker_is_player:
            return ""  # The game has the names of its characters.
        name = self._clean(_text(_mapping(self._analysis.get("learned_about_player")).get("name")))
        reason = objection(name, self._said, self._options.npc_names, self._roles)
        if reason and not set(words(name)) <= self._before.names_of_player:
            self._reject(name, reason)
        as_typed = re.search(re.escape(name), self._said, re.IGNORECASE)
        if as_typed and not as_typed.group().islower():
            name = as_typed.group()
        return "" if reason else name

    def _happening(self, name: str) -> str:
        value = self._analysis.get(name)
        if isinstance(value, bool):
            return _MARKED if value else ""
        return self._clean(_text(value))

    def _detail(self, detail: str) -> str:
        quoted = self._config.sentence("quoted", message=self._line)
        return _sentence(quoted if detail == _MARKED else detail)

    def _quoted(self, text: str) -> str:
        room = (self._config.max_text_chars - _AROUND_QUOTES) // 2
        return shortened(self._clean(text), min(_MOST_QUOTED, room))

    def _clean(self, text: str) -> str:
        return harmless(text, self._roles)


def _mapping(value: Any) -> Mapping[str, Any]:
    """A dictionary, or an empty one: a game may have written the answer itself."""
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _sentence(text: str) -> str:
    return text if text and text[-1] in _SENTENCE_ENDS else f"{text}."


def _secrecy(options: RecordingOptions) -> dict[str, Any]:
    """Return the data of what only those may hear of again who have heard it."""
    known_to = dict.fromkeys([*options.company.everybody, *options.listeners])
    whispered = options.company.secrecy("".join(options.npc_names[:1]), {})
    return whispered or {"secret": True, "known_to": list(known_to)}
