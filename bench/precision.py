"""Precision of recall: `python3 build.py bench precision --fixtures FOLDER`.

Runs the 77 cases of PrecisionMemBench (github.com/tenurehq/precisionMemBench, MIT) from its folder
`fixtures`: 35 beliefs about a user, and the beliefs that have to be in an answer, with no others. A belief
is stored as a memory with its aliases as topics. Pinned and superseded beliefs, open questions and other
scopes are filtered by their metadata, as in other adapters of the benchmark. The published figures are from
its README.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from measurement import command, machine, markdown

import rag_memory
from rag_memory.embedding.registry import default_embedder
from rag_memory_build.console import SetupError

_NOW = 1_790_000_000.0
_EVERYWHERE = "user:universal"
_PLENTY_TOKENS = 100_000
_PUBLISHED = (
    ("tenure (rules of its own for these beliefs)", 1.00, 1.00, "77"),
    ("open-knowledge-format (a language model)", 0.47, 0.91, "36"),
    ("supermemory", 0.22, 0.71, "21"),
    ("agentmemory", 0.17, 0.97, "7"),
    ("zep", 0.09, 0.95, "9"),
    ("plain vectors", 0.09, 1.00, "11"),
    ("mem0", 0.06, 0.99, "9"),
)


class _Case(NamedTuple):
    """The answer of a case, and the expected one."""

    returned: list[str]
    expected: frozenset[str]
    forbidden: frozenset[str]

    @property
    def hits(self) -> int:
        """Count the returned beliefs that were expected."""
        return len(self.expected.intersection(self.returned))

    @property
    def has_passed(self) -> bool:
        """True if exactly the expected beliefs were returned."""
        return set(self.returned) == self.expected and not self.forbidden.intersection(self.returned)


def main(arguments: list[str]) -> int:
    """Measure and print the table."""
    options = command.parser("precision", __doc__)
    options.add_argument(
        "--fixtures", type=Path, required=True, help="the folder fixtures of PrecisionMemBench"
    )
    given = options.parse_args(arguments)
    return command.end(lambda: _measured(given.fixtures))


def _measured(fixtures: Path) -> str:
    beliefs = _read(fixtures / "beliefs.seed.json")
    cases = list(_cases(beliefs, _read(fixtures / "retrieval.cases.json")))
    precisions = [
        case.hits / len(case.returned) if case.returned else 0.0
        for case in cases
        if case.returned or case.expected
    ]
    recalls = [case.hits / len(case.expected) for case in cases if case.expected]
    passed = sum(case.has_passed for case in cases)
    own = (
        "**RAG Memory**",
        statistics.mean(precisions),
        statistics.mean(recalls),
        f"{passed} (these beliefs only)",
    )
    rows = [["system", "mean precision", "mean recall", f"cases passed, of {len(cases)}"]]
    rows += [
        [name, f"{precision:.2f}", f"{recall:.2f}", count]
        for name, precision, recall, count in (own, *_PUBLISHED)
    ]
    returned = statistics.mean(len(case.returned) for case in cases)
    return "\n".join(
        [
            *machine.conditions(machine.load()),
            f"* {returned:.1f} beliefs returned on average, beside pinned ones",
            "",
            markdown.table(rows),
        ]
    )


def _cases(beliefs: list[dict[str, Any]], cases: list[dict[str, Any]]) -> Iterator[_Case]:
    with rag_memory.open_save(":memory:", default_embedder(), clock=lambda: _NOW) as save:
        places = {}
        for belief in beliefs:
            npc = save.npc(belief["user_id"])
            text = f"{belief['content']} {belief['why_it_matters']}"
            id = npc.memories.store(
                text, 5, {"topics": [belief["canonical_name"], *belief["aliases"]], "timestamp": _NOW - 1e6}
            )
            places[belief["user_id"], id] = belief
        for case in cases:
            user = case.get("userId", beliefs[0]["user_id"])
            scopes = {*case["scope"], _EVERYWHERE}
            most = case.get("budget", {}).get("maxBeliefs", len(beliefs))
            returned = []
            for memory in save.npc(user).recall.retrieve_scored(case["query"], _PLENTY_TOKENS):
                belief = places.get((user, memory["id"]), {})
                if belief and _may_be_relevant(belief) and scopes.intersection(belief["scope"]):
                    returned.append(belief["_id"])
            expect = case["expect"].get("relevantBeliefs", {})
            yield _Case(
                returned[:most],
                frozenset(expect.get("shouldOnlyInclude", ())),
                frozenset(expect.get("mustExclude", ())),
            )


def _may_be_relevant(belief: dict[str, Any]) -> bool:
    """True if a belief is to be found by questions: not pinned, superseded, or an open question."""
    return not belief["pinned"] and not belief["superseded_by"] and belief["type"] != "open_question"


def _read(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        raise SetupError(
            "PrecisionMemBench cannot be measured",
            f"{path} is not there",
            "get github.com/tenurehq/precisionMemBench and name its folder fixtures",
        )
    content: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return content


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
