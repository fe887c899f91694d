"""Fits the weights of `knows()`, prints its error rates: `python3 build.py python bench/fit_knows.py
[--write]`.

Weights are fitted on the games of ../shared (rank/games, data/stranger_game.json) with the additional
conditions of bench/conditions/paraphrases.json, and tested by leaving one game out. The conditions of
bench/conditions/near_misses.json, whose NPCs have fewer than ten memories, and the games of bench/games are
only tested; `--test GAME.json` names others. `--write` writes
python/rag_memory/retrieval/condition_weights.py.

A game is {npc_id, player, days, memories: [{day, text, importance, event_type}], knows: [{q, want}]}, and a
file an array of them.
"""

from __future__ import annotations

import argparse
import collections
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import rag_memory
from rag_memory.conversation.summary_shelf import SummaryShelf
from rag_memory.npc.condition_judge import ConditionJudge
from rag_memory.npc.player_relationship import PlayerRelationship
from rag_memory.npc.retriever import Retriever
from rag_memory.retrieval import condition_weights
from rag_memory.retrieval.deeds import UNDOES, deeds_of_type, stated_deeds
from rag_memory.retrieval.evidence import NUMBERS, Claim, claim_of
from rag_memory.searchable.search_index import names_of_player
from rag_memory.text.clauses import Clause, clauses_of
from rag_memory.text.gazetteer import name_words
from rag_memory.text.participants import Narrator
from rag_memory_build.paths import SHARED

_CONDITIONS = Path(__file__).parent / "conditions"
_PARAPHRASES = json.loads((_CONDITIONS / "paraphrases.json").read_text(encoding="utf-8"))
"""More conditions for the shared games, by npc_id."""
_HELD_OUT = Path(__file__).parent / "games"
_FEWEST_MEMORIES = 10
_WEIGHTS = Path(condition_weights.__file__)
_DAY = 86400.0
_SUPPORTING = frozenset({"lead", "is_nearest", "same_verb", "same_subject", "is_complete"})
_OPPOSING = frozenset({"other_deed", "words_missing", "verb_elsewhere", "no_words"})
"""Numbers whose weights have a fixed sign (here and above)."""
_RIDGE = 3.0
_SOFTNESS = 0.1
"""Softness of the maximum over clauses while fitting; `knows()` takes the plain maximum."""
_STEPS = 600
_BOUND = 0.5
_UNSUPPORTED = -9.0
"""The score of a condition without any clause that may support it."""

Matrix = NDArray[np.float64]


class Case(NamedTuple):
    """One condition of a game."""

    game: str
    text: str
    is_true: bool
    kind: str
    rows: Matrix
    is_fitted: bool
    """True if weights are fitted on its game."""


def main() -> None:
    """Fit, test and report."""
    parser = argparse.ArgumentParser()
    parser.add_argument("games", nargs="*", type=Path, default=_default_games())
    parser.add_argument("--test", action="append", type=Path)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    every_case = [case for path in arguments.games for case in _cases(path)]
    cases = [case for case in every_case if case.is_fitted]
    if not cases:
        parser.error(f"there are no games in {SHARED}")
    scores = np.zeros(len(cases))
    for game in sorted({case.game for case in cases}):
        weights, bias = _fit([case for case in cases if case.game != game])
        for place, case in enumerate(cases):
            if case.game == game:
                scores[place] = _score(case, weights, bias)
    scale, shift = _calibration(scores, _is_true(cases))
    sureness = _logistic(scale * scores + shift)
    _report("Each game with the weights of the others", cases, sureness)
    _report_calibration(cases, sureness)
    weights, bias = _fit(cases)
    weights, bias = scale * weights, scale * bias + shift
    if arguments.write:
        _write(weights, bias)
    held_out = arguments.test if arguments.test is not None else sorted(_HELD_OUT.glob("*.json"))
    tests = {path.stem: cases for path in held_out if (cases := _cases(path))}
    tests["few memories"] = [case for case in every_case if not case.is_fitted]
    tests["all held-out games"] = [case for test in [*tests.values()] for case in test if case.is_fitted]
    for title, test in tests.items():
        _report(title, test, _logistic(np.array([_score(case, weights, bias) for case in test])))
    _report_calibration(
        tests["all held-out games"],
        _logistic(np.array([_score(case, weights, bias) for case in tests["all held-out games"]])),
    )


def _default_games() -> list[Path]:
    shared = [*(SHARED / "rank" / "games").glob("*.json"), SHARED / "data" / "stranger_game.json"]
    return sorted(path for path in [*shared, _CONDITIONS / "near_misses.json"] if path.is_file())


def _cases(path: Path) -> list[Case]:
    return [
        case
        for game in json.loads(path.read_text(encoding="utf-8"))
        if isinstance(game, dict) and "knows" in game
        for case in _cases_of_npc(path.stem, game)
    ]


def _cases_of_npc(name: str, game: dict[str, Any]) -> Iterator[Case]:
    now = [0.0]
    with (
        tempfile.TemporaryDirectory() as folder,
        rag_memory.open_save(Path(folder) / "save.sqlite3", clock=lambda: now[0]) as save,
    ):
        npc = save.npc(game["npc_id"])
        for memory in sorted(game["memories"], key=lambda memory: memory["day"]):
            now[0] = memory["day"] * _DAY + 36000.0
            event_type = memory.get("event_type", "")
            npc.memories.store(
                memory["text"], memory["importance"], {"event_type": event_type} if event_type else {}
            )
        now[0] = (game["days"] + 1) * _DAY
        npc.conversation.store_turn(f"My name is {game['player']}.", "Welcome.")
        narrator = Narrator(names_of_player(npc.records.in_slot("player_name")), name_words([game["npc_id"]]))
        judge = ConditionJudge(
            npc.records,
            Retriever(
                npc.records,
                PlayerRelationship(npc.records, dict, lambda _id: False),
                save.world,
                SummaryShelf(npc.records, save.npcs.turns),
            ),
        )
        is_fitted = len(game["memories"]) >= _FEWEST_MEMORIES
        for condition in [*game["knows"], *_PARAPHRASES.get(game["npc_id"], [])]:
            rows = np.array(judge.evidence(condition["q"]), dtype=np.float64).reshape(-1, len(NUMBERS))
            kind = _kind(condition["q"], condition["want"], game["memories"], narrator)
            yield Case(name, condition["q"], condition["want"], kind, rows, is_fitted)


def _kind(text: str, is_true: bool, memories: Sequence[dict[str, Any]], narrator: Narrator) -> str:
    """Classify why a condition is true or false, by rules."""
    condition = claim_of(text, narrator)
    if condition is None:
        return "other"
    statements = [
        (clause, memory.get("event_type", ""))
        for memory in memories
        for clause in clauses_of(memory["text"], narrator)
    ]
    asked = condition.clause
    if is_true:
        if condition.is_topic:
            return "topic"
        terms = condition.words | ({asked.verb} - {"be", "at"})
        return "same words" if any(terms <= clause.terms for clause, _ in statements) else "paraphrase"
    same = [clause for clause, event_type in statements if _is_same_deed(condition, clause, event_type)]
    if any(asked.subject & clause.objects and asked.objects & clause.subject for clause in same):
        return "reversed roles"
    endings = frozenset[str]().union(
        *(deeds_of_type(event_type) | stated_deeds(clause.terms) for clause, event_type in statements)
    )
    undone = frozenset[str]().union(*(UNDOES.get(deed, frozenset()) for deed in endings))
    if same and undone & condition.deeds:
        return "undone later"
    same = [clause for clause in same if not condition.words or condition.words & clause.terms] or same
    if any(asked.subject & clause.subject and (clause.is_unreal or clause.reporters) for clause in same):
        return "wish or hearsay"
    if any(clause.subject and not asked.subject & clause.subject for clause in same):
        return "other person"
    return "other thing" if same else "never happened"


def _is_same_deed(condition: Claim, clause: Clause, event_type: str) -> bool:
    if clause.verb and clause.verb == condition.clause.verb:
        return clause.verb not in ("be", "at", "have") or bool(condition.words & clause.terms)
    deeds = stated_deeds([clause.verb]) | deeds_of_type(event_type)
    return bool(condition.deeds & deeds)


def _is_true(cases: Sequence[Case]) -> Matrix:
    return np.array([case.is_true for case in cases], dtype=np.float64)


def _balance(is_true: Matrix) -> Matrix:
    """Weights of cases with which true and false ones count the same."""
    share = is_true.mean()
    balance: Matrix = np.where(is_true > 0, 0.5 / share, 0.5 / (1.0 - share))
    return balance


def _logistic(scores: Matrix) -> Matrix:
    sureness: Matrix = 1.0 / (1.0 + np.exp(-scores))
    return sureness


def _fit(cases: Sequence[Case]) -> tuple[Matrix, float]:
    """Fit weights and bias: logistic regression on the best clause, with Adam, ridge and fixed signs."""
    cases = [case for case in cases if len(case.rows)]
    rows = np.concatenate([case.rows for case in cases])
    mean, deviation = rows.mean(0), rows.std(0) + 1e-6
    rows = (rows - mean) / deviation
    starts = np.cumsum([0] + [len(case.rows) for case in cases])
    case_of_row = np.repeat(np.arange(len(cases)), np.diff(starts))
    is_true = _is_true(cases)
    balance = _balance(is_true)
    lowest = np.array([0.0 if name in _SUPPORTING else -9.0 for name in NUMBERS] + [-9.0])
    highest = np.array([0.0 if name in _OPPOSING else 9.0 for name in NUMBERS] + [9.0])
    ridge = np.array([_RIDGE] * len(NUMBERS) + [0.0])
    weights = np.zeros(len(NUMBERS) + 1)
    weights[-1] = -1.0
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, _STEPS + 1):
        scores = rows @ weights[:-1]
        best = np.maximum.reduceat(scores, starts[:-1])
        shares = np.exp((scores - best[case_of_row]) / _SOFTNESS)
        sums = np.add.reduceat(shares, starts[:-1])
        sureness = _logistic(best + _SOFTNESS * np.log(sums) + weights[-1])
        errors = balance * (sureness - is_true)
        slope = rows.T @ (shares / sums[case_of_row] * errors[case_of_row])
        gradient = np.append(slope, errors.sum()) + ridge * weights
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient * gradient
        change = (first / (1.0 - 0.9**step)) / (np.sqrt(second / (1.0 - 0.999**step)) + 1e-9)
        weights = np.clip(weights - 0.03 * change, lowest, highest)
    plain = weights[:-1] / deviation
    return plain, float(weights[-1] - mean @ plain)


def _score(case: Case, weights: Matrix, bias: float) -> float:
    return float((case.rows @ weights).max() + bias) if len(case.rows) else _UNSUPPORTED


def _calibration(scores: Matrix, is_true: Matrix) -> tuple[float, float]:
    """Fit scale and shift so that the logistic of a score is the share of true conditions."""
    scale, shift = 1.0, 0.0
    balance = _balance(is_true)
    for _ in range(3000):
        errors = balance * (_logistic(scale * scores + shift) - is_true)
        scale -= 0.02 * float((errors * scores).mean())
        shift -= 0.02 * float(errors.mean())
    return scale, shift


def _report(title: str, cases: Sequence[Case], sureness: Matrix) -> None:
    counts: dict[tuple[bool, str], list[int]] = collections.defaultdict(lambda: [0, 0])
    for case, sure in zip(cases, sureness.tolist(), strict=True):
        for kind in (case.kind, "all"):
            counts[case.is_true, kind][0] += sure >= _BOUND
            counts[case.is_true, kind][1] += 1
    print(f"\n{title}: {len(cases)} conditions\n\n| Condition | `knows()` is `true` |\n|---|---|")
    for is_true, kind in sorted(counts, key=lambda key: (not key[0], key[1] == "all", key[1])):
        yes, count = counts[is_true, kind]
        print(f"| {'true' if is_true else 'false'}, {kind} | {yes} of {count} |")


def _report_calibration(cases: Sequence[Case], sureness: Matrix) -> None:
    is_true = _is_true(cases)
    for lowest, highest in ((0.0, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 1.01)):
        inside = (sureness >= lowest) & (sureness < highest)
        if inside.any():
            print(f"how_sure() from {lowest}: {is_true[inside].mean():.2f} of {int(inside.sum())} are true")


def _write(weights: Matrix, bias: float) -> None:
    lines = [f'    "{name}": {weight:.3f},' for name, weight in zip(NUMBERS, weights.tolist(), strict=True)]
    _WEIGHTS.write_text(
        '"""How much each number of a clause counts for `knows()`. Written by bench/fit_knows.py."""\n\n'
        "WEIGHTS: dict[str, float] = {\n" + "\n".join(lines) + f"\n}}\nBIAS = {bias:.3f}\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
