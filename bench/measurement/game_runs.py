"""Asking the questions of games through the public Python API, and counting what comes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from rag_memory.embedding.embedder import Embedder

from .games import Game, PlayedGame, Surroundings, played
from .unknown_questions import QUESTIONS

NOT_RETURNED = 1_000_000
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Answer:
    """The result of a question."""

    kind: str
    rank: int
    """Of the first memory that answers it, from 0; protected ones do not count. NOT_RETURNED when none
    came.
    """
    is_whole: bool
    """True if the first memory is in the prompt with its whole text."""
    is_new_first: bool | None
    """For a value that changed: whether the new one comes before the old one."""


@dataclass
class GameRun:
    """The answers to the questions of all games in one of the surroundings."""

    answers: list[Answer] = field(default_factory=list)
    known_true: list[bool] = field(default_factory=list)
    """Answers of knows() to true conditions."""
    known_false: list[bool] = field(default_factory=list)
    """Answers of knows() to false conditions."""
    unknown_counts: list[int] = field(default_factory=list)
    """Counts of memories returned for questions about unknown things."""

    def among(self, count: int, kind: str | None = None) -> tuple[int, int]:
        """Count the questions with an answer among the first memories, and all questions."""
        ranks = [answer.rank for answer in self.answers if kind is None or answer.kind == kind]
        return sum(rank < count for rank in ranks), len(ranks)

    @property
    def kinds(self) -> list[str]:
        """The kinds of questions there are."""
        return sorted({answer.kind for answer in self.answers})

    @property
    def whole(self) -> tuple[int, int]:
        """How many of the right first memories are in the prompt with all their words, and how many there
        are.
        """
        firsts = [answer.is_whole for answer in self.answers if answer.rank == 0]
        return sum(firsts), len(firsts)

    @property
    def new_first(self) -> tuple[int, int]:
        """Count the changes with the new value before the old one, and all changes."""
        changes = [answer.is_new_first for answer in self.answers if answer.is_new_first is not None]
        return sum(changes), len(changes)


def asked(
    games: Sequence[Game],
    surroundings: Surroundings,
    turns: Sequence[str],
    embedder: Embedder,
    tell: Tell = lambda text: None,
    *,
    others: Sequence[Game] = (),
) -> GameRun:
    """Ask every game everything.

    Args:
        others: the games that an NPC has memories of in its world, when they are more than these.
    """
    run = GameRun()
    for game in games:
        tell(f"{game.name}, {surroundings.value}")
        with played(game, others or games, surroundings, turns, embedder) as life:
            run.answers += _answers(life)
            for condition in game.conditions:
                answers = run.known_true if condition.is_true else run.known_false
                answers.append(life.npc.recall.knows(condition.text))
            run.unknown_counts += [
                sum(not memory["protected"] for memory in life.npc.recall.retrieve_scored(question))
                for question in QUESTIONS
            ]
    return run


def _answers(life: PlayedGame) -> Iterable[Answer]:
    for question in life.game.questions:
        if not question.wanted:
            continue
        memories = [
            memory for memory in life.npc.recall.retrieve_scored(question.text) if not memory["protected"]
        ]
        ids = [memory["id"] for memory in memories]
        places = {id: place for place, id in enumerate(ids)}
        is_new_first = None
        if question.old_value is not None:
            new, old = (life.ids[place] for place in (question.wanted[0], question.old_value))
            is_new_first = places.get(new, NOT_RETURNED) < places.get(old, NOT_RETURNED)
        rank = min((places.get(id, NOT_RETURNED) for id in life.wanted(question)), default=NOT_RETURNED)
        is_whole = bool(memories) and memories[0]["rendered_text"] == memories[0]["document_full"]
        yield Answer(question.kind, rank, is_whole, is_new_first)
