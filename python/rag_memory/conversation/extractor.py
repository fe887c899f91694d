"""Findings of the game's extractor, usually by a language model."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from types import GeneratorType
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.conversation.extraction import DEFAULT_IMPORTANCE, MOST_FINDINGS, findings_in
from rag_memory.memory.document import Document
from rag_memory.memory.record import new_record
from rag_memory.mind.summarizer import in_time
from rag_memory.searchable.save_context import SaveContext
from rag_memory.step import Steps
from rag_memory.validation import wrong_type

_NO_DATA = ("text", "importance", "check_names")
_LOG = logging.getLogger("rag_memory")


def findings_steps(
    save: SaveContext, npc_id: str, config: MemoryConfig, turn: Document
) -> Steps[list[dict[str, Any]]]:
    """The findings in a turn: those of the game's extractor, or those of the rules when there is none or when
    it fails, which is logged.
    """
    said = turn.content
    findings = findings_in(config, said["player_message"], said["npc_message"])
    if save.extractor is None:
        return findings
    request = {"npc_id": npc_id, "turn_id": turn.id, **said, "facts": findings}
    request.pop("number")
    try:
        answer = save.extractor(request)
        if isinstance(answer, GeneratorType):
            answer = yield from in_time(answer, config.summarizer_timeout_seconds)
        if answer is None:
            return findings
        answered = read_findings("the extractor", npc_id, config, answer)
    except Exception as error:  # An error in the game's code must not lose the turn.
        _LOG.warning(
            "The extractor found no facts in a turn of %s: %s. The rules of the addon find them.",
            npc_id,
            error,
        )
        return findings
    return answered


def read_findings(call: str, npc_id: str, config: MemoryConfig, value: Any) -> list[dict[str, Any]]:
    """Check findings of the game: texts, or dictionaries with a text and keys of the data of store().

    Raises:
        InvalidArgumentError: one is something else, or cannot be stored.
    """
    if not isinstance(value, list | tuple):
        raise wrong_type(call, "facts", value, "an Array of Strings or Dictionaries")
    findings: list[dict[str, Any]] = []
    for item in value[:MOST_FINDINGS]:
        finding = {"text": item} if isinstance(item, str) else item
        if not isinstance(finding, Mapping) or not isinstance(finding.get("text"), str):
            raise wrong_type(call, "a fact", item, "a String, or a Dictionary with a text")
        if finding["text"].strip():
            findings.append(dict(finding))
            data = {name: field for name, field in finding.items() if name not in _NO_DATA}
            importance = finding.get("importance", DEFAULT_IMPORTANCE)
            new_record(call, npc_id, config, 0.0, finding["text"], importance, data)
    return findings
