"""A small parser of plain English sentences, without a model: who did what to whom.

It splits a text into clauses. For each it finds the verb, who stands before it and who after it, whose the
things are, and whether the clause states a fact: "Kit promised to mend the oven" states a promise, but no
mended oven. It covers the grammar of simple narrative sentences only. What it does not understand it leaves
out, and callers must treat that as unknown.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.english_verbs import base_term
from rag_memory.text.grammar import (
    ADVERBS,
    AUXILIARIES,
    BE,
    BELIEF_TERMS,
    CONDITIONS,
    DOING_TERMS,
    GIVING_TERMS,
    NEGATIONS,
    OPPOSITES,
    OWN_INTENT_TERMS,
    PARTICLES,
    PERCEPTION,
    PREPOSITIONS,
    SPEECH_TERMS,
    STOPS,
    UNREAL_NOUNS,
    UNREAL_TERMS,
    Word,
    is_mark,
    tokens,
)
from rag_memory.text.participants import NPC, PLAYER, SOMEBODY, UNRESOLVED, WE, Narrator, participants_in
from rag_memory.text.sentence_parts import (
    embedded,
    has_object,
    has_passive_verb,
    is_negated,
    is_only_possible,
    parts,
    recipient_words,
    subject_words,
    verb_of,
)
from rag_memory.text.terms import STOP_WORDS

_SPOKEN = lazy_pattern(
    r"^(?:I (?:over)?heard (?=[^\"“«:]{1,60}? (?:tell|shout)\b))?(?P<speaker>[^\"“«:]{0,60}?)"
    r"\b(?:said|says|asked|asks|answered|answers|replied|told me|whispered|shouted|wrote|tell|shout)\b"
    r"[^\"“«:]{0,40}?[:,]?\s*[\"“«](?P<speech>.*?)[\"”»]?\s*$",
    re.DOTALL,
)

_QUOTED = lazy_pattern(r"^(?P<speaker>[^\"“«:]{1,80}):\s*[\"“«](?P<speech>[^\"”»]*)[\"”»]?\s*$")
"""Somebody's words after what they do: 'The player promised me: "I'll be back."'."""


class Clause(NamedTuple):
    """One statement of a text."""

    subject: frozenset[str]
    """The subject; in a passive clause the words after "by". Empty when unknown."""
    verb: str
    """The term of the verb, or of what follows a form of "be": "dead" in "Nell is dead". May be empty."""
    objects: frozenset[str]
    """The words after the verb, and in a passive clause also those before it."""
    terms: frozenset[str]
    """The terms of all its words that carry meaning."""
    owners: frozenset[tuple[str, str]]
    """Pairs of a thing and whose it is."""
    is_negated: bool = False
    is_unreal: bool = False
    """It is wished, promised, feared, asked for or assumed."""
    reporters: frozenset[str] = frozenset()
    """The people who said so, unless it was the NPC."""
    is_state: bool = False
    """It says what is, not what happened."""
    is_main: bool = False
    """It depends on no other clause."""
    is_transitive: bool = False
    """Somebody or something stands after the verb without a preposition."""
    recipients: frozenset[str] = frozenset()
    """The person to whom something was given or told: "the baker" in "gave the baker a cake"."""
    relations: frozenset[str] = frozenset()
    """Its words that have an opposite: "for", "without", "before"."""


@functools.lru_cache(4096)
def clauses_of(text: str, narrator: Narrator) -> tuple[Clause, ...]:
    """The clauses of a text in the order of their verbs."""
    spoken = _SPOKEN.match(text) or _QUOTED.match(text)
    if spoken is None:
        return tuple(_Reader(narrator).read(tokens(text)))
    who = participants_in(tokens(spoken["speaker"]), narrator, set())
    who = who[:1] if spoken.re.pattern == _QUOTED.pattern else who
    frame = tuple(_Reader(narrator).read(tokens(text[: spoken.start("speech")])))
    speech = _Reader(narrator, frozenset(who) or frozenset({UNRESOLVED}))
    return (*frame, *speech.read(tokens(spoken["speech"])))


class _Reader:
    """Reads sentences from left to right, and remembers who was spoken of."""

    def __init__(self, narrator: Narrator, speaker: frozenset[str] = frozenset()) -> None:
        self._narrator = narrator
        self._speaker = speaker
        """The speaker of the words, when they are a quote."""
        self._subject: frozenset[str] = frozenset()
        self._people: set[str] = set()
        self._last: frozenset[str] = frozenset()
        """The person or thing mentioned last; "who" refers to it."""

    def read(self, words: Sequence[Word]) -> Iterator[Clause]:
        start = 0
        for place in range(len(words) + 1):
            if place == len(words) or words[place].lower in STOPS:
                is_question = place < len(words) and words[place].lower == "?"
                yield from self._sentence(words[start:place], is_question)
                start = place + 1

    def _sentence(self, words: Sequence[Word], is_question: bool) -> Iterator[Clause]:
        governed = ""
        reporter = self._speaker
        for link, part in parts(words, self._narrator):
            is_main = link in ("", "and", "but", "or")
            for number, clause in enumerate(self._clauses(part, link, governed, reporter)):
                clause = clause._replace(is_main=is_main and not number)
                if is_question:
                    clause = clause._replace(is_unreal=True)
                yield clause
                if not governed or link not in ("and", "or"):
                    governed = next(iter(clause.objects & UNREAL_NOUNS), clause.verb)
                    reporter = clause.subject

    def _clauses(
        self, words: Sequence[Word], link: str, governed: str, reporter: frozenset[str]
    ) -> Iterator[Clause]:
        """The clauses of a part of a sentence: its own, then those inside it.

        Args:
            link: the word that joins the part to what is before, or "".
            governed: the term of the verb or noun that it depends on, or "".
            reporter: the subject of that verb.
        """
        if not words:
            return
        if link in ("who", "which", "whom"):
            self._subject = self._last
        verb, place = verb_of(words, self._narrator)
        is_unreal = link in CONDITIONS or (link in ("that", "") and governed in UNREAL_TERMS)
        is_unreal = is_unreal or is_only_possible(words[: place + 1])
        reporters = self._speaker
        if link == "that" and governed in SPEECH_TERMS:
            reporters = reporter or frozenset({UNRESOLVED})
        if place < 0:
            source = next((at for at, word in enumerate(words) if word.lower in ("from", "by")), len(words))
            agent = self._said(participants_in(words[source + 1 :], self._narrator, self._people))
            yield self._clause(words, [], "", words[:source], is_unreal, reporters, frozenset(agent))
            return
        after = list(words[place + 1 :])
        clause = self._clause(words, words[:place], verb, after, is_unreal, reporters)
        yield clause
        for start, is_infinitive in embedded(after, verb, self._narrator):
            if is_infinitive:
                yield self._infinitive(clause, after, start, is_unreal)
            else:
                yield from self._content(clause, after[start:], is_unreal)

    def _infinitive(self, main: Clause, after: Sequence[Word], start: int, is_unreal: bool) -> Clause:
        """The clause of a verb without a subject of its own: "to mend the oven", "for stealing limes"."""
        is_own = main.verb in OWN_INTENT_TERMS
        doers = [] if is_own else participants_in(after[:start], self._narrator, self._people)
        is_done = main.verb in DOING_TERMS | PERCEPTION
        words = after[start:]
        return self._clause(
            words,
            [],
            base_term(words[0].lower),
            words[1:],
            is_unreal or not is_done,
            main.reporters,
            frozenset(doers[-1:]) or main.subject,
        )

    def _content(self, main: Clause, words: Sequence[Word], is_unreal: bool) -> Iterator[Clause]:
        """The clause that is thought or said, without a "that" before it."""
        verb, place = verb_of(words, self._narrator)
        if place < 0:
            return
        reporters = main.reporters
        if main.verb in SPEECH_TERMS:
            reporters = main.subject or frozenset({UNRESOLVED})
        is_unreal = is_unreal or main.verb in BELIEF_TERMS
        yield self._clause(words, words[:place], verb, words[place + 1 :], is_unreal, reporters)
        self._subject = main.subject

    def _clause(
        self,
        words: Sequence[Word],
        before: Sequence[Word],
        verb: str,
        after: Sequence[Word],
        is_unreal: bool,
        reporters: frozenset[str],
        subject: frozenset[str] | None = None,
    ) -> Clause:
        lowers = [word.lower for word in words]
        noun_phrase = subject_words(before)
        people = self._people
        left = self._said(participants_in(noun_phrase, self._narrator, people))
        right = self._said(participants_in(after, self._narrator, people))
        is_passive = verb != "" and has_passive_verb(words, before)
        if subject is None:
            subject = frozenset(left)
            if (
                not subject
                and verb
                and not any(
                    not is_mark(word) and word.lower not in ADVERBS | AUXILIARIES | NEGATIONS
                    for word in before
                )
            ):
                subject = self._subject
        objects = frozenset(right)
        if is_passive:
            by = next((place for place, word in enumerate(after) if word.lower == "by"), -1)
            agent = (
                self._said(participants_in(after[by + 1 :], self._narrator, people))[:1] if by >= 0 else []
            )
            objects = (objects | subject) - frozenset(agent)
            subject = frozenset(agent)
        elif subject:
            self._subject = subject
        self._last = frozenset([who for who in right if who.startswith("@")][-1:] or right[-1:]) or subject
        places = {
            "@" + word.lower
            for at, word in enumerate(after)
            if at and after[at - 1].lower in ("in", "on", "at", "near")
        }
        self._people |= {
            who
            for who in (*left, *right)
            if who not in places and who.startswith("@") and who not in (NPC, WE, SOMEBODY, UNRESOLVED)
        }
        return Clause(
            subject,
            verb,
            objects,
            frozenset(_terms(words)) | {word.lower for word in after[:1] if verb and word.lower in PARTICLES},
            frozenset(self._owners(words)),
            is_negated(lowers, len(before) if verb else len(lowers)),
            is_unreal,
            reporters - {NPC},
            verb != "" and not is_passive and any(lower in BE for lower in lowers[: len(before) + 1]),
            is_transitive=not is_passive and has_object(after),
            recipients=frozenset(
                self._said(
                    participants_in(
                        recipient_words(after) if verb in GIVING_TERMS else [], self._narrator, people
                    )
                )
            ),
            relations=frozenset(OPPOSITES.keys() & lowers),
        )

    def _said(self, people: list[str]) -> list[str]:
        """In a quote "I" is who speaks, and "you" the one spoken to."""
        if not self._speaker:
            return people
        return [who for old in people for who in (self._speaker if old in (NPC, WE) else (old,))]

    def _owners(self, words: Sequence[Word]) -> Iterator[tuple[str, str]]:
        for place, word in enumerate(words):
            owner = ""
            if word.owner:
                owner = next(iter(participants_in([word._replace(owner=False)], self._narrator, set())), "")
                if word.lower in self._narrator.player:
                    owner = PLAYER
            elif word.lower in ("my", "mine"):
                owner = NPC
            elif word.lower == "our":
                owner = WE
            elif word.lower in ("his", "her", "their", "its"):
                owner = next(iter(self._people)) if len(self._people) == 1 else UNRESOLVED
            if not owner:
                continue
            owner = next(iter(self._said([owner])), owner)
            for thing in words[place + 1 : place + 4]:
                if is_mark(thing) or thing.lower in PREPOSITIONS or thing.lower in AUXILIARIES:
                    break
                yield base_term(thing.lower), owner
                if thing.owner:
                    break


def _terms(words: Iterable[Word]) -> Iterator[str]:
    for word in words:
        if (
            not is_mark(word)
            and word.lower not in STOP_WORDS
            and word.lower not in AUXILIARIES | PREPOSITIONS | {"player"}
        ):
            yield base_term(word.lower)
