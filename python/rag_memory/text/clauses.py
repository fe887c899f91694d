"""Who did what to whom, in plain English sentences: a small parser without a model.

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

from rag_memory.text.english_verbs import BASE_VERBS, PASTS, base_term
from rag_memory.text.name_check import is_common_word
from rag_memory.text.terms import STOP_WORDS

PLAYER, NPC, WE = "@player", "@npc", "@we"
"""Participants of a clause without a name. Others are "@" and a name, or the term of a noun."""
SOMEBODY = "@somebody"
UNRESOLVED = "@unresolved"
"""A pronoun that may stand for several people."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_BE = _set("am is are was were be been being")
_HAVE = _set("have has had having")
_DO = _set("do does did")
_MODALS = _set("will would can could shall should may might must")
_AUXILIARIES = _BE | _HAVE | _DO | _MODALS | _set("get gets got")
_NEGATIONS = _set("not never no nobody nothing none neither nor cannot refused failed")
_DETERMINERS = _set(
    "a an the this that these those some any every each all both half two three four five ten"
)
_OWNERS = _set("my mine our his her their its your whose")
_PREPOSITIONS = _set(
    "to for with by from of at in on about against beside behind near after before into onto over under "
    "between toward towards upon through among without during since until as than off out up down"
)
_ADVERBS = _set(
    "ever still once already always often again also just only now then soon almost nearly really even later "
    "finally secretly back away together here there"
)
_CONJUNCTIONS = _set(
    "and but that because so who whom which when while where if unless although though until since whether "
    "after before or as"
)
_CONDITIONS = _set("if unless whether")
_SPEECH = _set("say tell report claim write confess admit announce swear mention hear")
_BELIEF = _set(
    "think believe suspect fear dream imagine guess pretend doubt wonder hope suppose expect afraid"
)
_INTENT = _set(
    "promise vow swear pledge want wish hope plan offer threaten ask order try attempt refuse intend mean "
    "dream fear beg need agree decide consider urge tell expect afraid dare forget warn like love"
)
_DOING = _set("manage begin start continue help happen have be able get let make see watch hear keep stop")
_SPEECH_TERMS, _BELIEF_TERMS = (frozenset(map(base_term, words)) for words in (_SPEECH, _BELIEF))
_OWN_INTENT_TERMS = frozenset(map(base_term, _set("promise vow swear threaten owe lend pay offer use")))
_INTENT_TERMS = frozenset(map(base_term, _INTENT))
_DOING_TERMS = frozenset(map(base_term, _DOING))
_UNREAL_NOUNS = frozenset(
    map(base_term, _set("rumour rumor lie plan wish dream threat promise offer chance"))
)
_UNREAL_TERMS = _BELIEF_TERMS | _UNREAL_NOUNS
_UNREAL_MODALS = _set("would could might should may will must")
_SINGULARS = _set("he him himself she her herself they them themselves")
_ANYBODY = _set("somebody someone anybody anyone everybody everyone people nobody")

_NEGATED_AFTER = 3
"""So many words from the verb on may hold its negation: "did not", "has no brother"."""
_PERCEPTION = frozenset(map(base_term, _set("see watch hear let make help notice feel catch")))
_PARTICLES = _set("out off up away")
"""Words right after a verb that make another verb of it: "moved out"."""

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[.!?;:,()\"“”«»—–]")
_STOPS = frozenset(".!?;:")
_MARKS = _STOPS | frozenset(',()"“”«»—–')
_SPOKEN = re.compile(
    r"^(?P<speaker>[^\"“«:]{0,60}?)\b(?:said|says|asked|asks|answered|answers|replied|told me)\b"
    r"[^\"“«:]{0,40}?[:,]?\s*[\"“«](?P<speech>.*?)[\"”»]?\s*$",
    re.DOTALL,
)
_CONTRACTIONS = {"m": "am", "re": "are", "ve": "have", "ll": "will", "d": "would"}
_IS_AFTER = _set("he she it who that there what here where")


class Narrator(NamedTuple):
    """Who tells the sentences, and how they call the player; words in lower case."""

    player: frozenset[str] = frozenset()
    """The words of the player's name."""
    npc: frozenset[str] = frozenset()
    """The words of the NPC's own name."""


class Clause(NamedTuple):
    """One statement of a text."""

    subject: frozenset[str]
    """Who or what stands before the verb; of a passive who stands after "by". Empty when unknown."""
    verb: str
    """The term of the verb, or of what follows a form of "be": "dead" in "Nell is dead". May be empty."""
    objects: frozenset[str]
    """Who or what stands after the verb; of a passive also who stands before it."""
    terms: frozenset[str]
    """The terms of all its words that carry meaning."""
    owners: frozenset[tuple[str, str]]
    """Pairs of a thing and whose it is."""
    is_negated: bool = False
    is_unreal: bool = False
    """It is wished, promised, feared, asked for or assumed."""
    reporters: frozenset[str] = frozenset()
    """Who said so, unless it was the NPC."""
    is_state: bool = False
    """It says what is, not what happened."""
    is_main: bool = False
    """It depends on no other clause."""
    is_transitive: bool = False
    """Somebody or something stands after the verb without a preposition."""


class _Word(NamedTuple):
    text: str
    lower: str
    owner: bool
    """It ends in "'s"."""


@functools.lru_cache(4096)
def clauses_of(text: str, narrator: Narrator) -> tuple[Clause, ...]:
    """The clauses of a text in the order of their verbs."""
    spoken = _SPOKEN.match(text)
    if spoken is None:
        return tuple(_Reader(narrator).read(_words(text)))
    who = _participants(_words(spoken["speaker"]), narrator, set())
    frame = tuple(_Reader(narrator).read(_words(text[: spoken.start("speech")])))
    speech = _Reader(narrator, frozenset(who) or frozenset({UNRESOLVED}))
    return (*frame, *speech.read(_words(spoken["speech"])))


def _words(text: str) -> list[_Word]:
    words: list[_Word] = []
    for match in _TOKEN.finditer(text):
        token = match.group().replace("’", "'")
        lower = token.lower()
        start, _, ending = lower.partition("'")
        if not ending:
            words.append(_Word(token, lower, False))
        elif ending == "t" and start.endswith("n"):
            words += [_Word(start[:-1], start[:-1], False), _Word("not", "not", False)]
        elif ending in _CONTRACTIONS:
            words += [_Word(token[: len(start)], start, False), _Word("", _CONTRACTIONS[ending], False)]
        elif ending == "s" and start in _IS_AFTER:
            words += [_Word(token[: len(start)], start, False), _Word("is", "is", False)]
        elif ending == "s":
            words.append(_Word(token[: len(start)], start, True))
        else:
            words.append(_Word(token, lower, False))
    return words


def _is_mark(word: _Word) -> bool:
    return word.lower in _MARKS


def _is_name(words: Sequence[_Word], place: int, narrator: Narrator) -> bool:
    word = words[place]
    if not word.text[:1].isupper() or word.lower in STOP_WORDS or word.lower in _ANYBODY:
        return False
    if place and words[place - 1].lower not in _STOPS:
        return True
    return word.lower in narrator.npc or not (
        is_common_word(word.lower) or word.lower in _PREPOSITIONS or word.lower in BASE_VERBS
    )


def _participants(words: Sequence[_Word], narrator: Narrator, last: set[str]) -> list[str]:
    """The people and things of a phrase; a pronoun stands for the one person who was named before."""
    participants: list[str] = []
    for place, word in enumerate(words):
        lower = word.lower
        if word.owner or _is_mark(word):
            continue
        if lower in ("i", "me", "myself"):
            participants.append(NPC)
        elif lower in ("we", "us"):
            participants.append(WE)
        elif lower in ("it", "itself"):
            participants.append(UNRESOLVED)
        elif lower in _SINGULARS:
            participants.append(next(iter(last)) if len(last) == 1 else UNRESOLVED)
        elif lower in _ANYBODY:
            participants.append(SOMEBODY)
        elif lower == "player" or (lower in narrator.player and _names_player(words, place, narrator)):
            participants.append(PLAYER)
        elif lower in narrator.npc and word.text[:1].isupper():
            participants.append(NPC)
        elif _is_name(words, place, narrator):
            participants.append("@" + lower)
        elif (
            lower not in STOP_WORDS
            and lower not in _AUXILIARIES
            and lower not in _PREPOSITIONS
            and lower not in _ADVERBS
        ):
            participants.append(base_term(lower))
    return participants


def _names_player(words: Sequence[_Word], place: int, narrator: Narrator) -> bool:
    """Whether a word of the player's name means the player here: "Captain Doyle" is not Captain Ash."""
    for neighbour in (place - 1, place + 1):
        if 0 <= neighbour < len(words) and not words[place].owner and not words[neighbour].owner:
            other = words[neighbour]
            if _is_name(words, neighbour, narrator) and other.lower not in narrator.player:
                return False
    if words[place].text[:1].isupper():
        return True
    return len(narrator.player) > 1 and place > 0 and words[place - 1].lower == "the"


class _Reader:
    """Reads sentences from left to right, and remembers who was spoken of."""

    def __init__(self, narrator: Narrator, speaker: frozenset[str] = frozenset()) -> None:
        self._narrator = narrator
        self._speaker = speaker
        """Who says the words, when they are a quote."""
        self._subject: frozenset[str] = frozenset()
        self._people: set[str] = set()
        self._last: frozenset[str] = frozenset()
        """Who or what was spoken of last; "who" stands for them."""

    def read(self, words: Sequence[_Word]) -> Iterator[Clause]:
        start = 0
        for place in range(len(words) + 1):
            if place == len(words) or words[place].lower in _STOPS:
                is_question = place < len(words) and words[place].lower == "?"
                yield from self._sentence(words[start:place], is_question)
                start = place + 1

    def _sentence(self, words: Sequence[_Word], is_question: bool) -> Iterator[Clause]:
        governed = ""
        reporter = self._speaker
        for link, part in _parts(words, self._narrator):
            is_main = link in ("", "and", "but", "or")
            for number, clause in enumerate(self._clauses(part, link, governed, reporter)):
                clause = clause._replace(is_main=is_main and not number)
                if is_question:
                    clause = clause._replace(is_unreal=True)
                yield clause
                if not governed or link not in ("and", "or"):
                    governed = next(iter(clause.objects & _UNREAL_NOUNS), clause.verb)
                    reporter = clause.subject

    def _clauses(
        self, words: Sequence[_Word], link: str, governed: str, reporter: frozenset[str]
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
        verb, place = _verb_of(words, self._narrator)
        is_unreal = link in _CONDITIONS or (link in ("that", "") and governed in _UNREAL_TERMS)
        is_unreal = is_unreal or _is_only_possible(words[: place + 1])
        reporters = self._speaker
        if link == "that" and governed in _SPEECH_TERMS:
            reporters = reporter or frozenset({UNRESOLVED})
        if place < 0:
            source = next((at for at, word in enumerate(words) if word.lower in ("from", "by")), len(words))
            agent = self._said(_participants(words[source + 1 :], self._narrator, self._people))
            yield self._clause(words, [], "", words[:source], is_unreal, reporters, frozenset(agent))
            return
        after = list(words[place + 1 :])
        clause = self._clause(words, words[:place], verb, after, is_unreal, reporters)
        yield clause
        for start, is_infinitive in _embedded(after, verb, self._narrator):
            if is_infinitive:
                yield self._infinitive(clause, after, start, is_unreal)
            else:
                yield from self._content(clause, after[start:], is_unreal)

    def _infinitive(self, main: Clause, after: Sequence[_Word], start: int, is_unreal: bool) -> Clause:
        """The clause of a verb without a subject of its own: "to mend the oven", "for stealing limes"."""
        is_own = main.verb in _OWN_INTENT_TERMS
        doers = [] if is_own else _participants(after[:start], self._narrator, self._people)
        is_done = main.verb in _DOING_TERMS | _PERCEPTION
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

    def _content(self, main: Clause, words: Sequence[_Word], is_unreal: bool) -> Iterator[Clause]:
        """The clause that is thought or said, without a "that" before it."""
        verb, place = _verb_of(words, self._narrator)
        if place < 0:
            return
        reporters = main.reporters
        if main.verb in _SPEECH_TERMS:
            reporters = main.subject or frozenset({UNRESOLVED})
        is_unreal = is_unreal or main.verb in _BELIEF_TERMS
        yield self._clause(words, words[:place], verb, words[place + 1 :], is_unreal, reporters)
        self._subject = main.subject

    def _clause(
        self,
        words: Sequence[_Word],
        before: Sequence[_Word],
        verb: str,
        after: Sequence[_Word],
        is_unreal: bool,
        reporters: frozenset[str],
        subject: frozenset[str] | None = None,
    ) -> Clause:
        lowers = [word.lower for word in words]
        noun_phrase = _subject_words(before)
        people = self._people
        left = self._said(_participants(noun_phrase, self._narrator, people))
        right = self._said(_participants(after, self._narrator, people))
        is_passive = verb != "" and _is_passive(words, before)
        if subject is None:
            subject = frozenset(left)
            if (
                not subject
                and verb
                and not any(
                    not _is_mark(word) and word.lower not in _ADVERBS | _AUXILIARIES | _NEGATIONS
                    for word in before
                )
            ):
                subject = self._subject
        objects = frozenset(right)
        if is_passive:
            by = next((place for place, word in enumerate(after) if word.lower == "by"), -1)
            agent = self._said(_participants(after[by + 1 :], self._narrator, people))[:1] if by >= 0 else []
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
            frozenset(_terms(words))
            | {word.lower for word in after[:1] if verb and word.lower in _PARTICLES},
            frozenset(self._owners(words)),
            _is_negated(lowers, len(before) if verb else len(lowers)),
            is_unreal,
            reporters - {NPC},
            verb != "" and not is_passive and any(lower in _BE for lower in lowers[: len(before) + 1]),
            is_transitive=not is_passive and _has_object(after),
        )

    def _said(self, people: list[str]) -> list[str]:
        """In a quote "I" is who speaks, and "you" the one spoken to."""
        if not self._speaker:
            return people
        return [who for old in people for who in (self._speaker if old in (NPC, WE) else (old,))]

    def _owners(self, words: Sequence[_Word]) -> Iterator[tuple[str, str]]:
        for place, word in enumerate(words):
            owner = ""
            if word.owner:
                owner = next(iter(_participants([word._replace(owner=False)], self._narrator, set())), "")
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
                if _is_mark(thing) or thing.lower in _PREPOSITIONS or thing.lower in _AUXILIARIES:
                    break
                yield base_term(thing.lower), owner
                if thing.owner:
                    break


def _is_only_possible(words: Sequence[_Word]) -> bool:
    """Whether the words up to a verb say that it is not done yet, or was nearly done."""
    lowers = [word.lower for word in words]
    is_modal = any(lower in _UNREAL_MODALS for lower in lowers[-4:])
    return is_modal or lowers[-2:-1] == ["to"] or "almost" in lowers or "nearly" in lowers


def _terms(words: Iterable[_Word]) -> Iterator[str]:
    for word in words:
        if (
            not _is_mark(word)
            and word.lower not in STOP_WORDS
            and word.lower not in _AUXILIARIES | _PREPOSITIONS | {"player"}
        ):
            yield base_term(word.lower)


def _parts(words: Sequence[_Word], narrator: Narrator) -> list[tuple[str, list[_Word]]]:
    """The parts of a sentence that have a verb each, with the word that links them to what is before."""
    parts: list[tuple[str, list[_Word]]] = []
    link, current = "", list[_Word]()
    for word in words:
        if _is_mark(word) or word.lower in _CONJUNCTIONS:
            if current:
                parts.append((link, current))
                link, current = "", []
            if not _is_mark(word):
                link = word.lower
        else:
            current.append(word)
    if current:
        parts.append((link, current))
    merged: list[tuple[str, list[_Word]]] = []
    for link, part in parts:
        has_verb = _verb_of(part, narrator)[1] >= 0
        needs_verb = bool(merged) and _verb_of(merged[-1][1], narrator)[1] < 0
        if merged and (not has_verb or (needs_verb and link in ("and", "or", ""))):
            joint = [_Word(link, link, False)] if link else [_Word(",", ",", False)]
            merged[-1] = (merged[-1][0], [*merged[-1][1], *joint, *part])
        else:
            merged.append((link, part))
    return merged


def _is_past(words: Sequence[_Word], place: int) -> bool:
    word = words[place]
    if word.owner or not (word.lower in PASTS or (len(word.lower) > 3 and word.lower.endswith("ed"))):
        return False
    if word.text[:1].isupper() and place:
        return False
    previous = words[place - 1] if place else None
    return previous is None or not (previous.lower in _DETERMINERS | _OWNERS or previous.owner)


def _verb_of(words: Sequence[_Word], narrator: Narrator) -> tuple[str, int]:
    """The term of the verb of a part of a sentence and where it stands; ("", -1) when there is none."""
    for place, word in enumerate(words):
        if word.owner or _is_mark(word):
            continue
        if word.lower in _AUXILIARIES:
            return _after_auxiliary(words, place)
        if _is_past(words, place):
            return base_term(word.lower), place
        if place and _is_present(words, place):
            return base_term(word.lower), place
    for place in range(1, len(words)):
        word, previous = words[place], words[place - 1]
        if (
            word.lower.endswith("s")
            and not word.lower.endswith(("ss", "us", "is"))
            and len(word.lower) > 3
            and word.text[:1].islower()
            and not word.owner
            and not previous.owner
            and previous.lower not in _DETERMINERS | _OWNERS | _PREPOSITIONS
            and not any(other.lower in _PREPOSITIONS for other in words[max(0, place - 2) : place])
            and place + 1 < len(words)
        ):
            return base_term(word.lower), place
    return "", -1


def _is_present(words: Sequence[_Word], place: int) -> bool:
    """Whether a word after "I", "we", "they" or a name is a verb in the present."""
    word, before = words[place], place - 1
    while before > 0 and words[before].lower in _ADVERBS:
        before -= 1
    previous = words[before]
    if (
        word.lower in STOP_WORDS | _ADVERBS | _PREPOSITIONS | _CONJUNCTIONS
        or word.text[:1].isupper()
        or not word.lower.isalpha()
    ):
        return False
    if previous.lower in ("i", "we", "they", "you"):
        return True
    is_person = previous.lower in _ANYBODY | {"he", "she", "it", "who", "player", "else"} or (
        previous.text[:1].isupper() and not previous.owner
    )
    return is_person and word.lower.endswith("s") and not word.lower.endswith("ss")


def _after_auxiliary(words: Sequence[_Word], place: int) -> tuple[str, int]:
    """The main verb after an auxiliary, or what is said with a form of "be"."""
    last = place
    while last + 1 < len(words) and words[last + 1].lower in _AUXILIARIES | _ADVERBS | _NEGATIONS | {
        "too",
        "so",
        "very",
    }:
        last += 1
    if last + 1 >= len(words):
        return base_term(words[place].lower), place
    following = words[last + 1]
    helper = words[last].lower if words[last].lower in _AUXILIARIES else words[place].lower
    is_word = (
        following.lower.isalpha()
        and following.lower not in STOP_WORDS | _PREPOSITIONS | _DETERMINERS | _OWNERS
    )
    is_plain = is_word and not following.text[:1].isupper() and not following.owner
    if any(word.lower in _BE for word in words[place : last + 1]) or helper in ("get", "gets", "got"):
        if following.lower == "to" and last + 2 < len(words):
            return base_term(words[last + 2].lower), last + 2
        if is_plain and (helper in _BE or following.lower in PASTS or following.lower.endswith("ed")):
            return base_term(following.lower), last + 1
        if helper not in _BE:
            return "get", last
        return ("at" if following.lower in _PREPOSITIONS else "be"), last
    if helper in _HAVE or (helper not in _MODALS | _DO and words[place].lower in _HAVE):
        if is_plain and (_is_past(words, last + 1) or following.lower in PASTS):
            return base_term(following.lower), last + 1
        return "have", last
    return (base_term(following.lower), last + 1) if is_plain else (base_term(helper), last)


def _is_negated(lowers: Sequence[str], verb: int) -> bool:
    """Whether a negation stands before the verb or right after it."""
    return any(lower in _NEGATIONS for lower in lowers[: verb + _NEGATED_AFTER])


def _is_passive(words: Sequence[_Word], before: Sequence[_Word]) -> bool:
    place = len(before)
    helpers = [word.lower for word in before]
    while helpers and helpers[-1] in _ADVERBS | _NEGATIONS:
        helpers.pop()
    is_participle = place < len(words) and (words[place].lower in PASTS or words[place].lower.endswith("ed"))
    return is_participle and bool(helpers) and helpers[-1] in _BE | {"get", "gets", "got"}


def _subject_words(before: Sequence[_Word]) -> list[_Word]:
    """The words of the subject among those before the verb: the last phrase that no preposition leads."""
    end = len(before)
    while end and before[end - 1].lower in _AUXILIARIES | _ADVERBS | _NEGATIONS:
        end -= 1
    words = list(before[:end])
    start = 0
    for place, word in enumerate(words):
        if word.lower in _PREPOSITIONS and word.lower != "of":
            if any(_carries(other) for other in words[start:place]):
                # "The letters from a governor are": the subject stands before the preposition.
                return words[start:place]
            start = place + 1
            while (
                start < len(words)
                and words[start].lower not in {"i", "we", "he", "she", "they", "it"}
                and not (
                    words[start].text[:1].isupper()
                    and start > place + 1
                    and words[start - 1].text[:1].islower()
                )
            ):
                start += 1
            if start >= len(words):
                return words[place + 1 :][-1:]
    return words[start:]


def _is_infinitive(after: Sequence[_Word], place: int, main: str) -> bool:
    """Whether the word after a "to" is a verb: "to mend the oven", and not "to town"."""
    if after[place].lower in BASE_VERBS or main in _INTENT_TERMS:
        return True
    following = after[place + 1] if place + 1 < len(after) else None
    return following is not None and (
        following.lower in _DETERMINERS | _OWNERS | {"me", "us", "him", "them", "it"}
        or following.text[:1].isupper()
        or following.owner
    )


def _is_bare_verb(after: Sequence[_Word], place: int) -> bool:
    """Whether a word is a verb after somebody who is seen, heard or let: "let the prisoner escape"."""
    word, previous = after[place], after[place - 1]
    if previous.lower in _DETERMINERS | _OWNERS | _PREPOSITIONS or previous.owner or _is_mark(previous):
        return False
    if word.lower in BASE_VERBS:
        return True
    is_somebody = previous.text[:1].isupper() or previous.lower in ("me", "him", "her", "them", "us", "it")
    is_somebody = is_somebody or (place > 1 and after[place - 2].lower in _DETERMINERS | _OWNERS)
    return (
        is_somebody
        and word.text.isalpha()
        and word.text.islower()
        and word.lower not in STOP_WORDS | _PREPOSITIONS | _CONJUNCTIONS | _ADVERBS
        and not word.lower.endswith(("s", "ed", "ly"))
    )


def _has_object(after: Sequence[_Word]) -> bool:
    following = next((word for word in after if word.lower not in _ADVERBS), None)
    return following is not None and not _is_mark(following) and following.lower not in _PREPOSITIONS


def _carries(word: _Word) -> bool:
    return not _is_mark(word) and word.lower not in _DETERMINERS | _OWNERS | _ADVERBS


def _embedded(after: Sequence[_Word], main: str, narrator: Narrator) -> list[tuple[int, bool]]:
    """Where clauses begin inside what follows a verb: (place, whether it is an infinitive)."""
    for place in range(len(after) - 1):
        follower = after[place + 1]
        if (
            after[place].lower == "to"
            and follower.text[:1].islower()
            and follower.lower not in STOP_WORDS | _DETERMINERS | _OWNERS
            and not follower.owner
            and _is_infinitive(after, place + 1, main)
        ):
            return [(place + 1, True)]
    for place in range(1, len(after)):
        if after[place].lower.endswith("ing") and after[place - 1].lower in ("for", "of", "about"):
            return [(place, True)]
    if main in _PERCEPTION:
        for place in range(1, min(len(after), 6)):
            if _is_bare_verb(after, place):
                return [(place, True)]
    if main in _BELIEF_TERMS | _SPEECH_TERMS and _verb_of(after, narrator)[1] > 0:
        start = (
            1 if main in ("tell",) and after and after[0].lower in ("me", "us", "him", "her", "them") else 0
        )
        return [(start, False)]
    return []
