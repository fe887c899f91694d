"""Whether an answer denies, refuses or corrects what was said. English only."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from rag_memory.conversation.amounts import amounts_in
from rag_memory.conversation.extraction_words import NUMBER
from rag_memory.conversation.spoken_clauses import plain_sentences
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.english_verbs import base_term
from rag_memory.text.terms import STOP_WORDS, words

_NOT = r"(?:n't| not| never)"
_BENIGN = lazy_pattern(
    r"no (?:problem|worries|doubt|trouble|hurry|rush|way|wonder)\b|no,? (?:really|wait|please don't|it's (?:fine|lovely|perfect|all right))|"
    r"you (?:don't look|shouldn't|should not|didn't (?:have|need) to|don't (?:have|need) to|needn't|don't say)\b|(?:don't|do not) "
    r"(?:mention|worry|be late|forget)|not (?:at all|bad)\b|.*\bnever (?:doubted|forget|forgotten)\b|"
    r".*\b(?:can't|cannot) (?:thank|wait|complain|believe (?:it|my eyes|you remembered))|.*\bhave(?:n't| not) forgotten\b|nobody ever|.*\bowe you an? (?:answer|explanation)",
    re.IGNORECASE,
)
_REFUSAL = lazy_pattern(
    r"(?:no|nope|nay|never|wrong|false|hardly|nonsense|rubbish|hogwash|bullshit|lies|liar|ha,? no|hell no|of course not|certainly not|"
    r"not (?:true|so|from you|to me|that i (?:know|recall|remember)|interested))(?=[,.!]|$)|no,? (?:thank you|thanks|you|i|we|it|that|they|he|she|there|not)\b|"
    r"no (?:need|one asked|such)\b|(?:please |just |you can )*(?:keep (?:it|that|this|them|those|these)\b|take (?:it|that|this|them|those|these)(?= (?:back|away)\b|[,.!]|$)|(?:keep|take) your (?!thanks|time|seat|place|pick|distance|voice|head|eyes?|hat|hands?|chin|wits|temper|secret|leave|rest)\b)|"
    r"(?:i|we) (?:don't|do not) (?:want|need|believe(?! (?:we|i)\b)|accept)\b|(?:i|we) (?:can't|cannot|can not|won't|will not|couldn't|could not) (?:accept|take|have|believe)\b|"
    r"(?:i|we) (?:refuse|decline|deny|doubt that)\b|nice try|in your dreams|since when|"
    r"(?:don't|do not) (?:lie|try|give me|be ridiculous|you dare|bother|insult|start)\b|save (?:it|your)\b",
    re.IGNORECASE,
)
_LIE = lazy_pattern(
    r"\b(?:liar|(?:your|tell|telling|all|more|such|these|those|of|filthy) lies\b|lying|a lie|you lie|untrue|not true|isn't true|nonsense|mistaken|made that up|making (?:that|it|this) up|take (?:it|that|that|them) back|"
    r"never (?:happened|agreed|asked|said|promised|gave|paid|borrowed|owed)|no such|nothing of the (?:sort|kind)|(?<!tell )(?<!to )(?<!for )(?<!with )(?:someone|somebody) else|confus\w+ me|"
    r"wrong (?:person|man|woman|house|smith|shop)|not a (?:single )?(?:coin|copper|penny|word)|(?:don't|do not) (?:remember|recall) (?:any|that|it|you|such|saying|promising|agreeing))",
    re.IGNORECASE,
)
_STRANGER = lazy_pattern(r"\bnever (?:met|seen) (?:you|before)\b|\bnever met\b", re.IGNORECASE)
_BARE_NO = lazy_pattern(r"(?:oh )?(?:no|nay|never)[.!,]*$", re.IGNORECASE)
_BETWEEN_BOTH = frozenset(("debt", "payment", "gift", "kept", "broken"))
"""The kinds of facts of which the NPC has a part, so that what it says of itself denies them."""
_CLIPPED = lazy_pattern(
    rf"(?:(?:but|oh|and|well|aye|why),? )?(?:you|i|we|it|that|this|he|she|they|there) (?:did|do|does|have|has|had|was|were|are|is|am|will|can|could|would){_NOT}(?:$|[.!,]| (?:true|so|yours?|mine)\b)"
    r"|(?:you|that|it|this|he|she)(?:'re|'s|'ve) not\b|i'm not\b|you are (?:not|no)\b|(?:that|it) (?:is|was) (?:not|never)\b|(?:that|it)(?:'s| is) (?:wrong|false)",
    re.IGNORECASE,
)
_MONEY_VERB = r"(?:owe[ds]?\b(?! (?:you|me) (?:an? (?:answer|explanation|apology)))|pay|paid|repaid|give|gave|given|borrow(?:ed)?|lend|lent|agreed?|receive[ds]?|got)"
_GIFT_VERB = r"(?:give|gave|given|bring|brought|receive[ds]?|got|made|make|buy|bought)"
_PROMISE_VERB = (
    r"(?:promised?|agreed?|keep|kept|swear|swore|fix(?:ed)?|(?:do|done) (?:it|that|anything)(?! for))"
)
_VERBS = {
    "debt": _MONEY_VERB,
    "payment": _MONEY_VERB,
    "gift": _GIFT_VERB,
    "kept": _PROMISE_VERB,
    "broken": _PROMISE_VERB,
}


def _denied(verb: str) -> re.Pattern[str]:
    """A pattern of "You never gave me ..." and "I owe you nothing" for these verbs."""
    return lazy_pattern(
        rf"(?:you|i|we|he|she|they)\b.{{0,16}}?(?:(?:(?:did|have|has|had)(?:n't| not)|never)(?: \w+ly| even| ever| once)? {verb}|(?:don't|do not) owe)\b"
        rf"|(?:you|i|we)\b.{{0,16}}?{verb} (?:me |you |us )?(?:nothing|no|none|not)\b",
        re.IGNORECASE,
    )


_DENIED = {kind: _denied(verb) for kind, verb in _VERBS.items()}
_NEGATION = lazy_pattern(r"n't\b|\b(?:not|never|no|nothing|none|nobody)\b", re.IGNORECASE)
_STILL = lazy_pattern(
    r"\b(?:still|yet|short|missing|not enough|unpaid|count again)\b|^(?:and )?where(?:'s| is| are)\b|\b(?:that's|it's|that is|it is|was) only\b|\bonly half\b|^that's (?:half|not)\b",
    re.IGNORECASE,
)
_GRANTS = lazy_pattern(
    rf"(?:here|sure|of course|all right|alright|fine|take|okay|ok|done|aye|yes|very well|{NUMBER})\b[^?]*$",
    re.IGNORECASE,
)
_LEFT = lazy_pattern(r"\b(?:to go|left|more|remain\w*|still|to come)\b", re.IGNORECASE)
_WHY = lazy_pattern(r"(?:then|so|but) (?:why|where|how come)\b", re.IGNORECASE)
_REST = lazy_pattern(r"\b(?:left|remain\w*|rest|half|part\w*|some|so far|still|of the)\b", re.IGNORECASE)
_OTHER_NAME = lazy_pattern(r"(?:you are|you're|your name is|your name's) (?P<name>[A-Z][\w'-]+)")
_FILLER = lazy_pattern(
    r"^(?:(?:ha|oh|ah|well|what|hm+|hah|haha|look|listen|but|why|sorry|sir|stranger|friend|thank you|thanks)[,.!?]* )+",
    re.IGNORECASE,
)
_ONLY_AMOUNT = lazy_pattern(
    r"(?:no,? |it was |it's |it is |more like |make (?:it|that) |that's |you mean |try )*[\w -]{2,30}?(?:,? (?:not .*|you mean|actually|i think|if i recall))?$",
    re.IGNORECASE,
)


_CONFIRMS = lazy_pattern(
    r"(?:yes|yeah|aye|yep|indeed|true|right|of course|certainly|sure|i do|so i do|i did|so i did|i have|i know|i remember|"
    r".{0,30}\bi know\b|i haven't forgotten|i have not forgotten|you're right|you are right|fair enough|agreed|that's (?:true|right|fair))\b(?! (?:but|what))",
    re.IGNORECASE,
)


def is_confirmed(answer: str) -> bool:
    """Return True if the answer to a claim says yes."""
    return any(
        _CONFIRMS.match(sentence) and not sentence.endswith("?") for sentence in plain_sentences(answer)
    )


_DECLINES = lazy_pattern(
    r"\b(?:(?:i|we) (?:can't|cannot|can not|won't|will not|don't want to)(?:,|\.|!|$| (?:come|make|meet|be there|do that|see))|(?:i'm|i am) (?:busy|too busy|afraid not)|"
    r"(?:i have|there's|there is) no time|another (?:time|day)|some other (?:time|day)|not (?:tomorrow|tonight|today|there|then|now|with you)\b|i have to work|rather not|leave me alone)",
    re.IGNORECASE,
)


def is_declined(answer: str) -> bool:
    """Return True if an answer turns an appointment down."""
    return any(_DECLINES.search(sentence) for sentence in plain_sentences(answer))


def is_granted(answer: str) -> bool:
    """Return True if the answer to a request gives what was asked for."""
    sentences = plain_sentences(answer)
    return bool(sentences) and _GRANTS.match(sentences[0]) is not None


def is_denied(answer: str, fact: Mapping[str, Any], is_act: bool) -> bool:
    """Return True if the answer to a fact's words denies, refuses or corrects it.

    Args:
        is_act: the words do what they say, as a promise does: it can be refused, not denied.
    """
    sentences, refuses = _serious_sentences(answer)
    if refuses:
        return True
    return not is_act and (_is_contradicted(sentences, fact) or _is_corrected(sentences, fact))


@functools.lru_cache(maxsize=4)
def _serious_sentences(answer: str) -> tuple[tuple[str, ...], bool]:
    """The sentences of an answer that are no mere courtesy, and whether one of them refuses. Asked for each fact
    of a message.
    """
    sentences = [_FILLER.sub("", sentence, count=1) for sentence in plain_sentences(answer)]
    serious = [sentence for sentence in sentences if not _BENIGN.match(sentence)]
    if len(serious) < len(sentences):  # "No! You shouldn't have."
        serious = [sentence for sentence in serious if not _BARE_NO.match(sentence)]
    return tuple(serious), any(map(_refuses, serious))


def _refuses(sentence: str) -> bool:
    return not sentence.endswith("?") and bool(_REFUSAL.match(sentence) or _LIE.search(sentence))


def _is_contradicted(sentences: Sequence[str], fact: Mapping[str, Any]) -> bool:
    # "My name does not matter."
    terms = _terms(fact["quote"]) if fact["kind"] != "name" else frozenset()
    says_not = _NEGATION.search(fact["quote"]) is not None
    for sentence in sentences:
        asks = sentence.endswith("?")
        if (
            asks
            and re.match(r"(?:what|which|who)\b", sentence, re.IGNORECASE)
            and terms & _terms(sentence)
            and len(sentence) < 40
        ):
            return True  # "What ring?"
        if not asks and not says_not and _CLIPPED.match(sentence):
            return True
        if not asks and (_denies(sentence, fact) or _says_not(sentence, terms, fact["kind"])):
            return True
        if fact["kind"] in ("payment", "kept"):
            is_open = _STILL.search(sentence) is not None and not _names_a_rest(sentence, fact)
            if is_open or _WHY.match(sentence):
                return True
    return False


def _says_not(sentence: str, terms: frozenset[str], kind: str) -> bool:
    """Return True if a sentence says that something of a fact is not so."""
    if kind in _BETWEEN_BOTH:
        if _STRANGER.search(sentence):
            return True
    elif re.match(r"(?:i|we)\b", sentence, re.IGNORECASE):
        return False  # "I have never been to Eldham." does not deny that the player comes from there.
    return bool(_NEGATION.search(sentence) and terms & _terms(sentence))


def _denies(sentence: str, fact: Mapping[str, Any]) -> bool:
    pattern = _DENIED.get(fact["kind"])
    return pattern is not None and pattern.match(sentence) is not None


def _names_a_rest(sentence: str, fact: Mapping[str, Any]) -> bool:
    """Return True if a sentence says what a payment leaves, and so accepts it."""
    if _REST.search(fact["quote"]):
        return True
    return (
        any(amount.number != fact["amount"] for amount in amounts_in(sentence)) and fact["amount"] is not None
    )


def _is_corrected(sentences: Sequence[str], fact: Mapping[str, Any]) -> bool:
    for sentence in sentences:
        plain = sentence.rstrip(".!?")
        if _LEFT.search(plain):
            continue
        if fact["kind"] == "name" and any(
            name["name"] not in fact["about"] for name in _OTHER_NAME.finditer(plain)
        ):
            return True
        if fact.get("amount") is not None and _ONLY_AMOUNT.match(plain):
            others = amounts_in(plain)
            if (
                others
                and others[0].number != fact["amount"]
                and ("" in (others[0].unit, fact["unit"]) or others[0].unit == fact["unit"])
            ):
                return True
    return False


def _terms(text: str) -> frozenset[str]:
    return frozenset(base_term(word) for word in words(text) if word not in STOP_WORDS and len(word) > 2)
