"""Function words of English, and the words of a sentence."""

from __future__ import annotations

from typing import NamedTuple

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.english_verbs import base_term


def word_set(words: str) -> frozenset[str]:
    """The words of a list in one string."""
    return frozenset(words.split())


BE = word_set("am is are was were be been being")
HAVE = word_set("have has had having")
DO = word_set("do does did")
MODALS = word_set("will would can could shall should may might must")
AUXILIARIES = BE | HAVE | DO | MODALS | word_set("get gets got")
NEGATIONS = word_set("not never no nobody nothing none neither nor cannot refused failed")
DETERMINERS = word_set(
    "a an the this that these those some any every each all both half many several few most other no "
    "two three four five six seven eight nine ten eleven twelve"
)
OWNERS = word_set("my mine our his her their its your whose")
PREPOSITIONS = word_set(
    "to for with by from of at in on about against beside behind near after before into onto over under "
    "between toward towards upon through among without during since until as than off out up down"
)
ADVERBS = word_set(
    "ever still once already always often again also just only now then soon almost nearly really even later "
    "finally secretly back away together here there"
)
CONJUNCTIONS = word_set(
    "and but that because so who whom which when while where if unless although though until since whether "
    "after before or as"
)
CONDITIONS = word_set("if unless whether")
_SPEECH = word_set("say tell report claim write confess admit announce swear mention hear")
_BELIEF = word_set(
    "think believe suspect fear dream imagine guess pretend doubt wonder hope suppose expect afraid"
)
_INTENT = word_set(
    "promise vow swear pledge want wish hope plan offer threaten ask order try attempt refuse intend mean "
    "dream fear beg need agree decide consider urge tell expect afraid dare forget warn like love"
)
_DOING = word_set(
    "manage begin start continue help happen have be able get let make see watch hear keep stop"
)
SPEECH_TERMS, BELIEF_TERMS = (frozenset(map(base_term, words)) for words in (_SPEECH, _BELIEF))
OWN_INTENT_TERMS = frozenset(map(base_term, word_set("promise vow swear threaten owe lend pay offer use")))
INTENT_TERMS = frozenset(map(base_term, _INTENT))
GIVING_TERMS = frozenset(
    map(
        base_term,
        word_set(
            "give tell sell lend owe send show teach promise pay bring offer hand buy read write cook bake"
        ),
    )
)
"""Verbs with somebody who gets something: "gave the baker a cake"."""
OPPOSITES = {
    word: other
    for pair in (
        "for against",
        "with without",
        "before after",
        "inside outside",
        "above below",
        "front behind",
    )
    for word, other in (pair.split(), reversed(pair.split()))
}
DOING_TERMS = frozenset(map(base_term, _DOING))
UNREAL_NOUNS = frozenset(
    map(base_term, word_set("rumour rumor lie plan wish dream threat promise offer chance"))
)
UNREAL_TERMS = BELIEF_TERMS | UNREAL_NOUNS
UNREAL_MODALS = word_set("would could might should may will must")
SINGULARS = word_set("he him himself she her herself they them themselves")
ANYBODY = word_set("somebody someone anybody anyone everybody everyone people nobody")

PERCEPTION = frozenset(map(base_term, word_set("see watch hear let make help notice feel catch")))
PARTICLES = word_set("out off up away")
"""Words right after a verb that make another verb of it: "moved out"."""

_TOKEN = lazy_pattern(r"[^\W_]+(?:['’][^\W_]+)*|[.!?;:,()\"“”«»—–]")
STOPS = frozenset(".!?;:")
_MARKS = STOPS | frozenset(',()"“”«»—–')
_CONTRACTIONS = {"m": "am", "re": "are", "ve": "have", "ll": "will", "d": "would"}
_IS_AFTER = word_set("he she it who that there what here where")


class Word(NamedTuple):
    """A word or a punctuation mark of a sentence."""

    text: str
    lower: str
    owner: bool
    """It ends in "'s"."""


def tokens(text: str) -> list[Word]:
    """The words and marks of a text, contractions written out."""
    words: list[Word] = []
    for match in _TOKEN.finditer(text):
        token = match.group().replace("’", "'")
        lower = token.lower()
        start, _, ending = lower.partition("'")
        if not ending:
            words.append(Word(token, lower, False))
        elif ending == "t" and start.endswith("n"):
            words += [Word(start[:-1], start[:-1], False), Word("not", "not", False)]
        elif ending in _CONTRACTIONS:
            words += [Word(token[: len(start)], start, False), Word("", _CONTRACTIONS[ending], False)]
        elif ending == "s" and start in _IS_AFTER:
            words += [Word(token[: len(start)], start, False), Word("is", "is", False)]
        elif ending == "s":
            words.append(Word(token[: len(start)], start, True))
        else:
            words.append(Word(token, lower, False))
    return words


def is_mark(word: Word) -> bool:
    """Return True for a punctuation mark."""
    return word.lower in _MARKS
