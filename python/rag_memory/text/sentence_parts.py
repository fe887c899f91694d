"""Parts of English sentences: where their verbs are, and what stands before and after them."""

from __future__ import annotations

from collections.abc import Sequence

from rag_memory.text.english_verbs import BASE_VERBS, PASTS, base_term
from rag_memory.text.grammar import (
    ADVERBS,
    ANYBODY,
    AUXILIARIES,
    BE,
    BELIEF_TERMS,
    CONJUNCTIONS,
    DETERMINERS,
    DO,
    HAVE,
    INTENT_TERMS,
    MODALS,
    NEGATIONS,
    OWNERS,
    PERCEPTION,
    PREPOSITIONS,
    SPEECH_TERMS,
    UNREAL_MODALS,
    Word,
    is_mark,
)
from rag_memory.text.participants import Narrator
from rag_memory.text.terms import STOP_WORDS

_PRONOUNS = frozenset({"me", "us", "him", "her", "them", "it", "you", "somebody", "someone", "everybody"})
_NEGATED_AFTER = 3
"""So many words from the verb on may hold its negation: "did not", "has no brother"."""


def is_only_possible(words: Sequence[Word]) -> bool:
    """Return True if the words before a verb say that it is not done yet, or was nearly done."""
    lowers = [word.lower for word in words]
    is_modal = any(lower in UNREAL_MODALS for lower in lowers[-4:])
    return is_modal or lowers[-2:-1] == ["to"] or "almost" in lowers or "nearly" in lowers


def parts(words: Sequence[Word], narrator: Narrator) -> list[tuple[str, list[Word]]]:
    """The parts of a sentence that have a verb each, with the word that links them to what is before."""
    parts: list[tuple[str, list[Word]]] = []
    link, current = "", list[Word]()
    for word in words:
        if is_mark(word) or word.lower in CONJUNCTIONS:
            if current:
                parts.append((link, current))
                link, current = "", []
            if not is_mark(word):
                link = word.lower
        else:
            current.append(word)
    if current:
        parts.append((link, current))
    merged: list[tuple[str, list[Word]]] = []
    for link, part in parts:
        has_verb = verb_of(part, narrator)[1] >= 0
        needs_verb = bool(merged) and verb_of(merged[-1][1], narrator)[1] < 0
        if merged and (not has_verb or (needs_verb and link in ("and", "or", ""))):
            joint = [Word(link, link, False)] if link else [Word(",", ",", False)]
            merged[-1] = (merged[-1][0], [*merged[-1][1], *joint, *part])
        else:
            merged.append((link, part))
    return merged


def _is_past(words: Sequence[Word], place: int) -> bool:
    word = words[place]
    if word.owner or not (word.lower in PASTS or (len(word.lower) > 3 and word.lower.endswith("ed"))):
        return False
    if word.text[:1].isupper() and place:
        return False
    previous = words[place - 1] if place else None
    return previous is None or not (previous.lower in DETERMINERS | OWNERS or previous.owner)


def verb_of(words: Sequence[Word], narrator: Narrator) -> tuple[str, int]:
    """The term of the verb of a part of a sentence and where it stands; ("", -1) when there is none."""
    for place, word in enumerate(words):
        if word.owner or is_mark(word):
            continue
        if word.lower in AUXILIARIES:
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
            and previous.lower not in DETERMINERS | OWNERS | PREPOSITIONS
            and not any(other.lower in PREPOSITIONS for other in words[max(0, place - 2) : place])
            and place + 1 < len(words)
        ):
            return base_term(word.lower), place
    return "", -1


def _is_present(words: Sequence[Word], place: int) -> bool:
    """Return True if a word after "I", "we", "they" or a name is a verb in the present."""
    word, before = words[place], place - 1
    while before > 0 and words[before].lower in ADVERBS:
        before -= 1
    previous = words[before]
    if (
        word.lower in STOP_WORDS | ADVERBS | PREPOSITIONS | CONJUNCTIONS
        or word.text[:1].isupper()
        or not word.lower.isalpha()
    ):
        return False
    if previous.lower in ("i", "we", "they", "you"):
        return True
    is_person = previous.lower in ANYBODY | {"he", "she", "it", "who", "player", "else"} or (
        previous.text[:1].isupper()
        and not previous.owner
        and previous.lower not in DETERMINERS | OWNERS | STOP_WORDS
    )
    return is_person and word.lower.endswith("s") and not word.lower.endswith("ss")


def _after_auxiliary(words: Sequence[Word], place: int) -> tuple[str, int]:
    """The main verb after an auxiliary, or what is said with a form of "be"."""
    last = place
    while last + 1 < len(words) and words[last + 1].lower in AUXILIARIES | ADVERBS | NEGATIONS | {
        "too",
        "so",
        "very",
    }:
        last += 1
    if last + 1 >= len(words):
        return base_term(words[place].lower), place
    following = words[last + 1]
    helper = words[last].lower if words[last].lower in AUXILIARIES else words[place].lower
    is_word = (
        following.lower.isalpha() and following.lower not in STOP_WORDS | PREPOSITIONS | DETERMINERS | OWNERS
    )
    is_plain = is_word and not following.text[:1].isupper() and not following.owner
    if any(word.lower in BE for word in words[place : last + 1]) or helper in ("get", "gets", "got"):
        if following.lower == "to" and last + 2 < len(words):
            return base_term(words[last + 2].lower), last + 2
        if is_plain and (helper in BE or following.lower in PASTS or following.lower.endswith("ed")):
            return base_term(following.lower), last + 1
        if helper not in BE:
            return "get", last
        return ("at" if following.lower in PREPOSITIONS else "be"), last
    if helper in HAVE or (helper not in MODALS | DO and words[place].lower in HAVE):
        if is_plain and (_is_past(words, last + 1) or following.lower in PASTS):
            return base_term(following.lower), last + 1
        return "have", last
    return (base_term(following.lower), last + 1) if is_plain else (base_term(helper), last)


def is_negated(lowers: Sequence[str], verb: int) -> bool:
    """Return True if a negation is before the verb or right after it."""
    return any(lower in NEGATIONS for lower in lowers[: verb + _NEGATED_AFTER])


def has_passive_verb(words: Sequence[Word], before: Sequence[Word]) -> bool:
    """Return True if a clause with these words before its verb is passive."""
    place = len(before)
    helpers = [word.lower for word in before]
    while helpers and helpers[-1] in ADVERBS | NEGATIONS:
        helpers.pop()
    is_participle = place < len(words) and (words[place].lower in PASTS or words[place].lower.endswith("ed"))
    return is_participle and bool(helpers) and helpers[-1] in BE | {"get", "gets", "got"}


def subject_words(before: Sequence[Word]) -> list[Word]:
    """The words of the subject among those before the verb: the last phrase that no preposition leads."""
    end = len(before)
    while end and before[end - 1].lower in AUXILIARIES | ADVERBS | NEGATIONS:
        end -= 1
    words = list(before[:end])
    start = 0
    for place, word in enumerate(words):
        if word.lower in PREPOSITIONS and word.lower != "of":
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


def _is_infinitive(after: Sequence[Word], place: int, main: str) -> bool:
    """Return True if the word after a "to" is a verb: "to mend the oven", but not "to town"."""
    if after[place].lower in BASE_VERBS or main in INTENT_TERMS:
        return True
    following = after[place + 1] if place + 1 < len(after) else None
    return following is not None and (
        following.lower in DETERMINERS | OWNERS | {"me", "us", "him", "them", "it"}
        or following.text[:1].isupper()
        or following.owner
    )


def _is_bare_verb(after: Sequence[Word], place: int) -> bool:
    """Return True if a word is a verb after somebody who is seen, heard or let: "let the prisoner escape"."""
    word, previous = after[place], after[place - 1]
    if previous.lower in DETERMINERS | OWNERS | PREPOSITIONS or previous.owner or is_mark(previous):
        return False
    if word.lower in BASE_VERBS:
        return True
    is_somebody = previous.text[:1].isupper() or previous.lower in ("me", "him", "her", "them", "us", "it")
    is_somebody = is_somebody or (place > 1 and after[place - 2].lower in DETERMINERS | OWNERS)
    return (
        is_somebody
        and word.text.isalpha()
        and word.text.islower()
        and word.lower not in STOP_WORDS | PREPOSITIONS | CONJUNCTIONS | ADVERBS
        and not word.lower.endswith(("s", "ed", "ly"))
    )


def has_object(after: Sequence[Word]) -> bool:
    """Return True if something follows a verb directly, without a preposition."""
    following = next((word for word in after if word.lower not in ADVERBS), None)
    return following is not None and not is_mark(following) and following.lower not in PREPOSITIONS


def recipient_words(after: Sequence[Word]) -> list[Word]:
    """The words after a verb of giving that name who got something: before a second thing ("the baker a
    cake"), or after a "to" ("a cake to the baker").
    """
    end = next(
        (at for at, word in enumerate(after) if is_mark(word) or word.lower in PREPOSITIONS), len(after)
    )
    phrase = [word for word in after[:end] if word.lower not in ADVERBS]
    if phrase and (phrase[0].lower in _PRONOUNS or _is_single_name(phrase)):
        if len(phrase) > 1:
            return phrase[:1]
    else:
        for place in range(1, len(phrase)):
            starts = phrase[place].lower in DETERMINERS | OWNERS and not phrase[place - 1].owner
            if starts and _carries(phrase[place - 1]):
                return phrase[:place]
    if end < len(after) and after[end].lower == "to":
        receiver = after[end + 1 :]
        stop = next(
            (at for at, word in enumerate(receiver) if is_mark(word) or word.lower in PREPOSITIONS),
            len(receiver),
        )
        return list(receiver[:stop])
    return []


def _is_single_name(phrase: Sequence[Word]) -> bool:
    """Return True if the words begin with a name of one word: "Kael flowers", but not "Kael's axe"."""
    is_name = phrase[0].text[:1].isupper() and not phrase[0].owner
    return is_name and len(phrase) > 1 and phrase[1].text[:1].islower()


def _carries(word: Word) -> bool:
    return not is_mark(word) and word.lower not in DETERMINERS | OWNERS | ADVERBS


def embedded(after: Sequence[Word], main: str, narrator: Narrator) -> list[tuple[int, bool]]:
    """Yield the beginnings of clauses inside the words after a verb: (place, True if it is an infinitive)."""
    for place in range(len(after) - 1):
        follower = after[place + 1]
        if (
            after[place].lower == "to"
            and follower.text[:1].islower()
            and follower.lower not in STOP_WORDS | DETERMINERS | OWNERS
            and not follower.owner
            and _is_infinitive(after, place + 1, main)
        ):
            return [(place + 1, True)]
    for place in range(1, len(after)):
        if after[place].lower.endswith("ing") and after[place - 1].lower in ("for", "of", "about"):
            return [(place, True)]
    if main in PERCEPTION:
        for place in range(1, min(len(after), 6)):
            if _is_bare_verb(after, place):
                return [(place, True)]
    if main in BELIEF_TERMS | SPEECH_TERMS and verb_of(after, narrator)[1] > 0:
        start = (
            1 if main in ("tell",) and after and after[0].lower in ("me", "us", "him", "her", "them") else 0
        )
        return [(start, False)]
    return []
