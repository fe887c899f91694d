"""Questions: texts that only ask, and a player's question rewritten from the NPC's point of view.

"Did I bring you flowers?" becomes "Did Kit bring me flowers?", as the NPC's memories are written. An
embedding model then compares like with like. A question of another language is rewritten by its table
(rag_memory/text/languages/); one without the pronouns of its table is not rewritten.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.languages.tables import recall_words
from rag_memory.text.terms import question_terms

THE_PLAYER = "the player"
"""How English memories call a player whose name they do not say."""

_CLOSING = " \t\n\"'”’“»›」』)]"
QUESTION_MARKS = ("?", "？", "؟")
_AFTER_SENTENCE = lazy_pattern(r"(?<=[.!?…؟])[\"'”’)]*\s+|(?<=[。！？])")


def ends_with_question(text: str) -> bool:
    """Return whether the last sentence of a text is a question, whatever quotes close it."""
    return text.rstrip(_CLOSING).endswith(QUESTION_MARKS)


def end_with_question(texts: Iterable[str]) -> list[bool]:
    """Return ends_with_question() of each text."""
    return [ends_with_question(text) for text in texts]


def only_asks(text: str, sayings: Sequence[tuple[str, str]]) -> bool:
    """Return True if a memory has nothing but questions of the player.

    A text in which somebody states or answers anything is knowledge, and so is a question of anybody else.

    Args:
        sayings: what stands before and after the player's words in such memories.
    """
    if not ends_with_question(text):
        return False
    return any(
        text.startswith(before)
        and text.endswith(after)
        and are_questions(text[len(before) : len(text) - len(after)])
        for before, after in sayings
    )


def without_questions(
    text: str, sayings: Sequence[tuple[str, str]], line: str, is_request: Callable[[str], bool]
) -> str:
    """Return a sentence of a memory without what the player only asked or wanted in it, and without what
    stands in the line that asks it again; "" if it has nothing else.
    """
    for before, after in sayings:
        if text.startswith(before) and text.endswith(after):
            again = _stated(line)
            words = text[len(before) : len(text) - len(after)]
            stated = [of for of in _stated(words) if of not in again and not is_request(of)]
            return before + " ".join(stated) + after if stated else ""
    return text


def are_questions(words: str) -> bool:
    """Return True if every sentence of somebody's words is a question."""
    return not _stated(words)


def _stated(words: str) -> list[str]:
    """The sentences that are no questions."""
    sentences = [sentence.strip(_CLOSING) for sentence in _AFTER_SENTENCE.split(words)]
    return [sentence for sentence in sentences if sentence and not sentence.endswith(QUESTION_MARKS)]


_TOKEN = lazy_pattern(r"[^\W_]+(?:['’][^\W_]+)*|[\W_]+")

_AUXILIARIES = frozenset(
    """
    do does did don't didn't doesn't have has had haven't hasn't am is are was were aren't weren't be
    been will would won't wouldn't can could can't couldn't shall should shouldn't may might must
    """.split()  # noqa: SIM905 - as a list literal, nobody could read it
)
_CLAUSE_OPENERS = frozenset(
    """
    who whom whose what which where when why how and that if because while as but or so though until
    before after since whether whenever than
    """.split()  # noqa: SIM905 - as a list literal, nobody could read it
)
_AFTER_WHICH_YOU_IS_AN_OBJECT = frozenset(("and", "than", "like"))
_VERBS_OF_THE_MIND = frozenset(("know", "think", "remember", "like", "feel", "want", "mean", "say", "tell"))

_CONTRACTED_FOR_PLAYER = {"m": " is", "ve": " has", "ll": " will", "d": " would"}
_CONTRACTED_FOR_NPC = {"re": " am", "ve": " have", "ll": " will", "d": " would"}
_CONTRACTED_FOR_BOTH = {"re": " are", "ve": " have", "ll": " will", "d": " would"}
_POSSESSIVES = {"your": "my", "yours": "mine", "yourself": "myself"}
_VERBS_OF_PLAYER = {"am": "is", "have": "has", "do": "does", "haven't": "hasn't", "don't": "doesn't"}
_VERBS_OF_NPC = {"are": "am", "were": "was", "aren't": "am not", "weren't": "wasn't"}
_FIRST_PERSON = frozenset(("i", "me", "myself", "my", "mine", "we", "us", "our", "ours"))
_SECOND_PERSON = frozenset(("you", *_POSSESSIVES))


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    """A pattern of these words, with endings such as "'ve" or without."""
    alternatives = "|".join(sorted(words))
    return lazy_pattern(rf"(?<![^\W_])(?<![^\W_]['’])(?:{alternatives})(?![^\W_])", re.IGNORECASE)


_PERSONAL = _any_of(_FIRST_PERSON | _SECOND_PERSON)
_TO_NPC = _any_of(_SECOND_PERSON)


def is_personal(question: str) -> bool:
    """Return whether a question speaks of the player or the NPC: it has "I", "you", "my" or the like."""
    table = recall_words(question)
    return _PERSONAL.search(question) is not None if table is None else table.is_personal(question)


def speaks_to_npc(question: str) -> bool:
    """Return whether a question addresses the NPC: it has "you", "your" or the like."""
    table = recall_words(question)
    return _TO_NPC.search(question) is not None if table is None else table.speaks_to_npc(question)


def event_terms(question: str) -> list[str]:
    """The terms by which a question asks for kinds of events."""
    table = recall_words(question)
    return question_terms(question) if table is None else table.event_terms(question)


def from_npc_view(question: str, player: str) -> str | None:
    """Rewrite a question of the player as the NPC would put it.

    Args:
        player: how the NPC's memories call the player: a name, or "the player".

    Returns:
        the rewritten question, or None when it has no pronoun of the first or second person.
    """
    if not is_personal(question):
        return None
    table = recall_words(question)
    if table is not None:
        return table.from_npc_view(question, table.player if player == THE_PLAYER else player)
    tokens = _TOKEN.findall(question)
    words = [place for place, token in enumerate(tokens) if token[0].isalnum()]
    rewritten = list(tokens)
    for number, place in enumerate(words):
        before = _plain(tokens[words[number - 1]]) if number else ""
        after = _plain(tokens[words[number + 1]]) if number + 1 < len(words) else ""
        word = _rewritten(_plain(tokens[place]), before, after, player)
        if word is not None:
            rewritten[place] = word[:1].upper() + word[1:] if number == 0 else word
    return "".join(rewritten)


def _rewritten(word: str, before: str, after: str, player: str) -> str | None:
    """One word of the question as the NPC would put it; None when it stays as it is."""
    base, _, ending = word.partition("'")
    if base == "i":
        return player + _CONTRACTED_FOR_PLAYER.get(ending, "")
    if base in ("me", "myself"):
        return player
    if base in ("my", "mine"):
        return f"{player}'s"
    if base in _POSSESSIVES:
        return _POSSESSIVES[base]
    if base == "you":
        return "I" + _CONTRACTED_FOR_NPC.get(ending, "") if _is_subject(ending, before, after) else "me"
    if base == "we":
        return f"{player} and I" + _CONTRACTED_FOR_BOTH.get(ending, "")
    if base == "us":
        return f"{player} and me"
    if after == "i" or (before, word) == ("i", "am"):
        return _VERBS_OF_PLAYER.get(word)
    if "you" in (before, after):
        return _VERBS_OF_NPC.get(word)
    return None


def _is_subject(ending: str, before: str, after: str) -> bool:
    """Return True if "you" is the subject, which only the words around it show."""
    if before in _AFTER_WHICH_YOU_IS_AN_OBJECT:
        return False
    opens = not before or before in _AUXILIARIES or before in _CLAUSE_OPENERS
    return bool(ending) or opens or after in _AUXILIARIES or after in _VERBS_OF_THE_MIND


def _plain(token: str) -> str:
    return token.lower().replace("’", "'")
