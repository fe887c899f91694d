"""Whether a memory answers what the player said: the words that they share, how near they are in meaning,
and, in English, who did what to whom.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from rag_memory.memory.event_templates import PLAYER
from rag_memory.retrieval.deeds import deeds_of_type, is_implied, query_deeds
from rag_memory.text.clauses import clauses_of
from rag_memory.text.english_verbs import base_term
from rag_memory.text.gazetteer import name_words
from rag_memory.text.language import looks_english
from rag_memory.text.participants import NPC, SOMEBODY, UNRESOLVED, WE, Narrator
from rag_memory.text.participants import PLAYER as THE_PLAYER
from rag_memory.text.terms import STOP_WORDS, stem, terms_of, words

_NEAR = 0.62
"""The similarity from which a memory answers a question whose words it does not have."""
_NEAR_WITH_WORDS = 0.45
_NEAR_WITH_MOST, _LEAST = 0.4, 0.2
_LONG = 280
"""Characters of a memory of which an embedding says little."""
_FAR_FROM_ENGLISH = 0.25
"""Added to each of them where the embedding model may not know the language."""
_MOST_WORDS, _SOME_WORDS = 0.5, 0.3
_LEAST_SHARE = 0.6
"""Of the similarity of the first memory, that of another one that may answer."""
_DEED = re.compile(
    r"\b(?:did|do|have|had|has|does|will|would)(?:n't| not)? (i|you|we) "
    r"(?:(?:ever|really|still|just|already) )?([a-z]+)",
    re.IGNORECASE,
)
_INNER_NAME = re.compile(r"(?<=[a-z,;:] )[A-Z][\w'’-]+")
_PREFIX = 5


class Inquiry:
    """What the player said, as far as a memory can answer it."""

    def __init__(
        self,
        text: str,
        player_names: Collection[str],
        npc_name: str,
        empty_words: str,
        is_asked: bool = True,
    ) -> None:
        """`empty_words` say nothing of what a question is about; they have bars between them. `is_asked`: the
        player asks, and does not state something.
        """
        self.text = text
        self.is_asked = is_asked
        self._is_english = looks_english([text]) or not any(ord(character) > 127 for character in text)
        self._narrator = Narrator(name_words(player_names), name_words([npc_name]))
        own = self._narrator.player | self._narrator.npc
        self._terms = _terms(text, {*empty_words.split("|"), *own})
        deed = _DEED.search(text)
        self._doer = {"i": THE_PLAYER, "you": NPC}.get(deed[1].lower(), "") if deed else ""
        self._verb = base_term(deed[2].lower()) if deed else ""
        names = (name.group().removesuffix("'s").removesuffix("’s") for name in _INNER_NAME.finditer(text))
        self._names = {name.casefold() for name in names} - own if self._is_english else set()

    @property
    def has_terms(self) -> bool:
        """True if it asks about something besides the player and the NPC."""
        return bool(self._terms)

    @property
    def has_names(self) -> bool:
        """True if it names somebody or something."""
        return bool(self._names)

    def asks_about(self, event_type: str) -> bool:
        """Return True if an event of this type is the kind that it asks about."""
        return bool(deeds_of_type(event_type) & query_deeds(self._terms))

    def coverage(self, text: str, event_type: str = "") -> float:
        """Return how much of what is asked a text has: 0 to 1."""
        if not self._terms:
            return 0.0
        stated = _terms(text, frozenset())
        stated |= frozenset(stem(word) for word in words(text) if word.isascii())
        deeds = deeds_of_type(event_type)
        covered = sum(
            term in stated
            or _has_beginning(term, stated)
            or bool(deeds & query_deeds([term]))
            or is_implied(term, deeds)
            for term in self._terms
        )
        return covered / len(self._terms)

    def lacks_a_name(self, text: str) -> bool:
        """Return True if a name in the question is not in a text."""
        present = set(words(text))
        return any(not set(words(name)) <= present for name in self._names)

    def is_reversed(self, text: str) -> bool:
        """Return True if a text tells the deed of somebody else."""
        if not self._doer:
            return False
        clauses = clauses_of(text, self._narrator)
        subjects = [clause.subject for clause in clauses if clause.verb == self._verb and clause.subject]
        people = frozenset(who for subject in subjects for who in subject if who.startswith("@"))
        return bool(people) and not people & {self._doer, WE, SOMEBODY, UNRESOLVED}


def best_answer(
    inquiry: Inquiry, memories: Iterable[Mapping[str, Any]], spoken: Callable[[Mapping[str, Any]], str]
) -> Mapping[str, Any] | None:
    """Return the memory that answers an inquiry best. What has more of the words comes first, then the newest
    event of the kind that is asked about.

    Args:
        memories: ordered by relevance.
        spoken: returns what the NPC would say of a memory.
    """
    least, answering = 0.0, list[Mapping[str, Any]]()
    for memory in memories:
        if memory["similarity"] < least:
            continue
        if _answers(inquiry, memory):
            answering.append(memory)
        least = max(least, _LEAST_SHARE * memory["similarity"])
    if not answering:
        return None

    def fit(memory: Mapping[str, Any]) -> tuple[float, float]:
        metadata = memory["metadata"]
        is_asked_for = inquiry.asks_about(metadata["event_type"])
        return inquiry.coverage(spoken(memory)), metadata["timestamp"] if is_asked_for else -1.0

    return max(answering, key=fit)


def _answers(question: Inquiry, memory: Mapping[str, Any]) -> bool:
    """Return True if a memory, given as a dictionary of retrieve_relevant_raw(), answers a question."""
    text, metadata = str(memory["document_full"]), memory["metadata"]
    if question.lacks_a_name(" ".join([text, *metadata["participants"], *metadata["entities"]])):
        return False
    nearness = memory["similarity"] - (0.0 if looks_english([text, question.text]) else _FAR_FROM_ENGLISH)
    coverage = question.coverage(text, metadata["event_type"])
    if question.is_asked:
        is_near = (
            nearness >= _NEAR
            or (coverage >= _MOST_WORDS and nearness >= _NEAR_WITH_MOST)
            or (coverage == 1.0 and nearness >= _LEAST)
            or (coverage == 1.0 and (len(text) > _LONG or question.has_names))
            or (coverage >= _SOME_WORDS and nearness >= _NEAR_WITH_WORDS)
        )
    else:
        is_near = coverage > _MOST_WORDS and nearness >= _NEAR
    return is_near and not question.is_reversed(text)


def _terms(text: str, empty: Collection[str]) -> frozenset[str]:
    return frozenset(
        term
        for word in words(text)
        if word not in STOP_WORDS and word != PLAYER
        for term in ([base_term(word)] if word.isascii() else terms_of(word))
        if word not in empty and term not in empty
    )


def _has_beginning(term: str, stated: Collection[str]) -> bool:
    return len(term) >= _PREFIX and any(
        len(other) >= _PREFIX and (other.startswith(term) or term.startswith(other)) for other in stated
    )
