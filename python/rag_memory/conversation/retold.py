"""What an NPC has said to somebody in its last turns, so that it does not say everything twice."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.config.calendar import CALENDAR
from rag_memory.config.memory_config import MemoryConfig, ScoreMode
from rag_memory.memory.document import TURN, Document
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.game_time import SECONDS_PER_HOUR
from rag_memory.memory.record import Record
from rag_memory.storage.protocol import Storage
from rag_memory.text.terms import STOP_WORDS, question_terms, words

SPEAKS_OF = "speaks_of"
"""The key of a turn with the ids of the memories of which the NPC speaks in it."""
LISTENERS = "listeners"
"""The key of a turn with the ids of those who heard it besides the one who spoke to the NPC."""
_MOST_TURNS = 40
_LEAST_SHARED = 0.5
_LEAST_TERMS = 2
_LONGEST_TALK_DAYS = 7.0
"""Days after which nobody notices that the same was asked before."""


class Retold(NamedTuple):
    """What is left of a memory's score because it was told before, and when that was."""

    cooldown: float
    at: float


class Asked(NamedTuple):
    """How often the same was asked before, and of which memories the NPC spoke then."""

    count: int
    ids: frozenset[str]


NEVER_ASKED = Asked(0, frozenset())


def last_turns(store: Storage, npc_id: str) -> list[Document]:
    """Return the last turns of an NPC, the newest first."""
    return store.documents.find(TURN, npc_id, count=_MOST_TURNS, is_newest_first=True)


def last_told(turns: Iterable[Document], listening: Collection[str]) -> dict[str, float]:
    """Return when all of the listeners were last told of each memory, by its id.

    Args:
        turns: the newest first.
    """
    times: dict[str, dict[str, float]] = {}
    for turn in turns:
        hearers = {turn.content["player_id"], *turn.content.get(LISTENERS, ())}
        for id in turn.content.get(SPEAKS_OF, ()):
            of_memory = times.setdefault(id, {})
            for listener in hearers:
                of_memory.setdefault(listener.casefold(), turn.timestamp)
    wanted = {listener.casefold() for listener in listening} or {PLAYER}
    return {
        id: min(of_memory[listener] for listener in wanted)
        for id, of_memory in times.items()
        if wanted <= of_memory.keys()
    }


def retold(
    config: MemoryConfig, records: Iterable[Record], times: Mapping[str, float], query: str, now: float
) -> dict[int, Retold]:
    """Return what being told before leaves of the scores of memories, by key. What a question asks for again
    keeps its score, and so does everything with PRODUCT.
    """
    if config.score_mode == ScoreMode.PRODUCT or config.retold_score_multiplier == 1.0:
        return {}
    asked = frozenset(question_terms(query)) if query.strip() else frozenset[str]()
    cooldowns = {}
    for record in records:
        at = times[record.id]
        hours = max(0.0, now - at) / SECONDS_PER_HOUR
        faded = 0.5 ** (hours / config.retold_fade_hours)
        is_asked_again = bool(asked & _telling(record.document_full))
        left = 1.0 if is_asked_again else 1.0 - (1.0 - config.retold_score_multiplier) * faded
        cooldowns[record.key] = Retold(left, at)
    return cooldowns


def asked_before(turns: Iterable[Document], listener: str, line: str, now: float) -> Asked:
    """Return how often somebody has asked the same of late.

    Args:
        turns: the newest first.
    """
    terms = frozenset(question_terms(line))
    count, ids = 0, set[str]()
    for turn in turns:
        if (now - turn.timestamp) / CALENDAR.seconds_per_day > _LONGEST_TALK_DAYS:
            break
        said = turn.content["player_message"]
        if turn.content["player_id"] != listener or not said.strip():
            continue
        others = frozenset(question_terms(said))
        if len(terms & others) >= _LEAST_SHARED * len(terms | others):
            count += 1
            ids.update(turn.content.get(SPEAKS_OF, ()))
    return Asked(count, frozenset(ids))


def spoken_of(response: str, memories: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the ids of the memories of which an answer speaks: it has most of their words."""
    said = frozenset(question_terms(response))
    ids = []
    for memory in memories:
        terms = _telling(str(memory.get("document_full", "")))
        shared = terms & said
        if len(shared) >= max(_LEAST_TERMS, _LEAST_SHARED * len(terms)):
            ids.append(str(memory["id"]))
    return ids


def this_talk(turns: Sequence[Document], now: float, gap_seconds: float) -> list[Document]:
    """Return the turns of the talk that is going on, the newest first."""
    talk: list[Document] = []
    for turn in turns:
        if now - turn.timestamp > gap_seconds:
            break
        talk.append(turn)
        now = turn.timestamp
    return talk


def last_greeting(turns: Iterable[Document], listener: str) -> Document | None:
    """Return the last turn in which the NPC spoke first."""
    greetings = (
        turn
        for turn in turns
        if turn.content["player_id"] == listener and not turn.content["player_message"].strip()
    )
    return next(greetings, None)


def _telling(text: str) -> frozenset[str]:
    """The terms of a text without its stop words and the player."""
    telling = (word for word in words(text) if word not in STOP_WORDS and word != PLAYER)
    return frozenset(question_terms(" ".join(telling)))
