"""What NPCs have debated among themselves, and what came of it."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from rag_memory.config.calendar import CALENDAR
from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.owners import WORLD
from rag_memory.mind.disposition import STRANGER
from rag_memory.npc.game_call import game_call
from rag_memory.step import Step, run
from rag_memory.validation import shown, validate_option, validate_options, validate_text
from rag_memory.world.asking import answered_steps
from rag_memory.world.characters import CHARACTER
from rag_memory.world.debate import Decision, decided, held, is_against, new_debate, subject_in, text_of
from rag_memory.world.profiles import PROFILE
from rag_memory.world.telling import Telling, is_player

DEBATE = "debate"
_LIMIT, _MOST = 5, 100
_LOYAL = 25.0
"""What loyalty to something weighs beside a disposition, in points."""
_FAILED = "The debate_writer held no debate on {}: %s. The participants decide by how they feel, without it."


class Debates(Telling):
    """The calls about debates."""

    @game_call(writes=True)
    def record_debate(self, debate: Mapping[str, Any]) -> str:
        """Records a debate and returns its id. Without an `outcome` it is held, too.

        `MemoryServer.debate_writer` may hold it. Without one each participant is for or against the subject,
        by what she feels towards it (see `NPCMind.get_disposition()`) and by the loyalties of her profile.
        The majority is the outcome. Use `record_debate_async()` when the writer has to be awaited.

        The outcome becomes a memory of each participant and an event, all in one.

        Args:
            debate: `topic` and `participants` (ids) are needed. `factions` are ids, `location`, `summary`
                and `outcome` Strings, `importance` is 1 to 10 (5), and `day` a day of the game's clock (now).
                `visibility` and `known_by` are those of the event, see `record_event()`; `"private"` when
                left out: only the participants know of it. For a debate that is held, `subject` is the id of
                whom or what it is about (found in the topic when left out), or `sides` are two such ids.
                `id` is a name of your own. Other keys are kept for the game.

        Raises:
            InvalidArgumentError: the topic or the participants are missing, there is a debate with this id,
                or a value has the wrong type.
        """
        return run(self.record_debate_steps(debate))

    def record_debate_steps(self, debate: Mapping[str, Any]) -> Generator[Step, None, str]:
        """record_debate(), in slices."""
        where = "record_debate()"
        new = new_debate(where, debate, self._day())
        self._rememberers(new["participants"])
        self._refuse_known(where, new["id"])
        yield from self._searched(WORLD).load_steps()
        if not new["outcome"]:
            new = yield from self._held_steps(new)
        self._keep_debate(where, new)
        return str(new["id"])

    @game_call(searches=True)
    def search_debates(self, query: str, options: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Returns the debates that are most relevant to a question, best first.

        Args:
            options: `npc_id` is for whom: only debates that she took part in or knows of. `limit` is how many
                at most (5).

        Returns:
            `id`, `topic`, `participants`, `factions`, `location`, `summary`, `outcome`, `importance`, `day`,
            `relevance` (0 to 1), and the game's own keys. A debate that was held here has `positions`, too:
            for each participant `"for"`, `"against"`, `"undecided"` or a side.
        """
        where = "search_debates()"
        given = validate_options(where, options, ("npc_id", "limit"))
        limit = validate_option(where, given, "limit", _LIMIT, 1, _MOST)
        known = {id: each.content for id, each in self._all(DEBATE).items()}
        if "npc_id" in given:
            npc_id = validate_text(where, "npc_id", given["npc_id"])
            known = {id: each for id, each in known.items() if self.knows_debate(npc_id, each)}
        if not known:
            return []
        searched = self._searched(WORLD)
        found = searched.find(where, query, limit, searched.keys_of(where, known))
        return [{**known[each.id], "relevance": each.relevance} for each in found]

    def knows_debate(self, npc_id: str, debate: Mapping[str, Any]) -> bool:
        """Whether an NPC took part in a debate or knows of it."""
        if npc_id in debate["participants"] or npc_id in debate["known_by"]:
            return True
        return self.knows_event(npc_id, {"id": debate["event_id"]})

    def _held_steps(self, debate: dict[str, Any]) -> Generator[Step, None, dict[str, Any]]:
        """The debate with what came of it."""
        decision = self._tally(debate)
        draft = {"summary": debate["summary"] or decision.summary, "outcome": decision.outcome}
        request = {
            "topic": debate["topic"],
            "debate": dict(debate),
            "participants": [self._about(id) for id in debate["participants"]],
            "positions": dict(decision.positions),
            "draft": dict(draft),
        }
        wording = self._wording(self._rememberers(debate["participants"]))
        written = yield from answered_steps(
            self._save.debate_writer,
            request,
            wording.summarizer_timeout_seconds,
            held,
            _FAILED.format(shown(debate["topic"])),
        )
        if written is None:
            return {**debate, **draft, "positions": dict(decision.positions)}
        return {**debate, "summary": draft["summary"], **written}

    def _about(self, id: str) -> dict[str, Any]:
        """What a writer is told of a participant."""
        return {
            **(self._content(CHARACTER, id) or {}),
            "id": id,
            "profile": self._content(PROFILE, id) or {},
            "dispositions": {} if is_player(id) else self._npc(id).mind.feelings.get_dispositions(),
        }

    def _tally(self, debate: Mapping[str, Any]) -> Decision:
        """Who is for it and who against, by dispositions and loyalties."""
        participants, sides = debate["participants"], debate["sides"]
        wording = self._wording(self._rememberers(participants))
        subject = debate["subject"] or subject_in(debate["topic"], self._names(participants))
        sign = -1.0 if is_against(wording, debate["topic"]) else 1.0
        leanings = {}
        for id in participants:
            if is_player(id):
                leanings[id] = 0.0  # speaks in the game
            elif sides:
                leanings[id] = self._leaning(id, sides[0]) - self._leaning(id, sides[1])
            else:
                leanings[id] = sign * self._leaning(id, subject)
        called = {id: self._called(wording, id) for id in [*participants, *sides]}
        return decided(wording, debate["topic"], sides, leanings, called)

    def _leaning(self, npc_id: str, subject: str) -> float:
        """How much an NPC is for somebody or something: what she feels towards it and, if it is a faction or
        clan, on average towards those of its members whom she knows, and whether she is loyal to it.
        """
        if not subject:
            return 0.0
        mind = self._npc(npc_id).mind
        felt = {id: each["strength"] - STRANGER for id, each in mind.feelings.get_dispositions().items()}
        own = self._content(CHARACTER, npc_id) or {}
        loyalties = [
            *(self._content(PROFILE, npc_id) or {}).get("loyalties", []),
            *(own.get("faction", ""), own.get("clan", ""), npc_id),
        ]
        members = [
            felt[id]
            for id, each in self._all(CHARACTER).items()
            if id in felt
            and id != npc_id
            and subject in (each.content.get("faction"), each.content.get("clan"))
        ]
        among = sum(members) / len(members) if members else 0.0
        return float(felt.get(subject, 0.0)) + among + (_LOYAL if subject in loyalties else 0.0)

    def _names(self, participants: list[str]) -> dict[str, str]:
        """Whom and what a topic may be about, by name: characters, factions, clans and places."""
        names: dict[str, str] = {}
        for id, each in self._all(CHARACTER).items():
            for kind in ("faction", "clan", "location"):
                if isinstance(name := each.content.get(kind), str):
                    names[name] = name
            names[str(each.content.get("name") or id)] = id
            names[id] = id
        for id in self._rememberers(participants):
            names |= {
                each: each for each in self._npc(id).mind.feelings.get_dispositions() if each not in names
            }
            loyalties = (self._content(PROFILE, id) or {}).get("loyalties", [])
            names |= {each: each for each in loyalties if each not in names}
        return names

    def _keep_debate(self, where: str, debate: dict[str, Any]) -> None:
        """Write a debate with what follows from it, all of it or nothing."""
        participants = self._rememberers(debate["participants"])
        at = debate["day"] * CALENDAR.seconds_per_day
        data = _data_of(debate, at)
        with self._together(participants):
            self._refuse_known(where, debate["id"])
            debate["id"] = debate["id"] or self._free_debate_id()
            self._put_debate(where, debate, at)
            for id in participants:
                config = self._npc(id).config
                text = config.sentence("debate_memory", topic=debate["topic"], outcome=debate["outcome"])
                self._remember(id, text, debate["importance"], {**data, "debate_id": debate["id"]})
            event_id = self.record_event(self._news_of_debate(debate))
            self._write(DEBATE, debate["id"], {**debate, "event_id": event_id}, at=at)

    def _put_debate(self, where: str, debate: Mapping[str, Any], at: float) -> None:
        """Keep what is searched of a debate."""
        wording = self._wording(self._rememberers(debate["participants"]))
        names = [self._called(wording, id) for id in debate["participants"]]
        data = {**_data_of(debate, at), "check_names": False}
        self._searched(WORLD).put(where, debate["id"], text_of(debate, names), debate["importance"], data)

    def _news_of_debate(self, debate: Mapping[str, Any]) -> dict[str, Any]:
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

    def _refuse_known(self, where: str, id: str) -> None:
        if id and self._searched(WORLD).has(id):
            raise InvalidArgumentError(
                f"{where}: there is a debate or an event {shown(id)} already", "", "Leave the id out"
            )

    def _free_debate_id(self) -> str:
        number = len(self._all(DEBATE)) + 1
        while self._searched(WORLD).has_used(f"debate_{number}"):
            number += 1
        return f"debate_{number}"


def _data_of(debate: Mapping[str, Any], at: float) -> dict[str, Any]:
    """What the memories of a debate say beside their text."""
    return {
        "event_type": DEBATE,
        "participants": debate["participants"],
        "location": debate["location"],
        "topics": [debate["topic"]],
        "timestamp": at,
    }
