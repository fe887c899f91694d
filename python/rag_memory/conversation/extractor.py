"""Findings of the game's extractor, usually by a language model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.conversation.extraction import DEFAULT_IMPORTANCE, MOST_FINDINGS
from rag_memory.memory.company import turn_fields
from rag_memory.memory.document import Document
from rag_memory.memory.event_templates import PLAYER, MemoryDraft
from rag_memory.memory.record import Record, new_record
from rag_memory.memory.secrecy import of_all
from rag_memory.mind.asking import answered_steps
from rag_memory.searchable.save_context import SaveContext
from rag_memory.step import Steps
from rag_memory.text.due_days import due_day
from rag_memory.validation import (
    mapping_in,
    validate_flag,
    validate_number,
    validate_text,
    validate_texts,
    wrong_type,
)

_OPENING = ("promise", "debt", "threat", "appointment", "question", "plan")
"""The kinds of facts that may be due on a day."""
_NO_DATA = ("text", "importance", "check_names")
_WHO = ("by", "to", "claimed_by")
"""The keys of a fact that name somebody."""
_TEXTS = (*_WHO, "kind", "about", "unit", "due", "quote")
"""The keys of a fact that are texts."""


def findings_steps(
    save: SaveContext, npc_id: str, config: MemoryConfig, turn: Document, findings: list[dict[str, Any]]
) -> Steps[list[dict[str, Any]]]:
    """The findings in a turn: those of the game's extractor, or those of the rules when there is none or when
    it fails, which is logged.

    Args:
        findings: those of the rules.
    """
    request = {"npc_id": npc_id, "turn_id": turn.id, **turn_fields(turn.content), "memories": findings}
    answer = yield from answered_steps(
        save.extractor,
        request,
        config.summarizer_timeout_seconds,
        lambda answer: read_findings("the extractor", npc_id, config, answer),
        f"The extractor found no memories in a turn of {npc_id}",
        "The rules of the addon find them.",
    )
    return findings if answer is None else answer


def read_findings(call: str, npc_id: str, config: MemoryConfig, value: Any) -> list[dict[str, Any]]:
    """Check findings of the game: texts, or dictionaries with a text and keys of the data of store().

    Raises:
        InvalidArgumentError: one is something else, or cannot be stored.
    """
    if not isinstance(value, list | tuple):
        raise wrong_type(call, "memories", value, "an Array of Strings or Dictionaries")
    findings: list[dict[str, Any]] = []
    for item in value[:MOST_FINDINGS]:
        finding = {"text": item} if isinstance(item, str) else item
        if not isinstance(finding, Mapping) or not isinstance(finding.get("text"), str):
            raise wrong_type(call, "a memory", item, "a String, or a Dictionary with a text")
        if finding["text"].strip():
            findings.append(dict(finding))
            data = {name: field for name, field in finding.items() if name not in _NO_DATA}
            importance = finding.get("importance", DEFAULT_IMPORTANCE)
            new_record(call, npc_id, config, 0.0, finding["text"], importance, data)
            validate_flag(call, "check_names", finding.get("check_names", True))
            _refuse_wrong_fact(call, finding.get("fact"))
    return findings


def _refuse_wrong_fact(call: str, fact: Any) -> None:
    for name, value in fact.items() if isinstance(fact, Mapping) else ():
        if name in _TEXTS:
            validate_text(call, f"fact.{name}", value)
        elif name == "amount" and value is not None:
            validate_number(call, "fact.amount", value)
        elif name in ("settles", "pays"):
            validate_texts(call, f"fact.{name}", value)


def finding_draft(finding: Mapping[str, Any], turn: Document, paid: Iterable[Record] = ()) -> MemoryDraft:
    """Make the memory of a finding in a turn. What it ends or pays a part of (`paid`) stays a secret if it
    was one.
    """
    said = turn.content
    data = {
        "participants": [said["player_id"]],
        "location": said["location"],
        "timestamp": turn.timestamp,
        "check_names": False,
        **secrecy_of(said),
        **finding,
        "turn": turn.id,
    }
    if said["player_id"] != PLAYER and data["participants"] == [PLAYER]:
        # What is known of one player does not replace what is known of another.
        data["participants"] = [said["player_id"]]
        data.pop("slot_type", None)
        if "info_type" in data:
            data["info_type"] = f"{data['info_type']}_{said['player_id']}"
    ids = {PLAYER: said["player_id"]}
    if data.get("speaker") in ids:
        data["speaker"] = ids[data["speaker"]]
    if isinstance(data.get("fact"), Mapping):
        data["fact"] = {
            name: ids.get(value, value) if name in _WHO else value for name, value in data["fact"].items()
        }
        data["fact"]["turn"] = turn.id
        _note_day(data["fact"], turn.timestamp)
    secrets = [extra for record in paid if (extra := mapping_in(record.extra)).get("secret")]
    if secrets:
        data |= of_all([data, *secrets])
    return MemoryDraft(data.pop("text"), data.pop("importance", DEFAULT_IMPORTANCE), data)


def _note_day(fact: dict[str, Any], timestamp: float) -> None:
    """Note which day of the game words such as "tomorrow" mean, while it is known when they were said."""
    if fact.get("kind") in _OPENING and "due_day" not in fact:
        due = due_day(str(fact.get("quote") or ""), timestamp)
        due = due_day(str(fact.get("due") or ""), timestamp) if due is None else due
        if due is not None:
            fact["due_day"] = due


def secrecy_of(turn: Mapping[str, Any]) -> dict[str, Any]:
    """Return the secrecy of what is remembered of a turn: who said it may always hear of it."""
    if not turn.get("secret"):
        return {}
    return {
        "secret": True,
        "known_to": turn.get("known_to", []),
        "source_id": turn.get("speaker") or turn["player_id"],
    }
