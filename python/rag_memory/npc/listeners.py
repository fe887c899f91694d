"""The text about those an NPC speaks to: its feelings towards them, and what they may hear."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from rag_memory.config.wording import Wording
from rag_memory.errors import InvalidArgumentError
from rag_memory.game_call import game_call
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.interaction import Interaction
from rag_memory.memory.secrecy import PLAYER_ALONE, may_be_told
from rag_memory.mind import listener_text
from rag_memory.mind.encoding import called
from rag_memory.npc.interaction_log import InteractionLog
from rag_memory.retrieval.selection import estimate_tokens
from rag_memory.searchable.records import OwnedRecords
from rag_memory.text.whole_words import whole_words
from rag_memory.validation import validate_flag, validate_integer, validate_text, validate_texts

_CALL = "build_listener_context()"
_ASKED_MEMORIES = 60
_MEMORIES_OF_ONE = 5


class Listeners:
    """Builds the text about those the NPC speaks to. `relevant` is Recall.relevant_in_scene(), and
    `registered_name` returns the name of a character, or "".
    """

    def __init__(
        self,
        records: OwnedRecords,
        log: InteractionLog,
        relevant: Callable[[str, str, Mapping[str, Any]], list[dict[str, Any]]],
        registered_name: Callable[[str], str],
    ) -> None:
        self.nearby: tuple[str, ...] = ()
        """The NPCs who are near, by id or name."""
        self.nearby_on_bus: tuple[str, ...] = ()
        """The same, as the event bus reports them."""
        self._records = records
        self._log = log
        self._relevant = relevant
        self._registered_name = registered_name

    @game_call(searches=True)
    def build_listener_context(
        self,
        listener_ids: Sequence[str],
        scene: str = "",
        token_budget: int = -1,
        tells_scene: bool = True,
        speaker: str = PLAYER,
    ) -> dict[str, Any]:
        """Returns what a language model should know of those the NPC speaks to.

        For each listener: name, feeling with its strength and reason, the last
        `NPCMindConfig.listener_interactions` interactions, and what the NPC remembers about them that fits
        the scene. Then who is nearby, the scene, the NPC's mood, and the instruction to be warmer to friends
        and colder to enemies. The budget is never exceeded; each listener gets a fair share of it.

        A secret is left out while somebody listens, or is near, who must not know it: a memory or an event
        with `secret` may be told to its source and to those in its `known_to` only. Conclusions from a secret
        are secret, too.

        Args:
            listener_ids: whom the NPC speaks to: the ids that events have as `source_id`, or names.
            scene: what it is about: the question, the place, what just happened.
            token_budget: how many tokens the text may have; -1 for `NPCMindConfig.listener_token_budget`.
            tells_scene: whether the scene is part of the text. Pass `false` when the prompt tells it anyway.
            speaker: the id of who says the scene, as in `RAGMemory.retrieve_scored()`.

        Returns:
            `text`, `tokens`, `listeners` (of each the keys of `get_disposition()`, with `interactions` and
            `memory_ids`), `nearby` and `emotion`.
        """
        speaker = validate_text(_CALL, "speaker", speaker)
        return self.context(listener_ids, scene, token_budget, tells_scene, speaker=speaker)

    def context(
        self,
        listener_ids: Any,
        scene: Any,
        token_budget: Any,
        tells_scene: Any,
        hearing: Iterable[str] = (),
        speaker: str = PLAYER,
    ) -> dict[str, Any]:
        """Return build_listener_context() without what somebody of those who are `hearing` may not know. The
        scene is what `speaker` says.
        """
        ids = self._ids_of(validate_texts(_CALL, "listener_ids", listener_ids))
        if not all(id.strip() for id in ids):
            raise InvalidArgumentError(
                f"{_CALL}: an id of listener_ids is empty", "nobody is meant", "Leave it out"
            )
        scene = validate_text(_CALL, "scene", scene).strip()
        budget = validate_integer(_CALL, "token_budget", token_budget)
        tells_scene = validate_flag(_CALL, "tells_scene", tells_scene)
        if budget < -1:
            raise InvalidArgumentError(
                f"{_CALL}: token_budget is {budget}", "", "Pass how many tokens, or -1 for the config's"
            )
        budget = self._log.config.listener_token_budget if budget == -1 else budget
        nearby = [
            id for id in self._ids_of([*self.nearby, *self.nearby_on_bus]) if id.strip() and id not in ids
        ]
        listening = {*ids, *nearby, *hearing}
        dispositions = [{**self._log.disposition(id), "name": self._name(id)} for id in ids]
        interactions = [
            [
                entry
                for entry in self._log.last(id, self._log.config.listener_interactions)
                if may_be_told({**entry.details, "source_id": entry.source_id}, listening)
            ]
            for id in ids
        ]
        shown = {entry.details.get("memory_id", "") for entries in interactions for entry in entries}
        memories = self._memories_about(dispositions, scene, speaker, listening, shown)
        felt = self._log.emotion()
        config = self._records.config
        text = listener_text.text_of(
            config,
            listener_text.mood_line(config, felt),
            [
                listener_text.listener_of(
                    config,
                    disposition,
                    [_happening(config, entry) for entry in interactions[number]],
                    [_in_one_line(memory) for memory in memories[number]],
                )
                for number, disposition in enumerate(dispositions)
            ],
            [listener_text.listener_name(config, self._name(id)) for id in nearby],
            scene if tells_scene else "",
            budget,
        )
        return {
            "text": text,
            "tokens": estimate_tokens(text) if text else 0,
            "listeners": [
                {
                    **disposition,
                    "interactions": [entry.action for entry in interactions[number]],
                    "memory_ids": [memory["id"] for memory in memories[number]],
                }
                for number, disposition in enumerate(dispositions)
            ],
            "nearby": nearby,
            "emotion": felt,
        }

    def hearing(self, listeners: Sequence[str], is_overheard: bool = True) -> list[str]:
        """Return the ids of everybody who hears the NPC: those it speaks to, and who is near unless it
        whispers. When nobody is named it speaks to the player.
        """
        near = [*self.nearby, *self.nearby_on_bus] * is_overheard
        return self._ids_of([*(listeners or PLAYER_ALONE), *near])

    def _ids_of(self, ids_or_names: Sequence[str]) -> list[str]:
        """Replace the name of one character by the id, and return every id once."""
        dispositions = self._log.feelings.dispositions
        ids = []
        for text in ids_or_names:
            named = [id for id, of in dispositions.items() if of.name.casefold() == text.casefold()]
            ids.append(named[0] if text not in dispositions and len(named) == 1 else text)
        return list(dict.fromkeys(ids))

    def _name(self, id: str) -> str:
        disposition = self._log.feelings.dispositions.get(id)
        name = id if disposition is None else disposition.name
        return (self._registered_name(id) or name) if name == id != PLAYER else name

    def _memories_about(
        self,
        dispositions: Sequence[Mapping[str, Any]],
        scene: str,
        speaker: str,
        listening: Collection[str],
        shown: Collection[str],
    ) -> list[list[dict[str, Any]]]:
        """For each listener the memories about him that may be told and are not shown already; what fits the
        scene best comes first.
        """
        question = " ".join([scene, *(disposition["name"] for disposition in dispositions)]).strip()
        if not question or self._records.npc is None:
            return [[] for _ in dispositions]
        options = {"limit": _ASKED_MEMORIES, "listeners": list(listening), "speaker": speaker}
        relevant = self._relevant(scene or question, question, options)
        memories = [
            memory
            for memory in relevant
            if memory["id"] not in shown and not memory["metadata"]["superseded_by"]
        ]
        return [
            [memory for memory in memories if _is_about(memory, disposition)][:_MEMORIES_OF_ONE]
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
    if any(str(name).casefold() in names for name in named):
        return True
    return re.search(whole_words([disposition["name"]]), memory["document"]) is not None


def _in_one_line(memory: Mapping[str, Any]) -> str:
    text = str(memory["rendered_text"])
    return text if len(text) <= listener_text.LONGEST_LINE else str(memory["document_short"])


def _happening(config: Wording, entry: Interaction) -> str:
    return str(entry.details.get("description", "")) or called(
        config, entry.action, entry.source_name, entry.content
    )
