"""What may come into the sections of a dossier, each best first."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rag_memory.config.calendar import CALENDAR
from rag_memory.config.dossier_config import NPCDossierConfig
from rag_memory.config.memory_config import MemoryConfig
from rag_memory.dossier.item import Item
from rag_memory.dossier.known_world import texts
from rag_memory.dossier.ranking import Facts, Ranking
from rag_memory.dossier.scene import Scene
from rag_memory.memory.formatting import age
from rag_memory.memory.memory_view import dated
from rag_memory.mind.encoding import ended
from rag_memory.mind.secrecy import may_be_told
from rag_memory.retrieval.candidates import Candidate
from rag_memory.retrieval.relevance import addable_relevance
from rag_memory.text.harmless import harmless

_PROTECTED = 10.0
"""A score beyond any other: what is part of every answer comes first."""
_MOST_PRIORITY = 10.0
LeftOut = list[tuple[str, str]]
Told = Mapping[str, Any]


class Candidates:
    """Makes the items of one dossier.

    `name_of` tells what a character is called; `about` has the terms of the question.
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

    def memories(self, found: Sequence[Candidate], left_out: LeftOut) -> list[Item]:
        """Those that everybody who is present may hear of."""
        items = []
        for each in found:
            record, metadata = each.record, each.record.metadata(self._npc_id)
            if not may_be_told(metadata, str(metadata.get("source_id", "")), self._scene.present):
                left_out.append((record.id, "secret"))
                continue
            facts = Facts(
                addable_relevance(each.match),
                [*texts(metadata, "participants"), *texts(metadata, "entities"), record.speaker],
                record.document_full,
                True,
                record.location,
                importance=record.importance,
                day=record.timestamp / CALENDAR.seconds_per_day,
                is_stale=record.superseded_by != "",
            )
            score = _PROTECTED if each.protected else self._ranking.score(facts)
            notes = [age(self._wording, max(0.0, self._now - record.timestamp))]
            if facts.is_stale:
                notes.append(self._wording.sentence("no_longer_holds"))
            text = dated(self._wording, record, record.document_full)
            after, matter = f" ({', '.join(notes)})", _matter(metadata)
            items.append(
                Item(
                    record.id,
                    text,
                    after=after,
                    score=score,
                    matter=matter,
                    short=dated(self._wording, record, record.document_short),
                )
            )
        return _ranked(items)

    def events(self, found: Sequence[Told]) -> list[Item]:
        """Events, as she would tell them."""
        items = []
        for each in found:
            facts = Facts(
                each["relevance"],
                [each["actor"], each["target"]],
                each["text"],
                self._npc_id in (each["actor"], each["target"]),
                each["location"],
                [each["actor_faction"], each["target_faction"]],
                each["importance"],
                each["day"],
                is_hearsay=each["confidence"] < 1.0,
            )
            ago = age(self._wording, max(0.0, self._now - each["day"] * CALENDAR.seconds_per_day))
            score, matter = self._ranking.score(facts), _matter(each)
            if self._ranking.is_news(facts):
                score = max(score, self._config.min_relevance)
            items.append(Item(each["id"], each["text"], after=f" ({ago})", score=score, matter=matter))
        return _ranked(items)

    def tasks(self, found: Sequence[Told], left_out: LeftOut) -> list[Item]:
        """The active tasks that she has a part in."""
        items = []
        for each in found:
            if self._npc_id not in (*parties(each), *each["known_by"]):
                left_out.append((each["id"], "unknown_to_npc"))
                continue
            facts = Facts(
                each["priority"] / _MOST_PRIORITY,
                parties(each),
                each["summary"],
                each["assignee"] == self._npc_id,
                each["location"],
            )
            after = f" {self._task(each)}"
            if each["due_day"] >= 0:
                after += f" {self._due(each['due_day'])}"
            summary = ended(each["summary"].strip())
            items.append(Item(each["id"], summary, after=after, score=self._ranking.score(facts)))
        return _ranked(items)

    def lore(self, found: Sequence[Told]) -> list[Item]:
        """Pieces of lore, of which the sentences about the question are kept first."""
        items = []
        for each in found:
            about = [*each["entities"], *each["tags"], *each["heading_path"]]
            facts = Facts(each["relevance"], about, each["text"], factions=about)
            title = harmless(each["title"])
            before = f"- {title}: " if title else "- "
            items.append(
                Item(each["id"], each["text"], before, score=self._ranking.score(facts), about=self._about)
            )
        return _ranked(items)

    def debates(self, found: Sequence[Told]) -> list[Item]:
        """Debates and what came of them."""
        items = []
        for each in found:
            facts = Facts(
                each["relevance"],
                each["participants"],
                each["summary"],
                self._npc_id in each["participants"],
                each["location"],
                each["factions"],
                each["importance"],
                each["day"],
            )
            told = self._wording.sentence("debate_told", topic=each["topic"], summary=each["summary"])
            if each.get("outcome"):
                told += " " + self._wording.sentence("debate_outcome", outcome=each["outcome"])
            items.append(Item(each["id"], told, score=self._ranking.score(facts)))
        return _ranked(items)

    def turns(self, found: Sequence[Told]) -> list[Item]:
        """What was said, newest first."""
        items = []
        for each in reversed(found):
            for key, speaker in (("npc_message", "turn_of_npc"), ("player_message", "turn_of_player")):
                said = each.get(key, "")
                if said.strip():
                    items.append(Item(each["id"], said, f"{self._wording.sentence(speaker)}: '", "'"))
        return items

    def _due(self, day: float) -> str:
        days = max(0, math.floor(day) - math.floor(self._now / CALENDAR.seconds_per_day))
        key = ("task_due_today", "task_due_tomorrow", "task_due_in_days")[min(days, 2)]
        return self._wording.sentence(key, days=days)

    def _task(self, task: Told) -> str:
        assignee, issuer = task.get("assignee", ""), task.get("issuer", "")
        key = "task_of_others"
        if assignee == self._npc_id:
            key = "task_of_your_own" if issuer in ("", self._npc_id) else "task_of_npc"
        elif issuer == self._npc_id:
            key = "task_for_npc"
        names = {"assignee": harmless(self._name_of(assignee)), "issuer": harmless(self._name_of(issuer))}
        told = self._wording.sentence(key, **names)
        return told[:1].upper() + told[1:]


def _ranked(items: list[Item]) -> list[Item]:
    return sorted(items, key=lambda item: -item.score)


def parties(task: Told) -> list[str]:
    """Who has a part in a task."""
    return [task[key] for key in ("assignee", "issuer", "target") if task.get(key)]


def _matter(told: Told) -> str:
    """The id of the debate or task that is its matter; "" without one."""
    id = told.get("debate_id") or told.get("task_id") or ""
    return id if isinstance(id, str) else ""
