"""A dossier: what a language model needs to know for one answer of an NPC, within hard budgets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rag_memory.config.dossier_config import SECTIONS, NPCDossierConfig
from rag_memory.prompt.item import Item, ShownTexts
from rag_memory.prompt.section import SEPARATOR, Section
from rag_memory.retrieval.selection import estimate_tokens

_KEEPS_FIRST = (
    *("profile", "backstory", "scene", "turns", "tasks", "debates", "memories", "events", "lore"),
    "summary",
)
"""The order in which sections are filled. A later one does not repeat an earlier one."""
_MOST_LEFT_OUT = 10
"""Entries of one section in `left_out`."""

LeftOut = Mapping[str, Iterable[tuple[str, str]]]
"""By section the ids of what never became a candidate, and why."""


def dossier_of(config: NPCDossierConfig, sections: Sequence[Section], left_out: LeftOut) -> dict[str, Any]:
    """{text, sections, tokens, sources, left_out} of the sections, each within its budget, all within the
    total.
    """
    by_name = {section.name: section for section in sections}
    budgets = {name: config.budget(name) for name in by_name}
    _fill(by_name, budgets)
    if sum(budgets.values()) > config.total_tokens:
        budgets = _shared(config, {name: section.tokens for name, section in by_name.items()})
        _fill(by_name, budgets)
    shown = [by_name[name] for name in SECTIONS if name in by_name]
    text = SEPARATOR.join(section.text for section in shown if section.text)
    return {
        "text": text,
        "sections": {
            section.name: {
                "text": section.text,
                "tokens": estimate_tokens(section.text),
                "budget": config.budget(section.name),
            }
            for section in shown
        },
        "tokens": estimate_tokens(text),
        "sources": {section.name: _ids(section.taken) for section in shown if _ids(section.taken)},
        "left_out": [
            entry for section in shown for entry in _left_out(section, left_out.get(section.name, ()))
        ],
    }


def _fill(sections: Mapping[str, Section], budgets: Mapping[str, int]) -> None:
    shown = ShownTexts()
    for name in _KEEPS_FIRST:
        if name in sections:
            sections[name].fill(budgets[name], shown)
            for item in sections[name].taken:
                shown.add(item)


def _shared(config: NPCDossierConfig, needs: Mapping[str, int]) -> dict[str, int]:
    """The budgets of the sections within the total: each its share, and what is left of it to those that
    need more, in the configured order.
    """
    most = {name: config.budget(name) for name in needs}
    whole = sum(most.values())
    shares = {name: most[name] * config.total_tokens // whole for name in needs}
    budgets = {name: min(shares[name], needs[name]) for name in needs}
    left = config.total_tokens - sum(budgets.values())
    for name in config.flow_order:
        if name in needs:
            more = min(left, needs[name] - budgets[name])
            budgets[name] += more
            left -= more
    return budgets


def _ids(items: Iterable[Item]) -> list[str]:
    return list(dict.fromkeys(item.id for item in items if item.id))


def _left_out(section: Section, others: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    taken = set(_ids(section.taken))
    missing = [(item.id, section.reason(item)) for item in section.items if item not in section.taken]
    reasons = {id: reason for id, reason in [*others, *missing] if id and id not in taken}
    return [
        {"id": id, "section": section.name, "reason": reason}
        for id, reason in list(reasons.items())[:_MOST_LEFT_OUT]
    ]
