"""Debates among NPCs, and their outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag_memory.config.calendar import CALENDAR
from rag_memory.errors import InvalidArgumentError
from rag_memory.game_call import game_call
from rag_memory.memory.document import Document
from rag_memory.memory.owners import WORLD
from rag_memory.mind.asking import answered_steps
from rag_memory.mind.disposition import STRANGER
from rag_memory.step import Steps, in_slices
from rag_memory.validation import shown, validate_option, validate_options, validate_text
from rag_memory.world.characters import CHARACTER, is_player
from rag_memory.world.debate import (
    Decision,
    decided,
    is_against,
    new_debate,
    subject_in,
    text_of,
    written_outcome,
)
from rag_memory.world.events import Events
from rag_memory.world.knowledge import Knowledge
from rag_memory.world.participants import Participants
from rag_memory.world.profile import PROFILE
from rag_memory.world.world_context import WorldContext

DEBATE = "debate"
_LIMIT, _MOST = 5, 100
_LOYAL = 25.0
"""The weight of a loyalty, in points of a disposition."""


class Debates:
    """Records debates, decides those without an outcome, and searches them."""

    def __init__(
        self,
        context: WorldContext,
        participants: Participants,
        events: Events,
        knowledge: Knowledge,
    ) -> None:
        self._context = context
        self._participants = participants
        self._events = events
        self._knowledge = knowledge

    @game_call(writes=True)
    @in_slices
    def record_debate(self, debate: Mapping[str, Any]) -> Steps[str]:
        """Records a debate and returns its id. Without an `outcome`, the debate is held first.

        `MemoryServer.debate_writer` may hold it. Without one a participant is for or against the subject,
        by its feelings towards it (see `NPCMind.get_disposition()`) and the loyalties of its profile. The
        majority is the outcome. Use `record_debate_async()` when the writer has to be awaited.

        The outcome becomes a memory of every participant, and an event, in one transaction.

        Args:
            debate: `topic` and `participants` (ids) are needed. `factions` are ids, `location`, `summary`
                and `outcome` Strings, `importance` is 1 to 10 (5), and `day` a day of the game's clock (now).
                `visibility` and `known_by` are those of the event, see `record_event()`; `"private"` when
                left out: only the participants know of it. For a debate that is held, `subject` is the id of
                whom or what it is about (taken from the topic when left out), or `sides` are two such ids.
                `id` is a name of your own. Other keys are stored for the game.

        Raises:
            InvalidArgumentError: the topic or the participants are missing, there is a debate with this id,
                or a value has the wrong type.
        """
        call = "record_debate()"
        new = new_debate(call, debate, self._context.day())
        self._participants.npcs(new["participants"])
        self._refuse_taken(call, new["id"])
        yield from self._context.searched(WORLD).load_steps()
        if not new["outcome"]:
            new = yield from self._decided_steps(new)
        self._write(call, new)
        return str(new["id"])

    @game_call()
    @in_slices
    def search_debates(
        self, query: str, options: Mapping[str, Any] | None = None
    ) -> Steps[list[dict[str, Any]]]:
        """Returns the debates that are most relevant to a question, best first.

        Args:
            options: `npc_id` is an NPC: only debates that it took part in or knows of. `limit` is how many at
                most (5).

        Returns:
            `id`, `topic`, `participants`, `factions`, `location`, `summary`, `outcome`, `importance`, `day`,
            `relevance` (0 to 1), and the game's own keys. A debate that was held here has `positions`, too:
            by participant `"for"`, `"against"`, `"undecided"` or a side.
        """
        call = "search_debates()"
        options = validate_options(call, options, ("npc_id", "limit"))
        limit = validate_option(call, options, "limit", _LIMIT, 1, _MOST)
        npc_id = validate_text(call, "npc_id", options["npc_id"]) if "npc_id" in options else None
        yield from self._context.searched(WORLD).load_steps()
        debates = {
            id: debate.content
            for id, debate in self._context.all(DEBATE).items()
            if npc_id is None or self.knows(npc_id, debate.content)
        }
        if not debates:
            return []
        searched = self._context.searched(WORLD)
        hits = searched.find(call, query, limit, searched.keys_of(call, debates))
        return [{**debates[hit.id], "relevance": hit.relevance} for hit in hits]

    def knows(self, npc_id: str, debate: Mapping[str, Any]) -> bool:
        """Return True if an NPC took part in a debate or knows of it."""
        if npc_id in debate["participants"] or npc_id in debate["known_by"]:
            return True
        return self._knowledge.knows(npc_id, debate["event_id"])

    def mend(self, call: str, debate: Document) -> None:
        """Write the searched text of a debate anew."""
        self._put_text(call, debate.content, debate.timestamp)

    def _decided_steps(self, debate: dict[str, Any]) -> Steps[dict[str, Any]]:
        """The debate with its outcome, which a debate_writer or the feelings of the participants decide."""
        decision = self._tally(debate)
        draft = {"summary": debate["summary"] or decision.summary, "outcome": decision.outcome}
        request = {
            "topic": debate["topic"],
            "debate": dict(debate),
            "participants": [self._about(id) for id in debate["participants"]],
            "positions": dict(decision.positions),
            "draft": dict(draft),
        }
        wording = self._participants.wording(debate["participants"])
        written = yield from answered_steps(
            self._context.save.debate_writer,
            request,
            wording.summarizer_timeout_seconds,
            written_outcome,
            f"The debate_writer held no debate on {shown(debate['topic'])}",
            "The participants decide by their dispositions.",
        )
        if written is None:
            return {**debate, **draft, "positions": dict(decision.positions)}
        return {**debate, "summary": draft["summary"], **written}

    def _about(self, id: str) -> dict[str, Any]:
        """The part of a writer's request that describes a participant."""
        return {
            **(self._context.content(CHARACTER, id) or {}),
            "id": id,
            "profile": self._context.content(PROFILE, id) or {},
            "dispositions": self._feelings(id),
        }

    def _feelings(self, id: str) -> dict[str, Any]:
        return {} if is_player(self._context, id) else self._context.npc(id).mind.feelings.get_dispositions()

    def _tally(self, debate: Mapping[str, Any]) -> Decision:
        """The decision of the participants, by their dispositions and loyalties."""
        participants, sides = debate["participants"], debate["sides"]
        wording = self._participants.wording(participants)
        subject = debate["subject"] or subject_in(debate["topic"], self._names(participants))
        sign = -1.0 if is_against(wording, debate["topic"]) else 1.0
        leanings = {}
        for id in participants:
            if is_player(self._context, id):
                leanings[id] = 0.0  # speaks in the game
            elif sides:
                leanings[id] = self._leaning(id, sides[0]) - self._leaning(id, sides[1])
            else:
                leanings[id] = sign * self._leaning(id, subject)
        called = {id: self._participants.name_of(wording, id) for id in [*participants, *sides]}
        return decided(wording, debate["topic"], sides, leanings, called)

    def _leaning(self, npc_id: str, subject: str) -> float:
        """Return how much an NPC favours somebody or something, in points of a disposition.

        That is the disposition towards it, the average of those towards the members of a faction or clan, and
        the loyalty to it.
        """
        if not subject:
            return 0.0
        mind = self._context.npc(npc_id).mind
        felt = {
            id: towards["strength"] - STRANGER for id, towards in mind.feelings.get_dispositions().items()
        }
        own = self._context.content(CHARACTER, npc_id) or {}
        loyalties = [
            *(self._context.content(PROFILE, npc_id) or {}).get("loyalties", []),
            *(own.get("faction", ""), own.get("clan", ""), npc_id),
        ]
        members = [
            felt[id]
            for id, character in self._context.all(CHARACTER).items()
            if id in felt
            and id != npc_id
            and subject in (character.content.get("faction"), character.content.get("clan"))
        ]
        among = sum(members) / len(members) if members else 0.0
        return float(felt.get(subject, 0.0)) + among + (_LOYAL if subject in loyalties else 0.0)

    def _names(self, participants: list[str]) -> dict[str, str]:
        """The subjects that a topic may name: characters, factions, clans and places. Ids by name."""
        names: dict[str, str] = {}
        for id, character in self._context.all(CHARACTER).items():
            for kind in ("faction", "clan", "location"):
                if isinstance(name := character.content.get(kind), str):
                    names[name] = name
            names[str(character.content.get("name") or id)] = id
            names[id] = id
        for id in self._participants.npcs(participants):
            others = self._context.npc(id).mind.feelings.get_dispositions()
            loyalties = (self._context.content(PROFILE, id) or {}).get("loyalties", [])
            names |= {other: other for other in [*others, *loyalties] if other not in names}
        return names

    def _write(self, call: str, debate: dict[str, Any]) -> None:
        """Write a debate, the memories of its participants and the event, in one transaction."""
        participants = self._participants.npcs(debate["participants"])
        at = debate["day"] * CALENDAR.seconds_per_day
        data = _data_of(debate, at)
        with self._context.transaction(participants):
            self._refuse_taken(call, debate["id"])
            debate["id"] = debate["id"] or self._free_id()
            self._put_text(call, debate, at)
            for id in participants:
                config = self._context.npc(id).config
                text = config.sentence("debate_memory", topic=debate["topic"], outcome=debate["outcome"])
                self._participants.remember(
                    id, text, debate["importance"], {**data, "debate_id": debate["id"]}
                )
            event_id = self._events.record_event(self._news_of(debate))
            self._context.write(DEBATE, debate["id"], {**debate, "event_id": event_id}, at=at)

    def _put_text(self, call: str, debate: Mapping[str, Any], at: float) -> None:
        """Write the searched text of a debate."""
        wording = self._participants.wording(debate["participants"])
        names = [self._participants.name_of(wording, id) for id in debate["participants"]]
        data = {**_data_of(debate, at), "check_names": False}
        self._context.searched(WORLD).put(
            call, debate["id"], text_of(debate, names), debate["importance"], data
        )

    def _news_of(self, debate: Mapping[str, Any]) -> dict[str, Any]:
        """The outcome as an event."""
        factions = [*debate["factions"], "", ""]
        return {
            "event_type": DEBATE,
            "title": debate["topic"],
            "summary": debate["outcome"],
            "location": debate["location"],
            "actor": "",
            "target": "",
            "actor_faction": factions[0],
            "target_faction": factions[1],
            "importance": debate["importance"],
            "visibility": debate["visibility"],
            "known_by": list(dict.fromkeys([*debate["participants"], *debate["known_by"]])),
            "day": debate["day"],
            "debate_id": debate["id"],
        }

    def _refuse_taken(self, call: str, id: str) -> None:
        if id and self._context.searched(WORLD).has(id):
            raise InvalidArgumentError(
                f"{call}: there is a debate or an event {shown(id)} already", "", "Leave the id out"
            )

    def _free_id(self) -> str:
        number = len(self._context.all(DEBATE)) + 1
        while self._context.searched(WORLD).has_used(f"debate_{number}"):
            number += 1
        return f"debate_{number}"


def _data_of(debate: Mapping[str, Any], at: float) -> dict[str, Any]:
    """The data of the memories of a debate."""
    return {
        "event_type": DEBATE,
        "participants": debate["participants"],
        "location": debate["location"],
        "topics": [debate["topic"]],
        "timestamp": at,
    }
