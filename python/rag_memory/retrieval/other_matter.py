"""Whether a newer memory is about another matter than the one a question asks for: another person's home, the
price at another market, the debt the other way round; or only adds to the older one. Then it is no newer
state of the older memory.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby, pairwise
from typing import NamedTuple

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.english_verbs import base_term
from rag_memory.text.language import looks_english
from rag_memory.text.number_words import CARDINAL
from rag_memory.text.person_words import ARTICLES, ROLES
from rag_memory.text.tense import asks_for_value
from rag_memory.text.terms import STOP_WORDS, terms_of, words

_WORD = lazy_pattern("([^\\W_]+)(['\u2019]s\\b)?")
_NUMBER = lazy_pattern(CARDINAL, re.IGNORECASE)
_LEAST_OF_SENTENCE = 0.4
"""Of the words of two sentences; from this share on they are nearly the same one."""
_SHORTEST_STEM = 3
_LONGEST_ENDING = 2
_I = frozenset("i me ich mir mich je yo я мне меня".split())  # noqa: SIM905
_SPEAKER = "@i"
_ADDING = lazy_pattern(r"\b(?:also|besides|as well)\b|, too\W*$", re.IGNORECASE)
"""Words of what is so, too."""
_ENDING = lazy_pattern(
    r"\b(?:not?|never|nobody|none|nothing|longer|now|only|but|until|still|without|former|formerly|used|was|were"
    r"|had|did|stopped|forget|new|again|instead|once|cancelled|place|soon|lost|refuses?)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
"""Words of what is otherwise now."""
_OWING = ("ow", "schul")
_LENGTH_OF_VERB = 5
_PASSIVE = frozenset({"by", "von", "par", "por"})


class _Word(NamedTuple):
    text: str
    """In lower case and without accents."""
    term: str
    is_capital: bool
    is_owner: bool

    @property
    def tells(self) -> bool:
        return self.text not in STOP_WORDS


class _Text:
    """The words of a text, and what is compared of them; each is made when it is first needed."""

    def __init__(self, text: str) -> None:
        self.words = tuple(_words_of(text))

    @cached_property
    def terms(self) -> frozenset[str]:
        return frozenset(word.term for word in self.words)

    @cached_property
    def small_terms(self) -> frozenset[str]:
        """Of words without a capital."""
        return frozenset(word.term for word in self.words if not word.is_capital)

    @cached_property
    def wholes(self) -> frozenset[tuple[str, str]]:
        return frozenset(_wholes(self.words))

    @cached_property
    def relatives(self) -> frozenset[tuple[str, str]]:
        """Pairs of somebody and who is theirs."""
        return frozenset(
            (owner.term, other.term)
            for owner, other in pairwise(self.words)
            if owner.is_owner and other.text in ROLES
        )

    @cached_property
    def parties(self) -> Sequence[str]:
        """What may stand before or after a verb, and verbs, in their order; nothing in the passive."""
        if any(word.text in _PASSIVE for word in self.words):
            return ()
        return [_party(word) for word in self.words if word.tells or word.text in _I]

    @cached_property
    def base_terms(self) -> frozenset[str]:
        return frozenset(base_term(word.text) for word in self.words)

    @cached_property
    def telling_terms(self) -> frozenset[str]:
        return frozenset(base_term(word.text) for word in self.words if word.tells) - {"have"}


_read = functools.lru_cache(256)(_Text)
"""Each text of an answer is compared with many others."""


class AskedMatter:
    """The matter that a question asks for."""

    def __init__(self, question: str) -> None:
        self._question = _Text(question)
        self._words = self._question.words
        self._terms = {word.term for word in self._words if word.tells}
        is_lower = question == question.lower()
        self._names = {word.term for word in self._words if word.tells and (word.is_capital or is_lower)}
        self._things = {
            thing.term for article, thing in pairwise(self._words) if article.text in ARTICLES and thing.tells
        }
        self._asks_for_value = asks_for_value(question)
        self._pairs = {(one.term, other.term) for one, other in pairwise(self._words)}

    def differs(self, older: str, newer: str) -> bool:
        """Return True if the newer text says nothing about what the older one answers."""
        old, new = _read(older), _read(newer)
        return (
            self._differ_in_a_word(old, new)
            or self._lacks_a_name(old, new)
            or self._has_another_qualifier(old, new)
            or self._is_part_of_another(old, new)
            or self._has_another_owner(old, new)
            or _is_reversed(old, new)
            or _ADDING.search(newer) is not None
            or (_only_adds(old, new) and _ENDING.search(newer) is None and looks_english([older, newer]))
        )

    def _differ_in_a_word(self, old: _Text, new: _Text) -> bool:
        """Return True if both say nearly the same sentence, and the question names the word in which they
        differ: the toll of riders is no newer toll of carts. Names may be shortened.
        """
        if not self._asks_for_value:
            return False
        shared = old.terms & new.terms
        is_same_sentence = len(shared) >= _LEAST_OF_SENTENCE * len(old.terms | new.terms)
        return (
            is_same_sentence
            and not self._terms.isdisjoint(shared)
            and not self._terms.isdisjoint(old.small_terms - new.terms)
        )

    def _lacks_a_name(self, old: _Text, new: _Text) -> bool:
        """Return True if the question and the older text have a name that the newer one has not. A question
        that names its answer ("Is Aldo the reeve?") may be about the reeve.
        """
        if not self._asks_for_value and not new.terms.isdisjoint(self._things):
            return False
        if old.terms.isdisjoint(self._names):
            return False
        for is_name, run in groupby(old.words, lambda word: word.is_capital and word.tells):
            asked = [word for word in run if is_name and word.term in self._names]
            if asked and not any(_is_form(word.term, term) for word in asked for term in new.terms):
                return True
        return False

    def _has_another_qualifier(self, old: _Text, new: _Text) -> bool:
        """Return True if one thing has two qualifiers: the fish market and the wool market, beds one and
        two.
        """
        for place, (one, other) in enumerate(pairwise(old.words)):
            if (one.term, other.term) not in self._pairs or not (one.tells and other.tells):
                continue
            if one.term not in new.terms:
                before = old.words[place - 1].text if place else ""
                is_qualifier = one.is_owner or one.is_capital or not place or before in ARTICLES
                if is_qualifier and any(
                    its_thing.term == other.term and its.tells for its, its_thing in pairwise(new.words)
                ):
                    return True
            elif other.term not in new.terms and any(
                thing.term == one.term and _are_of_a_kind(other, its) for thing, its in pairwise(new.words)
            ):
                return True
        return False

    def _is_part_of_another(self, old: _Text, new: _Text) -> bool:
        """Return True if the key of the mill is asked for, and the newer text has that of the chapel."""
        asked = self._question.wholes & old.wholes
        parts = {part for part, _whole in new.wholes} if asked else ()
        return any(part in parts and whole not in new.terms for part, whole in asked)

    def _has_another_owner(self, old: _Text, new: _Text) -> bool:
        """Return True if one is about somebody and the other about their sister."""
        asked, before = self._question.relatives, old.relatives
        if any(owner in new.terms and relative not in new.terms for owner, relative in asked & before):
            return True
        owners = {owner for owner, _relative in new.relatives - before - asked}
        if not owners or not self._asks_for_value:
            return False
        alone = {word.term for word in new.words if not word.is_owner}
        is_about_owner = bool((owners - alone) & self._terms & old.terms)
        return is_about_owner and not alone & self._names


def _wholes(text: Sequence[_Word]) -> set[tuple[str, str]]:
    """Pairs of a thing and what it belongs to: "the key of the mill", "the mill's key"."""
    pairs = {(other.term, owner.term) for owner, other in pairwise(text) if owner.is_owner and other.tells}
    for place, word in enumerate(text):
        if word.text == "of" and place:
            later = (text[following] for following in range(place + 1, len(text)))
            whole = next((other for other in later if other.text not in ARTICLES), None)
            if whole is not None and whole.tells:
                pairs.add((text[place - 1].term, whole.term))
    return pairs


def _words_of(text: str) -> Iterator[_Word]:
    for match in _WORD.finditer(text):
        for word in words(match[1]):
            yield _Word(word, terms_of(word)[0], match[1][0].isupper(), match[2] is not None)


def _is_form(term: str, other: str) -> bool:
    """Return True for two forms of one name; languages with other letters bend their names."""
    if term == other:
        return True
    short, long = sorted((term, other), key=len)
    if len(short) < _SHORTEST_STEM or len(long) - len(short) > _LONGEST_ENDING:
        return False
    return long.startswith(short if short.isascii() else short[: max(_SHORTEST_STEM, len(short) - 1)])


def _are_of_a_kind(word: _Word, other: _Word) -> bool:
    if word.is_capital and other.is_capital and other.tells:
        return True
    return all(_NUMBER.fullmatch(number) for number in (word.text, other.text))


def _only_adds(old: _Text, new: _Text) -> bool:
    """Return True if the newer text repeats the older one and adds something to it, but no number."""
    if not old.telling_terms <= new.base_terms:
        return False
    added = {word.text for word in new.words} - {word.text for word in old.words}
    return not any(map(_NUMBER.fullmatch, added))


def _is_reversed(old: _Text, new: _Text) -> bool:
    """Return True if two texts have the same verb, and I stand before it in one and after it in the other; in
    debts anybody.
    """
    for verb in set(old.parties).intersection(new.parties) - {_SPEAKER}:
        before, after = _sides(old.parties, verb)
        newly_before, newly_after = _sides(new.parties, verb)
        moved = (before & newly_after) | (after & newly_before)
        is_exchanged = before & newly_after and after & newly_before and not before & newly_before
        if is_exchanged and (_SPEAKER in moved or verb.startswith(_OWING)):
            return True
    return False


def _party(word: _Word) -> str:
    return _SPEAKER if word.text in _I else base_term(word.text)[:_LENGTH_OF_VERB]


def _sides(text: Sequence[str], verb: str) -> tuple[set[str], set[str]]:
    place = text.index(verb)
    return set(text[:place]), set(text[place + 1 :])
