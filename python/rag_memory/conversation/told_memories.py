"""Which memories an NPC has told to whom. Its turns say so; what a reply tells is found by its words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from rag_memory.ids import normal_id
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.memory.company import STORED_SPEAKER, Company
from rag_memory.memory.document import Document
from rag_memory.memory.event_templates import PLAYER
from rag_memory.retrieval.relevance import KeywordRelevance
from rag_memory.searchable.records import OwnedRecords
from rag_memory.text.clauses import Clause, clauses_of
from rag_memory.text.gazetteer import name_words
from rag_memory.text.language import looks_english
from rag_memory.text.number_words import CARDINAL, ORDINAL
from rag_memory.text.participants import SOMEBODY, UNRESOLVED, WE, Narrator
from rag_memory.text.questions import ends_with_question
from rag_memory.text.short_form import details_of, sentences_of
from rag_memory.text.statements import statements_of
from rag_memory.text.terms import STOP_WORDS, is_spaceless, terms_of, words

MEMORY_IDS, TOLD_TO = "memory_ids", "told_to"
"""The keys of a turn: the memories that the NPC told in it, and who heard it where that is not the speaker
with those spoken to.
"""
_PAUSE = 3600.0
"""Seconds of the game. A longer pause begins another talk."""
_COMPARED = 20
_FEWEST_TERMS, _LEAST_SHARE, _LEAST_NEW = 3, 0.6, 2
"""A reply tells a memory if two sentences have this share of its terms, of which so many were not in the line
that is answered.
"""
_ANYBODY = frozenset({UNRESOLVED, SOMEBODY, WE})
_NUMBER = lazy_pattern(rf"\b(?:{CARDINAL}|{ORDINAL})\b", re.IGNORECASE)
_YOUR, _YOU = lazy_pattern(r"\b(?:your|yours)\b", re.IGNORECASE), lazy_pattern(r"\byou\b", re.IGNORECASE)


def talk_with(turns: Iterable[Document], listener: str, now: float) -> list[Document]:
    """Return the turns of the talk that is going on with somebody, the newest first.

    Args:
        turns: of the NPC, the newest first.
    """
    talk, later, id = [], now, _plain(listener)
    for turn in turns:
        if id not in _hearers(turn.content):
            continue
        if later - turn.timestamp > _PAUSE:
            break
        talk.append(turn)
        later = turn.timestamp
    return talk


def counts_of(talks: Iterable[Iterable[Document]]) -> Counter[str]:
    """Return how often each memory was told in every one of these talks, what was told last first."""
    counts = [Counter(id for turn in talk for id in ids_in(turn.content)) for talk in talks]
    common = counts[0] if counts else Counter[str]()
    for others in counts[1:]:
        common &= others
    return common


def told_at(talk: Iterable[Document], memory_id: str) -> float:
    """Return when a memory was told last in a talk in which it was."""
    return next(turn.timestamp for turn in talk if memory_id in ids_in(turn.content))


def last_told(turns: Iterable[Document], memory_id: str, most: int) -> dict[str, float]:
    """Return to whom a memory was told and when that last was, for the last `most` listeners."""
    times: dict[str, float] = {}
    for turn in turns:
        if memory_id in ids_in(turn.content):
            for id in hearers_in(turn.content):
                if len(times) < most:
                    times.setdefault(id, turn.timestamp)
    return times


def says(message: str, text: str) -> bool:
    """Return True if every sentence of a text occurs in what was said."""
    said = f" {' '.join(words(message))} "
    sentences = [" ".join(words(of.text)) for of in statements_of(text)]
    return bool(sentences) and all(
        f" {sentence} " in said or (sentence and is_spaceless(sentence[0]) and sentence in said)
        for sentence in sentences
    )


def said_of(text: str, messages: Iterable[str]) -> str:
    """Return the sentences of a text that share most of their words with one of these messages."""
    said = [_terms(message) for message in messages]
    shares = ((of.text, _terms(of.text)) for of in statements_of(text))
    return " ".join(
        sentence
        for sentence, terms in shares
        if terms and any(len(terms & other) >= _LEAST_SHARE * len(terms) for other in said)
    )


def ids_in(turn: Mapping[str, Any]) -> list[str]:
    """Return the ids of the memories that the NPC told in a turn."""
    return list(_texts(turn.get(MEMORY_IDS)))


def hearers_in(turn: Mapping[str, Any]) -> list[str]:
    """Return the ids of those who heard the NPC in a turn."""
    told_to = list(dict.fromkeys(_texts(turn.get(TOLD_TO))))
    spoken_to = [str(turn.get(STORED_SPEAKER, PLAYER)), *_texts(turn.get("addressees"))]
    return told_to or list(dict.fromkeys(spoken_to))


def telling(
    ids: Sequence[str], company: Company, listeners: Iterable[str], hears: Callable[[str], bool]
) -> dict[str, Any]:
    """Return the fields of a turn in which the NPC tells memories; none for no memory, or when nobody hears.

    Args:
        listeners: others who are there to hear it.
        hears: whether somebody can.
    """
    addressed = dict.fromkeys([company.speaker, *company.addressees])
    heard = list(filter(hears, dict.fromkeys([*addressed, *listeners, *company.hearing_all])))
    if not ids or not heard:
        return {}
    return {MEMORY_IDS: list(ids), **({TOLD_TO: heard} if heard != list(addressed) else {})}


def memories_in(records: OwnedRecords, reply: str, line: str, listener: str) -> list[str]:
    """Return the ids of the NPC's memories whose content its reply to a line repeats; none when unsure.

    Args:
        listener: the name of who is spoken to as "you", or "the player".
    """
    index = records.index.get()
    if not reply.strip() or not len(index.columns):
        return []
    relevance = KeywordRelevance(index.columns, index.postings, reply)
    matches = relevance.search(_COMPARED, np.ones(len(index.columns), dtype=np.bool_))
    sentences = [of.text for of in statements_of(reply) if not ends_with_question(of.text)]
    pairs = [_terms(" ".join(pair)) for pair in pairwise([*sentences, ""])] or [_terms("")]
    known_from_line = _terms(line)
    ids = []
    for record in records.store.records.by_keys([match.key for match in matches]):
        content = _terms(record.document_full) - name_words([listener]) - _terms(listener)
        common = max((content & pair for pair in pairs), key=len)
        if (
            len(content) >= _FEWEST_TERMS
            and len(common) >= _LEAST_SHARE * len(content)
            and len(common - known_from_line) >= _LEAST_NEW
            and _details(record.document_full) - {*words(listener), PLAYER} <= {*words(reply)}
            and _agrees(record.document_full, reply, listener, records.npc_id)
        ):
            ids.append(record.id)
    return ids


def _details(memory: str) -> frozenset[str]:
    """The words of the names and numbers in a memory."""
    names = details_of(memory, sentences_of(memory))
    return frozenset(words(" ".join([*names, *_NUMBER.findall(memory)])))


def _agrees(memory: str, reply: str, listener: str, npc_id: str) -> bool:
    """Return False if an English reply tells the deeds of a memory as somebody else's, denies them, or asks.

    The NPC speaks both: "I" is the NPC, and "you" in the reply is the listener.
    """
    if not looks_english([memory, reply]):
        return True
    names = name_words([listener]) - {"the", PLAYER}
    narrator = Narrator(frozenset(names), frozenset(name_words([npc_id])), not names)
    spoken = _YOU.sub(lambda _: listener, _YOUR.sub(lambda _: f"{listener}'s", reply))
    said = [clause for statement in statements_of(spoken) for clause in clauses_of(statement.text, narrator)]
    for clause in clauses_of(memory, narrator):
        same = [other for other in said if other.verb and other.verb == clause.verb]
        if same and not any(_is_same_deed(clause, other) for other in same):
            return False
    return True


def _is_same_deed(clause: Clause, other: Clause) -> bool:
    doers = clause.subject & other.subject or (clause.subject | other.subject) & _ANYBODY
    is_same_doer = bool(doers) or not clause.subject or not other.subject
    return is_same_doer and (clause.is_negated, clause.is_unreal) == (other.is_negated, other.is_unreal)


def _terms(text: str) -> frozenset[str]:
    left_out = STOP_WORDS | {PLAYER}
    return frozenset(term for word in words(text) if word not in left_out for term in terms_of(word))


def _hearers(turn: Mapping[str, Any]) -> Collection[str]:
    return set(map(_plain, hearers_in(turn)))


def _plain(id: str) -> str:
    return normal_id(id).casefold()


def _texts(value: Any) -> Iterator[str]:
    """The texts in a list. A game may have kept anything under a key before it had a meaning."""
    return (item for item in value if isinstance(item, str)) if isinstance(value, list) else iter(())
