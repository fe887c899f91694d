"""Conversations with the facts that a reader finds in them; how many of these the rules find."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.conversation.extraction import FACT_KINDS, findings_in

_DATA = Path(__file__).with_name("data")
CATEGORIES = ("promise", "name", "gift", "debt", "plan", "place")


class Expected(NamedTuple):
    """A fact of somebody's words; its quote has to have these words."""

    kind: str
    speaker: str
    words: str

    @property
    def category(self) -> str:
        """The category of its kind; that of places has several kinds."""
        return FACT_KINDS[self.kind].category


class Exchange(NamedTuple):
    """A line of the player, the answer, and what of it is a fact."""

    player: str
    npc: str
    facts: list[Expected]


class Measure(NamedTuple):
    """Precision and recall of a category, with what was wrong."""

    found: int
    right: int
    expected: int
    wrong: list[str]

    @property
    def precision(self) -> float:
        """Which part of what was found is right."""
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """Which part of what there is was found."""
        return self.right / self.expected if self.expected else 1.0


def exchanges(name: str) -> list[Exchange]:
    """The labelled conversations of a file in data/."""
    read = []
    for line in (_DATA / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            player, npc, labels = (part.strip() for part in line.split("|"))
            facts = [
                Expected(*(*each.split(maxsplit=2), "")[:3]) for each in labels.split(";") if each.strip(" -")
            ]
            read.append(Exchange(player, npc, facts))
    return read


def measured(of: list[Exchange]) -> dict[str, Measure]:
    """By category, and "all"."""
    found: Counter[str] = Counter()
    right: Counter[str] = Counter()
    expected: Counter[str] = Counter()
    wrong: dict[str, list[str]] = {category: [] for category in CATEGORIES}
    for exchange in of:
        open_facts = list(exchange.facts)
        expected.update(each.category for each in open_facts)
        for fact in findings_in(MemoryConfig(), exchange.player, exchange.npc):
            category = fact["category"]
            if category not in CATEGORIES:
                continue
            found[category] += 1
            hit = next(
                (
                    each
                    for each in open_facts
                    if (each.category, each.speaker) == (category, fact["speaker"])
                    and each.kind in (category, fact["fact"]["kind"])
                    and each.words.lower() in fact["text"].lower()
                ),
                None,
            )
            if hit is None:
                wrong[category].append(f"+ {fact['text']} <- {exchange.player} | {exchange.npc}")
            else:
                open_facts.remove(hit)
                right[category] += 1
        for each in open_facts:
            wrong[each.category].append(f"- {each.words} <- {exchange.player} | {exchange.npc}")
    by = {name: Measure(found[name], right[name], expected[name], wrong[name]) for name in CATEGORIES}
    total = Measure(
        found.total(), right.total(), expected.total(), [text for texts in wrong.values() for text in texts]
    )
    return {**by, "all": total}


def table(of: dict[str, Measure]) -> str:
    """The measures as lines of a Markdown table."""
    return "\n".join(
        f"| {name} | {each.expected} | {each.precision:.2f} | {each.recall:.2f} |"
        for name, each in of.items()
    )


if __name__ == "__main__":
    import sys

    for file in sys.argv[1:]:
        result = measured(exchanges(file))
        print(file, len(exchanges(file)), sum(not each.facts for each in exchanges(file)))
        print(table(result))
        print("\n".join(result["all"].wrong))
