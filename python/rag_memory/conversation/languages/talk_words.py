"""The form of a table for what binds somebody in a talk of one language: promises, debts, appointments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Unpack

from rag_memory.conversation.amounts import Amount
from rag_memory.conversation.extraction_rules import Rule, RuleOptions
from rag_memory.conversation.spoken_clauses import READ_CHARS, SpokenClause, vocative
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.languages.recall_words import NUMBER, RecallWords
from rag_memory.text.terms import terms

WHEN = "{when}"
"""Stands in a rule for one of the table's days."""
_VALUES = (*range(1, 21), *range(30, 100, 10), 100, 1000)
_LONGEST_SENTENCE = 240
_MOST_SPLITS = 6
_SENTENCE = lazy_pattern(r"(?P<sentence>(?:[^.!?…。！？\n;；]|\.(?!\s|$))+)(?P<mark>[.!?…。！？]*)")
_EMOTE = lazy_pattern(r"\*[^*\n]{1,200}\*")
_QUOTES = lazy_pattern("[\"“”„«»「」『』]|(?<!\\w)['‘]|^\\s*[-–—] ")
_TRIMMED = " \t¿¡,，、:："
_CAPITAL = r"(?-i:[^\W\d_a-zß-öø-ÿа-яё])"
_OF = r"(?:de la|de los|de|du|des|del|la|le|el|von|van|der|die|zu|da|do|dos|das) "
_NAME_ENDS = r"(?=$|[,.]| (?:et|und|y|e|и|mais|aber|pero|mas|но)\b)"
_WRITTEN = rf"{_CAPITAL}[\w'-]*(?: (?:{_OF})?(?:[dl]')?{_CAPITAL}[\w'-]*){{0,3}}"
WRITTEN_NAME = rf"(?:(?:le|la|el|o|a|der|die) |l')?(?P<written>{_WRITTEN}){_NAME_ENDS}"
"""Stands in a rule for a name that begins with a capital, to the end of its part of a sentence."""
NAME = rf"(?:(?:le|la|el|o|a|der|die) |l')?(?P<name>[^\W\d_][\w'-]+$|{_WRITTEN}){_NAME_ENDS}"
"""The same for a name that may also be one word in small letters."""
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


@dataclass(frozen=True, eq=False)
class TalkWords:
    """The table of one language. Everything is in lower case."""

    recall: RecallWords
    rules: Sequence[tuple[str, str, str, RuleOptions]]
    """Name, kind, pattern and options of each rule, in the order in which they are tried. A pattern begins where a
    clause does and goes on to the end of its sentence.
    """
    doubts: str
    """What is in a sentence that binds nobody, or that tells of others: "if", "would", "perhaps", "he said"."""
    jokes: str
    """What takes back a whole message, as an ironic "as if!" does."""
    insults: str
    """What somebody is called to whom nothing is promised."""
    handed: str
    """How a clause begins that says that something promised is done or handed over; to its end."""
    unpaid: str
    """What is in words that hand over nothing, only a part, or something else: "no", "half", "false"."""
    all_debts: str
    """What is in words that pay or forgive all that is owed: "all", "even", "nothing any more"."""
    refuses: str
    """How a sentence begins by which the other one denies, refuses or corrects what was said."""
    confirms: str
    """How a sentence begins that says yes to it."""
    days: Sequence[tuple[str, str]]
    """Patterns of days to come, and the English words for each of them. Longer ones come first."""
    weekdays: str
    """The days of the week from Monday on."""
    numbers: str
    """The words for 1 to 20, 30 to 100 in tens, and 1000; other forms follow after "|"."""
    amount: str
    """A pattern with {n} and a group `unit`: an amount."""
    empty: str = "(?!)"
    """Words that say nothing of a matter, besides the frequent ones of the table for recall."""
    thing: str = ""
    """Finds the words for what a matter is about, in a language without spaces."""
    before_day: str = "(?!)"
    """What may stand before a day, as "by" does."""
    splits: str = r"[,:;–—]\s*|\s[-–—]\s"
    """What stands between clauses."""
    fillers: str = "(?!)"
    """What may stand before a clause, as "well," does."""

    def clauses(self, message: str) -> Iterator[SpokenClause]:
        """The clauses of a message from which a rule may read on: none of a sentence that asks, quotes or
        leaves open whether it holds.
        """
        text = _EMOTE.sub(". ", message[:READ_CHARS].replace("’", "'"))
        if self._jokes.search(text):
            return
        for match in _SENTENCE.finditer(text):
            sentence = " ".join(match["sentence"].split()).strip(_TRIMMED)
            asks = "?" in match["mark"] or "？" in match["mark"]
            if asks or not sentence or len(sentence) > _LONGEST_SENTENCE:
                continue
            if _QUOTES.search(sentence) or self._doubts.search(sentence):
                continue
            quote = sentence + match["mark"][:1]
            splits = islice(self._splits.finditer(sentence), _MOST_SPLITS)
            for start in (0, *(split.end() for split in splits)):
                clause = self._without_fillers(sentence[start:])
                if clause:
                    yield SpokenClause(clause, quote, sentence, "", False, False)

    @cached_property
    def read_rules(self) -> list[Rule]:
        """The rules with their patterns."""
        return [
            Rule(name, kind, self._begin(pattern), **options) for name, kind, pattern, options in self.rules
        ]

    def due(self, sentence: str) -> str:
        """Return the English words for the day to come that a sentence names; "" for none."""
        for pattern, english in self._days:
            match = pattern.search(sentence)
            if match is not None:
                number = next(filter(None, match.groups()), None)
                return english if number is None else english.replace(NUMBER, str(self._number(number)))
        for weekday, name in zip(self.weekdays.split(), _WEEKDAYS, strict=True):
            if (match := self._word(weekday).search(sentence)) is not None:
                # A game may have names of its own for the days.
                return f"by {match[0].lower()}, by {name}"
        return ""

    def amounts_in(self, text: str) -> list[Amount]:
        """The amounts in a text, in their order; no number of days."""
        for pattern, _ in self._days:
            text = pattern.sub(lambda day: " " * len(day[0]), text)
        return [
            Amount(self._number(match["number"]), match["unit"] or "", match.start(), match.end())
            for match in self._amount.finditer(text)
        ]

    def matter_terms(self, text: str) -> list[str]:
        """The words that say what a text is about: those of no kind of event and no day."""
        for pattern, _ in self._days:
            text = pattern.sub(" ", text)
        text = self._word(self.empty).sub(" ", text)
        if self.thing:
            return list(dict.fromkeys(lazy_pattern(self.thing).findall(text)))
        _, own = self.recall.events_and_words(text)
        return list(dict.fromkeys(term for word in own for term in terms(word)))

    def is_handed_over(self, clause: str) -> bool:
        """Return whether a clause says that something promised is done or handed over."""
        return self._handed.match(clause) is not None and self.is_whole(clause)

    def is_whole(self, clause: str) -> bool:
        """Return whether a clause hands over neither nothing, nor a part, nor something else."""
        return self._unpaid.search(clause) is None

    def is_refused(self, answer: str) -> bool:
        """Return whether an answer denies, refuses or corrects what was said."""
        return self._begins(self._refuses, answer)

    def is_confirmed(self, answer: str) -> bool:
        """Return whether an answer says yes."""
        return self._begins(self._confirms, answer)

    @cached_property
    def insult(self) -> re.Pattern[str]:
        """Finds an insult by which somebody is called."""
        return vocative(self.insults)

    @cached_property
    def payment_of_all(self) -> re.Pattern[str]:
        """Finds words that pay or forgive all that is owed."""
        return self._word(self.all_debts)

    def _begins(self, pattern: re.Pattern[str], answer: str) -> bool:
        sentences = _SENTENCE.finditer(answer.replace("’", "'"))
        return any(
            pattern.match(match["sentence"].strip(f'{_TRIMMED}"“”„«»「」')) is not None
            for match in sentences
            if "?" not in match["mark"] and "？" not in match["mark"]
        )

    def _without_fillers(self, clause: str) -> str:
        clause = clause.strip(_TRIMMED)
        filler = self._fillers.match(clause)
        return clause if filler is None else clause[filler.end() :].strip(_TRIMMED)

    def _number(self, text: str) -> int:
        if text.isdecimal():
            return int(text)
        return next(value for value, forms in self._numbers if text.lower() in forms)

    @cached_property
    def _numbers(self) -> list[tuple[int, list[str]]]:
        forms = [form.split("|") for form in self.numbers.split()]
        return list(zip(_VALUES if self.recall.has_spaces else range(1, len(forms) + 1), forms, strict=False))

    @cached_property
    def _any_number(self) -> str:
        forms = sorted((form for _, several in self._numbers for form in several), key=len, reverse=True)
        return rf"\d{{1,6}}|{'|'.join(forms)}"

    @cached_property
    def _when(self) -> str:
        days = [pattern.replace(NUMBER, f"(?:{self._any_number})") for pattern, _ in self.days]
        return f"(?:(?:{self.before_day}) ?)?(?:{'|'.join([*days, *self.weekdays.split()])})"

    @cached_property
    def _days(self) -> list[tuple[re.Pattern[str], str]]:
        number = f"({self._any_number})"
        return [(self._word(pattern.replace(NUMBER, number)), english) for pattern, english in self.days]

    @cached_property
    def _amount(self) -> re.Pattern[str]:
        return self._word(self.amount.replace(NUMBER, f"(?P<number>{self._any_number})"))

    @cached_property
    def _doubts(self) -> re.Pattern[str]:
        return self._word(self.doubts)

    @cached_property
    def _jokes(self) -> re.Pattern[str]:
        return self._word(self.jokes)

    @cached_property
    def _handed(self) -> re.Pattern[str]:
        return self._begin(self.handed)

    @cached_property
    def _unpaid(self) -> re.Pattern[str]:
        return self._word(self.unpaid)

    @cached_property
    def _refuses(self) -> re.Pattern[str]:
        return self._begin(self.refuses)

    @cached_property
    def _confirms(self) -> re.Pattern[str]:
        return self._begin(self.confirms)

    @cached_property
    def _splits(self) -> re.Pattern[str]:
        return lazy_pattern(self.splits, re.IGNORECASE)

    @cached_property
    def _fillers(self) -> re.Pattern[str]:
        return self._begin(f"(?:(?:{self.fillers})[,，、]? ?)+")

    def _begin(self, pattern: str) -> re.Pattern[str]:
        """A pattern that a clause begins with."""
        end = r"(?![^\W_])" if self.recall.has_spaces else ""
        return lazy_pattern(f"(?:{pattern.replace(WHEN, self._when)}){end}", re.IGNORECASE)

    def _word(self, pattern: str) -> re.Pattern[str]:
        if self.recall.has_spaces:
            pattern = rf"(?<![^\W_])(?:{pattern})(?![^\W_])"
        return lazy_pattern(pattern, re.IGNORECASE)


def rule(
    name: str, kind: str, *patterns: str, **options: Unpack[RuleOptions]
) -> tuple[str, str, str, RuleOptions]:
    """Make an entry of `rules`."""
    return name, kind, "|".join(patterns), options
