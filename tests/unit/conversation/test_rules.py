"""Each rule that reads facts out of talk: what it matches, and what it does not."""

from __future__ import annotations

import pytest
from tests.unit.conversation.rule_sentences import DENIALS, MATCHES, MISSES, lines_of

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.config.sentences import ENGLISH
from rag_memory.conversation import extraction_rules as rules
from rag_memory.conversation.extraction import facts_in, findings_in
from rag_memory.conversation.settlements import OpenDebt
from rag_memory.memory.event_templates import CLAIM

EVERY_RULE = [rule.name for rule in (rules.OATH_BESIDE, rules.DEED, rules.LOAN, *rules.RULES)]
APART = ("loan", "handed_over")
"""Rules that need the NPC's answer or an open debt."""


def test_each_rule_has_ten_sentences_that_it_matches_and_ten_that_it_does_not() -> None:
    assert set(MATCHES) == set(MISSES) == set(EVERY_RULE)
    assert all(len(lines_of(table[name])) >= 10 for table in (MATCHES, MISSES) for name in EVERY_RULE)


@pytest.mark.parametrize("name", [name for name in EVERY_RULE if name not in APART])
def test_a_rule_matches_these(name: str) -> None:
    missed = [
        line
        for line in lines_of(MATCHES[name])
        if name not in {rule.name for rule, _ in facts_in("player", line)}
    ]
    assert missed == []


@pytest.mark.parametrize("name", [name for name in EVERY_RULE if name not in APART])
def test_a_rule_does_not_match_these(name: str) -> None:
    wrong = [
        line for line in lines_of(MISSES[name]) if name in {rule.name for rule, _ in facts_in("player", line)}
    ]
    assert wrong == []


@pytest.mark.parametrize("name", [name for name in EVERY_RULE if name not in APART])
def test_what_a_rule_does_not_match_is_no_fact_of_its_kind_by_another(name: str) -> None:
    kinds = {rule.name: rule.kind for rule in (rules.OATH_BESIDE, rules.DEED, *rules.RULES)}
    wrong = [
        (line, fact["fact"]["quote"])
        for line in lines_of(MISSES[name])
        for fact in findings_in(MemoryConfig(), line, "")
        if fact["fact"]["kind"] == kinds[name] and (fact["fact"]["by"] == "npc") == (name.startswith("you_"))
    ]
    assert wrong == []


def test_who_asks_for_a_loan_and_gets_it_owes_it() -> None:
    assert [line for line in lines_of(MATCHES["loan"]) if not _owes(line)] == []
    assert [line for line in lines_of(MISSES["loan"]) if _owes(line)] == []


def _owes(line: str) -> bool:
    player, _, npc = line.partition(" | ")
    return any(fact["fact"]["kind"] == "debt" for fact in findings_in(MemoryConfig(), player, npc))


def test_a_bare_amount_pays_only_what_is_owed() -> None:
    debts = [OpenDebt("50", {"by": "player", "to": "npc", "amount": 50, "unit": "gold", "quote": ""})]

    def settles(line: str) -> bool:
        player, _, npc = line.partition(" | ")
        facts = [finding["fact"] for finding in findings_in(MemoryConfig(), player, npc, debts)]
        return any(fact.get("settles") for fact in facts)

    assert [line for line in lines_of(MATCHES["handed_over"]) if not settles(line)] == []
    assert [line for line in lines_of(MISSES["handed_over"]) if settles(line)] == []
    for line in lines_of(MATCHES["handed_over"]):
        assert not any(
            finding["fact"]["kind"] == "payment"
            for finding in findings_in(MemoryConfig(), *line.partition(" | ")[::2])
        )


def test_what_an_npc_without_a_model_answers_denies_nothing() -> None:
    values = ("memory", "message", "name", "role", "mood", "amount", "age", "place")
    answers = [text for key, text in ENGLISH.items() if key.startswith("says_")]
    for said in (
        "I promise to fix your roof.",
        "Take this ring.",
        "I owe you 50 gold.",
        "I'm Pim.",
        "I kept my word.",
    ):
        for answer in answers:
            findings = findings_in(MemoryConfig(), said, answer.format(**dict.fromkeys(values, "x")))
            assert CLAIM not in [finding["event_type"] for finding in findings], answer


def test_an_answer_denies_or_does_not() -> None:
    for line in lines_of(DENIALS["denied"]):
        player, npc = line.split(" | ")
        findings = [
            finding for finding in findings_in(MemoryConfig(), player, npc) if finding["speaker"] == "player"
        ]
        assert [finding["event_type"] for finding in findings] == [CLAIM], line
        fact = findings[0]["fact"]
        assert (fact["claimed_by"], fact["disputed"]) == ("player", True), line
    for line in lines_of(DENIALS["not_denied"]):
        player, npc = line.split(" | ")
        findings = [
            finding for finding in findings_in(MemoryConfig(), player, npc) if finding["speaker"] == "player"
        ]
        assert findings, line
        assert CLAIM not in [finding["event_type"] for finding in findings], line
