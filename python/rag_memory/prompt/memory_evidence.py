"""Whether a memory answers what the player said: the words that they share, how near they are in meaning,
and who did what to whom: in English by the clause, in other languages by who gives.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.memory.event_templates import NPC_SPEAKERS, PLAYER
from rag_memory.prompt.answer_weights import ENGLISH, IN_OTHER_LANGUAGES, AnswerWeights
from rag_memory.retrieval.channels import terms_of_type
from rag_memory.retrieval.deeds import deeds_of_type, is_implied, query_deeds
from rag_memory.text.clauses import clauses_of
from rag_memory.text.english_verbs import base_term
from rag_memory.text.gazetteer import name_words
from rag_memory.text.language import looks_english
from rag_memory.text.languages.tables import recall_words
from rag_memory.text.participants import NPC, SOMEBODY, UNRESOLVED, WE, Narrator
from rag_memory.text.participants import PLAYER as THE_PLAYER
from rag_memory.text.statements import statements_of
from rag_memory.text.terms import STOP_WORDS, is_spaceless, stem, terms_of, words
from rag_memory.text.whole_words import without_honorific

_FAR_FROM_ENGLISH = 0.25
"""Taken from a similarity where the embedding model may not know the language."""
NUMBERS = ("similarity", "coverage", "lead", "event", "time", "first", "margin", "player")
"""What is weighed of a memory: how near it is to the question, how much of the question's words it has,
how much nearer it is than all others, whether it is an event of the kind, or of the time, that is asked
about, whether it is the first that was retrieved, how much more relevant it is than all others that may
answer, and, for a question about the player in another language than English, whether it names the player.
"""
_WIDEST_MARGIN = 2.0
"""Where one memory is more relevant than all others by so much, more says nothing."""
_MOST_WORDS, _NEAR = 0.5, 0.62
"""The coverage above which, and the similarity from which, a memory is what the player speaks of without
asking. The coverage decides alone where no embedding model is loaded.
"""
_DEED = lazy_pattern(
    r"\b(?:did|do|have|had|has|does|will|would)(?:n't| not)? (i|you|we) "
    r"(?:(?:ever|really|still|just|already) )?([a-z]+)",
    re.IGNORECASE,
)
_OTHER_ONE = {"i": frozenset({"you"}), "you": frozenset({"me", "us"})}
_INNER_NAME = lazy_pattern(r"(?<=[a-z,;:] )[A-Z][\w'’-]+")
_PREFIX = 5
_STEALING, _TAKING = frozenset(map(base_term, ("steal", "rob"))), frozenset({base_term("take")})
"""Whoever stole something took it."""
_POSSESSED = r"(?:[^\W_]{0,2}['’]?\W(?:[^\W_]{1,3}\W)?([^\W_]+)|[的の]([^\W_]{1,2}))"
_POSSESSION = r"([^\W_]+)\W(?:[^\W_]{1,3}\W)?"
"""After and before a name: what belongs to somebody."""
_OF_THE_OTHER = {True: ("_given", "debt"), False: ("_received", "own_debt")}
"""Endings of the types of gifts, and the type of debts, of the NPC where the player gave or lent, and of the
player where the NPC did.
"""
_RUSSIAN_ENDINGS, _LAST_CYRILLIC, _LEAST_ROOT = "аяйь", "ӿ", 3
_SENTENCE_END = lazy_pattern("[.!?:;。！？：；]")
_FIRST_WORDS, _FIRST_SIGNS = 4, 8
"""Of a sentence in which a person is the subject: "my sister Anna ..."; signs in scripts without spaces."""
_LENDING = frozenset(["lend"])
_PROMISE = frozenset(["promis"])
_PROMISING = frozenset(map(base_term, ("promise", "swear", "vow", "owe", "agree")))


class Inquiry:
    """What the player said, as far as a memory can answer it."""

    def __init__(
        self,
        text: str,
        player_names: Collection[str],
        npc_name: str,
        empty_words: str,
        is_asked: bool = True,
        is_of_player: bool = True,
    ) -> None:
        """`empty_words` say nothing of what a question is about; they have bars between them. `is_asked`: the
        player asks, and does not state something. `is_of_player`: False if another one speaks, whose names
        stand in the place of the player's.
        """
        self.text = text
        self.is_asked = is_asked
        self._table = recall_words(text)
        is_plain = not any(ord(character) > 127 for character in text)
        self._is_english = self._table is None and (is_plain or looks_english([text]))
        self._narrator = Narrator(name_words(player_names), name_words([npc_name]), is_of_player)
        own = self._narrator.player | self._narrator.npc
        events, asked, self._is_of_a_time = frozenset[str](), words(text), False
        if self._table is not None:
            time, timeless = self._table.english_time(text)
            events, asked = self._table.events_and_words(timeless)
            self._is_of_a_time = bool(time)
        empty = {*empty_words.split("|"), *own}
        self._terms = _terms(asked, empty) if self._table is None else _telling(asked, empty) | events
        self._player_names = [_without_ending(name) for name in player_names if name]
        self._is_of_player = is_of_player
        deed = _DEED.search(text)
        self._doer = {"i": THE_PLAYER, "you": NPC}.get(deed[1].lower(), "") if deed else ""
        self._verb = base_term(deed[2].lower()) if deed else ""
        pronouns = _OTHER_ONE.get(deed[1].lower(), frozenset()) if deed else frozenset()
        self.is_between_us = not pronouns.isdisjoint(words(text))
        """It is about what the NPC did to the asker, or the asker to the NPC."""
        is_players = self._table.is_player_giving(text) if self._table is not None else None
        gifts, debts = ("", "") if is_players is None else _OF_THE_OTHER[is_players]
        self._other_gifts = gifts if events & terms_of_type("gift_given") else ""
        self._other_debts = debts if events & _LENDING else ""
        self._things = self._terms - events
        is_who = self._table is not None and self._table.asks_who(text)
        self._persons = _persons(asked, self._things) if is_who and not events else frozenset()
        self._own_things = frozenset[str]()
        if self._table is not None and self._player_names:
            name = without_honorific(next(filter(None, player_names)))
            view = self._table.from_npc_view(text, name)
            self._own_things = self._things_of(self._player_names[0] + _POSSESSED, view)
        self._is_player_promising = is_players if events & _PROMISE else None
        names = (name.group().removesuffix("'s").removesuffix("’s") for name in _INNER_NAME.finditer(text))
        self._names = {name.casefold() for name in names} - own if self._is_english else set()

    @property
    def has_terms(self) -> bool:
        """True if it asks about something besides the player and the NPC."""
        return bool(self._terms) or self._is_of_a_time

    @property
    def asks_for_deeds(self) -> bool:
        """True if it asks what the player has done."""
        return self._doer == THE_PLAYER and self._verb in ("do", "done")

    def coverage(self, text: str, event_type: str = "") -> float:
        """Return how much of what is asked a text has: 0 to 1."""
        if not self._terms:
            return 0.0
        stated = _terms(words(text), frozenset())
        if self._table is not None:
            stated |= self._table.events_and_words(text)[0] | terms_of_type(event_type)
        stated |= frozenset(stem(word) for word in words(text) if word.isascii())
        stated |= _TAKING if stated & _STEALING else frozenset()
        deeds = deeds_of_type(event_type)
        covered = sum(
            term in stated
            or _has_beginning(term, stated)
            or bool(deeds & query_deeds([term]))
            or is_implied(term, deeds)
            for term in self._terms
        )
        return covered / len(self._terms)

    def promises(self, text: str) -> bool:
        """Return True if the NPC promises something in a text, or owes it."""
        return any(
            NPC in clause.subject and clause.verb in _PROMISING for clause in clauses_of(text, self._narrator)
        )

    def is_about_others(self, memory: Mapping[str, Any]) -> bool:
        """Return True if a memory lacks a name of the question, or tells the deed of somebody else."""
        text, metadata = str(memory["document_full"]), memory["metadata"]
        if self._other_gifts and metadata["event_type"].endswith(self._other_gifts):
            return True
        if self._is_other_promise(text, metadata) or self._is_other_debt(text, metadata):
            return True
        names = " ".join([text, *metadata["participants"], *metadata["entities"]])
        return self.lacks_a_name(names) or self.is_reversed(text)

    def _is_other_promise(self, text: str, metadata: Mapping[str, Any]) -> bool:
        """Return True for a promise of the player where the NPC's is asked for, or the other way round."""
        if self._table is None or self._is_player_promising is None:
            return False
        if not (terms_of_type(metadata["event_type"]) | self._table.events_and_words(text)[0]) & _PROMISE:
            return False
        is_own = metadata.get("speaker") in (None, *NPC_SPEAKERS) and self._table.tells_own_promise(text)
        return is_own == self._is_player_promising

    def is_of_own_thing(self, memory: Mapping[str, Any]) -> bool:
        """Return True if a memory speaks of what the player calls his own: "my horse", "Theron's horse"."""
        if not self._own_things:
            return False
        text, names = str(memory["document_full"]), "|".join(self._player_names)
        patterns = (f"(?:{names}){_POSSESSED}", f"{_POSSESSION}(?:{names})")
        return any(self._own_things & self._things_of(pattern, text) for pattern in patterns)

    def _things_of(self, pattern: str, text: str) -> frozenset[str]:
        """The things of the question that are in a group of a pattern."""
        matches = re.finditer(pattern, text, re.IGNORECASE)
        nouns = " ".join(group for match in matches for group in match.groups() if group)
        return self._things & _terms(words(nouns), frozenset())

    def _is_other_debt(self, text: str, metadata: Mapping[str, Any]) -> bool:
        """Return True for what one owes where a thing is asked for that the other one lent."""
        if not self._things or metadata["event_type"] != self._other_debts:
            return False
        stated = _terms(words(text), frozenset())
        return not any(term in stated or _has_beginning(term, stated) for term in self._things)

    def share_of_time(self, memory: Mapping[str, Any]) -> float:
        """Return how much of what is asked is the time of a memory: "last night" alone is no ball game. Facts
        such as the player's name are of no time.
        """
        is_then = float(memory["breakdown"].get("time_channel", 0.0))
        coverage = self.coverage(str(memory["document_full"]), memory["metadata"]["event_type"])
        if self._table is not None and memory["metadata"].get("slot_type"):
            return 0.0
        return is_then * max(coverage, 1.0 / max(1, len(self._terms)))

    def share_of_player(self, memory: Mapping[str, Any]) -> float:
        """Return 0 unless the question is about the player; then whether a memory is, as 1 or -1."""
        if self._table is None or not self._table.speaks_of_player(self.text):
            return 0.0
        text = str(memory["document_full"]).casefold()
        is_player = self._is_of_player and (
            self._table.player.casefold() in text or PLAYER in memory["metadata"]["participants"]
        )
        # Languages bend names and put particles to them, so that no name is looked for as a whole word.
        return 1.0 if is_player or any(re.search(name, text) for name in self._player_names) else -1.0

    def tells_who(self, memory: Mapping[str, Any]) -> bool:
        """Return False if it is asked who somebody is, and the memory only mentions them."""
        return not self._persons or _begins_with(self._persons, str(memory["document_full"]))

    def lacks_a_name(self, text: str) -> bool:
        """Return True if a name in the question is not in a text."""
        present = set(words(text))
        return any(not set(words(name)) <= present for name in self._names)

    def is_reversed(self, text: str) -> bool:
        """Return True if a text tells the deed of somebody else."""
        if not self._doer:
            return False
        said = (statement.text for statement in statements_of(text))
        clauses = [clause for statement in said for clause in clauses_of(statement, self._narrator)]
        subjects = [clause.subject for clause in clauses if clause.verb == self._verb and clause.subject]
        people = frozenset(who for subject in subjects for who in subject if who.startswith("@"))
        return bool(people) and not people & {self._doer, WE, SOMEBODY, UNRESOLVED}


def best_answer(
    inquiry: Inquiry,
    memories: Sequence[Mapping[str, Any]],
    model: str,
    answering: Callable[[str], str] = str,
) -> Mapping[str, Any] | None:
    """Return the memory that answers an inquiry most surely, or None.

    Args:
        memories: those that the NPC may speak of, as retrieve_relevant_raw() returns them.
        model: the name of the embedding model that found them.
        answering: returns what of a text can be an answer: what the asker has asked before is none.
    """
    surest, answer = -math.inf, None
    memories = [memory for memory in memories if not _only_repeats(inquiry, memory, answering)]
    weights = _weights(inquiry, memories, model)
    for memory, numbers in zip(memories, answer_numbers(inquiry, memories, model, answering), strict=True):
        if numbers is None or not _answers(inquiry, memory, numbers, weights):
            continue
        sureness = sureness_of(numbers, weights)
        if sureness > surest:
            surest, answer = sureness, memory
    return answer


def _answers(
    inquiry: Inquiry, memory: Mapping[str, Any], numbers: Sequence[float], weights: AnswerWeights
) -> bool:
    similarity, coverage = numbers[:2]
    if not inquiry.is_asked:
        return coverage > _MOST_WORDS and similarity >= _NEAR
    if "event_channel" not in memory["breakdown"]:
        return coverage > _MOST_WORDS
    return sureness_of(numbers, weights) >= weights.bound


def _weights(inquiry: Inquiry, memories: Sequence[Mapping[str, Any]], model: str) -> AnswerWeights:
    return ENGLISH if _are_english(inquiry, memories) else IN_OTHER_LANGUAGES.get(model, ENGLISH)


def _are_english(inquiry: Inquiry, memories: Sequence[Mapping[str, Any]]) -> bool:
    return looks_english([inquiry.text, *(str(memory["document_full"]) for memory in memories)])


def _only_repeats(inquiry: Inquiry, memory: Mapping[str, Any], answering: Callable[[str], str]) -> bool:
    """Return True if a memory has words of an inquiry in nothing but what somebody asked or wanted."""
    whole, event_type = str(memory["document_full"]), memory["metadata"]["event_type"]
    stated = answering(whole)
    return (stated != whole or inquiry.coverage(whole) > 0.0) and not inquiry.coverage(stated, event_type)


def answer_numbers(
    inquiry: Inquiry,
    memories: Sequence[Mapping[str, Any]],
    model: str,
    answering: Callable[[str], str] = str,
) -> list[tuple[float, ...] | None]:
    """The NUMBERS of every memory; None for one that lacks a name, or tells the deed of somebody else."""
    is_measured = model in IN_OTHER_LANGUAGES or _are_english(inquiry, memories)
    doubt = 0.0 if is_measured else _FAR_FROM_ENGLISH
    similarities = [memory["similarity"] - doubt for memory in memories]
    of_player = [inquiry.share_of_player(memory) for memory in memories]
    of_own_things = [inquiry.is_of_own_thing(memory) for memory in memories]
    # Where one memory names the player, or a thing as his, those that don't are of somebody else.
    are_about_others = [
        inquiry.is_about_others(memory) or share < 0.0 < max(of_player) or is_own < max(of_own_things)
        for memory, share, is_own in zip(memories, of_player, of_own_things, strict=True)
    ]
    relevances = [
        -math.inf if is_about_others else float(memory["breakdown"].get("sum", 0.0))
        for memory, is_about_others in zip(memories, are_about_others, strict=True)
    ]
    return [
        None
        if are_about_others[place] or not inquiry.tells_who(memory)
        else (
            similarity,
            inquiry.coverage(answering(str(memory["document_full"])), memory["metadata"]["event_type"]),
            similarity - max(_without(similarities, place), default=0.0),
            float(memory["breakdown"].get("event_channel", 0.0)),
            inquiry.share_of_time(memory),
            float(place == 0),
            _within(relevances[place] - max(_without(relevances, place), default=0.0)),
            of_player[place],
        )
        for place, (memory, similarity) in enumerate(zip(memories, similarities, strict=True))
    ]


def _without(numbers: Sequence[float], place: int) -> tuple[float, ...]:
    return (*numbers[:place], *numbers[place + 1 :])


def _within(margin: float) -> float:
    return max(-_WIDEST_MARGIN, min(margin, _WIDEST_MARGIN))


def sureness_of(numbers: Sequence[float], weights: AnswerWeights) -> float:
    """Return how surely a memory with these numbers answers: the logarithm of the odds."""
    pairs = zip(NUMBERS, numbers, strict=True)
    return weights.bias + sum(weights.by_number.get(name, 0.0) * number for name, number in pairs)


def _terms(spoken: Sequence[str], empty: Collection[str]) -> frozenset[str]:
    return frozenset(
        term
        for word in spoken
        if word not in STOP_WORDS and word != PLAYER
        for term in ([base_term(word)] if word.isascii() else terms_of(word))
        if word not in empty and term not in empty
    )


def _telling(asked: Sequence[str], empty: Collection[str]) -> frozenset[str]:
    """The terms, but of scripts without spaces none with a sign that says nothing, or is grammar."""
    telling = {
        term
        for term in _terms([_without_particles(word) for word in asked], empty)
        if not is_spaceless(term[0]) or not any(sign in empty or "ぁ" <= sign <= "ん" for sign in term)
    }
    pairs = {term for term in telling if len(term) > 1}
    return frozenset(pairs or telling)


def _without_ending(name: str) -> str:
    """A pattern of what of a name is in every text that bends it, where words begin that have an alphabet."""
    spoken = without_honorific(name).casefold()
    root = spoken.rstrip(_RUSSIAN_ENDINGS)
    pattern = re.escape(root if len(root) >= _LEAST_ROOT else spoken)
    return rf"(?<!\w){pattern}" if spoken[:1] <= _LAST_CYRILLIC else pattern


def _persons(asked: Sequence[str], things: frozenset[str]) -> frozenset[str]:
    """The only thing that is asked about, as it begins in a text; nothing for several."""
    spoken = [_without_particles(word) for word in asked]
    persons = [word for word in spoken if not things.isdisjoint(_terms([word], frozenset()))]
    if not persons or is_spaceless(persons[0][0]):
        return things
    return frozenset(persons) if len(persons) == 1 else frozenset()


def _begins_with(persons: Collection[str], text: str) -> bool:
    """Return True if one of these is among the first words of a sentence: otherwise it only mentions them."""
    for sentence in _SENTENCE_END.split(text):
        beginning = words(sentence)[:_FIRST_WORDS]
        for place, word in enumerate(beginning):
            head = word[:_FIRST_SIGNS] if is_spaceless(word[0]) else word
            if place and is_spaceless(word[0]) and not "가" <= word[0] <= "힣":
                break
            if word in persons or (is_spaceless(word[0]) and any(person in head for person in persons)):
                return True
    return False


def _without_particles(word: str) -> str:
    """The beginning of a Korean word, where particles and endings follow; other words as they are."""
    return word[:2] if "가" <= word[0] <= "힣" else word


def _has_beginning(term: str, stated: Collection[str]) -> bool:
    return len(term) >= _PREFIX and any(
        len(other) >= _PREFIX and (other.startswith(term) or term.startswith(other)) for other in stated
    )
