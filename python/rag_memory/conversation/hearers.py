"""What the speaker, others spoken to and bystanders keep of words that an NPC heard, in one transaction."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.memory.company import HEARING, LETTER, OVERHEARD, SAY, SHOUT, SIGHT, Company, read_company
from rag_memory.memory.conflicts import conflict_rule
from rag_memory.memory.document import Document
from rag_memory.memory.event_templates import PLAYER, WITNESSED_EVENT, MemoryDraft, conversation
from rag_memory.memory.importance import base_importance
from rag_memory.memory.record import Record
from rag_memory.mind.encoding import ended, happening, is_speech, with_content
from rag_memory.mind.event import Event
from rag_memory.searchable.memory_writer import MemoryWriter
from rag_memory.searchable.save_context import SaveContext
from rag_memory.text.gaps import with_gaps
from rag_memory.text.whole_words import whole_words
from rag_memory.vectors import FloatMatrix, FloatVector
from rag_memory.world.people import People

_QUOTES = lazy_pattern('("[^"]*"|“[^”]*”|«[^»]*»|„[^“”]*[“”])')
_CONFIDENCE = 0.8
"""How much a bystander believes to have heard what was said."""
_IMPORTANCE = 5
_IMPORTANCE_OF_PART = 4


class ListeningConversation(Protocol):
    """The conversations of a listening NPC; `conversation.conversation.Conversation` is it."""

    def own_turns(self, call: str, spoken: Talk) -> list[Document]:
        """Return the turns that an NPC keeps of its own words to the other one, and of the answer."""

    def addressed_turn(self, call: str, spoken: Talk) -> Document | None:
        """Return the turn of an NPC that was spoken to beside the other one."""

    def drafts_of(self, turns: Iterable[Document]) -> list[MemoryDraft]:
        """Return the memories that the rules find in turns, read as one."""

    def write(self, turn: Document) -> None:
        """Write a turn, inside a transaction."""


class ListeningNpc(Protocol):
    """An NPC that keeps what it has heard; `npc.npc.Npc` is it."""

    @property
    def npc_id(self) -> str:
        """Its id."""

    @property
    def config(self) -> MemoryConfig:
        """The settings by which its memories are worded."""

    @property
    def writer(self) -> MemoryWriter:
        """The way of new memories into the store."""

    @property
    def conversation(self) -> ListeningConversation:
        """Its conversations."""

    def reload(self) -> None:
        """Forget what is in memory, because the store has changed without this object."""


@dataclass(frozen=True)
class Talk:
    """A line and what was answered. Either may be empty."""

    npc_id: str
    """Who was spoken to."""
    company: Company
    line: str
    answer: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    """What every memory of it has: the location, the time, the secrecy."""
    recorder: str = ""
    """The NPC that has its memories of it already."""
    has_turns: bool = True
    """The NPCs that are spoken to, and the one who speaks, keep a turn."""


@dataclass
class Hearer:
    """What one NPC keeps of it."""

    npc: ListeningNpc
    turns: list[Document] = field(default_factory=list)
    drafts: list[MemoryDraft] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    vectors: list[FloatVector] = field(default_factory=list)


class Hearers:
    """Writes what the others keep of words that one NPC heard."""

    def __init__(self, save: SaveContext, people: People, npc: Callable[[str], ListeningNpc]) -> None:
        self._save = save
        self._people = people
        self._npc = npc

    def prepared(self, call: str, spoken: Talk) -> list[Hearer]:
        """Make what the others keep; a text that several keep is embedded once. Writes nothing.

        Between this and the writing nothing else may write: turns are numbered.
        """
        hearers = []
        for id in dict.fromkeys([*spoken.company.everybody, spoken.npc_id]):
            if id != spoken.recorder and self._people.remembers(id):
                npc = self._npc(id)
                if self._save.store.owners.owns(id):
                    hearers.append(self._hearer(call, npc, spoken))
        return self._embedded(call, hearers)

    def _embedded(self, call: str, hearers: list[Hearer]) -> list[Hearer]:
        for hearer in hearers:
            hearer.records = [hearer.npc.writer.record(call, draft) for draft in hearer.drafts]
        texts = list(dict.fromkeys(record.document_full for hearer in hearers for record in hearer.records))
        vectors = dict(zip(texts, self._save.embed(texts), strict=True)) if texts else {}
        for hearer in hearers:
            hearer.vectors = [vectors[record.document_full] for record in hearer.records]
        return [hearer for hearer in hearers if hearer.records or hearer.turns]

    def witnesses(self, npc_id: str, event: Event) -> list[Hearer]:
        """Make what the others keep of an event that an NPC perceives. Writes nothing."""
        company = event.company
        shares = [*((id, 1.0) for id in company.addressees), *company.bystanders.items()]
        hearers = []
        for id, share in shares:
            if id != npc_id and self._people.remembers(id):
                npc = self._npc(id)
                if self._save.store.owners.owns(id):
                    hearers.append(Hearer(npc, drafts=self._witnessed(npc, npc_id, event, share)))
        return self._embedded("perceive()", hearers)

    def _witnessed(self, npc: ListeningNpc, victim: str, event: Event, share: float) -> list[MemoryDraft]:
        """What somebody keeps who stands by: words, what it sees, or else what there is to hear of it."""
        hears, sees = (self._people.perceives(npc.npc_id, sense) for sense in (HEARING, SIGHT))
        names = [name for name in ("secret", "known_to") if name in event.extra]
        data: dict[str, Any] = {name: event.extra[name] for name in names}
        data |= {"location": event.location, "timestamp": event.timestamp}
        config = npc.config
        if is_speech(event) and hears:
            return self._overheard(
                npc, Talk(victim, event.company, event.content, "", data), event.content, share, False
            )
        text = config.sentence("i_saw", event=self._seen(npc, victim, event, event.content if hears else ""))
        if not sees:
            key = "event_heard" if event.sound else "event_unseen"
            text = config.sentence(key, sound=event.sound) if hears else ""
        people = [id for id in (event.source_id, victim) if id]
        data |= {"event_type": WITNESSED_EVENT, "entities": people if sees else [], "check_names": False}
        importance = event.importance or base_importance(config, WITNESSED_EVENT)
        return [MemoryDraft(ended(text), importance, {**data, "source_id": event.source_id})] if text else []

    def _seen(self, npc: ListeningNpc, victim: str, event: Event, content: str) -> str:
        """What happened to another one, who is quoted when that one tells it. What is quoted stays."""
        config, name = npc.config, self._name(npc, victim)
        source = event.source_name
        if event.source_id and source == event.source_id:
            source = self._name(npc, source)
        text = happening(config, event._replace(source_name=source, content=""))
        parts = _QUOTES.split(text)
        own = [*config.sentence("first_person").split(), "mine", "myself", "ours", "us"]
        account = rf"(?i){whole_words(own)}"
        if event.description and re.search(account, " ".join(parts[::2])):
            return config.sentence("event_with_words", event=name, content=text)
        words = whole_words(config.sentence("me_words").split("|"))
        parts[::2] = [re.sub(words, lambda _: name, part) for part in parts[::2]]
        text, has_words = "".join(parts), bool(content and not event.description)
        return with_content(config, event.action, text, content) if has_words else text

    def conversation(
        self, call: str, npc_id: str, config: MemoryConfig, speaker: Any, message: Any, context: Any
    ) -> tuple[MemoryDraft, Talk]:
        """Make what an NPC, and others, keep of words that it heard or said; see store_conversation()."""
        fields = context if isinstance(context, Mapping) else {}
        own = {name: value for name, value in fields.items() if name not in ("addressees", "bystanders")}
        context = own if isinstance(context, Mapping) else context
        manner = fields.get("manner", SAY)
        in_manner = config.towards("", manner) if isinstance(manner, str) else config
        draft = conversation(in_manner, npc_id, speaker, message, context)
        is_own = draft.data["speaker"] == npc_id
        company = read_company(call, "" if is_own else npc_id, {**fields, "speaker": draft.data["speaker"]})
        listener = npc_id
        if is_own:
            listener, *others = company.addressees or [PLAYER]
            company = company._replace(addressees=others)
        other = listener if company.speaker == npc_id else company.speaker
        if other != PLAYER and (company.manner != SAY or self._people.exists(other)):
            named = config.towards(self._people.name_of(config, other), company.manner)
            draft = conversation(named, npc_id, "npc" if is_own else PLAYER, message, context)
            data = {**draft.data, "speaker": company.speaker}
            draft = draft._replace(data={**data, "participants": own.get("participants", [other])})
        secrecy = company._replace(addressees=[listener, *company.addressees]).secrecy(npc_id, own)
        draft.data.update(secrecy)
        names = ("location", "timestamp", "secret", "known_to")
        data = {name: own[name] for name in names if name in own} | secrecy
        return draft, Talk(listener, company, str(message), "", data, npc_id, False)

    @contextlib.contextmanager
    def together(self, hearers: list[Hearer]) -> Iterator[None]:
        """Write what the others keep in one transaction with what is written inside."""
        if not hearers:
            yield
            return
        try:
            with self._save.together():
                yield
                for hearer in hearers:
                    self._write(hearer)
        except BaseException:
            for hearer in hearers:
                hearer.npc.reload()
            raise

    def _write(self, hearer: Hearer) -> None:
        def write_turns() -> None:
            for turn in hearer.turns:
                hearer.npc.conversation.write(turn)

        vectors: FloatMatrix = np.array(hearer.vectors, dtype=np.float32)
        hearer.npc.writer.add_together(hearer.records, vectors, conflict_rule(hearer.npc.config), write_turns)

    def _hearer(self, call: str, npc: ListeningNpc, spoken: Talk) -> Hearer:
        hearer, company, id = Hearer(npc), spoken.company, npc.npc_id
        hears = self._people.perceives(id, SIGHT if company.manner == LETTER else HEARING)
        if id == company.speaker:
            spoken = spoken if hears else replace(spoken, answer="")
            hearer.turns = npc.conversation.own_turns(call, spoken) if spoken.has_turns else []
            hearer.drafts = npc.conversation.drafts_of(hearer.turns)
            # Who is shouted at answers in another manner.
            answered = replace(spoken, company=company._replace(manner=SAY))
            answered = answered if company.manner == SHOUT else spoken
            for speaker, words, talk in (("npc", spoken.line, spoken), (PLAYER, spoken.answer, answered)):
                wording = self._wording(npc, spoken.npc_id, talk.company)
                hearer.drafts += self._conversation(wording, hearer, speaker, words, spoken.npc_id, talk)
        elif id not in company.bystanders:
            if not hears:
                return hearer
            wording = self._wording(npc, company.speaker, company)
            turn = npc.conversation.addressed_turn(call, spoken) if spoken.has_turns else None
            hearer.turns = [turn] if turn is not None else []
            hearer.drafts = npc.conversation.drafts_of(hearer.turns)
            hearer.drafts += self._conversation(wording, hearer, PLAYER, spoken.line, company.speaker, spoken)
            hearer.drafts += self._overheard(npc, spoken, spoken.answer, 1.0, is_answer=True)
        elif hears:
            share = company.bystanders[id]
            hearer.drafts = self._overheard(npc, spoken, spoken.line, share, is_answer=False)
            hearer.drafts += self._overheard(npc, spoken, spoken.answer, share, is_answer=True)
        return hearer

    @staticmethod
    def _conversation(
        wording: MemoryConfig, hearer: Hearer, speaker: str, words: str, other: str, spoken: Talk
    ) -> list[MemoryDraft]:
        """What an NPC keeps of words between it and another one, unless a fact quotes them whole."""
        facts = (draft.data.get("fact") or {} for draft in hearer.drafts)
        if not words.strip() or words.strip() in [fact.get("quote") for fact in facts]:
            return []
        id = hearer.npc.npc_id
        context = {**spoken.data, **spoken.company.fields()}
        draft = conversation(wording, id, speaker, words, context)
        who = id if speaker == "npc" else other
        data = {**draft.data, "participants": [other], "speaker": who, "check_names": False}
        return [draft._replace(data=data)]

    def _overheard(
        self, npc: ListeningNpc, spoken: Talk, words: str, share: float, is_answer: bool
    ) -> list[MemoryDraft]:
        if not words.strip():
            return []
        company, config = spoken.company, npc.config
        speaker, listener = company.speaker, spoken.npc_id
        if is_answer:
            speaker, listener = listener, speaker
        key = "overheard_shout" if company.manner == SHOUT and not is_answer else "overheard"
        heard = with_gaps(words, share)
        names = {"speaker": self._name(npc, speaker), "listener": self._name(npc, listener)}
        text = config.quoting(key, heard, **names)
        if heard != words:
            text += " " + config.sentence("overheard_partly")
        text = text[:1].upper() + text[1:]
        data = {
            **spoken.data,
            **company.fields(),
            "event_type": OVERHEARD,
            "participants": list(dict.fromkeys([speaker, listener])),
            "speaker": speaker,
            "confidence": round(_CONFIDENCE * share, 2),
            "check_names": False,
        }
        return [MemoryDraft(text, _IMPORTANCE if heard == words else _IMPORTANCE_OF_PART, data)]

    def _wording(self, npc: ListeningNpc, other: str, company: Company) -> MemoryConfig:
        """Return the sentences of an NPC about words between it and another one."""
        return npc.config.towards("" if other == PLAYER else self._name(npc, other), company.manner)

    def _name(self, npc: ListeningNpc, id: str) -> str:
        return self._people.name_of(npc.config, id)
