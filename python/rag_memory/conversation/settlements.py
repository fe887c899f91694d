"""What a payment leaves of the debts that an NPC remembers. What cannot be computed stays open."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.conversation.amounts import Amount, amounts_in
from rag_memory.conversation.extraction_rules import NPC
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.game_time import MOST_DAYS, number_in
from rag_memory.memory.record import Record
from rag_memory.text.english_verbs import base_term
from rag_memory.text.terms import STOP_WORDS, words
from rag_memory.validation import mapping_in

NEEDS_DEBT = "needs_debt"
"""The key of a finding that is none without a debt that it may pay."""
IS_ALL = "is_all"
"""The key of a payment in another language than English, which is of a whole debt: if it is of all of them."""
PART_PAID = "debt_part_paid"
"""The event type of a payment that ends no debt, or of which the rest is not known."""
_LEFT = lazy_pattern(
    r"^[^\d,.;]{0,16}?\b(?:left|remain\w*|to go|outstanding|missing|open|still|to come|follows?|later|tomorrow)\b",
    re.IGNORECASE,
)
_BEFORE_LEFT = lazy_pattern(
    r"(?:still owe (?:you|me)|(?:all|everything) (?:but|except|save)(?: for)?|leav(?:es|ing)|left with|remaining|the (?:other|remaining|last)|makes it|down to|rest of)(?: just| only| the)? $",
    re.IGNORECASE,
)
_HANDED = lazy_pattern(
    r"\b(?:here(?:['\u2019]s| is| are)|brought(?: you)?)(?: the| my)?(?: last| remaining| other)? $",
    re.IGNORECASE,
)
_OF = lazy_pattern(r"\bof (?:the|my|your|those|these|what) $", re.IGNORECASE)
_SHARES = {"half": 2, "third": 3, "quarter": 4, "fourth": 4}
_SHARE = lazy_pattern(
    r"\b(?:(?P<share>half)|(?:a|one) (?P<part>third|quarter|fourth))\b(?! a dozen)", re.IGNORECASE
)
_ALL = lazy_pattern(
    r"\b(?:all(?! right| the way)|everything|in full|every (?:last |single )?\w+|the (?:lot|rest)|completely|entirely|whole|what i owed?|what you owed?|settled|cleared|"
    r"forgiven|forgotten|(?:last|remaining) \w+)\b",
    re.IGNORECASE,
)
_PART = lazy_pattern(
    r"\b(?:part(?:ly|ially)?|some|a (?:bit|little|few|portion|share|down payment)|so far|almost|nearly|most|first|instal+ments?|towards|a start|more (?:later|soon)|not (?:all|everything))\b",
    re.IGNORECASE,
)
_TOTAL = lazy_pattern(
    r"\b(?:now|still|altogether|in total|in all|by now|all told|all together|that makes|with the|sums? up)\b",
    re.IGNORECASE,
)
_MORE = lazy_pattern(r"\b(?:another|more|extra|additional|on top|further)\b", re.IGNORECASE)
_MONEY = frozenset(
    map(
        base_term,
        """
        owe owes owed pay paid repay repaid back debt loan gold silver copper coin coins piece pieces money credits give gave here still left
        half rest part already now lend lent borrow borrowed return returned one two three four five six seven eight nine ten twenty thirty forty
        fifty sixty seventy eighty ninety hundred all everything take brought bring
        """.split(),  # noqa: SIM905 - as a list literal, nobody could read it
    )
)
_HANDS = lazy_pattern(
    r"\b(?:here|there|back|sent|wired|take|left|dropped|gave|brought|bringing|transferr\w+)\b", re.IGNORECASE
)
_RECEIVED = lazy_pattern(
    r"\b(?:got|received|found (?:it|that)|counted|thanks|in full|paid|noted|to go|left)\b", re.IGNORECASE
)
_EVEN = lazy_pattern(
    r"(?:'re|'m|\b(?:are|am|is|be|call (?:it|us)|makes us))(?: all| now)? (?:even|square|quits)\b",
    re.IGNORECASE,
)
_OF_DEBTS = lazy_pattern(
    r"\b(?:pay|paid|repay|repaid|owe[ds]?|debts?|tab|bill|loan|settled?|cleared?|forg(?:ive|iven|et|otten)|square|even|quits)\b",
    re.IGNORECASE,
)
_THINGS = lazy_pattern(
    r"\b(?:the|my|your|this|that|these|those|his|her|an?) (?:(?:last|first|second|other|next|remaining|whole) )?([a-z]+)",
    re.IGNORECASE,
)
_NO_THINGS = frozenset("half third quarter fourth rest lot bit part few little while last first".split())  # noqa: SIM905 - one line
_SHORT_UNIT = 4  # A longer one may be a part of another: "Münzen" of "Goldmünzen", but no "ale" of "bale".
_INSTEAD = lazy_pattern(
    r"\b(?:instead|in place of|rather than|in return for|worth|for (?:the|my) (?=\d|one|two|three|four|five|six|seven|eight|nine|ten))\b",
    re.IGNORECASE,
)


class OpenDebt(NamedTuple):
    """A debt that nothing has ended: the memory's id, and its fact. The id is "" for one of this turn."""

    id: str
    fact: Mapping[str, Any]


class _Payment(NamedTuple):
    """What a payment says of itself."""

    paid: Amount | None
    left: Amount | None
    total: Amount | None
    share: int
    is_all: bool
    is_part: bool
    is_barter: bool
    matter: frozenset[str]


def open_debt(record: Record, player_id: str) -> OpenDebt:
    """The debt of a memory. What its fact does not say, as that of a game, its text and event type may."""
    amounts = amounts_in(record.document_full)
    is_own = record.event_type.startswith("own_")
    debt: dict[str, Any] = {
        "by": NPC if is_own else PLAYER,
        "to": PLAYER if is_own else NPC,
        "amount": amounts[0].number if amounts else None,
        "unit": "",
        "quote": record.document_full,
    }
    fact = mapping_in(record.extra).get("fact")
    fields = fact if isinstance(fact, Mapping) else {}
    for name, value in fields.items():
        if name == "amount" and (value is None or number_in(value) is not None):
            debt[name] = int(value) if isinstance(value, float) and value.is_integer() else value
        elif name in ("by", "to", "unit", "quote") and value and isinstance(value, str):
            debt[name] = PLAYER if value == player_id else value
    same = [amount.unit for amount in amounts if amount.number == debt["amount"]]
    debt["unit"] = debt["unit"] or (same or [""])[0]
    numbers = {
        "total": number_in(fields.get("total")),
        "due_day": number_in(fields.get("due_day"), MOST_DAYS),
    }
    debt |= {name: number for name, number in numbers.items() if number is not None}
    debt["due"] = str(fields.get("due") or "")
    debt["since"] = number_in(fields.get("since")) or record.timestamp
    return OpenDebt(record.id, debt)


def promised_amounts(records: Iterable[Record], debts: Sequence[OpenDebt], player_id: str) -> list[OpenDebt]:
    """What somebody has promised to give a number of, as a debt of it; none of what is owed already."""
    promised = [
        open_debt(record, player_id)
        for record in records
        if record.event_type in ("promise_made", "own_promise")
    ]
    return [
        promise
        for promise in promised
        if promise.fact["amount"] is not None
        and promise.fact["unit"]
        and not any(_same_unit(promise.fact["unit"], debt.fact["unit"]) for debt in debts)
    ]


def with_rests(
    config: MemoryConfig,
    findings: Iterable[dict[str, Any]],
    open_debts: Iterable[OpenDebt],
    messages: Mapping[str, str],
) -> list[dict[str, Any]]:
    """The findings of a turn, where debts and payments name the memories that they end (`settles`), and a
    payment of a part is what is left of the debt. A payment that ends none names those that it may be for
    (`pays`).

    Args:
        messages: what the player and the NPC said, by speaker.
    """
    debts = list(open_debts)
    settled: list[dict[str, Any]] = []
    for finding in findings:
        kind = finding["fact"]["kind"]
        if finding.pop(NEEDS_DEBT, False):
            if not _is_handed_over(finding, debts, messages):
                continue
        elif kind == "payment" and not _is_for_debts(finding["fact"], debts):
            continue
        if kind == "gift" and _is_owed(finding["fact"], debts) and _is_for_debts(finding["fact"], debts):
            kind = _as_payment(finding)
        if kind == "debt":
            ended = _renew(config, finding, debts)
            _inherit(finding["fact"], ended)
        elif kind == "payment":
            paid = [earlier["fact"] for earlier in settled if earlier["fact"]["kind"] == "payment"]
            _let_debtor_be_even(finding, [debt.fact for debt in debts] or paid)
            ended = _pay(config, finding, debts, messages)
            _inherit(finding["fact"], ended)
        else:
            settled.append(finding)
            continue
        inherited = [id for debt in ended if not debt.id for id in debt.fact["settles"]]
        finding["fact"]["settles"] = [*(debt.id for debt in ended if debt.id), *inherited]
        debts = [debt for debt in debts if debt not in ended]
        settled = [earlier for earlier in settled if all(earlier["fact"] is not debt.fact for debt in ended)]
        settled.append(finding)
        if finding["fact"]["kind"] == "debt":
            debts.append(OpenDebt("", finding["fact"]))
    return settled


def _inherit(fact: dict[str, Any], ended: Sequence[OpenDebt]) -> None:
    """Give what is left of a debt its beginning, its day and its whole amount."""
    if fact["kind"] != "debt" or not ended:
        return
    fact["since"] = min((debt.fact["since"] for debt in ended if "since" in debt.fact), default=None)
    if not fact["due"]:
        fact |= {
            name: debt.fact[name] for debt in ended for name in ("due", "due_day") if debt.fact.get(name)
        }
    totals = [debt.fact.get("total") or debt.fact["amount"] for debt in ended]
    if fact.get("is_rest") and None not in totals and sum(totals) > fact["amount"]:
        fact["total"] = sum(totals)


def _is_handed_over(
    finding: Mapping[str, Any], debts: Sequence[OpenDebt], messages: Mapping[str, str]
) -> bool:
    """Return True if a bare amount is one that somebody hands over for a debt."""
    said = messages[finding["speaker"]]
    received = any(_RECEIVED.search(message) for message in messages.values() if message is not said)
    return _is_owed(finding["fact"], debts) and (received or _HANDS.search(said) is not None)


def _is_for_debts(payment: Mapping[str, Any], debts: Sequence[OpenDebt]) -> bool:
    """Return True if words speak of debts, or give back nothing else than what is owed."""
    quote = payment["quote"]
    things = {base_term(thing.lower()) for thing in _THINGS.findall(quote)} - _MONEY - _NO_THINGS
    of_debts = not things or _OF_DEBTS.search(quote) is not None
    return of_debts or any(things & _matter(debt.fact["quote"]) for debt in _between(payment, debts))


def _is_owed(gift: Mapping[str, Any], debts: Sequence[OpenDebt]) -> bool:
    """Return True if what somebody hands over is of the kind that they owe."""
    return (gift["amount"] is not None or _SHARE.search(gift["quote"]) is not None) and any(
        _same_unit(gift["unit"], debt.fact["unit"]) for debt in _between(gift, debts)
    )


def _as_payment(finding: dict[str, Any]) -> str:
    is_own = finding["fact"]["by"] == NPC
    finding["fact"]["kind"] = "payment"
    finding["event_type"] = "own_debt_paid" if is_own else "debt_paid"
    return "payment"


def _renew(config: MemoryConfig, finding: dict[str, Any], debts: Sequence[OpenDebt]) -> list[OpenDebt]:
    """The debts that a new one names again, or adds to."""
    fact = finding["fact"]
    earlier = [debt for debt in _between(fact, debts) if _same_unit(fact["unit"], debt.fact["unit"])]
    if fact["amount"] is None:
        return []
    same = [debt for debt in earlier if debt.fact["amount"] == fact["amount"] and _fits(fact, debt)]
    if same or len(earlier) != 1:
        return same[:1]
    before = earlier[0].fact["amount"]
    if _MORE.search(fact["quote"]) and before is not None:
        _leave(config, finding, before + fact["amount"], fact["unit"] or earlier[0].fact["unit"])
        return earlier
    return earlier if _TOTAL.search(fact["quote"]) else []


def _pay(
    config: MemoryConfig, finding: dict[str, Any], debts: Sequence[OpenDebt], messages: Mapping[str, str]
) -> list[OpenDebt]:
    """The debts that a payment ends. One that leaves a rest becomes a debt of it, and one of which nobody can
    say what it leaves ends nothing.
    """
    fact = finding["fact"]
    if _EVEN.search(fact["quote"]):
        return list(debts)
    payment = _payment(finding, [messages[finding["speaker"]], *messages.values()])
    between = _between(fact, debts)
    targets = _targets(payment, between)
    rest = _rest(payment, targets)
    if rest is None or (between and not targets):
        finding["event_type"] = PART_PAID
        fact["pays"] = [debt.id for debt in targets or between if debt.id]
        return []
    if rest > 0:
        amounts = [amount for amount in (payment.left, payment.total, payment.paid) if amount is not None]
        units = [amount.unit for amount in amounts if amount.unit]
        _leave(config, finding, rest, (units or [debt.fact["unit"] for debt in targets] or [""])[0])
    return targets


def _let_debtor_be_even(finding: dict[str, Any], facts: Iterable[Mapping[str, Any]]) -> None:
    """Make the one who alone owes or has paid the payer, whoever of the two says that they are even."""
    owing = {(fact["by"], fact["to"]) for fact in facts}
    if len(owing) == 1 and _EVEN.search(finding["fact"]["quote"]):
        (finding["fact"]["by"], finding["fact"]["to"]) = owing.pop()
        _as_payment(finding)


def _leave(config: MemoryConfig, finding: dict[str, Any], rest: int, unit: str) -> None:
    """Turn a finding into the debt that is left."""
    fact = finding["fact"]
    fact |= {"kind": "debt", "paid": fact["amount"], "amount": rest, "unit": unit, "is_rest": True}
    is_own = fact["by"] == NPC
    key = "fact_own_rest" if is_own else "fact_rest"
    finding["event_type"] = "own_debt" if is_own else "debt"
    finding["text"] = config.quoting(key, fact["quote"], amount=f"{rest} {unit}".strip())


def _between(fact: Mapping[str, Any], debts: Iterable[OpenDebt]) -> list[OpenDebt]:
    return [debt for debt in debts if debt.fact["by"] == fact["by"] and debt.fact["to"] == fact["to"]]


def _payment(finding: dict[str, Any], messages: Iterable[str]) -> _Payment:
    quote, number, unit = (finding["fact"][name] for name in ("quote", "amount", "unit"))
    if (is_all := finding.pop(IS_ALL, None)) is not None:
        paid = None if number is None else Amount(number, unit, 0, 0)
        return _Payment(paid, None, None, 0, is_all, is_part=False, is_barter=False, matter=frozenset())
    amounts = [amount for amount in amounts_in(quote) if not _is_for_others(quote, amount)]
    left = next((amount for amount in amounts if _is_left(quote, amount)), None)
    for message in messages:
        if left is None:
            left = next((amount for amount in amounts_in(message) if _is_left(message, amount)), None)
    amounts = [amount for amount in amounts if amount[:2] != (left or amount)[:2] or left is None]
    total = next((amount for amount in amounts if _OF.search(quote[: amount.start])), None)
    paid = next((amount for amount in amounts if amount is not total), None)
    share = _SHARE.search(quote)
    return _Payment(
        paid,
        left,
        total,
        _SHARES[(share["share"] or share["part"]).lower()] if share else 0,
        _ALL.search(quote) is not None,
        _PART.search(quote) is not None,
        _INSTEAD.search(quote) is not None,
        _matter(quote),
    )


def _is_for_others(text: str, amount: Amount) -> bool:
    return amount.unit == "" and re.match(r" (?:to|for) (?!you\b|ye\b)", text[amount.end :]) is not None


def _is_left(text: str, amount: Amount) -> bool:
    """Return True if an amount is a rest. One that is handed over is none, even as "the 7 I still owe you"."""
    before = text[: amount.start]
    return not _HANDED.search(before) and bool(_LEFT.match(text[amount.end :]) or _BEFORE_LEFT.search(before))


def _targets(payment: _Payment, debts: Sequence[OpenDebt]) -> list[OpenDebt]:
    """The debts that a payment is for; none when it may be one or another."""
    amounts = [amount for amount in (payment.paid, payment.left, payment.total) if amount is not None]
    if not payment.is_barter:
        debts = [
            debt for debt in debts if all(_same_unit(amount.unit, debt.fact["unit"]) for amount in amounts)
        ]
    if len(debts) <= 1:
        return list(debts)
    shared = [debt for debt in debts if payment.matter & _matter(debt.fact["quote"])]
    whole = (payment.total or payment.paid) if amounts else None
    same = [debt for debt in debts if whole is not None and debt.fact["amount"] == whole.number]
    for alike in (shared, same):
        if len(alike) == 1:
            return alike
    return list(debts) if payment.is_all and not amounts else []


def _rest(payment: _Payment, debts: Sequence[OpenDebt]) -> int | None:
    """What is left of the debts; None when nobody can say."""
    if payment.left is not None:
        return payment.left.number
    owed: int | None = debts[0].fact["amount"] if len(debts) == 1 else None
    if payment.total is not None and (owed is None or owed > payment.total.number):
        owed = payment.total.number
    if payment.share:
        return None if owed is None or owed % payment.share else owed - owed // payment.share
    if payment.is_barter and not payment.is_all:
        return None
    if payment.paid is not None and owed is not None:
        return max(owed - payment.paid.number, 0)
    if payment.is_part:
        return None
    return 0


def _same_unit(unit: str, other: str) -> bool:
    one, two = sorted((base_term(name.casefold()) for name in (unit, other)), key=len)
    is_alike = one in ("", two, "coin") or two == "coin"
    return is_alike or (len(one) > _SHORT_UNIT and one in (two[: len(one)], two[-len(one) :]))


def _fits(fact: Mapping[str, Any], debt: OpenDebt) -> bool:
    """Return True if two debts of one amount may be the same."""
    matter, other = _matter(fact["quote"]), _matter(debt.fact["quote"])
    return not matter or not other or bool(matter & other)


def _matter(text: str) -> frozenset[str]:
    """The words that say what a debt is for."""
    return (
        frozenset(base_term(word) for word in words(text) if word not in STOP_WORDS and not word.isdigit())
        - _MONEY
    )
