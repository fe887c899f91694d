"""Findings: the facts that rules read out of a turn of a conversation, as the NPC remembers them.

A fact is data with its quote. Both halves of a turn are read: what the NPC denies, refuses or corrects is
only a claim of the player.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.config.sentences import ENGLISH
from rag_memory.conversation import extraction_rules as rules
from rag_memory.conversation.amounts import amounts_in
from rag_memory.conversation.denials import is_confirmed, is_declined, is_denied, is_granted
from rag_memory.conversation.extraction_rules import NPC, Rule
from rag_memory.conversation.extraction_words import WHEN
from rag_memory.conversation.languages.talk_tables import talk_tables
from rag_memory.conversation.languages.talk_words import TalkWords
from rag_memory.conversation.open_talk import (
    NEEDS_OPEN,
    TalkMatter,
    deeds_in,
    with_closings,
)
from rag_memory.conversation.settlements import IS_ALL, NEEDS_DEBT, OpenDebt, with_rests
from rag_memory.conversation.spoken_clauses import SpokenClause, plain_sentences, spoken_in
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.memory.event_templates import CLAIM, PLAYER
from rag_memory.memory.record import PLAYER_INFO
from rag_memory.searchable.search_index import PLAYER_NAME_SLOT
from rag_memory.text.shortening import shortened

_WITH_A_DAY = ("promise", "debt", "plan", "appointment", "threat")
_WITH_AN_AMOUNT = ("debt", "payment", "gift", "promise")
MOST_FINDINGS = 12
"""The most findings of one turn."""
DEFAULT_IMPORTANCE = 6
_LONGEST_QUOTE = 240
_LONGEST_ABOUT = 120


class FactKind(NamedTuple):
    """A kind of fact: its category, its importance, and its event types and sentences when the player, and
    when the NPC is bound, gives or pays. A sentence is a key of the wording; "" for the speaker's own words.
    """

    category: str
    importance: int
    player: tuple[str, str]
    npc: tuple[str, str] | None
    info_type: str = ""


FACT_KINDS = {
    "promise": FactKind("promise", 7, ("promise_made", "fact_promise"), ("own_promise", "fact_own_promise")),
    "kept": FactKind("promise", 7, ("promise_kept", ""), None),
    "broken": FactKind("promise", 8, ("promise_broken", ""), None),
    "name": FactKind("name", 7, (PLAYER_INFO, "learned_name"), None, "player_name"),
    "gift": FactKind("gift", 7, ("gift_received", "fact_gift"), ("own_gift", "fact_own_gift")),
    "debt": FactKind("debt", 6, ("debt", ""), ("own_debt", "")),
    "payment": FactKind("debt", 6, ("debt_paid", ""), ("own_debt_paid", "")),
    "plan": FactKind("plan", 5, ("plan", ""), ("own_plan", "")),
    "home": FactKind("place", 6, (PLAYER_INFO, ""), None, "player_home"),
    "origin": FactKind("place", 6, (PLAYER_INFO, ""), None, "player_origin"),
    "lodging": FactKind("place", 5, (PLAYER_INFO, ""), None, "player_lodging"),
    "work": FactKind("place", 5, (PLAYER_INFO, ""), None, "player_work"),
    "place": FactKind("place", 5, ("place", ""), ("place", "")),
    "withdrawn": FactKind("promise", 6, ("promise_withdrawn", ""), ("own_promise_withdrawn", "")),
    "threat": FactKind("threat", 7, ("threat", ""), ("own_threat", "")),
    "threat_withdrawn": FactKind("threat", 6, ("threat_withdrawn", ""), ("own_threat_withdrawn", "")),
    "appointment": FactKind("appointment", 6, ("appointment", ""), ("own_appointment", "")),
    "met": FactKind("appointment", 4, ("appointment_kept", ""), ("appointment_kept", "")),
    "not_met": FactKind("appointment", 5, ("appointment_cancelled", ""), ("appointment_cancelled", "")),
}
_CLAIM = FactKind(CLAIM, 4, (CLAIM, ""), (CLAIM, ""))
_OF_THE_NPC = ("debt", "gift", "promise")
"""What the player says that the NPC owes, gave or promised counts only if the NPC confirms it."""
_TEMPORAL = lazy_pattern(
    r"(?:(?:but|and|so|well|then),? )?(?:once|when|whenever|after|before|until|as soon as)\b", re.IGNORECASE
)
_IF = lazy_pattern(r"\b(?:if|unless)\b", re.IGNORECASE)
_DUE = lazy_pattern(rf"\b(?:by |on |until )?{WHEN}", re.IGNORECASE)
_TIME_FIRST = lazy_pattern(
    r"(?P<when>(?:tomorrow|tonight|today)(?: (?:morning|evening|night|afternoon|at [\w ]{2,20}?))?|next \w+|"
    r"this \w+|at \w+|in (?:\w+ )?\w+ \w+|on \w+day|by \w+|soon|later|after \w+),? (?=(?:i|we)(?:'| ))",
    re.IGNORECASE,
)
_NO_PAYMENT = lazy_pattern(
    r"\bhere(?:'s| is| are) (?:not|no|my own|none)\b|"
    r"\b(?:fake|false|forged|counterfeit) (?:\w+ )?(?:coins?|gold|silver|money|pieces?)\b",
    re.IGNORECASE,
)
_GERMAN_IN = lazy_pattern(r"im\b", re.IGNORECASE)
"""What stands for "I'm" where English is spoken."""
_CAPITALS = lazy_pattern(r"(?<![\w'-])[A-Z][\w'-]*(?: (?:of (?:the )?)?[A-Z][\w'-]*)*")
_NO_ENTITIES = lazy_pattern(
    r"(?:I|The|A|An|My|Your|You|We|And|But|If|When|Here|This|That|There|On|Please|So|Well|Take|Have|As|"
    r"Tomorrow|Tonight|\w+day|January|February|March|April|"
    r"June|July|August|September|October|November|December)(?:'\w+)?$"
)


def findings_in(
    config: MemoryConfig,
    player_message: str,
    npc_message: str,
    open_debts: Iterable[OpenDebt] = (),
    matters: Sequence[TalkMatter] = (),
) -> list[dict[str, Any]]:
    """The findings in a turn, those about the player first; see RAGMemory.extract_memories().

    Args:
        open_debts: those between the two; payments are reckoned with them.
        matters: what else is open between the two.
    """
    open_debts = list(open_debts)
    is_english = config.sentence("first_person") == ENGLISH["first_person"]
    findings: dict[str, dict[str, Any]] = {}
    gifts: dict[str, dict[str, Any]] = {}
    for speaker, message in ((PLAYER, player_message), (NPC, npc_message)):
        answer = npc_message if speaker == PLAYER else ""
        for rule, fact in facts_in(speaker, message):
            if rule.kind == "payment" and _NO_PAYMENT.search(fact["quote"]):
                continue
            if rule.kind == "name" and not is_english and _GERMAN_IN.match(fact["quote"]):
                continue
            finding = _finding(config, speaker, rule, fact, answer)
            findings.setdefault(finding["text"].casefold(), finding)
        for table, rule, fact in _foreign_facts(speaker, message):
            finding = _finding(config, speaker, rule, fact, answer, table)
            findings.setdefault(finding["text"].casefold(), finding)
            if fact["kind"] == "gift":
                gifts[fact["quote"]] = fact
    loan = _granted(config, rules.LOAN, player_message, npc_message)
    meeting = _granted(config, rules.MEETING, player_message, npc_message)
    if meeting is not None:
        findings[meeting["text"].casefold()] = meeting
    if loan is not None:
        # What the NPC hands over is no gift.
        findings = {
            text: finding for text, finding in findings.items() if finding["event_type"] != "own_gift"
        }
        findings[loan["text"].casefold()] = loan
    given = {finding["fact"]["quote"] for finding in findings.values()}
    for finding in _fulfilled(config, player_message, npc_message, matters):
        quote = finding["fact"]["quote"]
        if quote in gifts:
            gifts[quote]["settles"] = finding["fact"]["settles"]
        if quote in given:
            continue
        findings.setdefault(finding["text"].casefold(), finding)
    messages = {PLAYER: player_message, NPC: npc_message}
    rests = with_rests(config, list(findings.values())[:MOST_FINDINGS], open_debts, messages)
    return with_closings(rests, matters, [debt.id for debt in open_debts])


def facts_in(speaker: str, message: str) -> Iterator[tuple[Rule, dict[str, Any]]]:
    """The facts that rules read in the words of one of the two, each with its rule."""
    spoken = spoken_in(message)
    for deed in spoken.deeds:
        if (match := rules.DEED.pattern.match(deed.strip("* "))) is not None:
            yield rules.DEED, _fact(speaker, rules.DEED, match, deed, deed)
    sworn = _sworn(spoken.clauses)
    insults = rules.INSULT.search(message) is not None
    for number, clause in enumerate(spoken.clauses):
        if clause.by_others:
            continue
        text = _time_last(clause.text)
        for rule in (rules.OATH_BESIDE, *rules.RULES) if number in sworn else rules.RULES:
            if (match := _match(rule, clause, text, speaker)) is not None:
                if insults and rule.kind == "promise":
                    break
                yield rule, _fact(speaker, rule, match, clause.quote, clause.sentence)
                if rule.kind != "name":
                    break


def _foreign_facts(speaker: str, message: str) -> Iterator[tuple[TalkWords, Rule, dict[str, Any]]]:
    """The same for another language, each with the table that reads it; of several that may, the first."""
    for table in talk_tables(message):
        facts = []
        insults = table.insult.search(message) is not None
        for clause in table.clauses(message):
            for rule in table.read_rules:
                if (match := _match(rule, clause, clause.text, speaker)) is not None:
                    is_part = rule.name == "paid" and not table.is_whole(clause.text)
                    if is_part or (insults and rule.kind == "promise"):
                        break
                    fact = _fact(speaker, rule, match, clause.quote, "")
                    if rule.kind in _WITH_A_DAY:
                        fact["due"] = table.due(clause.sentence)
                    is_counted = rule.kind in _WITH_AN_AMOUNT and rule.kind != "gift"  # "a" is "one".
                    if is_counted and (amounts := table.amounts_in(clause.text)):
                        fact |= {"amount": amounts[0].number, "unit": amounts[0].unit}
                    facts.append((table, rule, fact))
                    break
        if facts:
            yield from facts
            return


def _sworn(clauses: list[SpokenClause]) -> set[int]:
    """The clauses that a clause beside them makes a promise ("You have my word.")."""
    sworn = set()
    for number, clause in enumerate(clauses):
        if rules.OATH.match(clause.text):
            for beside in (number + 1, number - 1):
                if 0 <= beside < len(clauses) and rules.OATH_BESIDE.pattern.match(
                    _time_last(clauses[beside].text)
                ):
                    sworn.add(beside)
                    break
    return sworn


def _match(rule: Rule, clause: SpokenClause, text: str, speaker: str) -> re.Match[str] | None:
    if speaker not in rule.by or (clause.is_unreal and not rule.may_be_unreal):
        return None
    match = rule.pattern.match(text)
    if match is None:
        return None
    depends = (clause.condition and not _TEMPORAL.match(clause.condition)) or _IF.search(text)
    return None if depends and not rule.may_depend else match


def _time_last(text: str) -> str:
    """ "Tomorrow I'll leave" as "I'll leave tomorrow", which is how the rules read it."""
    first = _TIME_FIRST.match(text)
    return text if first is None else f"{text[first.end() :]} {first['when'].lower()}"


def _fact(speaker: str, rule: Rule, match: re.Match[str], quote: str, sentence: str) -> dict[str, Any]:
    other = NPC if speaker == PLAYER else PLAYER
    by, to = (other, speaker) if rule.mirrored else (speaker, other)
    about = next((part for part in match.groupdict().values() if part), "").strip(" ,.!?;:-*")
    due = _DUE.search(sentence)
    fact: dict[str, Any] = {
        "kind": rule.kind,
        "by": by,
        "to": to,
        "about": about if rule.kind == "name" else shortened(about, _LONGEST_ABOUT),
        "amount": None,
        "unit": "",
        "due": due[0].lower() if due and rule.kind in _WITH_A_DAY else "",
        "quote": shortened(quote, _LONGEST_QUOTE),
        "turn": "",
    }
    amounts = amounts_in(about or match[0]) if rule.kind in _WITH_AN_AMOUNT else []
    if amounts:
        fact |= {"amount": amounts[0].number, "unit": amounts[0].unit}
    return fact


def _fulfilled(
    config: MemoryConfig, player_message: str, npc_message: str, matters: Sequence[TalkMatter]
) -> Iterator[dict[str, Any]]:
    """The promises that are said to be fulfilled."""
    for speaker, message in ((PLAYER, player_message), (NPC, npc_message)):
        answer = npc_message if speaker == PLAYER else ""
        for quote, ids in deeds_in(message, speaker, matters, answer):
            fact = {
                **dict.fromkeys(("about", "unit", "due", "turn"), ""),
                "kind": "kept",
                "by": speaker,
                "to": NPC if speaker == PLAYER else PLAYER,
                "amount": None,
                "quote": shortened(quote, _LONGEST_QUOTE),
                "settles": ids,
            }
            yield _described(config, FACT_KINDS["kept"], speaker, fact, "")


def _granted(
    config: MemoryConfig, rule: Rule, player_message: str, npc_message: str
) -> dict[str, Any] | None:
    """What comes of a question of the player to which the NPC says yes: a loan, or an appointment."""
    asked = next(filter(rule.pattern.search, plain_sentences(player_message)), "")
    match = rule.pattern.search(asked)
    is_loan = rule.kind == "debt"
    says_yes = is_granted(npc_message) or (not is_loan and is_confirmed(npc_message))
    if match is None or not says_yes or (not is_loan and is_declined(npc_message)):
        return None
    fact = _fact(PLAYER, rule, match, asked, npc_message if is_loan else f"{asked} {npc_message}")
    amounts = amounts_in(player_message) or amounts_in(npc_message) if is_loan else ()
    if amounts:
        fact |= {"amount": amounts[0].number, "unit": amounts[0].unit}
    finding = _finding(config, PLAYER, rule, fact, "")
    finding["text"] += " " + config.quoting("i_answered", shortened(npc_message, _LONGEST_QUOTE))
    return finding


def _finding(
    config: MemoryConfig,
    speaker: str,
    rule: Rule,
    fact: dict[str, Any],
    answer: str,
    table: TalkWords | None = None,
) -> dict[str, Any]:
    kind = FACT_KINDS[rule.kind]
    is_disputed = bool(answer) and rule.kind != "threat" and is_denied(answer, fact, rule.is_act)
    if rule.kind == "appointment":
        is_disputed = is_disputed or is_declined(answer)
    is_unconfirmed = rule.mirrored and rule.kind in _OF_THE_NPC and speaker == PLAYER
    confirms = is_confirmed(answer)
    if table is not None:
        is_disputed = is_disputed or table.is_refused(answer)
        confirms = confirms or table.is_confirmed(answer)
    if is_disputed or (is_unconfirmed and not confirms):
        kind = _CLAIM
        fact |= {"claims": fact["kind"], "kind": CLAIM, "claimed_by": PLAYER, "disputed": is_disputed}
    finding = _described(config, kind, speaker, fact, answer)
    if table is not None:
        if "name" not in (fact["kind"], fact.get("claims")):
            finding["entities"] = []  # Capital letters are those of nouns and of beginnings.
        if finding["fact"]["kind"] == "payment":
            finding[IS_ALL] = table.payment_of_all.search(fact["quote"]) is not None
    if rule.needs_debt:
        finding[NEEDS_DEBT] = True
    if rule.needs_open:
        finding[NEEDS_OPEN] = rule.needs_open
    return finding


def _described(
    config: MemoryConfig, kind: FactKind, speaker: str, fact: dict[str, Any], answer: str
) -> dict[str, Any]:
    """A fact of a kind as a finding."""
    event_type, key = kind.player if fact["by"] == PLAYER or kind.npc is None else kind.npc
    if fact["kind"] == "kept" and fact["by"] == NPC and fact.get("settles"):
        event_type = "own_promise_kept"
    finding: dict[str, Any] = {
        "category": kind.category,
        "speaker": speaker,
        "text": _text(config, key, speaker, fact, answer),
        "importance": kind.importance,
        "event_type": event_type,
        "participants": [PLAYER],
        "entities": _entities(fact),
        "fact": fact,
    }
    if kind.info_type:
        finding["info_type"] = kind.info_type
    if fact["kind"] == "name":
        finding["slot_type"] = PLAYER_NAME_SLOT
    return finding


def _text(config: MemoryConfig, key: str, speaker: str, fact: dict[str, Any], answer: str) -> str:
    """The sentence of a fact, with the speaker's own words in it."""
    if fact["kind"] == "name":
        return config.sentence(key, name=fact["about"])
    key = key or ("player_told_me" if speaker == PLAYER else "i_told_player")
    text = config.quoting(key, fact["quote"])
    if fact["kind"] == CLAIM and answer.strip():
        text += " " + config.quoting("i_answered", shortened(" ".join(answer.split()), _LONGEST_QUOTE))
    return text


def _entities(fact: dict[str, Any]) -> list[str]:
    if "name" in (fact["kind"], fact.get("claims")):
        return [fact["about"]]
    names = (name.group() for name in _CAPITALS.finditer(fact["quote"]))
    return list(dict.fromkeys(name for name in names if not _NO_ENTITIES.match(name)))[:5]
