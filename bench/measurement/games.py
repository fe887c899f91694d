"""Games with an NPC's memories, questions of a player, and the memories that answer them.

Those in bench/games were written without a look at the product; ../shared has more of them.
bench/games/README.md tells of the format.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import rag_memory
from rag_memory import Npc
from rag_memory.embedding.embedder import Embedder
from rag_memory_build.paths import ROOT, SHARED

from .locomo import Conversation, read_conversations
from .talks import read_talks

DAY = 86_400.0
FOLDERS = (ROOT / "bench" / "games", SHARED / "rank" / "games")
LANGUAGES = tuple(sorted(path for path in FOLDERS[0].iterdir() if path.is_dir()))
"""The folders of the games in other languages, each named by the code of its language."""
STRANGER = SHARED / "data" / "stranger_game.json"
_HOUR_OF_MEMORIES = 36_000.0
_TURNS = 700
_OTHERS = 300
_TURN_IMPORTANCE = 4


class Surroundings(Enum):
    """Other memories of the NPC."""

    ALONE = "alone"
    """No other memories."""
    TALK = "among talk"
    """700 turns of other conversations."""
    WORLD = "in its world"
    """300 memories of other games with this player's name, and 350 turns: a long game."""


@dataclass(frozen=True)
class GameMemory:
    """A memory of the NPC."""

    day: float
    text: str
    importance: int
    event_type: str


@dataclass(frozen=True)
class GameQuestion:
    """A question of the player. Any of `wanted`, places in the memories, answers it."""

    text: str
    wanted: tuple[int, ...]
    kind: str
    old_value: int | None
    """For a value that changed: the place of the old one, which has to come after the new one."""


@dataclass(frozen=True)
class Condition:
    """A condition for knows(), and True if it holds."""

    text: str
    is_true: bool


@dataclass(frozen=True)
class Game:
    """An NPC of a game."""

    name: str
    npc_id: str
    player: str
    days: int
    asked_at: float
    """The time of the question, in seconds."""
    memories: tuple[GameMemory, ...]
    questions: tuple[GameQuestion, ...]
    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class PlayedGame:
    """An NPC that has lived through a game."""

    game: Game
    npc: Npc
    ids: tuple[str, ...]
    """IDs of the game's memories."""
    event_types: dict[str, str]
    """Event types of all memories, by ID."""

    def wanted(self, question: GameQuestion) -> frozenset[str]:
        """The ids of what answers a question. Any memory of a wanted event type answers one that asks for a
        type, because the NPC has memories of other games, too.
        """
        ids = {self.ids[place] for place in question.wanted}
        if question.kind == "type":
            types = {self.game.memories[place].event_type for place in question.wanted} - {""}
            ids |= {id for id, event_type in self.event_types.items() if event_type in types}
        return frozenset(ids)


def read_games() -> list[Game]:
    """The games of bench/games, and those of ../shared where it is."""
    games = [game for folder in FOLDERS for game in games_of(folder)]
    return games + (_games_in(STRANGER) if STRANGER.is_file() else [])


def games_of(folder: Path) -> list[Game]:
    """The games of one folder; none when it does not exist."""
    return [game for file in sorted(folder.glob("*.json")) for game in _games_in(file)]


def _games_in(file: Path) -> list[Game]:
    content = json.loads(file.read_text(encoding="utf-8"))
    # The talks beside them have speakers and sessions.
    return [
        _game(file.stem, fields)
        for fields in (content if isinstance(content, list) else [content])
        if "memories" in fields
    ]


def talk_turns() -> list[str]:
    """Conversations of other people, 700 turns: LoCoMo's if present, otherwise those of bench/games."""
    return turns_of(read_conversations(SHARED / "data") or read_talks())


def turns_of(talks: Sequence[Conversation]) -> list[str]:
    """The first 700 turns of these conversations."""
    return [turn.text.partition(" and shared ")[0] for talk in talks for turn in talk.turns][:_TURNS]


@contextmanager
def played(
    game: Game, games: Sequence[Game], surroundings: Surroundings, turns: Sequence[str], embedder: Embedder
) -> Iterator[PlayedGame]:
    """The NPC at the moment when it is asked. What does not belong to the game is stored first.

    Args:
        games: all of them.
        turns: from talk_turns().
    """
    now = [0.0]
    with rag_memory.open_save(":memory:", embedder=embedder, clock=lambda: now[0]) as save:
        npc = save.npc(game.npc_id)
        event_types: dict[str, str] = {}

        def store(moment: float, memory: GameMemory) -> str:
            now[0] = moment
            data: dict[str, Any] = {"event_type": memory.event_type} if memory.event_type else {}
            id: str = npc.memories.store(memory.text, memory.importance, data)
            event_types[id] = memory.event_type
            return id

        for share, memory in sorted(_others(game, games, surroundings, turns), key=lambda other: other[0]):
            store(max(0.5, share * game.days) * DAY, memory)
        ids = tuple(store(memory.day * DAY + _HOUR_OF_MEMORIES, memory) for memory in game.memories)
        now[0] = game.asked_at
        npc.conversation.store_turn(f"My name is {game.player}.", "Welcome.")
        yield PlayedGame(game, npc, ids, event_types)


def _others(
    game: Game, games: Sequence[Game], surroundings: Surroundings, turns: Sequence[str]
) -> list[tuple[float, GameMemory]]:
    """The other memories, with their times as shares of the game's days."""
    others: list[tuple[float, GameMemory]] = []
    if surroundings == Surroundings.ALONE:
        return others
    if surroundings == Surroundings.WORLD:
        turns = turns[::2]
        for other in games:
            if other is not game:
                others += [
                    (memory.day / other.days, _of_player(memory, other.player, game.player))
                    for memory in other.memories
                ]
        step = max(1, -(-len(others) // _OTHERS))
        others = others[::step]
    talk = [GameMemory(0.0, text, _TURN_IMPORTANCE, "") for text in turns]
    return others + [((number + 0.5) / len(talk), memory) for number, memory in enumerate(talk)]


def _of_player(memory: GameMemory, player: str, other: str) -> GameMemory:
    return GameMemory(memory.day, memory.text.replace(player, other), memory.importance, memory.event_type)


def _game(name: str, fields: dict[str, Any]) -> Game:
    asked_on = fields.get("asked_on")
    return Game(
        name,
        fields["npc_id"],
        fields["player"],
        fields["days"],
        (fields["days"] + 1) * DAY if asked_on is None else asked_on * DAY + 72_000.0,
        tuple(
            GameMemory(memory["day"], memory["text"], memory["importance"], memory["event_type"])
            for memory in fields["memories"]
        ),
        tuple(
            GameQuestion(
                question["q"], tuple(question["want"]), question.get("kind", ""), question.get("not_before")
            )
            for question in fields["questions"]
        ),
        tuple(Condition(condition["q"], bool(condition["want"])) for condition in fields["knows"]),
    )
