"""What a turn ends besides debts: promises that a deed fulfils, appointments, and threats; in other languages promises alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.config.conflicts import open_kind
from rag_memory.conversation.amounts import amounts_in
from rag_memory.conversation.denials import is_denied
from rag_memory.conversation.extraction_rules import NOT_MET, NPC
from rag_memory.conversation.languages.talk_tables import talk_tables
from rag_memory.conversation.spoken_clauses import spoken_in
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.game_time import number_in
from rag_memory.memory.open_matter import APPOINTMENT, PROMISE, THREAT
from rag_memory.memory.record import Record
from rag_memory.text.english_verbs import PASTS, base_term
from rag_memory.text.terms import STOP_WORDS, words
from rag_memory.validation import mapping_in

NEEDS_OPEN = "needs_open"
"""The key of a finding that is none unless a matter of the kind that it names is open."""
KINDS = (PROMISE, THREAT, APPOINTMENT)
_OF_DEBTS = lazy_pattern(
    r"\b(?:pay|paid|repay|owe[ds]?|debts?|loan|tab|gold|silver|coins?|money)\b", re.IGNORECASE
)
_DEED = lazy_pattern(
    r"(?:i|we)(?:'ve| have)? (?:(?:just|already|finally|now|also|even) )*(?:went (?:[\w'-]+ ){0,6}and |(?P<managed>managed to |finished (?=[a-z]+ing\b)|succeeded in |helped you (?:to )?))?(?P<verb>[a-z]+)\b(?P<rest>.*)"
    r"|(?P<thing>(?:your|the|my|that) [\w' -]{2,60}?)(?: is| are| has been| have been|'s been) (?:(?:all|now|finally|already) )*(?P<done>[a-z]+)\b(?! by (?!me\b|us\b|now\b))(?P<more>.*)",
    re.IGNORECASE,
)
_DOUBTS = lazy_pattern(
    r"\b(?:but|not|never|nothing|nobody|none|nor|without|except|half|part of|some of|most of|partly|badly|only|though|although|however|yet|unless|in vain|or so)\b|n't\b|\bto (?!your?\b)(?:the |a |an )?\w+|^ (?:no|up|my|his|him|her|their|them|our|us|(?:(?:the|your) )?\w+'s|(?!(?:the|your|that)\b)(?-i:[A-Z])\w+)\b",
    re.IGNORECASE,
)
"""What makes a deed another one than the promise, which has none of these words."""
_BUT = lazy_pattern(r"\W*(?:but|however|unfortunately|sadly|alas)\b", re.IGNORECASE)
_SUBORDINATE = lazy_pattern(
    r"\b(?:until|till|while|when|after|before|because|since|where|who|which|than|instead|like|no|not|but|without|except|"
    rf"(?<=\w )(?<!you )that|and (?=(?:\w+ed|{'|'.join(sorted(PASTS))})\b))\b",
    re.IGNORECASE,
)
_BESIDES = lazy_pattern(r"\babout\b|\bfor (?!you\b)|\bto (?!your?\b)", re.IGNORECASE)
_TO_SOMEBODY = lazy_pattern(r"^ you\b| for you\b| to ", re.IGNORECASE)
_HANDED = lazy_pattern(r"here(?:'s| is| are|,? take|,? have| you (?:go|are),?) (?P<thing>.+)", re.IGNORECASE)
_ALIKE = {
    "repair": "fix",
    "mend": "fix",
    "rescue": "save",
    "fetch": "bring",
    "deliver": "bring",
    "murder": "kill",
    "slay": "kill",
}
_GIVING = frozenset(
    map(base_term, ("bring", "give", "get", "buy", "send", "make", "find", "hand", "return", "have", "take"))
)
_BROUGHT = frozenset(map(base_term, ("bring", "return")))
_NO_MATTER = frozenset(
    map(
        base_term,
        """
        promise swear vow word promised player tomorrow tonight today morning evening noon midnight night day days week weeks month months
        soon later back come go want need know tell ask say help like look think mean else doing happen thing something anything ask asked
        please well good time still after before until here there really never let get give bring day certainly gladly deal one
        """.split(),  # noqa: SIM905 - as a list literal, nobody could read it
    )
)
_FALSE = lazy_pattern(r"\b(?:fake|false|forged|counterfeit)\b", re.IGNORECASE)
_COMMA = lazy_pattern("[,，、]")
_LEAST_SHARED = 0.5
_PAST_ENDING = 5


class TalkMatter(NamedTuple):
    """What is open, as talk ends it. `by` is PLAYER or NPC, who has to act."""

    id: str
    kind: str
    by: str
    quote: str
    amount: float | None

    @property
    def terms(self) -> list[str]:
        """The words of the matter, in their order."""
        return matter_terms(self.quote)


def talk_matter(record: Record, player_id: str) -> TalkMatter:
    """Return the open matter of a memory."""
    kind = open_kind(record.event_type)
    fact = mapping_in(record.extra).get("fact")
    fact = fact if isinstance(fact, Mapping) else {}
    by = fact.get("by") or (NPC if record.event_type.startswith("own_") else PLAYER)
    return TalkMatter(
        record.id,
        kind,
        PLAYER if by == player_id else NPC,
        str(fact.get("quote") or record.document_full),
        number_in(fact.get("amount")),
    )


def with_closings(
    findings: Iterable[dict[str, Any]], matters: Sequence[TalkMatter], debts: Iterable[str]
) -> list[dict[str, Any]]:
    """The findings of a turn without those that end what is not open. Each names what it ends (`settles`), and
    the secrets that it may be about (`concerns`).

    Args:
        debts: the ids of the open debts.
    """
    remaining = []
    debts = list(debts)
    for finding in findings:
        fact = finding["fact"]
        kind = finding.pop(NEEDS_OPEN, "")
        own = [matter for matter in matters if matter.by == fact["by"]]
        if fact["kind"] == "withdrawn" and not _about(fact["quote"], own, PROMISE):
            kind = _as_not_met(finding, matters)
        if kind:
            ended = _ended(
                fact, [matter for matter in (matters if kind == APPOINTMENT else own) if matter.kind == kind]
            )
            if not ended:
                continue
            fact["settles"] = ended
        elif fact["kind"] == "gift":
            given = _BESIDES.split(_SUBORDINATE.split(fact["quote"], 1)[0], 1)[0]
            of = [] if _FALSE.search(given) else _about(given, own, PROMISE)
            fulfilled = [matter.id for matter in of if _is_whole(fact, matter)]
            if fulfilled:
                fact["settles"] = fulfilled
        elif fact["kind"] == "payment" and fact.get("settles"):
            fact["settles"] += [m.id for m in own if m.kind == PROMISE and _OF_DEBTS.search(m.quote)]
        elif fact["kind"] in ("promise", "kept", "broken", "withdrawn", "plan"):
            _note_others(fact, own, debts)
        remaining.append(finding)
    return remaining


def _note_others(fact: dict[str, Any], matters: Sequence[TalkMatter], debts: Sequence[str]) -> None:
    """Note what a fact is about, and that a promise with another day takes the place of the one before."""
    about = list(debts) if _OF_DEBTS.search(fact["quote"]) else []
    if fact["kind"] == "promise" and fact["due"]:
        terms = set(matter_terms(fact["quote"]))
        renewed = [matter.id for matter in matters if matter.kind == PROMISE and set(matter.terms) == terms]
        if renewed:
            fact["settles"] = renewed
    elif fact["kind"] != "promise":
        about += [matter.id for matter in _about(fact["quote"], matters, PROMISE)]
    if about:
        fact["concerns"] = about


def deeds_in(
    message: str, speaker: str, matters: Sequence[TalkMatter], answer: str
) -> Iterator[tuple[str, list[str]]]:
    """The clauses of a speaker that say that a promise is fulfilled, each with the ids of the promises."""
    promises = [matter for matter in matters if matter.kind == PROMISE and matter.by == speaker]
    if not promises:
        return
    if not any(table.is_refused(answer) for table in talk_tables(message)):
        yield from _foreign_deeds(message, promises)
    text = " ".join(message.split())
    for clause in spoken_in(message).clauses:
        match = _HANDED.match(clause.text) or _DEED.match(clause.text)
        if match is None or clause.by_others or clause.is_unreal or clause.condition:
            continue
        groups = match.groupdict()
        verb = (groups.get("verb") or groups.get("done") or "brought").lower()
        is_past = verb in PASTS or (verb.endswith("ed") and len(verb) >= _PAST_ENDING)
        if not (is_past or groups.get("managed")) or _BUT.match(text.partition(clause.sentence)[2]):
            continue
        deed = "".join(f" {part.strip()}" for part in map(groups.get, ("thing", "rest", "more")) if part)
        added = clause.quote.replace("’", "'").partition(clause.text)[2]
        fact = {"kind": "kept", "quote": clause.quote, "amount": None, "unit": ""}
        most = max((amount.number for amount in amounts_in(clause.quote)), default=None)
        fulfilled = [
            promise.id
            for promise in promises
            if _fulfils(_alike(base_term(verb)), deed + added, promise)
            and (most is None or most >= (promise.amount or 0))
        ]
        if fulfilled and not (answer and is_denied(answer, fact, is_act=False)):
            yield clause.quote, fulfilled


def _foreign_deeds(message: str, promises: Sequence[TalkMatter]) -> Iterator[tuple[str, list[str]]]:
    """The clauses in another language by which promises are fulfilled."""
    for table in talk_tables(message):
        for clause in table.clauses(message):
            if not table.is_handed_over(clause.text):
                continue
            least = min((amount.number for amount in table.amounts_in(clause.text)), default=None)
            # What follows a comma tells more of what is handed over: "your brother, who wants the ring".
            first = _COMMA.split(clause.text, 1)[0]
            is_word = table.recall.has_spaces and " " not in first
            said = ([] if is_word else table.matter_terms(first)) or table.matter_terms(clause.text)
            fulfilled = [
                promise.id
                for promise in promises
                if _is_of(said, table.matter_terms(promise.quote))
                and (least is None or least >= (promise.amount or 0))
            ]
            if fulfilled:
                yield clause.quote, fulfilled


def _as_not_met(finding: dict[str, Any], matters: Sequence[TalkMatter]) -> str:
    """Turn a withdrawal into that of an appointment, where one is open that it may mean."""
    quote = finding["fact"]["quote"]
    if NOT_MET.pattern.match(quote) and any(matter.kind == APPOINTMENT for matter in matters):
        finding["fact"]["kind"] = "not_met"
        finding["event_type"] = "appointment_cancelled"
        return APPOINTMENT
    return ""


def _ended(fact: Mapping[str, Any], matters: Sequence[TalkMatter]) -> list[str]:
    """The matter that words end: the one that they name, or the only one."""
    named = [matter.id for matter in matters if shares_matter(matter_terms(fact["quote"]), matter.quote)]
    return named or ([matters[0].id] if len(matters) == 1 else [])


def _about(quote: str, matters: Iterable[TalkMatter], kind: str) -> list[TalkMatter]:
    terms = set(matter_terms(quote))
    return [matter for matter in matters if matter.kind == kind and _covers(terms, matter)]


def _covers(terms: set[str], matter: TalkMatter) -> bool:
    wanted = [term for term in matter.terms if term not in _GIVING]
    shared = [term for term in wanted if term in terms]
    return bool(shared) and (wanted[0] in terms or len(shared) >= _LEAST_SHARED * len(wanted))


def _fulfils(verb: str, deed: str, promise: TalkMatter) -> bool:
    """Return True if a deed is surely the one that was promised: the same verb, and the same thing."""
    promised, things = _promised(promise)
    quote, *doubts = (words(text) for text in (promise.quote, *(d.group() for d in _DOUBTS.finditer(deed))))
    if any(f" {' '.join(doubt)} " not in f" {' '.join(quote)} " for doubt in doubts):
        return False
    deed = _SUBORDINATE.split(deed, 1)[0]
    gives = verb in _BROUGHT or (verb in _GIVING and _TO_SOMEBODY.search(deed))
    if verb != promised and not (promised in _GIVING and gives):
        return False
    is_given = verb in _GIVING and verb != base_term("take")
    said = matter_terms(_BESIDES.split(deed, 1)[0] if is_given else deed)
    shared = [term for term in things if term in said]
    return bool(shared) and len(shared) >= _LEAST_SHARED * len(things)


_PROMISED = lazy_pattern(
    r"\b(?:(?:i|we)(?:'ll| will| shall)|to|going to|that (?:i|we)(?:'ll| will)) (?:(?:also|really|surely|certainly|gladly|personally|try to|help you) )*(?P<verb>[a-z]+)\b(?P<rest>.*)",
    re.IGNORECASE,
)


def _promised(promise: TalkMatter) -> tuple[str, list[str]]:
    match = _PROMISED.search(promise.quote.replace("’", "'"))
    if match is None:
        return "", []
    verb = _alike(base_term(match["verb"].lower()))
    return verb, [term for term in matter_terms(match["rest"]) if term not in _GIVING]


def _is_whole(gift: Mapping[str, Any], promise: TalkMatter) -> bool:
    return promise.amount is None or gift["amount"] is None or gift["amount"] >= promise.amount


def shares_matter(terms: Iterable[str], question: str) -> bool:
    """Return True if terms have half of those of a text, and at least one."""
    return _shares(matter_terms(question), terms)


def _is_of(said: Sequence[str], wanted: Sequence[str]) -> bool:
    """Return True if words have half of those of a matter, or speak of nothing else."""
    return _shares(wanted, said) or (bool(said) and set(said) <= set(wanted))


def _shares(wanted: Iterable[str], terms: Iterable[str]) -> bool:
    wanted = set(wanted)
    shared = wanted.intersection(terms)
    return bool(shared) and len(shared) >= _LEAST_SHARED * len(wanted)


def matter_terms(text: str) -> list[str]:
    """The words that say what a text is about, in their order."""
    terms = (_alike(base_term(word)) for word in words(text) if word not in STOP_WORDS and len(word) > 2)
    return [term for term in dict.fromkeys(terms) if term not in _NO_MATTER or term in _GIVING]


def _alike(term: str) -> str:
    return _STEMS.get(term, term)


_STEMS = {base_term(word): base_term(other) for word, other in _ALIKE.items()}
