"""The candidates for the sections of a dossier, best first."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rag_memory.config.calendar import CALENDAR
from rag_memory.config.dossier_config import NPCDossierConfig
from rag_memory.config.memory_config import MemoryConfig
from rag_memory.conversation.extractor import secrecy_of
from rag_memory.memory.memory_view import FULL, SHORT, age, dated
from rag_memory.memory.open_matter import Matter
from rag_memory.memory.repetition import occurrences_of
from rag_memory.memory.secrecy import may_be_told
from rag_memory.mind.encoding import ended
from rag_memory.prompt.item import Item
from rag_memory.prompt.known_world import texts
from rag_memory.prompt.memory_line import likeness_key, when_text
from rag_memory.prompt.ranking import Features, Ranking
from rag_memory.prompt.scene import Scene
from rag_memory.retrieval.candidate import Candidate
from rag_memory.retrieval.relevance import addable_relevance
from rag_memory.text.harmless import harmless
from rag_memory.world.rumors import RUMOR_HEARD
from rag_memory.world.who_knows import owner_names

_PROTECTED = 10.0
"""A score beyond any other: what is part of every answer comes first."""
_MOST_PRIORITY = 10.0
LeftOut = list[tuple[str, str]]
Document = Mapping[str, Any]


class ItemBuilder:
    """Makes the items of one dossier.

    `name_of` returns the name of a character; `about` has the terms of the question.
    """

    def __init__(
        self,
        config: NPCDossierConfig,
        wording: MemoryConfig,
        npc_id: str,
        scene: Scene,
        ranking: Ranking,
        now: float,
        name_of: Callable[[str], str],
        about: frozenset[str],
    ) -> None:
        self._config = config
        self._wording = wording
        self._npc_id = npc_id
        self._scene = scene
        self._ranking = ranking
        self._now = now
        self._name_of = name_of
        self._about = about

    def memories(self, memories: Sequence[Candidate], left_out: LeftOut) -> list[Item]:
        """Make the items of memories, without secrets that somebody present must not hear."""
        items = []
        counts = Counter(map(_likeness, memories))
        for candidate in memories:
            record, metadata = candidate.record, candidate.record.metadata(self._npc_id)
            if not may_be_told(metadata, self._scene.present):
                left_out.append((record.id, "secret"))
                continue
            alike = counts.pop(_likeness(candidate), 0) - 1
            if alike < 0:
                left_out.append((record.id, "duplicate"))
                continue
            features = Features(
                addable_relevance(candidate.match),
                [*texts(metadata, "participants"), *texts(metadata, "entities"), record.speaker],
                record.document_full,
                True,
                record.location,
                importance=record.importance,
                day=record.timestamp / CALENDAR.seconds_per_day,
                is_stale=record.superseded_by != "" or candidate.newer != "",
            )
            score = _PROTECTED
            if not candidate.protected:
                score = self._ranking.score(features) * candidate.told_factor
            occurrences = occurrences_of(candidate.records)
            last, count = max([record.timestamp, *occurrences["times"]]), occurrences["count"]
            notes = [when_text(self._wording, self._now, last, count, alike)]
            if record.superseded_by:
                notes.append(self._wording.sentence("no_longer_holds"))
            text = dated(self._wording, record, candidate.render(self._wording, FULL))
            after, matter = f" ({', '.join(notes)})", _matter(metadata)
            items.append(
                Item(
                    record.id,
                    text,
                    after=after,
                    score=score,
                    matter=matter,
                    short=dated(self._wording, record, candidate.render(self._wording, SHORT)),
                )
            )
        return _ranked(items)

    def events(self, events: Sequence[Document]) -> list[Item]:
        """Make the items of events, in the words of the NPC."""
        items = []
        for event in events:
            features = Features(
                event["relevance"],
                [event["actor"], event["target"]],
                event["text"],
                self._npc_id in (event["actor"], event["target"]),
                event["location"],
                [event["actor_faction"], event["target_faction"]],
                event["importance"],
                event["day"],
                is_hearsay=event["confidence"] < 1.0,
            )
            ago = age(self._wording, max(0.0, self._now - event["day"] * CALENDAR.seconds_per_day))
            score, matter = self._ranking.score(features), _matter(event) or _of_event(event["id"])
            if self._ranking.is_news(features):
                score = max(score, self._config.min_relevance)
            items.append(Item(event["id"], event["text"], after=f" ({ago})", score=score, matter=matter))
        return _ranked(items)

    def tasks(self, tasks: Sequence[Document], left_out: LeftOut) -> list[Item]:
        """Make the items of active tasks in which the NPC has a part or of which it knows."""
        items = []
        for task in tasks:
            if self._npc_id not in (*parties(task), *task["known_by"]):
                left_out.append((task["id"], "unknown_to_npc"))
                continue
            features = Features(
                task["priority"] / _MOST_PRIORITY,
                parties(task),
                task["summary"],
                task["assignee"] == self._npc_id,
                task["location"],
            )
            after = f" {self._task(task)}"
            if task["due_day"] >= 0:
                after += f" {self._due(task['due_day'])}"
            summary = ended(task["summary"].strip())
            items.append(Item(task["id"], summary, after=after, score=self._ranking.score(features)))
        return _ranked(items)

    def open_matters(self, matters: Sequence[tuple[Matter, str]]) -> list[Item]:
        """Make the items of what is open between the NPC and the one it speaks to. They come first."""
        return [Item(matter.id, line, score=_PROTECTED) for matter, line in matters]

    def lore(self, chunks: Sequence[Document]) -> list[Item]:
        """Make the items of lore and facts. Sentences about the question are shown first."""
        items = []
        for chunk in chunks:
            about = [*chunk["entities"], *chunk["tags"], *chunk["heading_path"]]
            factions = [*about, *owner_names(chunk["known_by"])]
            features = Features(chunk["relevance"], about, chunk["text"], factions=factions, is_lore=True)
            title = harmless(chunk["title"])
            before = f"- {title}: " if title else "- "
            items.append(
                Item(
                    chunk["id"], chunk["text"], before, score=self._ranking.score(features), about=self._about
                )
            )
        return _ranked(items)

    def debates(self, debates: Sequence[Document]) -> list[Item]:
        """Make the items of debates, with their outcomes."""
        items = []
        for debate in debates:
            features = Features(
                debate["relevance"],
                debate["participants"],
                debate["summary"],
                self._npc_id in debate["participants"],
                debate["location"],
                debate["factions"],
                debate["importance"],
                debate["day"],
            )
            text = self._wording.sentence("debate_told", topic=debate["topic"], summary=debate["summary"])
            if debate.get("outcome"):
                text += " " + self._wording.sentence("debate_outcome", outcome=debate["outcome"])
            items.append(Item(debate["id"], text, score=self._ranking.score(features)))
        return _ranked(items)

    def turns(self, turns: Sequence[Document], towards: MemoryConfig, left_out: LeftOut) -> list[Item]:
        """Make the items of turns, newest first, without those that somebody present must not hear of."""
        items = []
        for turn in reversed(turns):
            if not may_be_told(secrecy_of(turn), self._scene.present):
                left_out.append((turn["id"], "secret"))
                continue
            for key, speaker in (("npc_message", "turn_of_npc"), ("player_message", "turn_of_player")):
                said = turn.get(key, "")
                if said.strip():
                    items.append(Item(turn["id"], said, f"{towards.sentence(speaker)}: '", "'"))
        return items

    def _due(self, day: float) -> str:
        days = max(0, math.floor(day) - math.floor(self._now / CALENDAR.seconds_per_day))
        key = ("task_due_today", "task_due_tomorrow", "task_due_in_days")[min(days, 2)]
        return self._wording.sentence(key, days=days)

    def _task(self, task: Document) -> str:
        assignee, issuer = task.get("assignee", ""), task.get("issuer", "")
        key = "task_of_others"
        if assignee == self._npc_id:
            key = "task_of_your_own" if issuer in ("", self._npc_id) else "task_of_npc"
        elif issuer == self._npc_id:
            key = "task_for_npc"
        names = {"assignee": harmless(self._name_of(assignee)), "issuer": harmless(self._name_of(issuer))}
        sentence = self._wording.sentence(key, **names)
        return sentence[:1].upper() + sentence[1:]


def _likeness(candidate: Candidate) -> tuple[str, ...]:
    record = candidate.record
    return likeness_key(record.event_type, record.importance, record.document_full)


def _ranked(items: list[Item]) -> list[Item]:
    return sorted(items, key=lambda item: -item.score)


def parties(task: Document) -> list[str]:
    """Return everybody who has a part in a task."""
    return [task[key] for key in ("assignee", "issuer", "target") if task.get(key)]


def _matter(document: Document) -> str:
    """Return the id of the debate, task or event that something is about; "" without one."""
    id = document.get("debate_id") or document.get("task_id") or ""
    if not id and document.get("event_type") == RUMOR_HEARD:
        return _of_event(str(document.get("event_id", "")))
    return id if isinstance(id, str) else ""


def _of_event(id: str) -> str:
    return f"event:{id}"
