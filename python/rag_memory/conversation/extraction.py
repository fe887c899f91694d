"""Findings: what rules find in a turn of a conversation, as short sentences that the NPC remembers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.conversation import extraction_rules as rules
from rag_memory.conversation.extraction_rules import NPC, Rule
from rag_memory.conversation.retelling import retold
from rag_memory.conversation.spoken_clauses import SpokenClause, said
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.record import PLAYER_INFO
from rag_memory.searchable.search_index import PLAYER_NAME_SLOT
from rag_memory.text.short_form import short_form

MOST_FINDINGS = 12
"""The most findings of one turn."""
DEFAULT_IMPORTANCE = 6
_LONGEST_PART = 160


class FindingKind(NamedTuple):
    """A kind of finding: its category, and the event type and the key of the sentence for the player and for
    the NPC; None where it says nothing of them.
    """

    category: str
    importance: int
    player: tuple[str, str] | None
    npc: tuple[str, str] | None
    info_type: str = ""


FINDING_KINDS = {
    "promise_to": FindingKind(
        "promise", 7, ("promise_made", "fact_promise_to"), ("own_promise", "fact_own_promise_to")
    ),
    "promise_not_to": FindingKind(
        "promise", 7, ("promise_made", "fact_promise_not_to"), ("own_promise", "fact_own_promise_not_to")
    ),
    "promise_that": FindingKind(
        "promise", 7, ("promise_made", "fact_promise_that"), ("own_promise", "fact_own_promise_that")
    ),
    "promise_kept": FindingKind("promise", 7, ("promise_kept", "fact_promise_kept"), None),
    "promise_broken": FindingKind("promise", 8, ("promise_broken", "fact_promise_broken"), None),
    "name": FindingKind("name", 7, (PLAYER_INFO, "learned_name"), None, "player_name"),
    "gift": FindingKind("gift", 7, ("gift_received", "gift_received"), ("own_gift", "fact_own_gift")),
    "debt": FindingKind("debt", 6, ("debt", "fact_debt"), ("own_debt", "fact_own_debt")),
    "debt_paid": FindingKind(
        "debt", 6, ("debt_paid", "fact_debt_paid"), ("own_debt_paid", "fact_own_debt_paid")
    ),
    "plan": FindingKind("plan", 5, ("plan", "fact_plan"), ("own_plan", "fact_own_plan")),
    "lives": FindingKind("place", 6, (PLAYER_INFO, "fact_lives"), None, "player_home"),
    "comes_from": FindingKind("place", 6, (PLAYER_INFO, "fact_comes_from"), None, "player_origin"),
    "stays": FindingKind("place", 5, (PLAYER_INFO, "fact_stays"), None, "player_lodging"),
    "works": FindingKind("place", 5, (PLAYER_INFO, "fact_works"), None, "player_work"),
    "find": FindingKind("place", 5, (PLAYER_INFO, "fact_find"), None, "player_whereabouts"),
    "place": FindingKind("place", 5, ("place", "fact_place"), ("place", "fact_own_place")),
}
_TEMPORAL = re.compile(
    r"(?:(?:but|and|so|well|then),? )?(?:once|when|whenever|after|before|until|as soon as)\b", re.IGNORECASE
)
_THIS = re.compile(r"^(this|these|that) ", re.IGNORECASE)
_IF = re.compile(r"\b(?:if|unless)\b", re.IGNORECASE)
_TIME_FIRST = re.compile(
    r"(?P<when>(?:tomorrow|tonight|today)(?: (?:morning|evening|night|afternoon|at [\w ]{2,20}?))?|next \w+|"
    r"this \w+|at \w+|in (?:\w+ )?\w+ \w+|on \w+day|by \w+|soon|later|after \w+),? (?=(?:i|we)(?:'| ))",
    re.IGNORECASE,
)
_VOCATIVE = re.compile(
    r"(?:,? (?:my )?(?:friend|lord|lady|sir|madam|captain|mate|buddy|dear|love|pal|old man|boss|chief|"
    r"commander|doc|doctor|elder)|"
    r", [A-Z]\w+(?: [A-Z]\w+)?|,? (?:please|okay|ok|then|though|too|you know|i promise|i swear|for sure|"
    r"thank you|thanks|i guess|i think|honest(?:ly)?|really|actually|after all|as promised))$"
)
_CAPITALS = re.compile(r"(?<![\w'-])[A-Z][\w'-]*(?: (?:of (?:the )?)?[A-Z][\w'-]*)*")
_NO_ENTITIES = re.compile(
    r"(?:I|The|A|An|My|Your|You|We|And|But|If|When|Here|This|That|There|\w+day|January|February|March|April|"
    r"June|July|August|"
    r"September|October|November|December)(?:'\w+)?$"
)
_INFINITIVES: dict[str, str] = dict(
    re.findall(
        r"(\w[\w ]*)=(\w[\w ]*)",
        """
        off=go, on my way=go, bound=go, headed=head, leaving=leave, riding=ride, moving=move, driving=drive,
        making my way=make their way, setting out=set out, setting off=set off, setting sail=set sail,
        setting=set, hiking=hike, travelling=travel, traveling=travel, moving out=move out, getting=get,
        marrying=marry, starting=start, closing=close, hosting=host, retiring=retire, quitting=quit,
        robbing=rob, taking=take, becoming=become, writing=write, making=make, giving=give, running=run,
        hunting=hunt, building=build, opening=open, selling=sell, buying=buy, visiting=visit, joining=join,
        meeting=meet, attacking=attack, throwing=throw, holding=hold, searching=search, going=go,
        heading=head, returning=return, sailing=sail, marching=march, flying=fly, walking=walk,
        departing=depart, climbing=climb, journeying=journey, jumping=jump, learning=learn, staying=stay,
        looking=look, asking=ask
        """,
    )
)


def findings_in(config: MemoryConfig, player_message: str, npc_message: str) -> list[dict[str, Any]]:
    """The findings in a turn, those about the player first; see RAGMemory.extract_memories()."""
    findings: dict[str, dict[str, Any]] = {}
    for speaker, message in ((PLAYER, player_message), (NPC, npc_message)):
        for finding in _findings(config, speaker, message):
            findings.setdefault(finding["text"].casefold(), finding)
    return list(findings.values())[:MOST_FINDINGS]


def _findings(config: MemoryConfig, speaker: str, message: str) -> Iterator[dict[str, Any]]:
    spoken = said(message)
    for deed in spoken.deeds:
        for rule in rules.DEEDS:
            if (match := rule.pattern.match(deed)) is not None:
                yield from _finding(config, speaker, rule, match, "")
                break
    sworn = _sworn(spoken.clauses)
    for number, clause in enumerate(spoken.clauses):
        if clause.by_others:
            continue
        text = _time_last(clause.text)
        if number in sworn and not clause.is_unreal:
            yield from _oath(config, speaker, text, clause)
            continue
        for rule in rules.RULES:
            if (match := _match(rule, clause, text, speaker)) is not None:
                condition = clause.condition if "act" in match.re.groupindex else ""
                yield from _finding(config, speaker, rule, match, condition)
                if rule.kind != "name":
                    break


def _sworn(clauses: list[SpokenClause]) -> set[int]:
    """The clauses that a clause beside them makes a promise ("You have my word.")."""
    sworn = set()
    for number, clause in enumerate(clauses):
        if rules.OATH.match(clause.text):
            for beside in (number + 1, number - 1):
                if 0 <= beside < len(clauses) and _will(clauses[beside].text):
                    sworn.add(beside)
                    break
    return sworn


def _will(text: str) -> re.Match[str] | None:
    text = _time_last(text)
    return rules.WILL_NOT_DO.match(text) or rules.WILL_DO.match(text)


def _oath(config: MemoryConfig, speaker: str, text: str, clause: SpokenClause) -> Iterator[dict[str, Any]]:
    match = _will(text)
    assert match is not None
    kind = "promise_not_to" if match.re is rules.WILL_NOT_DO else "promise_to"
    yield from _finding(config, speaker, Rule(kind, match.re), match, clause.condition)


def _match(rule: Rule, clause: SpokenClause, text: str, speaker: str) -> re.Match[str] | None:
    if speaker not in rule.by or (clause.is_unreal and not rule.may_be_unreal):
        return None
    match = rule.pattern.match(text)
    if match is None:
        return None
    needs_free = rule.only_if_free or rule.kind == "plan"
    if needs_free and ((clause.condition and not _TEMPORAL.match(clause.condition)) or _IF.search(text)):
        return None
    return match


def _time_last(text: str) -> str:
    """ "Tomorrow I'll leave" as "I'll leave tomorrow"."""
    first = _TIME_FIRST.match(text)
    return text if first is None else f"{text[first.end() :]} {first['when'].lower()}"


def _finding(
    config: MemoryConfig, speaker: str, rule: Rule, match: re.Match[str], condition: str
) -> Iterator[dict[str, Any]]:
    kind = FINDING_KINDS[rule.kind]
    of_player = (speaker == PLAYER) != rule.mirrored
    about = kind.player if of_player else kind.npc
    if about is None:
        return
    event_type, key = about
    parts = {name: part for name, part in match.groupdict().items() if part}
    values = _values(parts, condition, speaker == PLAYER)
    if not all(values.values()):
        return
    text = config.sentence(key, **values)
    if text[-1] not in ".!?":
        text += "."
    finding: dict[str, Any] = {
        "category": kind.category,
        "speaker": speaker,
        "text": text,
        "importance": kind.importance,
        "event_type": event_type,
        "participants": [PLAYER],
        "entities": _entities(values),
    }
    if kind.info_type:
        finding["info_type"] = kind.info_type
    if rule.kind == "name":
        finding["slot_type"] = PLAYER_NAME_SLOT
    yield finding


def _values(parts: dict[str, str], condition: str, by_player: bool) -> dict[str, str]:
    """The placeholders of a sentence, from the groups of a rule."""
    if "name" in parts:
        return {"name": parts["name"].strip(" ,.-")}
    if "go" in parts:
        where = parts.get("where", "").strip()
        parts = {"act": f"{_infinitive(parts['go'])} {where}"}
    elif "doing" in parts:
        verb, _, rest = parts["doing"].partition(" ")
        parts = {"act": f"{_infinitive(verb)} {rest}"}
    elif "found" in parts:
        parts = {"statement": f"you can find {parts['found']}"}
    values = {}
    for name, part in parts.items():
        part = _trimmed(part)
        if name == "debt":
            part = _debt(part)
        if name == "gift":
            part = _THIS.sub(_article, part, count=1)
        if condition and name == "act":
            part = f"{part} {condition[:1].lower()}{condition[1:]}"
        phrase = retold(part, by_player)
        if name in ("act", "statement", "clause") and not phrase.startswith(("I ", "I'")):
            phrase = _lower_first(phrase)
        values[name] = short_form(phrase, _LONGEST_PART, _LONGEST_PART).rstrip(".")
    return values


def _article(match: re.Match[str]) -> str:
    """ "a ring" for "this ring", which was seen."""
    if match[1].lower() == "these":
        return ""
    return "an " if match.string[match.end() : match.end() + 1].lower() in "aeiou" else "a "


def _infinitive(verb: str) -> str:
    verb = verb.lower()
    if verb in _INFINITIVES:
        return _INFINITIVES[verb]
    return f"be {verb}" if verb.endswith("ing") else verb


def _debt(part: str) -> str:
    lower = part.lower()
    if lower in ("in your debt", "indebted to you") or re.match(
        r"(?:one|big(?: time)?|a lot|so much|plenty)\b(?! \w+ (?:gold|coin))", lower
    ):
        return "a favour"
    return part


def _trimmed(part: str) -> str:
    part = part.strip(" ,.!?;:-")
    for _ in range(3):
        shorter = _VOCATIVE.sub("", part).rstrip(" ,")
        if shorter == part or not shorter:
            break
        part = shorter
    return part


def _lower_first(text: str) -> str:
    first = text.split(" ", 1)[0]
    is_word = first.lower() in ("the", "there", "my", "our", "your", "a", "an", "there's", "you", "their")
    return text[:1].lower() + text[1:] if is_word else text


def _entities(values: dict[str, str]) -> list[str]:
    if "name" in values:
        return [values["name"]]
    names = (name.group() for name in _CAPITALS.finditer(" ".join(values.values())))
    return list(dict.fromkeys(name for name in names if not _NO_ENTITIES.match(name)))[:5]
