"""Whom an NPC speaks to: what she feels towards each, and what may be said while all of them listen."""

from __future__ import annotations

import re
from collections.abc import Collection, Generator, Mapping, Sequence
from typing import Any

from rag_memory.config.wording import Wording
from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.interaction import Interaction
from rag_memory.mind import emotion, listener_text
from rag_memory.mind.disposition import stranger
from rag_memory.mind.encoding import called
from rag_memory.mind.secrecy import may_be_told
from rag_memory.npc.game_call import game_call
from rag_memory.npc.mind_part import MindPart
from rag_memory.retrieval.selection import estimate_tokens
from rag_memory.step import Step
from rag_memory.validation import validate_flag, validate_integer, validate_text, validate_texts

_WHERE = "build_listener_context()"
_ASKED_MEMORIES = 60
_MEMORIES_OF_ONE = 5


class Listening(MindPart):
    """The call about listeners."""

    @game_call(searches=True)
    def build_listener_context(
        self, listener_ids: Sequence[str], scene: str = "", token_budget: int = -1, tells_scene: bool = True
    ) -> dict[str, Any]:
        """Returns what a language model should know of those the NPC speaks to.

        For each listener: name, feeling with its strength and reason, the last
        `NPCMindConfig.listener_interactions` interactions, and what she remembers about them that fits the
        scene. Then who is nearby, the scene, her mood, and the instruction to be warmer to friends and colder
        to enemies. The budget is never exceeded; each listener gets a fair share of it.

        A secret is left out while somebody listens, or is near, who must not know it: a memory or an event
        with `secret` may be told to its source and to those in its `known_to` only. What she concluded from
        a secret is one, too.

        Args:
            listener_ids: whom she speaks to: the ids that events have as `source_id`, or names.
            scene: what it is about: the question, the place, what just happened.
            token_budget: how many tokens the text may have; -1 for `NPCMindConfig.listener_token_budget`.
            tells_scene: whether the scene is part of the text. Pass `false` when the prompt tells it anyway.

        Returns:
            `text`, `tokens`, `listeners` (of each the keys of `get_disposition()`, with `interactions` and
            `memory_ids`), `nearby` and `emotion`.
        """
        ids = self._ids_of(validate_texts(_WHERE, "listener_ids", listener_ids))
        if not all(id.strip() for id in ids):
            raise InvalidArgumentError(
                f"{_WHERE}: an id of listener_ids is empty", "nobody is meant", "Leave it out"
            )
        scene = validate_text(_WHERE, "scene", scene).strip()
        budget = validate_integer(_WHERE, "token_budget", token_budget)
        tells_scene = validate_flag(_WHERE, "tells_scene", tells_scene)
        if budget < -1:
            raise InvalidArgumentError(
                f"{_WHERE}: token_budget is {budget}", "", "Pass how many tokens, or -1 for the config's"
            )
        budget = self._config.listener_token_budget if budget == -1 else budget
        nearby = [
            each
            for each in self._ids_of([*self.nearby, *self.nearby_on_bus])
            if each.strip() and each not in ids
        ]
        listening = {*ids, *nearby}
        dispositions = [self._disposition(each) for each in ids]
        interactions = [
            [each for each in self._with(id) if may_be_told(each.details, each.source_id, listening)]
            for id in ids
        ]
        shown = {each.details.get("memory_id", "") for of_one in interactions for each in of_one}
        memories = self._memories_about(dispositions, scene, listening, shown)
        felt = emotion.described(self._config, self._feelings.emotion, self._now())
        config = self._records.config
        text = listener_text.text_of(
            config,
            listener_text.mood_line(config, felt),
            [
                listener_text.listener(
                    config,
                    disposition,
                    [_happening(config, each) for each in interactions[number]],
                    [_in_one_line(memory) for memory in memories[number]],
                )
                for number, disposition in enumerate(dispositions)
            ],
            [self._name(each) for each in nearby],
            scene if tells_scene else "",
            budget,
        )
        return {
            "text": text,
            "tokens": estimate_tokens(text) if text else 0,
            "listeners": [
                {
                    **disposition,
                    "interactions": [each.action for each in interactions[number]],
                    "memory_ids": [each["id"] for each in memories[number]],
                }
                for number, disposition in enumerate(dispositions)
            ],
            "nearby": nearby,
            "emotion": felt,
        }

    def load_steps(self) -> Generator[Step, None, None]:
        """Loads what the NPC's memories are searched by, in slices."""
        return self._records.index.load_steps()

    def _disposition(self, id: str) -> dict[str, Any]:
        known = self._feelings.dispositions.get(id)
        return stranger(id) if known is None else known.described(self._config, self._now())

    def _ids_of(self, told: Sequence[str]) -> list[str]:
        """Each id once. A name that belongs to one character she knows stands for the id."""
        known = self._feelings.dispositions
        ids = []
        for each in told:
            named = [id for id, of in known.items() if of.name.casefold() == each.casefold()]
            ids.append(named[0] if each not in known and len(named) == 1 else each)
        return list(dict.fromkeys(ids))

    def _name(self, id: str) -> str:
        known = self._feelings.dispositions.get(id)
        return id if known is None else known.name

    def _with(self, id: str) -> list[Interaction]:
        """The last interactions with somebody, newest first."""
        count = self._config.listener_interactions
        found = [each for each in reversed(self._feelings.hot) if each.source_id == id][:count]
        is_all = len(self._feelings.hot) < self._config.hot_interactions
        if len(found) < count and not is_all and self._records.npc is not None:
            found = self._records.store.interactions.newest(self._records.npc, id, count)
        return found

    def _memories_about(
        self,
        dispositions: Sequence[Mapping[str, Any]],
        scene: str,
        listening: Collection[str],
        shown: Collection[str],
    ) -> list[list[dict[str, Any]]]:
        """Of each listener what she remembers about him that may be told and is not shown already, what fits
        the scene best first.
        """
        question = " ".join([scene, *(each["name"] for each in dispositions)]).strip()
        if not question or self._records.npc is None:
            return [[] for _ in dispositions]
        found = self._relevant(question, {"limit": _ASKED_MEMORIES})
        told = [
            each
            for each in found
            if each["id"] not in shown
            and not each["metadata"]["superseded_by"]
            and may_be_told(each["metadata"], each["metadata"].get("source_id", ""), listening)
        ]
        return [
            [memory for memory in told if _is_about(memory, disposition)][:_MEMORIES_OF_ONE]
            for disposition in dispositions
        ]


def _is_about(memory: Mapping[str, Any], disposition: Mapping[str, Any]) -> bool:
    metadata = memory["metadata"]
    names = {disposition["character_id"].casefold(), disposition["name"].casefold()}
    named = [
        metadata.get("source_id", ""),
        *metadata["participants"],
        *metadata["entities"],
    ]
    if any(str(each).casefold() in names for each in named):
        return True
    return re.search(rf"\b{re.escape(disposition['name'])}\b", memory["document"]) is not None


def _in_one_line(memory: Mapping[str, Any]) -> str:
    text = str(memory["rendered_text"])
    return text if len(text) <= listener_text.LONGEST_LINE else str(memory["document_short"])


def _happening(config: Wording, entry: Interaction) -> str:
    return str(entry.details.get("description", "")) or called(
        config, entry.action, entry.source_name, entry.content
    )
