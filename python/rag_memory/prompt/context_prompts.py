"""The prompts of one NPC: what is asked of its parts for one answer."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol

from rag_memory.conversation.extractor import secrecy_of
from rag_memory.conversation.told_memories import ids_in, said_of
from rag_memory.errors import InvalidArgumentError
from rag_memory.game_call import game_call
from rag_memory.memory.company import UNHEARD
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.secrecy import PLAYER_ALONE, may_be_told, record_may_be_told
from rag_memory.mind.relationship import validate_relationship
from rag_memory.prompt.context_prompt import OCCASIONS, ContextPrompt
from rag_memory.prompt.dossier_lines import scene_of
from rag_memory.prompt.dossiers import Dossiers
from rag_memory.prompt.player_name import player_name
from rag_memory.prompt.prompt_options import PromptOptions
from rag_memory.prompt.recalled import Recalled
from rag_memory.prompt.recent_turns import stored_turns
from rag_memory.searchable.player_names import player_names
from rag_memory.searchable.record_changes import EventFunction
from rag_memory.searchable.records import OwnedRecords
from rag_memory.step import Step, Steps, in_slices
from rag_memory.validation import shown, validate_text, wrong_type
from rag_memory.world.world import World

MOST_OPEN = 3
"""Open matters in a prompt or a dossier."""
_LOG = logging.getLogger("rag_memory")


class PromptRetriever(Protocol):
    """The memories of one NPC; `npc.retriever.Retriever` is it."""

    def scored(
        self,
        call: str,
        context: Any,
        token_budget: Any,
        listening: Collection[str],
        already_told: Collection[str],
        speaker: Any,
    ) -> list[dict[str, Any]]:
        """Return the memories for a prompt, best first, without what somebody who listens may not know."""

    def header(self, id: str = PLAYER) -> dict[str, Any]:
        """Return the relationship header, or that of another character."""


class PromptRelationship(Protocol):
    """The relationship to the player; `npc.player_relationship.PlayerRelationship` is it."""

    set_by_game: dict[str, Any]
    initial_by_game: dict[str, Any]


class PromptListeners(Protocol):
    """The text about listeners; `npc.listeners.Listeners` is it."""

    def context(
        self,
        listener_ids: Any,
        scene: Any,
        token_budget: Any,
        tells_scene: Any,
        hearing: Iterable[str],
        speaker: str,
    ) -> dict[str, Any]:
        """Return what a language model should know of those the NPC speaks to, and all may hear."""

    def hearing(self, listeners: Sequence[str], is_overheard: bool = True) -> list[str]:
        """Return the ids of everybody who hears the NPC."""


class PromptDispositions(Protocol):
    """What the NPC feels towards others; `npc.interaction_log.InteractionLog` is it."""

    def disposition(self, source_id: str) -> dict[str, Any]:
        """Return what it feels towards one of them, with the `name`; empty for a stranger."""


class PromptMind(Protocol):
    """The mind of one NPC; `npc.npc_mind.NpcMind` is it."""

    @property
    def listeners(self) -> PromptListeners:
        """The text about listeners."""

    @property
    def log(self) -> PromptDispositions:
        """What the NPC has lived through."""

    def attend(self, node: Mapping[str, Any]) -> None:
        """Take over what the game's NPCMind has: `config` and `nearby`."""


class PromptTurns(Protocol):
    """The conversations of one NPC; `conversation.conversation.Conversation` is it."""

    def get_turns(self, count: int = 6, speaker: str = PLAYER) -> list[dict[str, Any]]:
        """Return the last turns with somebody."""

    def talk(self, listener: str) -> list[dict[str, Any]]:
        """Return the turns of the talk that is going on with somebody, newest first."""

    def already_told(self, listeners: Sequence[str]) -> Mapping[str, int]:
        """Return how often each memory was told to all of these in this talk, what was told last first."""


class ContextPrompts:
    """Makes the prompts for the answers of one NPC."""

    def __init__(
        self,
        records: OwnedRecords,
        retriever: PromptRetriever,
        relationship: PromptRelationship,
        mind: PromptMind,
        turns: PromptTurns,
        dossiers: Dossiers,
        world: World,
        emit: EventFunction,
    ) -> None:
        self._records = records
        self._retriever = retriever
        self._relationship = relationship
        self._mind = mind
        self._turns = turns
        self._dossiers = dossiers
        self._world = world
        self._emit = emit
        self._has_warned = False

    @game_call(takes_objects=True)
    @in_slices
    def build_prompt(
        self,
        occasion: str,
        said: str = "",
        options: Mapping[str, Any] | None = None,
        defaults: Mapping[str, Any] | None = None,
    ) -> Steps[dict[str, Any]]:
        """Returns the prompt for an answer of the NPC.

        `NPCContextBuilder.build()` calls this with the data of its objects, and documents options and result.

        Args:
            occasion: `"line"`, `"greeting"` or `"reaction"`.
            said: what the player says, or what the NPC sees happen.
            options: those of `NPCContextBuilder.build()`. A personality among them is a Dictionary such as
                `{"class": "NPCPersonality", "values": personality}`, and so are the other scripts' objects.
            defaults: values for options that are left out. A value of the wrong type is ignored.

        Raises:
            InvalidArgumentError: an option is unknown or has a wrong type.
        """
        return (yield from self.steps("build()", occasion, said, options or {}, defaults or {}))

    def steps(
        self,
        call: str,
        occasion: str,
        said: str,
        options: Mapping[str, Any],
        defaults: Mapping[str, Any],
    ) -> Steps[dict[str, Any]]:
        """Make a prompt in slices, see build_prompt(); `call` is the name for messages."""
        prompt, parsed, listeners = self.draft(call, occasion, said, options, defaults)
        self._set_relationship(prompt, parsed)
        yield from self._records.index.load_steps()
        company = parsed.company(self._records.npc_id)
        is_player = company.speaker == PLAYER
        heard_by = prompt.listeners if is_player else [company.speaker, *prompt.listeners]
        hearing = [*self._mind.listeners.hearing(heard_by, company.manner not in UNHEARD)]
        hearing += [id for id in company.others if id not in hearing]
        recalled = Recalled(self._retriever.header(company.speaker), hearing, dossier=parsed.dossier())
        if is_player:
            recalled.player_name = self._player_name(parsed)
        told_ids = self._turns.already_told(heard_by or PLAYER_ALONE)
        recalled.already_told = self._sentences_said(call, told_ids, hearing, (heard_by or PLAYER_ALONE)[0])
        dossier_config = parsed.dossier_config()
        if dossier_config is not None:
            scene = scene_of(prompt.personality, prompt.state, prompt.location, company.speaker, hearing)
            recalled.dossier = yield from self._dossiers.build_dossier.steps(
                prompt.question, scene, dossier_config
            )
        elif not recalled.dossier:
            recalled.memories = self._retriever.scored(
                call, prompt.question, prompt.memory_tokens(), hearing, told_ids, company.speaker
            )
            self._emit("memories_recalled", (len(recalled.memories),))
        if not recalled.dossier:
            config, npc_id = prompt.config, self._records.npc_id
            lines = self._world.open_matters.lines(config, npc_id, company.speaker, hearing, MOST_OPEN)
            recalled.open_matters = [line for _matter, line in lines]
        yield Step(1, 3, "writing a prompt")
        if listeners:
            recalled.listeners = self._mind.listeners.context(
                listeners, prompt.question, prompt.listener_tokens(), False, hearing, company.speaker
            )
            yield Step(2, 3, "writing a prompt")
        if prompt.needs_turns:
            turns = self._turns.get_turns(speaker=company.speaker)
            turns = [turn for turn in turns if may_be_told(secrecy_of(turn), hearing)]
            recalled.turns = stored_turns(turns)
        result = prompt.result(recalled)
        problem = prompt.identity_problem()
        if problem and not self._has_warned:
            self._has_warned = True
            _LOG.warning(problem)
        return result

    def draft(
        self,
        call: str,
        occasion: str,
        said: str,
        options: Mapping[str, Any],
        defaults: Mapping[str, Any],
    ) -> tuple[ContextPrompt, PromptOptions, Sequence[str]]:
        """Return a prompt without texts, its options, and who listens. Writes nothing.

        Raises:
            InvalidArgumentError: no prompt can be made of the arguments.
        """
        if occasion not in OCCASIONS:
            raise InvalidArgumentError(
                f"{call}: the occasion is {shown(occasion)}", "", f"Use one of {', '.join(OCCASIONS)}"
            )
        for name, value in (("options", options), ("defaults", defaults)):
            if not isinstance(value, Mapping):
                raise wrong_type(call, name, value, "a Dictionary")
        parsed = PromptOptions(call, options, defaults)
        npc_id, config = self._records.npc_id, self._records.config
        config = self._world.people.towards(config, parsed.company(npc_id).speaker)
        prompt = ContextPrompt(
            npc_id, config, self._world, occasion, validate_text(call, "said", said), parsed
        )
        return prompt, parsed, self._listeners(parsed)

    def _listeners(self, options: PromptOptions) -> Sequence[str]:
        """Return who listens; nobody for an NPC without a mind."""
        listeners: Sequence[str] = options.get("listeners", ())
        mind = options.data("mind")
        npc_id = self._records.npc_id
        if listeners and mind is None and options.is_own("listeners"):
            raise InvalidArgumentError(
                f"The option listeners needs an NPCMind, and {npc_id} has none",
                "",
                "Add one below the NPC's RAGMemory, or pass it as the option mind",
            )
        if mind is None:
            return ()
        if mind["npc_id"] not in ("", npc_id):
            raise InvalidArgumentError(
                "The option mind is not the NPC's own",
                f"it is the mind of {mind['npc_id']}, but the prompt is for {npc_id}",
                f"Pass the NPCMind of {npc_id}",
            )
        self._mind.attend(mind)
        return listeners

    def _sentences_said(
        self, call: str, ids: Iterable[str], hearing: Collection[str], listener: str
    ) -> list[str]:
        """Return what was said of memories that still hold and that everybody may hear."""
        records = filter(None, (self._records.by_id(call, id) for id in ids))
        talk = self._turns.talk(listener)
        texts = (
            said_of(
                record.document_short, [turn["npc_message"] for turn in talk if record.id in ids_in(turn)]
            )
            for record in records
            if not record.superseded_by and record_may_be_told(record, hearing)
        )
        return list(filter(None, texts))

    def _player_name(self, options: PromptOptions) -> str:
        disposition = {} if options.data("mind") is None else self._mind.log.disposition(PLAYER)
        name = player_name(self._records, options.player_name(), disposition)
        current, *former = player_names(self._records) or [""]
        former = former if current and current in name else []
        return f"{name} ({', '.join(former)})" if former else name

    def _set_relationship(self, prompt: ContextPrompt, options: PromptOptions) -> None:
        """Set the initial relationship of the personality, and the relationship that the game keeps."""
        if prompt.personality is not None:
            problems = prompt.personality.relationship_problems()
            if problems:
                _LOG.warning("The personality of %s: %s", self._records.npc_id, " ".join(problems.values()))
            self._relationship.initial_by_game = validate_relationship(
                "set_initial_relationship()", prompt.personality.relationship_to_set()
            )
        relationship = options.get("relationship")
        if relationship is not None:
            self._relationship.set_by_game = validate_relationship("set_relationship_state()", relationship)
