"""What recall reads in a question of one language: pronouns, kinds of events, times."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.terms import terms, words

PLAYER = "{player}"
"""Stands in a table for the name by which the NPC's memories call the player."""
NUMBER = "{n}"
"""Stands in a time for a number: digits, or a word of `numbers`."""
_LETTER = r"[^\W_]"
HAN_DIGITS = "一二三四五六七八九"
NOT_IN_NUMBER = rf"(?<![{HAN_DIGITS}十百千万萬零〇两兩几幾数數\d、,，.~～-])"
"""Stands before {n} where numbers of Han characters are written without spaces."""


def han_numbers() -> str:
    """The words of one to 99, as `numbers` of a table."""
    tens = ["", "十", *(f"{digit}十" for digit in HAN_DIGITS[1:])]
    return " ".join(ten + digit for ten in tens for digit in ("", *HAN_DIGITS) if ten + digit)


@dataclass(frozen=True, eq=False)
class RecallWords:
    """The table of one language. Without an entry recall takes nothing from a word."""

    player: str
    """What memories call a player whose name is unknown."""
    first_person: Mapping[str, str]
    """Words of the player for himself, as patterns, and how the NPC would put them, like "I": "{player}"."""
    second_person: Mapping[str, str]
    """Words of the player for the NPC, such as "you": "I"."""
    givers: tuple[str, str]
    """Patterns of a question about a gift or a promise by which the player gave it, and by which the NPC did.
    The last one in a question counts.
    """
    event_words: Mapping[str, str]
    """By an English word of config/event_words.py: how words begin that ask for the same."""
    times: Sequence[tuple[str, str]]
    """Patterns of times, and the English time that each of them is. Longer ones come first."""
    own_promises: str = "(?!)"
    """A pattern of memories in which the NPC promises something."""
    who: str = "(?!)"
    """A pattern of a question that asks who somebody is."""
    numbers: str = ""
    """The words for one, two, three ...; other forms of a number follow it after "|"."""
    common: frozenset[str] = frozenset()
    """Frequent words as words() gives them, by which the language is told from others of its letters."""
    signs: str = ""
    """A pattern of letters and marks that hardly another of these languages has."""
    sure: str = ""
    """A pattern of what only this language has, so that it tells a short question."""
    foreign: str = ""
    """Words, in lower case, that its neighbours have and this language has not."""
    has_spaces: bool = True
    """False for a language that puts no spaces between words."""

    def count_in(self, question: str, folded: Sequence[str]) -> int:
        """Count the words of this language in a question without names; `folded`: words() of it."""
        common = sum(word in self.common for word in folded)
        signs = sum(self._signs.search(word) is not None for word in question.split())
        return common + signs if common else 0

    def is_sure(self, question: str) -> bool:
        """Return whether a question is of this language even if one word is all that tells it."""
        return self._sure.search(question) is not None

    def has_foreign_words(self, question: str) -> bool:
        """Return whether a question in lower case is of a neighbour of this language."""
        return bool(self.foreign) and self._foreign.search(question) is not None

    def is_personal(self, question: str) -> bool:
        """Return whether a question speaks of the player or the NPC."""
        return self._pronoun.search(question) is not None

    def speaks_to_npc(self, question: str) -> bool:
        """Return whether a question addresses the NPC."""
        return self._to_npc.search(question) is not None

    def speaks_of_player(self, question: str) -> bool:
        """Return whether a question speaks of the player."""
        return self._of_player.search(question) is not None

    def is_player_giving(self, question: str) -> bool | None:
        """Return whether a question asks for a gift or a promise of the player; None if it doesn't tell."""
        places = [
            max((match.start() for match in giver.finditer(question)), default=-1) for giver in self._givers
        ]
        return None if places[0] == places[1] else places[0] > places[1]

    def asks_who(self, question: str) -> bool:
        """Return whether a question asks who somebody is."""
        return self._who.search(question) is not None

    def tells_own_promise(self, text: str) -> bool:
        """Return whether the NPC promises something in a memory."""
        return self._own_promises.search(text) is not None

    def from_npc_view(self, question: str, player: str) -> str:
        """Rewrite a question of the player as the NPC would put it."""

        owner = player + ("'" if player[-1:] in ("s", "x", "z", "ß") else "s")

        def rewritten(match: re.Match[str]) -> str:
            word = match.group()
            for pattern, form in self._forms:
                fitting = pattern.match(question, match.start())
                if fitting is not None and fitting.end() == match.end():
                    new = fitting.expand(form).replace(f"{PLAYER}s", owner).replace(PLAYER, player)
                    return new if match.start() or word[0].islower() else new[:1].upper() + new[1:]
            return word

        return self._pronoun.sub(rewritten, question)

    def event_terms(self, question: str) -> list[str]:
        """The terms by which a question asks for kinds of events, in English or of the game's own words."""
        asked = [english for english, pattern in self._events if pattern.search(question)]
        own = [term for word in words(question) if word not in self.common for term in terms(word)]
        return list(dict.fromkeys([*terms(" ".join(asked)), *own]))

    def event_matches(self, text: str) -> dict[str, list[str]]:
        """By kind of event of which a text speaks: the words that say so."""
        spoken = {
            english: [match.group() for match in pattern.finditer(text)]
            for english, pattern in self._whole_events
        }
        return {english: said for english, said in spoken.items() if said}

    @functools.lru_cache(2048)  # noqa: B019 - tables live as long as the process
    def events_and_words(self, text: str) -> tuple[frozenset[str], list[str]]:
        """Return the English terms of the kinds of events in a text, and its words that are not common."""
        events: set[str] = set()
        for english, pattern in self._whole_events:
            text, count = pattern.subn(" ", text)
            events |= {*terms(english)} if count else set()
        return frozenset(events), [word for word in words(text) if word not in self.common]

    def english_time(self, question: str) -> tuple[str, str]:
        """Return the times of a question in English, and the question without them."""
        phrases: list[str] = []
        rest = question
        for pattern, english in self._times:
            match = pattern.search(rest)
            if match is not None:
                phrases.append(self._with_numbers(english, match))
                rest = f"{rest[: match.start()]} {rest[match.end() :]}"
        return ", ".join(phrases), " ".join(rest.split())

    def has_number(self, text: str) -> bool:
        """Return True if a text has a number above one; that one is an article in many languages."""
        return self._number.search(text) is not None

    def _with_numbers(self, english: str, match: re.Match[str]) -> str:
        for number in match.groups():
            if number is not None:
                english = english.replace(NUMBER, self._digits(number.lower()), 1)
        return english

    def _digits(self, number: str) -> str:
        if number.isdecimal():
            return str(int(number))
        return next(str(value) for value, forms in enumerate(self._numbers, 1) if number in forms)

    @cached_property
    def _numbers(self) -> list[list[str]]:
        return [forms.split("|") for forms in self.numbers.split()]

    @cached_property
    def _number(self) -> re.Pattern[str]:
        return self._word("|".join(chain.from_iterable(self._numbers[1:])))

    @cached_property
    def _times(self) -> list[tuple[re.Pattern[str], str]]:
        longest_first = sorted(chain.from_iterable(self._numbers), key=len, reverse=True)
        number = rf"(\d{{1,5}}|{'|'.join(longest_first)})"
        return [(self._word(pattern.replace(NUMBER, number)), english) for pattern, english in self.times]

    @cached_property
    def _givers(self) -> list[re.Pattern[str]]:
        return [self._word(pattern) for pattern in self.givers]

    @cached_property
    def _who(self) -> re.Pattern[str]:
        return self._word(self.who)

    @cached_property
    def _own_promises(self) -> re.Pattern[str]:
        return self._word(self.own_promises)

    @cached_property
    def _events(self) -> list[tuple[str, re.Pattern[str]]]:
        start = rf"(?<!{_LETTER})" if self.has_spaces else ""
        return [
            (english, lazy_pattern(rf"{start}(?:{'|'.join(stems.split())})", re.IGNORECASE))
            for english, stems in self.event_words.items()
        ]

    @cached_property
    def _whole_events(self) -> list[tuple[str, re.Pattern[str]]]:
        """The words that begin as those of `event_words`."""
        rest = rf"{_LETTER}*" if self.has_spaces else ""
        return [
            (english, lazy_pattern(pattern.pattern + rest, re.IGNORECASE))
            for english, pattern in self._events
        ]

    @cached_property
    def _signs(self) -> re.Pattern[str]:
        return lazy_pattern(self.signs, re.IGNORECASE)

    @cached_property
    def _sure(self) -> re.Pattern[str]:
        return self._word(self.sure)

    @cached_property
    def _foreign(self) -> re.Pattern[str]:
        # Not without case: for Python, "i" is a form of the Turkish dotless one.
        return lazy_pattern(rf"(?<!{_LETTER})(?:{self.foreign})(?!{_LETTER})")

    @cached_property
    def _forms(self) -> list[tuple[re.Pattern[str], str]]:
        return [
            (self._word(pattern), form)
            for pattern, form in {**self.first_person, **self.second_person}.items()
        ]

    @cached_property
    def _pronoun(self) -> re.Pattern[str]:
        return self._word("|".join([*self.first_person, *self.second_person]))

    @cached_property
    def _of_player(self) -> re.Pattern[str]:
        return self._word("|".join(self.first_person))

    @cached_property
    def _to_npc(self) -> re.Pattern[str]:
        return self._word("|".join(self.second_person))

    def _word(self, pattern: str) -> re.Pattern[str]:
        """The pattern as whole words, where words have spaces between them. One that ends with an apostrophe
        is followed by a letter."""
        if self.has_spaces:
            pattern = rf"(?<!{_LETTER})(?:{pattern})(?:(?<=['’])|(?!{_LETTER}))"
        return lazy_pattern(pattern, re.IGNORECASE)
